// SPDX-License-Identifier: BSD-2-Clause
/*
 * hist - histograms of every path's round trip times, for the host. Beside the
 * data path: a sample that finds no room is left out there. (layout hist)
 */
#ifndef MR_HIST_H
#define MR_HIST_H

#include "desc.h"

struct hist {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct rtt_note, rtt);
    MR_IN(struct tele_req, req);
    MR_OUT(struct tele_rsp, rsp);
    u(2) state;       // enum hist_state
    u(16) row;        // of the event
    u(4) bucket;      // of a sample
    u(512) counts[MR_ROWS];  // layout hist
    u(512) counts_q;
};

#endif
