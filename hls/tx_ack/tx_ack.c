// SPDX-License-Identifier: BSD-2-Clause
#include "tx_ack/tx_ack.h"

enum ack_state {
    ACK_IDLE,
    ACK_OPEN,
    ACK_SENT,
    ACK_TAKE,   // acknowledgment: compare the bit vectors
    ACK_JUDGE,  // acknowledgment: what is lost; window and round trip time
    ACK_NEWLY,  // report what has arrived, or failed
    ACK_LOST,   // ask for retransmissions
    ACK_NOTE,
    ACK_TELE,
    ACK_SCAN,
};

typedef u(MR_CONNS_LOG2 + MR_PATHS_LOG2) row_ix;

/** What a step writes; one write port per table. */
struct ack_ports {
    bool rd;
    row_ix rd_at;
    bool row;
    row_ix at;
    struct ack_row row_new;
    bool tele;
    struct ack_tele tele_new;
};

MR_INLINE row_ix ack_at(u(16) conn, u(3) path)
{
    return (row_ix)((row_ix)conn << (row_ix)MR_PATHS_LOG2) | (row_ix)path;
}

MR_INLINE bool ts_after(u(32) a, u(32) b)
{
    u(32) d = a - b;
    return d != 0 && (d >> 31) == 0;
}

MR_INLINE void ack_config(struct tx_ack *k)
{
    struct mr_conn c = mr_conn_unpack(k->cfg.data.bits);

    mr_take(k->cfg);
    if (k->cfg.data.table != MR_TBL_CONN)
        return;
    k->conn = k->cfg.data.index;
    k->npaths = c.state != 1 ? (u(4))0 : c.npaths > MR_PATHS ? (u(4))MR_PATHS : (u(4))c.npaths;
    k->opening = MR_PATHS;
    if (c.state == 1 && ack_at(k->conn, MR_PATHS - 1) > k->scan_end)
        k->scan_end = ack_at(k->conn, MR_PATHS - 1);
    k->state = ACK_OPEN;
}

/** Sets up one path of a connection that the host wrote. */
MR_INLINE void ack_open(struct tx_ack *k, struct ack_ports *p)
{
    u(3) path = (u(3))(k->opening - 1);

    p->row = p->tele = true;
    p->at = ack_at(k->conn, path);
    p->row_new.open = path < k->npaths;
    p->row_new.cc = cc_init((u(9))k->cwnd_init);
    k->opening--;
    if (k->opening == 0)
        k->state = ACK_IDLE;
}

MR_INLINE void ack_begin(struct tx_ack *k, u(16) conn, u(3) path, u(4) state)
{
    k->conn = conn;
    k->path = path;
    k->state = state;
}

/** The timer's turn: the next row, if nothing else wants attention. */
MR_INLINE void ack_begin_scan(struct tx_ack *k)
{
    ack_begin(k, (u(16))(k->scan >> (row_ix)MR_PATHS_LOG2), (u(3))k->scan, ACK_SCAN);
    k->scan = k->scan >= k->scan_end ? (row_ix)0 : (row_ix)(k->scan + 1);
}

MR_INLINE void ack_pick(struct tx_ack *k, struct ack_ports *p)
{
    if (k->sent.valid) {
        mr_take(k->sent);
        k->sent_r = k->sent.data;
        ack_begin(k, k->sent.data.conn, k->sent.data.path, ACK_SENT);
    } else if (k->ack.valid && k->credit.ready && k->slot.ready &&
               k->asked <= ACK_AGAIN_DEPTH - MR_WIRE_WINDOW) {
        mr_take(k->ack);
        k->ack_r = k->ack.data;
        ack_begin(k, k->ack.data.conn, k->ack.data.path, ACK_TAKE);
    } else if (k->note.valid && k->slot.ready) {
        mr_take(k->note);
        k->note_r = k->note.data;
        ack_begin(k, k->note.data.conn, k->note.data.path, ACK_NOTE);
    } else if (k->tele_req.valid && k->tele_rsp.ready) {
        mr_take(k->tele_req);
        ack_begin(k, k->tele_req.data.index >> 3, (u(3))k->tele_req.data.index, ACK_TELE);
    } else if (k->probe.ready && k->slot.ready) {
        ack_begin_scan(k);
    } else {
        return;
    }
    p->rd = true;
    p->rd_at = ack_at(k->conn, k->path);
}

/** Writes the event's row back. */
MR_INLINE void ack_put(struct tx_ack *k, struct ack_ports *p, struct ack_row r, struct ack_tele t)
{
    p->row = p->tele = true;
    p->at = ack_at(k->conn, k->path);
    p->row_new = r;
    p->tele_new = t;
}

MR_INLINE void ack_on_sent(struct tx_ack *k, struct ack_ports *p)
{
    struct ack_row r = k->row_q;
    struct ack_tele t = k->tele_q;

    if (k->sent_r.resent) {
        r.asked -= r.asked != 0;
        k->asked -= k->asked != 0;
        r.ts = k->sent_r.ts;
        t.resent++;
    } else {
        if (r.una == r.next) {
            r.heard = k->now;
            r.backoff = 0;
        }
        r.next = k->sent_r.psn + 1;
        t.packets++;
    }
    ack_put(k, p, r, t);
    k->state = ACK_IDLE;
}

/** Is the acknowledgment about what was sent, and not older than one taken before? */
MR_INLINE bool ack_credible(struct ack_row r, struct ack a)
{
    psn_t from = a.psn - r.una;
    psn_t sent = r.next - r.una;
    u(16) edge = a.edge - (u(16))a.psn;

    return r.open && from <= sent && (psn_t)edge <= (psn_t)(sent - from);
}

MR_INLINE void ack_take(struct tx_ack *k)
{
    struct ack_row r = k->row_q;
    struct ack a = k->ack_r;
    ring_t window = ring_range(a.psn, r.next);
    ring_t arrived = a.bits & window;
    psn_t edge = a.psn + (psn_t)(u(16))(a.edge - (u(16))a.psn);

    if (!ack_credible(r, a)) {
        k->cnt_rx_bad_ack++;
        k->state = ACK_IDLE;
        return;
    }
    k->newly = (ring_range(r.una, a.psn) | arrived) & ~r.acked;
    k->missing = window & ~(r.acked | arrived);
    k->below = ring_range(a.psn, edge);
    k->base = r.una;
    k->failing = false;
    k->cnt_rx_acks++;
    k->state = ACK_JUDGE;
}

MR_INLINE void ack_judge(struct tx_ack *k, struct ack_ports *p)
{
    struct ack_row r = k->row_q;
    struct ack_tele t = k->tele_q;
    struct ack a = k->ack_r;
    u(9) freed = ring_count(k->newly);
    // An acknowledgment that was overtaken by a later one tells nothing new of these.
    bool newer = ((u(16))(a.ce - r.ce) >> 15) == 0;
    u(16) marks = newer ? (u(16))(a.ce - r.ce) : (u(16))0;
    bool turn = r.asked == 0 && (r.again0 == 0 || ts_after(a.ts, r.ts0));
    ring_t gone = k->missing & k->below & ~(r.again | r.again0);

    if (turn) {
        gone |= r.again0 & k->missing;
        r.again0 = r.again;
        r.ts0 = r.ts;
        r.again = 0;
    }
    r.again = (r.again | gone) & k->missing;
    r.again0 &= k->missing;
    r.asked += ring_count(gone);
    k->asked += (u(10))ring_count(gone);
    r.acked = ring_range(a.psn, r.next) & ~k->missing;
    r.una = a.psn;
    r.rtt = rtt_sample(r.rtt, k->now - a.ts - (u(32))a.delay);
    r.cc = cc_on_ack(r.cc, freed, a.psn, r.next, marks);
    r.ce += marks;
    r.hint = newer ? a.hint : r.hint;
    r.heard = k->now;
    r.backoff = 0;
    r.silent = 0;
    t.marks += marks;
    t.acks++;
    k->lost = gone;
    ack_put(k, p, r, t);
    mr_put(k->credit, (struct credit){.conn = k->conn, .path = k->path, .una = a.psn,
        .freed = freed, .cwnd = r.cc.cwnd, .marked = marks != 0});
    k->state = ACK_NEWLY;
}

/** Reports what has arrived, or failed, one number in a step. */
MR_INLINE void ack_newly(struct tx_ack *k)
{
    if (k->newly == 0) {
        k->base = k->ack_r.psn;
        k->state = ACK_LOST;
    } else if (k->slot.ready) {
        mr_put(k->slot, (struct slot_req){.conn = k->conn, .path = k->path,
            .psn = ring_psn(k->base, ring_lowest(k->newly)),
            .why = k->failing ? SLOT_ERROR : SLOT_DONE, .code = MR_ERR_RETRY});
        k->newly &= k->newly - 1;
    }
}

/** Asks for what is lost, one number in a step. */
MR_INLINE void ack_lost(struct tx_ack *k)
{
    if (k->lost == 0) {
        k->state = ACK_IDLE;
    } else if (k->again.ready) {
        mr_put(k->again, (struct slot_req){.conn = k->conn, .path = k->path,
            .psn = ring_psn(k->base, ring_lowest(k->lost)), .why = SLOT_RESEND});
        k->lost &= k->lost - 1;
    }
}

MR_INLINE void ack_on_note(struct tx_ack *k)
{
    struct ack_row r = k->row_q;
    struct err_note n = k->note_r;
    psn_t at = n.psn - r.una;
    bool due = r.open && at < (psn_t)(r.next - r.una) && !ring_has(r.acked, n.psn);

    k->cnt_rx_errors++;
    if (due)
        mr_put(k->slot, (struct slot_req){.conn = k->conn, .path = k->path, .psn = n.psn,
            .why = SLOT_ERROR, .code = n.code});
    k->state = ACK_IDLE;
}

MR_INLINE void ack_on_tele(struct tx_ack *k)
{
    struct ack_row r = k->row_q;
    struct ack_tele t = k->tele_q;
    u(8) state = !r.open ? (u(8))0 : r.silent >= k->retry_max ? (u(8))3 : r.silent != 0 ? (u(8))2 : (u(8))1;

    mr_put(k->tele_rsp, (struct tele_rsp){.bits = mr_tele_pack((struct mr_tele){
        .srtt = r.rtt.srtt, .rttvar = r.rtt.var, .cwnd = (u(16))r.cc.cwnd,
        .inflight = (u(16))ring_count(ring_range(r.una, r.next) & ~r.acked), .state = state,
        .packets = t.packets, .resent = t.resent, .marks = t.marks, .acks = t.acks,
        .probes = t.probes, .psn = (u(32))r.next, .una = (u(32))r.una, .hint = r.hint})});
    k->state = ACK_IDLE;
}

/** Has the path been silent for too long? Then a probe; after retry_max of them its packets fail. */
MR_INLINE void ack_on_scan(struct tx_ack *k, struct ack_ports *p)
{
    struct ack_row r = k->row_q;
    struct ack_tele t = k->tele_q;
    u(32) after = rtt_probe_after(r.rtt, k->probe_min) << (u(32))r.backoff;
    bool due = r.open && r.una != r.next && (u(32))(k->now - r.heard) > after;

    k->state = ACK_IDLE;
    if (!due)
        return;
    mr_put(k->probe, (struct path_id){.conn = k->conn, .path = k->path});
    if (r.silent >= k->retry_max) {
        k->newly = ring_range(r.una, r.next) & ~r.acked;
        k->lost = 0;
        k->base = r.una;
        k->failing = true;
        k->state = ACK_NEWLY;
    }
    r.heard = k->now;
    r.backoff += r.backoff != 6;
    r.silent += r.silent != 255;
    t.probes++;
    ack_put(k, p, r, t);
}

MR_INLINE void ack_tables(struct tx_ack *k, struct ack_ports p)
{
    if (p.rd) {
        k->row_q = k->rows[p.rd_at];
        k->tele_q = k->teles[p.rd_at];
    }
    if (p.row)
        k->rows[p.at] = p.row_new;
    if (p.tele)
        k->teles[p.at] = p.tele_new;
}

MR_KERNEL(tx_ack)
{
    struct ack_ports p = {0};

    switch ((unsigned)k->state) {
    case ACK_IDLE:
        if (k->cfg.valid)
            ack_config(k);
        else
            ack_pick(k, &p);
        break;
    case ACK_OPEN: ack_open(k, &p); break;
    case ACK_SENT: ack_on_sent(k, &p); break;
    case ACK_TAKE: ack_take(k); break;
    case ACK_JUDGE: ack_judge(k, &p); break;
    case ACK_NEWLY: ack_newly(k); break;
    case ACK_LOST: ack_lost(k); break;
    case ACK_NOTE: ack_on_note(k); break;
    case ACK_TELE: ack_on_tele(k); break;
    default: ack_on_scan(k, &p); break;
    }
    ack_tables(k, p);
}
