// SPDX-License-Identifier: BSD-2-Clause
/* test_rq.c - receive queues: the table entry, posts, who may use them, shared ones. */
#include "rig.h"

static struct mr_rq_row entry_of(uint32_t index)
{
    return mr_rq_get(fake_entry(MR_TBL_RQ, index));
}

static void create__bad_argument(void)
{
    const struct mr_rq_attr ok = {.depth = 4};
    struct mr_rq_attr a;
    struct mr_rq *rq = nullptr;
    struct rig r;

    fake.sges = 12;
    if (!rig_open(&r, 4, 16))
        return;
    uint32_t maps = fake_seen.maps;
    CHECK_ERR(mr_rq_create(nullptr, &ok, &rq), -EINVAL);
    CHECK_ERR(mr_rq_create(r.pd, nullptr, &rq), -EINVAL);
    CHECK_ERR(mr_rq_create(r.pd, &ok, nullptr), -EINVAL);
    a = ok, a.depth = 0;
    CHECK_ERR(mr_rq_create(r.pd, &a, &rq), -EINVAL);
    a.depth = MR_RQ_DEPTH_MAX + 1;
    CHECK_ERR(mr_rq_create(r.pd, &a, &rq), -EINVAL);
    a = ok, a.max_sge = 13;
    CHECK_ERR(mr_rq_create(r.pd, &a, &rq), -EINVAL);
    a = ok, a.shared = 2;
    CHECK_ERR(mr_rq_create(r.pd, &a, &rq), -EINVAL);
    for (size_t i = 0; i < sizeof a.rsvd; i++) {
        a = ok, a.rsvd[i] = 1;
        CHECK_ERR(mr_rq_create(r.pd, &a, &rq), -EINVAL);
    }
    fake.table_refuse = MR_TBL_RQ;
    CHECK_ERR(mr_rq_create(r.pd, &ok, &rq), -EREMOTEIO);
    fake.table_refuse = 0;
    fake.map_fails = true;
    CHECK_ERR(mr_rq_create(r.pd, &ok, &rq), -ENOSPC);
    CU_ASSERT_PTR_NULL(rq);
    CU_ASSERT_EQUAL(fake_seen.maps, maps);
    CU_ASSERT_EQUAL(mr_rq_destroy(nullptr), 0);
    rig_close(&r);
}

static void create__entries(void)
{
    static const struct {
        uint32_t depth, log2;
        uint8_t sge, stride, shared;
    } row[] = {{1, 0, 0, 0, 0}, {2, 1, 1, 0, 1},  {3, 2, 4, 0, 0},  {5, 3, 5, 1, 1},
               {8, 3, 8, 1, 0}, {32768, 15, 9, 2, 1}, {32767, 15, 16, 2, 0}};
    struct mr_rq *rq[8];
    struct mr_pd *pd;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_pd_create(r.dev, &pd), 0);
    for (uint32_t i = 0; i < 7; i++) {
        struct mr_rq_attr a = {.depth = row[i].depth, .max_sge = row[i].sge, .shared = row[i].shared};
        CU_ASSERT_EQUAL_FATAL(mr_rq_create(pd, &a, &rq[i]), 0);
        struct mr_rq_row e = entry_of(i);
        CU_ASSERT_EQUAL((unsigned)e.state, 1);
        CU_ASSERT_EQUAL((unsigned)e.log2, row[i].log2);
        CU_ASSERT_EQUAL((unsigned)e.stride, row[i].stride);
        CU_ASSERT_EQUAL((unsigned)e.shared, row[i].shared);
        CU_ASSERT_EQUAL((unsigned)e.pd, 2);
        CU_ASSERT_EQUAL((uint64_t)e.base & 4095, 0);
        CU_ASSERT_NOT_EQUAL((uint64_t)e.base, 0);
    }
    struct mr_rq_attr a = {.depth = 1};
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(pd, &a, &rq[7]), 0);
    struct mr_rq *one;
    CHECK_ERR(mr_rq_create(pd, &a, &one), -ENOSPC);
    CHECK_ERR(mr_pd_destroy(pd), -EBUSY);
    for (uint32_t i = 0; i < 8; i++) {
        CU_ASSERT_EQUAL(mr_rq_destroy(rq[i]), 0);
        CU_ASSERT_EQUAL((unsigned)entry_of(i).state, 0);
        CU_ASSERT_EQUAL((uint64_t)entry_of(i).base, 0);
    }
    CU_ASSERT_EQUAL(mr_pd_destroy(pd), 0);
    rig_close(&r);
}

static void create__none_in_device(void)
{
    struct mr_rq_attr a = {.depth = 1};
    struct mr_caps caps;
    struct mr_rq *rq;
    struct rig r;

    fake.rqs = fake.sges = 0;
    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL(mr_device_query(r.dev, &caps), 0);
    CU_ASSERT_EQUAL(caps.rqs, 0);
    CU_ASSERT_EQUAL(caps.sges, 1);
    CHECK_ERR(mr_rq_create(r.pd, &a, &rq), -ENOSPC);
    rig_close(&r);
}

/* The receive queue's stream in the table; who may use which. */
static void stream__owners(void)
{
    struct mr_rq_attr a = {.depth = 4};
    struct mr_stream_attr sa = {};
    struct mr_stream *s[3], *one;
    struct mr_rq *own, *shared, *foreign;
    struct mr_pd *pd;
    struct mr_cq *cq, *rcq;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_pd_create(r.dev, &pd), 0);
    CU_ASSERT_EQUAL_FATAL(mr_cq_create(r.dev, 16, &cq), 0);
    CU_ASSERT_EQUAL_FATAL(mr_cq_create(r.dev, 16, &rcq), 0);
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(r.pd, &a, &own), 0);
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(pd, &a, &foreign), 0);
    a.shared = 1;
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(r.pd, &a, &shared), 0);
    sa = (struct mr_stream_attr){.pd = r.pd, .cq = cq, .rcq = rcq, .rq = foreign, .depth = 4};
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &sa, &one), -EINVAL);
    sa.rq = own;
    CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[0], &sa, &s[0]), 0);
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &sa, &one), -EBUSY);
    sa.rq = shared;
    CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[0], &sa, &s[1]), 0);
    CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[1], &sa, &s[2]), 0);
    CHECK_ERR(mr_rq_destroy(own), -EBUSY);
    CHECK_ERR(mr_cq_destroy(cq), -EBUSY);
    CHECK_ERR(mr_cq_destroy(rcq), -EBUSY);
    CHECK_ERR(mr_pd_destroy(r.pd), -EBUSY);
    CU_ASSERT_EQUAL(mr_stream_connect(s[1], 5), 0);
    struct mr_stream_row row = mr_stream_get(fake_entry(MR_TBL_STREAM, mr_stream_number(s[1])));
    CU_ASSERT_EQUAL((unsigned)row.rq, 2);
    CU_ASSERT_EQUAL((unsigned)row.cq, 1);
    CU_ASSERT_EQUAL((unsigned)row.rcq, 2);
    CU_ASSERT_EQUAL(mr_stream_destroy(s[0]), 0);
    CU_ASSERT_EQUAL(mr_rq_destroy(own), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(s[1]), 0);
    CHECK_ERR(mr_rq_destroy(shared), -EBUSY);
    CHECK_ERR(mr_cq_destroy(rcq), -EBUSY);
    CU_ASSERT_EQUAL(mr_stream_destroy(s[2]), 0);
    CU_ASSERT_EQUAL(mr_cq_destroy(cq), 0);
    CU_ASSERT_EQUAL(mr_cq_destroy(rcq), 0);
    CU_ASSERT_EQUAL(mr_rq_destroy(shared), 0);
    rig_close(&r);
}

/* Places for receives: once for each pair of a queue and its completion queue. */
static void stream__places(void)
{
    struct mr_rq_attr a = {.depth = 8, .shared = 1};
    struct mr_stream *s[4], *one;
    struct mr_rq *shared, *own;
    struct mr_cq *cq[2];
    struct mr_send_wr w = {.opcode = MR_OP_WRITE, .flags = MR_POST_SIGNALED};
    struct rig r;

    fake.hold = true;
    if (!rig_open(&r, 4, 64))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(r.pd, &a, &shared), 0);
    a.shared = 0;
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(r.pd, &a, &own), 0);
    CU_ASSERT_EQUAL_FATAL(mr_cq_create(r.dev, 16, &cq[0]), 0);
    CU_ASSERT_EQUAL_FATAL(mr_cq_create(r.dev, 4, &cq[1]), 0);
    struct mr_stream_attr sa = {.pd = r.pd, .cq = r.cq, .rcq = cq[1], .rq = shared, .depth = 4};
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &sa, &one), -ENOSPC);
    sa.rq = own;
    CHECK_ERR(mr_stream_create_attr(r.conn[0], &sa, &one), -ENOSPC);
    // A refusal has changed nothing: the queue can still be taken.
    sa.rcq = cq[0], sa.cq = cq[0];
    CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[0], &sa, &s[0]), 0);
    sa.rq = shared;
    for (int i = 1; i < 4; i++)
        CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[0], &sa, &s[i]), 0);
    // 16 places: none is left for a send.
    CU_ASSERT_EQUAL(mr_stream_connect(s[1], 0), 0);
    CHECK_ERR(mr_post_send(s[1], &w), -ENOSPC);
    CU_ASSERT_EQUAL(mr_stream_destroy(s[3]), 0);
    CHECK_ERR(mr_post_send(s[1], &w), -ENOSPC);
    CU_ASSERT_EQUAL(mr_stream_destroy(s[0]), 0);
    for (int i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(mr_post_send(s[1], &w), 0);
    fake_run(UINT32_MAX);
    struct mr_wc wc[8];
    CU_ASSERT_EQUAL(mr_cq_poll(cq[0], wc, 8), 4);
    CU_ASSERT_EQUAL(mr_stream_destroy(s[1]), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(s[2]), 0);
    sa.rcq = cq[0], sa.rq = own;
    CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[0], &sa, &s[0]), 0);
    rig_close(&r);
}

static void post__bad_argument(void)
{
    struct mr_sge sge[4] = {{.len = MR_LENGTH_MAX}, {.len = 1}, {.len = 1}, {.len = 1}};
    const struct mr_recv_wr ok = {.sge = sge, .nsge = 1};
    struct mr_recv_wr w;
    uint32_t posted = 7;
    struct rig r;

    if (!rig_open_as(&r, (struct rig_shape){.depth = 4, .cq = 16, .rq_depth = 4, .rq_sge = 3}))
        return;
    CHECK_ERR(mr_post_recv(nullptr, &ok), -EINVAL);
    CHECK_ERR(mr_post_recv(r.rq[0], nullptr), -EINVAL);
    w = ok, w.nsge = 4;
    CHECK_ERR(mr_post_recv(r.rq[0], &w), -EINVAL);
    w = ok, w.sge = nullptr;
    CHECK_ERR(mr_post_recv(r.rq[0], &w), -EINVAL);
    w = ok, w.rsvd = 1;
    CHECK_ERR(mr_post_recv(r.rq[0], &w), -EINVAL);
    w = ok, w.nsge = 2;
    CHECK_ERR(mr_post_recv(r.rq[0], &w), -EMSGSIZE);
    struct mr_recv_wr list[3] = {ok, ok, w};
    CHECK_ERR(mr_post_recv_list(r.rq[0], list, 3, &posted), -EMSGSIZE);
    CU_ASSERT_EQUAL(posted, 0);
    CU_ASSERT_EQUAL(mr_post_recv_list(r.rq[0], nullptr, 0, &posted), 0);
    CU_ASSERT_EQUAL(fake_seen.rq_doorbells, 0);
    static const unsigned char zero[64];
    CU_ASSERT_EQUAL(memcmp(fake_rq_entry(0, 0), zero, 64), 0);
    CU_ASSERT_EQUAL(mr_post_recv(r.rq[0], &ok), 0);  // 2^31 itself
    rig_close(&r);
}

/* Entries of all lists, in rings that go round; what is not used is 0. */
static void post__entries(void)
{
    uint64_t seed = 21;
    struct mr_wc wc[4];
    struct rig r;

    fake.hold = true;
    for (uint8_t max = 1; max <= 16; max++) {
        uint32_t bytes = max <= 4 ? 64 : max <= 8 ? 128 : 256;
        if (!rig_open_as(&r, (struct rig_shape){.depth = 4, .cq = 16, .rq_depth = 4, .rq_sge = max}))
            return;
        for (uint32_t i = 0; i < 60; i++) {
            struct mr_sge sge[16];
            unsigned char want[256] = {};
            uint32_t n = i % (max + 1u), k = 0;
            for (uint32_t j = 0; j < n; j++) {
                sge[j] = (struct mr_sge){.addr = r.to + j * 64, .len = rig_random(&seed) % 4 * 16, .key = rig_random(&seed)};
                if (sge[j].len)
                    mr_sge_put(want + 16 * k++, (struct mr_sge_row){.addr = (uintptr_t)sge[j].addr, .key = sge[j].key, .len = sge[j].len});
            }
            unsigned char *entry = (unsigned char *)(uintptr_t)fake_rq_entry(0, i);
            memset(entry, 0x5a, bytes);
            struct mr_recv_wr w = {.wr_id = i, .sge = sge, .nsge = n};
            CU_ASSERT_EQUAL_FATAL(mr_post_recv(r.rq[0], &w), 0);
            CU_ASSERT_EQUAL(memcmp(entry, want, bytes), 0);
            CU_ASSERT_EQUAL(fake_seen.rq_bell, i + 1);
            fake_cqe_as(0, (struct mr_cqe){.wqe = (uint16_t)i, .stream = mr_stream_number(r.stream[0]), .opcode = MR_OP_SEND, .flags = MR_CQEF_RECV});
            CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.cq, wc, 4), 1);
            CU_ASSERT_EQUAL(wc[0].wr_id, i);
        }
        rig_close(&r);
    }
}

static void post__list_and_full(void)
{
    struct mr_recv_wr w[12];
    uint32_t posted;
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, (struct rig_shape){.depth = 4, .cq = 32, .rq_depth = 7}))
        return;
    for (uint32_t i = 0; i < 12; i++)
        w[i] = (struct mr_recv_wr){.wr_id = i};
    CU_ASSERT_EQUAL(mr_post_recv_list(r.rq[1], w, 3, &posted), 0);
    CU_ASSERT_EQUAL(posted, 3);
    CHECK_ERR(mr_post_recv_list(r.rq[1], w, 12, &posted), -ENOSPC);
    CU_ASSERT_EQUAL(posted, 5);
    CU_ASSERT_EQUAL(fake_seen.rq_doorbells, 2);
    CU_ASSERT_EQUAL(fake_seen.rq_bell, 1u << 16 | 8);
    CHECK_ERR(mr_post_recv(r.rq[1], w), -ENOSPC);
    CU_ASSERT_EQUAL(fake_seen.rq_doorbells, 2);
    rig_close(&r);
}

static void post__doorbell_fails(void)
{
    struct mr_recv_wr w[2] = {};
    uint32_t posted = 9;
    struct rig r;

    if (!rig_open_as(&r, (struct rig_shape){.depth = 4, .cq = 32, .rq_depth = 4}))
        return;
    fake_die();
    CHECK_ERR(mr_post_recv_list(r.rq[0], w, 2, &posted), -EIO);
    CU_ASSERT_EQUAL(posted, 0);
    CHECK_ERR(mr_post_recv(r.rq[0], w), -EIO);
    CHECK_ERR(mr_stream_destroy(r.stream[0]), -EIO);
    CHECK_ERR(mr_rq_destroy(r.rq[0]), -EIO);
    mr_device_close(r.dev);
}

/* A queue of its own has a stream at a time, and is new for the next one. */
static void post__without_stream(void)
{
    struct mr_recv_wr w = {.wr_id = 1};
    struct mr_wc wc[4];
    struct rig r;

    if (!rig_open_as(&r, (struct rig_shape){.depth = 4, .cq = 32, .rq_depth = 4}))
        return;
    CU_ASSERT_EQUAL(mr_post_recv(r.rq[1], &w), 0);
    struct mr_send_wr s = {.opcode = MR_OP_SEND, .flags = MR_POST_SIGNALED};
    CU_ASSERT_EQUAL(mr_post_send(r.stream[0], &s), 0);
    CHECK_ERR(mr_stream_destroy(r.stream[1]), -EBUSY);  // its receive is completed, not polled
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 2);
    CU_ASSERT_EQUAL(mr_post_recv(r.rq[1], &w), 0);
    CHECK_ERR(mr_stream_destroy(r.stream[1]), -EBUSY);  // one stands
    CU_ASSERT_EQUAL(mr_stream_fail(r.stream[1]), 0);
    CHECK_ERR(mr_stream_destroy(r.stream[1]), -EBUSY);
    CHECK_ERR(mr_post_recv(r.rq[1], &w), -EPIPE);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 1);
    CU_ASSERT_EQUAL(wc[0].status, MR_ERR_FLUSH);
    uint32_t entries = fake_seen.entries;
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[1]), 0);
    CU_ASSERT_EQUAL(fake_seen.entries, entries + 2);  // closed, and opened again
    CU_ASSERT_EQUAL(fake_seen.entry[entries].table, MR_TBL_RQ);
    CU_ASSERT_EQUAL(fake_seen.entry[entries + 1].table, MR_TBL_RQ);
    CU_ASSERT_EQUAL((unsigned)entry_of(1).state, 1);
    CHECK_ERR(mr_post_recv(r.rq[1], &w), -ENOTCONN);
    struct mr_stream_attr sa = {.pd = r.pd, .cq = r.cq, .rq = r.rq[1], .depth = 4};
    CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[1], &sa, &r.stream[1]), 0);
    CU_ASSERT_EQUAL(mr_post_recv(r.rq[1], &w), 0);  // before it is connected
    CU_ASSERT_EQUAL(fake_seen.rq_bell, 1u << 16 | 1);
    CU_ASSERT_EQUAL(mr_stream_connect(r.stream[1], mr_stream_number(r.stream[0])), 0);
    rig_close(&r);
}

static void recv_cqe(uint32_t cq, uint32_t stream, uint32_t index)
{
    fake_cqe_as(cq, (struct mr_cqe){.wqe = (uint16_t)index, .stream = stream, .opcode = MR_OP_SEND,
                                    .flags = MR_CQEF_RECV, .msg = index});
}

/* Receives of a shared queue complete in any order, on any stream, to several queues. Places come
 * back in the order of the ring; 2^16 is passed; no completion queue overflows. */
static void shared__random_order(void)
{
    uint64_t seed = 22;
    struct mr_cq *cq[2];
    struct mr_stream *s[3];
    struct mr_rq *rq;
    struct rig r;
    enum { DEPTH = 16 };
    struct mr_rq_attr a = {.depth = DEPTH, .shared = 1};
    bool out[DEPTH] = {}, polled[DEPTH] = {};  // posted and not completed; not polled
    uint32_t head = 0, tail = 0;

    fake.hold = true;
    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(r.pd, &a, &rq), 0);
    CU_ASSERT_EQUAL_FATAL(mr_cq_create(r.dev, DEPTH, &cq[0]), 0);  // not one place to spare
    CU_ASSERT_EQUAL_FATAL(mr_cq_create(r.dev, DEPTH * 2, &cq[1]), 0);
    for (int i = 0; i < 3; i++) {
        struct mr_stream_attr sa = {.pd = r.pd, .cq = r.cq, .rcq = cq[i % 2], .rq = rq, .depth = 4};
        CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[0], &sa, &s[i]), 0);
        CU_ASSERT_EQUAL_FATAL(mr_stream_connect(s[i], 0), 0);
    }
    while (head < 80000) {
        for (uint32_t n = rig_random(&seed) % 6; n--;) {
            struct mr_recv_wr w = {.wr_id = head};
            int rc = mr_post_recv(rq, &w);
            CU_ASSERT_EQUAL_FATAL(rc, head - tail == DEPTH ? -ENOSPC : 0);
            if (!rc)
                out[head++ % DEPTH] = true;
        }
        for (uint32_t n = rig_random(&seed) % 6; n--;) {
            uint32_t i = tail + rig_random(&seed) % DEPTH, k = rig_random(&seed) % 3;
            if (head - tail <= i - tail || !out[i % DEPTH])
                continue;
            out[i % DEPTH] = false;
            recv_cqe(1 + k % 2, mr_stream_number(s[k]), i);
        }
        for (uint32_t k = 0; k < 2; k++) {
            struct mr_wc wc[5];
            int got = mr_cq_poll(cq[k], wc, (int)(rig_random(&seed) % 6));
            CU_ASSERT_TRUE_FATAL(got >= 0);
            for (int i = 0; i < got; i++) {
                CU_ASSERT_PTR_EQUAL(wc[i].rq, rq);
                CU_ASSERT_TRUE(wc[i].stream == s[1] ? k == 1 : k == 0);
                CU_ASSERT_FALSE_FATAL(out[wc[i].wr_id % DEPTH] || polled[wc[i].wr_id % DEPTH]);
                CU_ASSERT_EQUAL_FATAL(wc[i].msg, (uint16_t)wc[i].wr_id | (wc[i].wr_id & ~0xffffull));
                polled[wc[i].wr_id % DEPTH] = true;
            }
        }
        while (tail != head && polled[tail % DEPTH])
            polled[tail++ % DEPTH] = false;
    }
    CU_ASSERT_EQUAL(fake_seen.overruns, 0);
    rig_close(&r);
}

static void shared__destroy(void)
{
    struct mr_recv_wr w = {};
    struct mr_wc wc[4];
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, (struct rig_shape){.depth = 4, .cq = 32, .rq_depth = 4, .shared = 1}))
        return;
    for (int i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(mr_post_recv(r.rq[0], &w), 0);
    // What is not polled would be lost for the queue.
    recv_cqe(0, mr_stream_number(r.stream[1]), 1);
    CHECK_ERR(mr_stream_destroy(r.stream[1]), -EBUSY);
    CU_ASSERT_EQUAL((unsigned)mr_stream_get(fake_entry(MR_TBL_STREAM, 1)).state, 1);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 1);
    CU_ASSERT_EQUAL(mr_stream_fail(r.stream[1]), 0);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 0);  // others' receives are not flushed
    recv_cqe(0, mr_stream_number(r.stream[1]), 0);  // what it took comes back at any time
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 1);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[1]), 0);
    CU_ASSERT_EQUAL(mr_post_recv(r.rq[0], &w), 0);
    recv_cqe(0, mr_stream_number(r.stream[0]), 4);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 1);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    CU_ASSERT_EQUAL(mr_rq_destroy(r.rq[0]), 0);  // with receives in it
    rig_close(&r);
}

const struct test_row tests_rq[] = {
    {"create__bad_argument", create__bad_argument},
    {"create__entries", create__entries},
    {"create__none_in_device", create__none_in_device},
    {"stream__owners", stream__owners},
    {"stream__places", stream__places},
    {"post__bad_argument", post__bad_argument},
    {"post__entries", post__entries},
    {"post__list_and_full", post__list_and_full},
    {"post__doorbell_fails", post__doorbell_fails},
    {"post__without_stream", post__without_stream},
    {"shared__random_order", shared__random_order},
    {"shared__destroy", shared__destroy},
    {},
};
