// SPDX-License-Identifier: BSD-2-Clause
/* parity.c - parities of 512 bits with constant masks: they become reductions. */
#include "stream.h"

#include <stdint.h>

struct parity {
    MR_IN(u(512), rx);
    MR_OUT(u(8), tx);
};

MR_INLINE u(1) masked(u(512) x, u(512) m)
{
    return (u(1))(__builtin_popcountg((u(512))(x & m)) & 1);
}

MR_KERNEL(parity)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    u(512) m = ((u(512))0x9e3779b97f4a7c15ull << 448) | ((u(512))0xbf58476d1ce4e5b9ull << 200) | 0x94d049bb133111ebull;
    u(8) r = 0;
    MR_UNROLL for (int i = 0; i < 8; i++) {
        r |= (u(8))((u(8))masked(k->rx.data, m) << i);
        m = (m << 37) | (m >> 475);
    }
    mr_take(k->rx);
    mr_put(k->tx, r);
}
