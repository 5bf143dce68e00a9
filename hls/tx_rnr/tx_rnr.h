// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_rnr - keeps a stream from sending for a while after its peer had no receive
 * for a message. [spec 10.3]
 *
 * The wait is rnr_min << turn, up to 1,024 times rnr_min. Streams that wait stand in a ring, of which one is
 * looked at whenever there is nothing else to do.
 */
#ifndef MR_TX_RNR_H
#define MR_TX_RNR_H

#include "desc.h"

#define RNR_TURN_MAX 10  // longest wait, log2 times the first

/** A stream that waits. */
struct rnr_turn {
    u(16) stream;
    u(16) conn;
    u(32) until;  // MR_TS_NS
};

struct tx_rnr {
    MR_IN(struct rnr_wait, wait);
    MR_OUT(struct hold, hold);       // to tx_seg
    MR_OUT(struct stream_id, over);  // to tx_cpl: the wait is over
    MR_CFG(u(32), now);      // MR_TS_NS
    MR_CFG(u(32), rnr_min);  // cycles
    u(MR_STREAMS_LOG2) head;   // ring: next to look at
    u(MR_STREAMS_LOG2 + 1) n;  // ring: entries
    bool looking;              // turn_q is being looked at
    struct rnr_turn turn_q;
    struct rnr_turn ring[MR_STREAMS];
};

#endif
