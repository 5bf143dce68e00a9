// SPDX-License-Identifier: BSD-2-Clause
/*
 * ref_recv.h - what rx_recv must do, written down a second time: receives, bindings
 * and requests by their whole numbers, no pipeline. Told of an item when the kernel
 * takes it.
 */
#ifndef REF_RECV_H
#define REF_RECV_H

#include "bench.h"

enum { REF_POSTED = 1 << 12 };  // receives that a queue remembers

struct ref_recv {
    struct mr_sge sge[MR_SGE_MAX];
    bool used;
};

struct ref_queue {
    bool open, shared;
    unsigned pd, life;
    uint32_t have, next, gone, freed;  // gone: the run of used ones; freed: of them, what the kernel has reported
    struct ref_recv recv[REF_POSTED];
};

struct ref_bound {
    bool valid;
    uint32_t index;
    unsigned life;
};

struct ref_request {
    bool valid, atomic;
    uint32_t msg, length;
    struct mr_sge sge[MR_SGE_MAX];
};

struct ref_stream {
    bool open;
    unsigned rq, pd;
    uint32_t ended;
    struct ref_bound bound[MR_RECVS];
    struct ref_request request[MR_MSGS];
};

struct ref {
    struct ref_queue queue[MR_RQS];
    struct ref_stream stream[MR_STREAMS];
    struct mr_key key[MR_KEYS];
    unsigned released;  // receives given back by streams that were closed
};

/** What must become of a packet. */
struct ref_fate {
    struct rx_seq seq;
    unsigned n;  // on `piece`
    struct piece piece[MR_SGE_MAX];
};

void ref_config(struct ref *r, struct cfg_write w);
void ref_request(struct ref *r, struct request q);
void ref_entry(struct ref *r, struct recv_entry e);
void ref_ended(struct ref *r, struct ended e);
struct ref_fate ref_packet(struct ref *r, struct rx_seq q);

/** Bytes of a list. */
uint64_t ref_sum(const struct mr_sge *s);

#endif
