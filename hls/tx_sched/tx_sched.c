// SPDX-License-Identifier: BSD-2-Clause
#include "tx_sched/tx_sched.h"

enum sched_state { SCHED_IDLE, SCHED_POP, SCHED_READ, SCHED_EXEC };
enum sched_event { SCHED_STOP, SCHED_RETIRED, SCHED_CUT, SCHED_DB, SCHED_TURN };

typedef u(MR_STREAMS_LOG2) stream_ix;

MR_INLINE void sched_begin(struct tx_sched *k, u(3) event, u(16) stream)
{
    k->event = event;
    k->stream = stream;
    k->state = SCHED_READ;
}

/** Takes the next event; the most binding first, a turn last. */
MR_INLINE void sched_pick(struct tx_sched *k)
{
    if (k->stop.valid) {
        mr_take(k->stop);
        sched_begin(k, SCHED_STOP, k->stop.data.stream);
    } else if (k->retired.valid) {
        mr_take(k->retired);
        sched_begin(k, SCHED_RETIRED, k->retired.data.stream);
    } else if (k->cut.valid) {
        mr_take(k->cut);
        sched_begin(k, SCHED_CUT, k->cut.data.stream);
    } else if (k->db.valid) {
        mr_take(k->db);
        k->pidx = k->db.data.pidx;
        // A doorbell for a stream that does not exist must not ring another one.
        if (k->db.data.stream < MR_STREAMS)
            sched_begin(k, SCHED_DB, k->db.data.stream);
    } else if ((k->head != k->tail || k->full) && k->fetch.ready && k->rd.ready) {
        k->turn_q = k->ring[k->head];
        k->state = SCHED_POP;
        k->head++;
        k->full = false;
    }
}

MR_INLINE bool sched_may_fetch(struct sched_cfg c, struct sched_row r)
{
    return c.open && !r.stopped && r.fidx != r.pidx && r.cutting < 2 && r.flight < MR_MSGS;
}

/** Applies the event to the row. */
MR_INLINE struct sched_row sched_apply(u(3) event, u(16) pidx, struct sched_cfg c, struct sched_row r)
{
    u(16) slots = (u(16))1 << (u(16))c.log2;

    switch ((unsigned)event) {
    case SCHED_STOP: r.stopped = true; break;
    case SCHED_RETIRED: r.flight -= r.flight != 0; break;
    case SCHED_CUT: r.cutting -= r.cutting != 0; break;
    case SCHED_DB:
        // An index that claims more entries than the queue holds is not believed.
        if ((u(16))(pidx - r.fidx) <= slots)
            r.pidx = pidx;
        break;
    case SCHED_TURN: r.queued = false; break;
    default: break;
    }
    return r;
}

/** The turn's fetch. */
MR_INLINE struct sched_row sched_fetch(struct tx_sched *k, struct sched_cfg c, struct sched_row r)
{
    u(16) mask = ((u(16))1 << (u(16))c.log2) - (u(16))1;

    mr_put(k->rd, (struct rd_req){.addr = c.base + ((u(64))(u(16))(r.fidx & mask) << 6), .len = 64});
    mr_put(k->fetch, (struct fetch){.stream = k->stream, .conn = c.conn, .peer = c.peer,
        .pd = c.pd, .widx = r.fidx, .msg = r.msg, .slot = r.slot});
    r.fidx++;
    r.msg++;
    r.slot ^= 1;
    r.cutting++;
    r.flight++;
    return r;
}

MR_INLINE struct sched_row sched_exec(struct tx_sched *k)
{
    struct sched_cfg c = k->cfg_q;
    struct sched_row r = sched_apply(k->event, k->pidx, c, k->row_q);

    if (k->event == SCHED_TURN && sched_may_fetch(c, r))
        r = sched_fetch(k, c, r);
    if (!r.queued && sched_may_fetch(c, r)) {
        r.queued = true;
        k->ring[k->tail] = k->stream;
        k->tail++;
        k->full = k->tail == k->head;
    }
    k->state = SCHED_IDLE;
    return r;
}

MR_INLINE void sched_config(struct tx_sched *k)
{
    struct mr_stream s = mr_stream_unpack((u(256))k->cfg.data.bits);

    k->cfgs[(stream_ix)k->cfg.data.index] = (struct sched_cfg){.open = s.state == 1,
        .log2 = (u(4))s.sq_log2, .conn = s.conn, .peer = s.peer, .pd = s.pd, .base = s.sq_base};
}

MR_KERNEL(tx_sched)
{
    u(2) state = k->state;
    bool write = false;
    struct sched_row row = {0};
    stream_ix at = (stream_ix)k->stream;

    if (state == SCHED_IDLE && k->cfg.valid) {
        mr_take(k->cfg);
        if (k->cfg.data.table == MR_TBL_STREAM) {
            sched_config(k);
            at = (stream_ix)k->cfg.data.index;
            write = true;
        }
    } else if (state == SCHED_IDLE) {
        sched_pick(k);
    } else if (state == SCHED_POP) {
        sched_begin(k, SCHED_TURN, k->turn_q);
    } else if (state == SCHED_READ) {
        k->cfg_q = k->cfgs[at];
        k->row_q = k->rows[at];
        k->state = SCHED_EXEC;
    } else {
        row = sched_exec(k);
        write = true;
    }
    if (write)
        k->rows[at] = row;
}
