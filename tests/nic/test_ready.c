// SPDX-License-Identifier: BSD-2-Clause
/* test_ready.c - receives that are not posted, too short, shared; requests that fail. [spec 7.5, 10.3] */
#include "ops.h"

enum { DST = 1 << 20 };

static const struct ops_wr send4k = {.op = MR_OP_SEND, .range = {{64, 4096}}, .nranges = 1};

static void recv4k(struct pair *p, unsigned n, uint32_t at)
{
    ops_recv(p, 1, n, &(struct ops_range){.at = at, .len = 4096}, 1);
}

/** The receive comes late: the Send waits, another stream does not, and nothing is lost. */
static void ready__a_late_receive(void)
{
    struct pair *p = pair_new(920, 4);
    struct mr_cqe c;

    ops_open(p, 1, (struct ops_stream){0});
    ops_open(p, 2, (struct ops_stream){0});
    fill(p, 0, 0, 65536);
    for (unsigned k = 0; k < 4; k++)
        ops_post(p, 0, 1, &send4k);
    pair_run(p, 5000);
    CU_ASSERT_FALSE(pair_poll(p, 0, &c));
    uint64_t begin = p->now;
    for (unsigned k = 0; k < 8; k++) {
        recv4k(p, 2, DST);
        ops_post(p, 0, 2, &send4k);
        c = ops_wait(p, 0);
        CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
        CU_ASSERT_EQUAL(c.stream, 2);
        CU_ASSERT_EQUAL(ops_wait(p, 1).stream, 2);
    }
    CU_ASSERT(p->now - begin < 8 * 10000);
    pair_run(p, 100000);
    CU_ASSERT_FALSE(pair_poll(p, 0, &c));
    CU_ASSERT(pair_count(p, 1, MR_CNT_RX_REFUSED) > 4);
    // Neither at once nor never again: waits double from RNR_MIN on.
    CU_ASSERT(pair_count(p, 1, MR_CNT_RX_REFUSED) < 100);
    for (unsigned k = 0; k < 4; k++)
        recv4k(p, 1, DST + 8192 * k);
    for (unsigned k = 0; k < 4; k++) {
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
        c = ops_wait(p, 1);
        CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
        CU_ASSERT_EQUAL(c.wqe, k);
        CU_ASSERT_EQUAL(memcmp(p->side[0].user + 64, p->side[1].user + DST + 8192 * k, 4096), 0);
    }
    CU_ASSERT_TRUE(closes(p, 0, 4));
    pair_free(p);
}

/** It never comes: the stream ends with RNR, after as many tries as it was told. */
static void ready__no_receive_ends_the_stream(void)
{
    unsigned tries[2];

    for (unsigned i = 0; i < 2; i++) {
        struct pair *p = pair_new(922 + i, 4);
        pair_write(p, 0, MR_REG_RNR_MIN, 2500);
        ops_open(p, 1, (struct ops_stream){.rnr_max = i ? 5 : 2});
        ops_open(p, 2, (struct ops_stream){0});
        ops_post(p, 0, 1, &send4k);
        struct mr_cqe c = ops_wait(p, 0);
        CU_ASSERT_EQUAL(c.status, MR_ERR_RNR);
        CU_ASSERT_EQUAL(c.stream, 1);
        tries[i] = pair_count(p, 1, MR_CNT_RX_REFUSED);
        CU_ASSERT_TRUE(closes(p, 0, 4));
        recv4k(p, 2, DST);
        ops_post(p, 0, 2, &send4k);
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
        pair_free(p);
    }
    CU_ASSERT(tries[0] >= 3 && tries[0] <= 5);
    CU_ASSERT(tries[1] >= 6 && tries[1] <= 8);
}

static void ready__bad_receive_too_short(void)
{
    struct pair *p = pair_new(924, 4);

    ops_open(p, 1, (struct ops_stream){0});
    memset(p->side[1].user + DST, 0x55, 8192);
    ops_recv(p, 1, 1, &(struct ops_range){.at = DST, .len = 4095}, 1);
    pair_run(p, 5000);
    uint64_t before = p->side[1].writes;
    ops_post(p, 0, 1, &send4k);
    CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_REMOTE_BOUNDS);
    CU_ASSERT_EQUAL(p->side[1].writes, before);
    CU_ASSERT_EQUAL(p->side[1].user[DST], 0x55);
    CU_ASSERT_TRUE(closes(p, 0, 4));
    pair_free(p);
}

/** What the peer may not do ends the operation with the code, and changes nothing. */
static void ready__bad_requests(void)
{
    static const struct {
        struct ops_wr w;
        unsigned status;
    } bad[] = {
        {{.op = MR_OP_READ, .range = {{64, 64}}, .nranges = 1, .rkey = 0x999}, MR_ERR_REMOTE_KEY},
        {{.op = MR_OP_READ, .range = {{64, 64}}, .nranges = 1, .raddr = 64 << 20}, MR_ERR_REMOTE_BOUNDS},
        {{.op = MR_OP_FETCH_ADD, .range = {{64, 8}}, .nranges = 1, .raddr = 4}, MR_ERR_REMOTE_ALIGN},
        {{.op = MR_OP_FETCH_ADD, .range = {{64, 4}}, .nranges = 1}, MR_ERR_LOCAL_OP},
        {{.op = MR_OP_FETCH_ADD, .range = {{64, 8}}, .nranges = 1, .rkey = 0x1a6}, MR_ERR_REMOTE_KEY},
        {{.op = MR_OP_SEND, .range = {{64, 64}}, .nranges = 1, .lkey = 0x999}, MR_ERR_LOCAL_KEY},
        {{.op = MR_OP_SEND, .range = {{64, 64}, {64 << 20, 64}}, .nranges = 2}, MR_ERR_LOCAL_BOUNDS},
        {{.op = 99, .range = {{64, 64}}, .nranges = 1}, MR_ERR_LOCAL_OP},
    };

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pair *p = pair_new(930 + i, 4);
        ops_open(p, 1, (struct ops_stream){0});
        recv4k(p, 1, DST);
        pair_run(p, 5000);
        uint64_t before = p->side[1].writes;
        ops_post(p, 0, 1, &bad[i].w);
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, bad[i].status);
        CU_ASSERT_EQUAL(p->side[1].writes, before);
        CU_ASSERT_TRUE(closes(p, 0, 4));
        CU_ASSERT_TRUE(closes(p, 1, 4));
        pair_free(p);
    }
}

/** The source of a Read is withdrawn while it is answered: the initiator is told, nobody hangs. */
static void ready__a_source_that_vanishes(void)
{
    struct pair *p = pair_new(940, 4);
    uint8_t entry[MR_KEY_BYTES] = {0};

    ops_open(p, 1, (struct ops_stream){0});
    ops_post(p, 0, 1, &(struct ops_wr){.op = MR_OP_READ, .range = {{DST, 1 << 20}}, .nranges = 1});
    pair_run(p, 3000);
    pair_table(p, 1, MR_TBL_KEY, PAIR_KEY >> 8, entry, sizeof entry);
    CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_REMOTE_KEY);
    CU_ASSERT_TRUE(closes(p, 0, 4));
    CU_ASSERT_TRUE(closes(p, 1, 4));
    pair_free(p);
}

/** A stream that failed is opened again while its refused packet is still on a path: that one is of another life. */
static void ready__issue_a_stream_opened_again_at_once(void)
{
    for (unsigned i = 0; i < 6; i++) {
        struct pair *p = pair_new(944 + i, 4);
        struct ops_wr bad = {.op = MR_OP_WRITE, .range = {{64, 20000}}, .nranges = 1, .raddr = DST, .rkey = 0x999};
        struct ops_wr good = {.op = MR_OP_WRITE, .range = {{64, 20000}}, .nranges = 1, .raddr = DST};
        p->loss = 0.05 * i;
        fill(p, 0, 0, 32768);
        for (unsigned k = 0; k < 4; k++) {
            ops_open(p, 1, (struct ops_stream){0});
            ops_post(p, 0, 1, &bad);
            CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_REMOTE_KEY);
            ops_open(p, 1, (struct ops_stream){0});
            ops_post(p, 0, 1, &good);
            CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
        }
        CU_ASSERT_EQUAL(memcmp(p->side[0].user + 64, p->side[1].user + DST, 20000), 0);
        CU_ASSERT_TRUE(closes(p, 0, 4));
        pair_free(p);
    }
}

/** Three streams take receives from one queue; each message gets one of its own. */
static void ready__a_shared_queue(void)
{
    struct pair *p = pair_new(941, 4);
    unsigned seen[64] = {0};

    p->loss = 0.05;
    for (unsigned n = 1; n <= 3; n++)
        ops_open(p, n, (struct ops_stream){.shared = true});
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned k = 0; k < 15; k++)
            recv4k(p, 0, DST + 8192 * k);
        for (unsigned k = 0; k < 15; k++) {
            struct ops_wr w = send4k;
            w.range[0].at = 4096 * (1 + k);
            memset(p->side[0].user + w.range[0].at, 1 + (int)(16 * round + k), 4096);
            ops_post(p, 0, 1 + k % 3, &w);
        }
        for (unsigned k = 0; k < 15; k++) {
            CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
            struct mr_cqe c = ops_wait(p, 1);
            CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
            unsigned at = DST + 8192 * (((unsigned)c.wqe - 15 * round) % 15);
            uint8_t v = p->side[1].user[at];
            CU_ASSERT_EQUAL(((v - 1) % 16) % 3 + 1, c.stream);
            CU_ASSERT_EQUAL(memcmp(p->side[1].user + at, p->side[1].user + at + 1, 4095), 0);
            seen[(v - 1) & 63]++;
        }
        for (unsigned k = 0; k < 15; k++)
            CU_ASSERT_EQUAL(seen[16 * round + k], 1);
    }
    pair_free(p);
}

/** A stream is closed at both ends with packets on the way: they were refused, and sent again, for ever. */
static void ready__issue_a_closed_stream_repeats_for_ever(void)
{
    static const struct ops_wr big = {.op = MR_OP_SEND, .range = {{64, 1 << 18}}, .nranges = 1};
    uint8_t closed[MR_STREAM_BYTES] = {0};
    struct pair *p = pair_new(942, 4);

    ops_open(p, 1, (struct ops_stream){0});
    ops_open(p, 2, (struct ops_stream){0});
    ops_recv(p, 1, 1, &(struct ops_range){.at = DST, .len = 1 << 18}, 1);
    ops_post(p, 0, 1, &big);
    pair_run(p, 2000);
    pair_table(p, 1, MR_TBL_STREAM, 1, closed, sizeof closed);
    pair_table(p, 0, MR_TBL_STREAM, 1, closed, sizeof closed);
    CU_ASSERT_TRUE(closes(p, 0, 4));
    recv4k(p, 2, DST);
    ops_post(p, 0, 2, &send4k);
    CU_ASSERT_EQUAL(ops_wait(p, 0).stream, 2);
    CU_ASSERT_EQUAL(ops_wait(p, 1).stream, 2);
    pair_free(p);
}

/** Once TBL_STATUS is done, nothing more is written for a stream that was closed, however slow the host is. */
static void ready__closed_is_over(void)
{
    static const struct ops_wr big = {.op = MR_OP_SEND, .range = {{64, 1 << 18}}, .nranges = 1};
    uint8_t closed[MR_STREAM_BYTES] = {0};

    for (unsigned shared = 0; shared < 2; shared++)
        for (unsigned when = 1500; when < 6000; when += 750) {
            struct pair *p = pair_new(950 + when, 4);
            ops_open(p, 1, (struct ops_stream){.shared = shared});
            for (unsigned i = 0; i < 2; i++)
                ops_recv(p, 1, !shared, &(struct ops_range){.at = DST, .len = 1 << 18}, 1);
            ops_post(p, 0, 1, &big);
            pair_run(p, when);
            pair_table(p, 1, MR_TBL_STREAM, 1, closed, sizeof closed);
            uint64_t before = p->side[1].writes;
            pair_run(p, 20000);
            CU_ASSERT_EQUAL(p->side[1].writes, before);
            pair_free(p);
        }
}

void test_ready_register(CU_pSuite s)
{
    CU_ADD_TEST(s, ready__issue_a_closed_stream_repeats_for_ever);
    CU_ADD_TEST(s, ready__closed_is_over);
    CU_ADD_TEST(s, ready__a_late_receive);
    CU_ADD_TEST(s, ready__no_receive_ends_the_stream);
    CU_ADD_TEST(s, ready__bad_receive_too_short);
    CU_ADD_TEST(s, ready__bad_requests);
    CU_ADD_TEST(s, ready__a_source_that_vanishes);
    CU_ADD_TEST(s, ready__issue_a_stream_opened_again_at_once);
    CU_ADD_TEST(s, ready__a_shared_queue);
}
