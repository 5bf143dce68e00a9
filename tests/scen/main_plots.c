// SPDX-License-Identifier: BSD-2-Clause
/*
 * scen_plots [-e native|rtl] DIR: data files for the plots, each with a line
 * that names its columns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "gbn.h"

enum {
    STEP = 10'000,  // ns between points over time
    INCAST_END = 800'000,
    INCAST_STEP = 40'000,
    INCAST = 8,
    FAIL_UP = 550'000,
    FAIL_STEP = 20'000,
};

static const char *engine = "native";

static FILE *file(const char *dir, const char *name)
{
    char path[4096];
    FILE *f = nullptr;

    if (snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path)
        f = fopen(path, "w");
    if (!f)
        perror(path);
    return f;
}

static bool close_file(FILE *f)
{
    bool bad = ferror(f);

    return !fclose(f) && !bad;
}

static double gbits(uint64_t bytes, uint64_t ns)
{
    return (double)bytes * 8 / (double)ns;
}

/** Goodput over loss: ours, go-back-N, and what arrives at all. */
static bool loss(const char *dir)
{
    static const double percent[] = {0, 0.1, 0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    FILE *f = file(dir, "loss.dat");

    if (!f)
        return false;
    fprintf(f, "# loss of frames, per cent; per cent of the line's payload share: ours, go-back-N, all that arrives\n");
    for (size_t i = 0; i < sizeof percent / sizeof *percent; i++) {
        struct scen_cfg c = case_base("loss", engine);
        struct case_parts p;
        struct gbn_result r;
        c.link.lane.loss = percent[i] / 100;
        case_goodput(&c, &p);
        struct gbn_cfg g = {.link = c.link, .warm_ns = CASE_WARM, .window_ns = CASE_WINDOW};
        struct scen *s = case_run(&c);
        if (!s || !gbn_run(&g, &r))
            return false;
        fprintf(f, "%g %.3f %.3f %.3f\n", percent[i],
                case_share(&c, scen_placed_all(s, CASE_WARM, c.stop_ns), CASE_WINDOW), case_share(&c, r.bytes, CASE_WINDOW),
                100 - percent[i]);
        scen_free(s);
    }
    return close_file(f);
}

/** What each of many senders sends to one, over time. */
static bool incast(const char *dir)
{
    struct scen_cfg c = case_base("incast", engine);
    struct case_parts p;
    FILE *f = file(dir, "incast.dat");

    case_incast(&c, &p, INCAST, INCAST_END);
    struct scen *s = f ? case_run(&c) : nullptr;
    if (!s)
        return false;
    fprintf(f, "# time, us; Gbit/s on the wire of senders 1 to %d, over %d us each\n", INCAST, INCAST_STEP / 1000);
    for (uint64_t t = 0; t + INCAST_STEP <= INCAST_END; t += STEP) {
        fprintf(f, "%.1f", (double)(t + INCAST_STEP / 2) / 1e3);
        for (uint32_t i = 1; i <= INCAST; i++)
            fprintf(f, " %.3f", gbits(scen_sent(s, i, t, t + INCAST_STEP), INCAST_STEP));
        fprintf(f, "\n");
    }
    scen_free(s);
    return close_file(f);
}

/** What comes out of each route while one of them is gone. */
static bool fail(const char *dir)
{
    struct scen_cfg c = case_base("fail", engine);
    struct case_parts p;
    FILE *f = file(dir, "fail.dat");

    case_fail(&c, &p, false, FAIL_UP);
    struct scen *s = f ? case_run(&c) : nullptr;
    if (!s)
        return false;
    fprintf(f, "# time, us; Gbit/s of payload out of routes 0 to %u, over %d us each; route 0 is gone from %d to %d us\n",
            c.link.routes - 1, FAIL_STEP / 1000, CASE_FAIL_AT / 1000, FAIL_UP / 1000);
    for (uint64_t t = 0; t + FAIL_STEP <= CASE_FAIL_END; t += STEP) {
        fprintf(f, "%.1f", (double)(t + FAIL_STEP / 2) / 1e3);
        for (uint32_t i = 0; i < c.link.routes; i++)
            fprintf(f, " %.3f", gbits(scen_routed(s, i, t, t + FAIL_STEP), FAIL_STEP));
        fprintf(f, "\n");
    }
    scen_free(s);
    return close_file(f);
}

int main(int argc, char **argv)
{
    for (int o; (o = getopt(argc, argv, "e:")) != -1;)
        if (o == 'e')
            engine = optarg;
        else
            return 64;
    if (optind + 1 != argc) {
        fprintf(stderr, "usage: scen_plots [-e native|rtl] DIR\n");
        return 64;
    }
    return !(loss(argv[optind]) && incast(argv[optind]) && fail(argv[optind]));
}
