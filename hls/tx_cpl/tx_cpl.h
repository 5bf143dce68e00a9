// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_cpl - completes messages: counts a message's packets as they are
 * acknowledged and retires the messages of a stream in order. [spec 7]
 *
 * The first message that failed ends its stream: what stands in front of it
 * still completes, it itself completes with its error, and nothing behind it is
 * reported any more (the library flushes the rest).
 */
#ifndef MR_TX_CPL_H
#define MR_TX_CPL_H

#include "desc.h"

/** A message in flight. */
struct cpl_ent {
    bool active;
    bool signaled;
    u(24) left;    // packets not acknowledged
    u(16) widx;
    u(8) opcode;
    u(32) length;
    u(8) err;      // MR_ERR_*
};

/** A stream. */
struct cpl_row {
    u(32) head;    // oldest message that is not complete
    u(16) cq;
    bool failed;   // fail_msg holds
    u(32) fail_msg;  // the first message that failed
    bool frozen;   // the error has been reported
};

/** What happens to a message. */
struct cpl_event {
    u(2) kind;     // enum cpl_kind
    u(16) stream;
    u(32) msg;
    u(8) code;     // FAIL
    struct start start;  // START
};

struct tx_cpl {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct start, start);
    MR_IN(struct fail, fail_check);
    MR_IN(struct fail, fail_mov);
    MR_IN(struct fail, fail_slot);
    MR_IN(struct done, done);
    MR_OUT(struct completion, cpl);
    MR_OUT(struct stream_id, retired);
    MR_OUT(struct stop, stop_check);
    MR_OUT(struct stream_id, stop_seg);
    MR_OUT(struct stream_id, stop_sched);
    u(3) state;    // enum cpl_state
    struct cpl_event ev;
    u(MR_MSGS_LOG2 + 1) clearing;  // entries of a new stream still to be cleared
    u(32) head;    // while messages retire
    struct cpl_ent ents[MR_STREAMS * MR_MSGS];
    struct cpl_ent ent_q;
    struct cpl_row rows[MR_STREAMS];
    struct cpl_row row_q;
};

#endif
