// SPDX-License-Identifier: BSD-2-Clause
/* barrel.c - variable shifts and rotates, middle slices of sums, comparisons that are often equal. */
#include "stream.h"

#include <stdint.h>

struct op { u(96) x; u(3) a, b; u(7) by; u(3) kind; };
struct barrel {
    MR_IN(struct op, rx);
    MR_OUT(u(96), tx);
};

MR_KERNEL(barrel)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    struct op o = k->rx.data;
    u(96) r;
    switch (o.kind) {
    case 0:
        r = o.by < 96 ? o.x >> o.by : (u(96))0;
        break;
    case 1:
        r = o.by < 96 ? o.x << o.by : (u(96))0;
        break;
    case 2:
        r = o.by < 96 ? (u(96))((_BitInt(96))o.x >> o.by) : (u(96))0;
        break;
    case 3:
        r = (u(96))(((uint32_t)o.x << (o.by & 31)) | ((uint32_t)o.x >> (-o.by & 31)));
        break;
    case 4:
        r = (u(96))((u(20))((o.x + (o.x >> 1)) >> 33));
        break;
    case 5:
        r = (u(96))(o.a < o.b) | ((u(96))(o.a <= o.b) << 1) | ((u(96))((_BitInt(3))o.a > (_BitInt(3))o.b) << 2);
        break;
    case 6:
        r = o.a < o.b ? o.x : ~o.x;
        break;
    default:
        r = (u(96))(__builtin_clzg(o.x, 96) + __builtin_ctzg(o.x, 96) + __builtin_popcountg(o.x));
    }
    mr_take(k->rx);
    mr_put(k->tx, r);
}
