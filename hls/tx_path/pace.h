// SPDX-License-Identifier: BSD-2-Clause
/*
 * pace.h - policy: when a connection may send, from the rate that its receiver
 * allots. A bucket fills with time at that rate; a packet may leave while the
 * bucket is not in debt, and takes its bytes out, those around the payload
 * (MR_WIRE_AROUND) included. Retransmissions take theirs too, but do not wait. [spec 8.4]
 *
 * One unit is what 1 Mbit/s is in one tick: 1/250 bit. So rate times ticks fills
 * the bucket, and a byte costs 2,000.
 *
 * | constant      | value     | unit     | meaning                                     |
 * |---------------|-----------|----------|---------------------------------------------|
 * | PACE_BYTE     | 2,000     | units    | what a byte costs                           |
 * | PACE_BURST    | 2^24      | units    | most that is saved up: two large packets    |
 * | PACE_DEBT     | 2^30      | units    | most that is owed: 128 large packets        |
 * | PACE_TICKS    | 2^14      | MR_TS_NS | time that one look adds at most, 65 us      |
 * | PACE_HOLDS    | 4         | log2     | a hint holds for 16 round trips             |
 */
#ifndef MR_PACE_H
#define MR_PACE_H

#include "mr_defs.h"
#include "stream.h"

#define PACE_BYTE   2000
#define PACE_BURST  (1 << 24)
#define PACE_DEBT   (1 << 30)
#define PACE_TICKS  (1u << 14)
#define PACE_HOLDS  4


/** One connection's pace. */
struct pace {
    u(20) rate;    // Mbit/s, 0 = as it likes
    u(36) bucket;  // units, PACE_DEBT more than there are; below that it is in debt
    u(32) at;      // when it was filled last
    u(32) until;   // the rate holds so long
};

/** The bucket at `now`. */
MR_INLINE struct pace pace_fill(struct pace p, u(32) now)
{
    u(32) gone = now - p.at;
    u(15) ticks = gone > PACE_TICKS ? (u(15))PACE_TICKS : (u(15))gone;
    u(37) sum = (u(37))p.bucket + (u(37))p.rate * (u(37))ticks;
    bool over = p.rate == 0 || (u(32))(p.until - now) >> 31 != 0;

    p.bucket = sum > PACE_DEBT + PACE_BURST ? (u(36))(PACE_DEBT + PACE_BURST) : (u(36))sum;
    p.at = now;
    if (over) {
        p.rate = 0;
        p.bucket = PACE_DEBT;
    }
    return p;
}

/** Of a bucket that was filled: may a packet leave? */
MR_INLINE bool pace_may(struct pace p)
{
    return p.bucket >= PACE_DEBT;
}

/** A packet with that payload has left. */
MR_INLINE struct pace pace_spend(struct pace p, u(13) len)
{
    u(36) cost = ((u(36))len + (u(36))MR_WIRE_AROUND) * (u(36))PACE_BYTE;

    if (p.rate != 0)
        p.bucket = p.bucket < cost ? (u(36))0 : p.bucket - cost;
    return p;
}

/** The receiver's word, in an acknowledgment; 0 says nothing. */
MR_INLINE struct pace pace_hint(struct pace p, u(32) hint, u(32) srtt, u(32) now)
{
    u(28) hold = srtt >> 24 != 0 ? (u(28))0xfffffff : (u(28))((u(28))srtt << (u(28))PACE_HOLDS);

    if (hint == 0)
        return p;
    p.rate = hint >> 20 != 0 ? (u(20))0xfffff : (u(20))hint;
    p.until = now + (u(32))hold;
    return p;
}

#endif
