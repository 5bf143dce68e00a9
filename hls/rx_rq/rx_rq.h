// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_rq - reads posted receives ahead, so that a Send finds its receive in the NIC.
 * [spec 7.5]
 *
 * A queue has at most MR_RECVS receives read and not used up. Entry i lies at
 * base + (i mod entries) * (64 << stride); one read takes one entry. Queues that
 * may read stand in a ring and take turns.
 *
 * Two stages: a step chooses an event and begins its table reads, the next step
 * carries it out. An event's item stays in its FIFO until then. A row that was
 * written while it was being read is taken from a bypass register. Answers are put
 * together beside that.
 *
 * Every write of a queue's table entry begins a new generation of the queue. Reads
 * know theirs; the answer to one of another generation is dropped. What has gone
 * to rx_recv before cannot be called back: a queue must be closed, and be closed in
 * rx_recv too, before it is opened again.
 */
#ifndef MR_RX_RQ_H
#define MR_RX_RQ_H

#include "desc.h"
#include "ext.h"

/** Depth of the FIFO from job_out to job: reads under way. */
#define RX_RQ_JOBS 64

/** A read under way. */
struct rq_job {
    u(MR_RQS_LOG2) rq;
    u(8) gen;   // generation of the queue
    u(3) beats; // 1 to 4
};

/** What the host said of a queue. */
struct rq_cfg {
    bool open;
    u(4) log2;   // entries
    u(2) stride; // log2 of the 64-byte slots per entry, 0 to 2
    u(58) base;  // bus address, 64 bytes
};

/** Where the queue stands. */
struct rq_row {
    u(16) pidx;  // producer index, from the doorbell
    u(16) fidx;  // next entry to read
    u(MR_RECVS_LOG2 + 1) ahead;  // entries read and not used up
    u(8) gen;    // generation, wraps
    bool queued; // stands in the ring
};

struct rx_rq {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct rq_bell, bell);
    MR_IN(struct rq_id, freed);
    MR_IN(struct rd_beat, rd);
    MR_IN(struct rq_job, job);
    MR_OUT(struct rq_job, job_out);  // back to `job`
    MR_OUT(struct rd_req, req);
    MR_OUT(struct recv_entry, entry);
    MR_STAT(u(32), cnt_rq_bus_errors);  // receives that could not be read: handed on with all lengths 0
    u(3) event;     // enum rq_event, to be carried out
    u(16) rq;       // of the event
    bool live;      // every row has been freed after the reset
    u(7) jobs;      // reads under way
    u(MR_RQS_LOG2) head;   // ring: next to take
    u(MR_RQS_LOG2 + 1) n;  // ring: entries
    u(MR_RQS_LOG2) ring[MR_RQS];
    bool turn_ok;          // turn_q is the next turn
    u(MR_RQS_LOG2) turn_q;
    struct rq_cfg cfgs[MR_RQS];
    struct rq_cfg cfg_q;
    struct rq_row rows[MR_RQS];
    struct rq_row row_q;
    struct rq_row row_by;     // bypass: the row that was written last,
    u(MR_RQS_LOG2) by_at;     // its queue,
    bool by;                  // and whether row_q may be older
    u(8) gens[MR_RQS];        // as in rows, for the answers
    u(8) gen_q;
    bool looked;              // gen_q is of the job at the head
    bool stale;               // its queue has begun a new generation since
    u(2) at;                  // beats of the answer that came
    u(512) part[3];           // the first ones
};

#endif
