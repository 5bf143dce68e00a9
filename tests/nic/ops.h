// SPDX-License-Identifier: BSD-2-Clause
/*
 * ops.h - streams that carry every operation, over a pair: queues with lists, inline
 * data and receives, and what a program would do with them.
 */
#ifndef MR_TEST_OPS_H
#define MR_TEST_OPS_H

#include "nic_test.h"

enum {
    OPS_STREAMS = 8,    // numbers 1 to OPS_STREAMS - 1
    OPS_SQ = 16,        // entries
    OPS_RQ = 16,
    OPS_INLINE = 448,   // bytes
};

/** A local range, by its offset in the side's user area. */
struct ops_range {
    uint32_t at;
    uint32_t len;
};

/** Work for a send queue. */
struct ops_wr {
    unsigned op;      // MR_OP_*
    unsigned flags;   // MR_WQEF_*; SIGNALED is added
    struct ops_range range[16];
    unsigned nranges;
    uint64_t raddr;   // offset in the peer's user area
    uint32_t imm;
    uint64_t compare, swap;
    const void *data; // INLINE: nranges 0, so many bytes
    uint32_t len;
    uint32_t lkey, rkey;  // 0 = PAIR_KEY
};

struct ops_stream {
    uint8_t rnr_max;  // as in the stream's table entry
    bool shared;      // receives come from queue 0, which all such streams share
    uint8_t weight;
};

/** Opens stream n at both sides, number n at both. */
void ops_open(struct pair *p, unsigned n, struct ops_stream s);
void ops_post(struct pair *p, unsigned side, unsigned n, const struct ops_wr *w);
/** Posts an entry as it is. */
void ops_post_raw(struct pair *p, unsigned side, unsigned n, struct mr_wqe w);
/** Posts a receive to the queue of stream n; of a shared one n is 0. */
void ops_recv(struct pair *p, unsigned side, unsigned n, const struct ops_range *r, unsigned nranges);

/** The next completion at that side, within PATIENCE; status 255 if none came. */
struct mr_cqe ops_wait(struct pair *p, unsigned side);
/** Sum of the ranges' bytes. */
uint32_t ops_bytes(const struct ops_range *r, unsigned n);
/** Copies a side's ranges into a buffer. */
void ops_gather(struct pair *p, unsigned side, const struct ops_range *r, unsigned n, uint8_t *to);

#endif
