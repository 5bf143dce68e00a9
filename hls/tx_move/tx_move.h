// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_move - sends the packets of failed paths on other paths, exactly once.
 * [spec 6.3.7]
 *
 * A job comes from tx_ack when CLOSED has said what arrived: its numbers did
 * not, and nothing of them can arrive any more. One packet at a time is taken
 * from the slot store to tx_path, which answers whether it found a path. Jobs
 * take turns, through a FIFO that leads back here: one that finds no path holds
 * up no other. A job that gets nothing away for `give_up` ends in errors: so it
 * ends.
 */
#ifndef MR_TX_MOVE_H
#define MR_TX_MOVE_H

#include "desc.h"
#include "ring.h"

/** Jobs that there can be: the FIFO's depth. */
#define TX_MOVE_JOBS 64

struct tx_move {
    MR_IN(struct move, job);         // new ones, since = when it came
    MR_IN(struct move, next);
    MR_IN(struct moved, moved_v);
    MR_OUT(struct move, next_out);   // back to `next`
    MR_OUT(struct slot_req, slot);
    MR_OUT(struct moved_all, over);
    MR_CFG(u(32), now);      // MR_TS_NS
    MR_CFG(u(32), give_up);  // MR_TS_NS
    u(2) state;        // enum move_state
    struct move job_r;
    u(7) jobs;         // in the FIFO and here
};

#endif
