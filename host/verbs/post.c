// SPDX-License-Identifier: BSD-2-Clause
/* post.c - ibv_post_send(), ibv_post_recv() and ibv_post_srq_recv(). */
#include <endian.h>
#include <errno.h>

#include "front.h"

static_assert(sizeof(struct mr_sge) == sizeof(struct ibv_sge));

static const int8_t opcodes[] = {
    [IBV_WR_RDMA_WRITE] = MR_OP_WRITE,
    [IBV_WR_RDMA_WRITE_WITH_IMM] = MR_OP_WRITE_IMM,
    [IBV_WR_SEND] = MR_OP_SEND,
    [IBV_WR_SEND_WITH_IMM] = MR_OP_SEND_IMM,
    [IBV_WR_RDMA_READ] = MR_OP_READ,
    [IBV_WR_ATOMIC_CMP_AND_SWP] = MR_OP_CMP_SWAP,
    [IBV_WR_ATOMIC_FETCH_AND_ADD] = MR_OP_FETCH_ADD,
    [IBV_WR_LOCAL_INV] = -1,
    [IBV_WR_BIND_MW] = -1,
    [IBV_WR_SEND_WITH_INV] = MR_OP_SEND_INV,
};

static uint32_t flags_of(unsigned flags, uint32_t op, bool sig_all)
{
    bool takes = op != MR_OP_WRITE && op != MR_OP_READ && op != MR_OP_CMP_SWAP &&
                 op != MR_OP_FETCH_ADD;

    return (flags & IBV_SEND_SIGNALED || sig_all ? MR_POST_SIGNALED : 0) |
           (flags & IBV_SEND_FENCE ? MR_POST_FENCE : 0) |
           (flags & IBV_SEND_INLINE ? MR_POST_INLINE : 0) |
           (flags & IBV_SEND_SOLICITED && takes ? MR_POST_SOLICITED : 0);
}

static int copy_sges(struct mr_sge *to, const struct ibv_sge *from, int n, unsigned max)
{
    if (n < 0 || (unsigned)n > max)
        return EINVAL;
    for (int i = 0; i < n; i++)
        to[i] = (struct mr_sge){
            .addr = (void *)(uintptr_t)from[i].addr, .len = from[i].length, .key = from[i].lkey};
    return 0;
}

/* sge: room for what the queue pair takes. */
static int convert(const struct front_qp *qp, const struct ibv_send_wr *wr, struct mr_send_wr *to,
                   struct mr_sge *sge)
{
    static constexpr unsigned known = IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
                                      IBV_SEND_INLINE;
    unsigned n = sizeof opcodes / sizeof opcodes[0];

    if ((unsigned)wr->opcode >= n || opcodes[wr->opcode] < 0 || wr->send_flags & ~known)
        return EINVAL;
    uint32_t op = (uint32_t)opcodes[wr->opcode];
    bool atomic = op == MR_OP_CMP_SWAP || op == MR_OP_FETCH_ADD;
    *to = (struct mr_send_wr){
        .wr_id = wr->wr_id,
        .opcode = op,
        .flags = flags_of(wr->send_flags, op, qp->sig_all),
        .sge = sge,
        .nsge = (uint32_t)wr->num_sge,
        .rkey = atomic ? wr->wr.atomic.rkey : wr->wr.rdma.rkey,
        .raddr = atomic ? wr->wr.atomic.remote_addr : wr->wr.rdma.remote_addr,
        .imm = op == MR_OP_SEND_INV ? wr->invalidate_rkey : be32toh(wr->imm_data),
        .compare = atomic ? wr->wr.atomic.compare_add : 0,
        .swap = op == MR_OP_CMP_SWAP ? wr->wr.atomic.swap : 0,
    };
    return copy_sges(sge, wr->sg_list, wr->num_sge, qp->cap.max_send_sge);
}

/* A queue pair in error takes entries and completes them at once. [ibv_post_send(3)] */
static int flush_sends(struct front_qp *qp, const struct mr_send_wr *wr, unsigned n,
                       unsigned *posted)
{
    struct front_cq *cq = (struct front_cq *)qp->ex.qp_base.send_cq;

    for (unsigned i = 0; i < n; i++, ++*posted)
        if (!front_cq_flush(cq, qp->ex.qp_base.qp_num, wr[i].wr_id, false))
            return ENOMEM;
    return 0;
}

int front_post(struct front_qp *qp, const struct mr_send_wr *wr, unsigned n, unsigned *posted)
{
    enum ibv_qp_state state = qp->ex.qp_base.state;

    *posted = 0;
    front_called();
    if (state != IBV_QPS_RTS && state != IBV_QPS_ERR)
        return EINVAL;
    if (state == IBV_QPS_ERR)
        return flush_sends(qp, wr, n, posted);
    int rc = mr_post_send_list(qp->stream, wr, n, posted);
    if (rc == -EPIPE)
        return flush_sends(qp, wr, n, posted);
    return front_errno(rc);
}

int front_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    struct front_qp *qp = (struct front_qp *)ibqp;
    struct mr_send_wr to[front_batch];
    struct mr_sge sge[front_batch][MR_SGES_MAX];
    int rc = 0;

    while (wr && !rc) {
        struct ibv_send_wr *at = wr;
        unsigned n = 0, posted;
        while (at && n < front_batch && !(rc = convert(qp, at, &to[n], sge[n]))) {
            at = at->next;
            n++;
        }
        int failed = n ? front_post(qp, to, n, &posted) : 0;
        for (unsigned i = 0; n && i < posted; i++)
            wr = wr->next;
        rc = failed ? failed : rc;
    }
    if (rc)
        *bad = wr;
    return rc;
}

/* --------------------------------------------------------------- receives */

/* Posts a list to a queue. */
static int post_recvs(struct mr_rq *rq, unsigned max_sge, struct ibv_recv_wr **at)
{
    struct mr_recv_wr to[front_batch];
    struct mr_sge sge[front_batch][MR_SGES_MAX];
    int rc = 0;

    front_called();
    while (*at && !rc) {
        struct ibv_recv_wr *wr = *at;
        unsigned n = 0, posted = 0;
        for (; wr && n < front_batch; wr = wr->next, n++) {
            rc = copy_sges(sge[n], wr->sg_list, wr->num_sge, max_sge);
            if (rc)
                break;
            to[n] = (struct mr_recv_wr){
                .wr_id = wr->wr_id, .sge = sge[n], .nsge = (uint32_t)wr->num_sge};
        }
        int failed = n ? mr_post_recv_list(rq, to, n, &posted) : 0;
        for (unsigned i = 0; i < posted; i++)
            *at = (*at)->next;
        rc = failed ? failed : rc;
    }
    return rc;
}

static int flush_recvs(struct front_qp *qp, struct ibv_recv_wr **at)
{
    struct front_cq *cq = (struct front_cq *)qp->ex.qp_base.recv_cq;

    for (; *at; *at = (*at)->next)
        if (!front_cq_flush(cq, qp->ex.qp_base.qp_num, (*at)->wr_id, true))
            return ENOMEM;
    return 0;
}

int front_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct front_qp *qp = (struct front_qp *)ibqp;

    *bad = wr;
    if (!qp->rq || ibqp->state == IBV_QPS_RESET)
        return EINVAL;
    int rc = ibqp->state == IBV_QPS_ERR ? -EPIPE : post_recvs(qp->rq, qp->cap.max_recv_sge, bad);
    if (rc == -EPIPE)
        return flush_recvs(qp, bad);
    return rc < 0 ? front_errno(rc) : rc;
}

int front_post_srq(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct front_srq *srq = (struct front_srq *)ibsrq;

    *bad = wr;
    int rc = post_recvs(srq->rq, srq->attr.max_sge, bad);
    return rc < 0 ? front_errno(rc) : rc;
}
