// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_wqe - takes the queue entries that tx_sched asked for, as they come from
 * host memory, and judges them: an entry that this NIC cannot execute gets an
 * error here, before anything of it is sent.
 */
#ifndef MR_TX_WQE_H
#define MR_TX_WQE_H

#include "desc.h"
#include "ext.h"

struct tx_wqe {
    MR_IN(struct fetch, fetch);
    MR_IN(struct rd_beat, rd);
    MR_OUT(struct msg, msg);
};

#endif
