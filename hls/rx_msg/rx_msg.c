// SPDX-License-Identifier: BSD-2-Clause
#include "rx_msg/rx_msg.h"

enum msg_event {
    MSG_NONE,
    MSG_CFG,
    MSG_GOT,
    MSG_CUT,
    MSG_ATOM,   // an atomic was executed
    MSG_RFAIL,
    MSG_LOOK,   // at a stream of the ring
    MSG_NEXT,   // perhaps the head can be retired
    MSG_TELL,   // of an answer that is complete
};

#define MSG_PLACES (MR_AHEAD - 1)  // responses per stream; the last place is for the error answer

typedef u(MR_STREAMS_LOG2) stream_ix;
typedef u(MR_STREAMS_LOG2 + MR_TRACK_LOG2) ent_ix;
typedef u(MR_STREAMS_LOG2 + MR_MSGS_LOG2) answer_ix;
typedef u(MR_MSGS) msg_set;

/** The event that is carried out, what it writes, and what it puts out. */
struct msg_now {
    u(4) event;
    u(16) stream;
    u(32) msg;
    bool moved;
    struct got got;  // and the rest of its item: the next one's is taken in this step
    u(64) value;
    u(8) life;
    u(8) item;       // code, or how many
    struct msg_ent e;
    struct msg_answer a;
    struct msg_row r;
    bool write_e, write_a, write_r;
    bool clear_e, clear_a;  // with write_: as 0
    bool queue;    // the stream goes into the ring
    bool recv;     // put out: cpl and ended, of e
    bool atom;     // atom, of e
    bool head;     // head, of r
    bool rsp;      // rsp, with opcode:
    u(8) opcode;
    bool done, fail;  // one of them and ended, of a
    u(8) code;     // of fail and rsp
};

MR_INLINE ent_ix msg_ent_at(u(16) stream, u(32) msg)
{
    return (ent_ix)((ent_ix)stream << (ent_ix)MR_TRACK_LOG2) | (ent_ix)(u(MR_TRACK_LOG2))msg;
}

MR_INLINE answer_ix msg_answer_at(u(16) stream, u(32) msg)
{
    return (answer_ix)((answer_ix)stream << (answer_ix)MR_MSGS_LOG2) | (answer_ix)(u(MR_MSGS_LOG2))msg;
}

MR_INLINE msg_set msg_bit(u(32) msg)
{
    return (msg_set)1 << (msg_set)(u(MR_MSGS_LOG2))msg;
}

MR_INLINE bool msg_is_atomic(u(8) opcode)
{
    return opcode == MR_OP_CMP_SWAP || opcode == MR_OP_FETCH_ADD;
}

/** Does the message take a receive? */
MR_INLINE bool msg_is_recv(u(8) opcode)
{
    return opcode == MR_OP_WRITE_IMM || opcode == MR_OP_SEND || opcode == MR_OP_SEND_IMM || opcode == MR_OP_SEND_INV;
}

MR_INLINE bool msg_is_answer(u(8) opcode)
{
    return opcode == MR_OP_READ_RSP || opcode == MR_OP_ATOMIC_RSP;
}

MR_INLINE void msg_follow(struct rx_msg *k, struct msg_now *n, u(4) event, u(32) msg, bool moved)
{
    k->next = (struct msg_next){.event = event, .stream = n->stream, .msg = msg, .moved = moved};
}

/** A stream begins or ends; its entries are cleared in the steps that follow. */
MR_INLINE void msg_open(struct rx_msg *k, struct msg_now *n)
{
    struct mr_stream s = mr_stream_unpack((u(256))k->cfg.data.bits);
    struct msg_row old = n->r;
    // After a reset the table says what it said before, but the ring is empty.
    bool queued = old.queued && (k->front_valid || k->ring_n != 0);

    mr_take(k->cfg);
    k->cfgs++;
    k->clearing = old.dirty ? (u(MR_TRACK_LOG2 + 1))MR_TRACK : (u(MR_TRACK_LOG2 + 1))0;
    n->r = (struct msg_row){.open = s.state == 1, .queued = queued, .life = old.life + (u(8))1,
        .conn = s.conn, .rcq = s.rcq, .pd = s.pd};
    n->write_r = true;
    n->head = true;
}

MR_INLINE void msg_clear(struct rx_msg *k, struct msg_now *n)
{
    k->clearing--;
    *n = (struct msg_now){.stream = k->stream, .msg = (u(32))k->clearing, .write_e = true, .write_a = true,
        .clear_e = true, .clear_a = true};
}

/** A response to the event's message, in the stream's next place. */
MR_INLINE void msg_respond(struct msg_now *n, u(8) opcode, u(8) code)
{
    n->rsp = true;
    n->opcode = opcode;
    n->code = code;
}

/** Adds a packet to its message. */
MR_INLINE void msg_packet(struct msg_now *n)
{
    struct got g = n->got;
    struct mr_data d = mr_data_unpack(g.ext);
    struct mr_atomic a = mr_atomic_unpack(g.ext);
    bool atomic = msg_is_atomic(g.opcode);
    bool known = g.opcode == MR_OP_WRITE || g.opcode == MR_OP_READ || atomic || msg_is_recv(g.opcode);
    bool inside = (u(32))(n->msg - n->r.head) < MR_TRACK;
    u(32) bytes = n->e.bytes + (u(32))g.len;
    bool last = (g.flags & MR_FLAG_LAST) != 0 && (g.flags & MR_FLAG_SOLICITED) != 0;

    if (!known || !inside || n->e.done)
        return;
    n->e = (struct msg_ent){.done = atomic || g.opcode == MR_OP_READ || bytes == d.msg_len,
        .solicited = n->e.solicited || last, .opcode = (u(4))g.opcode, .recv = g.recv,
        .bytes = atomic ? (u(32))(a.compare >> 32) : bytes,
        .length = atomic ? (u(32))a.compare : d.msg_len, .addr = d.addr, .key = d.key, .imm = d.imm,
        .match = atomic ? a.swap_hi : d.match};
    n->r.over += n->e.done;
    n->r.dirty = true;
    n->write_e = true;
    n->write_r = true;
}

/** Says that a request of ours was answered. */
MR_INLINE void msg_tell(struct msg_now *n, u(8) code)
{
    n->done = code == 0;
    n->fail = code != 0;
    n->code = code;
    n->r.tell &= ~msg_bit(n->msg);
    n->write_a = true;
    n->clear_a = true;
    n->write_r = true;
}

/** Adds a packet to the answer to a request of ours. */
MR_INLINE void msg_answer(struct rx_msg *k, struct msg_now *n)
{
    struct got g = n->got;
    struct mr_data d = mr_data_unpack(g.ext);
    bool begun = n->a.active && n->a.msg == n->msg;
    u(32) bytes = (begun ? n->a.bytes : (u(32))0) + (u(32))g.len;
    bool over = d.imm != 0 || g.opcode == MR_OP_ATOMIC_RSP || bytes == d.msg_len;
    // No code must look like success.
    u(8) code = d.imm != 0 && (u(8))d.imm == 0 ? (u(8))MR_ERR_REMOTE_OP : (u(8))d.imm;

    if ((n->r.tell & msg_bit(n->msg)) != 0)
        return;
    n->a = (struct msg_answer){.active = true, .msg = n->msg, .bytes = over ? (u(32))code : bytes};
    n->r.dirty = true;
    n->write_a = true;
    n->write_r = true;
    if (over && k->ended.ready) {
        msg_tell(n, code);
    } else if (over) {
        n->r.tell |= msg_bit(n->msg);
        n->queue = true;
    }
}

/** Gives away what the head stands for. False: it has to wait. */
MR_INLINE bool msg_give(struct rx_msg *k, struct msg_now *n)
{
    struct msg_ent e = n->e;
    bool recv = msg_is_recv((u(8))e.opcode), atomic = msg_is_atomic((u(8))e.opcode);
    bool read = e.opcode == MR_OP_READ;
    bool full = (read || atomic) && n->r.given >= MSG_PLACES;
    bool behind = (read || recv) && n->r.atoms != 0;
    bool room = recv ? k->cpl.ready && k->ended.ready : read ? k->rsp.ready : !atomic || k->atom.ready;

    if (full || behind)  // cut or atom_done will wake it
        return false;
    n->queue = !room;
    if (!room)
        return false;
    n->recv = recv;
    n->atom = atomic;
    if (read)
        msg_respond(n, MR_OP_READ_RSP, 0);
    n->r.atoms += atomic;
    n->r.given += read || atomic;
    return true;
}

/** Retires the event's message if it is the head, complete, and there is room. */
MR_INLINE void msg_retire(struct rx_msg *k, struct msg_now *n)
{
    bool moved = n->moved;

    if (n->msg != n->r.head)  // retired meanwhile, or waits for an earlier one
        return;
    if (n->e.done && msg_give(k, n)) {
        n->r.head++;
        n->r.over--;
        n->write_e = true;
        n->clear_e = true;
        n->write_r = true;
        if (n->r.over != 0) {
            msg_follow(k, n, MSG_NEXT, n->r.head, true);
            return;
        }
        moved = true;
    }
    n->head = moved;
}

/** The head may have waited for this. */
MR_INLINE void msg_wake(struct rx_msg *k, struct msg_now *n)
{
    n->write_r = true;
    if (n->r.over != 0)
        msg_follow(k, n, MSG_NEXT, n->r.head, false);
}

/** An atomic was executed: its response. One of a former life has none. */
MR_INLINE void msg_atom(struct rx_msg *k, struct msg_now *n)
{
    if (n->life != n->r.life || n->r.atoms == 0)
        return;
    msg_respond(n, MR_OP_ATOMIC_RSP, n->item);
    n->r.atoms--;
    msg_wake(k, n);
}

/** A response lost its memory: the first time the answer is an error. */
MR_INLINE void msg_rfail(struct msg_now *n)
{
    if (n->r.failed)
        return;
    msg_respond(n, MR_OP_READ_RSP, n->item);
    n->r.given++;
    n->r.failed = true;
    n->write_r = true;
}

/** A stream has come to the front of the ring. */
MR_INLINE void msg_look(struct rx_msg *k, struct msg_now *n)
{
    n->r.queued = false;
    n->write_r = true;
    if (n->r.tell != 0)
        msg_follow(k, n, MSG_TELL, (u(32))__builtin_ctzg(n->r.tell, 0), false);
    else if (n->r.over != 0)
        msg_follow(k, n, MSG_NEXT, n->r.head, false);
}

MR_INLINE void msg_tell_again(struct rx_msg *k, struct msg_now *n)
{
    if ((n->r.tell & msg_bit(n->msg)) != 0 && k->ended.ready)
        msg_tell(n, (u(8))n->a.bytes);
    n->queue = n->r.tell != 0 || n->r.over != 0;
}

MR_INLINE void msg_exec(struct rx_msg *k, struct msg_now *n)
{
    bool answer = n->event == MSG_GOT && msg_is_answer(n->got.opcode);
    u(MR_AHEAD_LOG2 + 1) cut = n->item > (u(8))n->r.given ? n->r.given : (u(MR_AHEAD_LOG2 + 1))n->item;

    if (n->event == MSG_CFG)
        msg_open(k, n);
    else if (n->event == MSG_LOOK)
        msg_look(k, n);
    if (!n->r.open || n->event == MSG_CFG)
        return;
    switch ((unsigned)n->event) {
    case MSG_GOT:
        if (answer)
            msg_answer(k, n);
        else
            msg_packet(n);
        break;
    case MSG_CUT:
        n->r.given -= cut;
        msg_wake(k, n);
        break;
    case MSG_ATOM: msg_atom(k, n); break;
    case MSG_RFAIL: msg_rfail(n); break;
    case MSG_TELL: msg_tell_again(k, n); break;
    default: break;
    }
    if (n->event == MSG_NEXT || (n->event == MSG_GOT && !answer))
        msg_retire(k, n);
    if (n->queue) {
        n->queue = !n->r.queued;
        n->r.queued = true;
        n->write_r = true;
    }
}

MR_INLINE struct completion msg_completion(struct msg_now n)
{
    bool imm = n.e.opcode != MR_OP_SEND;
    u(8) flags = (u(8))MR_CQEF_RECV | (imm ? (u(8))MR_CQEF_IMM : (u(8))0) |
                 (n.e.solicited ? (u(8))MR_CQEF_SOLICITED : (u(8))0);

    return (struct completion){.cq = n.r.rcq, .pd = n.r.pd, .cqe = (struct mr_cqe){.wqe = n.e.recv,
        .stream = (u(24))n.stream, .opcode = (u(8))n.e.opcode, .flags = flags, .byte_len = n.e.length,
        .imm = n.e.imm, .msg = n.msg}};
}

/** The response; what does not belong to its opcode is 0. */
MR_INLINE struct msg msg_response(struct msg_now n)
{
    bool read = n.opcode == MR_OP_READ_RSP && n.code == 0;
    bool value = n.opcode == MR_OP_ATOMIC_RSP;

    return (struct msg){.stream = n.stream, .conn = n.r.conn, .msg = n.msg, .slot = n.r.slot,
        .opcode = n.opcode, .imm = (u(32))n.code, .raddr = value ? n.value : (u(64))0,
        .length = read ? n.e.length : (u(32))0, .laddr = read ? n.e.addr : (u(64))0,
        .lkey = read ? n.e.key : (u(32))0};
}

MR_INLINE struct atom msg_atomic(struct msg_now n)
{
    return (struct atom){.stream = n.stream, .life = n.r.life, .msg = n.msg,
        .add = n.e.opcode == MR_OP_FETCH_ADD, .addr = n.e.addr, .key = n.e.key, .pd = n.r.pd,
        .compare = (u(64))n.e.bytes << 32 | (u(64))n.e.length,
        .swap = (u(64))n.e.match << 32 | (u(64))n.e.imm};
}

/**
 * Puts out what the event gives; that there is room was looked for. Data are set
 * valid or not where hlsc would otherwise keep those of an earlier step.
 */
MR_INLINE void msg_put(struct rx_msg *k, struct msg_now *n)
{
    bool request = n->done || n->fail;

    k->cpl.data = msg_completion(*n);
    k->cpl.valid = n->recv;
    k->cpls += n->recv;
    k->ended.data = (struct ended){.stream = n->stream, .request = request,
        .msg = request ? n->a.msg : (u(32))0, .recv = n->recv, .index = n->recv ? n->e.recv : (u(16))0,
        .match = n->recv ? n->e.match : (u(32))0};
    k->ended.valid = n->recv || request;
    k->atom.data = msg_atomic(*n);
    k->atom.valid = n->atom;
    if (n->rsp)
        mr_put(k->rsp, msg_response(*n));
    if (n->head)
        mr_put(k->head, (struct msg_head){.stream = n->stream, .msg = n->r.head});
    if (n->done)
        mr_put(k->done, (struct done){.stream = n->stream, .msg = n->a.msg});
    if (n->fail)
        mr_put(k->fail, (struct fail){.stream = n->stream, .msg = n->a.msg, .code = n->code});
    n->r.slot += n->rsp;
}

MR_INLINE void msg_begin(struct rx_msg *k, u(4) event, u(16) stream, u(32) msg)
{
    k->event = event;
    k->stream = stream;
    k->msg = msg;
}

/** Takes an item of one of the inputs, in turn; if there is none, a stream of the ring. */
MR_INLINE void msg_take(struct rx_msg *k)
{
    // In the order of k->turn: got, cut, atom_done, rfail.
    u(4) want = (u(4))k->got.valid | (u(4))((u(4))k->cut.valid << 1) |
                (u(4))((u(4))(k->atom_done.valid && k->rsp.ready) << 2) |
                (u(4))((u(4))(k->rfail.valid && k->rsp.ready) << 3);
    u(8) twice = (u(8))((u(8))want << 4) | (u(8))want;
    u(2) after = k->turn + (u(2))1;
    u(2) which = after + (u(2))__builtin_ctzg((u(4))(twice >> (u(8))after), 0);

    if (want == 0) {
        if (k->front_valid)
            msg_begin(k, MSG_LOOK, (u(16))k->front, 0);
        k->front_valid = false;
        return;
    }
    k->turn = which;
    if (which == 0) {
        mr_take(k->got);
        k->gots++;
        k->got_r = k->got.data;
        msg_begin(k, MSG_GOT, k->got.data.stream, mr_data_unpack(k->got.data.ext).msg);
    } else if (which == 1) {
        mr_take(k->cut);
        k->item = (u(8))k->cut.data.n;
        msg_begin(k, MSG_CUT, k->cut.data.stream, 0);
    } else if (which == 2) {
        mr_take(k->atom_done);
        k->value = k->atom_done.data.value;
        k->life = k->atom_done.data.life;
        k->item = k->atom_done.data.code;
        msg_begin(k, MSG_ATOM, k->atom_done.data.stream, k->atom_done.data.msg);
    } else {
        mr_take(k->rfail);
        k->item = k->rfail.data.code;
        msg_begin(k, MSG_RFAIL, k->rfail.data.stream, k->rfail.data.msg);
    }
}

/** Chooses the event whose tables are read now. */
MR_INLINE void msg_pick(struct rx_msg *k)
{
    k->event = MSG_NONE;
    if (k->next.event != MSG_NONE) {
        msg_begin(k, k->next.event, k->next.stream, k->next.msg);
        k->moved = k->next.moved;
        k->next.event = MSG_NONE;
    } else {
        k->moved = false;
        msg_take(k);
    }
}

/** Takes a configuration, of a stream once its row is read. */
MR_INLINE void msg_config(struct rx_msg *k)
{
    if (k->cfg.data.table == MR_TBL_STREAM)
        msg_begin(k, MSG_CFG, k->cfg.data.index, 0);
    else
        mr_take(k->cfg);
    k->cfgs += k->cfg.data.table != MR_TBL_STREAM;
}

MR_INLINE void msg_ring(struct rx_msg *k, struct msg_now n)
{
    stream_ix end = k->ring_at + (stream_ix)k->ring_n;

    if (!k->front_valid && k->ring_n != 0) {
        k->front = k->ring[k->ring_at];
        k->front_valid = true;
        k->ring_at++;
        k->ring_n--;
    }
    if (n.queue) {
        k->ring[end] = (stream_ix)n.stream;
        k->ring_n++;
    }
}

MR_INLINE void msg_tables(struct rx_msg *k, bool read, struct msg_now n)
{
    if (read) {
        k->ent_q = k->ents[msg_ent_at(k->stream, k->msg)];
        k->answer_q = k->answers[msg_answer_at(k->stream, k->msg)];
        k->row_q = k->rows[(stream_ix)k->stream];
        k->ent_by_new = false;
        k->answer_by_new = false;
        k->row_by_new = false;
    }
    if (n.write_e) {
        struct msg_ent e = n.clear_e ? (struct msg_ent){0} : n.e;
        k->ents[msg_ent_at(n.stream, n.msg)] = e;
        k->ent_by = e;
        k->ent_by_at = msg_ent_at(n.stream, n.msg);
        k->ent_by_new = true;
    }
    if (n.write_a) {
        struct msg_answer a = n.clear_a ? (struct msg_answer){0} : n.a;
        k->answers[msg_answer_at(n.stream, n.msg)] = a;
        k->answer_by = a;
        k->answer_by_at = msg_answer_at(n.stream, n.msg);
        k->answer_by_new = true;
    }
    if (n.write_r) {
        k->rows[(stream_ix)n.stream] = n.r;
        k->row_by = n.r;
        k->row_by_at = (stream_ix)n.stream;
        k->row_by_new = true;
    }
}

MR_KERNEL(rx_msg)
{
    struct msg_now n = {.event = k->event, .stream = k->stream, .msg = k->msg, .moved = k->moved,
        .got = k->got_r, .value = k->value, .life = k->life, .item = k->item};
    bool idle = n.event == MSG_NONE;
    bool response = n.event == MSG_ATOM || n.event == MSG_RFAIL;
    bool room = k->done.ready && k->fail.ready && k->head.ready && (!response || k->rsp.ready) &&
                (n.event != MSG_CFG || k->cfg.valid);
    bool follow = k->next.event != MSG_NONE;
    bool stall = !idle && !room;

    n.e = k->ent_by_new && k->ent_by_at == msg_ent_at(n.stream, n.msg) ? k->ent_by : k->ent_q;
    n.a = k->answer_by_new && k->answer_by_at == msg_answer_at(n.stream, n.msg) ? k->answer_by : k->answer_q;
    n.r = k->row_by_new && k->row_by_at == (stream_ix)n.stream ? k->row_by : k->row_q;
    if (k->clearing != 0) {
        msg_clear(k, &n);
    } else if (idle && k->cfg.valid && !follow) {
        msg_config(k);
    } else if (!stall) {
        // A configuration waits until nothing is under way.
        k->event = MSG_NONE;
        if (follow || !k->cfg.valid)
            msg_pick(k);
        if (!idle)
            msg_exec(k, &n);
    }
    msg_put(k, &n);
    msg_ring(k, n);
    msg_tables(k, k->event != MSG_NONE && !stall, n);
}
