// SPDX-License-Identifier: BSD-2-Clause
/* rows.c - rows of 1000 bits with an array inside, read in one step and written back whole in another. */
#include "stream.h"

#include <stdint.h>

struct path { u(24) cwnd; u(16) out; u(5) lost; bool up; };
struct row { u(24) psn; struct path path[8]; u(256) sack; u(3) best; };
struct req { u(5) id; u(3) path; u(24) n; u(2) op; };
struct rsp { u(24) psn; u(24) cwnd; u(16) out; };
struct rows {
    MR_IN(struct req, rx);
    MR_OUT(struct rsp, tx);
    u(1) state;
    struct req r;
    struct row tbl[32];
    struct row q;
};

MR_KERNEL(rows)
{
    switch (k->state) {
    case 0:
        if (!k->rx.valid)
            break;
        k->r = k->rx.data;
        k->q = k->tbl[k->rx.data.id];
        mr_take(k->rx);
        k->state = 1;
        break;
    case 1:
        if (!k->tx.ready)
            break;
        struct row row = k->q;
        u(3) p = k->r.path;
        if (k->r.op == 0) {
            row.path[p].out += 1;
        } else if (k->r.op == 1) {
            row.path[p] = (struct path){.cwnd = k->r.n, .up = true};
            row.best = p;
        } else {
            row.path[row.best].lost++;
            row.sack ^= (u(256))k->r.n << row.path[p].lost;
            k->q.path[p].cwnd = 7; // the register, not the local copy
        }
        row.psn += row.path[p].up;
        mr_put(k->tx, (struct rsp){.psn = row.psn, .cwnd = row.path[p].cwnd, .out = k->q.path[p].out});
        k->tbl[k->r.id] = row;
        k->state = 0;
        break;
    }
}
