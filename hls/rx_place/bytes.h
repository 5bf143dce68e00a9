// SPDX-License-Identifier: BSD-2-Clause
/* bytes.h - byte lanes of beats and headers; byte 0 is bits 7:0. */
#ifndef MR_BYTES_H
#define MR_BYTES_H

#include "stream.h"

/** The 16-bit number in network order at byte `at` (a constant) of x. */
#define bytes_be16(x, at)                                                                          \
    ((u(16))((u(16))((u(16))(u(8))((x) >> 8 * (at)) << 8) | (u(16))(u(8))((x) >> (8 * (at) + 8))))

/** A 16-bit number as two bytes in network order. */
MR_INLINE u(16) bytes_swap16(u(16) x)
{
    return (u(16))(x << 8) | (u(16))(x >> 8);
}

/** A number of n bytes (a constant) between network order and host order. */
MR_INLINE u(128) bytes_reverse(u(128) x, const unsigned n)
{
    u(128) r = 0;
    MR_UNROLL
    for (unsigned i = 0; i < 16; i++)
        if (i < n)
            r |= (u(128))(u(8))(x >> 8 * i) << 8 * (n - 1 - i);
    return r;
}

/** Ones in bytes 0 to n - 1; n is 0 to 64. */
MR_INLINE u(512) bytes_below(u(7) n)
{
    u(512) m = ~(~(u(512))0 << ((u(9))(n & 63) << 3));
    return n >> 6 ? ~(u(512))0 : m;
}

/** Likewise, one bit per byte. */
MR_INLINE u(64) bytes_keep(u(7) n)
{
    u(64) m = ~(~(u(64))0 << (u(6))n);
    return n >> 6 ? ~(u(64))0 : m;
}

/** Byte i to byte (i + n) mod 64. */
MR_INLINE u(512) bytes_rotate(u(512) x, u(6) n)
{
    x = n >> 5 & 1 ? x << 256 | x >> 256 : x;
    x = n >> 4 & 1 ? x << 128 | x >> 384 : x;
    x = n >> 3 & 1 ? x << 64 | x >> 448 : x;
    x = n >> 2 & 1 ? x << 32 | x >> 480 : x;
    x = n >> 1 & 1 ? x << 16 | x >> 496 : x;
    x = n & 1 ? x << 8 | x >> 504 : x;
    return x;
}

/** At most 64 of n. */
MR_INLINE u(7) bytes_in_beat(u(17) n)
{
    return n >> 6 != 0 ? (u(7))64 : (u(7))n;
}

/** Whether n bytes end in this beat. By bits: `n <= 64` would become a carry chain. */
MR_INLINE bool bytes_end(u(17) n)
{
    return n >> 6 == 0 || (n >> 7 == 0 && (u(6))n == 0);
}

/** Two words with the sum of three, in the arithmetic of the IP checksum, modulo 2^16 - 1. */
struct bytes_sum {
    u(16) a, b;
};
MR_INLINE struct bytes_sum bytes_sum3(u(16) a, u(16) b, u(16) c)
{
    u(16) carry = (a & b) | (a & c) | (b & c);
    return (struct bytes_sum){a ^ b ^ c, (u(16))(carry << 1) | (u(16))(carry >> 15)};
}

/** Likewise of four. */
MR_INLINE struct bytes_sum bytes_sum4(struct bytes_sum x, struct bytes_sum y)
{
    struct bytes_sum s = bytes_sum3(x.a, x.b, y.a);
    return bytes_sum3(s.a, s.b, y.b);
}

#endif
