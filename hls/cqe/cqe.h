// SPDX-License-Identifier: BSD-2-Clause
/*
 * cqe - writes completions into the host's completion queues, each entry in one
 * piece, with the phase that tells the host that it is new; and events into the
 * event queue.
 *
 * The host says by doorbell how far it has read a queue. A completion that finds
 * its queue full is not written: it is counted, and told by one event until the
 * host has read something.
 *
 * A queue is armed by doorbell for one event. The doorbell has the index up to which
 * the host has looked: what came behind it fires at once, so no wake-up is lost.
 *
 * An event is written behind the completion that it tells of, by the same port, and
 * the interrupt follows when the host has confirmed the write. An event that finds
 * the event queue full is counted; as soon as there is room an event says that some
 * were lost. So a full event queue holds up nothing.
 *
 * Events: completions and doorbells of completion queues take two steps, and one for
 * each event; at most two come of one completion.
 */
#ifndef MR_CQE_KERNEL_H
#define MR_CQE_KERNEL_H

#include "desc.h"
#include "ext.h"

/** Writes under way, more than can be: wr_share has WR_SHARE_DEPTH of them, and there are FIFOs. */
#define CQE_WRITES_LOG2 7

enum cqe_arm { CQE_ARM_NONE, CQE_ARM_ANY, CQE_ARM_SOL };

/** A completion queue. */
struct cqe_row {
    u(64) base;  // bus address; 0 = no queue
    u(5) log2;   // entries
    u(17) pidx;  // next entry, and above it the pass
    u(16) cidx;  // entry that the host reads next, as it said last
    u(16) sol;   // behind the newest entry that is solicited or an error; cidx = none that was not read
    u(2) arm;    // enum cqe_arm
    bool told;   // of an overflow, and nothing was read since
};

/** The event queue. */
struct cqe_eq {
    u(64) base;  // bus address; 0 = no queue
    u(5) log2;   // entries
    u(17) pidx;
    u(16) cidx;
    bool lost;   // an event found no room, and the host was not told
};

struct cqe {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct completion, cpl);     // of sends
    MR_IN(struct completion, recv);    // of receives
    MR_IN(struct cq_bell, bell);
    MR_IN(struct path_note, note);
    MR_IN(struct completion, flush);   // of receives whose stream was closed
    MR_OUT(struct wr_req, wr);
    MR_OUT(struct wr_beat, beat);
    MR_IN(struct wr_done, done);
    MR_OUT(struct irq, irq);
    MR_CFG(u(64), now);  // cycles
    MR_STAT(u(32), cnt_cqes);
    MR_STAT(u(32), cnt_cqe_bus_errors);
    MR_STAT(u(32), cnt_cq_overflows);
    MR_STAT(u(32), cnt_eqes);
    MR_STAT(u(32), cnt_eqes_lost);
    bool busy;    // row_q is cpl_r's, or bell_r's
    bool belled;  // bell_r's
    bool turn;    // receives are next
    MR_STAT(u(16), ended);  // completions that are in host memory, or have no queue, modulo 2^16
    struct completion cpl_r;
    struct cq_bell bell_r;
    u(16) ev_cq;      // queue of the events that are due
    u(3) ev_cq_type;  // MR_EVT_CQ or CQ_OVERFLOW of it; 0 = none is due
    u(24) ev_stream;  // stream of an event that is due
    u(8) ev_code;     // and its status; 0 = none is due
    struct path_note ev_note;
    bool ev_noted;    // ev_note is due
    struct cqe_eq eq;
    u(128) are_events;             // by number: the write under way is of an event
    u(CQE_WRITES_LOG2) wr_next;    // number of the next write
    u(CQE_WRITES_LOG2) wr_oldest;  // and of the oldest one under way
    bool irq_due;
    struct cqe_row rows[MR_CQS];
    struct cqe_row row_q;
};

#endif
