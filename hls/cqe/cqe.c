// SPDX-License-Identifier: BSD-2-Clause
#include "cqe/cqe.h"

typedef u(MR_CQS_LOG2) cq_ix;

static_assert(MR_EVT_LOST < 8);

/** Entries that were written and not read; 16-bit indices cannot tell 2^16 of them from none. */
MR_INLINE bool cqe_full(u(5) log2, u(17) pidx, u(16) cidx)
{
    u(16) used = (u(16))pidx - cidx;
    u(17) size = (u(17))1 << (u(17))log2;

    return (u(17))used >= (log2 == 16 ? (u(17))0xffff : size);
}

/** Notes a write, for its end. */
MR_INLINE void cqe_wrote(struct cqe *k, bool event)
{
    u(128) bit = (u(128))1 << (u(128))k->wr_next;

    k->are_events = event ? k->are_events | bit : k->are_events & ~bit;
    k->wr_next++;
}

/** A write has ended: is it an event's, the host is to be interrupted. */
MR_INLINE void cqe_done(struct cqe *k)
{
    bool event = (bool)(u(1))(k->are_events >> (u(128))k->wr_oldest);

    mr_take(k->done);
    k->cnt_cqe_bus_errors += k->done.data.err;
    k->wr_oldest++;
    k->ended += !event;
    k->irq_due |= event && !k->done.data.err;
}

/** Puts the entry out; false when there is no room. The row is to be written. */
MR_INLINE bool cqe_emit(struct cqe *k, struct cqe_row *r)
{
    struct mr_cqe e = k->cpl_r.cqe;
    u(17) at = r->pidx & (u(17))(((u(17))1 << (u(17))r->log2) - (u(17))1);
    u(1) half = (u(1))at;
    bool sol = e.status != MR_ERR_OK || (e.flags & MR_CQEF_SOLICITED) != 0;

    if (!k->wr.ready || !k->beat.ready)
        return false;
    e.time = k->now;
    e.phase = (u(8))(u(1))~(u(1))(r->pidx >> (u(17))r->log2);
    mr_put(k->wr, (struct wr_req){.addr = r->base + ((u(64))at << 5), .len = MR_CQE_BYTES});
    mr_put(k->beat, (struct wr_beat){
        .data = (u(512))mr_cqe_pack(e) << (half ? (u(512))256 : (u(512))0),
        .keep = half ? (u(64))0xffffffff00000000 : (u(64))0xffffffff, .last = true});
    cqe_wrote(k, false);
    r->pidx++;
    if (sol)
        r->sol = (u(16))r->pidx;
    if (r->arm == CQE_ARM_ANY || (sol && r->arm == CQE_ARM_SOL)) {
        k->ev_cq_type = MR_EVT_CQ;
        r->arm = CQE_ARM_NONE;
    }
    k->cnt_cqes++;
    return true;
}

/** A completion; true when its row is to be written. */
MR_INLINE bool cqe_complete(struct cqe *k, struct cqe_row *r)
{
    struct mr_cqe e = k->cpl_r.cqe;
    bool ends = (e.flags & MR_CQEF_RECV) == 0 && e.status != MR_ERR_OK && e.status != MR_ERR_FLUSH;
    bool queue = r->base != 0;
    bool full = cqe_full(r->log2, r->pidx, r->cidx);

    k->ev_cq = k->cpl_r.cq;
    if (queue && !full && !cqe_emit(k, r))
        return false;
    k->ended += !queue || full;  // not written
    k->busy = false;
    k->ev_stream = e.stream;
    k->ev_code = ends ? e.status : (u(8))0;
    if (queue && full) {
        k->cnt_cq_overflows++;
        k->ev_cq_type = r->told ? (u(3))0 : (u(3))MR_EVT_CQ_OVERFLOW;
        r->told = true;
    }
    return queue;
}

/** A doorbell of a completion queue. */
MR_INLINE void cqe_bell(struct cqe *k, struct cqe_row *r)
{
    struct cq_bell b = k->bell_r;
    u(16) used = (u(16))r->pidx - b.cidx;
    u(16) sol = r->sol - b.cidx;
    bool any_sol = sol != 0 && sol <= used;
    bool fires = b.kind == BELL_ARM ? used != 0 : b.kind == BELL_ARM_SOL && any_sol;

    k->busy = false;
    r->told = r->told && b.cidx == r->cidx;
    r->cidx = b.cidx;
    if (!any_sol)
        r->sol = b.cidx;
    if (r->base == 0)
        return;
    if (fires) {
        k->ev_cq = b.cq;
        k->ev_cq_type = MR_EVT_CQ;
        r->arm = CQE_ARM_NONE;
    } else if (b.kind == BELL_ARM) {
        r->arm = CQE_ARM_ANY;
    } else if (b.kind == BELL_ARM_SOL && r->arm == CQE_ARM_NONE) {
        r->arm = CQE_ARM_SOL;
    }
}

/** The event that is due, the one first that says that others were lost. */
MR_INLINE struct mr_eqe cqe_event(struct cqe *k, bool lost)
{
    struct mr_eqe e = {.time = (u(32))k->now};

    if (lost) {
        e.type = MR_EVT_LOST;
    } else if (k->ev_cq_type != 0) {
        e.type = (u(16))k->ev_cq_type;
        e.object = (u(32))k->ev_cq;
    } else if (k->ev_code != 0) {
        e.type = MR_EVT_STREAM_ERROR;
        e.object = (u(32))k->ev_stream;
        e.detail = (u(32))k->ev_code;
    } else {
        e.type = (u(16))k->ev_note.type;
        e.object = (u(32))k->ev_note.conn;
        e.detail = (u(32))k->ev_note.path;
    }
    return e;
}

/** Writes the event that is due, or finds that there is no room for it. */
MR_INLINE void cqe_tell(struct cqe *k, bool due)
{
    struct cqe_eq q = k->eq;
    bool full = cqe_full(q.log2, q.pidx, q.cidx);
    bool lost = q.lost && !full;
    struct mr_eqe e = cqe_event(k, lost);
    u(17) at = q.pidx & (u(17))(((u(17))1 << (u(17))q.log2) - (u(17))1);
    u(2) quarter = (u(2))at;

    if (q.base != 0 && !full) {
        if (!k->wr.ready || !k->beat.ready)
            return;
        e.phase = (u(8))(u(1))~(u(1))(q.pidx >> (u(17))q.log2);
        mr_put(k->wr, (struct wr_req){.addr = q.base + ((u(64))at << 4), .len = MR_EQE_BYTES});
        mr_put(k->beat, (struct wr_beat){
            .data = (u(512))mr_eqe_pack(e) << ((u(512))quarter << 7),
            .keep = (u(64))0xffff << ((u(64))quarter << 4), .last = true});
        cqe_wrote(k, true);
        k->eq.pidx++;
        k->cnt_eqes++;
        k->eq.lost = false;
    } else if (q.base != 0 && due) {
        k->eq.lost = true;
        k->cnt_eqes_lost++;
    }
    if (lost)
        return;
    if (k->ev_cq_type != 0)
        k->ev_cq_type = 0;
    else if (k->ev_code != 0)
        k->ev_code = 0;
    else
        k->ev_noted = false;
}

/** Takes a table entry; true when the row is to be written. */
MR_INLINE bool cqe_config(struct cqe *k, struct cqe_row *row)
{
    struct mr_cq q = mr_cq_unpack((u(128))k->cfg.data.bits);

    mr_take(k->cfg);
    *row = (struct cqe_row){.base = q.base, .log2 = (u(5))q.log2};
    if (k->cfg.data.table == MR_TBL_EQ)
        k->eq = (struct cqe_eq){.base = q.base, .log2 = (u(5))q.log2};
    return k->cfg.data.table == MR_TBL_CQ;
}

/** Takes what comes next. */
MR_INLINE void cqe_pick(struct cqe *k)
{
    bool recv = k->recv.valid && (k->turn || !k->cpl.valid);
    bool flush = !recv && !k->cpl.valid;
    u(16) cq = k->bell.valid ? k->bell.data.cq
               : recv        ? k->recv.data.cq
               : flush       ? k->flush.data.cq
                             : k->cpl.data.cq;

    if (k->bell.valid) {  // first: it makes room
        mr_take(k->bell);
        k->bell_r = k->bell.data;
        if (k->bell.data.kind == BELL_EQ)
            k->eq.cidx = k->bell.data.cidx;
        k->busy = k->bell.data.kind != BELL_EQ;
        k->belled = true;
    } else if (k->note.valid) {
        mr_take(k->note);
        k->ev_note = k->note.data;
        k->ev_noted = true;
        k->cnt_eqes_lost += k->note.data.type == MR_EVT_LOST;
    } else if (k->cpl.valid || k->recv.valid || k->flush.valid) {
        k->cpl_r = recv ? k->recv.data : flush ? k->flush.data : k->cpl.data;
        if (recv)
            mr_take(k->recv);
        else if (flush)
            mr_take(k->flush);
        else
            mr_take(k->cpl);
        k->turn = !recv;
        k->busy = true;
        k->belled = false;
    }
    k->row_q = k->rows[(cq_ix)cq];
}

MR_KERNEL(cqe)
{
    struct cqe_row row = k->row_q;
    cq_ix at = k->belled ? (cq_ix)k->bell_r.cq : (cq_ix)k->cpl_r.cq;
    bool due = k->ev_cq_type != 0 || k->ev_code != 0 || k->ev_noted;
    bool lost = k->eq.lost && !cqe_full(k->eq.log2, k->eq.pidx, k->eq.cidx);
    bool write = false;

    if (k->irq_due && k->irq.ready) {
        mr_put(k->irq, (struct irq){.up = true});
        k->irq_due = false;
    }
    if (k->done.valid)
        cqe_done(k);
    if (due || lost) {
        cqe_tell(k, due);
    } else if (k->busy && k->belled) {
        cqe_bell(k, &row);
        write = true;
    } else if (k->busy) {
        write = cqe_complete(k, &row);
    } else if (k->cfg.valid) {
        at = (cq_ix)k->cfg.data.index;
        write = cqe_config(k, &row);
    } else {
        cqe_pick(k);
    }
    if (write)
        k->rows[at] = row;
}
