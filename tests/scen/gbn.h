// SPDX-License-Identifier: BSD-2-Clause
/*
 * gbn.h - go-back-N for comparison: a pair of endpoints as small models on the
 * same link, one path, in the manner of RDMA over Ethernet without selective
 * retransmission.
 *
 * The receiver takes packets in order only. It acknowledges each of those; at
 * the first one out of order it says once what it waits for, and drops all until
 * that has come. The sender keeps a window of as many packets as fit into a
 * round trip, goes back when it is told to, and after `timeout` without news.
 * Endpoints cost no time: nothing but the method and the network is measured.
 */
#ifndef SCEN_GBN_H
#define SCEN_GBN_H

#include <stdint.h>

#include "link.h"

struct gbn_cfg {
    struct sim_link_cfg link;  // 2 NICs; frames take one route of it
    uint64_t warm_ns;
    uint64_t window_ns;
    uint64_t timeout_ns;       // 0: four round trips
};

struct gbn_result {
    uint64_t bytes;    // payload taken in order during the window of time
    uint64_t sent;     // packets, over all
    uint64_t taken;
    uint64_t backs;    // times that the sender went back because it was told to
    uint64_t timeouts;
    uint32_t window;   // packets
};

/** Runs it; false: no memory, or a bad configuration. */
bool gbn_run(const struct gbn_cfg *cfg, struct gbn_result *out);

#endif
