// SPDX-License-Identifier: BSD-2-Clause
/*
 * soft_pair.h - two software NICs in this process that carry every operation: a
 * connection, streams with receive queues, memory with all rights at both ends.
 */
#ifndef SOFT_PAIR_H
#define SOFT_PAIR_H

#include "rig.h"

enum { SOFT_BYTES = 1 << 20, SOFT_STREAMS = 3, SOFT_CQ = 1024 };

/** What the streams are made of; 0: none, or the library's default. */
struct soft_shape {
    uint32_t depth;     // of the send queues; 0: 32
    uint32_t rq_depth;  // 0: no receive queues
    uint8_t shared;     // 1: one receive queue for all streams of a side
    uint8_t rnr_max;
};

struct soft_side {
    struct mr_device *dev;
    struct mr_pd *pd;
    struct mr_cq *cq, *rcq;  // of sends, of receives
    struct mr_conn *conn;
    struct mr_rq *rq[SOFT_STREAMS];  // the same one if it is shared
    struct mr_stream *stream[SOFT_STREAMS];
    struct mr_mr *mr;
    struct mr_conn_addr addr;
    uint8_t *memory;  // SOFT_BYTES, begins at a multiple of 64
};

extern struct soft_side soft[2];

/** Opens both over a wire with these faults ("&loss=0.05"); all memory is 0. False: the test has failed. */
bool soft_open(struct soft_shape shape, const char *faults);
void soft_close(void);

/** A new stream k at one side, in place of that which was destroyed; not connected. 0 or -errno. */
int soft_stream(unsigned at, unsigned k, struct soft_shape shape);

/** A range of a side's memory. */
struct mr_sge soft_range(unsigned at, uint32_t offset, uint32_t len);
/** Address of an offset in a side's memory as the peer names it. */
uint64_t soft_addr(unsigned at, uint32_t offset);
/** Fills a part of a side's memory; what it holds follows from seed and offset. */
void soft_fill(unsigned at, uint32_t offset, uint32_t len, uint32_t seed);

/** Posts a receive of n ranges. */
int soft_recv(unsigned at, unsigned k, uint64_t id, const struct mr_sge *sge, uint32_t n);
/** Posts work, signalled; wr names no peer's key: it is set. */
int soft_send(unsigned at, unsigned k, struct mr_send_wr wr);

/** Takes n completions; false if they do not come within ten seconds. */
bool soft_take(struct mr_cq *cq, struct mr_wc *wc, int n);
/** A completion within ten seconds; status 255: none, and the test has failed. */
struct mr_wc soft_next(struct mr_cq *cq);
/** Is there none within so many ns? */
bool soft_quiet(struct mr_cq *cq, uint64_t ns);
/** What the devices have written so far, this thread sees. */
void soft_settle(void);
/** The number of bytes at both places that differ. */
uint32_t soft_differ(const void *a, const void *b, uint32_t n);

#endif
