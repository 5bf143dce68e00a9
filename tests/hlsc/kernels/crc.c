// SPDX-License-Identifier: BSD-2-Clause
/* crc.c - CRC32 over 512-bit beats by a constant matrix: 544 columns computed at compile time. */
#include "stream.h"

#include <stdint.h>

struct beat { u(512) data; bool last; };
struct crc {
    MR_IN(struct beat, rx);
    MR_OUT(u(32), tx);
    u(32) sum;
};

/** One byte through the reflected polynomial; unrolled, it becomes a tree of exclusive ors. */
MR_INLINE u(32) crc_byte(u(32) c, u(8) b)
{
    c ^= b;
    MR_UNROLL for (int i = 0; i < 8; i++)
        c = (c >> 1) ^ (c & 1 ? (u(32))0xedb88320 : (u(32))0);
    return c;
}

MR_KERNEL(crc)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    u(32) c = k->sum;
    MR_UNROLL for (int i = 0; i < 16; i++)
        c = crc_byte(c, (u(8))(k->rx.data.data >> (i * 8)));
    k->sum = k->rx.data.last ? (u(32))0xffffffff : c;
    mr_take(k->rx);
    if (k->rx.data.last)
        mr_put(k->tx, ~c);
}
