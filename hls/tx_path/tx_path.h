// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_path - gives every packet its path, sequence number and timestamp.
 *
 * A row holds a group of 8 paths, so that the choice sees them at once. A
 * connection with more paths has up to 16 groups in a row and takes them in
 * turn: each packet goes to the best path of one group, or of the next one if
 * all of that are full. [spec 8.3]
 *
 * Retransmissions pass through here too: so the order in which packets leave
 * this kernel is, path by path, the order on the wire, and timestamps say which
 * of two transmissions was the earlier one. Probes, CLOSE and changes of the
 * source port take the same way, because one that overtook a packet would declare
 * it lost. [spec 5, 6]
 *
 * A stream that finds no path, or whose connection is ahead of its rate, is told
 * BLOCKED; one WAKE follows when that has changed. Connections that wait for
 * their rate stand in the ring `paced`, of which one is looked at whenever there
 * is nothing else to do.
 *
 * On a connection that is dead nobody waits: a packet that finds no path fails its
 * message, and the stream is answered as if it had left. [spec 10.4.5]
 */
#ifndef MR_TX_PATH_H
#define MR_TX_PATH_H

#include "desc.h"
#include "tx_path/pace.h"
#include "tx_path/wnd.h"

enum path_state {
    PST_OFF,    // no path, or its incarnation is ending
    PST_LIVE,   // carries data
    PST_TRIAL,  // a new incarnation: only probes
};

/** One path as its sender sees it. */
struct path_tx {
    u(2) state;   // enum path_state
    u(8) epoch;   // incarnation
    u(24) next;   // sequence number of the next packet
    u(24) una;    // oldest number not acknowledged
    u(9) out;     // packets not acknowledged
    u(9) cwnd;    // window, packets
    bool marked;  // the last acknowledgment reported CE marks
    bool quiet;   // a probe was not answered
    u(16) port;   // source port that it changes to once nothing is in flight; 0 = none
    u(3) plane;   // and plane
};

/** A group of paths. */
struct path_row {
    struct path_tx p[MR_GROUP];
};

/** A connection. */
struct path_conn {
    u(16) group;   // its first one
    u(8) npaths;   // in use, 0 = closed
    u(4) at;       // group whose turn it is
    u(3) turn;     // path in it at which ties are broken
    bool blocked;  // tx_seg was told so and waits to be woken
    bool paced;    // stands in the ring
    bool dead;     // no path works: what finds no place fails, until an acknowledgment comes
    u(16) out;     // packets not acknowledged, those of failed paths included
    struct wnd wnd;
    struct pace pace;
};

struct tx_path {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct credit, credit);
    MR_IN(struct path_ctl, ctl);
    MR_IN(struct pkt, moved);        // of failed paths, from slot
    MR_IN(struct pkt, resend);
    MR_IN(struct pkt, seg);
    MR_OUT(struct pkt, pkt);
    MR_OUT(struct pkt, slot);
    MR_OUT(struct sent, sent);
    MR_OUT(struct verdict, verdict);
    MR_OUT(struct moved, moved_v);   // answers `moved`
    MR_OUT(struct fail, fail);
    MR_CFG(u(32), now);        // MR_TS_NS
    MR_CFG(u(32), cwnd_init);  // packets
    MR_CFG(u(32), wnd_init);   // packets
    MR_CFG(u(32), policy);     // MR_POLICY_*
    MR_CFG(u(32), link_mbps);
    MR_CFG(u(16), served);     // of slot
    MR_STAT(u(32), cnt_tx_data);
    MR_STAT(u(32), cnt_tx_resent);
    MR_STAT(u(32), cnt_tx_moved);
    u(4) state;            // enum tx_path_state
    u(16) conn;            // of the event
    u(16) group;           // that row_q is of; of a connection's entry: its first
    u(8) npaths;           // of a connection's entry
    bool moving;           // the packet is one of a failed path
    u(5) tries;            // groups left to look at
    u(4) shift;            // which of the connection's groups
    struct credit credit_r;
    struct path_ctl ctl_r;
    struct mr_path path_r;  // of a table write
    struct pkt pkt_r;
    u(MR_CONNS_LOG2) head;  // ring: next to take
    u(MR_CONNS_LOG2) tail;  // ring: next free
    bool full;              // ring: head == tail means full
    u(MR_CONNS_LOG2) paced_q;
    u(MR_CONNS_LOG2) paced[MR_CONNS];
    struct path_conn conns[MR_CONNS];
    struct path_conn conn_q;
    struct path_row rows[MR_GROUPS];
    struct path_row row_q;
};

#endif
