// SPDX-License-Identifier: BSD-2-Clause
#include "ack_gate/ack_gate.h"

typedef u(MR_CONNS_LOG2) conn_ix;

/** Lets the acknowledgment at the head go, or drops it, once its writes have ended. */
MR_INLINE void gate_ack(struct ack_gate *k)
{
    struct held_ack h = k->in.data;
    bool ended = (u(16))(k->done - h.writes) >> 15 == 0;
    bool bad = k->bad[(conn_ix)h.ack.conn];

    if (!k->in.valid || !k->out.ready || !ended)
        return;
    mr_take(k->in);
    if (!bad)
        mr_put(k->out, h.ack);
}

MR_KERNEL(ack_gate)
{
    bool open = k->cfg.valid;
    bool end = !open && k->placed.valid && k->order.valid;
    u(16) conn = open ? k->cfg.data.index : k->order.data.conn;
    bool write = open ? k->cfg.data.table == MR_TBL_CONN : end && k->placed.data.err;

    gate_ack(k);
    if (open)
        mr_take(k->cfg);
    if (end) {
        mr_take(k->placed);
        mr_take(k->order);
        k->done++;
    }
    if (write)
        k->bad[(conn_ix)conn] = !open;
}
