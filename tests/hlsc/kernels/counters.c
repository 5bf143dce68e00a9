// SPDX-License-Identifier: BSD-2-Clause
/* counters.c - saturating counters in an array of registers, several updates a step. */
#include "stream.h"

#include <stdint.h>

struct ev { u(4) up, down; bool clear; u(16) step; };
struct counters {
    MR_IN(struct ev, rx);
    MR_OUT(u(16), tx);
    MR_CFG(u(16), limit);
    MR_STAT(u(16), high);
    u(16) c[16];
};

MR_KERNEL(counters)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    struct ev e = k->rx.data;
    u(16) s = k->c[e.up] + e.step;
    if (s < e.step)
        s = 0xffff;
    if (s > k->limit)
        s = k->limit;
    k->c[e.up] = s;
    u(16) d = k->c[e.down];
    k->c[e.down] = d > e.step ? d - e.step : (u(16))0;
    if (e.clear)
        k->c[e.up] = 0;
    if (s > k->high)
        k->high = s;
    mr_take(k->rx);
    mr_put(k->tx, k->c[e.down]);
}
