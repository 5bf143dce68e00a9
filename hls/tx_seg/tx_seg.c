// SPDX-License-Identifier: BSD-2-Clause
#include "tx_seg/tx_seg.h"

enum seg_event {
    SEG_NONE,
    SEG_STREAM,  // configuration
    SEG_CONN,
    SEG_OTHER,
    SEG_STOP,
    SEG_HOLD,
    SEG_ANSWERED,
    SEG_SENT,
    SEG_BLOCKED,
    SEG_WAKE,
    SEG_MSG,
    SEG_RSP,
    SEG_TURN,
};

typedef u(MR_STREAMS_LOG2 + 1) stream_ix;  // a row
typedef u(MR_CONNS_LOG2) conn_ix;
typedef u(MR_STREAMS_LOG2 + 1 + MR_AHEAD_LOG2) place_ix;
typedef u(MR_STREAMS_LOG2 + 2) ring_ix;

/** The event that is carried out. */
struct seg_now {
    u(4) event;
    stream_ix stream;
    conn_ix conn;
    struct seg_row r;
    struct seg_conn c;
};

/** What a step reads and writes: one read and one write port per table. */
struct seg_ports {
    bool rd;             // rows, conns, msgs: of the event that was chosen
    u(MR_AHEAD_LOG2) rd_slot;
    bool draw;           // ring
    ring_ix draw_at;
    bool rd_next;        // nexts
    stream_ix rd_next_at;
    bool row;            // rows: r of the event
    bool conn;           // conns: c of the event
    bool msg;            // msgs: from the input
    bool next;           // nexts
    stream_ix next_at;
    struct seg_node next_new;
    bool push;           // ring
    bool push_now;       // this round's
    struct seg_turn push_new;
};

MR_INLINE place_ix seg_place(stream_ix stream, u(MR_AHEAD_LOG2) slot)
{
    return (place_ix)((place_ix)stream << (place_ix)MR_AHEAD_LOG2) | (place_ix)slot;
}

/** A stream's row, of its messages or of its responses. */
MR_INLINE u(16) seg_at(u(16) stream, bool rsp)
{
    return (u(16))(stream_ix)(stream & (u(16))(MR_STREAMS - 1)) | (rsp ? (u(16))MR_STREAMS : (u(16))0);
}

MR_INLINE bool seg_is_verdict(u(4) event)
{
    return event == SEG_SENT || event == SEG_BLOCKED || event == SEG_WAKE;
}

/* ---- choice of the event ---- */

MR_INLINE void seg_begin(struct tx_seg *k, struct seg_ports *p, u(4) event, u(16) stream, u(16) conn)
{
    k->event = event;
    k->stream = stream;
    k->conn = conn;
    p->rd = true;
}

MR_INLINE void seg_pick_cfg(struct tx_seg *k, struct seg_ports *p)
{
    struct cfg_write c = k->cfg.data;
    u(4) event = c.table == MR_TBL_STREAM ? (u(4))SEG_STREAM : c.table == MR_TBL_CONN ? (u(4))SEG_CONN
                                                                                      : (u(4))SEG_OTHER;
    seg_begin(k, p, event, event == SEG_STREAM ? seg_at(c.index, k->half) : c.index, c.index);
}

MR_INLINE void seg_pick_verdict(struct tx_seg *k, struct seg_ports *p)
{
    struct verdict v = k->verdict.data;
    u(4) event = v.kind == VERDICT_SENT      ? (u(4))SEG_SENT
                 : v.kind == VERDICT_BLOCKED ? (u(4))SEG_BLOCKED
                                             : (u(4))SEG_WAKE;
    seg_begin(k, p, event, seg_at(v.stream, v.rsp), v.conn);
}

/**
 * An event is begun only when there is room for what it gives: so tx_seg never
 * waits inside one, and the loops through tx_path, tx_sched and tx_cpl cannot
 * lock up. `before` is being carried out: its item has not left the FIFO yet.
 */
MR_INLINE void seg_pick(struct tx_seg *k, struct seg_ports *p, u(4) before)
{
    k->event = SEG_NONE;
    if (before == SEG_STREAM || before == SEG_CONN || before == SEG_OTHER)
        return;
    if (k->cfg.valid) {
        seg_pick_cfg(k, p);
    } else if (k->stop.valid && before != SEG_STOP) {
        seg_begin(k, p, SEG_STOP, k->stop.data.stream, 0);
    } else if (k->verdict.valid && k->cut.ready && k->rcut.ready && !seg_is_verdict(before)) {
        seg_pick_verdict(k, p);
    } else if (k->rsp.valid && before != SEG_RSP) {
        seg_begin(k, p, SEG_RSP, seg_at(k->rsp.data.stream, true), k->rsp.data.conn);
    } else if (k->msg.valid && k->start.ready && before != SEG_MSG) {
        seg_begin(k, p, SEG_MSG, k->msg.data.stream, k->msg.data.conn);
    } else if (k->hold.valid && before != SEG_HOLD) {
        seg_begin(k, p, SEG_HOLD, k->hold.data.stream, k->hold.data.conn);
    } else if (k->answered.valid && before != SEG_ANSWERED) {
        seg_begin(k, p, SEG_ANSWERED, k->answered.data.stream, k->answered.data.conn);
    } else if (k->turn_ok && k->pkt.ready && k->cut.ready && k->op.ready) {
        k->turn_ok = false;
        p->rd_slot = k->turn_q.node.slot;
        seg_begin(k, p, SEG_TURN, (u(16))k->turn_q.node.stream, (u(16))k->turn_q.conn);
    }
}

/* ---- rings ---- */

/** Draws the next turn, or ends the round. */
MR_INLINE void seg_draw(struct tx_seg *k, struct seg_ports *p, u(4) before)
{
    struct seg_ring now = k->round ? k->ring1 : k->ring0;
    struct seg_ring then = k->round ? k->ring0 : k->ring1;

    if (now.n != 0) {
        p->draw = true;
        p->draw_at = ((ring_ix)k->round << (ring_ix)(MR_STREAMS_LOG2 + 1)) | (ring_ix)now.head;
        now.head++;
        now.n--;
        k->turn_ok = true;
        k->ring0 = k->round ? k->ring0 : now;
        k->ring1 = k->round ? now : k->ring1;
    } else if (then.n != 0 && (k->slow == 0 || (k->out == 0 && before != SEG_TURN))) {
        k->round = !k->round;
    }
}

MR_INLINE void seg_push(struct seg_ports *p, bool this_round, struct seg_node node, conn_ix conn)
{
    p->push = true;
    p->push_now = this_round;
    p->push_new = (struct seg_turn){.node = node, .conn = conn};
}

/** How fast tx_path answers. */
MR_INLINE void seg_watch(struct tx_seg *k, bool answered)
{
    if (answered || k->out == 0)
        k->quiet = 0;
    else if (k->quiet != SEG_QUIET)
        k->quiet++;
    if (k->quiet == SEG_QUIET)
        k->slow = SEG_SLOW;
    else
        k->slow -= k->slow != 0;
}

/* ---- where a stream goes ---- */

MR_INLINE void seg_append(struct seg_list *l, struct seg_ports *p, struct seg_node node)
{
    p->next = l->some;
    p->next_at = l->tail;
    p->next_new = node;
    l->head = l->some ? l->head : node;
    l->tail = node.stream;
    l->some = true;
}

MR_INLINE bool seg_waiting(struct seg_conn c)
{
    return c.front.some || c.main.some;
}

/** Enough went out without a refusal: those that wait may all come back. */
MR_INLINE bool seg_drains(struct seg_conn c)
{
    return c.ok == SEG_DRAIN && !c.shut;
}

/** The stream has more to send. */
MR_INLINE void seg_enter(struct seg_now *n, struct seg_ports *p, bool new_turn)
{
    struct seg_node node = {.stream = n->stream, .slot = n->r.slot};
    bool one_by_one = seg_waiting(n->c) || n->c.run || n->c.shut;

    if (!one_by_one || seg_drains(n->c))
        seg_push(p, !new_turn, node, n->conn);
    else if (new_turn)
        seg_append(&n->c.main, p, node);
    else
        seg_append(&n->c.front, p, node);
}

/** What came back is of the stream's former life, or the stream may not send any more. */
MR_INLINE void seg_rebirth(struct seg_now *n, struct seg_ports *p)
{
    bool alive = n->r.stale && !n->r.stopped && n->r.count != 0;

    if (alive)
        seg_push(p, false, (struct seg_node){.stream = n->stream, .slot = n->r.slot}, (conn_ix)n->r.conn);
    else if (n->r.stopped)
        n->r.count = 0;
    n->r.queued = alive;
    n->r.stale = false;
}

MR_INLINE void seg_back(struct seg_now *n)
{
    if (n->c.runner == n->stream)
        n->c.run = false;
}

/** The turn is over: what was sent too much counts for the next one. */
MR_INLINE bool seg_turn_over(struct seg_now *n)
{
    u(21) quantum = (u(21))(n->r.weight == 0 ? (u(8))1 : n->r.weight) << (u(21))n->c.mtu_log2;
    bool over = n->r.spent >= quantum;

    n->r.spent -= over ? quantum : (u(21))0;
    return over;
}

/** A connection lets a stream go: the first of those in the midst of a turn, else the first. */
MR_INLINE void seg_release(struct tx_seg *k, struct seg_now *n, struct seg_ports *p)
{
    struct seg_conn c = k->conn_by;
    bool front = c.front.some;
    struct seg_list l = front ? c.front : c.main;

    seg_push(p, front, l.head, k->conn_by_at);
    c.run = !seg_drains(c);
    c.runner = l.head.stream;
    l.some = l.head.stream != l.tail;
    l.head = k->next_by_ok ? k->next_by : k->next_q;
    c.front = front ? l : c.front;
    c.main = front ? c.main : l;
    n->c = c;
    n->conn = k->conn_by_at;
    p->conn = true;
}

/* ---- events ---- */

MR_INLINE void seg_on_stream(struct tx_seg *k, struct seg_now *n, struct seg_ports *p)
{
    struct mr_stream s = mr_stream_unpack((u(256))k->cfg.data.bits);
    bool queued = n->r.queued && k->live;

    if (k->half)
        mr_take(k->cfg);
    p->row = true;
    n->r = (struct seg_row){.conn = s.conn, .peer = s.peer, .pd = s.pd, .life = k->cfg.data.life, .weight = s.weight,
        .stopped = s.state != 1, .queued = queued, .stale = queued};
    if (n->stream == 2 * MR_STREAMS - 1)
        k->live = true;
    k->half = !k->half;
}

MR_INLINE void seg_on_conn(struct tx_seg *k, struct seg_now *n, struct seg_ports *p)
{
    struct mr_conn conn = mr_conn_unpack(k->cfg.data.bits);

    mr_take(k->cfg);
    p->conn = true;
    if (!k->live)
        n->c = (struct seg_conn){0};
    n->c.open = conn.state == 1;
    n->c.one = conn.npaths <= MR_GROUP;
    n->c.group = conn.group;
    n->c.mtu_log2 = (u(4))__builtin_ctzg((u(16))(conn.mtu | 0x1000));  // never without a limit
    n->c.shut = false;
    n->c.ok = 0;
}

/** Tells of cut messages, several at once while more are here. */
MR_INLINE void seg_tell(struct tx_seg *k, struct seg_now *n, u(16) stream, bool rsp)
{
    struct stream_count c = {.stream = stream, .n = n->r.cuts};

    if (n->r.cuts < SEG_CUTS && (n->r.cuts == 0 || n->r.count != 0))
        return;
    if (rsp)
        mr_put(k->rcut, c);
    else
        mr_put(k->cut, c);
    n->r.cuts = 0;
}

/** A packet went out. */
MR_INLINE void seg_on_sent(struct tx_seg *k, struct seg_now *n, struct seg_ports *p)
{
    struct verdict v = k->verdict.data;

    k->out--;
    seg_back(n);
    n->c.ok += n->c.ok != SEG_DRAIN;
    if (n->r.stale) {
        seg_rebirth(n, p);
        return;
    }
    n->r.spent += v.len;
    n->r.offset += v.len;
    if (v.last && n->r.count != 0) {
        n->r.offset = 0;
        n->r.slot++;
        n->r.count--;
        n->r.cuts++;
    }
    n->r.asks += v.asks && !v.rsp;
    seg_tell(k, n, v.stream, v.rsp);
    if (n->r.stopped)
        n->r.count = 0;
    n->r.queued = n->r.count != 0;
    if (n->r.queued)
        seg_enter(n, p, seg_turn_over(n));
}

/** No window. */
MR_INLINE void seg_on_blocked(struct tx_seg *k, struct seg_now *n, struct seg_ports *p)
{
    k->out--;
    seg_back(n);
    n->c.shut = true;
    n->c.ok = 0;
    if (n->r.stale || n->r.stopped || n->r.count == 0 || !n->c.open)
        seg_rebirth(n, p);
    else
        seg_enter(n, p, false);
}

MR_INLINE u(24) seg_packets(u(32) length, u(4) mtu_log2)
{
    u(33) up = (u(33))length + (((u(33))1 << (u(33))mtu_log2) - (u(33))1);
    u(24) n = (u(24))(up >> (u(33))mtu_log2);
    return n == 0 ? (u(24))1 : n;
}

MR_INLINE bool seg_asks(u(8) opcode)
{
    return opcode == MR_OP_READ || opcode == MR_OP_CMP_SWAP || opcode == MR_OP_FETCH_ADD;
}

MR_INLINE bool seg_local(u(8) opcode)
{
    return opcode == MR_OP_BIND_WINDOW || opcode == MR_OP_LOCAL_INV;
}

/** The row has a message more. */
MR_INLINE void seg_add(struct seg_now *n, struct seg_ports *p)
{
    if (n->r.stopped)
        return;
    n->r.count++;
    if (!n->r.queued && !n->r.parked) {
        n->r.queued = true;
        if (!seg_turn_over(n))
            n->r.spent = 0;
        seg_enter(n, p, true);
    }
}

MR_INLINE void seg_on_msg(struct tx_seg *k, struct seg_now *n, struct seg_ports *p)
{
    struct msg m = k->msg.data;

    mr_take(k->msg);
    // The answer counts as a packet more.
    mr_put(k->start, (struct start){.stream = m.stream, .life = n->r.life, .msg = m.msg,
        .packets = seg_asks(m.opcode)    ? (u(24))2
                   : seg_local(m.opcode) ? (u(24))1
                                         : seg_packets(m.length, n->c.mtu_log2), .widx = m.widx,
        .opcode = m.opcode, .length = m.length, .signaled = (m.flags & MR_WQEF_SIGNALED) != 0, .err = m.err});
    p->msg = true;
    // A refused entry ends the stream; tx_cpl says so to everybody else.
    n->r.stopped |= m.err != 0;
    seg_add(n, p);
}

MR_INLINE void seg_on_rsp(struct tx_seg *k, struct seg_now *n, struct seg_ports *p)
{
    mr_take(k->rsp);
    p->msg = true;
    seg_add(n, p);
}

/** It goes on where it was parked, if nothing else keeps it. */
MR_INLINE void seg_unpark(struct seg_now *n, struct seg_ports *p)
{
    if (!n->r.parked || n->r.held)
        return;
    n->r.parked = false;
    n->r.queued = n->r.count != 0 && !n->r.stopped;
    if (n->r.queued)
        seg_enter(n, p, false);
}

MR_INLINE void seg_on_hold(struct tx_seg *k, struct seg_now *n, struct seg_ports *p)
{
    mr_take(k->hold);
    n->r.held = k->hold.data.on;
    seg_unpark(n, p);
}

MR_INLINE void seg_on_answered(struct tx_seg *k, struct seg_now *n, struct seg_ports *p)
{
    struct answered a = k->answered.data;

    mr_take(k->answered);
    n->r.go |= a.go;
    n->r.asks -= !a.go && n->r.asks != 0;
    n->r.barrier &= n->r.asks != 0;
    seg_unpark(n, p);
}

/** The packet that the stream's turn is for. */
MR_INLINE struct pkt seg_packet(struct seg_msg m, struct seg_now n)
{
    u(32) offset = n.r.offset;
    bool asks = seg_asks(m.opcode);
    bool atomic = asks && m.opcode != MR_OP_READ;
    u(32) rest = asks ? (u(32))0 : m.length - offset;
    u(13) mtu = (u(13))1 << (u(13))n.c.mtu_log2;
    bool last = rest <= mtu;
    u(8) flags = (last ? (u(8))MR_FLAG_LAST : (u(8))0) |
                 (last && m.solicited ? (u(8))MR_FLAG_SOLICITED : (u(8))0);

    return (struct pkt){.row = (u(16))(n.c.group << MR_GROUP_LOG2), .one = n.c.one, .conn = n.r.conn,
        .stream = (u(16))n.stream & (u(16))(MR_STREAMS - 1), .rsp = (n.stream >> MR_STREAMS_LOG2) != 0,
        .life = n.r.life, .peer = n.r.peer, .pd = n.r.pd, .msg = m.msg, .offset = offset,
        .msg_len = atomic ? (u(32))0 : m.length, .len = last ? (u(13))rest : mtu,
        .opcode = m.opcode, .flags = flags, .raddr = m.raddr + offset, .rkey = m.rkey, .imm = m.imm,
        .laddr = m.laddr + offset, .lkey = m.lkey, .match = m.match, .list = m.list, .bus = m.bus};
}

/** Must the message wait, for a receive, for answers, or for what is in front of it? */
MR_INLINE bool seg_waits(struct seg_msg m, struct seg_row r)
{
    return r.held || r.barrier || (m.fence && r.offset == 0 && r.asks != 0) || (seg_local(m.opcode) && !r.go);
}

/** A local operation goes to keys; the stream goes on with what is behind it, which waits. */
MR_INLINE void seg_on_local(struct tx_seg *k, struct seg_msg m, struct seg_now *n, struct seg_ports *p)
{
    bool bind = m.opcode == MR_OP_BIND_WINDOW;

    mr_put(k->op, (struct key_op){.stream = (u(16))n->stream, .pd = n->r.pd, .msg = m.msg, .bind = bind,
        .key = bind ? m.rkey : m.imm, .region = m.lkey, .rights = (u(8))m.imm, .addr = m.laddr, .len = m.length});
    seg_back(n);
    n->r.go = false;
    n->r.barrier = true;
    n->r.asks++;
    n->r.slot++;
    n->r.count--;
    n->r.cuts++;
    seg_tell(k, n, (u(16))n->stream, false);
    n->r.queued = n->r.count != 0;
    if (n->r.queued)
        seg_enter(n, p, false);
}

MR_INLINE void seg_on_turn(struct tx_seg *k, struct seg_msg m, struct seg_now *n, struct seg_ports *p)
{
    if (n->r.stale || n->r.stopped || n->r.count == 0 || !n->c.open) {
        seg_back(n);
        seg_rebirth(n, p);
    } else if (seg_waits(m, n->r)) {
        seg_back(n);
        n->r.queued = false;
        n->r.parked = true;
    } else if (seg_local(m.opcode)) {
        seg_on_local(k, m, n, p);
    } else if (n->c.shut) {
        seg_back(n);
        seg_enter(n, p, false);
    } else {
        mr_put(k->pkt, seg_packet(m, *n));
        k->out++;
    }
}

MR_INLINE void seg_exec(struct tx_seg *k, struct seg_msg m, struct seg_now *n, struct seg_ports *p)
{
    p->row = p->conn = n->event >= SEG_HOLD && n->event != SEG_WAKE;
    switch ((unsigned)n->event) {
    case SEG_STREAM: seg_on_stream(k, n, p); break;
    case SEG_CONN: seg_on_conn(k, n, p); break;
    case SEG_OTHER: mr_take(k->cfg); break;
    case SEG_STOP:
        mr_take(k->stop);
        n->r.stopped = true;
        p->row = true;
        break;
    case SEG_HOLD: seg_on_hold(k, n, p); break;
    case SEG_ANSWERED: seg_on_answered(k, n, p); break;
    case SEG_RSP: seg_on_rsp(k, n, p); break;
    case SEG_SENT: seg_on_sent(k, n, p); break;
    case SEG_BLOCKED: seg_on_blocked(k, n, p); break;
    case SEG_WAKE:
        n->c.shut = false;
        p->conn = true;
        break;
    case SEG_MSG: seg_on_msg(k, n, p); break;
    default: seg_on_turn(k, m, n, p); break;
    }
    if (seg_is_verdict(n->event))
        mr_take(k->verdict);
    k->release = p->conn && seg_waiting(n->c) && (!n->c.run || seg_drains(n->c)) &&
                 (!n->c.shut || !n->c.open);
    p->rd_next = k->release;
    p->rd_next_at = n->c.front.some ? n->c.front.head.stream : n->c.main.head.stream;
}

/* ---- tables ---- */

MR_INLINE void seg_reads(struct tx_seg *k, struct seg_ports p)
{
    if (p.draw)
        k->turn_q = k->ring[p.draw_at];
    if (p.rd) {
        k->row_q = k->rows[(stream_ix)k->stream];
        k->conn_q = k->conns[(conn_ix)k->conn];
        k->msg_q = k->msgs[seg_place((stream_ix)k->stream, p.rd_slot)];
        k->row_by_ok = false;
        k->conn_by_ok = false;
    }
    if (p.rd_next) {
        k->next_q = k->nexts[p.rd_next_at];
        k->next_by = p.next_new;
        k->next_by_ok = p.next && p.next_at == p.rd_next_at;
    }
}

MR_INLINE void seg_ring_write(struct tx_seg *k, struct seg_ports p)
{
    bool one = p.push_now == k->round;
    struct seg_ring r = one ? k->ring1 : k->ring0;
    stream_ix tail = r.head + (stream_ix)r.n;

    k->ring[((ring_ix)one << (ring_ix)(MR_STREAMS_LOG2 + 1)) | (ring_ix)tail] = p.push_new;
    r.n++;
    k->ring0 = one ? k->ring0 : r;
    k->ring1 = one ? r : k->ring1;
}

MR_INLINE void seg_writes(struct tx_seg *k, struct seg_now n, struct seg_ports p)
{
    struct msg m = n.event == SEG_RSP ? k->rsp.data : k->msg.data;

    if (p.row) {
        k->rows[n.stream] = n.r;
        k->row_by = n.r;
        k->row_by_at = n.stream;
        k->row_by_ok = true;
    }
    if (p.conn) {
        k->conns[n.conn] = n.c;
        k->conn_by = n.c;
        k->conn_by_at = n.conn;
        k->conn_by_ok = true;
    }
    if (p.msg)
        k->msgs[seg_place(n.stream, m.slot)] = (struct seg_msg){.msg = m.msg, .opcode = m.opcode,
            .fence = (m.flags & MR_WQEF_FENCE) != 0, .solicited = (m.flags & MR_WQEF_SOLICITED) != 0,
            .list = m.list, .bus = m.bus, .match = m.match,
            .length = m.length, .raddr = m.raddr, .rkey = m.rkey, .imm = m.imm, .laddr = m.laddr,
            .lkey = m.lkey};
    if (p.next)
        k->nexts[p.next_at] = p.next_new;
    if (p.push)
        seg_ring_write(k, p);
}

MR_KERNEL(tx_seg)
{
    struct seg_ports p = {0};
    struct seg_msg m = k->msg_q;
    struct seg_now n = {.event = k->event, .stream = (stream_ix)k->stream, .conn = (conn_ix)k->conn};
    bool turn_ok = k->turn_ok;

    n.r = k->row_by_ok && k->row_by_at == n.stream ? k->row_by : k->row_q;
    n.c = k->conn_by_ok && k->conn_by_at == n.conn ? k->conn_by : k->conn_q;
    if (k->release) {
        n.event = SEG_NONE;
        k->release = false;
        seg_release(k, &n, &p);
    } else {
        seg_pick(k, &p, n.event);
        if (!turn_ok)
            seg_draw(k, &p, n.event);
        if (n.event != SEG_NONE)
            seg_exec(k, m, &n, &p);
    }
    seg_watch(k, n.event == SEG_SENT || n.event == SEG_BLOCKED);
    seg_reads(k, p);
    seg_writes(k, n, p);
}
