// SPDX-License-Identifier: BSD-2-Clause
#include "tx_tail.h"

#include "rx_place/bytes.h"

/** The four bytes of x where they stand in each group of four if byte 0 goes to byte n. */
MR_INLINE u(32) lanes(u(32) x, u(7) n)
{
    x = n >> 1 & 1 ? x << 16 | x >> 16 : x;
    return n & 1 ? x << 8 | x >> 24 : x;
}

MR_INLINE u(512) everywhere(u(32) x)
{
    u(512) y = x;
    y |= y << 32;
    y |= y << 64;
    y |= y << 128;
    return y | y << 256;
}

MR_INLINE void tail_spill(struct tx_tail *k)
{
    mr_put(k->mac, (struct mac_beat){
        .data = (u(512))k->spill_data & bytes_below((u(7))k->spill_n),
        .n = (u(7))k->spill_n,
        .last = true,
    });
    k->spill = false;
}

MR_INLINE void tail_beat(struct tx_tail *k)
{
    struct tx_beat b = k->beat.data;
    u(32) crc = k->crc.data.crc;
    u(32) value = lanes(b.poison ? crc : ~crc, b.n);
    u(7) end = b.n + (u(7))MR_WIRE_ICRC_BYTES;
    u(512) tail = everywhere(value) & ~bytes_below(b.n) & bytes_below(end);
    bool spill = b.last && end > 64;
    mr_put(k->mac, (struct mac_beat){
        .data = b.data | (b.last ? tail : (u(512))0),
        .n = b.last && !spill ? end : (u(7))64,
        .last = b.last && !spill,
    });
    k->spill = spill;
    k->spill_n = (u(3))(end - 64);
    k->spill_data = value;
    mr_take(k->beat);
    if (b.last)
        mr_take(k->crc);
}

MR_KERNEL(tx_tail)
{
    if (!k->mac.ready)
        return;
    if (k->spill)
        tail_spill(k);
    else if (k->beat.valid && (!k->beat.data.last || k->crc.valid))
        tail_beat(k);
}
