// SPDX-License-Identifier: BSD-2-Clause
/*
 * build.c - ibv_wr_start() to ibv_wr_complete(): entries are collected, and posted
 * in one list. Inline data is copied at once, as ibv_wr_set_inline_data(3) says.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"

static struct front_qp *of(struct ibv_qp_ex *ex)
{
    return (struct front_qp *)ex;
}

static void fail(struct front_build *b, int err)
{
    if (!b->err)
        b->err = err;
}

/* The next entry, with what all operations have; NULL if there is no room. */
static struct mr_send_wr *begin(struct ibv_qp_ex *ex, uint32_t op, bool takes)
{
    struct front_qp *qp = of(ex);
    struct front_build *b = &qp->build;

    if (b->n == b->room)
        fail(b, ENOMEM);
    if (b->err)
        return nullptr;
    struct mr_send_wr *wr = &b->wr[b->n];
    *wr = (struct mr_send_wr){
        .wr_id = ex->wr_id,
        .opcode = op,
        .flags = (ex->wr_flags & IBV_SEND_SIGNALED || qp->sig_all ? MR_POST_SIGNALED : 0) |
                 (ex->wr_flags & IBV_SEND_FENCE ? MR_POST_FENCE : 0) |
                 (ex->wr_flags & IBV_SEND_SOLICITED && takes ? MR_POST_SOLICITED : 0),
        .sge = b->sge + (size_t)b->n * qp->cap.max_send_sge,
    };
    b->n++;
    return wr;
}

static struct mr_send_wr *begin_remote(struct ibv_qp_ex *ex, uint32_t op, bool takes, uint32_t rkey,
                                       uint64_t raddr)
{
    struct mr_send_wr *wr = begin(ex, op, takes);

    if (wr) {
        wr->rkey = rkey;
        wr->raddr = raddr;
    }
    return wr;
}

static void wr_send(struct ibv_qp_ex *ex)
{
    begin(ex, MR_OP_SEND, true);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
    struct mr_send_wr *wr = begin(ex, MR_OP_SEND_IMM, true);

    if (wr)
        wr->imm = be32toh(imm);
}

static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
    struct mr_send_wr *wr = begin(ex, MR_OP_SEND_INV, true);

    if (wr)
        wr->imm = rkey;
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr)
{
    begin_remote(ex, MR_OP_WRITE, false, rkey, raddr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr, __be32 imm)
{
    struct mr_send_wr *wr = begin_remote(ex, MR_OP_WRITE_IMM, true, rkey, raddr);

    if (wr)
        wr->imm = be32toh(imm);
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr)
{
    begin_remote(ex, MR_OP_READ, false, rkey, raddr);
}

static void wr_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr, uint64_t compare,
                       uint64_t swap)
{
    struct mr_send_wr *wr = begin_remote(ex, MR_OP_CMP_SWAP, false, rkey, raddr);

    if (wr) {
        wr->compare = compare;
        wr->swap = swap;
    }
}

static void wr_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t raddr, uint64_t add)
{
    struct mr_send_wr *wr = begin_remote(ex, MR_OP_FETCH_ADD, false, rkey, raddr);

    if (wr)
        wr->compare = add;
}

/* ------------------------------------------------------------ local memory */

static struct mr_send_wr *last(struct front_build *b)
{
    if (!b->err && !b->n)
        b->err = EINVAL;
    return b->err ? nullptr : &b->wr[b->n - 1];
}

static void set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *list)
{
    struct front_qp *qp = of(ex);
    struct mr_send_wr *wr = last(&qp->build);

    if (!wr)
        return;
    if (n > qp->cap.max_send_sge) {
        fail(&qp->build, EINVAL);
        return;
    }
    struct mr_sge *to = qp->build.sge + (size_t)(qp->build.n - 1) * qp->cap.max_send_sge;
    for (size_t i = 0; i < n; i++)
        to[i] = (struct mr_sge){
            .addr = (void *)(uintptr_t)list[i].addr, .len = list[i].length, .key = list[i].lkey};
    wr->nsge = (uint32_t)n;
}

static void set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
    struct ibv_sge one = {.addr = addr, .length = length, .lkey = lkey};

    set_sge_list(ex, 1, &one);
}

static void set_inline_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_data_buf *list)
{
    struct front_qp *qp = of(ex);
    struct mr_send_wr *wr = last(&qp->build);
    size_t length = 0, max = qp->cap.max_inline_data;

    if (!wr)
        return;
    uint8_t *to = qp->build.bytes + (size_t)(qp->build.n - 1) * max;
    for (size_t i = 0; i < n; i++) {
        if (list[i].length > max - length) {
            fail(&qp->build, EINVAL);
            return;
        }
        memcpy(to + length, list[i].addr, list[i].length);
        length += list[i].length;
    }
    struct mr_sge *sge = qp->build.sge + (size_t)(qp->build.n - 1) * qp->cap.max_send_sge;
    *sge = (struct mr_sge){.addr = to, .len = (uint32_t)length};
    wr->nsge = 1;
    wr->flags |= MR_POST_INLINE;
}

static void set_inline(struct ibv_qp_ex *ex, void *addr, size_t length)
{
    struct ibv_data_buf one = {.addr = addr, .length = length};

    set_inline_list(ex, 1, &one);
}

/* -------------------------------------------------------- start and complete */

static void wr_start(struct ibv_qp_ex *ex)
{
    struct front_qp *qp = of(ex);

    pthread_mutex_lock(&qp->lock);
    qp->build.n = 0;
    qp->build.err = 0;
}

/* All or nothing: a list that does not fit as a whole is not posted. */
static int wr_complete(struct ibv_qp_ex *ex)
{
    struct front_qp *qp = of(ex);
    struct front_build *b = &qp->build;
    unsigned posted = 0;
    int rc = b->err;

    if (!rc)
        rc = front_post(qp, b->wr, b->n, &posted);
    pthread_mutex_unlock(&qp->lock);
    return rc;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
    pthread_mutex_unlock(&of(ex)->lock);
}

bool front_build_open(struct front_qp *qp, uint64_t ops)
{
    struct front_build *b = &qp->build;
    struct ibv_qp_ex *ex = &qp->ex;

    b->room = qp->cap.max_send_wr;
    b->wr = calloc(b->room, sizeof *b->wr);
    b->sge = calloc((size_t)b->room * qp->cap.max_send_sge, sizeof *b->sge);
    b->bytes = calloc((size_t)b->room * qp->cap.max_inline_data + 1, 1);
    if (!b->wr || !b->sge || !b->bytes) {
        front_build_close(qp);
        return false;
    }
    (void)ops;  // all that are known are there
    ex->wr_send = wr_send;
    ex->wr_send_imm = wr_send_imm;
    ex->wr_send_inv = wr_send_inv;
    ex->wr_rdma_write = wr_rdma_write;
    ex->wr_rdma_write_imm = wr_rdma_write_imm;
    ex->wr_rdma_read = wr_rdma_read;
    ex->wr_atomic_cmp_swp = wr_cmp_swp;
    ex->wr_atomic_fetch_add = wr_fetch_add;
    ex->wr_set_sge = set_sge;
    ex->wr_set_sge_list = set_sge_list;
    ex->wr_set_inline_data = set_inline;
    ex->wr_set_inline_data_list = set_inline_list;
    ex->wr_start = wr_start;
    ex->wr_complete = wr_complete;
    ex->wr_abort = wr_abort;
    qp->extended = true;
    return true;
}

void front_build_close(struct front_qp *qp)
{
    free(qp->build.wr);
    free(qp->build.sge);
    free(qp->build.bytes);
    qp->build = (struct front_build){};
}
