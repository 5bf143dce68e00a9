// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_share - the receiver's side of congestion control: writes into every
 * acknowledgment the share of the inbound link that its sender is allotted.
 * share.h has the policy. [spec 8.4]
 *
 * It knows who sends: a connection of which data came counts from its first
 * packet on, and no more once it has been silent for a while. The division of the
 * link by all weights takes 28 steps beside everything else.
 *
 * Arrivals are never waited for: rx_path leaves one out when this kernel is busy.
 */
#ifndef MR_RX_SHARE_H
#define MR_RX_SHARE_H

#include "desc.h"
#include "rx_share/share.h"

/** A connection as a sender. */
struct share_conn {
    u(8) weight;   // 0 = no connection
    bool active;
    u(32) at;      // when it was heard of last
};

struct rx_share {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct arrival, arrival);
    MR_IN(struct ack, in);
    MR_OUT(struct ack, out);
    MR_CFG(u(32), now);        // MR_TS_NS
    MR_CFG(u(32), link_mbps);  // 0 = no hints
    u(2) state;          // enum share_state
    u(16) conn;          // of the event
    u(8) weight;         // of a table write
    struct arrival arrival_r;
    bool full;           // ack_r waits for its hint
    struct ack ack_r;
    u(24) weights;       // of all that send
    u(13) senders;
    level_t level;
    level_t fair;
    u(32) since;         // the period began
    u(24) bytes;         // that came in since then
    bool ce;             // marks since then
    bool stale;          // `fair` is not of `weights`
    u(5) step;           // of the division, 0 = none
    u(52) rest;          // of the division: remainder above, quotient below
    u(MR_CONNS_LOG2) scan;      // next connection to be looked at
    u(MR_CONNS_LOG2) scan_end;  // highest in use
    struct share_conn conns[MR_CONNS];
    struct share_conn conn_q;
    u(8) hint_weights[MR_CONNS];  // the weights again, for the acknowledgments
    u(8) hint_weight_q;
};

#endif
