// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_path - the receiver's sequence of every path: each packet is taken exactly
 * once, whatever the network lost, repeated or delayed. [spec 5]
 *
 * Acknowledgments are due at once, but a path stands in the queue for them only
 * once: while the transmitter is busy, one acknowledgment comes to speak for all
 * that arrived meanwhile.
 *
 * CLOSE ends an incarnation of a path: its bits are frozen and told, and what
 * comes of it later is dropped. The next epoch's first packet begins anew. So
 * sender and receiver agree on what arrived, to the packet. [spec 6.3]
 *
 * One event, a packet or an acknowledgment, per step: the next one is chosen and
 * its row read while the one before is carried out.
 */
#ifndef MR_RX_PATH_H
#define MR_RX_PATH_H

#include "desc.h"
#include "ring.h"

/** Depth of the queue for acknowledgments. */
#define RXP_DUE_DEPTH 64

/** One path's receiving state. */
struct rx_row {
    psn_t base;    // first number that has not arrived
    ring_t bits;   // arrived, behind base
    psn_t edge;    // every lower number has arrived or is lost
    u(32) ts;      // timestamp of the packet that arrived last
    u(32) at;      // when that was
    u(16) sport;   // its source port: its acknowledgment takes the same
    u(3) plane;    // its plane, likewise
    bool open;     // there is such a path
    bool closed;   // its sender ended the incarnation: nothing of it is taken any more
    u(8) epoch;    // incarnation
    u(16) ce;      // packets with the CE mark
    bool due;      // stands in the acknowledgment queue
};

struct rx_path {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct rx_seq, pkt);
    MR_IN(struct path_id, due);
    MR_OUT(struct path_id, due_out);  // back to `due`
    MR_OUT(struct rx_deal, deal);
    MR_OUT(struct ordered, order);   // one per packet of which something is written
    MR_OUT(struct held_got, got);    // accepted packets, NULL left out
    MR_OUT(struct held_ack, ack);
    MR_OUT(struct err_note, note);
    MR_OUT(struct arrival, share);   // left out when there is no room
    MR_CFG(u(32), now);   // MR_TS_NS
    MR_STAT(u(32), cnt_rx_refused);
    MR_STAT(u(32), cnt_rx_data);
    MR_STAT(u(32), cnt_rx_dup);
    MR_STAT(u(32), cnt_rx_window);
    MR_STAT(u(32), cnt_rx_ce);
    MR_STAT(u(32), cnt_rx_epoch);
    MR_STAT(u(16), writes);   // packets of which something is written, modulo 2^16
    MR_STAT(u(16), packets);  // packets decided on, likewise
    MR_STAT(u(16), gots);     // of them, those put out as `got`, likewise
    u(7) dues;            // items in the queue for acknowledgments
    u(2) state;           // enum rxp_state
    struct path_id id;    // of the event
    struct rx_seq pkt_r;
    struct rx_row rows[MR_ROWS];
    struct rx_row row_q;
    struct rx_row row_by;  // what the event before wrote while row_q was read,
    bool row_by_ok;        // to the same row
};

#endif
