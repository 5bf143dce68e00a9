// SPDX-License-Identifier: BSD-2-Clause
/* test_streams.c - what many streams get of a connection and of a NIC, and that none waits for another. */
#include <math.h>

#include "nic_test.h"

/** Traffic of a test: what every stream of side 0 posts, and what went out of it. */
struct load {
    uint32_t len[PAIR_STREAMS];    // bytes per message; 0 = the stream rests
    unsigned depth;                // messages kept posted
    unsigned posted[PAIR_STREAMS], done[PAIR_STREAMS], failed[PAIR_STREAMS];
    uint64_t bytes[PAIR_STREAMS];  // first transmissions on the wire
    unsigned mark_every;           // this one of the data packets arrives with the CE mark; 0 = none
    unsigned seen;
};

/** Counts payload by the frame's stream; marks keep the window small. */
static enum pair_fate watch(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    struct load *l = arg;

    (void)p, (void)len;
    if (from != 0 || kind_of(f) != MR_KIND_DATA)
        return PAIR_PASS;
    if (!(f[44] & MR_FLAG_RESENT))
        l->bytes[f[60] % PAIR_STREAMS] += (unsigned)f[74] << 8 | f[75];
    if (l->mark_every && l->seen++ % l->mark_every == 0)
        mark_ce(f);
    return PAIR_PASS;
}

/** Streams 1 to n on connection 0, each with messages of len bytes. */
static struct pair *load_new(struct load *l, unsigned seed, unsigned paths, unsigned n, uint32_t len)
{
    struct pair *p = pair_new(seed, paths);

    *l = (struct load){.depth = 8};
    for (unsigned s = 1; s <= n; s++) {
        pair_stream(p, s, 0, 0);
        l->len[s] = len;
    }
    p->fault = watch;
    p->fault_arg = l;
    return p;
}

/** Runs with every queue kept filled. */
static void load_run(struct pair *p, struct load *l, uint64_t cycles)
{
    struct mr_cqe c;

    for (uint64_t end = p->now + cycles; p->now < end; pair_run(p, 100)) {
        while (pair_poll(p, 0, &c)) {
            unsigned s = (unsigned)c.stream;
            l->failed[s] += c.status != MR_ERR_OK;
            CU_ASSERT_EQUAL(c.msg, l->done[s]);
            l->done[s]++;
        }
        for (unsigned s = 1; s < PAIR_STREAMS; s++)
            if (l->len[s] && !l->failed[s])
                while (l->posted[s] - l->done[s] < l->depth) {
                    pair_post_on(p, 0, s, pair_wqe(p, 0, 0, 64 * s, l->len[s]));
                    l->posted[s]++;
                }
    }
}

/** Runs until everything posted is over. */
static void load_drain(struct pair *p, struct load *l)
{
    for (unsigned s = 1; s < PAIR_STREAMS; s++)
        for (unsigned i = 0; i < 1000 && l->done[s] != l->posted[s]; i++)
            load_run(p, l, 1000);
}

/** Bytes of each stream during so many cycles, after so many for the start. */
static uint64_t load_measure(struct pair *p, struct load *l, uint64_t warm, uint64_t cycles)
{
    uint64_t sum = 0;

    load_run(p, l, warm);
    memset(l->bytes, 0, sizeof l->bytes);
    load_run(p, l, cycles);
    for (unsigned s = 0; s < PAIR_STREAMS; s++)
        sum += l->bytes[s];
    return sum;
}

/** The stream has its share of the sum, within so many per cent of it. */
static void has_share(const struct load *l, unsigned s, uint64_t sum, double share, double per_cent)
{
    double got = (double)l->bytes[s] / (double)sum;

    if (fabs(got / share - 1) * 100 > per_cent)
        printf("\n  stream %u: %.4f of the bytes instead of %.4f", s, got, share);
    CU_ASSERT(fabs(got / share - 1) * 100 <= per_cent);
}

static void set_weights(struct pair *p)
{
    for (unsigned s = 1; s <= 4; s++)
        pair_stream(p, s, 0, 1u << (s - 1));
}

static void has_weights(const struct load *l, uint64_t sum)
{
    for (unsigned s = 1; s <= 4; s++)
        has_share(l, s, sum, (1u << (s - 1)) / 15.0, 10);
}

static void streams__equal_by_default(void)
{
    // The line sets the pace; then the window does.
    for (unsigned mark = 0; mark < 2; mark++) {
        struct load l;
        struct pair *p = load_new(&l, 600 + mark, 4, 8, 100000);
        l.mark_every = mark;
        uint64_t sum = load_measure(p, &l, 50000, mark ? 300000 : 100000);
        CU_ASSERT(mark || sum > 100000 * 45ull);
        for (unsigned s = 1; s <= 8; s++)
            has_share(&l, s, sum, 1 / 8.0, 5);
        pair_free(p);
    }
}

static void streams__weights_where_the_line_is_the_limit(void)
{
    struct load l;
    struct pair *p = load_new(&l, 610, 4, 4, 100000);

    set_weights(p);
    uint64_t sum = load_measure(p, &l, 50000, 200000);
    CU_ASSERT(sum > 200000 * 45ull);
    has_weights(&l, sum);
    pair_free(p);
}

static void streams__weights_where_the_window_is_the_limit(void)
{
    static const unsigned marks[] = {1, 10, 100};

    for (unsigned i = 0; i < 3; i++) {
        struct load l;
        struct pair *p = load_new(&l, 620 + i, 1, 4, 100000);
        l.mark_every = marks[i];
        set_weights(p);
        has_weights(&l, load_measure(p, &l, 100000, 300000));
        pair_free(p);
    }
}

/** Messages of 512 bytes get as many bytes as those of 100,000, and those whose last packet is short. */
static void streams__shares_are_bytes_not_packets(void)
{
    struct load l;
    struct pair *p = load_new(&l, 630, 2, 4, 100000);

    l.mark_every = 1;
    l.depth = 15;
    l.len[1] = 512;
    l.len[2] = 6144;
    uint64_t sum = load_measure(p, &l, 100000, 500000);
    for (unsigned s = 1; s <= 4; s++)
        has_share(&l, s, sum, 1 / 4.0, 10);
    pair_free(p);
}

/** A stream that has little to send does not keep the line from the others. */
static void streams__a_slow_one_leaves_the_line_to_others(void)
{
    struct load l;
    struct pair *p = load_new(&l, 640, 4, 3, 100000);

    l.len[1] = 64;
    l.depth = 60;
    uint64_t sum = load_measure(p, &l, 100000, 200000);
    CU_ASSERT(sum > 200000 * 45ull);
    CU_ASSERT(l.bytes[1] > 64 * 200000 / 100);  // turns by packets would give it one in 130 cycles
    has_share(&l, 2, sum - l.bytes[1], 1 / 2.0, 5);
    pair_free(p);
}

static void streams__an_error_disturbs_nobody(void)
{
    struct load l;
    struct pair *p = load_new(&l, 650, 4, 4, 50000);
    struct mr_wqe bad = pair_wqe(p, 0, 0, 0, 50000);

    l.mark_every = 3;
    load_run(p, &l, 50000);
    bad.rkey = 0x77777700;
    pair_post_on(p, 0, 2, bad);
    l.posted[2]++;
    uint64_t sum = load_measure(p, &l, 100000, 200000);
    CU_ASSERT_EQUAL(l.failed[2], 1);
    CU_ASSERT_EQUAL(l.bytes[2], 0);
    for (unsigned s = 1; s <= 4; s++) {
        CU_ASSERT(s == 2 || !l.failed[s]);
        if (s != 2)
            has_share(&l, s, sum, 1 / 3.0, 5);
    }
    pair_free(p);
}

static void streams__sixty_three_with_the_smallest_window(void)
{
    struct load l;
    struct pair *p = load_new(&l, 660, 1, 63, 9000);

    l.mark_every = 1;
    l.depth = 1;
    p->delay = 50;
    uint64_t sum = load_measure(p, &l, 100000, 1200000);
    CU_ASSERT_EQUAL(pair_tele(p, 0, 0, 0).cwnd, 2);
    for (unsigned s = 1; s <= 63; s++)
        has_share(&l, s, sum, 1 / 63.0, 10);
    pair_free(p);
}

/** The window opens and closes again and again, by bursts of losses of acknowledgments. */
static enum pair_fate bursts(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    if (from == 1 && kind_of(f) == MR_KIND_PATH && p->now / 4000 % 2)
        return PAIR_LOSE;
    return watch(p, from, f, len, arg);
}

static void streams__nobody_is_forgotten(void)
{
    for (unsigned seed = 0; seed < 6; seed++) {
        struct load l;
        struct pair *p = load_new(&l, 670 + seed, 1 + seed % 4, 40, 3000 + 2000 * seed);
        p->fault = bursts;
        p->loss = 0.01;
        l.mark_every = seed % 2 ? 20 : 0;
        l.depth = 1 + seed % 3;
        for (unsigned i = 0; i < 4; i++) {
            unsigned before[PAIR_STREAMS];
            memcpy(before, l.done, sizeof before);
            load_run(p, &l, 100000);
            for (unsigned s = 1; s <= 40; s++)
                CU_ASSERT(l.done[s] > before[s]);
        }
        // And all that was posted is carried out.
        for (unsigned s = 1; s <= 40; s++)
            l.len[s] = 0;
        load_drain(p, &l);
        for (unsigned s = 1; s <= 40; s++)
            CU_ASSERT_EQUAL(l.done[s], l.posted[s]);
        pair_free(p);
    }
}

/** Stalled ones: without a connection, in error, without work. */
static void streams__stalled_ones_block_nobody(void)
{
    struct load l;
    struct pair *p = load_new(&l, 680, 4, 5, 60000);
    struct mr_wqe bad = pair_wqe(p, 0, 0, 0, 10000);

    pair_stream(p, 1, 5, 255);  // connection 5 is not open
    bad.rkey = 0;
    pair_post_on(p, 0, 2, bad);
    l.posted[2]++;
    l.len[3] = 0;
    uint64_t sum = load_measure(p, &l, 100000, 200000);
    CU_ASSERT_EQUAL(l.done[1] + l.bytes[1], 0);
    CU_ASSERT_EQUAL(l.failed[2], 1);
    CU_ASSERT(sum > 200000 * 45ull);
    has_share(&l, 4, sum, 1 / 2.0, 5);
    // One that comes back to work finds its share again.
    l.len[3] = 60000;
    sum = load_measure(p, &l, 50000, 200000);
    has_share(&l, 3, sum, 1 / 3.0, 5);
    pair_free(p);
}

/** A lone small message among streams with much to send is through in a few rounds. */
static void streams__a_newcomer_is_served_at_once(void)
{
    struct load l;
    struct pair *p = load_new(&l, 690, 4, 7, 100000);

    load_run(p, &l, 100000);
    pair_stream(p, 20, 0, 0);
    for (unsigned i = 0; i < 20; i++) {
        pair_post_on(p, 0, 20, pair_wqe(p, 0, 0, 0, 64));
        l.posted[20]++;
        load_run(p, &l, 5000);
        CU_ASSERT_EQUAL(l.done[20], i + 1);
    }
    pair_free(p);
}

/** An entry that is rewritten while its stream waits for the window begins anew; the others do not notice. */
static void streams__a_rewritten_entry_begins_anew(void)
{
    struct load l;
    struct pair *p = load_new(&l, 695, 1, 10, 30000);
    struct mr_wqe bad = pair_wqe(p, 0, 0, 0, 20000);
    unsigned waited = 0;

    l.mark_every = 6;
    l.len[3] = 0;
    bad.sge_key = 0;
    load_run(p, &l, 50000);
    for (unsigned i = 0; i < 20; i++) {
        // One packet of it is found to be bad; with the others the stream stands in the queue.
        pair_post_on(p, 0, 3, bad);
        l.posted[3]++;
        for (unsigned j = 0; j < 1000 && !l.failed[3]; j++)
            load_run(p, &l, 100);
        CU_ASSERT_EQUAL_FATAL(l.failed[3], 1);
        waited += p->side[0].nic->tx_seg.rows[3].queued;
        load_run(p, &l, i % 4 * 500);
        pair_stream(p, 3, 0, 0);
        l.posted[3] = l.done[3] = l.failed[3] = 0;
        for (unsigned j = 0; j < 5; j++)
            pair_post_on(p, 0, 3, pair_wqe(p, 0, 0, 0, 5000));
        l.posted[3] = 5;
        for (unsigned j = 0; j < 1000 && l.done[3] < 5; j++)
            load_run(p, &l, 1000);
        CU_ASSERT_EQUAL(l.done[3], 5);
        CU_ASSERT_EQUAL(l.failed[3], 0);
    }
    CU_ASSERT(waited > 10);
    uint64_t sum = load_measure(p, &l, 50000, 200000);
    for (unsigned s = 1; s <= 10; s++)
        if (s != 3)
            has_share(&l, s, sum, 1 / 9.0, 10);
    pair_free(p);
}

/** tx_seg alone, with a tx_path that answers every packet after `delay` cycles. */
struct seg_rig {
    struct tx_seg k;
    unsigned delay;
    struct pkt at_path[16];
    unsigned due[16], head, count, now;
    unsigned packets[4];  // by stream
    bool cfg_valid;
};

static void rig_step(struct seg_rig *g, struct msg *m)
{
    struct tx_seg *k = &g->k;
    struct pkt p = g->at_path[g->head % 16];

    k->cfg.valid = g->cfg_valid;
    k->cfg.ready = k->stop.ready = k->verdict.ready = k->msg.ready = false;
    k->pkt.valid = k->start.valid = k->cut.valid = k->rcut.valid = false;
    k->pkt.ready = g->count < 16;
    k->start.ready = k->cut.ready = k->rcut.ready = k->op.ready = true;
    k->verdict.valid = g->count && g->due[g->head % 16] <= g->now;
    k->verdict.data = (struct verdict){.kind = VERDICT_SENT, .stream = p.stream, .conn = p.conn,
        .len = p.len, .last = (p.flags & MR_FLAG_LAST) != 0};
    k->msg.valid = m != NULL;
    if (m)
        k->msg.data = *m;
    tx_seg_step(k);
    g->now++;
    if (k->verdict.ready) {
        g->head++;
        g->count--;
        g->packets[(unsigned)p.stream]++;
    }
    if (k->pkt.valid) {
        g->at_path[(g->head + g->count) % 16] = k->pkt.data;
        g->due[(g->head + g->count++) % 16] = g->now + g->delay;
    }
}

static void rig_table(struct seg_rig *g, unsigned table, unsigned index, const void *entry, unsigned bytes)
{
    g->k.cfg.data = (struct cfg_write){.table = (u(8))table, .index = (u(16))index};
    memcpy(&g->k.cfg.data.bits, entry, bytes);
    g->cfg_valid = true;
    do
        rig_step(g, NULL);
    while (!g->k.cfg.ready);
    g->cfg_valid = false;
}

/** Streams 1 with 64 bytes and 2 with 4,096 per message, both always with work; packets of stream 2 in 10,000 cycles. */
static unsigned rig_run(unsigned delay)
{
    struct seg_rig *g = calloc(1, sizeof *g);
    unsigned slot[3] = {0}, got;
    uint8_t entry[64];

    g->delay = delay;
    mr_conn_put(entry, (struct mr_conn){.state = 1, .mtu = 4096});
    rig_table(g, MR_TBL_CONN, 0, entry, MR_CONN_BYTES);
    mr_stream_put(entry, (struct mr_stream){.state = 1});
    rig_table(g, MR_TBL_STREAM, 1, entry, MR_STREAM_BYTES);
    rig_table(g, MR_TBL_STREAM, 2, entry, MR_STREAM_BYTES);
    for (unsigned s = 1; g->now < 10000; s = 3 - s) {
        struct msg m = {.stream = (u(16))s, .slot = (u(MR_AHEAD_LOG2))slot[s], .length = s == 1 ? 64 : 4096};
        if (slot[s] - g->packets[s] == MR_AHEAD) {
            rig_step(g, NULL);
            continue;
        }
        do
            rig_step(g, &m);
        while (!g->k.msg.ready);
        slot[s]++;
    }
    got = g->packets[2];
    CU_ASSERT(g->packets[1] > 10000 / (delay + 8));
    free(g);
    return got;
}

/** A round waits for its streams at tx_path where that costs nothing, and only there. */
static void streams__a_round_waits_for_a_slow_path_only(void)
{
    CU_ASSERT(rig_run(8) > 10000 / 20);    // each as fast as it can
    CU_ASSERT(rig_run(60) < 10000 / 60 / 20);  // as many bytes as the other
}

void test_streams_register(CU_pSuite s)
{
    CU_ADD_TEST(s, streams__equal_by_default);
    CU_ADD_TEST(s, streams__weights_where_the_line_is_the_limit);
    CU_ADD_TEST(s, streams__weights_where_the_window_is_the_limit);
    CU_ADD_TEST(s, streams__shares_are_bytes_not_packets);
    CU_ADD_TEST(s, streams__a_slow_one_leaves_the_line_to_others);
    CU_ADD_TEST(s, streams__an_error_disturbs_nobody);
    CU_ADD_TEST(s, streams__sixty_three_with_the_smallest_window);
    CU_ADD_TEST(s, streams__nobody_is_forgotten);
    CU_ADD_TEST(s, streams__stalled_ones_block_nobody);
    CU_ADD_TEST(s, streams__a_newcomer_is_served_at_once);
    CU_ADD_TEST(s, streams__a_rewritten_entry_begins_anew);
    CU_ADD_TEST(s, streams__a_round_waits_for_a_slow_path_only);
}
