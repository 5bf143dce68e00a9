// SPDX-License-Identifier: BSD-2-Clause
/*
 * full.c - the RTL with tables of full size, 4,096 connections by 8 paths: 1 MiB
 * by the last connection and the last stream with 1 % loss, the first ones busy
 * beside it, which share all low bits of the index with nobody else.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "run.h"

/** Checks what the device says of its size. */
static bool is_full(struct bench *b)
{
    return bench_read(b, 0, MR_REG_CAP_CONNS) == 4096 && bench_read(b, 0, MR_REG_CAP_GROUPS) == 4096 &&
           bench_read(b, 0, MR_REG_CAP_STREAMS) == 4096;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool run(const struct script *s, struct bench_cfg cfg, const char *engine)
{
    unsigned wrong = 0;
    struct rusage u;
    double t = seconds();

    cfg.engine = engine;
    struct bench *b = script_run(s, &cfg, &wrong);

    if (b && !is_full(b)) {
        printf("  engine %s: not of full size\n", engine);
        wrong++;
    }
    getrusage(RUSAGE_SELF, &u);
    printf("%-4s full: engine %s: %u messages, %llu cycles, %.1f s, largest resident set %ld MiB\n", wrong ? "FAIL" : "ok",
           engine, s->n, b ? (unsigned long long)b->steps : 0, seconds() - t, u.ru_maxrss / 1024);
    if (b)
        bench_free(b);
    return !wrong;
}

int main(void)
{
    static struct script s;
    struct bench_cfg cfg = {.seed = 1, .loss = 0.01, .paths = 8, .n_conns = 3, .conn = {4095, 0, 63},
        .n_streams = 3, .stream = {4095, 0, 63}, .cq = 1023};
    unsigned passed = 0;

    script_begin(&s, "full", 1, 3);
    script_add(&s, 0, 0, 1 << 20, SCRIPT_GOOD, true);
    for (unsigned i = 0; i < 12; i++)
        script_add(&s, i & 1, i / 2 % 3, script_below(&s, 9000), SCRIPT_GOOD, true);
    script_add(&s, 1, 1, 1000, SCRIPT_REMOTE_KEY, true);
    script_end(&s);
    passed += run(&s, cfg, "rtl");
    passed += run(&s, cfg, "native");
    printf("SUITE full: %u passed, %u failed, 0 skipped\n", passed, 2 - passed);
    return passed != 2;
}
