// SPDX-License-Identifier: BSD-2-Clause
/* pointer.c - helpers by pointer, and a pointer that is chosen at run time. */
#include "stream.h"

#include <stdint.h>

struct st { u(30) n; u(9) tag[4]; };
struct pointer {
    MR_IN(u(32), rx);
    MR_OUT(u(30), tx);
    struct st left, right;
};

MR_INLINE void bump(struct st *s, u(32) v)
{
    s->n += (u(30))v;
    s->tag[v & 3] ^= (u(9))(v >> 4);
}

MR_KERNEL(pointer)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    u(32) v = k->rx.data;
    struct st *s = v & 0x80000000 ? &k->left : &k->right;
    bump(s, v);
    struct st local = *s;
    bump(&local, v >> 1);
    if ((v & 0xf00) == 0)
        *s = local;
    mr_take(k->rx);
    mr_put(k->tx, local.n ^ s->n ^ local.tag[(v >> 8) & 3]);
}
