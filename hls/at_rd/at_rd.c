// SPDX-License-Identifier: BSD-2-Clause
#include "at_rd/at_rd.h"

/** Asks for the part of the job that lies in its first page. */
MR_INLINE void at_part(struct at_rd *k)
{
    u(16) n = page_part(k->job);
    bool last = n == k->job.len;
    bool there = page_there(k->row, k->job.addr);

    if (!k->req.ready || !k->order_out.ready)
        return;
    if (there)
        mr_put(k->req, (struct rd_req){.addr = page_bus(k->row, k->job.addr), .len = n});
    mr_put(k->order_out, (struct rd_part){.last = last, .none = !there, .beats = page_beats(k->job.addr, n)});
    k->job = page_rest(k->job, n);
    k->busy = !last;
}

/** Takes a read. A direct one goes on at once, behind those that were translated. */
MR_INLINE void at_take(struct at_rd *k, bool was_busy)
{
    struct rd_req q = k->in.data;

    if (page_indirect(q.addr)) {
        mr_take(k->in);
        k->job = page_begin(q.addr, q.len);
        k->busy = true;
    } else if (!was_busy && k->req.ready && k->order_out.ready) {
        mr_take(k->in);
        mr_put(k->req, q);
        mr_put(k->order_out, (struct rd_part){.last = true});
    }
}

/** Passes a beat on, or makes one. */
MR_INLINE void at_answer(struct at_rd *k)
{
    struct rd_part o = k->order.data;
    bool ends = o.none ? k->at + (u(7))1 == o.beats : k->rd.data.last;
    bool err = k->err || o.none || k->rd.data.err;

    if (!k->order.valid || !k->out.ready || !(o.none || k->rd.valid))
        return;
    mr_put(k->out, (struct rd_beat){
        .data = k->rd.data.data,
        .last = ends && o.last,
        .err = ends && o.last && err,
    });
    k->at = o.none && !ends ? k->at + (u(7))1 : (u(7))0;
    if (!o.none)
        mr_take(k->rd);
    if (ends) {
        mr_take(k->order);
        k->err = err && !o.last;
    }
}

MR_KERNEL(at_rd)
{
    bool was_busy = k->busy;

    if (was_busy)
        at_part(k);
    if (!k->busy && k->in.valid)
        at_take(k, was_busy);
    at_answer(k);
    // The row of what is next, for the next step.
    if (k->busy)
        k->row = k->pages[page_row_at(k->job.addr)];
    if (k->cfg.valid) {
        mr_take(k->cfg);
        if (k->cfg.data.table == MR_TBL_PAGES)
            k->pages[(page_row_ix)k->cfg.data.index] = k->cfg.data.bits;
    }
}
