// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench.h - two NICs of any engine on sim/core.h, set up by their registers
 * alone, each with a host memory of its own. A run follows from the
 * configuration and the calls: bus addresses are fixed, so that the pins of two
 * runs can be compared too.
 */
#ifndef EQUIV_BENCH_H
#define EQUIV_BENCH_H

#include <stdint.h>

#include "core.h"
#include "mr_defs.h"
#include "script.h"
#include "stream.h"

enum {
    BENCH_CONNS = 4,
    BENCH_SQ = SCRIPT_QUEUE,  // entries of a send queue
    BENCH_CQ_LOG2 = 5,        // entries of a completion queue, log2
    BENCH_CPL = 1024,         // completions of a run
};

#define BENCH_KEY 0x1a5u           // all of the user memory, every right
#define BENCH_VA  0x500000001000u  // its address as keys and queue entries name it; differs from the bus address

struct bench_cfg {
    const char *engine;  // of core.h
    const char *trace;   // recorder's file or null
    uint64_t seed;
    double loss;
    uint32_t wr_ns;      // latency of a write to host memory; 0: that of sim_mem_defaults
    bool pages;          // user memory in 4 KiB pages, in another order on the bus
    unsigned paths;
    unsigned n_conns;
    uint16_t conn[BENCH_CONNS];      // table indices
    unsigned n_streams;              // stream k is on connection k % n_conns
    uint16_t stream[SCRIPT_STREAMS];  // table indices
    uint16_t cq;
};

struct bench_side {
    uint8_t *mem;   // send queues, completion queue, user
    uint64_t base;  // bus address of mem
    bool pages;     // as in bench_cfg
    uint8_t *user;
    uint16_t pidx[SCRIPT_STREAMS];
    uint16_t rq_pidx[SCRIPT_STREAMS];
    uint32_t n_cpl;
    struct mr_cqe cpl[BENCH_CPL];
};

struct bench {
    /** Called in the cycle in which a completion is seen, or null. */
    void (*on_cpl)(struct bench *b, unsigned side, const struct mr_cqe *c);
    void *arg;
    struct bench_cfg cfg;
    struct sim *sim;
    struct bench_side side[2];
    uint64_t steps;
    bool bad;  // a register access failed, or more than BENCH_CPL completions came
};

/** One connection, one stream, 4 paths, no loss, engine "native". */
struct bench_cfg bench_defaults(void);
/** 0 or -errno; prints what failed. */
int bench_new(const struct bench_cfg *cfg, struct bench **out);
void bench_free(struct bench *b);

uint32_t bench_read(struct bench *b, unsigned side, uint32_t offset);
void bench_write(struct bench *b, unsigned side, uint32_t offset, uint32_t value);
struct mr_tele bench_tele(struct bench *b, unsigned side, unsigned conn, unsigned path);
uint32_t bench_count(struct bench *b, unsigned side, unsigned counter);

/** A signalled Write of len bytes from the side's user memory to the peer's. */
struct mr_wqe bench_wqe(uint64_t from, uint64_t to, uint32_t len);
/** Posts on stream k and rings. At most BENCH_SQ may be posted and not complete. */
void bench_post(struct bench *b, unsigned side, unsigned k, struct mr_wqe w);
/** Posts a receive of one range on stream k; len 0: of none. At most BENCH_SQ may be posted and not complete. */
void bench_recv(struct bench *b, unsigned side, unsigned k, uint64_t to, uint32_t len);
/** Takes the side's user memory from the bus, or gives it back: accesses fail in between. */
void bench_map(struct bench *b, unsigned side, bool on);
/** Steps until both sides have so many completions; false: not within that many cycles. */
bool bench_until(struct bench *b, const uint32_t want[2], uint64_t cycles);
/** Steps until nothing has moved for a while. False: not within that many cycles. */
bool bench_settle(struct bench *b, uint64_t cycles);

#endif
