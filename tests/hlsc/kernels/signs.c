// SPDX-License-Identifier: BSD-2-Clause
/* signs.c - signed types, arithmetic shifts, comparisons and division by constants. */
#include "stream.h"

#include <stdint.h>

struct signs {
    MR_IN(u(37), rx);
    MR_OUT(u(37), tx);
    int32_t acc;
    _BitInt(19) small;
};

MR_KERNEL(signs)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    _BitInt(37) x = (_BitInt(37))k->rx.data;
    _BitInt(37) y = (x >> 5) / 7 - x % 11;
    if (x < -1000)
        y = -y;
    int32_t a = (int32_t)(x >> 6);
    if (k->acc > a)
        k->acc = a;
    else
        k->acc = (int32_t)((uint32_t)k->acc + 3u);
    k->small = (_BitInt(19))(k->small ^ (_BitInt(19))y);
    mr_take(k->rx);
    mr_put(k->tx, (u(37))(y + k->acc + k->small));
}
