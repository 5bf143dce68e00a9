// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_cpl - completes messages: counts a message's packets as they are
 * acknowledged and retires the messages of a stream in order. [spec 7]
 *
 * The first message that failed ends its stream: what stands in front of it
 * still completes, it itself completes with its error, and nothing behind it is
 * reported any more (the library flushes the rest).
 *
 * A Read or atomic has one packet more than it sends: its answer.
 *
 * A local operation is let go when it is the oldest message. [spec 7.8.1]
 *
 * Responses have no entries here. One whose memory is gone is reported to rx_msg,
 * which answers with the error; one that the peer refuses stops those of its stream.
 *
 * Two stages: a step chooses an event and begins its table reads, the next step
 * carries it out, if there is room for all that it can give: those who take that
 * wait for nobody. An event's item stays in its FIFO until then. What was written
 * while it was being read is taken from bypass registers.
 */
#ifndef MR_TX_CPL_H
#define MR_TX_CPL_H

#include "desc.h"

#define CPL_RETIRED (MR_MSGS < 32 ? 1 : 8)  // messages told to tx_sched at once, while more are in flight

/** A message in flight. */
struct cpl_ent {
    bool active;
    bool signaled;
    u(24) left;    // packets not acknowledged
    u(16) widx;
    u(8) opcode;
    u(32) length;
    u(8) err;      // MR_ERR_*
    bool waits;    // a local operation that was not let go
};

/** A stream. */
struct cpl_row {
    u(32) head;    // oldest message that is not complete
    u(16) cq;
    bool failed;   // fail_msg holds
    u(32) fail_msg;  // the first message that failed
    bool frozen;   // the error has been reported
    u(MR_MSGS_LOG2 + 1) active;  // messages begun and not retired
    u(MR_MSGS_LOG2 + 1) over;    // of these, acknowledged, failed, or local and waiting, while an earlier one is not over
    u(4) retired;  // not yet told to tx_sched
    u(16) conn;
    u(16) life;    // as in cfg_write: what comes of an earlier one is taken and forgotten
    u(8) rnr_max;  // RNR errors in a row before an error; 255 = no limit
    u(8) rnr;      // those since a message was retired, saturates
    bool held;     // tx_rnr has it
    bool rfailed;  // a response's memory was gone: told to rx_msg, once in a stream's life
};

struct tx_cpl {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct start, start);
    MR_IN(struct fail, fail_path);
    MR_IN(struct fail, fail_check);
    MR_IN(struct fail, fail_mov);
    MR_IN(struct fail, fail_slot);
    MR_IN(struct fail, fail_rsp);    // from rx_msg: answered with an error
    MR_IN(struct done, done);
    MR_IN(struct done, done_rsp);    // from rx_msg: the answer is complete
    MR_IN(struct done, done_key);    // from keys: a local operation is done
    MR_IN(struct fail, fail_key);
    MR_IN(struct rnr_note, rnr);
    MR_IN(struct stream_id, resume); // from tx_rnr
    MR_OUT(struct completion, cpl);
    MR_OUT(struct stream_count, retired);
    MR_OUT(struct stop, stop_check);
    MR_OUT(struct stream_id, stop_seg);
    MR_OUT(struct stream_id, stop_sched);
    MR_OUT(struct answered, answered);  // a Read or atomic is complete, to tx_seg
    MR_OUT(struct rnr_wait, wait);
    MR_OUT(struct fail, rfail);         // to rx_msg; FIFO of MR_STREAMS: never waited for
    MR_STAT(u(16), cpls);  // put out, modulo 2^16
    MR_STAT(u(8), cfgs);   // taken, modulo 2^8
    u(4) event;    // enum cpl_event, to be carried out
    u(16) stream;  // of the event
    u(32) msg;     // of the event
    bool next;     // next_msg is the head of next_stream, and some message behind it is over
    u(16) next_stream;
    u(32) next_msg;
    u(MR_MSGS_LOG2 + 1) clearing;  // entries of a new stream still to be cleared
    struct cpl_ent ents[MR_STREAMS * MR_MSGS];
    struct cpl_ent ent_q;
    struct cpl_ent ent_by;  // bypass: the entry that was written last,
    u(MR_STREAMS_LOG2 + MR_MSGS_LOG2) ent_by_at;  // and where
    struct cpl_row rows[MR_STREAMS];
    struct cpl_row row_q;
    struct cpl_row row_by;
    u(MR_STREAMS_LOG2) row_by_at;
    bool by;       // whether ent_q and row_q may be older than these
};

#endif
