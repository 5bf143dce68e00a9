// SPDX-License-Identifier: BSD-2-Clause
/* rig.c - see rig.h. */
#include "rig.h"

struct mr_conn_attr rig_attr(unsigned end)
{
    return (struct mr_conn_attr){
        .mac = {2, 0, 0, 0, 0, (uint8_t)(end + 1)},
        .ip = {.family = 4, .addr = {10, 0, 0, (uint8_t)(end + 1)}},
        .paths = 4,
    };
}

static int connect_ends(struct rig *r)
{
    struct mr_conn_addr addr[2];
    int rc = 0;

    for (int i = 0; i < 2 && !rc; i++)
        rc = mr_conn_local(r->conn[i], &addr[i]);
    for (int i = 0; i < 2 && !rc; i++) {
        rc = mr_conn_connect(r->conn[i], &addr[!i]);
        if (!rc)
            rc = mr_stream_connect(r->stream[i], addr[!i].stream[0]);
    }
    return rc;
}

static int make_ends(struct rig *r, const struct rig_shape *shape)
{
    struct mr_rq_attr rq = {.depth = shape->rq_depth, .max_sge = shape->rq_sge, .shared = shape->shared};
    int rc = 0;

    for (unsigned i = 0; i < 2 && !rc; i++) {
        struct mr_conn_attr attr = rig_attr(i);
        rc = mr_conn_create(r->dev, &attr, &r->conn[i]);
        if (!rc && shape->rq_depth && (!i || !shape->shared))
            rc = mr_rq_create(r->pd, &rq, &r->rq[i]);
        if (!r->rq[i])
            r->rq[i] = r->rq[0];
        struct mr_stream_attr s = {.pd = r->pd, .cq = r->cq, .rcq = r->rcq, .rq = r->rq[i],
            .depth = shape->depth, .max_sge = shape->max_sge, .max_inline = shape->max_inline};
        if (!rc)
            rc = mr_stream_create_attr(r->conn[i], &s, &r->stream[i]);
    }
    return rc;
}

bool rig_open_as(struct rig *r, struct rig_shape shape)
{
    static constexpr uint32_t rights = MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE |
                                       MR_RIGHT_REMOTE_WRITE | MR_RIGHT_REMOTE_READ |
                                       MR_RIGHT_REMOTE_ATOMIC;

    *r = (struct rig){};
    int rc = mr_device_open("fake:", &r->dev);
    if (!rc)
        rc = mr_pd_create(r->dev, &r->pd);
    if (!rc)
        rc = mr_cq_create(r->dev, shape.cq, &r->cq);
    if (!rc && shape.rcq)
        rc = mr_cq_create(r->dev, shape.rcq, &r->rcq);
    if (!rc)
        rc = make_ends(r, &shape);
    if (!rc)
        rc = connect_ends(r);
    if (!rc)
        rc = mr_mr_reg(r->pd, r->from, sizeof r->from, rights, &r->src);
    if (!rc)
        rc = mr_mr_reg(r->pd, r->to, sizeof r->to, rights, &r->dst);
    for (unsigned i = 0; i < RIG_BYTES; i++)
        r->from[i] = (uint8_t)(i * 7 + 1);
    CU_ASSERT_EQUAL(rc, 0);
    if (rc)
        rig_close(r);
    return !rc;
}

bool rig_open(struct rig *r, uint32_t depth, uint32_t cq_entries)
{
    return rig_open_as(r, (struct rig_shape){.depth = depth, .cq = cq_entries});
}

void rig_close(struct rig *r)
{
    mr_device_close(r->dev);
    r->dev = nullptr;
    CU_ASSERT_EQUAL(fake_seen.maps, 0);
    CU_ASSERT_EQUAL(fake_seen.open, fake_seen.close);
    CU_ASSERT_EQUAL(fake_seen.overruns, 0);
}

struct mr_write rig_write(const struct rig *r, uint64_t wr_id, uint32_t at, uint32_t n,
                          uint32_t flags)
{
    return (struct mr_write){
        .wr_id = wr_id,
        .laddr = r->from + at,
        .lkey = mr_mr_lkey(r->src),
        .raddr = (uintptr_t)(r->to + at),
        .rkey = mr_mr_rkey(r->dst),
        .length = n,
        .flags = flags,
    };
}

uint32_t rig_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(*seed >> 33);
}
