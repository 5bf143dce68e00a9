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

const struct test_row tests_stream[] = {
    {"create__bad_argument", create__bad_argument},
    {"create__all_numbers", create__all_numbers},
    {"connect__entry", connect__entry},
    {"connect__bad_order", connect__bad_order},
    {"destroy__in_use", destroy__in_use},
    {},
};
