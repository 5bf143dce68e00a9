// SPDX-License-Identifier: BSD-2-Clause
/* copies.c - structs copied whole, nested, swapped, cleared, compared. */
#include "stream.h"

#include <stdint.h>

struct in { u(13) a; uint8_t b; bool c; };
struct big { struct in x, y; u(100) z; uint16_t v[3]; };
struct copies {
    MR_IN(struct big, rx);
    MR_OUT(struct big, tx);
    struct big p, q;
    u(3) n;
};

MR_KERNEL(copies)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    struct big t = k->p;
    k->n++;
    if (k->n & 1) {
        k->p = k->q;
        k->q = t;
    } else if (k->n == 4) {
        k->p = (struct big){0};
    } else {
        k->p = k->rx.data;
        k->p.x = k->q.y;
        k->q.y.b += 1;
    }
    mr_take(k->rx);
    struct big o = k->n == 6 ? k->q : k->p;
    if (o.x.a == t.x.a && o.x.b == t.x.b)
        o.v[1] = t.v[2];
    mr_put(k->tx, o);
}
