// SPDX-License-Identifier: BSD-2-Clause
/*
 * scen_suite [-e ENGINE] [-n N]: short scenarios, each kind of fault once,
 * then N random ones. Prints a line per case and the suite's line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "draw.h"
#include "gbn.h"
#include "mr_defs.h"
#include "suite.h"

static unsigned passed;
static unsigned failed;

void suite_case(const char *name, const char *engine, bool good, const char *why)
{
    printf("%-4s %s, %s\n", good ? "ok" : "FAIL", name, engine);
    if (!good)
        printf("  %s\n", why && *why ? why : "not what was expected");
    passed += good;
    failed += !good;
}

/** A configuration with room for what it points to. */
struct one {
    struct scen_cfg cfg;
    struct scen_conn conn[8];
    struct scen_event event[8];
};

/** A case; cfg and its first connection are as the defaults, both ways, 16 messages a stream. */
struct kind {
    const char *name;
    void (*set)(struct one *o);
    bool (*good)(const struct scen_result *r);  // besides no violation; null: nothing
};

static void clean(struct one *o)
{
    (void)o;
}

static bool clean_good(const struct scen_result *r)
{
    return r->resent == 0 && r->dropped == 0 && r->messages == 32 && r->bytes == 32 * 65536;
}

static void loss(struct one *o)
{
    o->cfg.link.lane.loss = 0.05;
    o->conn[0].streams = 3;
    o->conn[0].ragged = true;
    o->conn[0].silent = 60;
    o->conn[0].len_min = 1;
}

static bool lost_good(const struct scen_result *r)
{
    return r->lost > 0 && r->resent > 0 && r->failed == 0;
}

static void corruption(struct one *o)
{
    o->cfg.link.lane.corrupt = 0.03;
    o->cfg.link.lane.corrupt_silent = true;
}

static void corruption_told(struct one *o)
{
    o->cfg.link.lane.corrupt = 0.03;
}

static bool again_good(const struct scen_result *r)
{
    return r->resent > 0 && r->failed == 0;
}

static void duplicates(struct one *o)
{
    o->cfg.link.lane.dup = 0.1;
}

static bool no_again(const struct scen_result *r)
{
    return r->resent == 0 && r->failed == 0;
}

static void reorder(struct one *o)
{
    static const char *const lanes[] = {"*:*:0:delay=1000", "*:*:1:delay=2000", "*:*:2:delay=4000", "*:*:3:delay=8000"};

    o->cfg.lanes = lanes;
    o->cfg.n_lanes = 4;
}

static void incast(struct one *o)
{
    o->cfg.link.nics = 5;
    o->cfg.link.queue = 300 << 10;
    o->cfg.n_conns = 4;
    for (uint16_t i = 0; i < 4; i++) {
        o->conn[i] = o->conn[0];
        o->conn[i].src = i + 1;
        o->conn[i].dst = 0;
        o->conn[i].both = false;
    }
}

static bool incast_good(const struct scen_result *r)
{
    return r->failed == 0 && r->marked > 0;
}

static void ports(struct one *o)
{
    for (unsigned i = 0; i < 6; i++)
        o->event[i] = (struct scen_event){.ns = 5000 + i * 7000, .kind = SCEN_PORT, .nic = i & 1, .path = (uint8_t)(i % 4),
            .route = (uint16_t)((i + 1) % 4)};
    o->cfg.n_events = 6;
}

static void hole(struct one *o)
{
    o->event[0] = (struct scen_event){.ns = 20'000, .kind = SCEN_ROUTE_DOWN, .nic = SCEN_ALL, .route = 1};
    o->event[1] = (struct scen_event){.ns = 90'000, .kind = SCEN_ROUTE_UP, .nic = SCEN_ALL, .route = 1};
    o->cfg.n_events = 2;
    o->cfg.probe_min_ns = 8000;
}

/** What was lost is sent again there, or has moved elsewhere. */
static bool hole_good(const struct scen_result *r)
{
    return r->lost > 0 && r->failed == 0;
}

static void all_dead(struct one *o)
{
    for (uint16_t i = 0; i < 4; i++)
        o->event[i] = (struct scen_event){.ns = 20'000, .kind = SCEN_ROUTE_DOWN, .nic = SCEN_ALL, .route = i};
    o->cfg.n_events = 4;
    o->cfg.probe_min_ns = 8000;
    o->cfg.retry_max = 2;
    o->cfg.errors_ok = 1u << MR_ERR_RETRY | 1u << MR_ERR_FLUSH;
}

static bool dead_good(const struct scen_result *r)
{
    return r->failed > 0 && r->messages > 0;
}

static void small(struct one *o)
{
    o->conn[0].streams = 8;
    o->conn[0].msgs = 100;
    o->conn[0].depth = 64;
    o->conn[0].batch = 16;
    o->conn[0].len_min = 0;
    o->conn[0].len_max = 8;
    o->conn[0].ragged = true;
}

static void tagged(struct one *o)
{
    o->conn[0].ipv6 = true;
    o->conn[0].vlan = true;
    o->conn[0].mtu = 256;
    o->conn[0].ragged = true;
    o->conn[0].len_max = 9000;
    o->conn[0].len_min = 0;
    o->conn[0].paths = 8;
    o->cfg.link.routes = 8;
    o->cfg.link.lane.loss = 0.01;
}

/** As many packets on the way as the receiver can tell of, small ones, more than it takes: its FIFO drops many. */
static void full_windows(struct one *o)
{
    o->cfg.link.lane.delay_ns = 100;
    o->cfg.link.lane.loss = 0.02;
    o->cfg.mem.wr_ns = 1400;
    o->cfg.cwnd_init = 250;
    o->cfg.hang_ns = 3'000'000;
    o->cfg.n_conns = 4;
    o->conn[0].both = false;
    o->conn[0].streams = 8;
    o->conn[0].msgs = 150;
    o->conn[0].depth = 64;
    o->conn[0].len_min = o->conn[0].len_max = 218;
    o->conn[0].paths = 1;
    o->conn[1] = o->conn[2] = o->conn[3] = o->conn[0];
    o->conn[2].paths = 2;
    o->conn[3].paths = 8;
}

/** Streams that wait for a window end too when nothing gets through any more. */
static void waiting_dead(struct one *o)
{
    all_dead(o);
    o->cfg.hang_ns = 5'000'000;
    o->cfg.cwnd_init = 1;
    o->conn[0].paths = 1;
    o->conn[0].streams = 8;
    o->conn[0].msgs = 200;
    o->conn[0].len_min = o->conn[0].len_max = 4000;
}

/** One of four routes, in the midst of the traffic. */
static void route_dies(struct one *o)
{
    o->conn[0].msgs = 64;
    o->conn[0].len_min = o->conn[0].len_max = 60000;
    o->cfg.probe_min_ns = 8000;
    o->cfg.n_events = 1;
    o->event[0] = (struct scen_event){.ns = 30'000, .kind = SCEN_ROUTE_DOWN, .nic = SCEN_ALL, .route = 2};
}

static bool moved_good(const struct scen_result *r)
{
    return r->closes > 0 && !r->failed;
}

static const struct kind kinds[] = {
    {"no faults", clean, clean_good},
    {"5 % loss", loss, lost_good},
    {"3 % silent corruption", corruption, again_good},
    {"3 % corruption that the MAC tells", corruption_told, again_good},
    {"10 % duplicates", duplicates, no_again},
    {"routes of 1 to 8 us", reorder, no_again},
    {"4 to 1, small queue", incast, incast_good},
    {"source ports change", ports, nullptr},
    {"a route is gone for 70 us", hole, hole_good},
    {"everything dies", all_dead, dead_good},
    {"0 to 8 bytes", small, nullptr},
    {"IPv6, VLAN, 256-byte payloads, 8 paths", tagged, lost_good},
    {"a route dies for good", route_dies, moved_good},
    {"issue: full windows of small packets", full_windows, again_good},
    {"issue: everything dies, streams wait for the window", waiting_dead, dead_good},
};

static struct scen_result run_kind(const struct kind *k, const char *engine, uint64_t seed)
{
    static struct one o;
    struct scen *s = nullptr;
    struct scen_result r = {.violations = 1};

    o = (struct one){.cfg = scen_defaults()};
    o.cfg.name = k->name;
    o.cfg.engine = engine;
    o.cfg.seed = seed;
    o.cfg.scatter = true;
    o.cfg.conns = o.conn;
    o.cfg.n_conns = 1;
    o.cfg.events = o.event;
    o.conn[0] = scen_conn_defaults();
    o.conn[0].both = true;
    o.conn[0].msgs = 16;
    k->set(&o);
    if (scen_new(&o.cfg, &s))
        return r;
    scen_run(s);
    r = *scen_result(s);
    scen_free(s);
    return r;
}

static void run_case(const struct kind *k, const char *engine)
{
    struct scen_result r = run_kind(k, engine, 3);

    suite_case(k->name, engine, !r.violations && (!k->good || k->good(&r)), r.first);
}

static void run_kinds(const char *engine)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        run_case(&kinds[i], engine);
}

/** The same seed, the same run; another one, another. */
static void repeats(const char *engine)
{
    struct scen_result a = run_kind(&kinds[1], engine, 7);
    struct scen_result b = run_kind(&kinds[1], engine, 7);
    struct scen_result c = run_kind(&kinds[1], engine, 8);

    suite_case("a run repeats", engine, !memcmp(&a, &b, sizeof a) && a.end_ns != c.end_ns, "differs");
}

static void random_ones(const char *engine, unsigned n)
{
    static struct draw d;

    for (unsigned i = 1; i <= n; i++) {
        struct scen *s = nullptr;
        char name[32];
        snprintf(name, sizeof name, "random, seed %u", i);
        draw_scenario(&d, engine, i, 0);
        if (scen_new(&d.cfg, &s)) {
            suite_case(name, engine, false, "not opened");
            continue;
        }
        scen_run(s);
        suite_case(name, engine, !scen_result(s)->violations, scen_result(s)->first);
        scen_free(s);
    }
}

/** The model that ours is compared with: full rate without loss, and what the formula for go-back-N says with it. */
static void go_back_n(void)
{
    struct scen_cfg c = case_base("go-back-N", "none");
    struct gbn_cfg g = {.link = c.link, .warm_ns = CASE_WARM, .window_ns = CASE_WINDOW};
    struct gbn_result clean = {};
    struct gbn_result lossy = {};
    double p = 0.01;

    bool good = gbn_run(&g, &clean);
    g.link.lane.loss = p;
    good = good && gbn_run(&g, &lossy);
    double full = case_share(&c, clean.bytes, CASE_WINDOW);
    double share = case_share(&c, lossy.bytes, CASE_WINDOW);
    double formula = 100 / (1 + p * lossy.window);
    suite_case("go-back-N, no loss", "model", good && full > 99.9 && !clean.backs && !clean.timeouts, "");
    suite_case("go-back-N, 1 % loss", "model", good && share > formula - 6 && share < formula + 3, "");
}

static void figures(void)
{
    double same[] = {3, 3, 3, 3};
    double one[] = {5, 0, 0, 0};

    suite_case("Jain's index", "none", fabs(scen_jain(same, 4) - 1) < 1e-12 && fabs(scen_jain(one, 4) - 0.25) < 1e-12, "");
}

int main(int argc, char **argv)
{
    const char *engine = "native";
    unsigned n = 10;

    for (int o; (o = getopt(argc, argv, "e:n:")) != -1;)
        switch (o) {
        case 'e': engine = optarg; break;
        case 'n': n = (unsigned)atoi(optarg); break;
        default: fprintf(stderr, "usage: scen_suite [-e native|rtl] [-n N]\n"); return 64;
        }
    run_kinds(engine);
    repeats(engine);
    suite_planes(engine);
    random_ones(engine, n);
    if (!strcmp(engine, "native")) {
        figures();
        go_back_n();
        suite_forge();
    }
    printf("SUITE scen: %u passed, %u failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
