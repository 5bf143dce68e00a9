// SPDX-License-Identifier: BSD-2-Clause
/*
 * wr_share - merges two users of one host write port. Every write is one beat:
 * request and beat go in the same step, when both are there.
 *
 * `a` has priority, but after WR_SHARE_RUN of its writes `b` goes first if it
 * waits. Ends come in the order of the requests: the FIFO from order_out to order
 * says whose they are.
 */
#ifndef MR_WR_SHARE_H
#define MR_WR_SHARE_H

#include "ext.h"

/** Depth of the FIFO from order_out to order: writes under way. */
#define WR_SHARE_DEPTH 64
/** Writes of `a` in a row while `b` waits, 1 to 3. */
#define WR_SHARE_RUN 3

/** Whose write it is. */
struct wr_user {
    u(1) who;  // 0 = a, 1 = b
};

struct wr_share {
    MR_IN(struct wr_req, a);
    MR_IN(struct wr_beat, a_beat);
    MR_IN(struct wr_req, b);
    MR_IN(struct wr_beat, b_beat);
    MR_IN(struct wr_done, done);
    MR_IN(struct wr_user, order);
    MR_OUT(struct wr_req, req);
    MR_OUT(struct wr_beat, beat);
    MR_OUT(struct wr_user, order_out);  // back to `order`
    MR_OUT(struct wr_done, a_done);
    MR_OUT(struct wr_done, b_done);
    u(7) dues;  // writes under way
    u(2) run;   // writes of a in a row while b waited
};

#endif
