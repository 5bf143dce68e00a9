// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_wqe - takes the queue entries that tx_sched asked for, as they come from
 * host memory, and judges them: an entry that this NIC cannot execute gets an
 * error here, before anything of it is sent. [spec 7]
 *
 * Whether a read failed is known with its last beat. Until then the entries wait
 * here, and if it did, all of them fail.
 *
 * A list of local ranges goes to tx_check, or, of a Read or atomic, to rx_recv,
 * before the message goes on: so it is there when the first packet, or the
 * answer, comes. Sends and Writes with immediate get their number here, match.
 * [spec 7.5.1]
 *
 * Steps: one per slot, then one per entry, and one more for a list.
 */
#ifndef MR_TX_WQE_H
#define MR_TX_WQE_H

#include "desc.h"
#include "ext.h"

#define WQE_READ_MAX 8  // slots of one read; SCHED_BATCH is at most this

struct tx_wqe {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct fetch, fetch);
    MR_IN(struct rd_beat, rd);
    MR_OUT(struct msg, msg);
    MR_OUT(struct sgl, list);
    MR_OUT(struct request, request);
    u(4) have;       // slots that came
    u(4) done;       // slots of the entries handed on
    u(4) entries;    // handed on
    bool all;        // every slot is here
    bool err;        // the read failed
    bool summed;     // sum and sges are those of the list at `done`
    u(36) sum;       // bytes
    u(2048) sges;
    u(512) entry[WQE_READ_MAX];
    u(32) match[MR_STREAMS];  // of the next message that takes a receive
    u(32) match_q;   // as the fetch began
    u(32) match_n;   // behind the first entry
};

#endif
