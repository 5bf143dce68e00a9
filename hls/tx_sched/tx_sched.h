// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_sched - decides when a stream's next queue entries are fetched.
 *
 * A stream has at most MR_AHEAD entries read and not yet cut into packets and at
 * most MR_MSGS messages that are not complete. Within these bounds one read takes
 * all that the queue offers, up to SCHED_BATCH slots, the end of the ring and
 * the end of a 4 KiB page. Streams that may fetch stand in a ring and take turns.
 *
 * Two stages: a step chooses an event and begins its table reads, the next step
 * carries it out. An event's item stays in its FIFO until then. A row that was
 * written while it was being read is taken from a bypass register.
 *
 * Events never wait for room in the fetch queue, only turns do, so that the loop
 * through tx_wqe, tx_seg and tx_cpl cannot lock up.
 */
#ifndef MR_TX_SCHED_H
#define MR_TX_SCHED_H

#include "desc.h"
#include "ext.h"

#define SCHED_BATCH 8  // slots per read: an entry of the widest stride; at most half of MR_AHEAD entries, so that reads overlap

/** What the host said of a stream. */
struct sched_cfg {
    bool open;
    u(4) log2;   // entries of the send queue
    u(2) stride; // log2 of the 64-byte slots per entry
    u(16) conn;
    u(64) base;  // bus address of the send queue
};

/** Where the stream stands. */
struct sched_row {
    u(16) pidx;    // producer index, from the doorbell
    u(16) fidx;    // next entry to fetch
    u(32) msg;     // its message number
    u(MR_AHEAD_LOG2 + 1) ahead;  // entries read and not yet cut
    u(MR_AHEAD_LOG2) slot;       // place for the next entry in tx_seg
    u(MR_MSGS_LOG2 + 1) flight;  // messages fetched and not complete
    bool queued;   // stands in the ring
    bool stopped;  // in error
};

struct tx_sched {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct stream_id, stop);
    MR_IN(struct stream_count, retired);
    MR_IN(struct stream_count, cut);
    MR_IN(struct doorbell, db);
    MR_OUT(struct fetch, fetch);
    MR_OUT(struct rd_req, rd);
    u(3) event;     // enum sched_event, to be carried out
    u(16) stream;   // of the event
    bool live;      // every row has been freed after the reset
    u(MR_STREAMS_LOG2) head;   // ring: next to take
    u(MR_STREAMS_LOG2 + 1) n;  // ring: entries
    u(MR_STREAMS_LOG2) ring[MR_STREAMS];
    bool turn_ok;              // turn_q is the next turn
    u(MR_STREAMS_LOG2) turn_q;
    struct sched_cfg cfgs[MR_STREAMS];
    struct sched_cfg cfg_q;
    struct sched_row rows[MR_STREAMS];
    struct sched_row row_q;
    struct sched_row row_by;   // bypass: the row that was written last,
    u(MR_STREAMS_LOG2) by_at;  // its stream,
    bool by;                   // and whether row_q may be older
};

#endif
