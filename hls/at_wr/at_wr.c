// SPDX-License-Identifier: BSD-2-Clause
#include "at_wr/at_wr.h"

/** Is there room for whatever a part of a write puts out? */
MR_INLINE bool at_room(struct at_wr *k)
{
    return k->req.ready && k->parts_out.ready && k->order_out.ready;
}

/** Puts out a write, or what is left of one when its page is not there. There is room. */
MR_INLINE void at_put(struct at_wr *k, struct wr_req q, struct wr_part p, bool last)
{
    if (!p.drop)
        mr_put(k->req, q);
    mr_put(k->parts_out, p);
    mr_put(k->order_out, (struct wr_end){.last = last, .drop = p.drop});
}

/** The first page is known: of a write that lies in it, all is. */
MR_INLINE void at_first(struct at_wr *k)
{
    u(64) bus = page_bus(k->row, k->job.addr);
    bool there = page_there(k->row, k->job.addr);
    u(16) n = page_part(k->job);

    if (n != k->job.len) {
        k->bus = bus;
        k->len = n;
        k->there = there;
        k->job = page_rest(k->job, n);
        k->state = AT_WR_SECOND;
    } else if (at_room(k)) {
        at_put(k, (struct wr_req){.addr = bus, .len = n}, (struct wr_part){.drop = !there}, true);
        k->state = AT_WR_FREE;
    }
}

/** Both pages are known: puts out the first part, or drops the write. */
MR_INLINE void at_second(struct at_wr *k)
{
    bool drop = !k->there || !page_there(k->row, k->job.addr);

    if (!at_room(k))
        return;
    at_put(k, (struct wr_req){.addr = k->bus, .len = k->len},
        (struct wr_part){.drop = drop, .cut = !drop, .beats = page_beats(k->bus, k->len)}, drop);
    k->state = drop ? (u(2))AT_WR_FREE : (u(2))AT_WR_REST;
}

MR_INLINE void at_rest(struct at_wr *k)
{
    if (!at_room(k))
        return;
    at_put(k, (struct wr_req){.addr = page_bus(k->row, k->job.addr), .len = k->job.len}, (struct wr_part){0}, true);
    k->state = AT_WR_FREE;
}

/** Takes a write. A direct one goes on at once, behind those that were translated. */
MR_INLINE void at_take(struct at_wr *k, bool was_free)
{
    struct wr_req q = k->in.data;

    if (page_indirect(q.addr)) {
        mr_take(k->in);
        k->job = page_begin(q.addr, q.len);
        k->state = AT_WR_FIRST;
    } else if (was_free && at_room(k)) {
        mr_take(k->in);
        at_put(k, q, (struct wr_part){0}, true);
    }
}

/** Passes a beat on, or drops it. */
MR_INLINE void at_beat(struct at_wr *k)
{
    struct wr_part p = k->parts.data;
    struct wr_beat b = k->in_beat.data;
    bool ends = p.cut ? k->at + (u(7))1 == p.beats : b.last;

    if (!k->parts.valid || !k->in_beat.valid || !(p.drop || k->beat.ready))
        return;
    mr_take(k->in_beat);
    if (!p.drop)
        mr_put(k->beat, (struct wr_beat){.data = b.data, .keep = b.keep, .last = ends});
    k->at = ends ? (u(7))0 : k->at + (u(7))1;
    if (ends)
        mr_take(k->parts);
}

/** Passes an end on, when it is the write's. */
MR_INLINE void at_end(struct at_wr *k)
{
    struct wr_end o = k->order.data;
    bool err = k->err || o.drop || k->done.data.err;

    if (!k->order.valid || !(o.drop || k->done.valid) || (o.last && !k->out.ready))
        return;
    mr_take(k->order);
    if (!o.drop)
        mr_take(k->done);
    if (o.last)
        mr_put(k->out, (struct wr_done){.err = err});
    k->err = err && !o.last;
}

MR_KERNEL(at_wr)
{
    bool was_free = k->state == AT_WR_FREE;

    switch ((unsigned)k->state) {
    case AT_WR_FIRST: at_first(k); break;
    case AT_WR_SECOND: at_second(k); break;
    case AT_WR_REST: at_rest(k); break;
    default: break;
    }
    if (k->state == AT_WR_FREE && k->in.valid)
        at_take(k, was_free);
    at_beat(k);
    at_end(k);
    // The row of what is next, for the next step.
    if (k->state != AT_WR_REST)
        k->row = k->pages[page_row_at(k->job.addr)];
    if (k->cfg.valid) {
        mr_take(k->cfg);
        if (k->cfg.data.table == MR_TBL_PAGES)
            k->pages[(page_row_ix)k->cfg.data.index] = k->cfg.data.bits;
    }
}
