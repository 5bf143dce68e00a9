// SPDX-License-Identifier: BSD-2-Clause
/*
 * probe.c - figures that are taken inside the simulation, cycle by cycle.
 *
 *     probe latency    cycles from doorbell to the last byte in the peer's memory, models' own delay taken off
 *     probe khz        simulated kHz of two RTL NICs at work, by processor time
 *     probe mpps       packets per microsecond of processor time through two native NICs
 *
 * Prints one number.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "run.h"

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct bench *open_bench(const char *engine)
{
    struct bench_cfg c = bench_defaults();
    struct bench *b = nullptr;

    c.engine = engine;
    return bench_new(&c, &b) ? nullptr : b;
}

enum { LATENCY_BYTES = 64, LATENCY_RUNS = 20 };

/*
 * Takes the models' own delay off: two reads of host memory (queue entry,
 * payload), the wire's delay and the frame's time on two ports, one write.
 */
static unsigned model_cycles(void)
{
    struct sim_cfg c = sim_defaults();
    uint64_t frame = 98 + LATENCY_BYTES + 4 + 24;  // headers, payload, integrity value, Ethernet's own
    uint64_t port_ns = frame * 8 * 1'000'000'000 / c.link.rate;

    return (unsigned)((2 * c.mem.rd_ns + c.mem.wr_ns + c.link.lane.delay_ns + 2 * port_ns) / SIM_CYCLE_NS);
}

static int latency(void)
{
    struct bench *b = open_bench("rtl");
    uint64_t sum = 0;

    if (!b)
        return 1;
    for (unsigned i = 0; i < LATENCY_RUNS; i++) {
        uint8_t *last = b->side[1].user + i * 4096 + LATENCY_BYTES - 1;
        memset(b->side[0].user, (int)i + 1, LATENCY_BYTES);
        *last = 0;
        uint64_t start = b->steps;
        bench_post(b, 0, 0, bench_wqe(0, i * 4096, LATENCY_BYTES));
        while (*last != i + 1 && b->steps - start < 100'000)
            bench_until(b, (uint32_t[]){UINT32_MAX, 0}, 1);
        if (*last != i + 1)
            return 1;
        sum += b->steps - start;
        bench_settle(b, 100'000);
    }
    printf("%.1f\n", (double)sum / LATENCY_RUNS - model_cycles());
    bench_free(b);
    return 0;
}

/** Writes of len bytes, `depth` at a time, from both sides, until each has done n. */
static bool work(struct bench *b, unsigned n, uint32_t len)
{
    unsigned posted = 0;

    while (posted < n) {
        for (unsigned i = 0; i < 16 && posted < n; i++, posted++)
            for (unsigned s = 0; s < 2; s++)
                bench_post(b, s, 0, bench_wqe(0, 2 << 20, len));
        if (!bench_until(b, (uint32_t[]){posted, posted}, 10'000'000))
            return false;
    }
    return true;
}

static int khz(void)
{
    struct bench *b = open_bench("rtl");

    if (!b)
        return 1;
    double start = cpu_seconds();
    uint64_t from = b->steps;
    if (!work(b, 64, 32768))
        return 1;
    printf("%.1f\n", (double)(b->steps - from) / (cpu_seconds() - start) / 1e3);
    bench_free(b);
    return 0;
}

static int mpps(void)
{
    struct bench *b = open_bench("native");

    if (!b)
        return 1;
    double start = cpu_seconds();
    if (!work(b, 64, 262144))
        return 1;
    double spent = cpu_seconds() - start;
    uint32_t packets = bench_count(b, 0, MR_CNT_TX_DATA) + bench_count(b, 1, MR_CNT_TX_DATA);
    printf("%.4f\n", packets / spent / 1e6);
    bench_free(b);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "latency"))
        return latency();
    if (argc == 2 && !strcmp(argv[1], "khz"))
        return khz();
    if (argc == 2 && !strcmp(argv[1], "mpps"))
        return mpps();
    fprintf(stderr, "usage: probe latency|khz|mpps\n");
    return 2;
}
