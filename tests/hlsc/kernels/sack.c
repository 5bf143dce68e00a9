// SPDX-License-Identifier: BSD-2-Clause
/* sack.c - SACK table: a 256-bit ring per path, first gap by ctzg, read-modify-write in one step. */
#include "stream.h"

#include <stdint.h>

struct req { u(6) path; u(8) seq; };
struct rsp { u(6) path; u(9) gap; bool dup; };
struct sack {
    MR_IN(struct req, rx);
    MR_OUT(struct rsp, tx);
    MR_STAT(u(32), dups);
    u(256) bits[64];
};

MR_KERNEL(sack)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    struct req q = k->rx.data;
    u(256) v = k->bits[q.path], one = (u(256))1 << q.seq;
    bool dup = (v & one) != 0;
    v |= one;
    if (~v == 0)
        v = 0;
    k->bits[q.path] = v;
    k->dups += dup;
    mr_take(k->rx);
    mr_put(k->tx, (struct rsp){.path = q.path, .gap = (u(9))__builtin_ctzg((u(256))~v, 256), .dup = dup});
}
