// SPDX-License-Identifier: BSD-2-Clause
/* grid.c - a two-dimensional memory of structs, one field written at a time. */
#include "stream.h"

#include <stdint.h>

struct cell { u(20) a; u(9) b; };
struct req { u(3) x; u(4) y; u(20) v; u(2) op; };
struct grid {
    MR_IN(struct req, rx);
    MR_OUT(u(29), tx);
    struct cell m[8][16];
};

MR_KERNEL(grid)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    struct req q = k->rx.data;
    struct cell c = k->m[q.x][q.y];
    if (q.op == 0)
        k->m[q.x][q.y].a = q.v;
    else if (q.op == 1)
        k->m[q.x][q.y].b += (u(9))q.v;
    else if (q.op == 2)
        k->m[q.x][q.y] = (struct cell){.a = c.a + 1, .b = c.b ^ 5};
    mr_take(k->rx);
    mr_put(k->tx, ((u(29))c.b << 20) | c.a);
}
