// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_msg - puts messages together at the receiver and retires them in order.
 * [spec 7.1.5]
 *
 * in:  cfg        table stream: all of the stream's former life is forgotten
 *      got        accepted packets; their bytes are in host memory
 *      cut        responses were cut into packets: their places come free
 *      atom_done  outcomes of atomics
 *      rfail      a response under way lost its memory: only stream, msg, code hold
 * out: cpl        completions of receives
 *      rsp        responses to be sent
 *      atom       atomics to be executed
 *      head       the stream's oldest message that is not complete; one for several
 *                 retirements in a row, and one at every cfg
 *      ended      receives used up, requests of ours answered
 *      done, fail requests of ours answered; with each an item of `ended`
 *
 * Retirement: a Write nothing; a Send or a Write with immediate cpl and ended; a
 * Read rsp; an atomic atom, and rsp when its outcome is there. While an atomic is
 * not executed only Writes and atomics behind it are retired. MR_AHEAD - 1
 * responses of a stream may be given and not cut; one more place is for the error
 * answer to its first rfail, further ones are dropped. [spec 7.6, 7.7]
 *
 * Every input is taken in bounded time whatever cpl, atom and ended do; there has
 * to be room in done, fail and head, and in rsp for atom_done and rfail. What finds
 * no room otherwise is looked at again when no input has anything: its stream
 * stands in a ring, once. A stream that waits for a place or for an atomic does not:
 * cut and atom_done wake it.
 *
 * Two stages as in tx_cpl: a step takes an item and begins its table reads, the
 * next one carries it out; what was written meanwhile comes from bypass registers.
 * So an item per step. A retirement that follows another one is an event of its own.
 */
#ifndef MR_RX_MSG_H
#define MR_RX_MSG_H

#include "desc.h"

/** A message from the peer. An atomic's operands stand where others have something else. */
struct msg_ent {
    bool done;       // complete, not retired
    bool solicited;  // the packet with LAST had SOLICITED
    u(4) opcode;     // MR_OP_*
    u(16) recv;      // index of its receive, modulo 2^16
    u(32) bytes;     // that came so far; atomic: compare, upper half
    u(32) length;    // of the whole; atomic: compare, lower half
    u(64) addr;
    u(32) key;
    u(32) imm;       // atomic: swap, lower half
    u(32) match;     // atomic: swap, upper half
};

/** An answer to a request of ours. */
struct msg_answer {
    bool active;  // msg and bytes hold
    u(32) msg;
    u(32) bytes;  // that came so far; once it is complete and not told: MR_ERR_*
};

/** A stream. */
struct msg_row {
    bool open;
    bool dirty;     // some entry or answer may be other than 0
    bool queued;    // stands in the ring
    bool failed;    // the error answer was given
    u(8) life;      // counts openings and closings, wraps
    u(16) conn;
    u(16) rcq;      // completion queue of its receives
    u(16) pd;
    u(32) head;     // oldest message that is not retired
    u(MR_TRACK_LOG2 + 1) over;   // messages complete and not retired
    u(MR_AHEAD_LOG2) slot;       // of the next response
    u(MR_AHEAD_LOG2 + 1) given;  // responses given and not cut, the error answer too
    u(MR_AHEAD_LOG2) atoms;      // atomics given and not executed
    u(MR_MSGS) tell;             // answers complete and not told, by message modulo MR_MSGS
};

/** What follows from an event, before any input is taken. */
struct msg_next {
    u(4) event;   // enum msg_event: NEXT, TELL, or NONE
    u(16) stream;
    u(32) msg;
    bool moved;   // the head has moved, and `head` was not told
};

struct rx_msg {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct got, got);
    MR_IN(struct stream_count, cut);
    MR_IN(struct atom_done, atom_done);
    MR_IN(struct fail, rfail);
    MR_OUT(struct completion, cpl);
    MR_OUT(struct msg, rsp);
    MR_OUT(struct atom, atom);
    MR_OUT(struct msg_head, head);
    MR_OUT(struct ended, ended);
    MR_OUT(struct done, done);
    MR_OUT(struct fail, fail);
    MR_STAT(u(16), gots);  // taken, modulo 2^16
    MR_STAT(u(16), cpls);  // put out, modulo 2^16
    MR_STAT(u(8), cfgs);   // taken, modulo 2^8

    u(4) event;     // enum msg_event, to be carried out
    u(16) stream;   // of the event
    u(32) msg;      // of the event
    bool moved;     // NEXT: as in msg_next
    struct got got_r;  // GOT
    u(64) value;    // ATOM: as in atom_done
    u(8) life;      // ATOM: likewise
    u(8) item;      // ATOM, RFAIL: MR_ERR_*; CUT: how many
    u(2) turn;      // input that was served last
    struct msg_next next;
    u(MR_TRACK_LOG2 + 1) clearing;  // entries of a new stream still to be cleared

    u(MR_STREAMS_LOG2) ring[MR_STREAMS];  // streams to look at again
    u(MR_STREAMS_LOG2) ring_at;           // the first
    u(MR_STREAMS_LOG2 + 1) ring_n;
    bool front_valid;                     // front was taken from the ring
    u(MR_STREAMS_LOG2) front;

    struct msg_ent ents[MR_STREAMS * MR_TRACK];
    struct msg_ent ent_q;
    struct msg_ent ent_by;  // bypass: what was written last,
    u(MR_STREAMS_LOG2 + MR_TRACK_LOG2) ent_by_at;  // where,
    bool ent_by_new;        // and whether ent_q may be older
    struct msg_answer answers[MR_STREAMS * MR_MSGS];
    struct msg_answer answer_q;
    struct msg_answer answer_by;
    u(MR_STREAMS_LOG2 + MR_MSGS_LOG2) answer_by_at;
    bool answer_by_new;
    struct msg_row rows[MR_STREAMS];
    struct msg_row row_q;
    struct msg_row row_by;
    u(MR_STREAMS_LOG2) row_by_at;
    bool row_by_new;
};

#endif
