// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_seg - cuts messages into packets, one packet per stream and turn.
 *
 * Streams that have something to send stand in a ring. A stream leaves the ring
 * with its packet and comes back when tx_path says that the packet went out; if
 * the connection's windows were full it waits in the connection's queue until
 * tx_path wakes that. So a stream never has more than one packet between here
 * and tx_path, and a full connection costs nothing while it waits.
 */
#ifndef MR_TX_SEG_H
#define MR_TX_SEG_H

#include "desc.h"

/** A message and how it is cut. */
struct seg_msg {
    struct msg m;
    u(4) mtu_log2;  // 8 to 12
};

/** Where a stream stands. */
struct seg_row {
    u(32) offset;  // bytes of the current message that went out
    u(1) slot;     // place of the current message
    u(2) count;    // messages here, 0 to 2
    bool queued;   // in the ring, in a connection's queue, or at tx_path
    bool stopped;  // in error
};

/** Streams that wait for a connection's window; first in, first out. */
struct seg_wait {
    bool some;
    u(16) head;
    u(16) tail;
};

/** A place in the ring. */
struct seg_turn {
    u(MR_STREAMS_LOG2) stream;
    u(1) slot;
};

struct tx_seg {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct stream_id, stop);
    MR_IN(struct verdict, verdict);
    MR_IN(struct msg, msg);
    MR_OUT(struct pkt, pkt);
    MR_OUT(struct start, start);
    MR_OUT(struct stream_id, cut);
    u(4) state;      // enum seg_state
    u(16) stream;    // of the event
    u(16) conn;      // of the event
    u(13) len;       // of a verdict
    bool last;       // of a verdict
    struct msg msg_r;
    struct seg_wait wait;  // during a wake-up
    u(MR_STREAMS_LOG2) head;  // ring: next to take
    u(MR_STREAMS_LOG2) tail;  // ring: next free
    bool full;                // ring: head == tail means full
    struct seg_turn turn_q;
    struct seg_turn ring[MR_STREAMS];
    struct seg_row rows[MR_STREAMS];
    struct seg_row row_q;
    struct seg_msg msgs[MR_STREAMS * 2];
    struct seg_msg msg_q;
    u(4) mtus[MR_CONNS];
    u(4) mtu_q;
    struct seg_wait waits[MR_CONNS];
    struct seg_wait wait_q;
    u(16) nexts[MR_STREAMS];  // connection queue: the stream behind
    u(16) next_q;
};

#endif
