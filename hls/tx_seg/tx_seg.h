// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_seg - cuts messages into packets and decides whose packet is next.
 *
 * A stream that has something to send is in exactly one place: in a ring, in its
 * connection's queue, or with one packet at tx_path. It comes back with the
 * verdict. So nothing of it is ever out of order, and a stream that must not send
 * costs nothing.
 *
 * Shares. Deficit round robin in bytes: in a turn a stream may send weight * mtu
 * bytes, one packet at a time; what its last packet was too long comes off its
 * next turn. There are two rings, for the round that runs and for the next one. A
 * stream whose turn goes on re-enters this round, a new turn begins in the next.
 * A round ends when its ring is empty. Streams of it may still be at tx_path: if
 * tx_path is slow (somebody behind it sets the pace, so waiting costs nothing)
 * the round waits for them, else a stream of great weight would have no more than
 * its one packet among all that wait there. If tx_path is fast, it does not wait.
 *
 * Windows. A connection without room is shut: its streams queue up in it, those
 * in the midst of a turn in front of those that wait for a new one. Every wake-up
 * lets one stream go, and when its packet went out, the next: so what the window
 * lets through is shared as a ring is, and a wake-up costs the same however many
 * wait. After SEG_DRAIN packets without a refusal each packet brings two streams
 * back into the rings, until none waits.
 *
 * A stream that must not send, after RNR or because of a fence, is parked: it leaves the
 * rings when its turn comes and is put back when the reason is gone. [spec 7.1.9, 10.3]
 *
 * A local operation on a key is parked until tx_cpl says that everything in front of
 * it is complete, and what is behind it until it is complete itself. [spec 7.8.1]
 *
 * Two stages: a step chooses an event and begins its table reads, the next step
 * carries it out. An event's item stays in its FIFO until then, so two events
 * from one input are two steps apart, and room for what an event gives, looked
 * for when it is chosen, is still there. Rows that were written while they were
 * being read are taken from bypass registers.
 */
#ifndef MR_TX_SEG_H
#define MR_TX_SEG_H

#include "desc.h"

#define SEG_DRAIN 15   // packets in a row, at most 15
#define SEG_QUIET 20   // cycles without a verdict: tx_path is slow
#define SEG_SLOW  255  // cycles for which that is remembered; what waits behind tx_path lasts longer
#define SEG_CUTS  (MR_AHEAD < 16 ? 1 : 8)  // messages told to tx_sched at once, while more are here

/** A message and how it is cut. */
struct seg_msg {
    u(32) msg;
    u(8) opcode;
    bool fence;      // waits for the answers to earlier Reads and atomics
    bool solicited;
    bool list;       // as in struct msg
    bool bus;        // likewise
    u(32) match;
    u(32) length;
    u(64) raddr;
    u(32) rkey;
    u(32) imm;
    u(64) laddr;
    u(32) lkey;
};

/**
 * Where a stream stands. Each has two rows, which take turns like two streams: for
 * the messages of its program, and behind those of all streams, at MR_STREAMS +
 * stream, for the responses that its peer asked for.
 */
struct seg_row {
    u(16) conn;
    u(24) peer;
    u(16) pd;
    u(16) life;    // as in cfg_write
    u(8) weight;
    u(32) offset;  // bytes of the current message that went out
    u(21) spent;   // bytes sent in this turn
    u(MR_AHEAD_LOG2) slot;       // place of the current message
    u(MR_AHEAD_LOG2 + 1) count;  // messages here
    u(4) cuts;     // messages cut, not yet told to tx_sched
    bool queued;   // in a ring, in a connection's queue, or at tx_path
    bool stale;    // the entry was rewritten meanwhile: what comes back is of its former life
    bool stopped;  // in error
    bool held;     // waits after RNR
    bool parked;   // not queued: its turn came while it was held or fenced
    u(MR_MSGS_LOG2 + 1) asks;  // Reads, atomics and local operations that went out and are not complete
    bool barrier;  // the last one was a local operation: nothing passes it
    bool go;       // everything in front of the local operation at hand is complete
};

/** A row and the place of its current message. */
struct seg_node {
    u(MR_STREAMS_LOG2 + 1) stream;  // row
    u(MR_AHEAD_LOG2) slot;
};

/** Streams that wait, first in, first out; the links are in `nexts`. */
struct seg_list {
    bool some;
    struct seg_node head;
    u(MR_STREAMS_LOG2 + 1) tail;
};

struct seg_conn {
    bool open;
    bool one;       // it has one group of paths,
    u(16) group;    // and which: spares tx_path a step
    u(4) mtu_log2;  // 8 to 12
    bool shut;      // tx_path refused and will wake
    bool run;       // `runner` was let go and has not come back
    u(MR_STREAMS_LOG2 + 1) runner;
    u(4) ok;        // packets since the last refusal, saturated
    struct seg_list front;  // wait in the midst of a turn
    struct seg_list main;   // wait for a new turn
};

/** A place in a ring. */
struct seg_turn {
    struct seg_node node;
    u(MR_CONNS_LOG2) conn;
};

struct seg_ring {
    u(MR_STREAMS_LOG2 + 1) head;  // next to take
    u(MR_STREAMS_LOG2 + 2) n;     // entries
};

struct tx_seg {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct stream_id, stop);
    MR_IN(struct verdict, verdict);
    MR_IN(struct hold, hold);           // from tx_rnr
    MR_IN(struct answered, answered);  // from tx_cpl: a Read or atomic is complete
    MR_IN(struct msg, rsp);             // responses, from rx_msg: always taken
    MR_IN(struct msg, msg);
    MR_OUT(struct pkt, pkt);
    MR_OUT(struct start, start);
    MR_OUT(struct stream_count, cut);
    MR_OUT(struct key_op, op);          // local operations, to keys
    MR_OUT(struct stream_count, rcut);  // responses cut, to rx_msg
    u(4) event;       // enum seg_event, to be carried out
    u(16) stream;     // row of the event
    u(16) conn;       // of the event
    bool half;        // a stream's entry: its second row is to be written
    bool release;     // before that: conn_by lets a stream go
    bool live;        // every row has been freed after the reset
    u(8) out;         // packets at tx_path
    u(5) quiet;       // cycles since its last verdict
    u(8) slow;        // cycles for which tx_path counts as slow
    bool round;       // which ring is this round's
    struct seg_ring ring0;
    struct seg_ring ring1;
    struct seg_turn ring[MR_STREAMS * 4];
    bool turn_ok;     // turn_q is the next turn
    struct seg_turn turn_q;
    struct seg_msg msgs[MR_STREAMS * 2 * MR_AHEAD];
    struct seg_msg msg_q;
    struct seg_row rows[MR_STREAMS * 2];
    struct seg_row row_q;
    struct seg_row row_by;           // bypass: the row that was written last,
    u(MR_STREAMS_LOG2 + 1) row_by_at;  // where,
    bool row_by_ok;                  // and whether row_q may be older
    struct seg_conn conns[MR_CONNS];
    struct seg_conn conn_q;
    struct seg_conn conn_by;
    u(MR_CONNS_LOG2) conn_by_at;
    bool conn_by_ok;
    struct seg_node nexts[MR_STREAMS * 2];  // the stream behind
    struct seg_node next_q;
    struct seg_node next_by;
    bool next_by_ok;                 // next_by was written where next_q was read
};

#endif
