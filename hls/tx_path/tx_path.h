// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_path - gives every packet its path, sequence number and timestamp.
 *
 * One row holds all paths of a connection, so that the choice sees them at once.
 * Retransmissions pass through here too: so the order in which packets leave
 * this kernel is, path by path, the order on the wire, and timestamps say which
 * of two transmissions was the earlier one. Probes take the same way, because a
 * probe that overtook a packet would declare it lost. [spec 5]
 */
#ifndef MR_TX_PATH_H
#define MR_TX_PATH_H

#include "desc.h"

/** One path as its sender sees it. */
struct path_tx {
    u(24) next;   // sequence number of the next packet
    u(24) una;    // oldest number not acknowledged
    u(9) out;     // packets not acknowledged
    u(9) cwnd;    // window, packets
    bool marked;  // the last acknowledgment reported CE marks
};

/** A connection's paths. */
struct path_row {
    struct path_tx p[MR_PATHS];
    u(4) npaths;   // in use, 0 = connection closed
    u(3) turn;     // where ties are broken
    bool blocked;  // tx_seg was told so and waits to be woken
};

struct tx_path {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct credit, credit);
    MR_IN(struct path_id, probe);
    MR_IN(struct pkt, resend);
    MR_IN(struct pkt, seg);
    MR_OUT(struct pkt, pkt);
    MR_OUT(struct pkt, slot);
    MR_OUT(struct sent, sent);
    MR_OUT(struct verdict, verdict);
    MR_CFG(u(32), now);        // MR_TS_NS
    MR_CFG(u(32), cwnd_init);  // packets
    MR_STAT(u(32), cnt_tx_data);
    MR_STAT(u(32), cnt_tx_resent);
    u(3) state;            // enum path_state
    u(16) conn;            // of the event
    u(3) probe_path;       // of a probe
    struct credit credit_r;
    struct pkt pkt_r;
    struct path_row rows[MR_CONNS];
    struct path_row row_q;
};

#endif
