// SPDX-License-Identifier: BSD-2-Clause
/*
 * pair.h - two native NICs, a wire with faults and a host memory each, stepped
 * cycle by cycle: the bench for everything that the kernels decide together.
 * Deterministic: a run follows from the seed and the calls.
 */
#ifndef MR_TEST_PAIR_H
#define MR_TEST_PAIR_H

#include <stdint.h>

#include "mr_defs.h"
#include "native/nic_native.h"

enum { PAIR_FRAME_MAX = 9216, PAIR_MEM = 4 << 20, PAIR_SQ = 64, PAIR_CQ = 64, PAIR_STREAMS = 64 };

struct pair;

/** A frame on its way. */
struct pair_frame {
    struct pair_frame *next;
    uint64_t due;  // cycle of arrival
    unsigned to;   // NIC
    unsigned len;
    uint8_t bytes[PAIR_FRAME_MAX];
};

/** What becomes of a frame. */
enum pair_fate { PAIR_PASS, PAIR_LOSE, PAIR_TWICE };

/** One host and its NIC. */
struct pair_side {
    struct mr_nic *nic;
    uint8_t *mem;           // bus address of a byte is its address
    uint8_t *sq, *cq;       // rings within mem
    uint8_t *user;          // the rest of mem
    uint16_t pidx, cq_at;
    uint16_t more_pidx[PAIR_STREAMS];  // of pair_stream's queues
    uint16_t rq_pidx[PAIR_STREAMS];    // of receive queues, ops.h
    bool rq_shared;         // queue 0 is open, shared
    struct rd_req rd[2][64];  // reads under way: queue entries, payload
    uint64_t rd_due[2][64];
    unsigned rd_head[2], rd_count[2], rd_beat[2];
    struct wr_req wr[2];
    bool wr_open[2];
    struct wr_done done[2][64];  // ended writes that the NIC has not heard of
    uint64_t done_due[2][64];
    unsigned done_head[2], done_count[2];
    uint64_t wr_at[2];
    uint64_t writes;        // bytes written by the NIC into user
    struct pair_frame out;  // frame being sent
    bool bus_fails;         // payload reads fail
    bool writes_fail;       // payload writes fail
    unsigned write_latency; // cycles
    unsigned page_log2;     // user stands on the bus in pages of this size, in another order; 0 = in one piece
    unsigned pages;         // how many
};

struct pair {
    struct pair_side side[2];
    struct pair_frame *wire;  // in order of arrival
    struct pair_frame *in[2];
    unsigned in_at[2];
    uint64_t now;
    uint64_t rng;
    unsigned delay;           // of the wire, cycles
    unsigned read_latency;    // of host memory, cycles
    double loss;              // of every frame
    /** Called for every frame; may change its bytes. */
    enum pair_fate (*fault)(struct pair *p, unsigned from, uint8_t *frame, unsigned len, void *arg);
    void *fault_arg;
    unsigned frames[2], lost;
};

/** Set-up of both hosts: connection 0 with that many paths, stream 0, CQ 0, keys 1 (all of `user`). */
struct pair *pair_new(uint64_t seed, unsigned paths);
void pair_free(struct pair *p);

/** First entry of pair_pages in the page table. */
#define PAIR_PAGE 2

/**
 * Scatters the user area of a side over the bus: pages of 1 << log2 bytes, permuted,
 * nowhere next to their neighbours. Key 1 is indirect from then on; of the area's pages
 * the first n are in the page table, all with n 0.
 */
void pair_pages(struct pair *p, unsigned side, unsigned log2, unsigned n);

/** Both sides of connection 0: its paths begin anew, with source ports from 50000 on. */
struct pair_conn {
    unsigned generation;  // top byte of the connection numbers
    unsigned paths;
    unsigned mtu;
    unsigned planes;  // 0 = 1; path i is on plane i % planes
};
void pair_connect(struct pair *p, unsigned side, struct pair_conn c);

/** Registers. */
uint32_t pair_read(struct pair *p, unsigned side, uint32_t addr);
void pair_write(struct pair *p, unsigned side, uint32_t addr, uint32_t value);
/** Writes a table entry of `bytes` bytes; returns TBL_STATUS. */
uint32_t pair_table(struct pair *p, unsigned side, uint32_t table, uint32_t index, const void *entry,
                    unsigned bytes);
struct mr_tele pair_tele(struct pair *p, unsigned side, unsigned conn, unsigned path);
uint32_t pair_count(struct pair *p, unsigned side, unsigned counter);

/** The keys that pair_new made. */
enum { PAIR_KEY = 0x1a5 };

/** Posts a Write on stream 0 and rings. */
void pair_post(struct pair *p, unsigned side, struct mr_wqe w);
/** Opens stream n, from 1, on both sides, with a queue of its own in the last MiB of `user`. */
void pair_stream(struct pair *p, unsigned n, unsigned conn, unsigned weight);
void pair_post_on(struct pair *p, unsigned side, unsigned n, struct mr_wqe w);
/** A Write of len bytes between the user areas. */
struct mr_wqe pair_wqe(struct pair *p, unsigned side, uint64_t from, uint64_t to, uint32_t len);
/** Next completion, if there is one. */
bool pair_poll(struct pair *p, unsigned side, struct mr_cqe *e);
/** Steps until a completion or `cycles` are over. */
bool pair_wait(struct pair *p, unsigned side, struct mr_cqe *e, uint64_t cycles);
void pair_step(struct pair *p);
void pair_run(struct pair *p, uint64_t cycles);
uint64_t pair_random(struct pair *p);

#endif
