// SPDX-License-Identifier: BSD-2-Clause
/*
 * cc.h - policy: the window of one path, from what its acknowledgments say.
 * Additive increase by one packet per window, one cut per round trip in which
 * the fabric marked packets. Loss does not shrink the window: a gap on an
 * ordered path is repaired, congestion is told by marks. [spec 8]
 *
 * | constant        | value | unit    | meaning                                  |
 * |-----------------|-------|---------|------------------------------------------|
 * | CC_WINDOW_MAX   | 256   | packets | what the bit vector describes            |
 * | CC_WINDOW_MIN   | 1     | packets | a marked path still tells its state      |
 * | CC_CUT_SHIFT    | 2     | log2    | a marked round trip takes a quarter away |
 */
#ifndef MR_CC_H
#define MR_CC_H

#include "ring.h"

#define CC_WINDOW_MAX 256
#define CC_WINDOW_MIN 1
#define CC_CUT_SHIFT  2

/** One path's window. */
struct cc {
    u(9) cwnd;    // packets
    u(9) grown;   // packets acknowledged since the last increase
    psn_t cut;    // first number sent after the last cut
    bool was_cut; // `cut` is meaningful
};

MR_INLINE struct cc cc_init(u(9) cwnd)
{
    return (struct cc){.cwnd = cwnd};
}

/** freed: packets newly acknowledged; una, next: the path's numbers now; marks: new CE marks. */
MR_INLINE struct cc cc_on_ack(struct cc c, u(9) freed, psn_t una, psn_t next, u(16) marks)
{
    // The cut's round trip is over when a packet sent after it is acknowledged.
    bool waiting = c.was_cut && (psn_t)(c.cut - una) != 0 && (psn_t)(c.cut - una) <= 256;
    u(10) grown = (u(10))c.grown + (u(10))freed;
    u(9) less = c.cwnd - (c.cwnd >> (u(9))CC_CUT_SHIFT) - (c.cwnd < 4 && c.cwnd > CC_WINDOW_MIN);

    c.was_cut = waiting;
    if (marks != 0 && !waiting) {
        c.cwnd = less;
        c.cut = next;
        c.was_cut = true;
        c.grown = 0;
    } else if (grown >= (u(10))c.cwnd) {
        c.cwnd += c.cwnd < CC_WINDOW_MAX;
        c.grown = 0;
    } else {
        c.grown = (u(9))grown;
    }
    return c;
}

#endif
