// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_sched - decides when a stream's next queue entry is fetched.
 *
 * A stream has at most two entries read and not yet cut into packets (one being
 * cut, one waiting, so that the read's latency is hidden) and at most MR_MSGS
 * messages that are not complete. Streams that may fetch stand in a ring and
 * take turns; events never wait for room in the fetch queue, only turns do, so
 * that the loop through tx_wqe, tx_seg and tx_cpl cannot lock up.
 */
#ifndef MR_TX_SCHED_H
#define MR_TX_SCHED_H

#include "desc.h"
#include "ext.h"

/** What the host said of a stream. */
struct sched_cfg {
    bool open;
    u(4) log2;   // slots of the send queue
    u(16) conn;
    u(24) peer;
    u(16) pd;
    u(64) base;  // bus address of the send queue
};

/** Where the stream stands. */
struct sched_row {
    u(16) pidx;    // producer index, from the doorbell
    u(16) fidx;    // next entry to fetch
    u(32) msg;     // its message number
    u(2) cutting;  // entries read and not yet cut, 0 to 2
    u(1) slot;     // place for the next entry in tx_seg
    u(MR_MSGS_LOG2 + 1) flight;  // messages fetched and not complete
    bool queued;   // stands in the ring
    bool stopped;  // in error
};

struct tx_sched {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct stream_id, stop);
    MR_IN(struct stream_id, retired);
    MR_IN(struct stream_id, cut);
    MR_IN(struct doorbell, db);
    MR_OUT(struct fetch, fetch);
    MR_OUT(struct rd_req, rd);
    u(2) state;     // enum sched_state
    u(3) event;     // enum sched_event
    u(16) stream;   // of the event
    u(16) pidx;     // of a doorbell
    u(MR_STREAMS_LOG2) head;  // ring: next to take
    u(MR_STREAMS_LOG2) tail;  // ring: next free
    bool full;                // ring: head == tail means full
    u(16) ring[MR_STREAMS];
    u(16) turn_q;
    struct sched_cfg cfgs[MR_STREAMS];
    struct sched_cfg cfg_q;
    struct sched_row rows[MR_STREAMS];
    struct sched_row row_q;
};

#endif
