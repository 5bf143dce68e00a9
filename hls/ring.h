// SPDX-License-Identifier: BSD-2-Clause
/*
 * ring.h - sets of path sequence numbers as 256-bit rings: number p is bit
 * p mod 256. A set never spans more than 256 consecutive numbers. [spec 5]
 */
#ifndef MR_RING_H
#define MR_RING_H

#include "stream.h"

typedef u(24) psn_t;
typedef u(256) ring_t;

/** Bits below i. */
MR_INLINE ring_t ring_below(u(8) i)
{
    return ~(~(ring_t)0 << (ring_t)i);
}

/** The numbers from a up to but not including b; b - a is at most 256. */
MR_INLINE ring_t ring_range(psn_t a, psn_t b)
{
    psn_t n = b - a;
    ring_t lo = ring_below((u(8))a);
    ring_t hi = ring_below((u(8))b);
    ring_t both = (u(8))b > (u(8))a ? hi & ~lo : hi | ~lo;

    if (n == 0)
        return 0;
    return n >= 256 ? ~(ring_t)0 : both;
}

MR_INLINE ring_t ring_one(psn_t p)
{
    return (ring_t)1 << (ring_t)(u(8))p;
}

MR_INLINE bool ring_has(ring_t r, psn_t p)
{
    return (bool)((r >> (ring_t)(u(8))p) & 1);
}

MR_INLINE u(9) ring_count(ring_t r)
{
    return (u(9))__builtin_popcountg(r);
}

/** Lowest bit of a set that is not empty. */
MR_INLINE u(8) ring_lowest(ring_t r)
{
    return (u(8))__builtin_ctzg(r, 0);
}

/** The number that bit i stands for, in a set that begins at base. */
MR_INLINE psn_t ring_psn(psn_t base, u(8) i)
{
    return base + (psn_t)(u(8))(i - (u(8))base);
}

/** How many numbers from base on are in r without a gap, 0 to 256. */
MR_INLINE u(9) ring_run(ring_t r, psn_t base)
{
    ring_t gaps = ~r;
    ring_t ahead = gaps & ~ring_below((u(8))base);

    if (gaps == 0)
        return 256;
    u(8) first = ring_lowest(ahead != 0 ? ahead : gaps);
    return (u(9))(u(8))(first - (u(8))base);
}

#endif
