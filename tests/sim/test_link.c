// SPDX-License-Identifier: BSD-2-Clause
#include "link.h"

#include <stdlib.h>
#include <string.h>

#include "sim_test.h"

#define GOT_MAX 40000

/** What a receiver saw of a frame. */
struct got {
    uint64_t ps; // cycle of the last beat
    uint32_t seq;
    uint16_t sport;
    uint8_t tos;
    bool err;
    bool sum_ok;
    uint32_t len;
};

struct rig {
    struct sim_link *l;
    uint64_t cycle;
    size_t n;
    struct got got[GOT_MAX];
    uint8_t f[SIM_FRAME_MAX];
    size_t at;
};

static struct rig *rig_new(const struct sim_link_cfg *cfg)
{
    struct rig *r = calloc(1, sizeof *r);
    r->l = sim_link_new(cfg);
    CU_ASSERT_PTR_NOT_NULL_FATAL(r->l);
    return r;
}

static void rig_free(struct rig *r)
{
    sim_link_free(r->l);
    free(r);
}

static void rig_beat(struct rig *r, const struct sim_beat *b)
{
    memcpy(&r->f[r->at], b->data, b->n);
    r->at += b->n;
    if (!b->last)
        return;
    if (r->n < GOT_MAX)
        r->got[r->n++] = (struct got){
            .ps = r->cycle * SIM_CYCLE_PS,
            .seq = frame_seq(r->f, r->at),
            .sport = (uint16_t)(r->f[34] << 8 | r->f[35]),
            .tos = r->f[15],
            .err = b->err,
            .sum_ok = (r->f[24] << 8 | r->f[25]) == frame_sum(r->f),
            .len = (uint32_t)r->at,
        };
    r->at = 0;
}

/** Runs receiver NIC 1 until the given time. */
static void rig_run(struct rig *r, uint64_t until_ps)
{
    struct sim_io io = {};
    while (r->cycle * SIM_CYCLE_PS < until_ps) {
        sim_link_sync(r->l);
        sim_link_drive(r->l, 1, r->cycle * SIM_CYCLE_PS, &io);
        io.rx_ready = true;
        if (io.rx_valid)
            rig_beat(r, &io.rx);
        sim_link_take(r->l, 1, r->cycle * SIM_CYCLE_PS, &io);
        r->cycle++;
    }
}

/** Sends n frames from NIC 0 to NIC 1, one per gap; ports walk over `ports` values. */
static void rig_send(struct rig *r, unsigned n, size_t len, uint64_t gap_ps, unsigned ports)
{
    uint8_t f[SIM_FRAME_MAX];
    for (unsigned i = 0; i < n; i++) {
        frame_make(f, len, 4, 0, 1, (uint16_t)(50000 + i % ports), 2, i);
        uint64_t at = r->cycle * SIM_CYCLE_PS + gap_ps;
        sim_link_send(r->l, 0, at, f, len);
        rig_run(r, at);
    }
    rig_run(r, r->cycle * SIM_CYCLE_PS + 200'000'000);
}

static struct sim_lane_stats lane_sum(struct sim_link *l, uint32_t src, uint32_t dst)
{
    struct sim_lane_stats t = {};
    for (uint32_t i = 0; i < sim_link_cfg(l)->routes; i++) {
        const struct sim_lane_stats *s = sim_link_lane_stats(l, src, dst, i);
        t.frames += s->frames;
        t.lost += s->lost;
        t.holed += s->holed;
        t.dup += s->dup;
        t.corrupted += s->corrupted;
        t.marked += s->marked;
        t.tail += s->tail;
        t.over += s->over;
    }
    return t;
}

static void send__delay(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.lane.delay_ns = 5000;
    struct rig *r = rig_new(&c);
    rig_send(r, 1, 1000, 100'000, 1);
    CU_ASSERT_EQUAL_FATAL(r->n, 1);
    // sent at 100 ns, 5 us of delay, the egress sends 8 + 1000 bytes of 80 ps each; seen at a clock edge
    uint64_t due = 100'000 + 5'000'000 + 1008 * 80;
    CU_ASSERT(r->got[0].ps >= due && r->got[0].ps < due + 2 * SIM_CYCLE_PS);
    CU_ASSERT_EQUAL(r->got[0].len, 1000);
    rig_free(r);
}

static void send__loss_rate(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.lane.loss = 0.01;
    c.lane.dup = 0.02;
    c.lane.corrupt = 0.03;
    struct rig *r = rig_new(&c);
    rig_send(r, 20000, 100, 20'000, 64);
    struct sim_lane_stats s = lane_sum(r->l, 0, 1);
    CU_ASSERT_EQUAL(s.frames, 20000);
    CU_ASSERT(s.lost > 140 && s.lost < 260); // 200, 4 sigma = 57
    CU_ASSERT(s.dup > 310 && s.dup < 480);   // 396
    CU_ASSERT(s.corrupted > 490 && s.corrupted < 700); // 594
    CU_ASSERT_EQUAL(r->n, 20000 - s.lost + s.dup);
    uint64_t bad = 0;
    for (size_t i = 0; i < r->n; i++)
        bad += r->got[i].err;
    CU_ASSERT(bad >= s.corrupted && bad <= s.corrupted + s.dup);
    rig_free(r);
}

static void send__silent_corruption_damages(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.lane.corrupt = 1;
    c.lane.corrupt_silent = true;
    struct rig *r = rig_new(&c);
    uint8_t f[200];
    frame_make(f, sizeof f, 4, 0, 1, 1, 2, 5);
    for (int i = 0; i < 50; i++) {
        sim_link_send(r->l, 0, r->cycle * SIM_CYCLE_PS, f, sizeof f);
        rig_run(r, r->cycle * SIM_CYCLE_PS + 2'000'000);
        CU_ASSERT_EQUAL_FATAL(r->n, (size_t)i + 1);
        CU_ASSERT_FALSE(r->got[i].err);
        int flipped = 0;
        for (size_t k = 0; k < sizeof f; k++)
            flipped += __builtin_popcount(f[k] ^ r->f[k]);
        CU_ASSERT(flipped >= 1 && flipped <= 3);
    }
    rig_free(r);
}

static void send__no_reordering_inside_a_route(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.lane.jitter_ns = 3000;
    c.lane.loss = 0.05;
    struct rig *r = rig_new(&c);
    CU_ASSERT_EQUAL(sim_lane_edit(r->l, "*:*:1:delay=4000"), 0);
    rig_send(r, 5000, 200, 20'000, 32);
    uint32_t last[4] = {};
    uint32_t newest = 0;
    unsigned reordered = 0;
    uint8_t f[60];
    for (size_t i = 0; i < r->n; i++) {
        frame_make(f, sizeof f, 4, 0, 1, r->got[i].sport, 2, 0);
        uint32_t route = sim_link_route(r->l, f, sizeof f);
        CU_ASSERT(r->got[i].seq >= last[route]);
        last[route] = r->got[i].seq;
        reordered += r->got[i].seq < newest;
        if (r->got[i].seq > newest)
            newest = r->got[i].seq;
    }
    CU_ASSERT(r->n > 4500 && reordered > 500); // but between routes there is
    rig_free(r);
}

static void send__same_seed_same_run(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.lane.loss = 0.1;
    c.lane.jitter_ns = 500;
    c.lane.dup = 0.05;
    struct rig *a = rig_new(&c);
    struct rig *b = rig_new(&c);
    c.seed = 2;
    struct rig *d = rig_new(&c);
    rig_send(a, 3000, 120, 30'000, 16);
    rig_send(b, 3000, 120, 30'000, 16);
    rig_send(d, 3000, 120, 30'000, 16);
    CU_ASSERT(a->n == b->n && memcmp(a->got, b->got, a->n * sizeof a->got[0]) == 0);
    CU_ASSERT(a->n != d->n || memcmp(a->got, d->got, a->n * sizeof a->got[0]) != 0);
    rig_free(a);
    rig_free(b);
    rig_free(d);
}

/** What one lane loses does not depend on how many lanes there are, nor on its jitter. */
static void send__lanes_are_independent(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    uint64_t lost[3][200];
    for (int k = 0; k < 3; k++) {
        c.nics = k == 0 ? 2 : 3;
        c.routes = 1;
        c.lane.loss = 0.2;
        c.lane.jitter_ns = k == 2 ? 100 : 0;
        struct sim_link *l = sim_link_new(&c);
        uint8_t f[60];
        for (unsigned i = 0; i < 200; i++) {
            frame_make(f, sizeof f, 4, 0, 1, 1, 2, i);
            sim_link_send(l, 0, i * 100'000, f, sizeof f);
            lost[k][i] = sim_link_lane_stats(l, 0, 1, 0)->lost;
            if (k) {
                frame_make(f, sizeof f, 4, 2, 1, 1, 2, i);
                sim_link_send(l, 2, i * 100'000, f, sizeof f);
            }
        }
        sim_link_free(l);
    }
    CU_ASSERT(memcmp(lost[0], lost[1], sizeof lost[0]) == 0);
    CU_ASSERT(memcmp(lost[0], lost[2], sizeof lost[0]) == 0);
    CU_ASSERT(lost[0][199] > 15 && lost[0][199] < 65);
}

static void send__hole(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    struct rig *r = rig_new(&c);
    CU_ASSERT_EQUAL(sim_lane_edit(r->l, "*:*:*:hole=10-20"), 0);
    rig_send(r, 300, 100, 100'000, 1); // every 100 ns, from 0.1 to 30 us
    struct sim_lane_stats s = lane_sum(r->l, 0, 1);
    CU_ASSERT_EQUAL(s.holed, 100);
    CU_ASSERT_EQUAL(r->n, 200);
    rig_free(r);
}

static void send__ecn_and_tail_drop(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.nics = 3;
    c.ecn = 20'000;
    c.queue = 200'000;
    struct rig *r = rig_new(&c);
    uint8_t f[1500];
    // two senders at line rate into one port: the queue grows by one frame per frame time
    for (unsigned i = 0; i < 200; i++) {
        uint64_t at = i * (1524 * 80);
        for (uint32_t src = 0; src <= 2; src += 2) {
            frame_make(f, sizeof f, 4, src, 1, 7, (uint8_t)(src ? 2 : 0), i);
            sim_link_send(r->l, src, at, f, sizeof f);
        }
    }
    rig_run(r, 100'000'000);
    struct sim_lane_stats a = lane_sum(r->l, 0, 1);
    struct sim_lane_stats b = lane_sum(r->l, 2, 1);
    CU_ASSERT_EQUAL(a.marked, 0); // cannot do ECN
    CU_ASSERT(b.marked > 50);
    CU_ASSERT(a.tail + b.tail > 50);
    CU_ASSERT_EQUAL(r->n, 400 - a.tail - b.tail);
    uint64_t marks = 0;
    for (size_t i = 0; i < r->n; i++) {
        CU_ASSERT(r->got[i].sum_ok);
        marks += (r->got[i].tos & 3) == 3;
    }
    CU_ASSERT_EQUAL(marks, b.marked);
    CU_ASSERT(sim_link_port_stats(r->l, 1)->peak_queue > 200'000);
    rig_free(r);
}

static void send__egress_is_line_rate(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.routes = 1;
    struct rig *r = rig_new(&c);
    uint8_t f[1000];
    for (unsigned i = 0; i < 500; i++) { // all at once
        frame_make(f, sizeof f, 4, 0, 1, 1, 2, i);
        sim_link_send(r->l, 0, 0, f, sizeof f);
    }
    rig_run(r, 100'000'000);
    CU_ASSERT_EQUAL_FATAL(r->n, 500);
    uint64_t took = r->got[499].ps - r->got[0].ps;
    CU_ASSERT(took >= 499 * 1024 * 80 - SIM_CYCLE_PS && took <= 499 * 1024 * 80 + SIM_CYCLE_PS);
    rig_free(r);
}

static void lane__rate_limit(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    struct rig *r = rig_new(&c);
    CU_ASSERT_EQUAL(sim_lane_edit(r->l, "0:1:*:rate=10"), 0);
    CU_ASSERT_EQUAL(sim_lane_edit(r->l, "0:1:*:queue=100"), 0);
    CU_ASSERT_EQUAL(sim_lane_edit(r->l, "0:1:*:ecn=50"), 0);
    uint8_t f[1000];
    for (unsigned i = 0; i < 500; i++) {
        frame_make(f, sizeof f, 4, 0, 1, 1, 2, i);
        sim_link_send(r->l, 0, 0, f, sizeof f);
    }
    rig_run(r, 200'000'000);
    struct sim_lane_stats s = lane_sum(r->l, 0, 1);
    CU_ASSERT(s.over > 390 && s.over < 405); // 100 KiB stay
    CU_ASSERT(s.marked > 45 && s.marked < 55); // behind the first 50 KiB
    CU_ASSERT_EQUAL_FATAL(r->n, 500 - s.over);
    uint64_t gap = (r->got[r->n - 1].ps - r->got[0].ps) / (r->n - 1);
    CU_ASSERT(gap > 1024 * 800 - 100 && gap < 1024 * 800 + 100);
    rig_free(r);
}

/** A NIC that offers a beat in every cycle gets exactly the line rate, whatever the frame length. */
static void tx__rate_with_overhead(void)
{
    static const size_t lens[] = {1, 60, 61, 64, 65, 200, 1500, 4178, 9000};
    for (size_t k = 0; k < sizeof lens / sizeof lens[0]; k++) {
        struct sim_link_cfg c = sim_link_defaults();
        struct sim_link *l = sim_link_new(&c);
        struct sim_io io = {};
        size_t at = 0;
        const uint64_t cycles = 100'000;
        for (uint64_t i = 0; i < cycles; i++) {
            sim_link_sync(l);
            sim_link_drive(l, 0, i * SIM_CYCLE_PS, &io);
            size_t left = lens[k] - at;
            io.tx_valid = true;
            io.tx.n = (uint8_t)(left < 64 ? left : 64);
            io.tx.last = left <= 64;
            if (io.tx_ready)
                at = io.tx.last ? 0 : at + io.tx.n;
            sim_link_take(l, 0, i * SIM_CYCLE_PS, &io);
        }
        size_t len = lens[k] < 60 ? 60 : lens[k];
        double wire = (double)(len + 24) * 80;
        double beats = (double)((lens[k] + 63) / 64) * SIM_CYCLE_PS; // the NIC's own limit
        double due = (double)cycles * SIM_CYCLE_PS / (wire > beats ? wire : beats);
        double got = (double)sim_link_port_stats(l, 0)->tx_frames;
        CU_ASSERT(got > due - 2 && got < due + 8);
        CU_ASSERT_EQUAL(sim_link_port_stats(l, 0)->tx_underrun, 0);
        sim_link_free(l);
    }
}

static void tx__pads_and_counts_underrun(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    struct rig *r = rig_new(&c);
    uint8_t f[128];
    frame_make(f, sizeof f, 4, 0, 1, 1, 2, 0);
    struct sim_io io = {.tx_ready = true, .tx_valid = true};
    memcpy(io.tx.data, f, 42);
    io.tx.n = 42;
    io.tx.last = true;
    sim_link_take(r->l, 0, 0, &io);
    memcpy(io.tx.data, f, 64);
    io.tx.n = 64;
    io.tx.last = false;
    sim_link_take(r->l, 0, 1'000'000, &io);
    io.tx.last = true;
    sim_link_take(r->l, 0, 2'000'000, &io); // a microsecond later: a real MAC had nothing to send
    rig_run(r, 10'000'000);
    CU_ASSERT_EQUAL_FATAL(r->n, 2);
    CU_ASSERT_EQUAL(r->got[0].len, 60);
    CU_ASSERT_EQUAL(r->got[1].len, 128);
    CU_ASSERT_EQUAL(sim_link_port_stats(r->l, 0)->tx_underrun, 1);
    rig_free(r);
}

static void rx__overrun_drops_whole_frames(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.fifo = 4000;
    struct rig *r = rig_new(&c);
    uint8_t f[1000];
    struct sim_io io = {};
    for (unsigned i = 0; i < 10; i++) {
        frame_make(f, sizeof f, 4, 0, 1, 1, 2, i);
        sim_link_send(r->l, 0, 0, f, sizeof f);
    }
    sim_link_sync(r->l);
    for (uint64_t t = 0; t < 20'000'000; t += SIM_CYCLE_PS) { // never ready
        sim_link_drive(r->l, 1, t, &io);
        sim_link_take(r->l, 1, t, &io);
    }
    r->cycle = 5000;
    rig_run(r, 40'000'000);
    CU_ASSERT_EQUAL_FATAL(r->n, 4);
    CU_ASSERT_EQUAL(r->got[3].seq, 3);
    CU_ASSERT_EQUAL(sim_link_port_stats(r->l, 1)->rx_overrun, 6);
    rig_free(r);
}

static void send__nowhere_and_flood(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.nics = 3;
    struct rig *r = rig_new(&c);
    uint8_t f[60];
    frame_make(f, sizeof f, 4, 0, 7, 1, 2, 0);
    sim_link_send(r->l, 0, 0, f, sizeof f);
    CU_ASSERT_EQUAL(sim_link_port_stats(r->l, 0)->tx_nowhere, 1);
    memset(f, 0xff, 6);
    f[12] = 0x08;
    f[13] = 0x06; // ARP
    sim_link_send(r->l, 0, 0, f, sizeof f);
    CU_ASSERT_EQUAL(lane_sum(r->l, 0, 0).frames, 0);
    CU_ASSERT_EQUAL(lane_sum(r->l, 0, 1).frames, 1);
    CU_ASSERT_EQUAL(lane_sum(r->l, 0, 2).frames, 1);
    rig_free(r);
}

/** A frame from NIC 0 to the address of NIC 1 on a plane. */
static void plane_frame(uint8_t *f, size_t len, int version, uint16_t sport, uint8_t plane)
{
    frame_make(f, len, version, 0, 1, sport, 2, 0);
    f[version == 4 ? 32 : 52] = plane; // last byte but one of the destination
}

static void planes__own_routes(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.routes = 8;
    c.planes = 4;
    struct sim_link *l = sim_link_new(&c);
    CU_ASSERT_PTR_NOT_NULL_FATAL(l);
    uint8_t f[100];
    for (unsigned i = 0; i < 800; i++) {
        uint8_t plane = i & 3;
        plane_frame(f, sizeof f, i & 4 ? 6 : 4, (uint16_t)(50000 + i), plane);
        uint32_t route = sim_link_route(l, f, sizeof f);
        uint64_t before = sim_link_lane_stats(l, 0, 1, route)->frames;
        CU_ASSERT_EQUAL(route / 2, plane);
        sim_link_send(l, 0, i * 100'000, f, sizeof f);
        CU_ASSERT_EQUAL(sim_link_lane_stats(l, 0, 1, route)->frames, before + 1);
    }
    for (uint32_t r = 0; r < 8; r++)
        CU_ASSERT(sim_link_lane_stats(l, 0, 1, r)->frames > 70); // 100 of each
    // what is not IP goes by the MAC address
    memset(f, 0, sizeof f);
    memcpy(f, sim_link_addr(l, 1)->mac, 6);
    f[5] ^= 3;
    CU_ASSERT_EQUAL(sim_link_route(l, f, sizeof f), 6);
    sim_link_free(l);
}

static void planes__unknown_goes_nowhere(void)
{
    for (uint32_t planes = 1; planes <= 2; planes++) {
        struct sim_link_cfg c = sim_link_defaults();
        c.planes = planes;
        struct sim_link *l = sim_link_new(&c);
        uint8_t f[100];
        for (int version = 4; version <= 6; version += 2)
            for (uint32_t k = 0; k < 8; k++) {
                plane_frame(f, sizeof f, version, 50000, (uint8_t)(planes << k));
                sim_link_send(l, 0, 0, f, sizeof f);
            }
        CU_ASSERT_EQUAL(sim_link_port_stats(l, 0)->tx_nowhere, 16 - 2 * (planes - 1)); // 2 << 7 is plane 0
        CU_ASSERT_EQUAL(lane_sum(l, 0, 1).frames, 2 * (planes - 1));
        sim_link_free(l);
    }
}

/** No two of 72 NICs on 8 planes share an address. */
static void planes__addresses_differ(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.nics = SIM_NICS_MAX;
    c.routes = c.planes = SIM_PLANES_MAX;
    struct sim_link *l = sim_link_new(&c);
    CU_ASSERT_PTR_NOT_NULL_FATAL(l);
    for (uint32_t n = 0; n < c.nics * c.planes; n++) {
        struct sim_addr a = *sim_link_addr(l, n / c.planes);
        uint8_t f[3][64] = {};
        memcpy(f[0], (uint8_t[]){[12] = 8, 0, 0x45}, 15);
        memcpy(f[1], (uint8_t[]){[12] = 0x86, 0xdd, 0x60}, 15);
        memcpy(f[0] + 30, a.ip4, 4);
        memcpy(f[1] + 38, a.ip6, 16);
        memcpy(f[2], a.mac, 6);
        f[0][32] ^= n % c.planes;
        f[1][52] ^= n % c.planes;
        f[2][5] ^= n % c.planes;
        for (unsigned k = 0; k < 3; k++) {
            struct sim_frame_info i = sim_frame_parse(f[k], sizeof f[k]);
            unsigned owners = 0;
            for (uint32_t d = 0; d < c.nics; d++)
                owners += sim_frame_to(f[k], &i, sim_link_addr(l, d), c.planes) >= 0;
            CU_ASSERT_EQUAL(owners, 1);
            CU_ASSERT_EQUAL(sim_frame_to(f[k], &i, &a, c.planes), (int)(n % c.planes));
        }
    }
    sim_link_free(l);
}

static void planes__bad_count(void)
{
    static const uint32_t bad[][2] = {{4, 0}, {9, 9}, {4, 3}, {1, 2}};
    struct sim_link_cfg c = sim_link_defaults();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        c.routes = bad[i][0];
        c.planes = bad[i][1];
        CU_ASSERT_PTR_NULL(sim_link_new(&c));
    }
}

static void lane_edit__plane(void)
{
    struct sim_link_cfg c = sim_link_defaults();
    c.planes = 2;
    struct sim_link *l = sim_link_new(&c);
    CU_ASSERT_EQUAL(sim_lane_edit(l, "0:*:p1:loss=0.5"), 0);
    for (uint32_t r = 0; r < 4; r++) {
        CU_ASSERT_EQUAL(sim_link_lane(l, 0, 1, r)->loss, r >= 2 ? 0.5 : 0);
        CU_ASSERT_EQUAL(sim_link_lane(l, 1, 0, r)->loss, 0);
    }
    CU_ASSERT_NOT_EQUAL(sim_lane_edit(l, "0:*:p2:loss=0.5"), 0);
    CU_ASSERT_NOT_EQUAL(sim_lane_edit(l, "0:*:p*:loss=0.5"), 0);
    CU_ASSERT_NOT_EQUAL(sim_lane_edit(l, "0:p1:*:loss=0.5"), 0);
    sim_link_free(l);
}

static void lane_edit__bad_text(void)
{
    static const char *const bad[] = {
        "", "0", "0:0:0:", "0:0:0:loss", "0:0:0:loss=", "0:0:0:loss=2", "0:0:0:loss=-1", "0:0:0:los=0",
        "2:0:0:loss=0", "0:0:4:loss=0", "-1:0:0:loss=0", "0:0:0:loss=nan", "0:0:0:hole=5", "0:0:0:hole=9-5",
        "0:0:0:silent=2", "x:*:*:loss=0",
    };
    struct sim_link_cfg c = sim_link_defaults();
    struct sim_link *l = sim_link_new(&c);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CU_ASSERT_NOT_EQUAL(sim_lane_edit(l, bad[i]), 0);
    CU_ASSERT_EQUAL(sim_lane_edit(l, "0:1:2:loss=0.5"), 0);
    CU_ASSERT_EQUAL(sim_link_lane(l, 0, 1, 2)->loss, 0.5);
    CU_ASSERT_EQUAL(sim_link_lane(l, 0, 1, 1)->loss, 0);
    sim_link_free(l);
}

void test_link_add(void)
{
    CU_pSuite s = test_suite("link");
    test_add(s, "send__delay", send__delay);
    test_add(s, "send__loss_rate", send__loss_rate);
    test_add(s, "send__silent_corruption_damages", send__silent_corruption_damages);
    test_add(s, "send__no_reordering_inside_a_route", send__no_reordering_inside_a_route);
    test_add(s, "send__same_seed_same_run", send__same_seed_same_run);
    test_add(s, "send__lanes_are_independent", send__lanes_are_independent);
    test_add(s, "send__hole", send__hole);
    test_add(s, "send__ecn_and_tail_drop", send__ecn_and_tail_drop);
    test_add(s, "send__egress_is_line_rate", send__egress_is_line_rate);
    test_add(s, "lane__rate_limit", lane__rate_limit);
    test_add(s, "tx__rate_with_overhead", tx__rate_with_overhead);
    test_add(s, "tx__pads_and_counts_underrun", tx__pads_and_counts_underrun);
    test_add(s, "rx__overrun_drops_whole_frames", rx__overrun_drops_whole_frames);
    test_add(s, "send__nowhere_and_flood", send__nowhere_and_flood);
    test_add(s, "planes__own_routes", planes__own_routes);
    test_add(s, "planes__unknown_goes_nowhere", planes__unknown_goes_nowhere);
    test_add(s, "planes__addresses_differ", planes__addresses_differ);
    test_add(s, "planes__bad_count", planes__bad_count);
    test_add(s, "lane_edit__plane", lane_edit__plane);
    test_add(s, "lane_edit__bad_text", lane_edit__bad_text);
}
