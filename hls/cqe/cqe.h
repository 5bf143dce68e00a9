// SPDX-License-Identifier: BSD-2-Clause
/*
 * cqe - writes completions into the host's completion queues, each entry in one
 * piece, with the phase that tells the host that it is new.
 */
#ifndef MR_CQE_KERNEL_H
#define MR_CQE_KERNEL_H

#include "desc.h"
#include "ext.h"

/** A completion queue. */
struct cqe_row {
    u(64) base;  // bus address; 0 = no queue
    u(5) log2;   // entries
    u(17) pidx;  // next entry, and above it the pass
};

struct cqe {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct completion, cpl);     // of sends
    MR_IN(struct completion, recv);    // of receives
    MR_IN(struct completion, flush);   // of receives whose stream was closed
    MR_OUT(struct wr_req, wr);
    MR_OUT(struct wr_beat, beat);
    MR_IN(struct wr_done, done);
    MR_CFG(u(64), now);  // cycles
    MR_STAT(u(32), cnt_cqes);
    MR_STAT(u(32), cnt_cqe_bus_errors);
    MR_STAT(u(16), ended);  // completions that are in host memory, or have no queue, modulo 2^16
    bool busy;  // row_q is cpl_r's
    bool turn;  // receives are next
    struct completion cpl_r;
    struct cqe_row rows[MR_CQS];
    struct cqe_row row_q;
};

#endif
