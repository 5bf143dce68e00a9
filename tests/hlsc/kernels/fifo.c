// SPDX-License-Identifier: BSD-2-Clause
/* fifo.c - a FIFO in a memory: write and synchronous read in the same step, pointers wrap. */
#include "stream.h"

#include <stdint.h>

struct item { u(70) v; u(3) tag; };
struct fifo {
    MR_IN(struct item, rx);
    MR_OUT(struct item, tx);
    MR_STAT(u(7), level);
    struct item mem[64];
    struct item q;
    u(6) wp, rp;
    bool have;
};

MR_KERNEL(fifo)
{
    bool drain = k->have && k->tx.ready;
    if (drain)
        mr_put(k->tx, k->q);
    bool fetch = k->level != 0 && (!k->have || drain);
    if (fetch) {
        k->q = k->mem[k->rp];
        k->rp++;
        k->have = true;
    } else if (drain) {
        k->have = false;
    }
    bool fill = k->rx.valid && k->level != 64;
    if (fill) {
        k->mem[k->wp] = k->rx.data;
        k->wp++;
        mr_take(k->rx);
    }
    k->level += (u(7))((u(7))fill - (u(7))fetch);
}
