// SPDX-License-Identifier: BSD-2-Clause
#include "ack_gate/ack_gate.h"

typedef u(MR_CONNS_LOG2) conn_ix;

MR_INLINE bool gate_ended(struct ack_gate *k, u(16) writes)
{
    return (u(16))(k->done - writes) >> 15 == 0;
}

/** Lets the acknowledgment at the head go, or drops it, once its writes have ended. */
MR_INLINE void gate_ack(struct ack_gate *k)
{
    struct held_ack h = k->in.data;
    bool bad = k->bad[(conn_ix)h.ack.conn];

    if (!k->in.valid || !k->out.ready || !gate_ended(k, h.writes))
        return;
    mr_take(k->in);
    if (!bad)
        mr_put(k->out, h.ack);
}

/** Likewise what is told of an accepted packet. */
MR_INLINE void gate_got(struct ack_gate *k)
{
    struct held_got h = k->got.data;
    bool bad = k->bad[(conn_ix)h.got.conn];

    if (!k->got.valid || !k->got_out.ready || !gate_ended(k, h.writes))
        return;
    mr_take(k->got);
    k->marks += h.mark;
    k->drops += bad && !h.mark;
    if (!bad && !h.mark)
        mr_put(k->got_out, h.got);
}

MR_KERNEL(ack_gate)
{
    bool open = k->cfg.valid;
    bool end = !open && k->placed.valid && k->order.valid;
    bool last = end && k->part + (u(5))1 == k->order.data.n;
    bool err = k->part_bad || k->placed.data.err;
    u(16) conn = open ? k->cfg.data.index : k->order.data.conn;
    bool write = open ? k->cfg.data.table == MR_TBL_CONN : last && err;

    gate_ack(k);
    gate_got(k);
    if (open)
        mr_take(k->cfg);
    if (end) {
        mr_take(k->placed);
        k->part = last ? (u(5))0 : (u(5))(k->part + 1);
        k->part_bad = !last && err;
    }
    if (last) {
        mr_take(k->order);
        k->done++;
    }
    if (write)
        k->bad[(conn_ix)conn] = !open;
}
