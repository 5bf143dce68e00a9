// SPDX-License-Identifier: BSD-2-Clause
#include "rx_path/rx_path.h"

enum rxp_state { RXP_IDLE, RXP_ACK, RXP_PACKET };

typedef u(MR_GROUPS_LOG2 + MR_GROUP_LOG2) row_ix;

MR_INLINE u(16) rxp_delay(u(32) since)
{
    return since > 0xffff ? (u(16))0xffff : (u(16))since;
}

/** How the path stands. */
MR_INLINE struct ack rxp_ack(struct rx_path *k, struct rx_row r)
{
    return (struct ack){.conn = k->id.conn, .path = k->id.path, .row = k->id.row, .epoch = r.epoch,
        .sport = r.sport, .plane = r.plane, .psn = r.base, .ts = r.ts, .edge = (u(16))r.edge,
        .ce = r.ce, .delay = rxp_delay(k->now - r.at), .bits = r.bits};
}

/** Says how the path stands. True when the row is to be written. */
MR_INLINE bool rxp_acknowledge(struct rx_path *k, struct rx_row *r)
{
    if (!k->ack.ready)
        return false;
    // Of an ended incarnation CLOSED has said everything.
    if (r->open && !r->closed)
        mr_put(k->ack, (struct held_ack){.writes = k->writes, .ack = rxp_ack(k, *r)});
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

/** The sender ended the incarnation: what arrived of it is final. */
MR_INLINE void rxp_close(struct rx_path *k, struct rx_row *r)
{
    struct rx_seq q = k->pkt_r;
    struct ack a = rxp_ack(k, *r);

    r->closed = true;
    a.closed = true;
    a.ts = q.ts;
    a.sport = q.sport;
    a.plane = q.plane;
    mr_put(k->ack, (struct held_ack){.writes = k->writes, .ack = a});
}

/** A data packet or probe of the path's epoch. Returns what becomes of it. */
MR_INLINE struct rxp_fate rxp_arrival(struct rx_path *k, struct rx_row *r)
{
    struct rx_seq q = k->pkt_r;
    bool data = q.kind == MR_KIND_DATA;
    struct rxp_fate f = {0};

    if (data)
        f = rxp_judge(k, *r, q);
    if (f.take)
        rxp_arrive(r, q.psn);
    if (f.refuse)
        mr_put(k->note, (struct err_note){.conn = q.conn, .path = q.path, .row = q.row, .epoch = q.epoch,
            .sport = q.sport, .plane = q.plane, .psn = q.psn, .ts = q.ts, .code = q.err,
            .stream = q.peer_stream, .msg = q.msg, .offset = q.offset});
    // Nothing beyond the window can have been sent, whatever a probe says.
    if (!data && (psn_t)(q.psn - r->base) <= MR_WIRE_WINDOW &&
        (psn_t)(q.psn - r->base) > (psn_t)(r->edge - r->base))
        r->edge = q.psn;
    r->ts = q.ts;
    r->at = k->now;
    r->sport = q.sport;
    r->plane = q.plane;
    if (!r->due) {
        mr_put(k->due_out, k->id);
        k->dues++;
    }
    r->due = true;
    if (data && q.ce) {
        r->ce++;
        k->cnt_rx_ce++;
    }
    if (f.take && q.len != 0) {
        mr_put(k->order, (struct ordered){.conn = q.conn, .n = q.pieces == 0 ? (u(5))1 : q.pieces});
        k->writes++;
    }
    k->gots += f.take && q.opcode != MR_OP_NULL;
    if (f.take && q.opcode != MR_OP_NULL)
        mr_put(k->got, (struct held_got){.writes = k->writes, .got = {.conn = q.conn, .stream = (u(16))q.stream,
            .opcode = q.opcode, .flags = q.flags, .len = q.len, .recv = q.recv, .ext = q.ext}});
    return f;
}

/** A packet. True when the row is to be written. */
MR_INLINE bool rxp_packet(struct rx_path *k, struct rx_row *r)
{
    struct rx_seq q = k->pkt_r;
    bool live = !q.drop && r->open;
    bool same = q.epoch == r->epoch;
    bool begins = live && !q.close && r->closed && q.epoch == (u(8))(r->epoch + 1);
    bool close = live && q.close && same;
    bool flows = begins || (live && !q.close && same && !r->closed);
    struct rxp_fate f = {0};

    if (q.mark) {
        if (k->got.ready) {
            mr_put(k->got, (struct held_got){.writes = k->writes, .mark = true});
            k->state = RXP_IDLE;
        }
        return false;
    }
    if (!k->deal.ready || !k->got.ready || !k->note.ready || !k->order.ready || !k->due_out.ready || (close && !k->ack.ready))
        return false;
    k->cnt_rx_epoch += !q.drop && q.kind == MR_KIND_DATA && !flows;
    if (begins)
        *r = (struct rx_row){.open = true, .epoch = q.epoch, .due = r->due};
    if (close)
        rxp_close(k, r);
    if (flows)
        f = rxp_arrival(k, r);
    if (flows && k->share.ready)
        mr_put(k->share, (struct arrival){.conn = q.conn, .bytes = q.len + (u(16))MR_WIRE_AROUND,
            .ce = q.ce, .data = q.kind == MR_KIND_DATA});
    mr_put(k->deal, (struct rx_deal){.bus = q.bus, .len = f.take ? q.len : (u(16))0, .pieces = q.pieces,
        .value = q.value && f.take, .data = mr_data_unpack(q.ext).addr, .payload_at = q.payload_at,
        .has_pay = q.has_pay});
    k->packets++;
    k->state = RXP_IDLE;
    return close || flows;
}

/**
 * Chooses the next event: acknowledgments first. A packet is begun only when its
 * path, and that of the packet before, which ends in this step, find room in the
 * queue for acknowledgments, which this kernel empties. `dues` is as the step began.
 */
MR_INLINE bool rxp_pick(struct rx_path *k, u(7) dues)
{
    if (k->due.valid && k->ack.ready) {
        mr_take(k->due);
        k->dues -= k->dues != 0;
        k->id = k->due.data;
        k->state = RXP_ACK;
    } else if (k->pkt.valid && dues < RXP_DUE_DEPTH - 1) {
        mr_take(k->pkt);
        k->pkt_r = k->pkt.data;
        k->id = (struct path_id){
            .conn = k->pkt.data.conn, .path = k->pkt.data.path, .row = k->pkt.data.row};
        k->state = RXP_PACKET;
    } else {
        return false;
    }
    return true;
}

/** The row's read and write; a row that is written while it is read is passed on in row_by. */
MR_INLINE void rxp_table(struct rx_path *k, bool read, bool write, row_ix at, struct rx_row row)
{
    row_ix next = (row_ix)k->id.row;

    if (read) {
        k->row_q = k->rows[next];
        k->row_by = row;
        k->row_by_ok = write && at == next;
    }
    if (write)
        k->rows[at] = row;
}

MR_KERNEL(rx_path)
{
    struct rx_row row = k->row_by_ok ? k->row_by : k->row_q;
    row_ix at = (row_ix)k->id.row;
    u(7) dues = k->dues;
    bool idle = k->state == RXP_IDLE;
    bool write = false, read = false;

    if (idle && k->cfg.valid) {
        struct mr_path c = mr_path_unpack((u(64))k->cfg.data.bits);
        mr_take(k->cfg);
        write = k->cfg.data.table == MR_TBL_PATH && c.state != MR_PATHST_PORT;
        at = (row_ix)k->cfg.data.index;
        row = (struct rx_row){.open = c.state == MR_PATHST_OPEN};
    } else {
        if (k->state == RXP_ACK)
            write = rxp_acknowledge(k, &row);
        else if (k->state == RXP_PACKET)
            write = rxp_packet(k, &row);
        // A configuration waits until nothing is under way.
        if (k->state == RXP_IDLE && !k->cfg.valid)
            read = rxp_pick(k, dues);
    }
    rxp_table(k, read, write, at, row);
}
