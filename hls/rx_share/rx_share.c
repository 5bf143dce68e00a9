// SPDX-License-Identifier: BSD-2-Clause
#include "rx_share/rx_share.h"

enum share_state { SHARE_READ, SHARE_OPEN, SHARE_EXEC, SHARE_LOOK };

enum { QUOTIENT = 28, DIVISOR = 24 };

typedef u(MR_CONNS_LOG2) conn_ix;

MR_INLINE level_t share_link(const struct rx_share *k)
{
    return k->link_mbps >> 20 != 0 ? (level_t)~(level_t)0 : (level_t)((level_t)k->link_mbps << SHARE_FRAC);
}

/** One bit of link / weights; the level follows at the end. */
MR_INLINE void share_divide(struct rx_share *k)
{
    u(52) moved = k->rest << 1;
    u(25) top = (u(25))(k->rest >> (QUOTIENT - 1));
    bool fits = top >= (u(25))k->weights;
    u(24) left = fits ? (u(24))(top - (u(25))k->weights) : (u(24))top;

    if (k->step == 0) {
        if (k->stale && k->weights != 0) {
            k->rest = (u(52))share_link(k);
            k->step = QUOTIENT;
            k->stale = false;
        }
        return;
    }
    k->rest = ((u(52))left << QUOTIENT) | (u(52))(u(QUOTIENT))moved | (u(52))fits;
    k->step--;
    // Weights that changed in between make a wrong quotient: begin again.
    if (k->step == 0 && !k->stale) {
        k->fair = (level_t)k->rest;
        k->level = share_change(k->fair, k->senders);
    }
}

/** A period is over. */
MR_INLINE void share_clock(struct rx_share *k)
{
    if ((u(32))(k->now - k->since) < SHARE_PERIOD)
        return;
    if (k->step == 0 && !k->stale)
        k->level = share_period(k->level, (struct share_news){.link = share_link(k), .fair = k->fair,
            .senders = k->senders, .bytes = k->bytes, .ce = k->ce});
    k->since = k->now;
    k->bytes = 0;
    k->ce = false;
}

/** The next event; the timer looks at a connection when there is none. */
MR_INLINE void share_pick(struct rx_share *k)
{
    if (k->cfg.valid) {
        mr_take(k->cfg);
        struct mr_conn c = mr_conn_unpack(k->cfg.data.bits);
        k->conn = k->cfg.data.index;
        k->weight = c.state != 1 ? (u(8))0 : c.weight == 0 ? (u(8))1 : c.weight;
        if (k->cfg.data.table != MR_TBL_CONN)
            return;
        k->state = SHARE_OPEN;
    } else if (k->arrival.valid) {
        mr_take(k->arrival);
        k->arrival_r = k->arrival.data;
        k->conn = k->arrival.data.conn;
        k->state = SHARE_EXEC;
    } else {
        k->conn = (u(16))k->scan;
        k->scan = k->scan >= k->scan_end ? (conn_ix)0 : (conn_ix)(k->scan + 1);
        k->state = SHARE_LOOK;
    }
}

/** The event's row after the event; the sums follow. */
MR_INLINE struct share_conn share_event(struct rx_share *k)
{
    struct share_conn c = k->conn_q;
    struct share_conn n = c;
    bool was = c.active;

    if (k->state == SHARE_OPEN) {
        n = (struct share_conn){.weight = k->weight};
        if (k->weight != 0 && (conn_ix)k->conn > k->scan_end)
            k->scan_end = (conn_ix)k->conn;
    } else if (k->state == SHARE_EXEC) {
        n.active = c.weight != 0 && (c.active || k->arrival_r.data);
        n.at = k->now;
        k->bytes += (u(24))k->arrival_r.bytes;
        k->ce |= k->arrival_r.ce;
    } else if (share_idle(k->now - c.at, k->senders)) {
        n.active = false;
    }
    if (was && !n.active) {
        k->weights -= (u(24))c.weight;
        k->senders--;
        k->stale = true;
    } else if (!was && n.active) {
        k->weights += (u(24))n.weight;
        k->senders++;
        k->stale = true;
    }
    return n;
}

/** Acknowledgments pass beside that, in two steps each. */
MR_INLINE void share_acks(struct rx_share *k)
{
    struct ack a = k->ack_r;

    if (k->full) {
        if (!k->out.ready)
            return;
        a.hint = share_hint(k->level, k->hint_weight_q, share_link(k));
        mr_put(k->out, a);
        k->full = false;
    } else if (k->in.valid) {
        mr_take(k->in);
        k->ack_r = k->in.data;
        k->hint_weight_q = k->hint_weights[(conn_ix)k->in.data.conn];
        k->full = true;
    }
}

MR_KERNEL(rx_share)
{
    u(2) state = k->state;

    share_divide(k);
    share_clock(k);
    share_acks(k);
    if (state == SHARE_READ) {
        share_pick(k);
        k->conn_q = k->conns[(conn_ix)k->conn];
        return;
    }
    k->conns[(conn_ix)k->conn] = share_event(k);
    if (state == SHARE_OPEN)
        k->hint_weights[(conn_ix)k->conn] = k->weight;
    k->state = SHARE_READ;
}
