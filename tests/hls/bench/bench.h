// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench.h - what the suites of single kernels share: random numbers, FIFOs around
 * kernels with random pauses, and the program that runs the tests.
 */
#ifndef HLS_BENCH_H
#define HLS_BENCH_H

#include <CUnit/CUnit.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc.h"
#include "ext.h"

/** Seed of the run: BENCH_SEED or a fixed one. Every suite starts from it. */
extern uint64_t bench_seed;

uint32_t rnd(void);
uint64_t rnd64(void);
/** 0 to n - 1. */
uint32_t below(uint32_t n);
void rnd_fill(void *p, size_t n);

/** Chance in 256 that a FIFO pauses a side in a step. */
extern unsigned bench_pause;
bool bench_go(void);

/** Like CU_ASSERT_FATAL, with the seed that replays it. */
#define MUST(...)                                                                                  \
    do {                                                                                           \
        bool ok_ = (__VA_ARGS__);                                                                  \
        if (!ok_)                                                                                  \
            printf("\n%s:%d: %s (BENCH_SEED=%llu)\n", __FILE__, __LINE__, #__VA_ARGS__,            \
                   (unsigned long long)bench_seed);                                                \
        CU_ASSERT_FATAL(ok_);                                                                      \
    } while (0)

#define LINK(T, name, depth)                                                                       \
    struct { T q[depth]; unsigned head, count; } name

#define DEPTH(l)  (sizeof (l).q / sizeof (l).q[0])
#define EMPTY(l)  ((l).count == 0)
#define FULL(l)   ((l).count == DEPTH(l))
#define HEAD(l)   ((l).q[(l).head])
#define POP(l)    ((void)((l).head = ((l).head + 1) % DEPTH(l), (l).count--))
#define PUSH(l, ...) ((void)((l).q[((l).head + (l).count++) % DEPTH(l)] = (__VA_ARGS__)))

/* Around a step: what a FIFO does for a kernel's port, and the port's contract. */
#define IN_BEFORE(port, l)                                                                         \
    do {                                                                                           \
        (port).ready = false;                                                                      \
        (port).valid = !EMPTY(l) && bench_go();                                                    \
        if ((port).valid)                                                                          \
            (port).data = HEAD(l);                                                                 \
    } while (0)
#define IN_AFTER(port, l)                                                                          \
    do {                                                                                           \
        MUST((port).valid || !(port).ready);                                                       \
        if ((port).ready)                                                                          \
            POP(l);                                                                                \
    } while (0)
/* A kernel that chose an event may rely on its item: it stays valid until it is taken. */
#define IN_BEFORE_KEPT(port, l)                                                                    \
    do {                                                                                           \
        bool stays_ = (port).valid && !(port).ready;                                               \
        (port).ready = false;                                                                      \
        (port).valid = !EMPTY(l) && (stays_ || bench_go());                                        \
        if ((port).valid)                                                                          \
            (port).data = HEAD(l);                                                                 \
    } while (0)
#define OUT_BEFORE(port, l)                                                                        \
    do {                                                                                           \
        (port).valid = false;                                                                      \
        (port).ready = !FULL(l) && bench_go();                                                     \
    } while (0)
/* Room stays until it is used. */
#define OUT_BEFORE_KEPT(port, l)                                                                   \
    do {                                                                                           \
        bool stays_ = (port).ready && !(port).valid;                                               \
        (port).valid = false;                                                                      \
        (port).ready = !FULL(l) && (stays_ || bench_go());                                         \
    } while (0)
#define OUT_AFTER(port, l)                                                                         \
    do {                                                                                           \
        MUST((port).ready || !(port).valid);                                                       \
        if ((port).valid)                                                                          \
            PUSH(l, (port).data);                                                                  \
    } while (0)

/** 64 bytes, of which those from n on are taken as 0. */
u(512) beat_of(const uint8_t *p, size_t n);

/** A list of tests under a name; the last one of several has none. */
struct bench_suite {
    const char *name;
    CU_TestInfo *tests;
};

/**
 * Runs all suites and prints `SUITE name: ...`; the program's exit status. argv[1], if there,
 * is the RESULT of a lock step of the same kernels, which is counted too.
 */
int bench_main(const char *name, const struct bench_suite *suites, int argc, char **argv);

#endif
