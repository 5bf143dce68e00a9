// SPDX-License-Identifier: BSD-2-Clause
/*
 * scen_bench NAME...: figures of scenarios. Prints a line "KEY NUMBER" for each;
 * what has to be said about it goes to stderr. README.md defines them.
 */
#include <stdio.h>
#include <string.h>

#include "scen.h"

#define US 1000ull
#define MS 1000000ull

enum {
    RTT = 4000,        // ns, the network's share
    FRAME = 4096 + 102 + SIM_WIRE_EXTRA,  // 98 bytes of headers, 4 of integrity value
    NICS_MAX = 65,
};

/** What most scenarios share: 100 Gbit/s, 4 KiB payloads, 4 paths, 2 us one way. */
static struct scen_cfg base(const char *name, const char *engine)
{
    struct scen_cfg c = scen_defaults();

    c.name = name;
    c.engine = engine;
    c.cut = true;
    c.hang_ns = 2 * MS;
    return c;
}

static void figure(const char *key, double value)
{
    printf("%s %.4f\n", key, value);
    fflush(stdout);
}

/** Opens and runs; null if it could not be opened. Says what went wrong. */
static struct scen *run(const struct scen_cfg *c)
{
    struct scen *s = nullptr;

    if (scen_new(c, &s))
        return nullptr;
    scen_run(s);
    const struct scen_result *r = scen_result(s);
    if (r->violations)
        fprintf(stderr, "%s: %u violations\n", c->name, r->violations);
    if (r->failed)
        fprintf(stderr, "%s: %llu messages failed, the scenario ended at %.1f us\n", c->name, (unsigned long long)r->failed,
                (double)r->end_ns / 1e3);
    return s;
}

/** Payload in per cent of its share of the line. */
static double share(const struct scen_cfg *c, uint64_t bytes, uint64_t ns)
{
    double line = (double)c->link.rate / 8e9 * 4096 / FRAME;  // bytes per ns

    return (double)bytes / (double)ns / line * 100;
}

/* One sender at full rate, with faults. */

enum { WARM = 100'000, WINDOW = 2'000'000 };

static int goodput(struct scen_cfg *c, const char *key)
{
    struct scen_conn k = scen_conn_defaults();

    k.depth = 32;
    c->conns = &k;
    c->n_conns = 1;
    c->stop_ns = WARM + WINDOW;
    struct scen *s = run(c);
    if (!s)
        return 1;
    figure(key, share(c, scen_placed_all(s, WARM, WARM + WINDOW), WINDOW));
    scen_free(s);
    return 0;
}

static int loss(const char *name, const char *key)
{
    struct scen_cfg c = base(name, "rtl");
    double percent = 0;
    char text[16];

    snprintf(text, sizeof text, "%s", name + strlen("loss_"));
    char *point = strchr(text, 'p');
    if (point)
        *point = '.';
    if (sscanf(text, "%lf", &percent) != 1)
        return 1;
    c.link.lane.loss = percent / 100;
    return goodput(&c, key);
}

static int corrupt(const char *name, const char *key)
{
    struct scen_cfg c = base(name, "rtl");

    c.link.lane.corrupt = 0.01;
    c.link.lane.corrupt_silent = true;
    return goodput(&c, key);
}

static int dup(const char *name, const char *key)
{
    struct scen_cfg c = base(name, "rtl");

    c.link.lane.dup = 0.05;
    return goodput(&c, key);
}

static int reorder(const char *name, const char *key)
{
    static const char *const lanes[] = {"*:*:0:delay=1000", "*:*:1:delay=2000", "*:*:2:delay=4000", "*:*:3:delay=8000"};
    struct scen_cfg c = base(name, "rtl");

    c.lanes = lanes;
    c.n_lanes = 4;
    return goodput(&c, key);
}

/* Routes that die. Each carries a quarter of the line. */

enum {
    FAIL_AT = 300'000,
    FAIL_END = 800'000,
    FAIL_PROBE = 2 * RTT,
    FAIL_RETRY = 3,
    FAIL_ECN = 32 << 10,
};

static struct scen *fail(const char *name, struct scen_cfg *c, struct scen_conn *k, unsigned routes)
{
    static struct scen_event e[2];

    *c = base(name, "rtl");
    *k = scen_conn_defaults();
    k->depth = 64;
    c->conns = k;
    c->n_conns = 1;
    c->link.lane.rate = c->link.rate / 4;
    c->link.lane.ecn = FAIL_ECN;
    c->probe_min_ns = FAIL_PROBE;
    c->retry_max = FAIL_RETRY;
    c->stop_ns = FAIL_END;
    c->errors_ok = UINT32_MAX;
    for (unsigned i = 0; i < routes; i++)
        e[i] = (struct scen_event){.ns = FAIL_AT, .kind = SCEN_ROUTE_DOWN, .nic = SCEN_ALL, .route = (uint16_t)i};
    c->events = e;
    c->n_events = routes;
    return run(c);
}

static int dead(const char *name, const char *key)
{
    struct scen_cfg c;
    struct scen_conn k;
    struct scen *s = fail(name, &c, &k, 1);
    uint64_t from = FAIL_AT + 10 * RTT;

    if (!s)
        return 1;
    figure(key, share(&c, scen_placed_all(s, from, FAIL_END), FAIL_END - from));
    scen_free(s);
    return 0;
}

/** RTTs from the failure to the end of the last stretch of 4 RTTs with less than 90 % of what the other routes carry. */
static int recover(const char *name, const char *key, unsigned routes)
{
    struct scen_cfg c;
    struct scen_conn k;
    struct scen *s = fail(name, &c, &k, routes);
    uint64_t last = FAIL_AT;

    if (!s)
        return 1;
    for (uint64_t t = FAIL_AT; t + 4 * RTT <= FAIL_END; t += c.bucket_ns)
        if (share(&c, scen_placed_all(s, t, t + 4 * RTT), 4 * RTT) < 90 * (4 - routes) / 4.0)
            last = t + c.bucket_ns;
    if (last + 4 * RTT >= FAIL_END)
        fprintf(stderr, "%s: not recovered at the end of the measurement\n", name);
    figure(key, (double)(last - FAIL_AT) / RTT);
    scen_free(s);
    return 0;
}

static int recover_path(const char *name, const char *key)
{
    return recover(name, key, 1);
}

static int recover_plane(const char *name, const char *key)
{
    return recover(name, key, 2);
}

/* Many to one. */

/** True if in [t, t + window) each of n senders has its share of the line, within a quarter, and all together not too much. */
static bool is_fair(const struct scen *s, const struct scen_cfg *c, uint32_t n, uint64_t t, uint64_t window)
{
    double line = (double)c->link.rate / 8e9 * (double)window;
    double sum = 0;

    for (uint32_t i = 1; i <= n; i++) {
        double x = (double)scen_sent(s, i, t, t + window);
        if (x < line / n * 0.75 || x > line / n * 1.25)
            return false;
        sum += x;
    }
    return sum <= line * 1.05;
}

static int incast(const char *engine, const char *name, uint32_t n, uint64_t end)
{
    struct scen_cfg c = base(name, engine);
    struct scen_conn k[NICS_MAX];
    double got[NICS_MAX];
    char key[64];

    for (uint32_t i = 0; i < n; i++) {
        k[i] = scen_conn_defaults();
        k[i].src = (uint16_t)(i + 1);
        k[i].dst = 0;
    }
    c.conns = k;
    c.n_conns = n;
    c.link.nics = n + 1;
    c.link.queue = 256 << 20;  // holds what all windows together may have on the way
    c.stop_ns = end;
    struct scen *s = run(&c);
    if (!s)
        return 1;
    const struct scen_result *r = scen_result(s);
    // a window holds at least 16 packets of each, else the packets' size would be measured
    uint64_t window = 16ull * n * FRAME * 8'000'000'000 / c.link.rate;
    uint64_t begin = r->first_ack_ns == SCEN_NS_NEVER ? 0 : r->first_ack_ns;
    uint64_t settled = begin;
    window = window < 4 * RTT ? 4 * RTT : (window + c.bucket_ns - 1) / c.bucket_ns * c.bucket_ns;
    for (uint64_t t = begin; t + window <= end; t += c.bucket_ns)
        if (!is_fair(s, &c, n, t, window))
            settled = t + c.bucket_ns;
    if (settled + window > end)
        fprintf(stderr, "%s: not settled at the end of the measurement\n", name);
    snprintf(key, sizeof key, "%s.rtt.%s_settle", engine, name);
    figure(key, (double)(settled - begin) / RTT);
    uint64_t from = settled + window > end ? end / 2 : settled;
    for (uint32_t i = 0; i < n; i++)
        got[i] = (double)scen_placed(s, i, false, from, end);
    snprintf(key, sizeof key, "%s.jain.%s", engine, name);
    figure(key, scen_jain(got, n));
    snprintf(key, sizeof key, "%s.queue_kib.%s", engine, name);
    figure(key, (double)r->peak_queue / 1024);
    fprintf(stderr, "%s: %.1f %% of the line's payload share, %llu marks, %llu frames dropped\n", name,
            share(&c, scen_placed_all(s, from, end), end - from), (unsigned long long)r->marked,
            (unsigned long long)r->dropped);
    scen_free(s);
    return 0;
}

static int incast_8(const char *name, const char *)
{
    return incast("rtl", name, 8, 800 * US);
}

static int incast_64(const char *name, const char *)
{
    return incast("native", name, 64, 2 * MS);
}

/* Small messages. */

enum { SMALL_WARM = 40'000, SMALL_WINDOW = 200'000 };

static int write8(const char *name, const char *key)
{
    struct scen_cfg c = base(name, "rtl");
    struct scen_conn k[4];

    for (unsigned i = 0; i < 4; i++) {
        k[i] = scen_conn_defaults();
        k[i].streams = 8;
        k[i].depth = 64;
        k[i].batch = 16;
        k[i].len_min = k[i].len_max = 8;
    }
    c.conns = k;
    c.n_conns = 4;
    c.stop_ns = SMALL_WARM + SMALL_WINDOW;
    struct scen *s = run(&c);
    if (!s)
        return 1;
    figure(key, (double)scen_completed(s, SMALL_WARM, SMALL_WARM + SMALL_WINDOW) * 1e3 / SMALL_WINDOW);
    scen_free(s);
    return 0;
}

/* Many connections between two NICs. */

enum { CONNS_MAX = 4096, CONNS_WARM = 500'000 };

static int conns(const char *name, const char *key)
{
    static struct scen_conn k[CONNS_MAX];
    struct scen_cfg c = base(name, "native");
    uint32_t n = 0;

    if (sscanf(name, "conns_%u", &n) != 1 || n > CONNS_MAX)
        return 1;
    for (uint32_t i = 0; i < n; i++) {
        k[i] = scen_conn_defaults();
        k[i].len_min = k[i].len_max = n > 64 ? 16384 : 65536;
        k[i].depth = n > 64 ? 2 : 32;
    }
    c.conns = k;
    c.n_conns = n;
    c.hang_ns = 20 * MS;
    c.stop_ns = CONNS_WARM + WINDOW;
    struct scen *s = run(&c);
    if (!s)
        return 1;
    figure(key, share(&c, scen_placed_all(s, CONNS_WARM, CONNS_WARM + WINDOW), WINDOW));
    scen_free(s);
    return 0;
}

static const struct bench {
    const char *name;
    const char *key;  // null: the function prints several
    int (*run)(const char *name, const char *key);
} benches[] = {
    {"loss_0", "rtl.goodput_pct.loss_0", loss},
    {"loss_0p1", "rtl.goodput_pct.loss_0p1", loss},
    {"loss_1", "rtl.goodput_pct.loss_1", loss},
    {"loss_5", "rtl.goodput_pct.loss_5", loss},
    {"loss_10", "rtl.goodput_pct.loss_10", loss},
    {"corrupt_1", "rtl.goodput_pct.corrupt_1", corrupt},
    {"dup_5", "rtl.goodput_pct.dup_5", dup},
    {"reorder_heavy", "rtl.goodput_pct.reorder_heavy", reorder},
    {"one_of_4_paths_dead", "rtl.goodput_pct.one_of_4_paths_dead", dead},
    {"recover_path_fail", "rtl.rtt.recover_path_fail", recover_path},
    {"recover_plane_fail", "rtl.rtt.recover_plane_fail", recover_plane},
    {"incast_8to1", nullptr, incast_8},
    {"incast_64to1", nullptr, incast_64},
    {"write8", "rtl.mpps.write8", write8},
    {"conns_1", "native.goodput_pct.conns_1", conns},
    {"conns_64", "native.goodput_pct.conns_64", conns},
    {"conns_4096", "native.goodput_pct.conns_4096", conns},
};

int main(int argc, char **argv)
{
    int bad = argc < 2;

    for (int i = 1; i < argc; i++) {
        const struct bench *b = nullptr;
        for (size_t k = 0; k < sizeof benches / sizeof *benches; k++)
            if (!strcmp(argv[i], benches[k].name))
                b = &benches[k];
        bad |= !b || b->run(b->name, b->key);
    }
    if (argc < 2) {
        fprintf(stderr, "usage: scen_bench NAME...\n");
        for (size_t k = 0; k < sizeof benches / sizeof *benches; k++)
            fprintf(stderr, "    %s\n", benches[k].name);
    }
    return bad;
}
