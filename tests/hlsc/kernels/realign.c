// SPDX-License-Identifier: BSD-2-Clause
/* realign.c - 512-bit beats shifted by a byte count: payload realignment. */
#include "stream.h"

#include <stdint.h>

struct beat { u(512) data; u(6) skip; bool last; };
struct realign {
    MR_IN(struct beat, rx);
    MR_OUT(struct beat, tx);
    u(512) rest;
    u(6) skip;
    bool in_packet;
};

MR_KERNEL(realign)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    struct beat b = k->rx.data;
    u(6) skip = k->in_packet ? k->skip : b.skip;
    u(1024) both = ((u(1024))b.data << 512) | k->rest;
    u(512) out = (u(512))(both >> ((u(10))skip * 8));
    k->rest = b.data;
    k->skip = skip;
    k->in_packet = !b.last;
    mr_take(k->rx);
    mr_put(k->tx, (struct beat){.data = out, .skip = skip, .last = b.last});
}
