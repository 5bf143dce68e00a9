// SPDX-License-Identifier: BSD-2-Clause
#include "rx_recv/rx_recv.h"

#include "key.h"
#include "rx_recv/tables.h"

/** What the next step does. */
enum recv_state {
    RECV_IDLE,
    RECV_STREAM,   // packet: its stream has been read
    RECV_QUEUE,    // its queue, and the receive that it probably takes
    RECV_BOUND,    // the receive that it was bound to just now
    RECV_WALK,     // a scatter/gather entry per step
    RECV_CFG,      // the row that the host writes has been read
    RECV_RELEASED, // a closed stream's receive was chosen: mark it
    RECV_REQUEST,
    RECV_ENTRY,
    RECV_ENDED,    // the stream has been read
    RECV_USED,     // its queue
    RECV_OWED,     // a queue that has more to report
};

typedef u(MR_RECVS) recv_set;
typedef u(MR_MSGS) recv_msg_set;

MR_INLINE recv_set recv_one(recv_slot i)
{
    return (recv_set)1 << (recv_set)i;
}

MR_INLINE bool recv_has(recv_set s, recv_slot i)
{
    return (bool)((s >> (recv_set)i) & 1);
}

/* ---- receives that are used up ---- */

/** Is the queue's oldest receive used up, and not reported yet? */
MR_INLINE bool recv_ripe(struct recv_queue q)
{
    return recv_has(q.done, (recv_slot)q.gone);
}

/**
 * Writes the queue back. When its oldest receive is used up, that is reported, if
 * there is room; when there is more to report, the queue goes into the ring.
 */
MR_INLINE void recv_settle(struct rx_recv *k, struct recv_ports *p, recv_rq_ix rq, struct recv_queue q)
{
    if (recv_ripe(q) && !q.queued && k->freed.ready) {
        mr_put(k->freed, (struct rq_id){.rq = (u(16))rq});
        q.done &= ~recv_one((recv_slot)q.gone);
        q.gone++;
    }
    p->push = recv_ripe(q) && !q.queued;
    q.queued |= p->push;
    p->wr_queue = true;
    p->at_queue = rq;
    p->queue_new = q;
}

/** Marks a receive as used up, if the queue is still the one that it was taken from. */
MR_INLINE void recv_mark(struct rx_recv *k, struct recv_ports *p, u(16) index, bool same)
{
    struct recv_queue q = k->queue_q;

    if (same && q.open && (u(16))(index - (u(16))q.gone) < (u(16))(q.have - q.gone))
        q.done |= recv_one((recv_slot)index);
    recv_settle(k, p, (recv_rq_ix)k->rq, q);
}

/** The stream's end of a message has been seen; its queue has been read. */
MR_INLINE void recv_used(struct rx_recv *k, struct recv_ports *p)
{
    struct ended e = k->ended.data;
    struct recv_queue q = k->queue_q;
    bool held = (k->late || recv_has(k->count_q.bound, (recv_slot)e.match)) && k->bind_q.gen == q.gen &&
                k->bind_q.index == e.index;

    mr_take(k->ended);
    if (k->late && held)
        k->bound &= ~recv_one((recv_slot)e.match);
    recv_mark(k, p, e.index, q.shared ? held : e.index == (u(16))e.match);
    k->state = RECV_IDLE;
}

MR_INLINE void recv_ended(struct rx_recv *k, struct recv_ports *p)
{
    struct ended e = k->ended.data;
    struct recv_count c = k->count_q;
    // What was said of the stream before it was opened again is not of this one.
    bool recv = e.recv && k->stream_q.open && e.match == c.ended;
    bool late = e.recv && !k->stream_q.open && k->releasing && k->of == (recv_stream_ix)e.stream && recv_has(k->bound, (recv_slot)e.match);
    bool queue = late || (recv && k->stream_q.rq < MR_RQS);
    u(16) rq = late ? k->of_rq : k->stream_q.rq;

    if (e.request && k->req_q.msg == e.msg)
        c.flight &= ~((recv_msg_set)1 << (recv_msg_set)(recv_msg_slot)e.msg);
    if (recv) {
        c.ended++;
        c.bound &= ~recv_one((recv_slot)e.match);
    }
    k->late = late;
    p->wr_count = true;
    p->at_stream = (recv_stream_ix)e.stream;
    p->count_new = c;
    p->rd_queue = queue;
    p->queue = (recv_rq_ix)rq;
    k->rq = rq;
    k->state = queue ? RECV_USED : RECV_IDLE;
    if (!queue)
        mr_take(k->ended);
}

/** A queue from the ring: one receive is reported. */
MR_INLINE void recv_owed(struct rx_recv *k, struct recv_ports *p)
{
    struct recv_queue q = k->queue_q;

    q.queued = false;
    recv_settle(k, p, (recv_rq_ix)k->rq, q);
    k->state = RECV_IDLE;
}

/* ---- configuration, requests, receives ---- */

MR_INLINE void recv_config(struct rx_recv *k, struct recv_ports *p)
{
    struct cfg_write w = k->cfg.data;
    struct mr_stream s = mr_stream_unpack((u(256))w.bits);
    struct mr_rq r = mr_rq_unpack((u(128))w.bits);
    bool stream = w.table == MR_TBL_STREAM;

    mr_take(k->cfg);
    // What a reset left behind holds nothing.
    k->bound = stream && k->live && k->stream_q.rq < MR_RQS ? k->count_q.bound : (recv_set)0;
    k->releasing = k->bound != 0;
    k->of = (recv_stream_ix)w.index;
    k->of_rq = k->stream_q.rq;
    k->of_rcq = k->stream_q.rcq;
    p->wr_stream = p->wr_count = stream;
    p->at_stream = (recv_stream_ix)w.index;
    p->stream_new = (struct recv_stream){.open = s.state == 1, .rq = s.rq, .pd = s.pd, .rcq = s.rcq};
    p->wr_queue = !stream;
    p->at_queue = (recv_rq_ix)w.index;
    // A place in the ring stays until its turn comes; after a reset there are none.
    p->queue_new = (struct recv_queue){.open = r.state == 1, .shared = r.shared == 1, .pd = r.pd,
        .gen = k->queue_q.gen + (u(8))1, .queued = k->queue_q.queued && k->live_rq};
    k->live |= stream && w.index == MR_STREAMS - 1;
    k->live_rq |= !stream && w.index == MR_RQS - 1;
    k->took++;
    k->state = RECV_IDLE;
}

/** A stream was closed that held receives of a shared queue: the next of them. */
MR_INLINE void recv_release(struct rx_recv *k, struct recv_ports *p)
{
    recv_slot i = (recv_slot)__builtin_ctzg(k->bound, 0);

    k->bound &= ~recv_one(i);
    p->rd_bind = p->rd_queue = true;
    p->stream = k->of;
    p->match = i;
    p->queue = (recv_rq_ix)k->of_rq;
    k->rq = k->of_rq;
    k->state = RECV_RELEASED;
}

/** It is used up, and the program gets it back. */
MR_INLINE void recv_released(struct rx_recv *k, struct recv_ports *p)
{
    struct recv_queue q = k->queue_q;
    bool held = q.open && q.shared && k->bind_q.gen == q.gen;

    if (held && !k->cpl.ready)
        return;
    if (held)
        mr_put(k->cpl, (struct completion){.cq = k->of_rcq, .cqe = (struct mr_cqe){.wqe = k->bind_q.index,
            .stream = (u(24))k->of, .opcode = MR_OP_SEND, .flags = MR_CQEF_RECV, .status = MR_ERR_FLUSH}});
    k->cpls += held;
    recv_mark(k, p, k->bind_q.index, held);
    k->releasing = k->bound != 0;
    k->state = RECV_IDLE;
}

MR_INLINE void recv_request(struct rx_recv *k, struct recv_ports *p)
{
    struct request r = k->request.data;

    mr_take(k->request);
    p->wr_req = p->wr_count = true;
    p->at_stream = (recv_stream_ix)r.stream;
    p->at_msg = (recv_msg_slot)r.msg;
    p->req_new = (struct recv_req){.msg = r.msg, .atomic = r.opcode != MR_OP_READ, .length = r.length, .sges = r.sges};
    p->count_new = k->count_q;
    p->count_new.flight |= (recv_msg_set)1 << (recv_msg_set)(recv_msg_slot)r.msg;
    k->state = RECV_IDLE;
}

MR_INLINE void recv_entry(struct rx_recv *k, struct recv_ports *p)
{
    struct recv_entry e = k->entry.data;
    struct recv_queue q = k->queue_q;
    u(36) sum = 0;

    MR_UNROLL
    for (unsigned i = 0; i < MR_SGE_MAX; i++)
        sum += (u(36))mr_sge_unpack((u(128))(e.sges >> (u(2048))(128 * i))).len;
    mr_take(k->entry);
    // rx_rq does not read more than MR_RECVS; what it read before the queue was closed is dropped.
    p->wr_queue = p->wr_recv = q.open && e.rq < MR_RQS && (u(32))(q.have - q.gone) < MR_RECVS;
    p->at_queue = (recv_rq_ix)e.rq;
    p->at_recv = (recv_slot)q.have;
    p->recv_new = (struct recv_row){.sges = e.sges, .sum = (sum >> 32) != 0 ? ~(u(32))0 : (u(32))sum};
    p->queue_new = q;
    p->queue_new.have++;
    k->state = RECV_IDLE;
}

/* ---- packets ---- */

/** Does the packet need a receive or a request? */
MR_INLINE bool recv_looks(struct rx_seq q)
{
    bool op = q.opcode == MR_OP_SEND || q.opcode == MR_OP_SEND_IMM || q.opcode == MR_OP_SEND_INV ||
              q.opcode == MR_OP_WRITE_IMM || q.opcode == MR_OP_READ_RSP || q.opcode == MR_OP_ATOMIC_RSP;

    return op && q.kind == MR_KIND_DATA && !q.drop && q.err == 0;
}

/** The packet is ready: it leaves at the step's end, or waits in pkt_r. */
MR_INLINE void recv_leave(struct rx_recv *k, struct recv_ports *p, struct rx_seq q)
{
    p->leave = true;
    p->seq = q;
    k->state = RECV_IDLE;
}

MR_INLINE void recv_refuse(struct rx_recv *k, struct recv_ports *p, u(8) err)
{
    struct rx_seq q = k->pkt_r;

    q.err = err;
    q.pieces = 0;
    q.value = false;
    recv_leave(k, p, q);
}

/** Looks at the next scatter/gather entry; when the packet touches it, its key is read. */
MR_INLINE void recv_walk(struct rx_recv *k, struct recv_ports *p, u(2048) sges, u(32) skip, u(13) left)
{
    struct mr_sge s = mr_sge_unpack((u(128))sges);
    bool touched = left != 0 && skip < s.len;
    u(32) room = s.len - skip;
    u(13) len = room < (u(32))left ? (u(13))room : left;

    k->sges = sges >> 128;
    k->left_sges--;
    k->using = touched;
    k->use = (struct recv_use){.sge = (u(128))sges, .at = skip, .len = len};
    k->skip = touched ? (u(32))0 : skip - s.len;
    k->left = touched ? left - len : left;
    p->rd_key = touched;
    p->key = (recv_key_ix)(s.key >> 8);
    k->state = RECV_WALK;
}

/** Begins the walk over the receive or the request's memory. */
MR_INLINE void recv_begin(struct rx_recv *k, struct recv_ports *p, u(2048) sges, u(32) skip, u(13) left)
{
    k->n = 0;
    k->left_sges = MR_SGE_MAX;
    recv_walk(k, p, sges, skip, left);
}

/** The entry that was looked at before is checked; then the next one, or the packet leaves. */
MR_INLINE void recv_step(struct rx_recv *k, struct recv_ports *p)
{
    struct rx_seq q = k->pkt_r;
    struct mr_key e = mr_key_unpack(k->key_q);
    struct mr_sge s = mr_sge_unpack(k->use.sge);
    struct key_use use = {.key = s.key, .pd = k->stream_q.pd, .right = MR_RIGHT_LOCAL_WRITE, .addr = s.addr, .len = s.len};
    u(64) bus = e.bus + (s.addr + (u(64))k->use.at - e.va);
    bool bad = k->using && key_check(e, use) != KEY_OK;
    u(5) n = k->n + (u(5))k->using;

    // Memory that ends too early: a request whose list is short. An atomic's 8 bytes are in one piece.
    if (bad || (k->left != 0 && k->left_sges == 0) || (q.value && k->using && k->left != 0)) {
        recv_refuse(k, p, MR_ERR_REMOTE_OP);
        return;
    }
    if (k->using)
        k->pieces[(u(4))k->n] = (struct piece){.bus = bus, .len = k->use.len};
    k->n = n;
    if (k->left != 0) {
        recv_walk(k, p, k->sges, k->skip, k->left);
        return;
    }
    // The last entry that was looked at is one that the packet touches.
    q.pieces = n > 1 ? n : (u(5))0;
    q.bus = n > 1 ? q.bus : bus;
    k->send = q.pieces;
    k->sent = 0;
    recv_leave(k, p, q);
}

/** READ_RSP, ATOMIC_RSP: is it the answer to a request in flight? */
MR_INLINE void recv_response(struct rx_recv *k, struct recv_ports *p, struct mr_data d)
{
    struct recv_req r = k->req_q;
    struct rx_seq q = k->pkt_r;
    bool atomic = q.opcode == MR_OP_ATOMIC_RSP;
    bool flight = k->stream_q.open && ((k->count_q.flight >> (recv_msg_set)(recv_msg_slot)d.msg) & 1) != 0 &&
                  r.msg == d.msg && r.atomic == atomic;
    bool fits = atomic || (d.msg_len == r.length && d.addr == (u(64))d.offset);
    bool failed = d.imm != 0;

    if (failed)
        q.len = 0;
    else if (atomic)
        q.len = 8;
    q.value = atomic && !failed;
    if (!flight || (!failed && !fits)) {
        recv_refuse(k, p, MR_ERR_REMOTE_OP);
    } else if (q.len == 0) {
        recv_leave(k, p, q);
    } else {
        k->pkt_r = q;
        recv_begin(k, p, r.sges, atomic ? (u(32))0 : d.offset, (u(13))q.len);
    }
}

/** The packet's stream, request, and binding have been read. */
MR_INLINE void recv_stream(struct rx_recv *k, struct recv_ports *p)
{
    struct mr_data d = mr_data_unpack(k->pkt_r.ext);
    struct recv_stream s = k->stream_q;
    u(32) ahead = d.match - k->count_q.ended;
    bool bound = recv_has(k->count_q.bound, (recv_slot)d.match);

    if (k->pkt_r.opcode == MR_OP_READ_RSP || k->pkt_r.opcode == MR_OP_ATOMIC_RSP) {
        recv_response(k, p, d);
    } else if (!s.open) {
        recv_refuse(k, p, MR_ERR_REMOTE_STREAM);
    } else if (ahead >> 31 != 0) {
        recv_refuse(k, p, MR_ERR_REMOTE_OP);  // complete: a repetition, or not of this protocol
    } else if (s.rq >= MR_RQS) {
        recv_refuse(k, p, MR_ERR_RNR);
    } else {
        p->rd_queue = p->rd_recv = true;
        p->queue = (recv_rq_ix)s.rq;
        // Only streams of shared queues hold receives.
        p->recv = bound ? (recv_slot)k->bind_q.index : (recv_slot)d.match;
        k->state = RECV_QUEUE;
    }
}

/** The receive has been read: does the message fit, and where does the packet go? */
MR_INLINE void recv_place(struct rx_recv *k, struct recv_ports *p, u(16) index)
{
    struct mr_data d = mr_data_unpack(k->pkt_r.ext);
    struct rx_seq q = k->pkt_r;

    q.recv = index;
    if (q.opcode == MR_OP_WRITE_IMM) {
        recv_leave(k, p, q);
    } else if (d.msg_len > k->recv_q.sum) {
        recv_refuse(k, p, MR_ERR_REMOTE_BOUNDS);
    } else if (q.len == 0) {
        recv_leave(k, p, q);
    } else {
        k->pkt_r = q;
        recv_begin(k, p, k->recv_q.sges, d.offset, (u(13))q.len);
    }
}

/** Binds the message to the queue's next receive. */
MR_INLINE void recv_take(struct rx_recv *k, struct recv_ports *p, u(32) match)
{
    struct recv_queue q = k->queue_q;

    p->wr_bind = p->wr_count = p->wr_queue = true;
    p->at_stream = (recv_stream_ix)k->pkt_r.stream;
    p->at_match = (recv_slot)match;
    p->at_queue = (recv_rq_ix)k->stream_q.rq;
    p->bind_new = (struct recv_bind){.index = (u(16))q.next, .gen = q.gen};
    p->count_new = k->count_q;
    p->count_new.bound |= recv_one((recv_slot)match);
    p->queue_new = q;
    p->queue_new.next++;
    p->rd_recv = true;
    p->queue = (recv_rq_ix)k->stream_q.rq;
    p->recv = (recv_slot)q.next;
    k->pkt_r.recv = (u(16))q.next;
    k->state = RECV_BOUND;
}

MR_INLINE void recv_queue(struct rx_recv *k, struct recv_ports *p)
{
    u(32) match = mr_data_unpack(k->pkt_r.ext).match;
    struct recv_queue q = k->queue_q;
    bool bound = recv_has(k->count_q.bound, (recv_slot)match);
    bool mine = bound && q.shared && k->bind_q.gen == q.gen;
    // A stream that was opened again finds what it used up before.
    bool used = recv_has(q.done, (recv_slot)match);
    bool posted = (u(32))(match - q.gone) < (u(32))(q.have - q.gone) && !used;

    if (!q.open || q.pd != k->stream_q.pd)
        recv_refuse(k, p, MR_ERR_RNR);
    else if (q.shared && (u(32))(match - k->count_q.ended) >= MR_RECVS)
        recv_refuse(k, p, MR_ERR_REMOTE_OP);
    else if (mine)
        recv_place(k, p, k->bind_q.index);
    else if (q.shared && q.next != q.have)
        recv_take(k, p, match);
    else if (!q.shared && !bound && posted)
        recv_place(k, p, (u(16))match);
    else
        recv_refuse(k, p, MR_ERR_RNR);
}

/* ---- the order of events ---- */

/** Begins the next event, or passes a packet that needs nothing. Not what reads a row that is being written. */
MR_INLINE void recv_pick(struct rx_recv *k, struct recv_ports *p)
{
    bool queue = !p->wr_queue, count = !p->wr_count;
    // Receives that were read before their queue was closed go first.
    bool cfg = k->cfg.valid && !k->releasing && queue && count && !(k->cfg.data.table == MR_TBL_RQ && k->entry.valid);
    bool looks = recv_looks(k->pkt.data);
    bool leaves = k->held || p->leave;
    struct rx_seq q = k->pkt.data;

    q.pieces = 0;
    q.value = false;
    q.recv = 0;
    p->stream = (recv_stream_ix)q.stream;
    if (cfg) {
        struct cfg_write w = k->cfg.data;
        bool stream = w.table == MR_TBL_STREAM, rq = w.table == MR_TBL_RQ;
        p->rd_stream = stream;
        p->rd_queue = rq;
        p->stream = (recv_stream_ix)w.index;
        p->queue = (recv_rq_ix)w.index;
        p->wr_key = w.table == MR_TBL_KEY;
        p->at_key = (recv_key_ix)w.index;
        p->key_new = (u(256))w.bits;
        k->state = stream || rq ? RECV_CFG : RECV_IDLE;
        k->took += !stream && !rq;
        if (!stream && !rq)
            mr_take(k->cfg);
    } else if (k->ended.valid && count && !k->ended.ready) {
        p->rd_stream = p->rd_bind = p->rd_req = true;
        p->stream = (recv_stream_ix)k->ended.data.stream;
        p->match = (recv_slot)k->ended.data.match;
        p->msg = (recv_msg_slot)k->ended.data.msg;
        k->state = RECV_ENDED;
    } else if (k->releasing && k->release && !k->ended.valid && queue) {
        k->releasing = k->bound != 0;
        if (k->bound != 0)
            recv_release(k, p);
    } else if (k->request.valid && count) {
        p->rd_stream = true;
        p->stream = (recv_stream_ix)k->request.data.stream;
        k->state = RECV_REQUEST;
    } else if (k->entry.valid && queue && !k->entry.ready) {
        p->rd_queue = true;
        p->queue = (recv_rq_ix)k->entry.data.rq;
        k->state = RECV_ENTRY;
    } else if (k->owe_ok && queue && k->freed.ready) {
        p->rd_queue = true;
        p->queue = k->owe_q;
        k->rq = (u(16))k->owe_q;
        k->owe_ok = false;
        k->state = RECV_OWED;
    } else if (k->pkt.valid && !looks && !leaves && k->out.ready) {
        mr_take(k->pkt);
        k->taken += !q.mark;
        recv_leave(k, p, q);
    } else if (k->pkt.valid && looks && count && (!leaves || k->out.ready) && k->send == k->sent) {
        struct mr_data d = mr_data_unpack(q.ext);
        mr_take(k->pkt);
        k->taken += !q.mark;
        p->begin = true;
        p->seq_new = q;
        p->rd_stream = p->rd_bind = p->rd_req = true;
        p->match = (recv_slot)d.match;
        p->msg = (recv_msg_slot)d.msg;
        k->state = RECV_STREAM;
    }
}

/** Carries on with the event that was begun. */
MR_INLINE void recv_exec(struct rx_recv *k, struct recv_ports *p)
{
    switch ((unsigned)k->state) {
    case RECV_STREAM: recv_stream(k, p); break;
    case RECV_QUEUE: recv_queue(k, p); break;
    case RECV_BOUND: recv_place(k, p, k->pkt_r.recv); break;
    case RECV_WALK: recv_step(k, p); break;
    case RECV_CFG: recv_config(k, p); break;
    case RECV_RELEASED: recv_released(k, p); break;
    case RECV_REQUEST: recv_request(k, p); break;
    case RECV_ENTRY: recv_entry(k, p); break;
    case RECV_ENDED: recv_ended(k, p); break;
    case RECV_USED: recv_used(k, p); break;
    case RECV_OWED: recv_owed(k, p); break;
    default: break;
    }
}

/** Pieces leave beside everything else. */
MR_INLINE void recv_send(struct rx_recv *k)
{
    struct piece c = k->pieces[(u(4))k->sent];

    if (k->sent == k->send || !k->piece.ready)
        return;
    k->sent++;
    c.last = k->sent == k->send;
    mr_put(k->piece, c);
}

/** A packet that is ready leaves, or waits; the next one takes its place. */
MR_INLINE void recv_out(struct rx_recv *k, struct recv_ports p)
{
    struct rx_seq q = p.leave ? p.seq : k->pkt_r;
    bool ready = k->held || p.leave;

    if (ready && k->out.ready)
        mr_put(k->out, q);
    k->held = ready && !k->out.ready;
    if (p.begin)
        k->pkt_r = p.seq_new;
    else if (p.leave)
        k->pkt_r = q;
}

MR_KERNEL(rx_recv)
{
    bool draw = !k->owe_ok && k->owed != 0;
    struct recv_ports p = {0};

    recv_send(k);
    recv_exec(k, &p);
    if (k->state == RECV_IDLE)
        recv_pick(k, &p);
    recv_out(k, p);
    recv_reads(k, p, draw);
    recv_writes(k, p);
}
