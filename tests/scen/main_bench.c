// SPDX-License-Identifier: BSD-2-Clause
/*
 * scen_bench NAME...: figures of scenarios. Prints a line "KEY NUMBER" for each;
 * what has to be said about it goes to stderr. README.md defines them.
 */
#include <stdio.h>
#include <string.h>

#include "cases.h"

#define US 1000ull
#define MS 1000000ull

static void figure(const char *key, double value)
{
    printf("%s %.4f\n", key, value);
    fflush(stdout);
}

/* One sender at full rate, with faults. */

static int goodput(struct scen_cfg *c, const char *key)
{
    struct case_parts p;

    case_goodput(c, &p);
    struct scen *s = case_run(c);
    if (!s)
        return 1;
    figure(key, case_share(c, scen_placed_all(s, CASE_WARM, c->stop_ns), CASE_WINDOW));
    scen_free(s);
    return 0;
}

static int loss(const char *name, const char *key)
{
    struct scen_cfg c = case_base(name, "rtl");
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
    struct scen_cfg c = case_base(name, "rtl");

    c.link.lane.corrupt = 0.01;
    c.link.lane.corrupt_silent = true;
    return goodput(&c, key);
}

static int dup(const char *name, const char *key)
{
    struct scen_cfg c = case_base(name, "rtl");

    c.link.lane.dup = 0.05;
    return goodput(&c, key);
}

static int reorder(const char *name, const char *key)
{
    static const char *const lanes[] = {"*:*:0:delay=1000", "*:*:1:delay=2000", "*:*:2:delay=4000", "*:*:3:delay=8000"};
    struct scen_cfg c = case_base(name, "rtl");

    c.lanes = lanes;
    c.n_lanes = 4;
    return goodput(&c, key);
}

/* Routes that die. */

static int dead(const char *name, const char *key)
{
    struct scen_cfg c = case_base(name, "rtl");
    uint64_t from = CASE_FAIL_AT + 10 * CASE_RTT;
    struct case_parts p;

    case_fail(&c, &p, false, 0);
    struct scen *s = case_run(&c);
    if (!s)
        return 1;
    figure(key, case_share(&c, scen_placed_all(s, from, CASE_FAIL_END), CASE_FAIL_END - from));
    scen_free(s);
    return 0;
}

/** RTTs from the failure to the end of the last stretch of 4 RTTs with less than 90 % of what the other routes carry. */
static int recover(const char *name, const char *key, bool plane)
{
    const uint64_t window = 4 * CASE_RTT;
    struct scen_cfg c = case_base(name, "rtl");
    uint64_t last = CASE_FAIL_AT;
    struct case_parts p;

    case_fail(&c, &p, plane, 0);
    struct scen *s = case_run(&c);
    if (!s)
        return 1;
    for (uint64_t t = last; t + window <= CASE_FAIL_END; t += c.bucket_ns)
        if (case_share(&c, scen_placed_all(s, t, t + window), window) < 90 * (plane ? 2 : 3) / 4.0)
            last = t + c.bucket_ns;
    if (last + window >= CASE_FAIL_END)
        fprintf(stderr, "%s: not recovered at the end of the measurement\n", name);
    figure(key, (double)(last - CASE_FAIL_AT) / CASE_RTT);
    scen_free(s);
    return 0;
}

static int recover_path(const char *name, const char *key)
{
    return recover(name, key, false);
}

static int recover_plane(const char *name, const char *key)
{
    return recover(name, key, true);
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

/** The first time from which on it stays fair, or one less than a window before the end. */
static uint64_t settled_at(const struct scen *s, const struct scen_cfg *c, uint32_t n, uint64_t begin, uint64_t window)
{
    uint64_t settled = begin;

    for (uint64_t t = begin; t + window <= c->stop_ns; t += c->bucket_ns)
        if (!is_fair(s, c, n, t, window))
            settled = t + c->bucket_ns;
    return settled;
}

static void incast_figure(const char *engine, const char *what, const char *name, const char *behind, double value)
{
    char key[64];

    snprintf(key, sizeof key, "%s.%s.%s%s", engine, what, name, behind);
    figure(key, value);
}

static int incast(const char *engine, const char *name, uint32_t n, uint64_t end)
{
    struct scen_cfg c = case_base(name, engine);
    struct case_parts p;
    double got[CASE_NICS];

    case_incast(&c, &p, n, end);
    struct scen *s = case_run(&c);
    if (!s)
        return 1;
    const struct scen_result *r = scen_result(s);
    // a window holds at least 16 packets of each, else the packets' size would be measured
    uint64_t window = 16ull * n * CASE_FRAME * 8'000'000'000 / c.link.rate / c.bucket_ns * c.bucket_ns;
    window = window < 4 * CASE_RTT ? 4 * CASE_RTT : window;
    uint64_t begin = r->first_ack_ns == SCEN_NS_NEVER ? 0 : r->first_ack_ns;
    uint64_t settled = settled_at(s, &c, n, begin, window);
    bool never = settled + window > end;
    uint64_t from = never ? end / 2 : settled;
    for (uint32_t i = 0; i < n; i++)
        got[i] = (double)scen_placed(s, i, false, from, end);
    incast_figure(engine, "rtt", name, "_settle", (double)(settled - begin) / CASE_RTT);
    incast_figure(engine, "jain", name, "", scen_jain(got, n));
    incast_figure(engine, "queue_kib", name, "", (double)r->peak_queue / 1024);
    if (never)
        fprintf(stderr, "%s: not settled at the end of the measurement\n", name);
    fprintf(stderr, "%s: %.1f %% of the line's payload share, %llu marks\n", name,
            case_share(&c, scen_placed_all(s, from, end), end - from), (unsigned long long)r->marked);
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
    struct scen_cfg c = case_base(name, "rtl");
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
    struct scen *s = case_run(&c);
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
    struct scen_cfg c = case_base(name, "native");
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
    c.stop_ns = CONNS_WARM + CASE_WINDOW;
    struct scen *s = case_run(&c);
    if (!s)
        return 1;
    figure(key, case_share(&c, scen_placed_all(s, CONNS_WARM, CONNS_WARM + CASE_WINDOW), CASE_WINDOW));
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
