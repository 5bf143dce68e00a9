// SPDX-License-Identifier: BSD-2-Clause
#include "tx_sched/tx_sched.h"

enum sched_event {
    SCHED_NONE,
    SCHED_CFG,
    SCHED_STOP,
    SCHED_RETIRED,
    SCHED_CUT,
    SCHED_DB,
    SCHED_TURN,
};

typedef u(MR_STREAMS_LOG2) stream_ix;

/** What a step writes. */
struct sched_ports {
    bool row;
    struct sched_row row_new;
    bool push;  // the stream into the ring
    bool cfg;
    struct sched_cfg cfg_new;
};

/** Room is looked for here, so `before`, being carried out, must not be one that takes it. */
MR_INLINE void sched_pick(struct tx_sched *k, u(3) before)
{
    k->event = SCHED_NONE;
    if (before == SCHED_CFG)  // its row is being written
        return;
    if (k->cfg.valid) {
        k->event = SCHED_CFG;
        k->stream = k->cfg.data.index;
    } else if (k->stop.valid && before != SCHED_STOP) {
        k->event = SCHED_STOP;
        k->stream = k->stop.data.stream;
    } else if (k->retired.valid && before != SCHED_RETIRED) {
        k->event = SCHED_RETIRED;
        k->stream = k->retired.data.stream;
    } else if (k->cut.valid && before != SCHED_CUT) {
        k->event = SCHED_CUT;
        k->stream = k->cut.data.stream;
    } else if (k->db.valid && before != SCHED_DB) {
        k->event = SCHED_DB;
        k->stream = k->db.data.stream;
    } else if (k->turn_ok && k->fetch.ready && k->rd.ready) {
        k->event = SCHED_TURN;
        k->stream = (u(16))k->turn_q;
        k->turn_ok = false;
    }
}

MR_INLINE bool sched_may_fetch(struct sched_cfg c, struct sched_row r)
{
    return c.open && !r.stopped && r.fidx != r.pidx && r.ahead < MR_AHEAD && r.flight < MR_MSGS;
}

MR_INLINE u(16) sched_min(u(16) a, u(16) b)
{
    return a < b ? a : b;
}

/** Entries that one read may take. */
MR_INLINE u(4) sched_batch(struct sched_cfg c, struct sched_row r)
{
    u(16) slots = (u(16))1 << (u(16))c.log2;
    u(16) at = r.fidx & (slots - (u(16))1);
    u(6) page_at = (u(6))(c.base >> 6) + (u(6))(at << (u(16))c.stride);
    u(16) there = sched_min(r.pidx - r.fidx, SCHED_BATCH >> (u(16))c.stride);
    u(16) piece = sched_min(slots - at, (u(16))(((u(16))64 - (u(16))page_at) >> (u(16))c.stride));
    u(16) room = sched_min((u(16))MR_AHEAD - (u(16))r.ahead, (u(16))MR_MSGS - (u(16))r.flight);

    return (u(4))sched_min(there, sched_min(piece, room));
}

/** The turn's fetch. */
MR_INLINE void sched_fetch(struct tx_sched *k, u(16) stream, struct sched_cfg c, struct sched_row *r)
{
    u(16) mask = ((u(16))1 << (u(16))c.log2) - (u(16))1;
    u(4) n = sched_batch(c, *r);
    u(16) each = (u(16))6 + (u(16))c.stride;
    u(64) bus = c.base + ((u(64))(u(16))(r->fidx & mask) << (u(64))each);

    mr_put(k->rd, (struct rd_req){.addr = bus, .len = (u(16))((u(16))n << each)});
    mr_put(k->fetch, (struct fetch){.stream = stream, .conn = c.conn, .widx = r->fidx, .stride = c.stride,
        .bus = bus, .msg = r->msg, .slot = r->slot});
    r->fidx += n;
    r->msg += n;
    r->slot += (u(MR_AHEAD_LOG2))n;
    r->ahead += n;
    r->flight += n;
}

MR_INLINE void sched_config(struct tx_sched *k, struct sched_row *r, struct sched_ports *p)
{
    struct cfg_write w = k->cfg.data;
    struct mr_stream s = mr_stream_unpack((u(256))w.bits);

    mr_take(k->cfg);
    p->row = p->cfg = w.table == MR_TBL_STREAM;
    p->cfg_new = (struct sched_cfg){
        .open = s.state == 1, .log2 = (u(4))s.sq_log2, .stride = (u(2))s.sq_stride, .conn = s.conn, .base = s.sq_base};
    // A place in the ring stays until its turn comes; after a reset there are none.
    *r = (struct sched_row){.queued = r->queued && k->live};
    if (p->row && w.index == MR_STREAMS - 1)
        k->live = true;
}

/** Applies an event that only changes the row. */
MR_INLINE void sched_apply(struct tx_sched *k, u(3) event, struct sched_cfg c, struct sched_row *r)
{
    u(16) slots = (u(16))1 << (u(16))c.log2;

    switch ((unsigned)event) {
    case SCHED_STOP:
        mr_take(k->stop);
        r->stopped = true;
        break;
    case SCHED_RETIRED:
        mr_take(k->retired);
        r->flight -= r->flight < k->retired.data.n ? r->flight : k->retired.data.n;
        break;
    case SCHED_CUT:
        mr_take(k->cut);
        r->ahead -= r->ahead < k->cut.data.n ? r->ahead : k->cut.data.n;
        break;
    case SCHED_DB:
        mr_take(k->db);
        // An index that claims more entries than the queue holds is not believed.
        if ((u(16))(k->db.data.pidx - r->fidx) <= slots)
            r->pidx = k->db.data.pidx;
        break;
    default: break;
    }
}

MR_INLINE void sched_exec(struct tx_sched *k, u(3) event, u(16) stream, struct sched_row r, struct sched_ports *p)
{
    struct sched_cfg c = k->cfg_q;

    // A doorbell for a stream that does not exist must not ring another one.
    p->row = stream < MR_STREAMS;
    if (event == SCHED_CFG) {
        sched_config(k, &r, p);
    } else {
        sched_apply(k, event, c, &r);
        if (event == SCHED_TURN) {
            r.queued = false;
            if (sched_may_fetch(c, r))
                sched_fetch(k, stream, c, &r);
        }
        p->push = p->row && !r.queued && sched_may_fetch(c, r);
        r.queued |= p->push;
    }
    p->row_new = r;
}

/** Reads first: the ring's next turn and the rows of the event that was chosen. */
MR_INLINE void sched_tables(struct tx_sched *k, bool draw, stream_ix stream, struct sched_ports p)
{
    stream_ix tail = k->head + (stream_ix)k->n;

    if (draw) {
        k->turn_q = k->ring[k->head];
        k->turn_ok = true;
        k->head++;
        k->n--;
    }
    if (k->event != SCHED_NONE) {
        k->cfg_q = k->cfgs[(stream_ix)k->stream];
        k->row_q = k->rows[(stream_ix)k->stream];
        k->by = false;
    }
    if (p.push) {
        k->ring[tail] = stream;
        k->n++;
    }
    if (p.cfg)
        k->cfgs[stream] = p.cfg_new;
    if (p.row) {
        k->rows[stream] = p.row_new;
        k->row_by = p.row_new;
        k->by_at = stream;
        k->by = true;
    }
}

MR_KERNEL(tx_sched)
{
    u(3) event = k->event;
    u(16) stream = k->stream;
    struct sched_row row = k->by && k->by_at == (stream_ix)stream ? k->row_by : k->row_q;
    bool draw = !k->turn_ok && k->n != 0;
    struct sched_ports p = {0};

    sched_pick(k, event);
    if (event != SCHED_NONE)
        sched_exec(k, event, stream, row, &p);
    sched_tables(k, draw, (stream_ix)stream, p);
}
