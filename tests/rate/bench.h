// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench.h - two native NICs that send to each other, in surroundings that hold
 * up nothing: a lossless wire without a rate of its own, host memory that takes
 * a request and a beat per cycle on every channel. What is slow here is the NIC.
 *
 * One instance of a kernel may be slowed: it then steps in every n-th cycle only.
 */
#ifndef MR_RATE_BENCH_H
#define MR_RATE_BENCH_H

#include "native/nic_native.h"

/** Streams of the graph, as rings of the native NIC. */
enum {
#define MR_LINK(T, from, out, to, in, depth) ST_##from##__##out,
#define MR_EXT_IN(T, name, to, in, depth) ST_ext_##name,
#include "graph/expand.h"
    ST_COUNT
};

/** What both NICs send all the time. */
struct rate_load {
    const char *name;
    unsigned conns, streams;
    unsigned bytes, mtu;    // of every message; a packet
    unsigned outstanding;   // messages of every stream
};

struct rate_count {
    uint64_t cycles;
    uint64_t messages;          // completed, of both NICs
    uint64_t taken[ST_COUNT];   // items, both NICs
    uint64_t waiting[ID_COUNT]; // cycles in which some input had an item
    uint64_t steps[ID_COUNT];
    uint64_t beats;             // on both wires
};

struct rate_bench;

/** `slow` is an instance or ID_COUNT. Exits with a message when a NIC does what it should not. */
struct rate_bench *rate_new(const struct rate_load *load, unsigned slow, unsigned every);
void rate_free(struct rate_bench *b);
/** Runs until that many more messages are complete and adds up what happened. */
struct rate_count rate_run(struct rate_bench *b, uint64_t messages);
/** A counter of both NICs, added. */
uint64_t rate_counter(struct rate_bench *b, unsigned counter);

/* step.c: the native NIC's step, with one instance slowed and everything counted. */
void rate_step(struct mr_nic *n, uint64_t now, unsigned slow, bool held, struct rate_count *c);

#endif
