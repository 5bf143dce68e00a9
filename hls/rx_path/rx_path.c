// SPDX-License-Identifier: BSD-2-Clause
#include "rx_path/rx_path.h"

enum rxp_state { RXP_IDLE, RXP_OPEN, RXP_ACK, RXP_PACKET };

typedef u(MR_CONNS_LOG2 + MR_PATHS_LOG2) row_ix;

MR_INLINE row_ix rxp_at(struct path_id p)
{
    return (row_ix)((row_ix)p.conn << (row_ix)MR_PATHS_LOG2) | (row_ix)p.path;
}

MR_INLINE u(16) rxp_delay(u(32) since)
{
    return since > 0xffff ? (u(16))0xffff : (u(16))since;
}

/** Says how the path stands. True when the row is to be written. */
MR_INLINE bool rxp_acknowledge(struct rx_path *k, struct rx_row *r)
{
    if (!k->ack.ready)
        return false;
    mr_put(k->ack, (struct held_ack){.writes = k->writes,
        .ack = {.conn = k->id.conn, .path = k->id.path, .psn = r->base, .ts = r->ts,
            .edge = (u(16))r->edge, .ce = r->ce, .hint = 0, .delay = rxp_delay(k->now - r->at),
            .bits = r->bits}});
    r->due = false;
    k->state = RXP_IDLE;
    return true;
}

/** Takes a number into the row. */
MR_INLINE void rxp_arrive(struct rx_row *r, psn_t psn)
{
    ring_t bits = r->bits | ring_one(psn);
    u(9) run = ring_run(bits, r->base);
    psn_t base = r->base + (psn_t)run;

    r->bits = bits & ~ring_range(r->base, base);
    if ((psn_t)(psn + 1 - r->base) > (psn_t)(r->edge - r->base))
        r->edge = psn + 1;
    r->base = base;
}

/** What becomes of a data packet; decides for rx_place and the counters. */
struct rxp_fate {
    bool take, refuse;
};

MR_INLINE struct rxp_fate rxp_judge(struct rx_path *k, struct rx_row r, struct rx_seq q)
{
    psn_t ahead = q.psn - r.base;
    bool old = (ahead >> 23) != 0;
    bool outside = !old && ahead >= MR_WIRE_WINDOW;
    bool again = old || (!outside && ring_has(r.bits, q.psn));
    bool fresh = !outside && !again;

    k->cnt_rx_dup += again;
    k->cnt_rx_window += outside;
    k->cnt_rx_refused += fresh && q.err != 0;
    k->cnt_rx_data += fresh && q.err == 0;
    return (struct rxp_fate){.take = fresh && q.err == 0, .refuse = fresh && q.err != 0};
}

/** A data packet or probe. True when the row is to be written. */
MR_INLINE bool rxp_packet(struct rx_path *k, struct rx_row *r)
{
    struct rx_seq q = k->pkt_r;
    bool live = !q.drop && q.epoch == 0;  // the only epoch so far [spec 4.2.5]
    bool data = live && q.kind == MR_KIND_DATA;
    bool probe = live && q.kind == MR_KIND_PATH;
    struct rxp_fate f = {0};

    if (!k->put.ready || !k->note.ready || !k->order.ready)
        return false;
    k->cnt_rx_window += !q.drop && !live;
    if (data)
        f = rxp_judge(k, *r, q);
    if (f.take)
        rxp_arrive(r, q.psn);
    if (f.refuse)
        mr_put(k->note, (struct err_note){.conn = q.conn, .path = q.path, .psn = q.psn,
            .ts = q.ts, .code = q.err, .stream = q.peer_stream, .msg = q.msg, .offset = q.offset});
    // Nothing beyond the window can have been sent, whatever a probe says.
    if (probe && (psn_t)(q.psn - r->base) <= MR_WIRE_WINDOW &&
        (psn_t)(q.psn - r->base) > (psn_t)(r->edge - r->base))
        r->edge = q.psn;
    if (data || probe) {
        r->ts = q.ts;
        r->at = k->now;
        if (!r->due)
            mr_put(k->due_out, (struct path_id){.conn = q.conn, .path = q.path});
        r->due = true;
    }
    if (data && q.ce) {
        r->ce++;
        k->cnt_rx_ce++;
    }
    if (f.take && q.len != 0) {
        mr_put(k->order, k->id);
        k->writes++;
    }
    mr_put(k->put, (struct rx_put){.bus = q.bus, .len = f.take ? q.len : (u(16))0,
        .payload_at = q.payload_at, .has_pay = q.has_pay});
    k->state = RXP_IDLE;
    return data || probe;
}

/**
 * Chooses the next event: acknowledgments first. A packet is begun only when its
 * path finds room in the queue for acknowledgments, which this kernel empties.
 */
MR_INLINE void rxp_pick(struct rx_path *k)
{
    if (k->due.valid && k->ack.ready) {
        mr_take(k->due);
        k->id = k->due.data;
        k->state = RXP_ACK;
    } else if (k->pkt.valid && k->due_out.ready) {
        mr_take(k->pkt);
        k->pkt_r = k->pkt.data;
        k->id = (struct path_id){.conn = k->pkt.data.conn, .path = k->pkt.data.path};
        k->state = RXP_PACKET;
    } else {
        return;
    }
    k->row_q = k->rows[rxp_at(k->id)];
}

MR_KERNEL(rx_path)
{
    struct rx_row row = k->row_q;
    bool write = false;
    row_ix at = rxp_at(k->id);

    if (k->state == RXP_IDLE && k->cfg.valid) {
        mr_take(k->cfg);
        if (k->cfg.data.table == MR_TBL_CONN) {
            k->id.conn = k->cfg.data.index;
            k->opening = MR_PATHS;
            k->state = RXP_OPEN;
        }
    } else if (k->state == RXP_IDLE) {
        rxp_pick(k);
    } else if (k->state == RXP_OPEN) {
        k->opening--;
        row = (struct rx_row){0};
        at = rxp_at((struct path_id){.conn = k->id.conn, .path = (u(3))k->opening});
        write = true;
        if (k->opening == 0)
            k->state = RXP_IDLE;
    } else if (k->state == RXP_ACK) {
        write = rxp_acknowledge(k, &row);
    } else {
        write = rxp_packet(k, &row);
    }
    if (write)
        k->rows[at] = row;
}
