// SPDX-License-Identifier: BSD-2-Clause
/* test_sequence.c - the edges of numbers and windows. */
#include "nic_test.h"

/** Every number begins shortly before its end. */
static void near_the_end(struct pair *p)
{
    for (unsigned s = 0; s < 2; s++) {
        struct mr_nic *n = p->side[s].nic;
        for (unsigned i = 0; i < MR_GROUP; i++) {
            u(24) psn = (u(24))0xfffffd;
            n->tx_path.rows[0].p[i].next = n->tx_path.rows[0].p[i].una = psn;
            n->tx_ack.rows[i].next = n->tx_ack.rows[i].una = psn;
            n->rx_path.rows[i].base = n->rx_path.rows[i].edge = psn;
            n->tx_ack.rows[i].ce = n->rx_path.rows[i].ce = 0xfffd;
        }
        n->tx_sched.rows[0].pidx = n->tx_sched.rows[0].fidx = 0xfffd;
        n->tx_sched.rows[0].msg = 0xfffffffd;
        n->tx_cpl.rows[0].head = 0xfffffffd;
        n->rx_msg.rows[0].head = n->rx_check.heads[0] = 0xfffffffd;
        p->side[s].pidx = 0xfffd;
    }
    p->now += (1ull << 32) - 2000 - (p->now & 0xffffffff);  // the clock's low half wraps too
}

static void wrap__of_every_number_at_once(void)
{
    for (unsigned loss = 0; loss < 2; loss++) {
        struct pair *p = pair_new(200 + loss, 4);
        near_the_end(p);
        p->loss = loss * 0.05;
        fill(p, 0, 0, 1 << 20);
        for (unsigned i = 0; i < 10; i++)
            pair_post(p, 0, pair_wqe(p, 0, i * 100000, i * 100000, 100000));
        for (unsigned i = 0; i < 10; i++) {
            struct mr_cqe c;
            CU_ASSERT_TRUE_FATAL(pair_wait(p, 0, &c, PATIENCE));
            CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
            CU_ASSERT_EQUAL(c.wqe, (u(16))(0xfffd + i));
            CU_ASSERT_EQUAL(c.msg, 0xfffffffd + i);
        }
        CU_ASSERT_TRUE(same(p, 0, 0, 1000000));
        CU_ASSERT_EQUAL(p->side[1].writes, 1000000);
        pair_free(p);
    }
}

/** The clock has passed its half when the first retransmission comes. */
static void wrap__issue_timestamps_beyond_half_the_range(void)
{
    struct pair *p = pair_new(210, 1);

    p->now += 0xc0000000;
    p->loss = 0.1;
    fill(p, 0, 0, 1 << 20);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 1 << 20), MR_ERR_OK);
    CU_ASSERT_TRUE(same(p, 0, 0, 1 << 20));
    pair_free(p);
}

struct behind {
    uint64_t until;  // number 0 is lost until then
    unsigned most;   // highest number that left
};

static enum pair_fate keep_hole(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    struct behind *b = arg;

    (void)len;
    if (from != 0 || kind_of(f) != MR_KIND_DATA)
        return PAIR_PASS;
    if (psn_of(f) > b->most)
        b->most = psn_of(f);
    return psn_of(f) == 0 && p->now < b->until ? PAIR_LOSE : PAIR_PASS;
}

/** 255, 256, 257 and 1,000 packets wait behind one hole. */
static void window__never_more_than_the_bit_vector_describes(void)
{
    static const unsigned behind[] = {254, 255, 256, 257, 1000};

    for (unsigned i = 0; i < sizeof behind / sizeof *behind; i++) {
        struct pair *p = pair_new(220 + i, 1);
        uint32_t len = (behind[i] + 1) * 256;
        struct behind b = {.until = p->now + 60000};
        // Small packets, so that many fit; the widest window from the start.
        for (unsigned s = 0; s < 2; s++) {
            pair_write(p, s, MR_REG_CWND_INIT, 256);
            pair_write(p, s, MR_REG_WND_INIT, 256);
            pair_connect(p, s, (struct pair_conn){.generation = 0x33, .paths = 1, .mtu = 256});
        }
        fill(p, 0, 0, len);
        p->fault = keep_hole;
        p->fault_arg = &b;
        pair_post(p, 0, pair_wqe(p, 0, 0, 0, len));
        pair_run(p, 50000);
        CU_ASSERT_EQUAL(b.most, behind[i] < 255 ? behind[i] : 255);
        CU_ASSERT_EQUAL(status_of(p, 0), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, 0, 0, len));
        CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_WINDOW), 0);
        CU_ASSERT_EQUAL(p->side[1].writes, len);
        pair_free(p);
    }
}

/** A receive ring as a set: against counting one by one. */
static void ring__range_run_and_psn(void)
{
    uint64_t x = 1;

    for (unsigned i = 0; i < 20000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        psn_t a = (psn_t)(x >> 40);
        unsigned n = (unsigned)(x >> 8) % 257;
        ring_t r = ring_range(a, a + (psn_t)n);
        ring_t slow = 0;
        for (unsigned j = 0; j < n; j++)
            slow |= ring_one(a + (psn_t)j);
        CU_ASSERT_FATAL(r == slow);
        CU_ASSERT_FATAL(ring_count(r) == n);
        CU_ASSERT_FATAL(ring_run(r, a) == n);
        if (n) {
            psn_t last = a + (psn_t)(n - 1);
            CU_ASSERT_FATAL(ring_psn(a, (u(8))last) == last);
        }
    }
}

void test_sequence_register(CU_pSuite s)
{
    CU_ADD_TEST(s, wrap__of_every_number_at_once);
    CU_ADD_TEST(s, wrap__issue_timestamps_beyond_half_the_range);
    CU_ADD_TEST(s, window__never_more_than_the_bit_vector_describes);
    CU_ADD_TEST(s, ring__range_run_and_psn);
}
