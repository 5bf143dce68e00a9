// SPDX-License-Identifier: BSD-2-Clause
#include "rx_rq/rx_rq.h"

enum rq_event { RQ_NOTHING, RQ_CFG, RQ_FREED, RQ_BELL, RQ_TURN };

typedef u(MR_RQS_LOG2) rq_ix;

/** What a step writes. */
struct rq_ports {
    bool row;
    struct rq_row row_new;
    bool push;  // the queue into the ring
    bool cfg;
    struct rq_cfg cfg_new;
    bool look;  // generation of the job at the head
};

/** Room is looked for here, so `before`, being carried out, must not be one that takes it. */
MR_INLINE void rq_pick(struct rx_rq *k, u(3) before)
{
    k->event = RQ_NOTHING;
    if (before == RQ_CFG)  // its row is being written
        return;
    if (k->cfg.valid) {
        k->event = RQ_CFG;
        k->rq = k->cfg.data.index;
    } else if (k->freed.valid && before != RQ_FREED) {
        k->event = RQ_FREED;
        k->rq = k->freed.data.rq;
    } else if (k->bell.valid && before != RQ_BELL) {
        k->event = RQ_BELL;
        k->rq = k->bell.data.rq;
    } else if (k->turn_ok && before != RQ_TURN && k->req.ready && k->job_out.ready && k->jobs < RX_RQ_JOBS) {
        k->event = RQ_TURN;
        k->rq = (u(16))k->turn_q;
        k->turn_ok = false;
    }
}

MR_INLINE bool rq_may_read(struct rq_cfg c, struct rq_row r)
{
    return c.open && r.fidx != r.pidx && r.ahead < MR_RECVS;
}

/** The turn's read. True when it was begun. */
MR_INLINE bool rq_read(struct rx_rq *k, rq_ix rq, struct rq_cfg c, struct rq_row *r)
{
    u(16) mask = ((u(16))1 << (u(16))c.log2) - (u(16))1;
    u(58) slot = (u(58))(u(16))(r->fidx & mask) << (u(58))c.stride;

    // Only in a surrounding that takes room back is there none here.
    if (!rq_may_read(c, *r) || !k->req.ready || !k->job_out.ready)
        return false;
    mr_put(k->req, (struct rd_req){.addr = (u(64))(u(58))(c.base + slot) << 6, .len = (u(16))64 << (u(16))c.stride});
    mr_put(k->job_out, (struct rq_job){.rq = rq, .gen = r->gen, .beats = (u(3))1 << (u(3))c.stride});
    r->fidx++;
    r->ahead++;
    return true;
}

MR_INLINE void rq_config(struct rx_rq *k, struct rq_row *r, struct rq_ports *p)
{
    struct cfg_write w = k->cfg.data;
    struct mr_rq q = mr_rq_unpack((u(128))w.bits);

    mr_take(k->cfg);
    p->row = p->cfg = w.table == MR_TBL_RQ;
    p->cfg_new = (struct rq_cfg){.open = q.state == 1, .log2 = (u(4))q.log2, .stride = (u(2))q.stride,
        .base = (u(58))(q.base >> 6)};
    // A place in the ring stays until its turn comes; after a reset there are none.
    *r = (struct rq_row){.gen = r->gen + (u(8))1, .queued = r->queued && k->live};
    if (p->row && w.index == MR_RQS - 1)
        k->live = true;
}

/** Carries out an event. True when a read was begun. */
MR_INLINE bool rq_exec(struct rx_rq *k, u(3) event, u(16) rq, struct rq_row r, struct rq_ports *p)
{
    struct rq_cfg c = k->cfg_q;
    u(16) entries = (u(16))1 << (u(16))c.log2;
    bool read = false;

    // What is told of a queue that does not exist must not reach another one.
    p->row = rq < MR_RQS;
    if (event == RQ_CFG) {
        rq_config(k, &r, p);
    } else {
        if (event == RQ_FREED) {
            mr_take(k->freed);
            r.ahead -= r.ahead != 0;
        } else if (event == RQ_BELL) {
            mr_take(k->bell);
            // An index that claims more entries than the queue holds is not believed.
            if ((u(16))(k->bell.data.pidx - r.fidx) <= entries)
                r.pidx = k->bell.data.pidx;
        } else {
            r.queued = false;
            read = rq_read(k, (rq_ix)rq, c, &r);
        }
        p->push = p->row && !r.queued && rq_may_read(c, r);
        r.queued |= p->push;
    }
    p->row_new = r;
    return read;
}

/** Takes a beat of the answer at the head, with the last one the entry is handed on. True when it ended. */
MR_INLINE bool rq_answer(struct rx_rq *k, struct rq_ports *p)
{
    struct rd_beat b = k->rd.data;
    bool live = !k->stale && k->gen_q == k->job.data.gen;
    u(2048) sges = 0;

    if (!k->job.valid)
        return false;
    if (!k->looked) {
        p->look = true;
        return false;
    }
    if (!k->rd.valid || (b.last && live && !k->entry.ready))
        return false;
    mr_take(k->rd);
    if (!b.last) {
        MR_UNROLL
        for (unsigned i = 0; i < 3; i++)
            k->part[i] = i == (unsigned)k->at ? b.data : k->part[i];
        k->at++;
        return false;
    }
    // What is behind the entry stays 0.
    MR_UNROLL
    for (unsigned i = 0; i < 4; i++) {
        u(512) part = i == (unsigned)k->at ? b.data : i < (unsigned)k->at && i < 3 ? k->part[i] : (u(512))0;
        sges |= (u(2048))part << (u(2048))(512 * i);
    }
    if (live) {
        mr_put(k->entry, (struct recv_entry){.rq = (u(16))k->job.data.rq, .sges = b.err ? (u(2048))0 : sges});
        k->cnt_rq_bus_errors += b.err;
    }
    mr_take(k->job);
    k->at = 0;
    k->looked = false;
    return true;
}

/** Reads first: the ring's next turn, the rows of the event that was chosen, the job's generation. */
MR_INLINE void rq_tables(struct rx_rq *k, bool draw, rq_ix rq, struct rq_ports p)
{
    rq_ix tail = k->head + (rq_ix)k->n;
    rq_ix job = (rq_ix)k->job.data.rq;

    if (draw) {
        k->turn_q = k->ring[k->head];
        k->turn_ok = true;
        k->head++;
        k->n--;
    }
    if (k->event != RQ_NOTHING) {
        k->cfg_q = k->cfgs[(rq_ix)k->rq];
        k->row_q = k->rows[(rq_ix)k->rq];
        k->by = false;
    }
    if (p.look) {
        k->gen_q = k->gens[job];
        k->looked = true;
        k->stale = false;
    }
    if (p.push) {
        k->ring[tail] = rq;
        k->n++;
    }
    if (p.cfg) {
        k->cfgs[rq] = p.cfg_new;
        k->gens[rq] = p.row_new.gen;
        k->stale |= job == rq;
    }
    if (p.row) {
        k->rows[rq] = p.row_new;
        k->row_by = p.row_new;
        k->by_at = rq;
        k->by = true;
    }
}

MR_KERNEL(rx_rq)
{
    u(3) event = k->event;
    u(16) rq = k->rq;
    struct rq_row row = k->by && k->by_at == (rq_ix)rq ? k->row_by : k->row_q;
    bool draw = !k->turn_ok && k->n != 0;
    bool read = false, ended = false;
    struct rq_ports p = {0};

    rq_pick(k, event);
    if (event != RQ_NOTHING)
        read = rq_exec(k, event, rq, row, &p);
    ended = rq_answer(k, &p);
    if (read && !ended)
        k->jobs++;
    else if (ended && !read)
        k->jobs -= k->jobs != 0;
    rq_tables(k, draw, (rq_ix)rq, p);
}
