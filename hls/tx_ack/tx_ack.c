// SPDX-License-Identifier: BSD-2-Clause
#include "tx_ack/tx_ack.h"

#include "tx_ack/health.h"

enum ack_state {
    ACK_IDLE,
    ACK_OPEN,
    ACK_SENT,
    ACK_TAKE,   // acknowledgment: compare the bit vectors
    ACK_JUDGE,  // acknowledgment: what is lost; window and round trip time; report the first
    ACK_NEWLY,  // report what else has arrived, or failed
    ACK_LOST,   // ask for retransmissions
    ACK_NOTE,
    ACK_OVER,   // a failed path's packets have been moved
    ACK_TELE,
    ACK_SCAN,
    ACK_HEALTH, // the path is silent
};

typedef u(MR_GROUPS_LOG2 + MR_GROUP_LOG2) row_ix;
typedef u(MR_CONNS_LOG2) conn_ix;

/** What a step reads and writes; one read and one write port per table. */
struct ack_ports {
    bool rd;   // of the row that was chosen
    bool row;  // row and telemetry
    struct ack_row row_new;
    struct ack_tele tele_new;
    bool rd_alive, alive;
    u(16) conn;
};

MR_INLINE bool ts_after(u(32) a, u(32) b)
{
    u(32) d = a - b;
    return d != 0 && (d >> 31) == 0;
}

MR_INLINE void ack_config(struct tx_ack *k)
{
    mr_take(k->cfg);
    if (k->cfg.data.table != MR_TBL_PATH)
        return;
    k->row = k->cfg.data.index;
    k->path_r = mr_path_unpack((u(64))k->cfg.data.bits);
    // Of an open path only the port changes: that is tx_path's business.
    if (k->path_r.state != MR_PATHST_PORT)
        k->state = ACK_OPEN;
}

/** Sets up a path that the host wrote. */
MR_INLINE void ack_open(struct tx_ack *k, struct ack_ports *p)
{
    struct mr_path c = k->path_r;
    bool open = c.state == MR_PATHST_OPEN;

    p->row = true;
    p->row_new.state = open ? (u(3))MR_TELEST_LIVE : (u(3))MR_TELEST_FREE;
    p->row_new.conn = c.conn;
    p->row_new.path = (u(7))c.path;
    p->row_new.cc = cc_init((u(9))k->cwnd_init);
    if (open && (row_ix)k->row > k->scan_end)
        k->scan_end = (row_ix)k->row;
    k->state = ACK_IDLE;
}

MR_INLINE void ack_begin(struct tx_ack *k, struct ack_ports *p, u(16) row, u(4) state)
{
    k->row = row;
    k->state = state;
    p->rd = true;
}

/** Room for all that an acknowledgment puts out, whatever it says; reports of more than one wait. */
MR_INLINE bool ack_room(struct tx_ack *k)
{
    return k->credit.ready && k->slot.ready && k->asked <= ACK_AGAIN_DEPTH - MR_WIRE_WINDOW;
}

/**
 * The events that every packet costs. May be chosen in the last step of the one
 * before, which may use up room: so an acknowledgment stays in its FIFO until
 * ACK_TAKE has seen that there still is some.
 */
MR_INLINE void ack_pick_busy(struct tx_ack *k, struct ack_ports *p)
{
    if (k->sent.valid) {
        mr_take(k->sent);
        k->sent_r = k->sent.data;
        ack_begin(k, p, k->sent.data.row, ACK_SENT);
    } else if (k->ack.valid && ack_room(k)) {
        ack_begin(k, p, k->ack.data.row, ACK_TAKE);
    }
}

MR_INLINE void ack_pick(struct tx_ack *k, struct ack_ports *p)
{
    ack_pick_busy(k, p);
    if (p->rd)
        return;
    if (k->note.valid && k->slot.ready) {
        mr_take(k->note);
        k->note_r = k->note.data;
        ack_begin(k, p, k->note.data.row, ACK_NOTE);
    } else if (k->over.valid && k->ctl.ready) {
        mr_take(k->over);
        ack_begin(k, p, k->over.data.row, ACK_OVER);
    } else if (k->tele_req.valid && k->tele_rsp.ready) {
        mr_take(k->tele_req);
        ack_begin(k, p, k->tele_req.data.row, ACK_TELE);
    } else if (k->ctl.ready && k->slot.ready) {  // the timer's turn
        ack_begin(k, p, (u(16))k->scan, ACK_SCAN);
        k->scan = k->scan >= k->scan_end ? (row_ix)0 : (row_ix)(k->scan + 1);
    }
}

/** Writes the event's row back. */
MR_INLINE void ack_put(struct ack_ports *p, struct ack_row r, struct ack_tele t)
{
    p->row = true;
    p->row_new = r;
    p->tele_new = t;
}

/** The event's row: the table's, or what the event before wrote while it was read. */
MR_INLINE struct ack_row ack_row_of(struct tx_ack *k)
{
    return k->by ? k->row_by : k->row_q;
}

MR_INLINE struct ack_tele ack_tele_of(struct tx_ack *k)
{
    return k->by ? k->tele_by : k->tele_q;
}

MR_INLINE void ack_on_sent(struct tx_ack *k, struct ack_ports *p)
{
    struct ack_row r = ack_row_of(k);
    struct ack_tele t = ack_tele_of(k);
    struct sent s = k->sent_r;
    bool same = s.epoch == r.epoch;

    k->state = ACK_IDLE;
    if (s.kind != SENT_NEW)
        k->asked -= k->asked != 0;
    if (!same)
        return;
    if (s.kind == SENT_NEW) {
        if (r.una == r.next) {
            r.heard = k->now;
            r.backoff = 0;
        }
        r.next = s.psn + 1;
        t.packets++;
        t.bytes += (u(64))s.len;
    } else {
        r.asked -= r.asked != 0;
    }
    if (s.kind == SENT_AGAIN) {
        r.ts = s.ts;
        t.resent++;
    }
    ack_put(p, r, t);
}

/** Is the acknowledgment about what was sent, and not older than one taken before? */
MR_INLINE bool ack_credible(struct ack_row r, struct ack a)
{
    psn_t from = a.psn - r.una;
    psn_t sent = r.next - r.una;
    u(16) edge = a.edge - (u(16))a.psn;
    bool open = r.state == MR_TELEST_LIVE || r.state == MR_TELEST_TRIAL || r.state == MR_TELEST_CLOSING;

    return open && a.epoch == r.epoch && from <= sent && (a.closed || (psn_t)edge <= (psn_t)(sent - from));
}

MR_INLINE void ack_take(struct tx_ack *k)
{
    struct ack_row r = ack_row_of(k);
    struct ack a = k->ack.data;
    ring_t window = ring_range(a.psn, r.next);
    ring_t arrived = a.bits & window;
    psn_t edge = a.psn + (psn_t)(u(16))(a.edge - (u(16))a.psn);
    // The last word of an incarnation is not taken before it was asked for, or while
    // there is no place for what it leaves: it will be repeated.
    bool early = a.closed && (r.state != MR_TELEST_CLOSING || !k->job.ready);

    k->state = ACK_IDLE;
    if (!ack_room(k))  // the event before used it up
        return;
    mr_take(k->ack);
    if (!ack_credible(r, a) || early) {
        k->cnt_rx_bad_ack += !a.closed;
        return;
    }
    k->ack_r = a;
    k->newly = (ring_range(r.una, a.psn) | arrived) & ~r.acked;
    k->missing = window & ~(r.acked | arrived);
    k->below = a.closed || r.state == MR_TELEST_CLOSING ? (ring_t)0 : ring_range(a.psn, edge);
    k->base = r.una;
    k->failing = false;
    k->cnt_rx_acks += !a.closed;
    k->state = ACK_JUDGE;
}

/** Tells the host what became of a path, if there is room. */
MR_INLINE void ack_tell(struct tx_ack *k, u(3) type, struct ack_row r)
{
    if (k->event.ready)
        mr_put(k->event, (struct path_note){.type = type, .conn = r.conn, .path = r.path});
    else
        k->untold = true;
}

/** Which numbers are lost by this acknowledgment's evidence. */
MR_INLINE ring_t ack_gone(struct tx_ack *k, struct ack_row *r)
{
    ring_t gone = k->missing & k->below & ~(r->again | r->again0 | r->held);
    bool turn = r->asked == 0 && (r->again0 == 0 || ts_after(k->ack_r.ts, r->ts0));

    if (turn && k->below != 0) {
        gone |= r->again0 & k->missing;
        r->again0 = r->again;
        r->ts0 = r->ts;
        r->again = 0;
    }
    r->again = (r->again | gone) & k->missing;
    r->again0 &= k->missing;
    r->held &= k->missing;
    return gone;
}

/** Reports one number. */
MR_INLINE void ack_report(struct tx_ack *k)
{
    mr_put(k->slot, (struct slot_req){.row = k->row, .psn = ring_psn(k->base, ring_lowest(k->newly)),
        .why = k->failing ? SLOT_ERROR : SLOT_DONE, .code = MR_ERR_RETRY});
    k->newly &= k->newly - 1;
    k->reported++;
}

/** What comes next: further reports, then what is to be sent again. */
MR_INLINE void ack_asks(struct tx_ack *k, bool more, bool lost)
{
    k->state = more ? (u(4))ACK_NEWLY : lost ? (u(4))ACK_LOST : (u(4))ACK_IDLE;
    if (!more)
        k->base = k->ack_r.psn;
}

MR_INLINE void ack_judge(struct tx_ack *k, struct ack_ports *p)
{
    struct ack_row r = ack_row_of(k);
    struct ack_tele t = ack_tele_of(k);
    struct ack a = k->ack_r;
    u(9) freed = ring_count(k->newly);
    bool none_again = (r.again | r.again0 | r.held) == 0;
    bool may_lose = (k->missing & k->below) != 0;  // known earlier than what is
    // An acknowledgment that was overtaken by a later one tells nothing new of these.
    bool newer = ((u(16))(a.ce - r.ce) >> 15) == 0 && !a.closed;
    u(16) marks = newer ? (u(16))(a.ce - r.ce) : (u(16))0;
    ring_t gone = ack_gone(k, &r);
    u(32) rtt = k->now - a.ts - (u(32))a.delay;
    bool sample = !a.closed && a.delay != 0xffff;
    bool up = !a.closed && (r.dead || r.state == MR_TELEST_TRIAL);

    if (up)
        ack_tell(k, MR_EVT_PATH_UP, r);
    r.dead = false;

    r.asked += ring_count(gone);
    k->asked += (u(10))ring_count(gone);
    r.cc = cc_on_ack(r.cc, (struct cc_news){.freed = freed, .lost = ring_count(gone), .una = a.psn,
        .used = ring_count(ring_range(r.una, r.next) & ~r.acked), .next = r.next, .marks = marks});
    r.acked = ring_range(a.psn, r.next) & ~k->missing;
    r.una = a.psn;
    if (sample)
        r.rtt = rtt_sample(r.rtt, rtt);
    if (none_again)
        r.rnr = 0;
    r.ce += marks;
    r.hint = newer ? a.hint : r.hint;
    r.heard = k->now;
    r.backoff = 0;
    r.silent = 0;
    t.marks += marks;
    t.lost += (u(32))ring_count(gone);
    t.acks++;
    if (a.closed) {
        r.state = MR_TELEST_MOVING;
        t.moved += (u(32))ring_count(k->missing);
        mr_put(k->job, (struct move){.conn = r.conn, .path = r.path, .row = k->row, .base = a.psn,
            .left = k->missing, .since = k->now});
    } else if (r.state == MR_TELEST_TRIAL) {
        r.state = MR_TELEST_LIVE;
    }
    k->lost = gone;
    ack_put(p, r, t);
    p->alive = true;
    p->conn = r.conn;
    if (sample && k->rtt.ready)
        mr_put(k->rtt, (struct rtt_note){.row = k->row, .rtt = rtt});
    mr_put(k->credit, (struct credit){.conn = r.conn, .row = k->row, .una = a.psn, .freed = freed,
        .cwnd = r.cc.cwnd, .marked = marks != 0, .live = r.state == MR_TELEST_LIVE,
        .hint = newer ? a.hint : (u(32))0, .srtt = r.rtt.srtt, .after = k->reported + (u(16))freed});
    if (freed != 0)
        ack_report(k);
    ack_asks(k, freed > 1, may_lose);
}

/** Reports what has arrived, or failed, one number in a step. */
MR_INLINE void ack_newly(struct tx_ack *k)
{
    bool more = (k->newly & (k->newly - 1)) != 0;

    if (k->newly != 0 && !k->slot.ready)
        return;
    if (k->newly != 0)
        ack_report(k);
    ack_asks(k, more, k->lost != 0);
}

/** Asks for what is lost, one number in a step. */
MR_INLINE void ack_lost(struct tx_ack *k)
{
    struct ack_row r = ack_row_of(k);
    ring_t rest = k->lost & (k->lost - 1);

    if (k->lost != 0 && !k->again.ready)
        return;
    if (k->lost != 0)
        mr_put(k->again, (struct slot_req){.conn = r.conn, .path = r.path, .row = k->row,
            .epoch = r.epoch, .psn = ring_psn(k->base, ring_lowest(k->lost)), .why = SLOT_RESEND});
    // Empty only right after ACK_JUDGE, where it is too late to tell.
    k->state = k->lost == 0 || rest == 0 ? (u(4))ACK_IDLE : (u(4))ACK_LOST;
    k->lost = rest;
}

/** Holds a number back: the first one of the path that is held says for how long. */
MR_INLINE struct ack_row ack_hold(struct tx_ack *k, struct ack_row r, psn_t psn)
{
    ring_t one = ring_one(psn);

    if (r.held == 0) {
        r.held_until = k->now + (k->rnr_min << (u(32))r.rnr);
        r.rnr += (u(4))(r.rnr != ACK_RNR_MAX);
    }
    r.held |= one;
    r.again &= ~one;
    r.again0 &= ~one;
    return r;
}

MR_INLINE void ack_on_note(struct tx_ack *k, struct ack_ports *p)
{
    struct ack_row r = ack_row_of(k);
    struct err_note n = k->note_r;
    psn_t at = n.psn - r.una;
    bool open = r.state == MR_TELEST_LIVE || r.state == MR_TELEST_CLOSING;
    bool due = open && n.epoch == r.epoch && at < (psn_t)(r.next - r.una) && !ring_has(r.acked, n.psn);

    k->cnt_rx_errors++;
    if (due)
        mr_put(k->slot, (struct slot_req){.conn = r.conn, .row = k->row, .psn = n.psn, .why = SLOT_ERROR,
            .code = n.code});
    if (due && n.code == MR_ERR_RNR)
        ack_put(p, ack_hold(k, r, n.psn), ack_tele_of(k));
    k->reported += due;
    k->state = ACK_IDLE;
}

/** A failed path has nothing left: its next incarnation is tried. */
MR_INLINE void ack_on_over(struct tx_ack *k, struct ack_ports *p)
{
    struct ack_row r = ack_row_of(k);
    u(9) cwnd = r.cc.cwnd < k->cwnd_init ? r.cc.cwnd : (u(9))k->cwnd_init;

    k->state = ACK_IDLE;
    if (r.state != MR_TELEST_MOVING)
        return;
    r = (struct ack_row){.state = MR_TELEST_TRIAL, .epoch = r.epoch + 1, .conn = r.conn, .path = r.path,
        .cc = cc_init(cwnd), .rtt = r.rtt, .heard = k->now, .era = r.era, .lives = r.lives};
    ack_put(p, r, ack_tele_of(k));
    mr_put(k->ctl, (struct path_ctl){.what = WHAT_REOPEN, .conn = r.conn, .path = r.path, .row = k->row,
        .epoch = r.epoch, .cwnd = cwnd, .port = health_port(k->seed, k->row, k->now)});
}

MR_INLINE void ack_on_tele(struct tx_ack *k)
{
    struct ack_row r = ack_row_of(k);
    struct ack_tele t = ack_tele_of(k);
    bool silent = r.state == MR_TELEST_LIVE && r.silent != 0;
    bool dead = silent && (u(32))r.silent >= k->retry_max;
    u(8) state = dead ? (u(8))MR_TELEST_DEAD : silent ? (u(8))MR_TELEST_PROBING : (u(8))r.state;

    mr_put(k->tele_rsp, (struct tele_rsp){.bits = mr_tele_pack((struct mr_tele){
        .srtt = r.rtt.srtt, .rttvar = r.rtt.var, .cwnd = (u(16))r.cc.cwnd,
        .inflight = (u(16))ring_count(ring_range(r.una, r.next) & ~r.acked), .state = state,
        .epoch = r.epoch, .fails = t.fails, .packets = t.packets, .resent = t.resent, .marks = t.marks,
        .acks = t.acks, .probes = t.probes, .psn = (u(32))r.next, .una = (u(32))r.una, .hint = r.hint,
        .moved = t.moved, .bytes = t.bytes, .lost = t.lost})});
    k->state = ACK_IDLE;
}

/** What was held back for long enough is asked for again. */
MR_INLINE void ack_let_go(struct tx_ack *k, struct ack_ports *p, struct ack_row r)
{
    u(9) n = ring_count(r.held);

    k->lost = r.held;
    k->base = r.una;
    r.again |= r.held;
    r.held = 0;
    r.asked += n;
    k->asked += (u(10))n;
    ack_put(p, r, ack_tele_of(k));
    k->state = ACK_LOST;
}

/** The timer looks at a path. */
MR_INLINE void ack_on_scan(struct tx_ack *k, struct ack_ports *p)
{
    struct ack_row r = ack_row_of(k);
    bool held = r.state == MR_TELEST_LIVE && r.held != 0 && (u(32))(k->now - r.held_until) >> 31 == 0;

    if (k->untold && k->event.ready) {
        mr_put(k->event, (struct path_note){.type = MR_EVT_LOST});
        k->untold = false;
    }
    k->state = health_due(r, k->now, k->probe_min) ? (u(4))ACK_HEALTH : (u(4))ACK_IDLE;
    p->rd_alive = true;
    p->conn = r.conn;
    if (held && k->asked <= ACK_AGAIN_DEPTH - MR_WIRE_WINDOW)
        ack_let_go(k, p, r);
}

MR_INLINE void ack_ctl(struct tx_ack *k, struct ack_row r, u(2) what, bool dead)
{
    bool new_port = r.state != MR_TELEST_LIVE || (u(32))r.silent >= k->fail_min;

    mr_put(k->ctl, (struct path_ctl){.what = what, .conn = r.conn, .path = r.path, .row = k->row,
        .turn = (u(4))(r.silent + 1), .quiet = r.silent != 0, .dead = dead,
        .port = new_port ? health_port(k->seed, k->row, k->now) : (u(16))0});
}

/** The path has been silent for too long. */
MR_INLINE void ack_on_health(struct tx_ack *k, struct ack_ports *p)
{
    struct ack_row r = ack_row_of(k);
    struct ack_tele t = ack_tele_of(k);
    bool others = (u(32))(k->alive_q - r.probed) <= (u(32))(k->now - r.probed) && r.silent != 0;
    u(3) act = health_act(r, others, health_may_leave(r, k->now), k->fail_min, k->retry_max);
    bool dies = act == HEALTH_GIVE_UP && r.state == MR_TELEST_LIVE && !r.dead;

    if (act == HEALTH_LEAVE || dies)
        ack_tell(k, dies ? (u(3))MR_EVT_CONN_DEAD : (u(3))MR_EVT_PATH_DOWN, r);
    r.dead = r.dead || dies;

    k->state = ACK_IDLE;
    if (act == HEALTH_LEAVE) {
        r = health_leave(r, k->now);
        r.state = MR_TELEST_CLOSING;
        r.silent = r.backoff = 0;
        t.fails++;
        k->cnt_path_fails++;
    }
    if (act == HEALTH_GIVE_UP) {
        k->newly = ring_range(r.una, r.next) & ~r.acked;
        k->lost = 0;
        k->base = r.una;
        k->failing = true;
        k->state = ACK_NEWLY;
        if (r.state == MR_TELEST_CLOSING)
            r.state = MR_TELEST_DEAD;
    }
    if (r.state != MR_TELEST_DEAD)
        ack_ctl(k, r, r.state == MR_TELEST_CLOSING ? (u(2))WHAT_CLOSE : (u(2))WHAT_PROBE,
            act == HEALTH_GIVE_UP);
    t.probes += r.state == MR_TELEST_LIVE || r.state == MR_TELEST_TRIAL;
    r = health_count(r, k->now, k->fail_min);
    ack_put(p, r, t);
}

/** Reads the chosen event's row and writes that of the event which is carried out. */
MR_INLINE void ack_tables(struct tx_ack *k, row_ix at, struct ack_ports p)
{
    row_ix next = (row_ix)k->row;

    if (p.rd) {
        k->row_q = k->rows[next];
        k->tele_q = k->teles[next];
        k->row_by = p.row_new;
        k->tele_by = p.tele_new;
        k->by = p.row && at == next;
    }
    if (p.rd_alive)
        k->alive_q = k->alive[(conn_ix)p.conn];
    if (p.row) {
        k->rows[at] = p.row_new;
        k->teles[at] = p.tele_new;
    }
    if (p.alive)
        k->alive[(conn_ix)p.conn] = k->now;
}

MR_KERNEL(tx_ack)
{
    struct ack_ports p = {0};
    u(4) state = k->state;
    row_ix at = (row_ix)k->row;

    switch ((unsigned)state) {
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
    case ACK_NOTE: ack_on_note(k, &p); break;
    case ACK_OVER: ack_on_over(k, &p); break;
    case ACK_TELE: ack_on_tele(k); break;
    case ACK_SCAN: ack_on_scan(k, &p); break;
    default: ack_on_health(k, &p); break;
    }
    // A configuration waits until nothing is under way.
    if ((state == ACK_SENT || state == ACK_JUDGE || state == ACK_NEWLY || state == ACK_LOST) &&
        k->state == ACK_IDLE && !k->cfg.valid)
        ack_pick_busy(k, &p);
    ack_tables(k, at, p);
}
