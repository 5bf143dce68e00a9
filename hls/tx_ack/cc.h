// SPDX-License-Identifier: BSD-2-Clause
/*
 * cc.h - policy: the window of one path, from what its acknowledgments say. It
 * doubles per round trip until the first mark or loss; then it grows by one
 * packet per round trip, and is cut once per round trip in which the fabric
 * marked packets. A lost packet does not shrink it: a gap on an ordered path is
 * repaired, congestion is told by marks. Only when more than a quarter is lost it
 * is taken for congestion too. [spec 8.2]
 *
 * | constant        | value | unit    | meaning                                       |
 * |-----------------|-------|---------|-----------------------------------------------|
 * | CC_WINDOW_MAX   | 256   | packets | what the bit vector describes                 |
 * | CC_WINDOW_MIN   | 2     | packets | a marked path still tells its state, and a gap |
 * | CC_CUT_SHIFT    | 2     | log2    | a marked round trip takes a quarter away      |
 * | CC_LOSS_SHIFT   | 2     | log2    | a round trip that lost more than a quarter too |
 */
#ifndef MR_CC_H
#define MR_CC_H

#include "ring.h"

#define CC_WINDOW_MAX 256
#define CC_WINDOW_MIN 2
#define CC_CUT_SHIFT  2
#define CC_LOSS_SHIFT 2

/** One path's window. */
struct cc {
    u(9) cwnd;    // packets
    u(9) grown;   // packets acknowledged since the last increase
    u(9) lost;    // packets lost since then
    psn_t cut;    // first number sent after the last cut
    bool was_cut; // `cut` is meaningful
    bool steady;  // a mark or a loss was seen: it doubles no more
};

/** What an acknowledgment says to a path's window. */
struct cc_news {
    u(9) freed;      // packets newly acknowledged
    u(9) lost;       // packets newly found lost
    u(9) used;       // packets in flight before that
    psn_t una, next; // the path's numbers now
    u(16) marks;     // new CE marks
};

MR_INLINE struct cc cc_init(u(9) cwnd)
{
    return (struct cc){.cwnd = cwnd};
}

MR_INLINE struct cc cc_on_ack(struct cc c, struct cc_news n)
{
    // The cut's round trip is over when a packet sent after it is acknowledged.
    bool waiting = c.was_cut && (psn_t)(c.cut - n.una) != 0 && (psn_t)(c.cut - n.una) <= 256;
    u(10) grown = (u(10))c.grown + (u(10))n.freed;
    u(10) lost = (u(10))c.lost + (u(10))n.lost;
    bool heavy = lost > (u(10))(c.cwnd >> (u(9))CC_LOSS_SHIFT) && lost > 1;
    u(9) cut = c.cwnd - (c.cwnd >> (u(9))CC_CUT_SHIFT) - (u(9))(c.cwnd < 4);
    u(9) less = c.cwnd <= CC_WINDOW_MIN ? c.cwnd : cut;
    u(10) more = (u(10))c.cwnd + (c.steady ? (u(10))1 : (u(10))n.freed);

    c.was_cut = waiting;
    c.steady |= n.marks != 0 || n.lost != 0;
    if ((n.marks != 0 || heavy) && !waiting) {
        c.cwnd = less;
        c.cut = n.next;
        c.was_cut = true;
        c.grown = c.lost = 0;
    } else if (n.used < c.cwnd >> 1) {
        c.grown = c.lost = 0;  // less than half of it is used: no reason to grow
    } else if (!c.steady || grown >= (u(10))c.cwnd) {
        c.cwnd = more > CC_WINDOW_MAX ? (u(9))CC_WINDOW_MAX : (u(9))more;
        c.grown = c.lost = 0;
    } else {
        c.grown = (u(9))grown;
        c.lost = lost >> 9 != 0 ? (u(9))511 : (u(9))lost;
    }
    return c;
}

#endif
