// SPDX-License-Identifier: BSD-2-Clause
#include "tx_cpl/tx_cpl.h"

enum cpl_event {
    CPL_NONE,
    CPL_START,
    CPL_FAIL_PATH,
    CPL_FAIL_CHECK,
    CPL_FAIL_MOV,
    CPL_FAIL_SLOT,
    CPL_DONE,
    CPL_NEXT,  // a message has come to the head
};

typedef u(MR_STREAMS_LOG2) stream_ix;
typedef u(MR_STREAMS_LOG2 + MR_MSGS_LOG2) ent_ix;

/** The event that is carried out, and what it writes. */
struct cpl_now {
    u(3) event;
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
    if (c.table != MR_TBL_STREAM)
        return;
    k->stream = c.index;
    k->clearing = MR_MSGS;
    *n = (struct cpl_now){.stream = c.index, .write = true};
    n->r.cq = mr_stream_unpack((u(256))c.bits).cq;
}

MR_INLINE void cpl_clear(struct tx_cpl *k, struct cpl_now *n)
{
    struct cpl_row r = k->row_by;

    k->clearing--;
    *n = (struct cpl_now){.stream = k->stream, .msg = (u(32))k->clearing, .r = r, .write = true};
}

MR_INLINE void cpl_begin(struct tx_cpl *k, u(3) event, u(16) stream, u(32) msg)
{
    k->event = event;
    k->stream = stream;
    k->msg = msg;
}

/** A message begins before it can fail, so starts come first. `before` is being carried out. */
MR_INLINE void cpl_pick(struct tx_cpl *k, u(3) before)
{
    k->event = CPL_NONE;
    if (k->next) {
        k->next = false;
        cpl_begin(k, CPL_NEXT, k->next_stream, k->next_msg);
    } else if (k->start.valid && before != CPL_START) {
        cpl_begin(k, CPL_START, k->start.data.stream, k->start.data.msg);
    } else if (k->done.valid && before != CPL_DONE) {
        cpl_begin(k, CPL_DONE, k->done.data.stream, k->done.data.msg);
    } else if (k->start.valid) {
        return;
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

/** Takes the event's item; its error. */
MR_INLINE u(8) cpl_take(struct tx_cpl *k, u(3) event)
{
    switch ((unsigned)event) {
    case CPL_START: mr_take(k->start); return k->start.data.err;
    case CPL_FAIL_PATH: mr_take(k->fail_path); return k->fail_path.data.code;
    case CPL_FAIL_CHECK: mr_take(k->fail_check); return k->fail_check.data.code;
    case CPL_FAIL_MOV: mr_take(k->fail_mov); return k->fail_mov.data.code;
    case CPL_FAIL_SLOT: mr_take(k->fail_slot); return k->fail_slot.data.code;
    case CPL_DONE: mr_take(k->done); return 0;
    default: return 0;
    }
}

MR_INLINE struct cpl_ent cpl_entry(struct start s)
{
    return (struct cpl_ent){.active = true, .signaled = s.signaled, .left = s.packets,
        .widx = s.widx, .opcode = s.opcode, .length = s.length};
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
    mr_put(k->stop_check, (struct stop){.stream = n->stream, .msg = n->r.fail_msg});
    mr_put(k->stop_seg, (struct stream_id){.stream = n->stream});
    mr_put(k->stop_sched, (struct stream_id){.stream = n->stream});
}

/** The message at the head is complete. */
MR_INLINE void cpl_retire(struct tx_cpl *k, struct cpl_now *n)
{
    struct cpl_ent e = n->e;

    if (e.signaled || e.err != 0)
        mr_put(k->cpl, (struct completion){.cq = n->r.cq, .cqe = (struct mr_cqe){.wqe = e.widx,
            .stream = (u(24))n->stream, .opcode = e.opcode, .status = e.err,
            .byte_len = e.length, .msg = n->msg}});
    n->e = (struct cpl_ent){0};
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

MR_INLINE void cpl_exec(struct tx_cpl *k, struct cpl_now *n)
{
    bool in_flight = (u(32))(n->msg - n->r.head) < MR_MSGS && !n->r.frozen;
    // After a long wait for room a message's packets may be acknowledged while its
    // start still stands in the FIFO: they must not be counted before it.
    bool early = n->event == CPL_DONE && in_flight && !n->e.active && k->start.valid;
    bool was_over;
    u(8) code;

    if (early)
        return;
    code = cpl_take(k, n->event);
    if (!in_flight)
        return;
    n->write = true;
    if (n->event == CPL_START) {
        n->e = cpl_entry(k->start.data);
        n->r.active++;
    }
    was_over = cpl_over(n->e);
    if (n->event == CPL_DONE && n->e.active)
        n->e.left -= n->e.left != 0;
    if (code != 0 && n->e.active && n->e.left != 0 && n->e.err == 0) {
        n->e.err = code;
        cpl_stop(k, n);
    }
    if (!cpl_over(n->e))
        return;
    if (n->event == CPL_NEXT) {
        if (n->msg != n->r.head)  // retired meanwhile
            return;
        n->r.over--;
        cpl_retire(k, n);
    } else if (!was_over && n->msg == n->r.head) {
        cpl_retire(k, n);
    } else if (!was_over) {
        n->r.over++;
    }
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
    bool room = k->cpl.ready && k->retired.ready && k->stop_check.ready && k->stop_seg.ready && k->stop_sched.ready;
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
