// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_wqe - takes the queue entries that tx_sched asked for, as they come from
 * host memory, and judges them: an entry that this NIC cannot execute gets an
 * error here, before anything of it is sent.
 *
 * Whether a read failed is known with its last beat. Until then the entries wait
 * here, and if it did, all of them fail.
 */
#ifndef MR_TX_WQE_H
#define MR_TX_WQE_H

#include "desc.h"
#include "ext.h"

#define WQE_READ_MAX 8  // entries of one read; SCHED_BATCH is at most this

struct tx_wqe {
    MR_IN(struct fetch, fetch);
    MR_IN(struct rd_beat, rd);
    MR_OUT(struct msg, msg);
    u(3) have;  // entries that came before the last
    u(3) done;  // entries handed on
    u(512) entry[WQE_READ_MAX];
};

#endif
