// SPDX-License-Identifier: BSD-2-Clause
/* test_issues.c - faults that were once found, by what was wrong. */
#include "nic_test.h"

/** Small Writes on several streams while the host's memory takes completions slowly. */
static void many_small(struct pair *p, unsigned streams, unsigned each)
{
    unsigned posted[PAIR_STREAMS] = {0}, done[PAIR_STREAMS] = {0}, left = streams * each;
    struct mr_cqe c;

    for (unsigned s = 1; s <= streams; s++)
        pair_stream(p, s, 0, 0);
    for (uint64_t end = p->now + PATIENCE; left && p->now < end; pair_run(p, 20)) {
        for (unsigned s = 1; s <= streams; s++)
            if (posted[s] < each && posted[s] - done[s] < 8) {
                pair_post_on(p, 0, s, pair_wqe(p, 0, s * 4096, s * 4096, posted[s] % 3 * 100));
                posted[s]++;
            }
        while (pair_poll(p, 0, &c)) {
            CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
            CU_ASSERT_EQUAL(c.msg, done[(unsigned)c.stream]);
            done[(unsigned)c.stream]++;
            left--;
        }
    }
    CU_ASSERT_EQUAL(left, 0);
}

/* tx_cpl by itself: items that wait at its inputs, and what it says. */
struct cpl_bench {
    struct tx_cpl k;
    struct start start[4];
    struct done done[4];
    unsigned starts, dones, start_at, done_at;
    unsigned cfg_from, cfg_to;  // steps in which a table write waits
    unsigned completions;
};

static void cpl_run(struct cpl_bench *b, unsigned steps)
{
    struct tx_cpl *k = &b->k;

    for (unsigned i = 0; i < steps; i++) {
        k->start.valid = b->start_at < b->starts;
        k->start.data = b->start[b->start_at % 4];
        k->done.valid = b->done_at < b->dones;
        k->done.data = b->done[b->done_at % 4];
        k->cfg.valid = i >= b->cfg_from && i < b->cfg_to;
        k->cfg.data = (struct cfg_write){.table = MR_TBL_KEY};
        k->start.ready = k->done.ready = k->cfg.ready = false;
        k->cpl.valid = k->retired.valid = k->stop_check.valid = k->stop_seg.valid = k->stop_sched.valid = false;
        k->cpl.ready = k->retired.ready = k->stop_check.ready = k->stop_seg.ready = k->stop_sched.ready = true;
        k->answered.ready = k->wait.ready = k->rfail.ready = true;
        tx_cpl_step(k);
        b->start_at += k->start.ready;
        b->done_at += k->done.ready;
        if (k->cfg.ready)
            b->cfg_to = 0;
        b->completions += k->cpl.valid;
    }
}

/** A packet was counted as acknowledged before its message had begun, and forgotten. */
static void completion__issue_acknowledged_before_begun(void)
{
    struct cpl_bench *b = calloc(1, sizeof *b);

    CU_ASSERT_PTR_NOT_NULL_FATAL(b);
    b->start[0] = (struct start){.stream = 1, .msg = 0, .packets = 1, .signaled = true};
    b->start[1] = (struct start){.stream = 2, .msg = 0, .packets = 1, .signaled = true};
    b->done[0] = (struct done){.stream = 2, .msg = 0};
    b->done[1] = (struct done){.stream = 1, .msg = 0};
    b->starts = b->dones = 2;
    cpl_run(b, 40);
    CU_ASSERT_EQUAL(b->completions, 2);
    free(b);
}

/** A table write in the same moment made the next message at the head forget its turn. */
static void completion__issue_forgotten_after_a_table_write(void)
{
    for (unsigned at = 0; at < 12; at++) {
        struct cpl_bench *b = calloc(1, sizeof *b);
        CU_ASSERT_PTR_NOT_NULL_FATAL(b);
        for (unsigned m = 0; m < 2; m++)
            b->start[m] = (struct start){.stream = 1, .msg = m, .packets = 1, .signaled = true};
        b->starts = 2;
        cpl_run(b, 10);
        // The second message is over first; a refused one of another stream ends in between.
        b->done[0] = (struct done){.stream = 1, .msg = 1};
        b->done[1] = (struct done){.stream = 1, .msg = 0};
        b->dones = 1;
        cpl_run(b, 10);
        b->start[2] = (struct start){.stream = 2, .msg = 0, .packets = 1, .err = MR_ERR_LOCAL_OP};
        b->dones = 2;
        cpl_run(b, 1);
        b->starts = 3;
        b->cfg_from = at;
        b->cfg_to = 40;
        cpl_run(b, 40);
        CU_ASSERT_EQUAL(b->completions, 3);
        free(b);
    }
}

static enum pair_fate lose_first(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    unsigned *times = arg;

    (void)p, (void)len;
    // One hole in every 200 numbers, kept open for a while: the window jumps when it closes.
    if (from == 0 && kind_of(f) == MR_KIND_DATA && psn_of(f) % 200 == 7 && ++*times % 4)
        return PAIR_LOSE;
    return PAIR_PASS;
}

/** New packets took the places of old ones in the slot store before those had been reported. */
static void slot__issue_place_taken_before_it_was_read(void)
{
    struct pair *p = pair_new(720, 1);
    unsigned times = 0;

    for (unsigned s = 0; s < 2; s++) {
        pair_write(p, s, MR_REG_CWND_INIT, 256);
        pair_write(p, s, MR_REG_WND_INIT, 1000);
        pair_connect(p, s, (struct pair_conn){.generation = 0x33, .paths = 1, .mtu = 256});
    }
    p->delay = 30;
    p->side[0].write_latency = 800;  // completions are slow, so reports wait
    p->fault = lose_first;
    p->fault_arg = &times;
    many_small(p, 60, 60);
    CU_ASSERT(times > 0);
    pair_free(p);
}

/** A source port that the host changes costs no packet and repeats none. */
static void path__a_port_changes_without_loss_or_repetition(void)
{
    struct pair *p = pair_new(730, 4);
    uint8_t entry[64];

    fill(p, 0, 0, 3 << 20);
    pair_post(p, 0, pair_wqe(p, 0, 0, 0, 3 << 20));
    for (unsigned k = 0; k < 40; k++) {
        pair_run(p, 900);
        mr_path_put(entry, (struct mr_path){
            .sport = (u(16))(50000 + 4 * k + k % 4), .state = MR_PATHST_PORT, .path = (u(8))(k % 4)});
        CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_PATH, k % 4, entry, MR_PATH_BYTES), 0);
    }
    CU_ASSERT_EQUAL(status_of(p, 0), MR_ERR_OK);
    CU_ASSERT_TRUE(same(p, 0, 0, 3 << 20));
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_RESENT), 0);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_DUP), 0);
    pair_free(p);
}

/** As many paths as a connection can have, all used. */
static void path__one_hundred_and_twenty_eight(void)
{
    struct pair *p = pair_new(740, 128);

    fill(p, 0, 0, 3 << 20);
    p->loss = 0.02;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 << 20), MR_ERR_OK);
    CU_ASSERT_TRUE(same(p, 0, 0, 3 << 20));
    CU_ASSERT_EQUAL(p->side[1].writes, 3 << 20);
    for (unsigned i = 0; i < 128; i++)
        CU_ASSERT(pair_tele(p, 0, 0, i).packets > 0);
    pair_free(p);
}

/** Marks the first four data packets of path 0. */
static enum pair_fate mark_some(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    unsigned *n = arg;

    (void)p, (void)len;
    if (from == 0 && kind_of(f) == MR_KIND_DATA && f[49] == 0 && (*n)++ < 4)
        mark_ce(f);
    return PAIR_PASS;
}

/** Packets of 256 that take path 0, with that policy. */
static uint32_t on_path_0(unsigned policy, bool marks)
{
    struct pair *p = pair_new(750, 4);
    unsigned n = 0;

    pair_write(p, 0, MR_REG_POLICY, policy);
    fill(p, 0, 0, 1 << 20);
    if (marks) {
        p->fault = mark_some;
        p->fault_arg = &n;
    }
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 1 << 20), MR_ERR_OK);
    uint32_t packets = (uint32_t)pair_tele(p, 0, 0, 0).packets;
    pair_free(p);
    return packets;
}

/**
 * Round robin takes paths in turn, marked or not; least loaded steers away from
 * the marked one, and comes back: once it never did while others had room.
 */
static void path__policy_of_choice(void)
{
    CU_ASSERT_EQUAL(on_path_0(MR_POLICY_TURN, false), 64);
    uint32_t least = on_path_0(MR_POLICY_LEAST, true);
    CU_ASSERT(least < on_path_0(MR_POLICY_TURN, true));
    CU_ASSERT(least > 20);
}

/** An entry whose paths would be another connection's is refused. */
static void path__bad_entries_are_refused(void)
{
    struct pair *p = pair_new(770, 1);
    uint8_t entry[64];

    mr_conn_put(entry, (struct mr_conn){.state = 1, .npaths = 9, .group = MR_GROUPS - 1});
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_CONN, 1, entry, MR_CONN_BYTES), 2);
    mr_conn_put(entry, (struct mr_conn){.state = 1, .npaths = 129});
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_CONN, 1, entry, MR_CONN_BYTES), 2);
    mr_conn_put(entry, (struct mr_conn){.state = 1, .npaths = 8, .group = MR_GROUPS - 1});
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_CONN, 1, entry, MR_CONN_BYTES), 0);
    mr_path_put(entry, (struct mr_path){.sport = 50000, .state = 3});
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_PATH, 8, entry, MR_PATH_BYTES), 2);
    mr_path_put(entry, (struct mr_path){.sport = 50000, .state = MR_PATHST_OPEN, .path = 128});
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_PATH, 8, entry, MR_PATH_BYTES), 2);
    pair_free(p);
}

/** The histogram counts every round trip time that was taken, in the right place. */
static void path__histogram(void)
{
    struct pair *p = pair_new(760, 1);
    uint32_t words[16], sum = 0;

    fill(p, 0, 0, 1 << 20);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 1 << 20), MR_ERR_OK);
    pair_write(p, 0, MR_REG_TBL_INDEX, 0);
    pair_write(p, 0, MR_REG_TBL_CMD, MR_TBLOP_READ << 24 | MR_TBL_HIST << 16);
    while (pair_read(p, 0, MR_REG_TBL_STATUS) == 1)
        continue;
    for (unsigned i = 0; i < 16; i++) {
        words[i] = pair_read(p, 0, MR_REG_TBL_DATA + 4 * i);
        sum += words[i];
    }
    CU_ASSERT_EQUAL(sum, (uint32_t)pair_tele(p, 0, 0, 0).acks);
    // The wire alone is 2 x 250 cycles, 2 us: nothing below 1.024 us.
    CU_ASSERT_EQUAL(words[0] + words[1] + words[2], 0);
    pair_free(p);
}

void test_issues_register(CU_pSuite s)
{
    CU_ADD_TEST(s, completion__issue_acknowledged_before_begun);
    CU_ADD_TEST(s, completion__issue_forgotten_after_a_table_write);
    CU_ADD_TEST(s, slot__issue_place_taken_before_it_was_read);
    CU_ADD_TEST(s, path__a_port_changes_without_loss_or_repetition);
    CU_ADD_TEST(s, path__one_hundred_and_twenty_eight);
    CU_ADD_TEST(s, path__policy_of_choice);
    CU_ADD_TEST(s, path__bad_entries_are_refused);
    CU_ADD_TEST(s, path__histogram);
}
