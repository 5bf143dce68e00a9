// SPDX-License-Identifier: BSD-2-Clause
/* cases.c - switch with ranges, fall-through, holes and a default, nested. */
#include "stream.h"

#include <stdint.h>

struct cases {
    MR_IN(u(20), rx);
    MR_OUT(u(32), tx);
    MR_STAT(u(8), state);
    u(32) acc;
};

MR_KERNEL(cases)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    u(20) x = k->rx.data;
    u(32) r = k->acc;
    switch ((unsigned)(x & 31)) {
    case 0:
    case 1:
        r += 1;
        [[fallthrough]];
    case 2:
        r *= 3;
        break;
    case 5 ... 9:
        switch ((unsigned)((x >> 5) & 3)) {
        case 0:
            r ^= x;
            break;
        case 3:
            r = ~r;
            [[fallthrough]];
        default:
            r -= x;
        }
        break;
    case 17:
        k->state += 1;
        break;
    case 31:
        r = 0;
        break;
    default:
        r = (r << 1) | (r >> 31);
    }
    k->acc = r;
    if (k->state > 200)
        k->state = 0;
    mr_take(k->rx);
    mr_put(k->tx, r ^ k->state);
}
