// SPDX-License-Identifier: BSD-2-Clause
/* lanes.c - arrays with constant indices after unrolling, and a popcount of compares. */
#include "stream.h"

#include <stdint.h>

struct lanes {
    MR_IN(u(8), rx);
    MR_OUT(u(16), tx);
    u(8) hist[12];
    u(8) sorted[6];
};

MR_KERNEL(lanes)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    u(8) v = k->rx.data;
    u(12) less = 0;
    MR_UNROLL for (int i = 11; i > 0; i--)
        k->hist[i] = k->hist[i - 1];
    k->hist[0] = v;
    MR_UNROLL for (int i = 0; i < 12; i++)
        less |= (u(12))((u(12))(k->hist[i] < v) << i);
    bool placed = false;
    MR_UNROLL for (int i = 0; i < 6; i++) {
        u(8) t = k->sorted[i];
        if (placed || v > t) {
            k->sorted[i] = v;
            v = t;
            placed = true;
        }
    }
    mr_take(k->rx);
    mr_put(k->tx, (u(16))__builtin_popcountg(less) | (u(16))((u(16))k->sorted[3] << 8));
}
