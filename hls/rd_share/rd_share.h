// SPDX-License-Identifier: BSD-2-Clause
/*
 * rd_share - merges three users of one host read port.
 *
 * `a` has priority, but after RD_SHARE_RUN of its requests another one that waits
 * goes first; `b` and `c` take turns. Answers come in the order of the requests:
 * the FIFO from order_out to order says whose they are. A user that does not take
 * its beats holds up the others.
 */
#ifndef MR_RD_SHARE_H
#define MR_RD_SHARE_H

#include "ext.h"

/** Depth of the FIFO from order_out to order: reads under way. */
#define RD_SHARE_DEPTH 64
/** Requests of `a` in a row while another waits, 1 to 3. */
#define RD_SHARE_RUN 3

/** Whose read it is. */
struct rd_user {
    u(2) who;  // 0 = a, 1 = b, 2 = c
};

struct rd_share {
    MR_IN(struct rd_req, a);
    MR_IN(struct rd_req, b);
    MR_IN(struct rd_req, c);
    MR_IN(struct rd_beat, rd);
    MR_IN(struct rd_user, order);
    MR_OUT(struct rd_req, req);
    MR_OUT(struct rd_user, order_out);  // back to `order`
    MR_OUT(struct rd_beat, a_rd);
    MR_OUT(struct rd_beat, b_rd);
    MR_OUT(struct rd_beat, c_rd);
    u(7) dues;   // reads under way
    u(2) run;    // requests of a in a row while another waited
    bool c_next; // of b and c, c goes first
};

#endif
