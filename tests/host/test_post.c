// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

#include <pthread.h>
#include <stdatomic.h>

static void write__data(void)
{
    static const struct {
        uint32_t at, n;
    } row[] = {{0, 1}, {1, 63}, {3, 64}, {5, 65}, {0, 4096}, {4095, 1}, {7, 0}, {63, 1000}};
    struct mr_wc wc;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        memset(r.to, 0, sizeof r.to);
        struct mr_write w = rig_write(&r, i, row[i].at, row[i].n, MR_POST_SIGNALED);
        CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
        CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
        CU_ASSERT_EQUAL(wc.status, MR_ERR_OK);
        CU_ASSERT_EQUAL(wc.byte_len, row[i].n);
        CU_ASSERT_EQUAL(memcmp(r.to + row[i].at, r.from + row[i].at, row[i].n), 0);
        for (uint32_t k = 0; k < RIG_BYTES; k++)
            if (k < row[i].at || k >= row[i].at + row[i].n)
                CU_ASSERT_EQUAL_FATAL(r.to[k], 0);
    }
    rig_close(&r);
}

static void write__bad_argument(void)
{
    struct mr_write w;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    const struct mr_write ok = rig_write(&r, 0, 0, 8, MR_POST_SIGNALED);
    CHECK_ERR(mr_post_write(nullptr, &ok), -EINVAL);
    CHECK_ERR(mr_post_write(r.stream[0], nullptr), -EINVAL);
    for (unsigned bit = 3; bit < 32; bit++) {
        w = ok, w.flags |= 1u << bit;
        CHECK_ERR(mr_post_write(r.stream[0], &w), -EINVAL);
    }
    w = ok, w.flags |= MR_POST_INLINE;  // the stream has no room for it
    CHECK_ERR(mr_post_write(r.stream[0], &w), -EMSGSIZE);
    w = ok, w.length = MR_LENGTH_MAX + 1;
    CHECK_ERR(mr_post_write(r.stream[0], &w), -EMSGSIZE);
    w = ok, w.length = UINT32_MAX;
    CHECK_ERR(mr_post_write(r.stream[0], &w), -EMSGSIZE);
    CU_ASSERT_EQUAL(fake_seen.sq_doorbells, 0);
    rig_close(&r);
}

/* Every kind of refusal: one completion with the reason, then the stream is in error. */
static void write__bad_keys(void)
{
    static const uint8_t expect[] = {MR_ERR_LOCAL_KEY,     MR_ERR_LOCAL_BOUNDS, MR_ERR_LOCAL_RIGHT,
                                     MR_ERR_REMOTE_KEY,    MR_ERR_REMOTE_BOUNDS,
                                     MR_ERR_REMOTE_RIGHT};
    struct mr_mr *none;
    struct mr_wc wc[2];
    struct rig r;

    for (size_t i = 0; i < sizeof expect; i++) {
        if (!rig_open(&r, 4, 16))
            return;
        CU_ASSERT_EQUAL_FATAL(mr_mr_reg(r.pd, r.to, 4096, MR_RIGHT_REMOTE_ATOMIC, &none), 0);
        struct mr_write w = rig_write(&r, i, 0, 8, 0);
        switch (i) {
        case 0: w.lkey ^= 1; break;
        case 1: w.laddr = r.from + RIG_BYTES - 7; break;
        case 2: w.lkey = mr_mr_lkey(none), w.laddr = r.to; break;
        case 3: w.rkey ^= 1; break;
        case 4: w.raddr += RIG_BYTES - 7; break;
        default: w.rkey = mr_mr_rkey(none); break;
        }
        CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
        CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 2), 1);
        CU_ASSERT_EQUAL(wc[0].wr_id, i);
        CU_ASSERT_EQUAL(wc[0].status, expect[i]);
        CHECK_ERR(mr_post_write(r.stream[0], &w), -EPIPE);
        CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
        rig_close(&r);
    }
}

static void write__late_key(void)
{
    struct mr_wc wc;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    struct mr_write w = rig_write(&r, 0, 0, 8, MR_POST_SIGNALED);
    CU_ASSERT_EQUAL(mr_mr_dereg(r.dst), 0);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
    CU_ASSERT_EQUAL(wc.status, MR_ERR_REMOTE_KEY);
    CU_ASSERT_EQUAL(r.to[0], 0);
    rig_close(&r);
}

static void write__unsignalled(void)
{
    struct mr_wc wc[4];
    struct rig r;

    if (!rig_open(&r, 4, 2))
        return;
    for (int round = 0; round < 50; round++) {
        for (unsigned i = 0; i < 4; i++) {
            struct mr_write w = rig_write(&r, i, 0, 8, i == 3 ? MR_POST_SIGNALED : 0);
            CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
        }
        CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 1);
        CU_ASSERT_EQUAL(wc[0].wr_id, 3);
    }
    struct mr_write w = rig_write(&r, 0, 0, 8, 0);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    CHECK_ERR(mr_stream_destroy(r.stream[0]), -EBUSY);
    w = rig_write(&r, 9, 0, 0, MR_POST_SIGNALED);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 1);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    rig_close(&r);
}

static void write__queue_full(void)
{
    struct mr_wc wc[8];
    struct rig r;

    fake.hold = true;
    if (!rig_open(&r, 3, 16))  // becomes 4
        return;
    struct mr_write w = rig_write(&r, 0, 0, 8, MR_POST_SIGNALED);
    for (int i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    CHECK_ERR(mr_post_write(r.stream[0], &w), -ENOSPC);
    fake_run(4);
    CHECK_ERR(mr_post_write(r.stream[0], &w), -ENOSPC);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 1), 1);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    CHECK_ERR(mr_post_write(r.stream[0], &w), -ENOSPC);
    rig_close(&r);
}

/* The completion queue is what is full; an unsignalled entry needs a place too, one for a run. */
static void write__cq_full(void)
{
    struct mr_wc wc[8];
    struct rig r;

    fake.hold = true;
    if (!rig_open(&r, 16, 4))
        return;
    struct mr_write s = rig_write(&r, 1, 0, 8, MR_POST_SIGNALED);
    struct mr_write u = rig_write(&r, 2, 0, 8, 0);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &s), 0);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[1], &s), 0);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &s), 0);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &u), 0);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &u), 0);
    CHECK_ERR(mr_post_write(r.stream[1], &s), -ENOSPC);
    CHECK_ERR(mr_post_write(r.stream[1], &u), -ENOSPC);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &s), 0);  // takes over the place of the run
    CHECK_ERR(mr_post_write(r.stream[0], &s), -ENOSPC);
    fake_run(UINT32_MAX);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 8), 4);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[1], &u), 0);
    fake_run(UINT32_MAX);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 8), 0);
    rig_close(&r);
}

/* Queue indices are 16 bits wide: go round them twice. */
static void write__index_wrap(void)
{
    struct mr_wc wc[8];
    struct rig r;

    if (!rig_open(&r, 8, 16))
        return;
    for (uint64_t id = 0; id < 140000; id++) {
        bool signaled = id % 5 == 4;
        struct mr_write w = rig_write(&r, id, 0, 1, signaled ? MR_POST_SIGNALED : 0);
        CU_ASSERT_EQUAL_FATAL(mr_post_write(r.stream[0], &w), 0);
        CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.cq, wc, 8), signaled ? 1 : 0);
        if (signaled)
            CU_ASSERT_EQUAL_FATAL(wc[0].wr_id, id);
    }
    rig_close(&r);
}

static void write__flush(void)
{
    struct mr_wc wc[16];
    struct rig r;

    fake.hold = true;
    if (!rig_open(&r, 16, 32))
        return;
    for (unsigned i = 0; i < 10; i++) {
        struct mr_write w = rig_write(&r, i, i * 8, 8, i % 3 == 2 ? MR_POST_SIGNALED : 0);
        CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    }
    struct mr_write other = rig_write(&r, 100, 0, 8, MR_POST_SIGNALED);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[1], &other), 0);
    fake.fail_status = MR_ERR_RETRY;
    fake.fail_after = 4;  // entry 4, which is not signalled
    fake_run(5);
    fake.fail_status = 0;
    fake_run(UINT32_MAX);
    // 2 succeeds, 4 fails, 5 to 9 are flushed; polls of 1 and 3 keep the order
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 1), 1);
    CU_ASSERT_EQUAL(wc[0].wr_id, 2);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 1), 1);
    CU_ASSERT_EQUAL(wc[0].wr_id, 4);
    CU_ASSERT_EQUAL(wc[0].status, MR_ERR_RETRY);
    CHECK_ERR(mr_post_write(r.stream[0], &other), -EPIPE);
    CHECK_ERR(mr_stream_destroy(r.stream[0]), -EBUSY);
    CU_ASSERT_EQUAL(mr_cq_wait(r.cq, 0), 1);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 3), 3);
    int n = mr_cq_poll(r.cq, wc + 3, 13);
    CU_ASSERT_EQUAL_FATAL(n, 3);
    for (unsigned i = 0; i < 5; i++) {
        CU_ASSERT_EQUAL(wc[i].wr_id, 5 + i);
        CU_ASSERT_EQUAL(wc[i].status, MR_ERR_FLUSH);
        CU_ASSERT_EQUAL(wc[i].opcode, MR_OP_WRITE);
        CU_ASSERT_EQUAL(wc[i].byte_len, 8);
    }
    CU_ASSERT_EQUAL(wc[5].wr_id, 100);
    CU_ASSERT_EQUAL(wc[5].status, MR_ERR_OK);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 16), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    // the places of the stream in error are free again
    for (int i = 0; i < 16; i++)
        CU_ASSERT_EQUAL(mr_post_write(r.stream[1], &other), 0);
    rig_close(&r);
}

static void write__doorbell_fails(void)
{
    struct mr_wc wc;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    fake_die();
    struct mr_write w = rig_write(&r, 0, 0, 8, MR_POST_SIGNALED);
    CHECK_ERR(mr_post_write(r.stream[0], &w), -EIO);
    CHECK_ERR(mr_cq_poll(r.cq, &wc, 1), -EIO);
    CHECK_ERR(mr_stream_destroy(r.stream[0]), -EIO);  // not busy: nothing was posted
    mr_device_close(r.dev);
}

/* Two threads post on two streams, two poll the queue they share. */

enum { SMOKE_POSTS = 20000 };
static struct rig smoke;
static atomic_uint smoke_done;
static atomic_uint smoke_wrong;

static void *smoke_post(void *arg)
{
    struct mr_stream *s = arg;

    for (uint64_t id = 0; id < SMOKE_POSTS;) {
        struct mr_write w = rig_write(&smoke, id, s == smoke.stream[0] ? 0 : 64, 16, MR_POST_SIGNALED);
        int rc = mr_post_write(s, &w);
        if (!rc)
            id++;
        else if (rc != -ENOSPC)
            atomic_fetch_add(&smoke_wrong, 1);
    }
    return nullptr;
}

static void *smoke_poll(void *arg)
{
    struct mr_wc wc[8];

    (void)arg;
    while (atomic_load(&smoke_done) < 2 * SMOKE_POSTS) {
        int n = mr_cq_poll(smoke.cq, wc, 8);
        for (int i = 0; i < n; i++)
            if (wc[i].status)
                atomic_fetch_add(&smoke_wrong, 1);
        if (n < 0)
            atomic_fetch_add(&smoke_wrong, 1);
        else
            atomic_fetch_add(&smoke_done, (unsigned)n);
    }
    return nullptr;
}

static void write__threads(void)
{
    pthread_t t[4];

    if (!rig_open(&smoke, 32, 16))
        return;
    atomic_store(&smoke_done, 0);
    pthread_create(&t[0], nullptr, smoke_post, smoke.stream[0]);
    pthread_create(&t[1], nullptr, smoke_post, smoke.stream[1]);
    pthread_create(&t[2], nullptr, smoke_poll, nullptr);
    pthread_create(&t[3], nullptr, smoke_poll, nullptr);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], nullptr);
    CU_ASSERT_EQUAL(atomic_load(&smoke_done), 2 * SMOKE_POSTS);
    CU_ASSERT_EQUAL(atomic_load(&smoke_wrong), 0);
    rig_close(&smoke);
}

const struct test_row tests_post[] = {
    {"write__data", write__data},
    {"write__bad_argument", write__bad_argument},
    {"write__bad_keys", write__bad_keys},
    {"write__late_key", write__late_key},
    {"write__unsignalled", write__unsignalled},
    {"write__queue_full", write__queue_full},
    {"write__cq_full", write__cq_full},
    {"write__index_wrap", write__index_wrap},
    {"write__flush", write__flush},
    {"write__doorbell_fails", write__doorbell_fails},
    {"write__threads", write__threads},
    {},
};
