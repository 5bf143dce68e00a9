// SPDX-License-Identifier: BSD-2-Clause
/* soft_pair.c - see soft_pair.h. */
#include "soft_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct soft_side soft[2];
static char dir[32];

int soft_stream(unsigned at, unsigned k, struct soft_shape shape)
{
    struct soft_side *s = &soft[at];
    struct mr_stream_attr a = {.pd = s->pd, .cq = s->cq, .rcq = s->rcq, .rq = s->rq[k],
        .depth = shape.depth ? shape.depth : 32, .max_sge = 4, .max_inline = 448, .rnr_max = shape.rnr_max};

    return mr_stream_create_attr(s->conn, &a, &s->stream[k]);
}

static int streams(unsigned at, struct soft_shape shape)
{
    struct soft_side *s = &soft[at];
    int rc = 0;

    for (unsigned k = 0; k < SOFT_STREAMS && !rc; k++) {
        if (shape.rq_depth && (!k || !shape.shared))
            rc = mr_rq_create(s->pd, &(struct mr_rq_attr){.depth = shape.rq_depth, .max_sge = 4,
                .shared = shape.shared}, &s->rq[k]);
        else if (shape.rq_depth)
            s->rq[k] = s->rq[0];
        if (!rc)
            rc = soft_stream(at, k, shape);
    }
    return rc;
}

static int open_side(unsigned at, struct soft_shape shape, const char *faults)
{
    static constexpr uint32_t rights = MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE | MR_RIGHT_REMOTE_WRITE |
                                       MR_RIGHT_REMOTE_READ | MR_RIGHT_REMOTE_ATOMIC;
    struct mr_conn_attr attr = rig_attr(at);
    struct soft_side *s = &soft[at];
    char uri[160];

    snprintf(uri, sizeof uri, "soft:%u?dir=%s%s", at, dir, faults);
    s->memory = aligned_alloc(64, SOFT_BYTES);
    memset(s->memory, 0, SOFT_BYTES);
    int rc = mr_device_open(uri, &s->dev);
    if (!rc)
        rc = mr_pd_create(s->dev, &s->pd);
    if (!rc)
        rc = mr_cq_create(s->dev, SOFT_CQ, &s->cq);
    if (!rc)
        rc = mr_cq_create(s->dev, SOFT_CQ, &s->rcq);
    if (!rc)
        rc = mr_conn_create(s->dev, &attr, &s->conn);
    if (!rc)
        rc = streams(at, shape);
    if (!rc)
        rc = mr_mr_reg(s->pd, s->memory, SOFT_BYTES, rights, &s->mr);
    return rc ? rc : mr_conn_local(s->conn, &s->addr);
}

bool soft_open(struct soft_shape shape, const char *faults)
{
    memset(soft, 0, sizeof soft);
    snprintf(dir, sizeof dir, "/tmp/mr-soft-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    int rc = open_side(0, shape, faults);
    if (!rc)
        rc = open_side(1, shape, faults);
    for (int i = 0; i < 2 && !rc; i++) {
        rc = mr_conn_connect(soft[i].conn, &soft[!i].addr);
        for (int k = 0; k < SOFT_STREAMS && !rc; k++)
            rc = mr_stream_connect(soft[i].stream[k], soft[!i].addr.stream[k]);
    }
    CU_ASSERT_EQUAL(rc, 0);
    return !rc;
}

void soft_close(void)
{
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(mr_device_close(soft[i].dev), 0);
        free(soft[i].memory);
    }
    CU_ASSERT_EQUAL(rmdir(dir), 0);
}

struct mr_sge soft_range(unsigned at, uint32_t offset, uint32_t len)
{
    return (struct mr_sge){.addr = soft[at].memory + offset, .len = len, .key = mr_mr_lkey(soft[at].mr)};
}

uint64_t soft_addr(unsigned at, uint32_t offset)
{
    return (uintptr_t)(soft[at].memory + offset);
}

void soft_fill(unsigned at, uint32_t offset, uint32_t len, uint32_t seed)
{
    for (uint32_t i = offset; i < offset + len; i++)
        soft[at].memory[i] = (uint8_t)(((i + seed * 40503) * 2654435761u) >> 24);
}

int soft_recv(unsigned at, unsigned k, uint64_t id, const struct mr_sge *sge, uint32_t n)
{
    return mr_post_recv(soft[at].rq[k], &(struct mr_recv_wr){.wr_id = id, .sge = sge, .nsge = n});
}

int soft_send(unsigned at, unsigned k, struct mr_send_wr wr)
{
    if (!wr.rkey)
        wr.rkey = mr_mr_rkey(soft[!at].mr);
    wr.flags |= MR_POST_SIGNALED;
    return mr_post_send(soft[at].stream[k], &wr);
}

bool soft_take(struct mr_cq *cq, struct mr_wc *wc, int n)
{
    for (int got = 0; got < n;) {
        if (mr_cq_wait(cq, 10000000000) != 1)
            return false;
        int k = mr_cq_poll(cq, wc + got, n - got);
        if (k < 0)
            return false;
        got += k;
    }
    return true;
}

struct mr_wc soft_next(struct mr_cq *cq)
{
    struct mr_wc wc = {.status = 255};
    bool came = soft_take(cq, &wc, 1);

    CU_ASSERT_TRUE_FATAL(came);
    return wc;
}

bool soft_quiet(struct mr_cq *cq, uint64_t ns)
{
    return mr_cq_wait(cq, ns) == 0;
}

void soft_settle(void)
{
    uint64_t v[1];

    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(mr_counters_read(soft[i].dev, v, 1), 1);
}

uint32_t soft_differ(const void *a, const void *b, uint32_t n)
{
    const uint8_t *x = a, *y = b;
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < n; i++)
        wrong += x[i] != y[i];
    return wrong;
}
