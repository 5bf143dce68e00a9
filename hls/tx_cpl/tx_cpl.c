// SPDX-License-Identifier: BSD-2-Clause
#include "tx_cpl/tx_cpl.h"

enum cpl_state { CPL_IDLE, CPL_CLEAR, CPL_EXEC, CPL_NEXT, CPL_RETIRE };
enum cpl_kind { CPL_START, CPL_FAIL, CPL_DONE };

typedef u(MR_STREAMS_LOG2) stream_ix;
typedef u(MR_STREAMS_LOG2 + MR_MSGS_LOG2) ent_ix;

/** What a step reads and writes; one read and one write port per table. */
struct cpl_ports {
    bool rd;
    ent_ix rd_at;
    bool ent;
    ent_ix ent_at;
    struct cpl_ent ent_new;
    bool row;
    struct cpl_row row_new;
};

MR_INLINE ent_ix cpl_at(u(16) stream, u(32) msg)
{
    return (ent_ix)((ent_ix)stream << (ent_ix)MR_MSGS_LOG2) | (ent_ix)(u(MR_MSGS_LOG2))msg;
}

MR_INLINE void cpl_config(struct tx_cpl *k, struct cpl_ports *p)
{
    struct cfg_write c = k->cfg.data;

    mr_take(k->cfg);
    if (c.table != MR_TBL_STREAM)
        return;
    k->ev.stream = c.index;
    k->clearing = MR_MSGS;
    p->row = true;
    p->row_new.cq = mr_stream_unpack((u(256))c.bits).cq;
    k->state = CPL_CLEAR;
}

MR_INLINE void cpl_clear(struct tx_cpl *k, struct cpl_ports *p)
{
    k->clearing--;
    p->ent = true;
    p->ent_at = cpl_at(k->ev.stream, (u(32))k->clearing);
    if (k->clearing == 0)
        k->state = CPL_IDLE;
}

MR_INLINE void cpl_take_fail(struct tx_cpl *k, struct fail f)
{
    k->ev = (struct cpl_event){.kind = CPL_FAIL, .stream = f.stream, .msg = f.msg, .code = f.code};
}

/** A message begins before anything else is heard of it, so starts come first. */
MR_INLINE void cpl_pick(struct tx_cpl *k, struct cpl_ports *p)
{
    if (k->start.valid) {
        mr_take(k->start);
        k->ev = (struct cpl_event){.kind = CPL_START, .stream = k->start.data.stream,
            .msg = k->start.data.msg, .code = k->start.data.err, .start = k->start.data};
    } else if (k->fail_check.valid) {
        mr_take(k->fail_check);
        cpl_take_fail(k, k->fail_check.data);
    } else if (k->fail_mov.valid) {
        mr_take(k->fail_mov);
        cpl_take_fail(k, k->fail_mov.data);
    } else if (k->fail_slot.valid) {
        mr_take(k->fail_slot);
        cpl_take_fail(k, k->fail_slot.data);
    } else if (k->done.valid) {
        mr_take(k->done);
        k->ev = (struct cpl_event){.kind = CPL_DONE, .stream = k->done.data.stream,
            .msg = k->done.data.msg};
    } else {
        return;
    }
    p->rd = true;
    p->rd_at = cpl_at(k->ev.stream, k->ev.msg);
    k->state = CPL_EXEC;
}

MR_INLINE struct cpl_ent cpl_begin(struct start s)
{
    return (struct cpl_ent){.active = true, .signaled = s.signaled, .left = s.packets,
        .widx = s.widx, .opcode = s.opcode, .length = s.length};
}

MR_INLINE bool cpl_over(struct cpl_ent e)
{
    return e.active && (e.left == 0 || e.err != 0);
}

/** Tells everybody who sends for the stream that it failed. */
MR_INLINE void cpl_stop(struct tx_cpl *k, struct cpl_row *r)
{
    u(32) earlier = k->ev.msg - r->fail_msg;

    if (!r->failed || (earlier >> 31) != 0)
        r->fail_msg = k->ev.msg;
    r->failed = true;
    mr_put(k->stop_check, (struct stop){.stream = k->ev.stream, .msg = r->fail_msg});
    mr_put(k->stop_seg, (struct stream_id){.stream = k->ev.stream});
    mr_put(k->stop_sched, (struct stream_id){.stream = k->ev.stream});
}

MR_INLINE void cpl_exec(struct tx_cpl *k, struct cpl_ports *p)
{
    struct cpl_row r = k->row_q;
    struct cpl_ent e = k->ent_q;
    bool in_flight = (u(32))(k->ev.msg - r.head) < MR_MSGS && !r.frozen;
    bool fails;

    if (!k->stop_check.ready || !k->stop_seg.ready || !k->stop_sched.ready)
        return;
    k->state = CPL_IDLE;
    if (!in_flight)
        return;
    if (k->ev.kind == CPL_START)
        e = cpl_begin(k->ev.start);
    else if (k->ev.kind == CPL_DONE && e.active)
        e.left -= e.left != 0;
    fails = k->ev.code != 0 && e.active && e.left != 0 && e.err == 0;
    if (fails) {
        e.err = k->ev.code;
        cpl_stop(k, &r);
    }
    p->ent = true;
    p->ent_at = cpl_at(k->ev.stream, k->ev.msg);
    p->ent_new = e;
    p->row = true;
    p->row_new = r;
    if (k->ev.msg == r.head && cpl_over(e)) {
        k->head = r.head;
        k->state = CPL_NEXT;
    }
}

/** Retires the message at the head and looks at the one behind it. */
MR_INLINE void cpl_retire(struct tx_cpl *k, struct cpl_ports *p)
{
    struct cpl_ent e = k->ent_q;
    struct cpl_row r = k->row_q;

    if (!k->cpl.ready || !k->retired.ready)
        return;
    if (!cpl_over(e)) {
        k->state = CPL_IDLE;
        return;
    }
    if (e.signaled || e.err != 0)
        mr_put(k->cpl, (struct completion){.cq = r.cq, .cqe = (struct mr_cqe){.wqe = e.widx,
            .stream = (u(24))k->ev.stream, .opcode = e.opcode, .status = e.err,
            .byte_len = e.length, .msg = k->head}});
    mr_put(k->retired, (struct stream_id){.stream = k->ev.stream});
    p->ent = true;
    p->ent_at = cpl_at(k->ev.stream, k->head);
    k->head++;
    r.head = k->head;
    r.frozen = e.err != 0;
    p->row = true;
    p->row_new = r;
    k->state = r.frozen ? CPL_IDLE : CPL_NEXT;
}

MR_INLINE void cpl_tables(struct tx_cpl *k, struct cpl_ports p)
{
    if (p.rd) {
        k->ent_q = k->ents[p.rd_at];
        k->row_q = k->rows[(stream_ix)k->ev.stream];
    }
    if (p.ent)
        k->ents[p.ent_at] = p.ent_new;
    if (p.row)
        k->rows[(stream_ix)k->ev.stream] = p.row_new;
}

MR_KERNEL(tx_cpl)
{
    struct cpl_ports p = {0};

    switch ((unsigned)k->state) {
    case CPL_IDLE:
        if (k->cfg.valid)
            cpl_config(k, &p);
        else
            cpl_pick(k, &p);
        break;
    case CPL_CLEAR: cpl_clear(k, &p); break;
    case CPL_EXEC: cpl_exec(k, &p); break;
    case CPL_NEXT:
        p.rd = true;
        p.rd_at = cpl_at(k->ev.stream, k->head);
        k->state = CPL_RETIRE;
        break;
    default: cpl_retire(k, &p); break;
    }
    cpl_tables(k, p);
}
