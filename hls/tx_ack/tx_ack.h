// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_ack - the sender's side of reliability, path by path.
 *
 * Takes acknowledgments and finds out what has newly arrived, what is lost, how
 * long the round trip was and how wide the window may be; sends probes on paths
 * that stay silent. [spec 5, 6, 8]
 *
 * Loss is decided by evidence only. A path does not reorder, so a number that is
 * missing below the acknowledgment's edge is lost. A number that was sent again
 * is judged by time: an echo newer than its retransmission proves that this one
 * was lost too. Instead of a time per packet a path keeps two generations of
 * retransmitted numbers with the time of the last one in each; an echo newer
 * than the older generation's time condemns what is still missing of it.
 *
 * A path whose probes go unanswered while others of its connection work has
 * failed: its incarnation is closed, tx_move sends elsewhere what did not
 * arrive, and the next incarnation is probed, with another source port each
 * time, until it answers. With no other path its packets end in errors. health.h
 * has the rules. [spec 6.3, 6.4]
 *
 * A number refused with RNR is held back for a time that doubles, up to
 * ACK_RNR_MAX times, and then asked for again; neither loss nor congestion. [spec 10.3]
 *
 * Steps per event: a packet that left 1; an acknowledgment 2, and one for every
 * number that it reports, but the first, or asks for again. Packets and
 * acknowledgments are chosen and their row read in the last step of the event
 * before; for everything else that takes a step of its own.
 */
#ifndef MR_TX_ACK_H
#define MR_TX_ACK_H

#include "desc.h"
#include "ring.h"
#include "tx_ack/cc.h"
#include "tx_ack/rtt.h"

/*
 * Retransmissions asked for and not yet on their way, over all paths: an
 * acknowledgment, which may ask for a window's worth, is begun only when they
 * fit into the FIFO. So this kernel never waits for tx_path, which waits for it.
 */
#define ACK_AGAIN_DEPTH 512

#define ACK_RNR_MAX 10  // log2: 1,024 times the first wait

/** One path's sending state. */
struct ack_row {
    u(3) state;      // MR_TELEST_*; PROBING is LIVE here
    u(8) epoch;      // incarnation
    u(16) conn;      // whose path it is
    u(7) path;       // and which
    psn_t una;       // oldest number not acknowledged
    psn_t next;      // number after the newest that was sent
    ring_t acked;    // acknowledged, between una and next
    ring_t again;    // sent again, newer generation
    ring_t again0;   // sent again, older generation
    u(32) ts;        // time of the last retransmission of `again`
    u(32) ts0;       // time of the last retransmission of `again0`
    u(9) asked;      // retransmissions asked for and not yet on their way
    struct rtt rtt;
    struct cc cc;
    u(16) ce;        // last CE count of the receiver
    u(32) hint;      // last rate hint, Mbit/s
    u(32) heard;     // time of the last sign of life, or of becoming busy
    u(3) backoff;    // log2 of the probe time's factor
    u(8) silent;     // probes, or CLOSEs, in a row without an answer, saturates
    u(32) probed;    // when the first of them left
    ring_t held;     // refused with RNR: not sent again before `held_until`
    u(32) held_until;
    u(4) rnr;        // log2 of the next wait's factor
    bool dead;       // gave up, with no other path that works: the host was told
    u(3) era;        // in which it last began an incarnation
    u(7) lives;      // incarnations begun in that era
};

/** One path's counters, for telemetry. */
struct ack_tele {
    u(32) packets;
    u(64) bytes;
    u(32) resent;
    u(32) lost;
    u(32) marks;
    u(32) acks;
    u(32) probes;
    u(32) moved;
    u(16) fails;
};

struct tx_ack {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct sent, sent);
    MR_IN(struct ack, ack);
    MR_IN(struct err_note, note);
    MR_IN(struct moved_all, over);   // from tx_move
    MR_IN(struct tele_req, tele_req);
    MR_OUT(struct credit, credit);
    MR_OUT(struct slot_req, slot);   // arrived or failed
    MR_OUT(struct slot_req, again);  // to be sent again; FIFO of ACK_AGAIN_DEPTH
    MR_OUT(struct path_ctl, ctl);
    MR_OUT(struct move, job);
    MR_OUT(struct rtt_note, rtt);    // left out when there is no room
    MR_OUT(struct tele_rsp, tele_rsp);
    MR_OUT(struct path_note, event); // what finds no room is told as lost, later
    MR_CFG(u(32), now);        // MR_TS_NS
    MR_CFG(u(32), probe_min);  // cycles
    MR_CFG(u(32), retry_max);  // probes
    MR_CFG(u(32), fail_min);   // probes
    MR_CFG(u(32), rnr_min);    // cycles
    MR_CFG(u(32), cwnd_init);  // packets
    MR_CFG(u(32), seed);       // of source ports
    MR_STAT(u(32), cnt_rx_acks);
    MR_STAT(u(32), cnt_rx_bad_ack);
    MR_STAT(u(32), cnt_rx_errors);
    MR_STAT(u(32), cnt_path_fails);
    u(4) state;      // enum ack_state
    u(16) row;       // of the event
    struct ack ack_r;
    struct sent sent_r;
    struct err_note note_r;
    struct mr_path path_r;  // of a table write
    u(MR_GROUPS_LOG2 + MR_GROUP_LOG2) scan;      // next row that the timer looks at
    u(MR_GROUPS_LOG2 + MR_GROUP_LOG2) scan_end;  // highest row in use
    u(16) reported;  // requests put on `slot`, wraps
    ring_t newly;    // acknowledged by this one, still to be reported
    ring_t lost;     // lost, still to be sent again
    ring_t missing;  // not acknowledged, below next
    ring_t below;    // of these, below the edge
    psn_t base;      // number that the sets begin at
    u(10) asked;     // retransmissions asked for, over all paths
    bool untold;     // an event found no room
    bool failing;    // `newly` holds numbers that failed
    struct ack_row rows[MR_ROWS];
    struct ack_row row_q;
    struct ack_tele teles[MR_ROWS];
    struct ack_tele tele_q;
    struct ack_row row_by;    // what the event before wrote
    struct ack_tele tele_by;
    bool by;                  // to the row of this one, while row_q and tele_q were read
    u(32) alive[MR_CONNS];  // when a path of the connection took an acknowledgment last
    u(32) alive_q;
};

#endif
