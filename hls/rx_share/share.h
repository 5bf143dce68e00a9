// SPDX-License-Identifier: BSD-2-Clause
/*
 * share.h - policy: how the inbound link is shared out among the connections that
 * send. [spec 8.4]
 *
 * Everything turns on one number, the level: the rate per unit of weight that
 * every sender may have. Its floor is the link's rate divided by the weights of
 * all that send. When the link is not full, somebody uses less than its share,
 * and the level rises; when it is full the level falls back to the floor; when
 * it is full and the fabric marks, a queue stands in front of it, and the level
 * goes below the floor until that is gone.
 *
 * | constant      | value  | unit          | meaning                                        |
 * |---------------|--------|---------------|------------------------------------------------|
 * | SHARE_PERIOD  | 1,024  | MR_TS_NS      | the link is looked at so often, 4 us           |
 * | SHARE_FULL    | 4      | log2          | full: within a sixteenth of its rate           |
 * | SHARE_MARGIN  | 6      | log2          | with several senders a 64th is left            |
 * | SHARE_DRAIN   | 4      | log2          | a 16th below the floor drains a queue          |
 * | SHARE_UP      | 5      | log2          | a 32nd up per period: its effect comes two periods later |
 * | SHARE_DOWN    | 3      | log2          | an eighth down per period                      |
 * | SHARE_IDLE    | 8,192  | MR_TS_NS      | a sender that is silent so long has stopped    |
 * | SHARE_EACH    | 9      | log2 MR_TS_NS | and longer by so much for each that sends      |
 * | SHARE_FRAC    | 8      | bits          | fraction of the level                          |
 */
#ifndef MR_SHARE_H
#define MR_SHARE_H

#include "stream.h"

#define SHARE_PERIOD 1024
#define SHARE_FULL   4
#define SHARE_MARGIN 6
#define SHARE_DRAIN  4
#define SHARE_UP     5
#define SHARE_DOWN   3
#define SHARE_IDLE   8192
#define SHARE_EACH   9
#define SHARE_FRAC   8

/** Mbit/s with SHARE_FRAC bits of fraction. */
typedef u(28) level_t;

/** What the link did in a period. */
struct share_news {
    level_t link;    // its rate
    level_t fair;    // link by the weights of all that send
    u(13) senders;
    u(24) bytes;     // that came in
    bool ce;         // some of it was marked
};

MR_INLINE level_t share_floor(level_t fair, u(13) senders)
{
    return senders > 1 ? fair - (fair >> SHARE_MARGIN) : fair;
}

/** The level of the next period. */
MR_INLINE level_t share_period(level_t level, struct share_news n)
{
    // Bytes in 4.096 us are 125/64 Mbit/s each.
    u(32) rate = (u(32))(((u(32))n.bytes * 125) >> 6);
    level_t whole = n.link >> SHARE_FRAC;
    level_t floor = share_floor(n.fair, n.senders);
    bool full = rate >= (u(32))(whole - (whole >> SHARE_FULL));
    level_t up = level + (level >> SHARE_UP) + 1;
    level_t down = level - (level >> SHARE_DOWN);

    if (full && n.ce)
        return floor - (floor >> SHARE_DRAIN);
    if (full)
        return down < floor ? floor : down;
    return up < floor ? floor : up > n.link ? n.link : up;
}

/** A sender began or stopped: the level starts from the new floor. */
MR_INLINE level_t share_change(level_t fair, u(13) senders)
{
    return share_floor(fair, senders);
}

/** A sender of that weight gets so many Mbit/s. */
MR_INLINE u(32) share_hint(level_t level, u(8) weight, level_t link)
{
    u(36) rate = (u(36))level * (u(36))weight;
    u(36) most = rate > (u(36))link ? (u(36))link : rate;
    u(32) whole = (u(32))(most >> SHARE_FRAC);

    return link == 0 ? (u(32))0 : whole == 0 ? (u(32))1 : whole;
}

/** Has a sender that was heard of `ago` stopped? */
MR_INLINE bool share_idle(u(32) ago, u(13) senders)
{
    return ago > (u(32))SHARE_IDLE + ((u(32))senders << SHARE_EACH);
}

#endif
