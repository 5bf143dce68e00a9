// SPDX-License-Identifier: BSD-2-Clause
/* test_complete.c - what completes how: receives, flush of both sides, entries that make no sense. */
#include "rig.h"

#include <pthread.h>
#include <stdatomic.h>

static const struct rig_shape both = {.depth = 8, .cq = 64, .rcq = 64, .rq_depth = 8};

static void post_recvs(struct mr_rq *rq, uint64_t first, uint32_t n, void *at, uint32_t len, uint32_t key)
{
    for (uint32_t i = 0; i < n; i++) {
        struct mr_sge sge = {.addr = at, .len = len, .key = key};
        struct mr_recv_wr w = {.wr_id = first + i, .sge = &sge, .nsge = 1};
        CU_ASSERT_EQUAL(mr_post_recv(rq, &w), 0);
    }
}

static void post_sends(struct mr_stream *s, uint64_t first, uint32_t n, uint32_t flags)
{
    for (uint32_t i = 0; i < n; i++) {
        struct mr_send_wr w = {.wr_id = first + i, .opcode = MR_OP_SEND, .flags = flags};
        CU_ASSERT_EQUAL(mr_post_send(s, &w), 0);
    }
}

static void post_writes(struct mr_stream *s, uint64_t first, uint32_t n, uint32_t flags)
{
    for (uint32_t i = 0; i < n; i++) {
        struct mr_send_wr w = {.wr_id = first + i, .opcode = MR_OP_WRITE, .flags = flags};
        CU_ASSERT_EQUAL(mr_post_send(s, &w), 0);
    }
}

static struct mr_cqe recv_entry(const struct mr_stream *s, uint32_t index, uint32_t len)
{
    return (struct mr_cqe){.wqe = (uint16_t)index, .stream = mr_stream_number(s), .opcode = MR_OP_SEND,
                           .flags = MR_CQEF_RECV, .byte_len = len};
}

static void recv__fields(void)
{
    struct mr_wc wc;
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, both))
        return;
    post_recvs(r.rq[0], 0x1122334455667788, 1, r.to, 64, 1);
    struct mr_cqe e = recv_entry(r.stream[0], 0, 63);
    e.opcode = MR_OP_SEND_IMM, e.flags |= MR_CQEF_IMM | MR_CQEF_SOLICITED;
    e.imm = 0xabcdef01, e.time = 0x123456789abc, e.msg = 77;
    fake_cqe_as(1, e);
    memset(&wc, 0xff, sizeof wc);
    CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.rcq, &wc, 1), 1);
    CU_ASSERT_EQUAL(wc.wr_id, 0x1122334455667788);
    CU_ASSERT_PTR_EQUAL(wc.stream, r.stream[0]);
    CU_ASSERT_PTR_EQUAL(wc.rq, r.rq[0]);
    CU_ASSERT_EQUAL(wc.byte_len, 63);
    CU_ASSERT_EQUAL(wc.status, MR_ERR_OK);
    CU_ASSERT_EQUAL(wc.opcode, MR_OP_SEND_IMM);
    CU_ASSERT_EQUAL(wc.flags, MR_WC_RECV | MR_WC_IMM | MR_WC_SOLICITED);
    CU_ASSERT_EQUAL(wc.imm, 0xabcdef01);
    CU_ASSERT_EQUAL(wc.time, 0x123456789abc);
    CU_ASSERT_EQUAL(wc.msg, 77);
    CU_ASSERT_EQUAL(wc.rsvd, 0);
    // A status does not end the stream: the key was not the peer's to invalidate.
    post_recvs(r.rq[0], 5, 2, r.to, 64, 1);
    e = recv_entry(r.stream[0], 1, 64);
    e.opcode = MR_OP_SEND_INV, e.status = MR_ERR_REMOTE_KEY, e.imm = 0x42;
    fake_cqe_as(1, e);
    // A Write with immediate is longer than the receive: it went elsewhere.
    e = recv_entry(r.stream[0], 2, 65);
    e.opcode = MR_OP_WRITE_IMM, e.flags |= MR_CQEF_IMM;
    fake_cqe_as(1, e);
    CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.rcq, &wc, 1), 1);
    CU_ASSERT_EQUAL(wc.status, MR_ERR_REMOTE_KEY);
    CU_ASSERT_EQUAL(wc.imm, 0x42);
    CU_ASSERT_EQUAL(wc.flags, MR_WC_RECV);
    CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.rcq, &wc, 1), 1);
    CU_ASSERT_EQUAL(wc.byte_len, 65);
    post_sends(r.stream[0], 0, 1, MR_POST_SIGNALED);
    post_recvs(r.rq[0], 8, 1, r.to, 64, 1);
    rig_close(&r);
}

/* 2^16 is passed, with the same ring for everything and no place to spare. */
static void recv__index_wrap(void)
{
    struct mr_wc wc[8];
    struct rig r;

    if (!rig_open_as(&r, (struct rig_shape){.depth = 4, .cq = 16, .rcq = 16, .rq_depth = 8}))
        return;
    for (uint64_t id = 0; id < 70000; id += 4) {
        post_recvs(r.rq[1], id, 4, nullptr, 0, 0);
        post_sends(r.stream[0], id, 4, MR_POST_SIGNALED);
        CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.cq, wc, 8), 4);
        CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.rcq, wc, 8), 4);
        CU_ASSERT_EQUAL_FATAL(wc[3].wr_id, id + 3);
    }
    CU_ASSERT_EQUAL(fake_seen.overruns, 0);
    rig_close(&r);
}

/* A ring that is full of receives: each that is taken is told before its place is used again. */
static void recv__full_ring(void)
{
    struct mr_wc wc;
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, (struct rig_shape){.depth = 4, .cq = 4, .rcq = 16, .rq_depth = 8}))
        return;
    for (uint32_t k = 0; k < 2; k++) {
        post_recvs(r.rq[k], 0, 8, nullptr, 0, 0);
        for (uint32_t i = 0; i < 8; i++)
            fake_cqe_as(1, recv_entry(r.stream[k], i, 0));
    }
    for (uint32_t i = 0; i < 50; i++) {
        CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, &wc, 1), 1);
        CU_ASSERT_EQUAL(wc.wr_id, i / 16 * 8 + i % 8);
        uint32_t k = wc.stream == r.stream[1];
        post_recvs(wc.rq, wc.wr_id + 8, 1, nullptr, 0, 0);
        fake_cqe_as(1, recv_entry(r.stream[k], (uint32_t)wc.wr_id + 8, 0));
    }
    CU_ASSERT_EQUAL(fake_seen.overruns, 0);
    rig_close(&r);
}

static void recv__bad_entries(void)
{
    struct mr_wc wc[8];
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, both))
        return;
    post_recvs(r.rq[0], 0, 3, r.to, 64, 1);
    struct mr_cqe ok = recv_entry(r.stream[0], 0, 64), bad[16];
    uint32_t n = 0;
    bad[n] = ok, bad[n++].wqe = 1;                        // out of order
    bad[n] = ok, bad[n++].wqe = 3;                        // not posted
    bad[n] = ok, bad[n++].wqe = 0xffff;
    bad[n] = ok, bad[n++].stream = mr_stream_number(r.stream[1]);  // has none posted
    bad[n] = ok, bad[n++].stream = 31;
    bad[n] = ok, bad[n++].stream = 0xffffff;
    bad[n] = ok, bad[n++].byte_len = 65;                  // longer than the receive
    bad[n] = ok, bad[n++].opcode = MR_OP_WRITE;
    bad[n] = ok, bad[n++].opcode = MR_OP_READ;
    bad[n] = ok, bad[n++].flags = 0;                      // no send of this queue
    bad[n] = ok, bad[n].opcode = MR_OP_WRITE_IMM, bad[n++].byte_len = 0x80000001;
    for (uint32_t i = 0; i < n; i++) {
        fake_cqe_as(1, bad[i]);
        CHECK_ERR(mr_cq_poll(r.rcq, wc, 8), -EBADMSG);
        CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, wc, 8), 0);
    }
    fake_cqe_as(0, ok);  // the wrong queue
    CHECK_ERR(mr_cq_poll(r.cq, wc, 8), -EBADMSG);
    for (uint32_t i = 0; i < 3; i++) {
        ok.wqe = (uint16_t)i;
        fake_cqe_as(1, ok);
    }
    fake_cqe_as(1, ok);  // twice
    CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, wc, 8), 3);
    CU_ASSERT_EQUAL(wc[2].wr_id, 2);
    CHECK_ERR(mr_cq_poll(r.rcq, wc, 8), -EBADMSG);
    rig_close(&r);
}

/* Entries of random bits among those that are right: each is refused or plausible, and never does
 * the library touch anything that is not posted. A twin follows what it took. */
static void entries__fuzz(void)
{
    uint64_t seed = 31;
    struct mr_wc wc[4];
    struct rig r;
    uint32_t bad = 0, taken = 0;

    fake.hold = true;
    for (uint32_t round = 0; round < 300; round++) {
        struct rig_shape shape = {.depth = 8, .cq = 64, .rq_depth = 8, .shared = round & 1};
        if (!rig_open_as(&r, shape))
            return;
        bool send_out[8] = {}, recv_out[2][8] = {};
        for (uint32_t i = 0; i < 8; i++) {
            struct mr_send_wr w = {.wr_id = i, .opcode = MR_OP_WRITE, .flags = rig_random(&seed) % 2};
            CU_ASSERT_EQUAL(mr_post_send(r.stream[0], &w), 0);
            send_out[i] = true;
            for (uint32_t k = 0; k < 2 - shape.shared; k++)
                post_recvs(r.rq[k], 100 + 100 * k + i, 1, r.to, 64, 1), recv_out[k][i] = true;
        }
        for (uint32_t i = 0; i < 60; i++) {
            struct mr_cqe e = {
                .wqe = (uint16_t)(rig_random(&seed) % (i & 1 ? 10 : 0x10000)),
                .stream = rig_random(&seed) % (i & 2 ? 3 : 0x1000000),
                .opcode = (uint8_t)(rig_random(&seed) % (i & 4 ? 8 : 256)),
                .status = (uint8_t)(rig_random(&seed) % 20 ? 0 : rig_random(&seed)),
                .flags = (uint8_t)rig_random(&seed),
                .byte_len = rig_random(&seed) % (i & 8 ? 80 : 0x7fffffff),
                .imm = rig_random(&seed),
            };
            if (i % 3 == 1)
                e = recv_entry(r.stream[rig_random(&seed) % 2], rig_random(&seed) % 9, rig_random(&seed) % 80);
            if (i % 6 == 2)
                e = (struct mr_cqe){.wqe = (uint16_t)(rig_random(&seed) % 9)};
            fake_cqe_as(0, e);
            int got;
            while ((got = mr_cq_poll(r.cq, wc, 4)) != 0) {
                bad += got == -EBADMSG;
                CU_ASSERT_TRUE_FATAL(got > 0 || got == -EBADMSG);
                for (int k = 0; k < got; k++, taken++) {
                    bool recv = wc[k].flags & MR_WC_RECV;
                    bool *out = recv ? &recv_out[wc[k].wr_id / 100 - 1][wc[k].wr_id % 100]
                                     : &send_out[wc[k].wr_id];
                    CU_ASSERT_TRUE_FATAL(*out);
                    *out = false;
                    CU_ASSERT_EQUAL(recv, wc[k].rq != nullptr);
                    if (recv && !wc[k].status && wc[k].opcode != MR_OP_WRITE_IMM)
                        CU_ASSERT_TRUE(wc[k].byte_len <= 64);
                }
            }
        }
        rig_close(&r);
    }
    CU_ASSERT_TRUE(bad > 1000);
    CU_ASSERT_TRUE(taken > 1000);
}

/* A send fails: first the device is told to stop, then both sides are flushed, each in its queue. */
static void flush__after_error(void)
{
    struct mr_wc wc[16];
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, both))
        return;
    post_recvs(r.rq[0], 100, 5, r.to, 64, 1);
    post_recvs(r.rq[1], 200, 2, r.to, 64, 1);
    post_writes(r.stream[0], 0, 6, MR_POST_SIGNALED);
    fake_cqe_as(1, recv_entry(r.stream[0], 0, 1));
    fake.fail_status = MR_ERR_RETRY;
    fake.fail_after = 1;
    fake_run(2);
    fake.fail_status = 0;
    // The receive side does not know yet.
    CU_ASSERT_EQUAL((unsigned)mr_stream_get(fake_entry(MR_TBL_STREAM, 0)).state, 1);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 2), 2);
    CU_ASSERT_EQUAL(wc[0].status, MR_ERR_OK);
    CU_ASSERT_EQUAL(wc[1].status, MR_ERR_RETRY);
    CU_ASSERT_EQUAL((unsigned)mr_stream_get(fake_entry(MR_TBL_STREAM, 0)).state, 0);
    CHECK_ERR(mr_post_recv(r.rq[0], &(struct mr_recv_wr){}), -EPIPE);
    CHECK_ERR(mr_post_send(r.stream[0], &(struct mr_send_wr){.opcode = MR_OP_SEND}), -EPIPE);
    CHECK_ERR(mr_stream_destroy(r.stream[0]), -EBUSY);
    CU_ASSERT_EQUAL(mr_cq_wait(r.cq, 0), 1);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 16), 4);
    for (uint32_t i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(wc[i].wr_id, 2 + i);
        CU_ASSERT_EQUAL(wc[i].status, MR_ERR_FLUSH);
        CU_ASSERT_EQUAL(wc[i].flags, 0);
    }
    CHECK_ERR(mr_stream_destroy(r.stream[0]), -EBUSY);
    // The one that had completed says so, then the flushed ones, in small helpings.
    CU_ASSERT_EQUAL(mr_cq_wait(r.rcq, 0), 1);
    CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, wc, 1), 1);
    CU_ASSERT_EQUAL(wc[0].wr_id, 100);
    CU_ASSERT_EQUAL(wc[0].status, MR_ERR_OK);
    CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, wc, 3), 3);
    CU_ASSERT_EQUAL(mr_cq_wait(r.rcq, 0), 1);
    CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, wc + 3, 3), 1);
    for (uint32_t i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(wc[i].wr_id, 101 + i);
        CU_ASSERT_EQUAL(wc[i].status, MR_ERR_FLUSH);
        CU_ASSERT_EQUAL(wc[i].flags, MR_WC_RECV);
        CU_ASSERT_EQUAL(wc[i].byte_len, 0);
        CU_ASSERT_PTR_EQUAL(wc[i].rq, r.rq[0]);
        CU_ASSERT_PTR_EQUAL(wc[i].stream, r.stream[0]);
    }
    CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, wc, 3), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    CU_ASSERT_EQUAL(mr_rq_destroy(r.rq[0]), 0);
    // The other stream has all of its own.
    fake_cqe_as(1, recv_entry(r.stream[1], 0, 1));
    CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, wc, 3), 1);
    rig_close(&r);
}

/* One poll gives the reason and what was flushed on both sides, if they share the queue. */
static void flush__one_poll(void)
{
    struct mr_wc wc[16];
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, (struct rig_shape){.depth = 8, .cq = 64, .rq_depth = 8}))
        return;
    post_recvs(r.rq[0], 100, 3, r.to, 64, 1);
    post_sends(r.stream[0], 0, 3, 0);
    fake_cqe(0, mr_stream_number(r.stream[0]), 0, MR_ERR_BUS);
    CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.cq, wc, 16), 6);
    CU_ASSERT_EQUAL(wc[0].status, MR_ERR_BUS);
    CU_ASSERT_EQUAL(wc[2].wr_id, 2);
    CU_ASSERT_EQUAL(wc[3].wr_id, 100);
    fake_cqe(0, mr_stream_number(r.stream[0]), 1, MR_ERR_OK);  // dropped: it came late
    fake_cqe_as(0, recv_entry(r.stream[0], 0, 4));
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 16), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    rig_close(&r);
}

/* The program ends it: what completed before says so; what comes late is dropped; no post, no connect. */
static void fail__by_program(void)
{
    struct mr_wc wc[16];
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, both))
        return;
    uint32_t s = mr_stream_number(r.stream[0]);
    CHECK_ERR(mr_stream_fail(nullptr), -EINVAL);
    post_recvs(r.rq[0], 100, 4, r.to, 64, 1);
    post_sends(r.stream[0], 0, 2, 0);
    post_sends(r.stream[0], 2, 3, MR_POST_SIGNALED);
    fake_cqe(0, s, 2, MR_ERR_OK);
    fake_cqe_as(1, recv_entry(r.stream[0], 0, 1));
    CU_ASSERT_EQUAL(mr_stream_fail(r.stream[0]), 0);
    CU_ASSERT_EQUAL(mr_stream_fail(r.stream[1]), 0);  // has nothing to flush
    struct mr_stream_row row = mr_stream_get(fake_entry(MR_TBL_STREAM, s));
    CU_ASSERT_EQUAL((unsigned)row.state, 0);
    CU_ASSERT_EQUAL((uint64_t)row.sq_base, 0);
    fake_cqe(0, s, 3, MR_ERR_OK);
    fake_cqe_as(1, recv_entry(r.stream[0], 1, 1));
    CHECK_ERR(mr_post_send(r.stream[0], &(struct mr_send_wr){.opcode = MR_OP_SEND}), -EPIPE);
    CHECK_ERR(mr_post_recv(r.rq[0], &(struct mr_recv_wr){}), -EPIPE);
    CHECK_ERR(mr_stream_connect(r.stream[0], 1), -EPIPE);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 16), 3);
    CU_ASSERT_EQUAL(wc[0].wr_id, 2);
    CU_ASSERT_EQUAL(wc[0].status, MR_ERR_OK);
    for (uint32_t i = 1; i < 3; i++) {
        CU_ASSERT_EQUAL(wc[i].wr_id, 2 + i);
        CU_ASSERT_EQUAL(wc[i].status, MR_ERR_FLUSH);
    }
    CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, wc, 16), 4);
    CU_ASSERT_EQUAL(wc[0].status, MR_ERR_OK);
    CU_ASSERT_EQUAL(wc[3].wr_id, 103);
    CU_ASSERT_EQUAL(wc[3].status, MR_ERR_FLUSH);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 16), 0);
    CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, wc, 16), 0);
    CU_ASSERT_EQUAL(mr_stream_fail(r.stream[0]), 0);  // again
    CU_ASSERT_EQUAL(mr_cq_wait(r.cq, 0), 0);
    CU_ASSERT_EQUAL(mr_cq_wait(r.rcq, 0), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[1]), 0);
    rig_close(&r);
}

/* An error that the device told before the call is the reason; all kinds of streams. */
static void fail__behind_error(void)
{
    struct mr_wc wc[16];
    struct rig r;

    fake.hold = true;
    for (uint32_t rq_depth = 0; rq_depth <= 8; rq_depth += 8) {
        if (!rig_open_as(&r, (struct rig_shape){.depth = 8, .cq = 64, .rq_depth = rq_depth}))
            return;
        post_sends(r.stream[0], 0, 4, 0);
        fake_cqe(0, mr_stream_number(r.stream[0]), 1, MR_ERR_RNR);
        CU_ASSERT_EQUAL(mr_stream_fail(r.stream[0]), 0);
        CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 16), 3);
        CU_ASSERT_EQUAL(wc[0].wr_id, 1);
        CU_ASSERT_EQUAL(wc[0].status, MR_ERR_RNR);
        CU_ASSERT_EQUAL(wc[1].wr_id, 2);
        CU_ASSERT_EQUAL(wc[2].status, MR_ERR_FLUSH);
        // After the fact: nothing more to say, but the device is stopped.
        post_sends(r.stream[1], 0, 2, 0);
        fake_cqe(0, mr_stream_number(r.stream[1]), 0, MR_ERR_RNR);
        CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 16), 2);
        CU_ASSERT_EQUAL((unsigned)mr_stream_get(fake_entry(MR_TBL_STREAM, 1)).state, !rq_depth);
        CU_ASSERT_EQUAL(mr_stream_fail(r.stream[1]), 0);
        CU_ASSERT_EQUAL((unsigned)mr_stream_get(fake_entry(MR_TBL_STREAM, 1)).state, 0);
        CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 16), 0);
        for (int i = 0; i < 2; i++)
            CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[i]), 0);
        rig_close(&r);
    }
}

static void fail__not_connected(void)
{
    struct mr_rq_attr a = {.depth = 4};
    struct mr_stream *s;
    struct mr_wc wc[4];
    struct mr_rq *rq;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_rq_create(r.pd, &a, &rq), 0);
    struct mr_stream_attr sa = {.pd = r.pd, .cq = r.cq, .rq = rq, .depth = 4};
    CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[0], &sa, &s), 0);
    post_recvs(rq, 1, 2, r.to, 8, 1);
    fake_cqe_as(0, recv_entry(s, 0, 1));  // no message can have come
    CHECK_ERR(mr_cq_poll(r.cq, wc, 4), -EBADMSG);
    uint32_t entries = fake_seen.entries;
    CU_ASSERT_EQUAL(mr_stream_fail(s), 0);
    CU_ASSERT_EQUAL(fake_seen.entries, entries);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 2);
    CHECK_ERR(mr_stream_connect(s, 0), -EPIPE);
    CU_ASSERT_EQUAL(mr_stream_destroy(s), 0);
    rig_close(&r);
}

/* A device that does not answer: the error is told, the entries come back all the same. */
static void fail__device_refuses(void)
{
    struct mr_wc wc[4];
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, both))
        return;
    post_recvs(r.rq[0], 1, 2, r.to, 8, 1);
    post_sends(r.stream[0], 1, 2, 0);
    fake.table_refuse = MR_TBL_STREAM;
    CHECK_ERR(mr_stream_fail(r.stream[0]), -EREMOTEIO);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 2);
    CU_ASSERT_EQUAL(mr_cq_poll(r.rcq, wc, 4), 2);
    fake.table_refuse = 0;
    CU_ASSERT_EQUAL(mr_stream_fail(r.stream[0]), 0);
    CU_ASSERT_EQUAL((unsigned)mr_stream_get(fake_entry(MR_TBL_STREAM, 0)).state, 0);
    rig_close(&r);
}

/* Two threads send, two repost receives and poll, one ends it all. */

enum { SMOKE_POSTS = 10000 };
static struct rig smoke;
static atomic_uint smoke_sent, smoke_got, smoke_flushed, smoke_wrong;

static void *smoke_send(void *arg)
{
    struct mr_stream *s = arg;
    uint32_t n = 0;

    while (n < SMOKE_POSTS) {
        struct mr_send_wr w[3] = {{.opcode = MR_OP_SEND, .flags = MR_POST_SIGNALED},
                                  {.opcode = MR_OP_SEND_IMM},
                                  {.opcode = MR_OP_SEND, .flags = MR_POST_SIGNALED}};
        uint32_t posted;
        int rc = mr_post_send_list(s, w, 3, &posted);
        n += posted;
        if (rc && rc != -ENOSPC)
            atomic_fetch_add(&smoke_wrong, 1);
    }
    atomic_fetch_add(&smoke_sent, n);
    return nullptr;
}

static void *smoke_poll(void *arg)
{
    struct mr_wc wc[8];

    while (atomic_load(&smoke_flushed) < 16 && !atomic_load(&smoke_wrong)) {
        int n = mr_cq_poll(arg, wc, 8);
        if (n < 0)
            atomic_fetch_add(&smoke_wrong, 1);
        for (int i = 0; i < n; i++) {
            if (!(wc[i].flags & MR_WC_RECV)) {
                // The last one may have been posted unsignalled.
                atomic_fetch_add(&smoke_wrong, wc[i].status != MR_ERR_OK && wc[i].status != MR_ERR_FLUSH);
                continue;
            }
            if (wc[i].status == MR_ERR_FLUSH) {
                atomic_fetch_add(&smoke_flushed, 1);
                continue;
            }
            int rc = mr_post_recv(wc[i].rq, &(struct mr_recv_wr){});
            if (rc)
                atomic_fetch_add(&smoke_wrong, 1);
            atomic_fetch_add(&smoke_got, 1);
        }
    }
    return nullptr;
}

static void threads__all(void)
{
    pthread_t t[4];

    if (!rig_open_as(&smoke, (struct rig_shape){.depth = 32, .cq = 64, .rcq = 16, .rq_depth = 8}))
        return;
    atomic_store(&smoke_sent, 0), atomic_store(&smoke_got, 0);
    atomic_store(&smoke_flushed, 0), atomic_store(&smoke_wrong, 0);
    for (int i = 0; i < 2; i++)
        post_recvs(smoke.rq[i], 0, 8, nullptr, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], nullptr, smoke_send, smoke.stream[i]);
    pthread_create(&t[2], nullptr, smoke_poll, smoke.cq);
    pthread_create(&t[3], nullptr, smoke_poll, smoke.rcq);
    pthread_join(t[0], nullptr);
    pthread_join(t[1], nullptr);
    while (atomic_load(&smoke_got) < atomic_load(&smoke_sent) && !atomic_load(&smoke_wrong))
        sched_yield();
    // All receives stand again; both poll threads are running still.
    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(mr_stream_fail(smoke.stream[i]), 0);
    pthread_join(t[2], nullptr);
    pthread_join(t[3], nullptr);
    CU_ASSERT_EQUAL(atomic_load(&smoke_wrong), 0);
    CU_ASSERT_EQUAL(atomic_load(&smoke_got), atomic_load(&smoke_sent));
    rig_close(&smoke);
}

const struct test_row tests_complete[] = {
    {"recv__fields", recv__fields},
    {"recv__index_wrap", recv__index_wrap},
    {"recv__full_ring", recv__full_ring},
    {"recv__bad_entries", recv__bad_entries},
    {"entries__fuzz", entries__fuzz},
    {"flush__after_error", flush__after_error},
    {"flush__one_poll", flush__one_poll},
    {"fail__by_program", fail__by_program},
    {"fail__behind_error", fail__behind_error},
    {"fail__not_connected", fail__not_connected},
    {"fail__device_refuses", fail__device_refuses},
    {"threads__all", threads__all},
    {},
};
