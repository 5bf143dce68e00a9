// SPDX-License-Identifier: BSD-2-Clause
#include "tx_path/choose.h"
#include "tx_path/tx_path.h"

enum path_state { PATH_IDLE, PATH_CREDIT, PATH_PROBE, PATH_RESEND, PATH_SEG };

typedef u(MR_CONNS_LOG2) conn_ix;

MR_INLINE struct path_row path_open(struct mr_conn c, u(32) cwnd_init)
{
    struct path_row r = {0};

    r.npaths = c.state != 1 ? (u(4))0 : c.npaths > MR_PATHS ? (u(4))MR_PATHS : (u(4))c.npaths;
    MR_UNROLL
    for (unsigned i = 0; i < MR_PATHS; i++)
        r.p[i].cwnd = (u(9))cwnd_init;
    return r;
}

/**
 * Takes the next event, credits first: they make room. An event is begun only
 * when there is room for all that it can give, so that credits are taken even
 * while packets cannot leave.
 */
MR_INLINE void path_pick(struct tx_path *k)
{
    bool way = k->pkt.ready && k->sent.ready;

    if (k->credit.valid && k->verdict.ready) {
        mr_take(k->credit);
        k->credit_r = k->credit.data;
        k->conn = k->credit.data.conn;
        k->state = PATH_CREDIT;
    } else if (k->probe.valid && k->pkt.ready) {
        mr_take(k->probe);
        k->conn = k->probe.data.conn;
        k->probe_path = k->probe.data.path;
        k->state = PATH_PROBE;
    } else if (k->resend.valid && way) {
        mr_take(k->resend);
        k->pkt_r = k->resend.data;
        k->conn = k->resend.data.conn;
        k->state = PATH_RESEND;
    } else if (k->seg.valid && way && k->slot.ready && k->verdict.ready) {
        mr_take(k->seg);
        k->pkt_r = k->seg.data;
        k->conn = k->seg.data.conn;
        k->state = PATH_SEG;
    } else {
        return;
    }
    k->row_q = k->rows[(conn_ix)k->conn];
}

/** News of an acknowledgment. */
MR_INLINE void path_on_credit(struct tx_path *k, struct path_row *r)
{
    struct credit c = k->credit_r;

    r->p[c.path].una = c.una;
    r->p[c.path].out -= c.freed;
    r->p[c.path].cwnd = c.cwnd;
    r->p[c.path].marked = c.marked;
    if (r->blocked)
        mr_put(k->verdict, (struct verdict){.kind = VERDICT_WAKE, .conn = k->conn});
    r->blocked = false;
}

MR_INLINE void path_send(struct tx_path *k, struct pkt p, bool resent)
{
    p.ts = k->now;
    if (resent)
        p.flags |= MR_FLAG_RESENT;
    mr_put(k->pkt, p);
    mr_put(k->sent, (struct sent){
        .conn = p.conn, .path = p.path, .psn = p.psn, .ts = p.ts, .resent = resent});
}

/** A new packet. */
MR_INLINE void path_on_seg(struct tx_path *k, struct path_row *r)
{
    struct path_choice c = path_choose(*r);
    struct pkt p = k->pkt_r;

    if (c.none) {
        r->blocked = true;
        mr_put(k->verdict,
            (struct verdict){.kind = VERDICT_BLOCKED, .stream = p.stream, .conn = p.conn});
        return;
    }
    p.path = c.path;
    p.psn = r->p[c.path].next;
    path_send(k, p, false);
    mr_put(k->slot, p);
    mr_put(k->verdict, (struct verdict){.kind = VERDICT_SENT, .stream = p.stream, .conn = p.conn,
        .len = p.len, .last = (p.flags & MR_FLAG_LAST) != 0});
    r->p[c.path].next++;
    r->p[c.path].out++;
    r->turn = c.path + 1;
    k->cnt_tx_data++;
}

MR_KERNEL(tx_path)
{
    struct path_row row = k->row_q;
    conn_ix at = (conn_ix)k->conn;
    bool write = false;

    if (k->state == PATH_IDLE && k->cfg.valid) {
        mr_take(k->cfg);
        write = k->cfg.data.table == MR_TBL_CONN;
        at = (conn_ix)k->cfg.data.index;
        row = path_open(mr_conn_unpack(k->cfg.data.bits), k->cwnd_init);
    } else if (k->state == PATH_IDLE) {
        path_pick(k);
    } else if (k->state == PATH_PROBE) {
        mr_put(k->pkt, (struct pkt){.conn = k->conn, .path = k->probe_path,
            .psn = row.p[k->probe_path].next, .ts = k->now, .probe = true});
        k->state = PATH_IDLE;
    } else if (k->state == PATH_RESEND) {
        path_send(k, k->pkt_r, true);
        k->cnt_tx_resent++;
        k->state = PATH_IDLE;
    } else {
        if (k->state == PATH_CREDIT)
            path_on_credit(k, &row);
        else
            path_on_seg(k, &row);
        write = true;
        k->state = PATH_IDLE;
    }
    if (write)
        k->rows[at] = row;
}
