// SPDX-License-Identifier: BSD-2-Clause
#include "tx_seg/tx_seg.h"

enum seg_state {
    SEG_IDLE,
    SEG_STOP,
    SEG_SENT,
    SEG_BLOCKED,
    SEG_WAKE,
    SEG_WAKE_PUSH,
    SEG_WAKE_MORE,
    SEG_MSG,
    SEG_TURN,
    SEG_PACKET,
};

typedef u(MR_STREAMS_LOG2) stream_ix;
typedef u(MR_CONNS_LOG2) conn_ix;
typedef u(MR_STREAMS_LOG2 + 1) place_ix;

/** What a step reads and writes: one read and one write port per table. */
struct seg_ports {
    bool rd;               // rows, nexts, waits, mtus, msgs
    stream_ix rd_stream;
    conn_ix rd_conn;
    u(1) rd_slot;
    bool row;              // rows
    stream_ix row_at;
    struct seg_row row_new;
    bool wait;             // waits
    conn_ix wait_at;
    struct seg_wait wait_new;
    bool next;             // nexts
    stream_ix next_at;
    u(16) next_new;
    bool push;             // ring
    struct seg_turn push_new;
};

MR_INLINE place_ix seg_place(stream_ix stream, u(1) slot)
{
    return (place_ix)((place_ix)stream << (place_ix)1) | (place_ix)slot;
}

MR_INLINE void seg_config(struct tx_seg *k, struct seg_ports *p)
{
    struct cfg_write c = k->cfg.data;

    mr_take(k->cfg);
    if (c.table == MR_TBL_CONN) {
        struct mr_conn conn = mr_conn_unpack(c.bits);
        u(16) mtu = conn.mtu | 0x1000;  // never without a limit
        k->mtus[(conn_ix)c.index] = (u(4))__builtin_ctzg(mtu);
        p->wait = true;
        p->wait_at = (conn_ix)c.index;
        p->wait_new = (struct seg_wait){0};
    } else if (c.table == MR_TBL_STREAM) {
        p->row = true;
        p->row_at = (stream_ix)c.index;
        p->row_new = (struct seg_row){0};
    }
}

MR_INLINE u(4) seg_verdict_state(u(2) kind)
{
    return kind == VERDICT_SENT ? SEG_SENT : kind == VERDICT_BLOCKED ? SEG_BLOCKED : SEG_WAKE;
}

/**
 * Chooses the next event and begins its table reads. An event is begun only when
 * there is room for what it gives: so tx_seg never waits inside one, and the
 * loops through tx_path, tx_sched and tx_cpl cannot lock up.
 */
MR_INLINE void seg_pick(struct tx_seg *k, struct seg_ports *p)
{
    if (k->stop.valid) {
        mr_take(k->stop);
        k->stream = k->stop.data.stream;
        k->state = SEG_STOP;
    } else if (k->verdict.valid && k->cut.ready) {
        mr_take(k->verdict);
        k->stream = k->verdict.data.stream;
        k->conn = k->verdict.data.conn;
        k->len = k->verdict.data.len;
        k->last = k->verdict.data.last;
        k->state = seg_verdict_state(k->verdict.data.kind);
    } else if (k->msg.valid && k->start.ready) {
        mr_take(k->msg);
        k->msg_r = k->msg.data;
        k->stream = k->msg.data.stream;
        k->conn = k->msg.data.conn;
        k->state = SEG_MSG;
    } else if ((k->head != k->tail || k->full) && k->pkt.ready) {
        k->turn_q = k->ring[k->head];
        k->head++;
        k->full = false;
        k->state = SEG_TURN;
        return;
    } else {
        return;
    }
    p->rd = true;
    p->rd_stream = (stream_ix)k->stream;
    p->rd_conn = (conn_ix)k->conn;
}

MR_INLINE void seg_put_row(struct tx_seg *k, struct seg_ports *p, struct seg_row r)
{
    p->row = true;
    p->row_at = (stream_ix)k->stream;
    p->row_new = r;
    k->state = SEG_IDLE;
}

/** Back into the ring if there is more, else out of it. */
MR_INLINE void seg_requeue(struct tx_seg *k, struct seg_ports *p, struct seg_row r)
{
    r.queued = r.count != 0;
    p->push = r.queued;
    p->push_new = (struct seg_turn){.stream = (stream_ix)k->stream, .slot = r.slot};
    seg_put_row(k, p, r);
}

MR_INLINE void seg_on_sent(struct tx_seg *k, struct seg_ports *p)
{
    struct seg_row r = k->row_q;

    r.offset += k->len;
    if (k->last && r.count != 0) {
        r.offset = 0;
        r.slot ^= 1;
        r.count--;
        mr_put(k->cut, (struct stream_id){.stream = k->stream});
    }
    if (r.stopped)
        r.count = 0;
    seg_requeue(k, p, r);
}

/** No window: the stream goes behind the others of its connection. */
MR_INLINE void seg_on_blocked(struct tx_seg *k, struct seg_ports *p)
{
    struct seg_wait q = k->wait_q;

    p->next = q.some;
    p->next_at = (stream_ix)q.tail;
    p->next_new = k->stream;
    q.head = q.some ? q.head : k->stream;
    q.tail = k->stream;
    q.some = true;
    p->wait = true;
    p->wait_at = (conn_ix)k->conn;
    p->wait_new = q;
    k->state = SEG_IDLE;
}

/** A window opened: all that waited go into the ring, one in two steps. */
MR_INLINE void seg_on_wake(struct tx_seg *k, struct seg_ports *p, struct seg_wait q)
{
    if (!q.some) {  // the queue is, or has become, empty
        p->wait = true;
        p->wait_at = (conn_ix)k->conn;
        p->wait_new = (struct seg_wait){0};
        k->state = SEG_IDLE;
        return;
    }
    k->wait = q;
    p->rd = true;
    p->rd_stream = (stream_ix)q.head;
    p->rd_conn = (conn_ix)k->conn;
    k->state = SEG_WAKE_PUSH;
}

MR_INLINE void seg_on_wake_push(struct tx_seg *k, struct seg_ports *p)
{
    p->push = true;
    p->push_new = (struct seg_turn){.stream = (stream_ix)k->wait.head, .slot = k->row_q.slot};
    k->wait.some = k->wait.head != k->wait.tail;
    k->wait.head = k->next_q;
    k->state = SEG_WAKE_MORE;
}

MR_INLINE u(24) seg_packets(u(32) length, u(4) mtu_log2)
{
    u(33) up = (u(33))length + (((u(33))1 << (u(33))mtu_log2) - (u(33))1);
    u(24) n = (u(24))(up >> (u(33))mtu_log2);
    return n == 0 ? (u(24))1 : n;
}

MR_INLINE void seg_on_msg(struct tx_seg *k, struct seg_ports *p)
{
    struct seg_row r = k->row_q;
    struct msg m = k->msg_r;

    mr_put(k->start, (struct start){.stream = m.stream, .msg = m.msg,
        .packets = seg_packets(m.length, k->mtu_q), .widx = m.widx, .opcode = m.opcode,
        .length = m.length, .signaled = (m.flags & MR_WQEF_SIGNALED) != 0, .err = m.err});
    // A refused entry ends the stream; tx_cpl says so to everybody else.
    r.stopped |= m.err != 0;
    if (!r.stopped)
        r.count++;
    if (r.queued || r.count == 0)
        seg_put_row(k, p, r);
    else
        seg_requeue(k, p, r);
}

/** The packet that the stream's turn is for. */
MR_INLINE struct pkt seg_packet(struct seg_msg s, u(32) offset)
{
    struct msg m = s.m;
    u(32) rest = m.length - offset;
    u(13) mtu = (u(13))1 << (u(13))s.mtu_log2;
    bool last = rest <= mtu;

    return (struct pkt){.conn = m.conn, .stream = m.stream, .peer = m.peer, .pd = m.pd,
        .msg = m.msg, .offset = offset, .msg_len = m.length, .len = last ? (u(13))rest : mtu,
        .opcode = m.opcode, .flags = last ? (u(8))MR_FLAG_LAST : (u(8))0,
        .raddr = m.raddr + offset, .rkey = m.rkey, .imm = m.imm, .laddr = m.laddr + offset,
        .lkey = m.lkey};
}

MR_INLINE void seg_on_packet(struct tx_seg *k, struct seg_ports *p)
{
    struct seg_row r = k->row_q;

    if (r.stopped || r.count == 0) {
        r.queued = false;
        r.count = 0;
        seg_put_row(k, p, r);
    } else {
        mr_put(k->pkt, seg_packet(k->msg_q, r.offset));
        k->state = SEG_IDLE;
    }
}

/** Carries out the reads, then the writes. */
MR_INLINE void seg_tables(struct tx_seg *k, struct seg_ports p, bool msg_write)
{
    if (p.rd) {
        k->row_q = k->rows[p.rd_stream];
        k->next_q = k->nexts[p.rd_stream];
        k->wait_q = k->waits[p.rd_conn];
        k->mtu_q = k->mtus[p.rd_conn];
        k->msg_q = k->msgs[seg_place(p.rd_stream, p.rd_slot)];
    }
    if (p.row)
        k->rows[p.row_at] = p.row_new;
    if (p.next)
        k->nexts[p.next_at] = p.next_new;
    if (p.wait)
        k->waits[p.wait_at] = p.wait_new;
    if (msg_write)
        k->msgs[seg_place((stream_ix)k->msg_r.stream, k->msg_r.slot)] =
            (struct seg_msg){.m = k->msg_r, .mtu_log2 = k->mtu_q};
    if (p.push) {
        k->ring[k->tail] = p.push_new;
        k->tail++;
        k->full = k->tail == k->head;
    }
}

MR_KERNEL(tx_seg)
{
    struct seg_ports p = {0};
    bool msg_write = k->state == SEG_MSG;
    struct seg_row stopped = k->row_q;

    stopped.stopped = true;
    switch ((unsigned)k->state) {
    case SEG_IDLE:
        if (k->cfg.valid)
            seg_config(k, &p);
        else
            seg_pick(k, &p);
        break;
    case SEG_STOP: seg_put_row(k, &p, stopped); break;
    case SEG_SENT: seg_on_sent(k, &p); break;
    case SEG_BLOCKED: seg_on_blocked(k, &p); break;
    case SEG_WAKE: seg_on_wake(k, &p, k->wait_q); break;
    case SEG_WAKE_MORE: seg_on_wake(k, &p, k->wait); break;
    case SEG_WAKE_PUSH: seg_on_wake_push(k, &p); break;
    case SEG_MSG: seg_on_msg(k, &p); break;
    case SEG_TURN:
        k->stream = (u(16))k->turn_q.stream;
        p.rd = true;
        p.rd_stream = k->turn_q.stream;
        p.rd_slot = k->turn_q.slot;
        k->state = SEG_PACKET;
        break;
    default: seg_on_packet(k, &p); break;
    }
    seg_tables(k, p, msg_write);
}
