// SPDX-License-Identifier: BSD-2-Clause
/* test_write.c - Writes as they should go. */
#include "nic_test.h"

static void write__every_alignment(void)
{
    struct pair *p = pair_new(11, 4);

    fill(p, 0, 0, 16384);
    for (unsigned i = 0; i < 300; i++) {
        uint64_t from = pair_random(p) % 5000, to = 64 + pair_random(p) % 5000;
        uint32_t len = (uint32_t)(pair_random(p) % (i % 3 == 0 ? 9000 : 200)) + 1;
        memset(p->side[1].user, 0xee, 16384);
        CU_ASSERT_EQUAL_FATAL(write_now(p, from, to, len), MR_ERR_OK);
        pair_run(p, 400);
        CU_ASSERT_TRUE_FATAL(same(p, from, to, len));
        for (uint64_t at = 0; at < 16384; at++)
            if (at < to || at >= to + len)
                CU_ASSERT_EQUAL_FATAL(p->side[1].user[at], 0xee);
    }
    pair_free(p);
}

static void write__zero_length(void)
{
    struct pair *p = pair_new(12, 2);
    struct mr_wqe w = pair_wqe(p, 0, 0, 0, 0);

    w.rkey = 0xdead00;  // not looked at
    w.raddr = 3;
    pair_post(p, 0, w);
    CU_ASSERT_EQUAL(status_of(p, 0), MR_ERR_OK);
    CU_ASSERT_EQUAL(p->side[1].writes, 0);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_DATA), 1);
    CU_ASSERT_EQUAL(pair_tele(p, 0, 0, 0).psn + pair_tele(p, 0, 0, 1).psn, 1);
    pair_free(p);
}

static void write__one_mebibyte_on_each_number_of_paths(void)
{
    for (unsigned paths = 1; paths <= 8; paths++) {
        struct pair *p = pair_new(13 + paths, paths);
        fill(p, 0, 0, 1 << 20);
        CU_ASSERT_EQUAL(write_now(p, 0, 5, 1 << 20), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, 0, 5, 1 << 20));
        for (unsigned i = 0; i < paths; i++)
            CU_ASSERT(pair_tele(p, 0, 0, i).packets >= 256 / paths / 2);
        CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_RESENT), 0);
        pair_free(p);
    }
}

static void write__both_directions_at_once(void)
{
    struct pair *p = pair_new(22, 4);

    fill(p, 0, 0, 1 << 20);
    fill(p, 1, 1 << 20, 1 << 20);
    pair_post(p, 0, pair_wqe(p, 0, 0, 0, 1 << 20));
    pair_post(p, 1, pair_wqe(p, 1, 1 << 20, 1 << 20, 1 << 20));
    CU_ASSERT_EQUAL(status_of(p, 0), MR_ERR_OK);
    CU_ASSERT_EQUAL(status_of(p, 1), MR_ERR_OK);
    pair_run(p, 1000);
    CU_ASSERT_TRUE(same(p, 0, 0, 1 << 20));
    CU_ASSERT_TRUE(same(p, 1 << 20, 1 << 20, 1 << 20));
    pair_free(p);
}

/** More messages than any ring holds: queue, completion queue and message table go round. */
static void write__rings_go_round(void)
{
    struct pair *p = pair_new(23, 3);
    unsigned posted = 0, done = 0;
    struct mr_cqe c;

    fill(p, 0, 0, 4096);
    while (done < 300) {
        if (posted < 300 && posted - done < PAIR_SQ) {
            pair_post(p, 0, pair_wqe(p, 0, posted, posted * 64, 8));
            posted++;
        }
        while (pair_poll(p, 0, &c)) {
            CU_ASSERT_EQUAL_FATAL(c.status, MR_ERR_OK);
            CU_ASSERT_EQUAL_FATAL(c.wqe, done);
            CU_ASSERT_EQUAL_FATAL(c.msg, done);
            CU_ASSERT_EQUAL_FATAL(c.byte_len, 8);
            done++;
        }
        pair_run(p, 20);
        CU_ASSERT_FATAL(p->now < PATIENCE);
    }
    for (unsigned i = 0; i < 300; i++)
        CU_ASSERT_TRUE_FATAL(same(p, i, i * 64, 8));
    pair_free(p);
}

/** The sender's completion says that the bytes are in the receiver's memory, however slow that is. */
static void write__completion_means_placed(void)
{
    struct pair *p = pair_new(26, 4);

    p->side[1].write_latency = 20000;
    fill(p, 0, 0, 100000);
    for (unsigned i = 0; i < 5; i++) {
        CU_ASSERT_EQUAL(write_now(p, i * 20000, i * 20000, 20000), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, i * 20000, i * 20000, 20000));
        CU_ASSERT_EQUAL(p->side[1].done_count[1], 0);
    }
    pair_free(p);
}

static void write__unsignaled_gives_no_completion(void)
{
    struct pair *p = pair_new(24, 2);
    struct mr_wqe w = pair_wqe(p, 0, 0, 0, 100);
    struct mr_cqe c;

    fill(p, 0, 0, 200);
    w.flags = 0;
    pair_post(p, 0, w);
    pair_post(p, 0, pair_wqe(p, 0, 100, 100, 100));
    CU_ASSERT_TRUE_FATAL(pair_wait(p, 0, &c, PATIENCE));
    CU_ASSERT_EQUAL(c.wqe, 1);
    CU_ASSERT_FALSE(pair_wait(p, 0, &c, 5000));
    CU_ASSERT_TRUE(same(p, 0, 0, 200));
    pair_free(p);
}

/** Stream `n` of side 0, with a queue of its own in the user area. */
static uint8_t *more_stream(struct pair *p, unsigned n)
{
    uint8_t entry[32];
    uint8_t *sq = p->side[0].user + (3 << 20) + 4096 * n;

    mr_stream_put(entry, (struct mr_stream){
        .state = 1, .sq_log2 = 6, .pd = 7, .peer = n, .sq_base = (uintptr_t)sq, .rq = MR_RQ_NONE});
    for (unsigned s = 0; s < 2; s++)  // nothing is posted at the other side
        CU_ASSERT_EQUAL_FATAL(pair_table(p, s, MR_TBL_STREAM, n, entry, sizeof entry), 0);
    return sq;
}

static void write__many_streams_share_a_connection(void)
{
    struct pair *p = pair_new(25, 4);
    unsigned done[16] = {0};
    struct mr_cqe c;

    fill(p, 0, 0, 1 << 20);
    for (unsigned s = 1; s < 16; s++) {
        uint8_t *sq = more_stream(p, s);
        for (unsigned i = 0; i < 4; i++) {
            uint64_t at = (s * 4 + i) * 16384ull;
            mr_wqe_put(sq + 64 * i, pair_wqe(p, 0, at, at, 16384));
        }
    }
    for (unsigned s = 1; s < 16; s++)  // when all are open: that takes longer than a message
        pair_write(p, 0, MR_REG_DB_SQ, s << 16 | 4);
    for (unsigned i = 0; i < 60; i++) {
        CU_ASSERT_TRUE_FATAL(pair_wait(p, 0, &c, PATIENCE));
        CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
        CU_ASSERT_EQUAL(c.msg, done[(unsigned)c.stream]);  // in order within the stream
        done[(unsigned)c.stream]++;
        // Fair turns: nobody is finished before everybody has one message through.
        if (i == 30)
            for (unsigned s = 1; s < 16; s++)
                CU_ASSERT(done[s] >= 1);
    }
    CU_ASSERT_TRUE(same(p, 65536, 65536, 60 * 16384));
    pair_free(p);
}

void test_write_register(CU_pSuite s)
{
    CU_ADD_TEST(s, write__every_alignment);
    CU_ADD_TEST(s, write__zero_length);
    CU_ADD_TEST(s, write__one_mebibyte_on_each_number_of_paths);
    CU_ADD_TEST(s, write__both_directions_at_once);
    CU_ADD_TEST(s, write__rings_go_round);
    CU_ADD_TEST(s, write__completion_means_placed);
    CU_ADD_TEST(s, write__unsignaled_gives_no_completion);
    CU_ADD_TEST(s, write__many_streams_share_a_connection);
}
