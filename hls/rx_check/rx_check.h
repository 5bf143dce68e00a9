// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_check - everything that can be known of a packet without its path's
 * sequence: connection, addresses, stream, operation, lengths, key, bounds,
 * rights. Acknowledgments and error notifications part here for the sender's
 * side; everything else goes on to rx_path, which refuses what got an error
 * here once it knows that the packet is not an old one. [spec 7]
 */
#ifndef MR_RX_CHECK_H
#define MR_RX_CHECK_H

#include "desc.h"

/** What a received packet must agree with. */
struct check_conn {
    bool open;
    bool ipv6;
    u(24) local;
    u(128) saddr;  // own address
    u(128) daddr;  // the peer's
    u(48) smac;    // own MAC address
    u(8) npaths;
    u(16) group;   // of path entries, the first
    u(4) nplanes;
    u(4) plane_at; // byte of the addresses that has the plane's number
    u(16) mtu;
};

struct check_stream {
    bool open;
    u(16) conn;
    u(24) peer;
    u(16) pd;
};

struct rx_check {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct rx_pkt, pkt);
    MR_IN(struct msg_head, head);  // always taken
    MR_IN(struct key_mark, mark);
    MR_OUT(struct rx_seq, seq);
    MR_OUT(struct ack, ack);
    MR_OUT(struct err_note, note);
    MR_STAT(u(32), cnt_rx_bad_conn);
    MR_STAT(u(32), cnt_rx_path_ctl);
    MR_STAT(u(8), took);  // entries taken, wraps
    bool busy;  // pkt_r waits for its table rows
    struct rx_pkt pkt_r;
    struct check_conn conns[MR_CONNS];
    struct check_conn conn_q;
    struct check_stream streams[MR_STREAMS];
    struct check_stream stream_q;
    u(256) keys[MR_KEYS];  // layout key
    u(256) key_q;
    u(32) heads[MR_STREAMS];  // oldest message that is not complete, or an older one
    u(32) head_q;
};

#endif
