// SPDX-License-Identifier: BSD-2-Clause
/* update.c - a row read into a register that is also changed in place. */
#include "stream.h"

#include <stdint.h>

struct row { u(40) sum; u(8) n; bool used; };
struct req { u(9) id; u(32) v; };
struct update {
    MR_IN(struct req, rx);
    MR_OUT(struct row, tx);
    u(2) state;
    u(9) id;
    u(32) v;
    struct row tbl[512];
    struct row row;
};

MR_KERNEL(update)
{
    switch (k->state) {
    case 0:
        if (k->rx.valid) {
            k->row = k->tbl[k->rx.data.id];
            k->id = k->rx.data.id;
            k->v = k->rx.data.v;
            k->state = 1;
            mr_take(k->rx);
        }
        break;
    case 1:
        k->row.sum += k->v;
        k->row.n++;
        k->row.used = true;
        k->state = k->row.n == 0 ? 3 : 2;
        break;
    case 2:
        if (k->tx.ready) {
            k->tbl[k->id] = k->row;
            mr_put(k->tx, k->row);
            k->state = 0;
        }
        break;
    default:
        k->row = (struct row){.n = 1};
        k->state = 2;
    }
}
