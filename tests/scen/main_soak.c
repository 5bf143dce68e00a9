// SPDX-License-Identifier: BSD-2-Clause
/*
 * scen_soak: N scenarios drawn from seeds SEED, SEED + 1, ...
 *
 *     scen_soak [-e native|rtl] [-s SEED] [-n N] [-d] [-v]
 *
 * -d: routes die for good too; -v: says what each scenario is. Ends with 1 if
 * one failed; each that did is told with the command that runs it again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "draw.h"

struct sum {
    uint64_t passed;
    uint64_t failed;
    uint64_t messages;
    uint64_t errors;  // messages that ended with an error that was to be expected
    uint64_t packets;
    uint64_t resent;
    uint64_t closes;
    uint64_t ns;
};

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool one(const char *engine, uint64_t seed, unsigned flags, bool verbose, struct sum *sum)
{
    static struct draw d;
    struct scen *s = nullptr;

    draw_scenario(&d, engine, seed, flags);
    if (verbose) {
        printf("seed %llu\n", (unsigned long long)seed);
        draw_print(&d, stdout);
        fflush(stdout);
    }
    if (scen_new(&d.cfg, &s))
        return false;
    scen_run(s);
    const struct scen_result *r = scen_result(s);
    bool good = !r->violations;
    sum->messages += r->messages;
    sum->errors += r->failed;
    sum->packets += r->data;
    sum->resent += r->resent;
    sum->closes += r->closes;
    sum->ns += r->end_ns;
    if (verbose)
        printf("  %.1f us, %llu messages, %llu with errors, %llu packets, %llu again, %llu probes, %llu lost, %llu dropped\n",
               (double)r->end_ns / 1e3, (unsigned long long)r->messages, (unsigned long long)r->failed,
               (unsigned long long)r->data, (unsigned long long)r->resent, (unsigned long long)r->probes,
               (unsigned long long)r->lost, (unsigned long long)r->dropped);
    scen_free(s);
    return good;
}

int main(int argc, char **argv)
{
    const char *engine = "native";
    uint64_t seed = 1;
    uint64_t n = 100;
    unsigned flags = 0;
    bool verbose = false;
    struct sum sum = {};
    double start = seconds();

    for (int o; (o = getopt(argc, argv, "e:s:n:dv")) != -1;)
        switch (o) {
        case 'e': engine = optarg; break;
        case 's': seed = strtoull(optarg, nullptr, 0); break;
        case 'n': n = strtoull(optarg, nullptr, 0); break;
        case 'd': flags |= DRAW_DEAD; break;
        case 'v': verbose = true; break;
        default: fprintf(stderr, "usage: scen_soak [-e native|rtl] [-s SEED] [-n N] [-d] [-v]\n"); return 64;
        }
    for (uint64_t i = 0; i < n; i++) {
        if (one(engine, seed + i, flags, verbose, &sum)) {
            sum.passed++;
            continue;
        }
        sum.failed++;
        printf("FAILED: seed %llu; again: %s -e %s -s %llu -n 1%s -v\n", (unsigned long long)(seed + i), argv[0], engine,
               (unsigned long long)(seed + i), flags & DRAW_DEAD ? " -d" : "");
        fflush(stdout);
    }
    printf("soak: engine %s, seeds %llu to %llu: %llu passed, %llu failed; %llu messages, %llu with an expected error, "
           "%llu packets, %llu sent again, %llu paths closed; %.1f ms simulated in %.0f s\n", engine, (unsigned long long)seed,
           (unsigned long long)(seed + n - 1), (unsigned long long)sum.passed, (unsigned long long)sum.failed,
           (unsigned long long)sum.messages, (unsigned long long)sum.errors, (unsigned long long)sum.packets,
           (unsigned long long)sum.resent, (unsigned long long)sum.closes, (double)sum.ns / 1e6, seconds() - start);
    return sum.failed != 0;
}
