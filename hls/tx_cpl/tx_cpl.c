// SPDX-License-Identifier: BSD-2-Clause
#include "tx_cpl/tx_cpl.h"

enum cpl_event {
    CPL_NONE,
    CPL_START,
    CPL_FAIL_PATH,
    CPL_FAIL_CHECK,
    CPL_FAIL_MOV,
    CPL_FAIL_SLOT,
    CPL_FAIL_RSP,
    CPL_DONE,
    CPL_DONE_RSP,
    CPL_DONE_KEY,
    CPL_FAIL_KEY,
    CPL_RNR,
    CPL_RESUME,
    CPL_NEXT,  // a message has come to the head
};

typedef u(MR_STREAMS_LOG2) stream_ix;
typedef u(MR_STREAMS_LOG2 + MR_MSGS_LOG2) ent_ix;

/** The event that is carried out, and what it writes. */
struct cpl_now {
    u(4) event;
    u(16) stream;
    u(32) msg;
    struct cpl_ent e;
    struct cpl_row r;
    bool write;
};

MR_INLINE ent_ix cpl_at(u(16) stream, u(32) msg)
{
    return (ent_ix)((ent_ix)stream << (ent_ix)MR_MSGS_LOG2) | (ent_ix)(u(MR_MSGS_LOG2))msg;
}

/** A stream begins anew; its entries are cleared in the steps that follow. */
MR_INLINE void cpl_config(struct tx_cpl *k, struct cpl_now *n)
{
    struct cfg_write c = k->cfg.data;

    mr_take(k->cfg);
    k->cfgs++;
    if (c.table != MR_TBL_STREAM)
        return;
    k->stream = c.index;
    k->clearing = MR_MSGS;
    *n = (struct cpl_now){.stream = c.index, .write = true};
    struct mr_stream s = mr_stream_unpack((u(256))c.bits);
    n->r.cq = s.cq;
    n->r.conn = s.conn;
    n->r.life = c.life;
    n->r.rnr_max = s.rnr_max == 0 ? (u(8))MR_PROF_RNR_MAX : s.rnr_max;
}

MR_INLINE void cpl_clear(struct tx_cpl *k, struct cpl_now *n)
{
    struct cpl_row r = k->row_by;

    k->clearing--;
    *n = (struct cpl_now){.stream = k->stream, .msg = (u(32))k->clearing, .r = r, .write = true};
}

MR_INLINE void cpl_begin(struct tx_cpl *k, u(4) event, u(16) stream, u(32) msg)
{
    k->event = event;
    k->stream = stream;
    k->msg = msg;
}

/** A message begins before it can fail, so starts come first. `before` is being carried out. */
MR_INLINE void cpl_pick(struct tx_cpl *k, u(4) before)
{
    k->event = CPL_NONE;
    if (k->next) {
        k->next = false;
        cpl_begin(k, CPL_NEXT, k->next_stream, k->next_msg);
    } else if (k->start.valid && before != CPL_START) {
        cpl_begin(k, CPL_START, k->start.data.stream, k->start.data.msg);
    } else if (k->done.valid && before != CPL_DONE) {
        cpl_begin(k, CPL_DONE, k->done.data.stream, k->done.data.msg);
    } else if (k->done_rsp.valid && before != CPL_DONE_RSP) {
        cpl_begin(k, CPL_DONE_RSP, k->done_rsp.data.stream, k->done_rsp.data.msg);
    } else if (k->done_key.valid && before != CPL_DONE_KEY) {
        cpl_begin(k, CPL_DONE_KEY, k->done_key.data.stream, k->done_key.data.msg);
    } else if (k->start.valid) {
        return;
    } else if (k->fail_key.valid && before != CPL_FAIL_KEY) {
        cpl_begin(k, CPL_FAIL_KEY, k->fail_key.data.stream, k->fail_key.data.msg);
    } else if (k->fail_rsp.valid && before != CPL_FAIL_RSP) {
        cpl_begin(k, CPL_FAIL_RSP, k->fail_rsp.data.stream, k->fail_rsp.data.msg);
    } else if (k->resume.valid && before != CPL_RESUME) {
        cpl_begin(k, CPL_RESUME, k->resume.data.stream, 0);
    } else if (k->rnr.valid && before != CPL_RNR) {
        cpl_begin(k, CPL_RNR, k->rnr.data.stream, k->rnr.data.msg);
    } else if (k->fail_path.valid && before != CPL_FAIL_PATH) {
        cpl_begin(k, CPL_FAIL_PATH, k->fail_path.data.stream, k->fail_path.data.msg);
    } else if (k->fail_check.valid && before != CPL_FAIL_CHECK) {
        cpl_begin(k, CPL_FAIL_CHECK, k->fail_check.data.stream, k->fail_check.data.msg);
    } else if (k->fail_mov.valid && before != CPL_FAIL_MOV) {
        cpl_begin(k, CPL_FAIL_MOV, k->fail_mov.data.stream, k->fail_mov.data.msg);
    } else if (k->fail_slot.valid && before != CPL_FAIL_SLOT) {
        cpl_begin(k, CPL_FAIL_SLOT, k->fail_slot.data.stream, k->fail_slot.data.msg);
    }
}

/** Is the event told by those who handle packets, which may be of an earlier life of the stream? */
MR_INLINE bool cpl_of_packets(u(4) event)
{
    return event == CPL_START || event == CPL_DONE || event == CPL_RNR || event == CPL_FAIL_PATH ||
           event == CPL_FAIL_CHECK || event == CPL_FAIL_MOV || event == CPL_FAIL_SLOT;
}

/** The event's item, as a failure: its error, its life, and whether it is about a response. */
MR_INLINE struct fail cpl_item(struct tx_cpl *k, u(4) event)
{
    switch ((unsigned)event) {
    case CPL_START: return (struct fail){.code = k->start.data.err, .life = k->start.data.life};
    case CPL_DONE: return (struct fail){.life = k->done.data.life};
    case CPL_RNR: return (struct fail){.life = k->rnr.data.life};
    case CPL_FAIL_PATH: return k->fail_path.data;
    case CPL_FAIL_CHECK: return k->fail_check.data;
    case CPL_FAIL_MOV: return k->fail_mov.data;
    case CPL_FAIL_SLOT: return k->fail_slot.data;
    case CPL_FAIL_RSP: return k->fail_rsp.data;
    case CPL_FAIL_KEY: return k->fail_key.data;
    default: return (struct fail){0};
    }
}

/** Takes it. */
MR_INLINE void cpl_take(struct tx_cpl *k, u(4) event)
{
    switch ((unsigned)event) {
    case CPL_START: mr_take(k->start); break;
    case CPL_FAIL_PATH: mr_take(k->fail_path); break;
    case CPL_FAIL_CHECK: mr_take(k->fail_check); break;
    case CPL_FAIL_MOV: mr_take(k->fail_mov); break;
    case CPL_FAIL_SLOT: mr_take(k->fail_slot); break;
    case CPL_FAIL_RSP: mr_take(k->fail_rsp); break;
    case CPL_FAIL_KEY: mr_take(k->fail_key); break;
    case CPL_DONE_KEY: mr_take(k->done_key); break;
    case CPL_DONE: mr_take(k->done); break;
    case CPL_DONE_RSP: mr_take(k->done_rsp); break;
    case CPL_RNR: mr_take(k->rnr); break;
    case CPL_RESUME: mr_take(k->resume); break;
    default: break;
    }
}

MR_INLINE bool cpl_local(u(8) opcode)
{
    return opcode == MR_OP_BIND_WINDOW || opcode == MR_OP_LOCAL_INV;
}

MR_INLINE struct cpl_ent cpl_entry(struct start s)
{
    return (struct cpl_ent){.active = true, .signaled = s.signaled, .left = s.packets,
        .widx = s.widx, .opcode = s.opcode, .length = s.length,
        .waits = cpl_local(s.opcode) && s.err == 0};
}

MR_INLINE bool cpl_over(struct cpl_ent e)
{
    return e.active && (e.left == 0 || e.err != 0);
}

/** Tells everybody who sends for the stream that it failed. */
MR_INLINE void cpl_stop(struct tx_cpl *k, struct cpl_now *n)
{
    u(32) earlier = n->msg - n->r.fail_msg;

    if (!n->r.failed || (earlier >> 31) != 0)
        n->r.fail_msg = n->msg;
    n->r.failed = true;
    mr_put(k->stop_check, (struct stop){.stream = n->stream, .life = n->r.life, .msg = n->r.fail_msg});
    mr_put(k->stop_seg, (struct stream_id){.stream = n->stream});
    mr_put(k->stop_sched, (struct stream_id){.stream = n->stream});
}

/** tx_seg counts it as not complete. */
MR_INLINE bool cpl_asks(u(8) opcode)
{
    return opcode == MR_OP_READ || opcode == MR_OP_CMP_SWAP || opcode == MR_OP_FETCH_ADD || cpl_local(opcode);
}

/**
 * A response cannot be sent: its memory is gone, and the peer gets to know, or the
 * peer does not take it, and gets no more.
 */
MR_INLINE void cpl_response(struct tx_cpl *k, struct cpl_now *n, u(8) code)
{
    bool refused = n->event == CPL_FAIL_SLOT || n->event == CPL_FAIL_PATH;

    if (n->event != CPL_FAIL_CHECK)
        mr_put(k->stop_check, (struct stop){.stream = n->stream, .life = n->r.life, .msg = n->msg, .rsp = true, .hard = refused});
    if (!refused && !n->r.rfailed && k->rfail.ready)
        mr_put(k->rfail, (struct fail){.stream = n->stream, .msg = n->msg, .code = code, .rsp = true});
    n->r.rfailed |= !refused;
    n->write = true;
}

/** The peer has no receive: the stream waits, or has waited too often. Returns the error. */
MR_INLINE u(8) cpl_not_ready(struct tx_cpl *k, struct cpl_now *n)
{
    if (!n->e.active || n->r.held)
        return MR_ERR_OK;
    if (n->r.rnr_max != 255 && n->r.rnr >= n->r.rnr_max)
        return MR_ERR_RNR;
    mr_put(k->wait, (struct rnr_wait){.stream = n->stream, .conn = n->r.conn,
        .turn = n->r.rnr > 15 ? (u(4))15 : (u(4))n->r.rnr});
    n->r.rnr += (u(8))(n->r.rnr != 254);
    n->r.held = true;
    return MR_ERR_OK;
}

/** The message at the head is complete. */
MR_INLINE void cpl_retire(struct tx_cpl *k, struct cpl_now *n)
{
    struct cpl_ent e = n->e;

    k->cpls += e.signaled || e.err != 0;
    if (e.signaled || e.err != 0)
        mr_put(k->cpl, (struct completion){.cq = n->r.cq, .cqe = (struct mr_cqe){.wqe = e.widx,
            .stream = (u(24))n->stream, .opcode = e.opcode, .status = e.err,
            .byte_len = e.length, .msg = n->msg}});
    if (cpl_asks(e.opcode))
        mr_put(k->answered, (struct answered){.stream = n->stream, .conn = n->r.conn});
    n->e = (struct cpl_ent){0};
    n->r.rnr = 0;
    n->r.head++;
    n->r.active -= n->r.active != 0;
    n->r.frozen = e.err != 0;
    n->r.retired++;
    if (n->r.retired >= CPL_RETIRED || n->r.active == 0 || n->r.frozen) {
        mr_put(k->retired, (struct stream_count){.stream = n->stream, .n = n->r.retired});
        n->r.retired = 0;
    }
    k->next = n->r.over != 0 && !n->r.frozen;
    k->next_stream = n->stream;
    k->next_msg = n->r.head;
}

/** What becomes of the oldest message. */
MR_INLINE void cpl_forward(struct tx_cpl *k, struct cpl_now *n)
{
    if (cpl_over(n->e)) {
        cpl_retire(k, n);
    } else {
        n->e.waits = false;
        mr_put(k->answered, (struct answered){.stream = n->stream, .conn = n->r.conn, .go = true});
    }
}

/** The message may be over now, or a local one let go: retires it, or lets it go, if it is the oldest. */
MR_INLINE void cpl_settle(struct tx_cpl *k, struct cpl_now *n, bool was_over)
{
    if (!cpl_over(n->e) && !(n->e.active && n->e.waits))
        return;
    if (n->event == CPL_NEXT) {
        if (n->msg != n->r.head)  // retired meanwhile
            return;
        n->r.over--;
        cpl_forward(k, n);
    } else if (!was_over && n->msg == n->r.head) {
        cpl_forward(k, n);
    } else if (!was_over) {
        n->r.over++;
    }
}

MR_INLINE void cpl_exec(struct tx_cpl *k, struct cpl_now *n)
{
    struct fail item = cpl_item(k, n->event);
    bool in_flight = (u(32))(n->msg - n->r.head) < MR_MSGS && !n->r.frozen;
    bool done = n->event == CPL_DONE || n->event == CPL_DONE_RSP || n->event == CPL_DONE_KEY;
    // After a long wait for room a message's packets may be acknowledged while its
    // start still stands in the FIFO: they must not be counted before it.
    bool early = done && in_flight && !n->e.active && k->start.valid;
    bool old = cpl_of_packets(n->event) && item.life != n->r.life;
    bool was_over;
    u(8) code = item.code;

    if (early && !old)
        return;
    cpl_take(k, n->event);
    if (old)
        return;
    if (item.rsp)
        cpl_response(k, n, code);
    if (n->event == CPL_RESUME) {
        n->r.held = false;
        n->write = true;
    }
    if (!in_flight || item.rsp || n->event == CPL_RESUME)
        return;
    n->write = true;
    if (n->event == CPL_START) {
        n->e = cpl_entry(k->start.data);
        n->r.active++;
    }
    // What waits is counted already, but for the one that begins.
    was_over = cpl_over(n->e) || (n->e.waits && n->event != CPL_START);
    if (n->event == CPL_RNR)
        code = cpl_not_ready(k, n);
    if (done && n->e.active)
        n->e.left -= n->e.left != 0;
    if (code != 0 && n->e.active && n->e.left != 0 && n->e.err == 0) {
        n->e.err = code;
        cpl_stop(k, n);
    }
    cpl_settle(k, n, was_over);
}

MR_INLINE void cpl_tables(struct tx_cpl *k, bool read, struct cpl_now n)
{
    if (read) {
        k->ent_q = k->ents[cpl_at(k->stream, k->msg)];
        k->row_q = k->rows[(stream_ix)k->stream];
        k->by = false;
    }
    if (n.write) {
        k->ents[cpl_at(n.stream, n.msg)] = n.e;
        k->rows[(stream_ix)n.stream] = n.r;
        k->ent_by = n.e;
        k->ent_by_at = cpl_at(n.stream, n.msg);
        k->row_by = n.r;
        k->row_by_at = (stream_ix)n.stream;
        k->by = true;
    }
}

MR_KERNEL(tx_cpl)
{
    struct cpl_now n = {.event = k->event, .stream = k->stream, .msg = k->msg};
    bool room = k->cpl.ready && k->retired.ready && k->stop_check.ready && k->stop_seg.ready &&
                k->stop_sched.ready && k->answered.ready && k->wait.ready;
    bool idle = n.event == CPL_NONE;
    bool pick = false;

    n.e = k->by && k->ent_by_at == cpl_at(n.stream, n.msg) ? k->ent_by : k->ent_q;
    n.r = k->by && k->row_by_at == (stream_ix)n.stream ? k->row_by : k->row_q;
    if (k->clearing != 0) {
        cpl_clear(k, &n);
    } else if (idle && k->cfg.valid && !k->next) {
        cpl_config(k, &n);
    } else if (idle || room) {
        // A configuration waits until nothing is under way; `next` has room for one only.
        pick = !k->cfg.valid || k->next;
        k->event = CPL_NONE;
        if (pick)
            cpl_pick(k, n.event);
        if (!idle)
            cpl_exec(k, &n);
    }
    cpl_tables(k, pick && k->event != CPL_NONE, n);
}
