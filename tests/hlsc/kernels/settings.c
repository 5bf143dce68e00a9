// SPDX-License-Identifier: BSD-2-Clause
/* settings.c - MR_CFG and MR_STAT as arrays and structs, indexed by a variable. */
#include "stream.h"

#include <stdint.h>

struct limits { u(10) low, high; bool on; };
struct settings {
    MR_IN(u(12), rx);
    MR_OUT(u(12), tx);
    MR_CFG(struct limits, lim[4]);
    MR_CFG(u(7), weight[8]);
    MR_STAT(u(9), hits[4]);
    MR_STAT(struct limits, seen);
};

MR_KERNEL(settings)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    u(2) i = (u(2))k->rx.data;
    u(10) v = (u(10))(k->rx.data >> 2);
    struct limits l = k->lim[i];
    bool in = l.on && v >= l.low && v <= l.high;
    k->hits[i] += in;
    if (in) {
        if (v < k->seen.low || !k->seen.on)
            k->seen.low = v;
        if (v > k->seen.high)
            k->seen.high = v;
        k->seen.on = true;
    }
    mr_take(k->rx);
    mr_put(k->tx, (u(12))v + k->weight[v & 7]);
}
