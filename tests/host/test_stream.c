// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

static void create__bad_argument(void)
{
    struct mr_stream *s = nullptr;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CHECK_ERR(mr_stream_create(nullptr, r.pd, r.cq, 4, &s), -EINVAL);
    CHECK_ERR(mr_stream_create(r.conn[0], nullptr, r.cq, 4, &s), -EINVAL);
    CHECK_ERR(mr_stream_create(r.conn[0], r.pd, nullptr, 4, &s), -EINVAL);
    CHECK_ERR(mr_stream_create(r.conn[0], r.pd, r.cq, 0, &s), -EINVAL);
    CHECK_ERR(mr_stream_create(r.conn[0], r.pd, r.cq, MR_DEPTH_MAX + 1, &s), -EINVAL);
    CHECK_ERR(mr_stream_create(r.conn[0], r.pd, r.cq, 4, nullptr), -EINVAL);
    fake.map_fails = true;
    CHECK_ERR(mr_stream_create(r.conn[0], r.pd, r.cq, 4, &s), -ENOSPC);
    CU_ASSERT_PTR_NULL(s);
    CU_ASSERT_EQUAL(mr_stream_number(nullptr), 0xffffff);
    rig_close(&r);
}

static void create__all_numbers(void)
{
    struct mr_stream *s[30], *one;
    struct mr_conn_addr addr;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    for (int i = 0; i < 30; i++)
        CU_ASSERT_EQUAL_FATAL(mr_stream_create(r.conn[0], r.pd, r.cq, 1, &s[i]), 0);
    CHECK_ERR(mr_stream_create(r.conn[0], r.pd, r.cq, 1, &one), -ENOSPC);
    CU_ASSERT_EQUAL(mr_conn_local(r.conn[0], &addr), 0);
    CU_ASSERT_EQUAL(addr.nstreams, 31);
    for (int i = 0; i < 30; i++)
        CU_ASSERT_EQUAL(addr.stream[i + 1], mr_stream_number(s[i]));
    rig_close(&r);
}

static void connect__entry(void)
{
    struct mr_stream *s;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_stream_create(r.conn[0], r.pd, r.cq, 100, &s), 0);
    CU_ASSERT_EQUAL(mr_stream_connect(s, 0x123456), 0);
    struct mr_stream_row row = mr_stream_get(fake_entry(MR_TBL_STREAM, mr_stream_number(s)));
    CU_ASSERT_EQUAL((unsigned)row.state, 1);
    CU_ASSERT_EQUAL((unsigned)row.sq_log2, 7);
    CU_ASSERT_EQUAL((unsigned)row.conn, mr_conn_number(r.conn[0]) & 0xffff);
    CU_ASSERT_EQUAL((unsigned)row.peer, 0x123456);
    CU_ASSERT_EQUAL((uint64_t)row.sq_base & 4095, 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(s), 0);
    row = mr_stream_get(fake_entry(MR_TBL_STREAM, 2));
    CU_ASSERT_EQUAL((unsigned)row.state, 0);
    rig_close(&r);
}

static void create__bad_attr(void)
{
    struct mr_stream_attr a;
    struct mr_stream *s = nullptr;
    struct rig r;

    fake.sges = 9;
    if (!rig_open(&r, 4, 16))
        return;
    const struct mr_stream_attr ok = {.pd = r.pd, .cq = r.cq, .depth = 4, .max_sge = 9, .max_inline = 448};
    CHECK_ERR(mr_stream_create_attr(r.conn[0], nullptr, &s), -EINVAL);
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &ok, nullptr), -EINVAL);
    a = ok, a.pd = nullptr;
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &a, &s), -EINVAL);
    a = ok, a.cq = nullptr;
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &a, &s), -EINVAL);
    a = ok, a.depth = 0;
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &a, &s), -EINVAL);
    a = ok, a.depth = MR_DEPTH_MAX + 1;
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &a, &s), -EINVAL);
    a = ok, a.max_sge = 10;
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &a, &s), -EINVAL);
    a = ok, a.max_inline = 449;
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &a, &s), -EINVAL);
    for (size_t i = 0; i < sizeof a.rsvd; i++) {
        a = ok, a.rsvd[i] = 1;
        CHECK_ERR(mr_stream_create_attr(r.conn[0], &a, &s), -EINVAL);
    }
    CU_ASSERT_PTR_NULL(s);
    CU_ASSERT_EQUAL(mr_stream_create_attr(r.conn[0], &ok, &s), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(s), 0);
    rig_close(&r);
}

/* Entry sizes at their edges, and every field of the table entry. */
static void connect__all_fields(void)
{
    static const struct {
        uint8_t sge;
        uint16_t in_entry;
        uint8_t stride;
    } row[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 1}, {5, 0, 1}, {6, 0, 2}, {13, 0, 2}, {14, 0, 3}, {16, 0, 3},
               {1, 1, 1}, {1, 64, 1}, {1, 65, 2}, {1, 192, 2}, {1, 193, 3}, {1, 448, 3}, {6, 64, 2}, {5, 65, 2}};
    struct mr_rq_attr ra = {.depth = 2};
    struct mr_stream *s;
    struct mr_cq *rcq;
    struct mr_rq *rq;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_cq_create(r.dev, 8, &rcq), 0);
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(r.pd, &ra, &rq), 0);
    for (uint32_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct mr_stream_attr a = {.pd = r.pd, .cq = r.cq, .rcq = i & 1 ? rcq : nullptr,
            .rq = i & 2 ? rq : nullptr, .depth = i ? i * 17 : 32768, .max_sge = row[i].sge,
            .max_inline = row[i].in_entry, .rnr_max = (uint8_t)(i * 17), .weight = (uint8_t)i};
        CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[1], &a, &s), 0);
        CU_ASSERT_EQUAL_FATAL(mr_stream_connect(s, 0x654321 + i), 0);
        struct mr_stream_row e = mr_stream_get(fake_entry(MR_TBL_STREAM, mr_stream_number(s)));
        CU_ASSERT_EQUAL((unsigned)e.state, 1);
        CU_ASSERT_EQUAL(1u << (unsigned)e.sq_log2 >= a.depth, 1);
        CU_ASSERT_EQUAL((1u << (unsigned)e.sq_log2) / 2 < a.depth, 1);
        CU_ASSERT_EQUAL((unsigned)e.conn, mr_conn_number(r.conn[1]) & 0xffff);
        CU_ASSERT_EQUAL((unsigned)e.peer, 0x654321 + i);
        CU_ASSERT_EQUAL((unsigned)e.weight, i ? i : 1);
        CU_ASSERT_EQUAL((unsigned)e.pd, 1);
        CU_ASSERT_EQUAL((unsigned)e.cq, 0);
        CU_ASSERT_EQUAL((uint64_t)e.sq_base % 4096, 0);
        CU_ASSERT_EQUAL((unsigned)e.sq_stride, row[i].stride);
        CU_ASSERT_EQUAL((unsigned)e.rnr_max, i * 17);
        CU_ASSERT_EQUAL((unsigned)e.rq, i & 2 ? 0 : MR_RQ_NONE);
        CU_ASSERT_EQUAL((unsigned)e.rcq, i & 1);
        CU_ASSERT_EQUAL((uint64_t)e.rsvd1, 0);
        CU_ASSERT_EQUAL(mr_stream_destroy(s), 0);
    }
    rig_close(&r);
}

static void connect__bad_order(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_write w;
    struct mr_conn *c;
    struct mr_stream *s;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(r.dev, &attr, &c), 0);
    CU_ASSERT_EQUAL_FATAL(mr_stream_create(c, r.pd, r.cq, 4, &s), 0);
    CHECK_ERR(mr_stream_connect(s, 0), -ENOTCONN);
    w = rig_write(&r, 0, 0, 64, MR_POST_SIGNALED);
    CHECK_ERR(mr_post_write(s, &w), -ENOTCONN);
    CHECK_ERR(mr_stream_connect(nullptr, 0), -EINVAL);
    struct mr_stream *refused;
    CU_ASSERT_EQUAL_FATAL(mr_stream_create(r.conn[0], r.pd, r.cq, 4, &refused), 0);
    fake.table_refuse = MR_TBL_STREAM;
    CHECK_ERR(mr_stream_connect(refused, 0), -EREMOTEIO);
    fake.table_refuse = 0;
    CHECK_ERR(mr_post_write(refused, &w), -ENOTCONN);
    CU_ASSERT_EQUAL(mr_stream_connect(refused, 0), 0);
    CHECK_ERR(mr_stream_connect(r.stream[0], 0xffffff), -EINVAL);
    CHECK_ERR(mr_stream_connect(r.stream[0], 0), -EISCONN);
    CU_ASSERT_EQUAL(mr_stream_destroy(s), 0);
    rig_close(&r);
}

static void destroy__in_use(void)
{
    struct mr_wc wc;
    struct rig r;

    fake.hold = true;
    if (!rig_open(&r, 4, 16))
        return;
    struct mr_write w = rig_write(&r, 0, 0, 64, MR_POST_SIGNALED);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    CHECK_ERR(mr_stream_destroy(r.stream[0]), -EBUSY);
    fake_run(1);
    CHECK_ERR(mr_stream_destroy(r.stream[0]), -EBUSY);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(nullptr), 0);
    rig_close(&r);
}

static void bind__later(void)
{
    struct mr_stream *s;
    struct mr_rq *rq;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(r.pd, &(struct mr_rq_attr){.depth = 4}, &rq), 0);
    struct mr_stream_attr a = {.pd = r.pd, .cq = r.cq, .rq = rq, .depth = 4};
    CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(nullptr, &a, &s), 0);
    CU_ASSERT_EQUAL(mr_post_recv(rq, &(struct mr_recv_wr){.wr_id = 1}), 0);
    CHECK_ERR(mr_stream_connect(s, 1), -ENOTCONN);
    CHECK_ERR(mr_stream_bind(nullptr, r.conn[0]), -EINVAL);
    CHECK_ERR(mr_stream_bind(s, nullptr), -EINVAL);
    CU_ASSERT_EQUAL(mr_stream_bind(s, r.conn[0]), 0);
    CHECK_ERR(mr_stream_bind(s, r.conn[1]), -EISCONN);
    CU_ASSERT_EQUAL(mr_stream_connect(s, 1), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    CHECK_ERR(mr_conn_destroy(r.conn[0]), -EBUSY);  // counts as one of its streams
    CU_ASSERT_EQUAL(mr_stream_fail(s), 0);
    struct mr_wc wc;
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
    CU_ASSERT_EQUAL(mr_stream_destroy(s), 0);
    CU_ASSERT_EQUAL(mr_conn_destroy(r.conn[0]), 0);
    rig_close(&r);
}

/* Errors flush a stream without a connection as well. */
static void bind__never(void)
{
    struct mr_stream *s;
    struct mr_wc wc;
    struct mr_rq *rq;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(r.pd, &(struct mr_rq_attr){.depth = 4}, &rq), 0);
    struct mr_stream_attr a = {.pd = r.pd, .cq = r.cq, .rq = rq, .depth = 4};
    CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(nullptr, &a, &s), 0);
    CU_ASSERT_EQUAL(mr_post_recv(rq, &(struct mr_recv_wr){.wr_id = 1}), 0);
    CHECK_ERR(mr_stream_destroy(s), -EBUSY);
    CU_ASSERT_EQUAL(mr_stream_fail(s), 0);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
    CU_ASSERT_EQUAL(wc.status, MR_ERR_FLUSH);
    CU_ASSERT_EQUAL(mr_stream_destroy(s), 0);
    rig_close(&r);
}

static void reset__works_again(void)
{
    struct mr_write w;
    struct mr_wc wc;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    fake.hold = true;
    w = rig_write(&r, 1, 0, 8, MR_POST_SIGNALED);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    CHECK_ERR(mr_stream_reset(r.stream[0]), -EBUSY);
    CHECK_ERR(mr_stream_reset(nullptr), -EINVAL);
    CU_ASSERT_EQUAL(mr_stream_fail(r.stream[0]), 0);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
    uint32_t number = mr_stream_number(r.stream[0]);
    CU_ASSERT_EQUAL(mr_stream_reset(r.stream[0]), 0);
    CU_ASSERT_EQUAL(mr_stream_number(r.stream[0]), number);
    CHECK_ERR(mr_post_write(r.stream[0], &w), -ENOTCONN);
    fake.hold = false;
    CU_ASSERT_EQUAL(mr_stream_bind(r.stream[0], r.conn[0]), 0);
    CU_ASSERT_EQUAL(mr_stream_connect(r.stream[0], mr_stream_number(r.stream[1])), 0);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
    CU_ASSERT_EQUAL(wc.status, MR_ERR_OK);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    rig_close(&r);
}

static void set_rnr__entry(void)
{
    struct mr_write w;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CHECK_ERR(mr_stream_set_rnr(nullptr, 1), -EINVAL);
    CU_ASSERT_EQUAL(mr_stream_set_rnr(r.stream[0], 3), 0);
    struct mr_stream_row row = mr_stream_get(fake_entry(MR_TBL_STREAM, mr_stream_number(r.stream[0])));
    CU_ASSERT_EQUAL((unsigned)row.rnr_max, 3);
    CU_ASSERT_EQUAL((unsigned)row.peer, mr_stream_number(r.stream[1]));
    w = rig_write(&r, 1, 0, 8, MR_POST_SIGNALED);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    CHECK_ERR(mr_stream_set_rnr(r.stream[0], 4), -EBUSY);
    CU_ASSERT_EQUAL(mr_stream_fail(r.stream[1]), 0);
    CHECK_ERR(mr_stream_set_rnr(r.stream[1], 4), -EPIPE);
    rig_close(&r);
}

const struct test_row tests_stream[] = {
    {"create__bad_argument", create__bad_argument},
    {"create__all_numbers", create__all_numbers},
    {"create__bad_attr", create__bad_attr},
    {"connect__entry", connect__entry},
    {"connect__all_fields", connect__all_fields},
    {"connect__bad_order", connect__bad_order},
    {"destroy__in_use", destroy__in_use},
    {"bind__later", bind__later},
    {"bind__never", bind__never},
    {"reset__works_again", reset__works_again},
    {"set_rnr__entry", set_rnr__entry},
    {},
};
