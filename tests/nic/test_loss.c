// SPDX-License-Identifier: BSD-2-Clause
/* test_loss.c - what a network may do to packets, and what must come of it. */
#include "nic_test.h"

static void loss__of_every_kind(void)
{
    static const double rates[] = {0.001, 0.01, 0.05, 0.1, 0.3};

    for (unsigned i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct pair *p = pair_new(100 + i, 4);
        fill(p, 0, 0, 1 << 20);
        p->loss = rates[i];
        CU_ASSERT_EQUAL(write_now(p, 0, 0, 1 << 20), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, 0, 0, 1 << 20));
        // Placed exactly once, whatever came twice.
        CU_ASSERT_EQUAL(p->side[1].writes, 1 << 20);
        p->loss = 0;
        CU_ASSERT_TRUE(closes(p, 0, 4));
        pair_free(p);
    }
}

/** Loses data packet number arg[0] of path 0, once. */
static enum pair_fate lose_one(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    uint32_t *want = arg;

    (void)p, (void)len;
    if (from == 0 && kind_of(f) == MR_KIND_DATA && psn_of(f) == *want) {
        *want = ~0u;
        return PAIR_LOSE;
    }
    return PAIR_PASS;
}

static void loss__exactly_the_missing_packet_is_sent_again(void)
{
    for (uint32_t lost = 0; lost < 64; lost += 7) {
        struct pair *p = pair_new(110 + lost, 2);
        uint32_t want = lost;
        fill(p, 0, 0, 1 << 20);
        p->fault = lose_one;
        p->fault_arg = &want;
        CU_ASSERT_EQUAL(write_now(p, 0, 0, 1 << 20), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, 0, 0, 1 << 20));
        CU_ASSERT_EQUAL(want, ~0u);
        CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_RESENT), 1);
        CU_ASSERT_EQUAL(pair_tele(p, 0, 0, 0).resent + pair_tele(p, 0, 0, 1).resent, 1);
        CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_DUP), 0);
        pair_free(p);
    }
}

static void loss__of_the_last_packet_is_found_by_a_probe(void)
{
    struct pair *p = pair_new(120, 1);
    uint32_t want = 15;

    fill(p, 0, 0, 65536);
    p->fault = lose_one;
    p->fault_arg = &want;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 65536), MR_ERR_OK);
    CU_ASSERT_TRUE(same(p, 0, 0, 65536));
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_PROBES), 1);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_RESENT), 1);
    pair_free(p);
}

/** Loses the first arg[0] transmissions of number 3 of path 0. */
static enum pair_fate lose_often(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    unsigned *times = arg;

    (void)p, (void)len;
    if (from == 0 && kind_of(f) == MR_KIND_DATA && psn_of(f) == 3 && *times) {
        --*times;
        return PAIR_LOSE;
    }
    return PAIR_PASS;
}

/** The oldest hole recovers although acknowledgments keep coming. */
static void loss__of_retransmissions_too(void)
{
    for (unsigned times = 2; times < 8; times++) {
        struct pair *p = pair_new(130 + times, 1);
        unsigned left = times;
        fill(p, 0, 0, 3 << 20);
        p->fault = lose_often;
        p->fault_arg = &left;
        CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 << 20), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, 0, 0, 3 << 20));
        CU_ASSERT_EQUAL(left, 0);
        CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_RESENT), times);
        pair_free(p);
    }
}

static enum pair_fate lose_acks(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    (void)len, (void)arg;
    return from == 1 && kind_of(f) == MR_KIND_ACK && pair_random(p) % 2 ? PAIR_LOSE : PAIR_PASS;
}

static void loss__of_every_second_acknowledgment(void)
{
    struct pair *p = pair_new(140, 4);

    fill(p, 0, 0, 1 << 20);
    p->fault = lose_acks;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 1 << 20), MR_ERR_OK);
    CU_ASSERT_TRUE(same(p, 0, 0, 1 << 20));
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_RESENT), 0);  // data was never lost
    pair_free(p);
}

static enum pair_fate everything_twice(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    (void)p, (void)from, (void)f, (void)len, (void)arg;
    return PAIR_TWICE;
}

static void loss__duplicates_are_placed_once(void)
{
    struct pair *p = pair_new(150, 4);

    fill(p, 0, 0, 1 << 20);
    p->fault = everything_twice;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 1 << 20), MR_ERR_OK);
    pair_run(p, 50000);
    CU_ASSERT_TRUE(same(p, 0, 0, 1 << 20));
    CU_ASSERT_EQUAL(p->side[1].writes, 1 << 20);
    CU_ASSERT(pair_count(p, 1, MR_CNT_RX_DUP) >= 256);
    CU_ASSERT_TRUE(all_closed(p, 0, 4));
    pair_free(p);
}

/** Flips a bit somewhere, in every tenth frame. */
static enum pair_fate corrupt(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    (void)from, (void)arg;
    if (pair_random(p) % 10 == 0)
        f[14 + pair_random(p) % (len - 14)] ^= (uint8_t)(1u << pair_random(p) % 8);
    return PAIR_PASS;
}

static void loss__corrupted_frames_change_nothing(void)
{
    struct pair *p = pair_new(160, 4);

    fill(p, 0, 0, 1 << 20);
    p->fault = corrupt;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 1 << 20), MR_ERR_OK);
    CU_ASSERT_TRUE(same(p, 0, 0, 1 << 20));
    CU_ASSERT_EQUAL(p->side[1].writes, 1 << 20);
    CU_ASSERT(pair_count(p, 1, MR_CNT_RX_BAD_ICRC) > 10);
    pair_free(p);
}

/** Sets the CE mark on data of path 0 (UDP source port 50000). */
static enum pair_fate mark_path_0(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    (void)p, (void)len, (void)arg;
    if (from == 0 && kind_of(f) == MR_KIND_DATA && (f[34] << 8 | f[35]) == 50000)
        mark_ce(f);
    return PAIR_PASS;
}

static void ecn__a_mark_trims_only_its_path(void)
{
    struct pair *p = pair_new(170, 4);

    fill(p, 0, 0, 3 << 20);
    p->fault = mark_path_0;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 << 20), MR_ERR_OK);
    struct mr_tele t0 = pair_tele(p, 0, 0, 0), t1 = pair_tele(p, 0, 0, 1);
    CU_ASSERT(t0.marks > 0);
    CU_ASSERT_EQUAL(t0.marks, t0.packets);
    CU_ASSERT_EQUAL(t1.marks, 0);
    CU_ASSERT(t0.cwnd < 16);
    CU_ASSERT(t1.cwnd >= 16);
    CU_ASSERT(t0.packets < t1.packets);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_CE), t0.marks);
    pair_free(p);
}

struct hole {
    uint64_t from, to;
};

static enum pair_fate black_hole(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    const struct hole *h = arg;

    (void)from, (void)f, (void)len;
    return p->now >= h->from && p->now < h->to ? PAIR_LOSE : PAIR_PASS;
}

static void loss__of_everything_for_a_while(void)
{
    struct pair *p = pair_new(180, 4);
    struct hole h = {p->now + 3000, p->now + 60000};

    fill(p, 0, 0, 1 << 20);
    p->fault = black_hole;
    p->fault_arg = &h;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 1 << 20), MR_ERR_OK);
    CU_ASSERT_TRUE(same(p, 0, 0, 1 << 20));
    CU_ASSERT_EQUAL(p->side[1].writes, 1 << 20);
    pair_free(p);
}

static void loss__of_the_peer_ends_in_an_error(void)
{
    struct pair *p = pair_new(190, 4);
    struct hole h = {p->now + 3000, UINT64_MAX};
    uint64_t start = p->now;

    fill(p, 0, 0, 1 << 20);
    p->fault = black_hole;
    p->fault_arg = &h;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 1 << 20), MR_ERR_RETRY);
    CU_ASSERT(p->now - start < 5000000);  // 20 ms
    pair_free(p);
}

/** Packets that wait for the host's memory are not lost: a probe must stay behind them. */
static void probe__issue_overtakes_waiting_packets(void)
{
    struct pair *p = pair_new(200, 2);

    fill(p, 0, 0, 200000);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 200000), MR_ERR_OK);  // the round trip is known
    p->read_latency = 9000;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 200000), MR_ERR_OK);
    CU_ASSERT_TRUE(same(p, 0, 0, 200000));
    CU_ASSERT(pair_count(p, 0, MR_CNT_TX_PROBES) > 0);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_RESENT), 0);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_DUP), 0);
    pair_free(p);
}

void test_loss_register(CU_pSuite s)
{
    CU_ADD_TEST(s, probe__issue_overtakes_waiting_packets);
    CU_ADD_TEST(s, loss__of_every_kind);
    CU_ADD_TEST(s, loss__exactly_the_missing_packet_is_sent_again);
    CU_ADD_TEST(s, loss__of_the_last_packet_is_found_by_a_probe);
    CU_ADD_TEST(s, loss__of_retransmissions_too);
    CU_ADD_TEST(s, loss__of_every_second_acknowledgment);
    CU_ADD_TEST(s, loss__duplicates_are_placed_once);
    CU_ADD_TEST(s, loss__corrupted_frames_change_nothing);
    CU_ADD_TEST(s, ecn__a_mark_trims_only_its_path);
    CU_ADD_TEST(s, loss__of_everything_for_a_while);
    CU_ADD_TEST(s, loss__of_the_peer_ends_in_an_error);
}
