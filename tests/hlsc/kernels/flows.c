// SPDX-License-Identifier: BSD-2-Clause
/* flows.c - flows table: block RAM read, forwarding of the row just written. */
#include "stream.h"

#include <stdint.h>

struct ctx { u(24) psn; u(16) credit; u(64) bytes; bool open; };
struct req { u(9) id; u(16) len; u(2) op; };
struct flows {
    MR_IN(struct req, rx);
    MR_OUT(struct ctx, tx);
    struct ctx tbl[512];
    struct ctx q;
    struct ctx fwd;
    struct req r;
    bool busy, use_fwd;
    u(9) last;
};

MR_KERNEL(flows)
{
    bool room = !k->busy || k->tx.ready;
    struct ctx c = k->use_fwd ? k->fwd : k->q;
    u(9) written = k->last;
    struct ctx row = c;
    bool write = k->busy && k->tx.ready;
    if (write) {
        row.psn += 1;
        row.bytes += k->r.len;
        if (k->r.op == 1)
            row.credit = k->r.len;
        if (k->r.op == 2)
            row.open = !row.open;
        written = k->r.id;
        mr_put(k->tx, row);
    }
    if (k->rx.valid && room) {
        k->use_fwd = write && written == k->rx.data.id;
        k->fwd = row;
        k->q = k->tbl[k->rx.data.id];
        k->r = k->rx.data;
        k->busy = true;
        mr_take(k->rx);
    } else if (write) {
        k->busy = false;
    }
    if (write)
        k->tbl[written] = row;
    k->last = written;
}
