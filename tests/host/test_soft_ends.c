// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_soft_ends.c - how things end between two software NICs: receives that come
 * late or never, shared queues, errors, streams that are stopped while messages of
 * theirs are under way.
 */
#include "soft_pair.h"

enum { DST = SOFT_BYTES / 2, BIG = 1 << 18 };

static const struct soft_shape plain = {.rq_depth = 8};

static int send_range(unsigned at, unsigned k, uint64_t id, uint32_t from, uint32_t len)
{
    struct mr_sge sge = soft_range(at, from, len);

    return soft_send(at, k, (struct mr_send_wr){.wr_id = id, .opcode = MR_OP_SEND, .sge = &sge, .nsge = 1});
}

static int recv_range(unsigned at, unsigned k, uint64_t id, uint32_t to, uint32_t len)
{
    struct mr_sge sge = soft_range(at, to, len);

    return soft_recv(at, k, id, &sge, 1);
}

static void expect(struct mr_cq *cq, uint64_t id, uint8_t status)
{
    struct mr_wc wc = soft_next(cq);

    CU_ASSERT_EQUAL(wc.wr_id, id);
    CU_ASSERT_EQUAL(wc.status, status);
}

/* Waits until the byte at an offset is not 0, ten seconds at most. */
static bool arrived(unsigned at, uint32_t offset)
{
    for (int i = 0; i < 100000; i++) {
        if (__atomic_load_n(&soft[at].memory[offset], __ATOMIC_ACQUIRE))
            return true;
        if (mr_cq_wait(soft[at].cq, 100000) < 0)
            return false;
    }
    return false;
}

/* Ends a stream at both sides, takes what is flushed, makes and connects a new one. */
static bool stream_again(unsigned k, struct soft_shape shape)
{
    struct mr_wc wc[16];
    int rc = 0;

    for (unsigned at = 0; at < 2; at++) {
        CU_ASSERT_EQUAL(mr_stream_fail(soft[at].stream[k]), 0);
        while ((rc = mr_cq_poll(soft[at].cq, wc, 16)) > 0) {}
        CU_ASSERT_EQUAL(rc, 0);
        while ((rc = mr_cq_poll(soft[at].rcq, wc, 16)) > 0) {}
        CU_ASSERT_EQUAL(rc, 0);
        rc = mr_stream_destroy(soft[at].stream[k]);
        CU_ASSERT_EQUAL(rc, 0);
        rc = rc ? rc : soft_stream(at, k, shape);
        CU_ASSERT_EQUAL(rc, 0);
        if (rc)
            return false;
    }
    for (unsigned at = 0; at < 2 && !rc; at++)
        rc = mr_stream_connect(soft[at].stream[k], mr_stream_number(soft[!at].stream[k]));
    CU_ASSERT_EQUAL(rc, 0);
    return !rc;
}

static void late_receive(const char *faults)
{
    if (!soft_open(plain, faults))
        return;
    soft_fill(0, 0, 4096, 5);
    for (unsigned i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(send_range(0, 0, i, i * 1000, 1000), 0);
    CU_ASSERT_TRUE(soft_quiet(soft[0].cq, 3000000));
    CU_ASSERT_EQUAL(recv_range(1, 1, 9, 0, 64), 0);  // another stream does not wait
    CU_ASSERT_EQUAL(send_range(0, 1, 9, 0, 64), 0);
    expect(soft[0].cq, 9, MR_ERR_OK);
    expect(soft[1].rcq, 9, MR_ERR_OK);
    for (unsigned i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(recv_range(1, 0, 100 + i, DST + i * 1000, 1000), 0);
    for (unsigned i = 0; i < 4; i++) {
        expect(soft[0].cq, i, MR_ERR_OK);
        expect(soft[1].rcq, 100 + i, MR_ERR_OK);
    }
    soft_settle();
    CU_ASSERT_EQUAL(soft_differ(soft[0].memory, soft[1].memory + DST, 4000), 0);
    CU_ASSERT_EQUAL(soft[1].memory[DST + 4000], 0);
    soft_close();
}

static void rnr__late_receive(void)
{
    late_receive("");
}

static void rnr__late_receive_with_loss(void)
{
    late_receive("&loss=0.05&seed=3");
}

static void rnr__no_receive(void)
{
    if (!soft_open((struct soft_shape){.rq_depth = 8, .rnr_max = 3}, ""))
        return;
    CU_ASSERT_EQUAL(recv_range(0, 0, 50, 0, 64), 0);  // of the stream that fails: flushed as well
    for (unsigned i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(send_range(0, 0, i, 0, 100), 0);
    expect(soft[0].cq, 0, MR_ERR_RNR);
    expect(soft[0].cq, 1, MR_ERR_FLUSH);
    expect(soft[0].cq, 2, MR_ERR_FLUSH);
    expect(soft[0].rcq, 50, MR_ERR_FLUSH);
    CHECK_ERR(send_range(0, 0, 3, 0, 100), -EPIPE);
    CU_ASSERT_EQUAL(recv_range(1, 1, 7, DST, 64), 0);
    CU_ASSERT_EQUAL(send_range(0, 1, 7, 0, 64), 0);
    expect(soft[0].cq, 7, MR_ERR_OK);
    expect(soft[1].rcq, 7, MR_ERR_OK);
    soft_close();
}

/* Three streams take from one queue: each message in a receive of its own, none mixed up. */
static void three_streams(const char *faults)
{
    enum { EACH = 20, N = EACH * SOFT_STREAMS, LEN = 5000 };
    static struct mr_wc wc[N];
    unsigned next[SOFT_STREAMS] = {};
    bool seen[N] = {};

    if (!soft_open((struct soft_shape){.rq_depth = 64, .shared = 1}, faults))
        return;
    for (unsigned i = 0; i < N; i++) {
        soft_fill(0, i * LEN, LEN, i);
        CU_ASSERT_EQUAL(recv_range(1, 0, i, DST + i * LEN, LEN), 0);
    }
    for (unsigned i = 0; i < EACH; i++)
        for (unsigned k = 0; k < SOFT_STREAMS; k++)
            CU_ASSERT_EQUAL(send_range(0, k, i, (k * EACH + i) * LEN, LEN), 0);
    CU_ASSERT_TRUE_FATAL(soft_take(soft[1].rcq, wc, N));
    soft_settle();
    for (unsigned i = 0; i < N; i++) {
        unsigned k = 0;
        while (k < SOFT_STREAMS && soft[1].stream[k] != wc[i].stream)
            k++;
        CU_ASSERT_TRUE_FATAL(k < SOFT_STREAMS && wc[i].wr_id < N && !seen[wc[i].wr_id]);
        seen[wc[i].wr_id] = true;
        CU_ASSERT_EQUAL(wc[i].status, MR_ERR_OK);
        CU_ASSERT_EQUAL(soft_differ(soft[1].memory + DST + wc[i].wr_id * LEN,
                                    soft[0].memory + (k * EACH + next[k]) * LEN, LEN), 0);
        next[k]++;
    }
    CU_ASSERT_TRUE_FATAL(soft_take(soft[0].cq, wc, N));
    CU_ASSERT_TRUE(soft_quiet(soft[0].cq, 0) && soft_quiet(soft[1].rcq, 0));
    soft_close();
}

static void shared__three_streams(void)
{
    three_streams("");
}

static void shared__three_streams_with_loss(void)
{
    three_streams("&loss=0.05&seed=17");
}

/* An error of one side, then of the other: all that is posted completes, once, in order. */
static void flush__both_sides(void)
{
    if (!soft_open(plain, "&loss=0.02&seed=5"))
        return;
    for (unsigned at = 0; at < 2; at++)
        for (unsigned i = 0; i < 5; i++)
            CU_ASSERT_EQUAL(recv_range(at, 0, 100 + i, DST + i * 4096, 4096), 0);
    struct mr_sge sge = soft_range(0, 0, 3000);
    CU_ASSERT_EQUAL(send_range(0, 0, 0, 0, 3000), 0);
    CU_ASSERT_EQUAL(soft_send(0, 0, (struct mr_send_wr){.wr_id = 1, .opcode = MR_OP_READ, .sge = &sge, .nsge = 1,
        .raddr = soft_addr(1, 0), .rkey = mr_mr_rkey(soft[1].mr) ^ 1}), 0);
    for (unsigned i = 2; i < 6; i++)
        CU_ASSERT_EQUAL(send_range(0, 0, i, 0, 3000), 0);
    expect(soft[0].cq, 0, MR_ERR_OK);
    expect(soft[0].cq, 1, MR_ERR_REMOTE_KEY);
    for (unsigned i = 2; i < 6; i++)
        expect(soft[0].cq, i, MR_ERR_FLUSH);
    for (unsigned i = 0; i < 5; i++)
        expect(soft[0].rcq, 100 + i, MR_ERR_FLUSH);
    CHECK_ERR(recv_range(0, 0, 105, 0, 64), -EPIPE);
    expect(soft[1].rcq, 100, MR_ERR_OK);
    CU_ASSERT_EQUAL(send_range(1, 0, 7, 0, 64), 0);  // the peer is told when it sends
    expect(soft[1].cq, 7, MR_ERR_REMOTE_STREAM);
    struct mr_wc wc[8];
    CU_ASSERT_TRUE_FATAL(soft_take(soft[1].rcq, wc, 4));  // those behind the Read may have come, or not
    for (unsigned i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(wc[i].wr_id, 101 + i);
        CU_ASSERT_TRUE(wc[i].status == MR_ERR_FLUSH || wc[i].status == MR_ERR_OK);
    }
    for (unsigned at = 0; at < 2; at++) {
        CU_ASSERT_TRUE(soft_quiet(soft[at].cq, 1000000) && soft_quiet(soft[at].rcq, 0));
        CU_ASSERT_EQUAL(mr_stream_destroy(soft[at].stream[0]), 0);
    }
    soft_close();
}

/* A message for a stream that was stopped: refused, and nothing of the former receive is touched. */
static void fail__late_message(void)
{
    if (!soft_open(plain, "&loss=0.02&seed=6"))
        return;
    soft_fill(0, 0, 8192, 1);
    CU_ASSERT_EQUAL(recv_range(1, 0, 1, DST, 8192), 0);
    CU_ASSERT_EQUAL(mr_stream_fail(soft[1].stream[0]), 0);
    expect(soft[1].rcq, 1, MR_ERR_FLUSH);
    CU_ASSERT_EQUAL(send_range(0, 0, 2, 0, 8192), 0);
    CU_ASSERT_EQUAL(send_range(0, 0, 3, 0, 8192), 0);
    expect(soft[0].cq, 2, MR_ERR_REMOTE_STREAM);
    expect(soft[0].cq, 3, MR_ERR_FLUSH);
    soft_settle();
    for (unsigned i = 0; i < 8192; i++)
        CU_ASSERT_EQUAL_FATAL(soft[1].memory[DST + i], 0);
    CU_ASSERT_EQUAL(recv_range(1, 1, 4, DST, 8192), 0);
    CU_ASSERT_EQUAL(send_range(0, 1, 4, 0, 8192), 0);
    expect(soft[1].rcq, 4, MR_ERR_OK);
    soft_close();
}

/* Memory that a stopped stream has given back stays as the program leaves it. */
static void nothing_later(struct soft_shape shape)
{
    if (!soft_open(shape, ""))
        return;
    for (unsigned round = 0; round < 30; round++) {
        soft_fill(0, 0, BIG, round);
        soft[0].memory[round * 500] = 1;
        memset(soft[1].memory, 0, SOFT_BYTES);
        for (unsigned i = 0; i < 2; i++)
            CU_ASSERT_EQUAL_FATAL(recv_range(1, 0, i, DST * i, BIG), 0);
        CU_ASSERT_EQUAL(send_range(0, 0, 0, 0, BIG), 0);
        CU_ASSERT_EQUAL(send_range(0, 0, 1, 0, BIG), 0);
        CU_ASSERT_TRUE(arrived(1, round * 500));
        CU_ASSERT_EQUAL(mr_stream_fail(soft[1].stream[0]), 0);
        memset(soft[1].memory, 0x77, SOFT_BYTES);
        expect(soft[0].cq, 0, MR_ERR_REMOTE_STREAM);
        expect(soft[0].cq, 1, MR_ERR_FLUSH);
        soft_settle();
        uint32_t later = 0;
        for (uint32_t i = 0; i < SOFT_BYTES; i++)
            later += soft[1].memory[i] != 0x77;
        CU_ASSERT_EQUAL(later, 0);
        if (!shape.shared) {
            expect(soft[1].rcq, 0, MR_ERR_FLUSH);
            expect(soft[1].rcq, 1, MR_ERR_FLUSH);
        }
        CU_ASSERT_TRUE(soft_quiet(soft[1].rcq, 100000));
        if (!stream_again(0, shape))
            break;
    }
    soft_close();
}

static void fail__nothing_is_placed_later(void)
{
    nothing_later(plain);
}

/*
 * A message has a receive of a shared queue when its stream is stopped. The place
 * comes back: else a ring of four would be full after the fourth.
 */
static void shared__issue_place_lost_with_its_stream(void)
{
    static const struct soft_shape shape = {.rq_depth = 4, .shared = 1};

    if (!soft_open(shape, ""))
        return;
    for (unsigned round = 0; round < 10; round++) {
        soft_fill(0, 0, BIG, round);
        soft[0].memory[0] = 1;
        memset(soft[1].memory, 0, SOFT_BYTES);
        CU_ASSERT_EQUAL_FATAL(recv_range(1, 0, round, 0, BIG), 0);
        CU_ASSERT_EQUAL(send_range(0, 0, round, 0, BIG), 0);
        CU_ASSERT_TRUE(arrived(1, 0));
        CU_ASSERT_EQUAL(mr_stream_fail(soft[1].stream[0]), 0);
        struct mr_wc wc = soft_next(soft[1].rcq);
        CU_ASSERT_EQUAL(wc.wr_id, round);
        CU_ASSERT_TRUE(wc.status == MR_ERR_FLUSH || (wc.status == MR_ERR_OK && wc.byte_len == BIG));
        CU_ASSERT_PTR_EQUAL(wc.rq, soft[1].rq[0]);
        CU_ASSERT_EQUAL(wc.byte_len, wc.status ? 0 : BIG);
        memset(soft[1].memory, 0x77, SOFT_BYTES);
        // The next receive goes to another stream's message.
        CU_ASSERT_EQUAL(recv_range(1, 0, 100 + round, DST, 4096), 0);
        CU_ASSERT_EQUAL(send_range(0, 1, 100 + round, 0, 4096), 0);
        expect(soft[1].rcq, 100 + round, MR_ERR_OK);
        soft_next(soft[0].cq);
        soft_next(soft[0].cq);
        CU_ASSERT_EQUAL(soft_differ(soft[1].memory + DST, soft[0].memory, 4096), 0);
        for (uint32_t i = 0; i < DST; i++)
            CU_ASSERT_EQUAL_FATAL(soft[1].memory[i], 0x77);
        CU_ASSERT_TRUE(soft_quiet(soft[1].rcq, 100000));
        if (!stream_again(0, shape))
            break;
    }
    for (unsigned i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(recv_range(1, 0, i, 0, 64), 0);
    CHECK_ERR(recv_range(1, 0, 4, 0, 64), -ENOSPC);
    soft_close();
}

/* A queue that another stream takes begins anew, whatever was left in it. */
static void queue__begins_anew(void)
{
    if (!soft_open(plain, "&loss=0.02&seed=8"))
        return;
    for (unsigned round = 0; round < 12; round++) {
        unsigned used = round % 5;
        for (unsigned i = 0; i < 8; i++)
            CU_ASSERT_EQUAL_FATAL(recv_range(1, 0, i, DST + i * 1000, 1000), 0);
        for (unsigned i = 0; i < used; i++) {
            soft_fill(0, 0, 1000, round * 8 + i);
            CU_ASSERT_EQUAL(send_range(0, 0, i, 0, 1000), 0);
            expect(soft[0].cq, i, MR_ERR_OK);
            expect(soft[1].rcq, i, MR_ERR_OK);
            CU_ASSERT_EQUAL(soft_differ(soft[0].memory, soft[1].memory + DST + i * 1000, 1000), 0);
        }
        CU_ASSERT_EQUAL(mr_stream_fail(soft[1].stream[0]), 0);
        for (unsigned i = used; i < 8; i++)
            expect(soft[1].rcq, i, MR_ERR_FLUSH);
        if (!stream_again(0, plain))
            break;
    }
    soft_close();
}

const struct test_row tests_soft_ends[] = {
    {"rnr__late_receive", rnr__late_receive},
    {"rnr__late_receive_with_loss", rnr__late_receive_with_loss},
    {"rnr__no_receive", rnr__no_receive},
    {"shared__three_streams", shared__three_streams},
    {"shared__three_streams_with_loss", shared__three_streams_with_loss},
    {"flush__both_sides", flush__both_sides},
    {"fail__late_message", fail__late_message},
    {"fail__nothing_is_placed_later", fail__nothing_is_placed_later},
    {"shared__issue_place_lost_with_its_stream", shared__issue_place_lost_with_its_stream},
    {"queue__begins_anew", queue__begins_anew},
    {},
};
