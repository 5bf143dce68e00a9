// SPDX-License-Identifier: BSD-2-Clause
#include "tx_move/tx_move.h"

enum move_state { MOVE_IDLE, MOVE_ASK, MOVE_WAIT, MOVE_FAIL };

MR_INLINE void move_pick(struct tx_move *k)
{
    // With every place taken, new jobs wait: then a job can always go back into the FIFO.
    if (k->job.valid && k->jobs < TX_MOVE_JOBS) {
        mr_take(k->job);
        k->job_r = k->job.data;
        k->jobs++;
        k->state = MOVE_ASK;
    } else if (k->next.valid) {
        mr_take(k->next);
        k->job_r = k->next.data;
        k->state = (u(32))(k->now - k->next.data.since) > k->give_up ? (u(2))MOVE_FAIL : (u(2))MOVE_ASK;
    }
}

/** The job's lowest number, to be moved or to fail. */
MR_INLINE void move_ask(struct tx_move *k, u(2) why)
{
    struct move j = k->job_r;

    if (j.left == 0) {
        if (!k->over.ready)
            return;
        mr_put(k->over, (struct moved_all){.row = j.row});
        k->jobs--;
        k->state = MOVE_IDLE;
        return;
    }
    if (!k->slot.ready)
        return;
    mr_put(k->slot, (struct slot_req){.conn = j.conn, .path = j.path, .row = j.row, .why = why,
        .psn = ring_psn(j.base, ring_lowest(j.left)), .code = MR_ERR_RETRY});
    if (why == SLOT_MOVE)
        k->state = MOVE_WAIT;
    else
        k->job_r.left &= k->job_r.left - 1;
}

MR_INLINE void move_answer(struct tx_move *k)
{
    struct move j = k->job_r;

    if (!k->moved_v.valid || !k->next_out.ready)
        return;
    mr_take(k->moved_v);
    if (k->moved_v.data.ok) {
        j.left &= j.left - 1;
        j.since = k->now;
        k->job_r = j;
        k->state = MOVE_ASK;
    } else {
        mr_put(k->next_out, j);
        k->state = MOVE_IDLE;
    }
}

MR_KERNEL(tx_move)
{
    switch ((unsigned)k->state) {
    case MOVE_IDLE: move_pick(k); break;
    case MOVE_ASK: move_ask(k, SLOT_MOVE); break;
    case MOVE_WAIT: move_answer(k); break;
    default: move_ask(k, SLOT_ERROR); break;
    }
}
