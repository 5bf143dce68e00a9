// SPDX-License-Identifier: BSD-2-Clause
/*
 * wnd.h - policy: the window of a connection, over all of its paths. It doubles
 * per round trip until the fabric marks a packet, on whichever path; then it
 * grows by as many packets per round trip as there are paths, and loses an eighth
 * in a round trip with marks. The path that was marked loses more (tx_ack/cc.h):
 * so load leaves that path first, and the connection a little.
 *
 * A receiver that allots less than three quarters of a link sees the queue in
 * front of it, and drains it by its hints. What they make room for, rate times
 * round trip time, is not cut for marks: two controllers would each take the
 * queue for theirs. [spec 8.1.3, 8.2]
 *
 * | constant      | value  | unit    | meaning                                     |
 * |---------------|--------|---------|---------------------------------------------|
 * | WND_MAX       | 32,768 | packets | 128 paths' windows                          |
 * | WND_CUT_SHIFT | 3      | log2    | a marked round trip takes an eighth away    |
 */
#ifndef MR_WND_H
#define MR_WND_H

#include "stream.h"

#define WND_MAX       32768
#define WND_CUT_SHIFT 3

/** One connection's window. */
struct wnd {
    u(16) size;    // packets
    u(16) grown;   // packets acknowledged since the last increase
    bool marked;   // marks were seen: it doubles no more
    u(32) cut;     // a cut's round trip ends here
};

/** A connection's first window; the path count is its lower bound. */
MR_INLINE struct wnd wnd_init(u(32) first, u(8) npaths)
{
    u(16) size = first > WND_MAX ? (u(16))WND_MAX : (u(16))first;

    return (struct wnd){.size = size < (u(16))npaths ? (u(16))npaths : size};
}

/** What an acknowledgment says to the window. */
struct wnd_news {
    u(8) npaths;
    u(9) freed;    // packets that got acknowledged
    u(16) out;     // packets in flight before that
    bool marked;
    u(16) keep;    // packets that the receiver's hint makes room for, 0 = no hint that counts
    u(32) srtt;    // MR_TS_NS
    u(32) now;
};

/** Packets of 4,096 bytes on the way at `rate` Mbit/s for srtt; a packet is about 2^23 units of pace.h. */
MR_INLINE u(16) wnd_keep(u(20) rate, u(32) srtt, u(32) link)
{
    bool counts = rate != 0 && (u(32))rate < link - (link >> 2);
    u(20) time = srtt >> 20 != 0 ? (u(20))0xfffff : (u(20))srtt;
    u(40) units = (u(40))rate * (u(40))time;
    u(17) packets = (u(17))(units >> 23) + 1;

    return !counts ? (u(16))0 : packets > WND_MAX ? (u(16))WND_MAX : (u(16))packets;
}

MR_INLINE struct wnd wnd_on_ack(struct wnd w, struct wnd_news n)
{
    u(17) grown = (u(17))w.grown + (u(17))n.freed;
    u(17) step = w.marked ? (u(17))n.npaths : (u(17))n.freed;
    u(17) more = (u(17))w.size + step;
    u(16) less = w.size - (w.size >> (u(16))WND_CUT_SHIFT);
    bool cutting = w.marked && (u(32))(w.cut - n.now) >> 31 == 0;
    bool full = w.marked ? grown >= (u(17))w.size : true;
    // Not while less than half of it is used. [spec 8.2.4]
    bool used = n.out >= w.size >> 1;
    bool marked = n.marked && w.size > n.keep;

    if (marked && !cutting) {
        w.size = less < (u(16))n.npaths ? (u(16))n.npaths : less;
        w.cut = n.now + n.srtt;
        w.marked = true;
        w.grown = 0;
    } else if (!marked && used && full) {
        w.size = more > WND_MAX ? (u(16))WND_MAX : (u(16))more;
        w.grown = 0;
    } else if (!marked && used) {
        w.grown = grown >> 16 != 0 ? (u(16))0xffff : (u(16))grown;
    }
    return w;
}

#endif
