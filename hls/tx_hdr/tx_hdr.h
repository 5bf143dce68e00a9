// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_hdr - builds the headers of every frame that is sent. [spec 3]
 *
 * in:  data   data packets, probes, CLOSE, changes of a source port; laddr is a bus address
 *      ack    acknowledgments and CLOSED, err error notifications: these leave
 *             with the source port and on the plane of what they answer [spec 5.4.9]
 *      cfg    writes MR_TBL_CONN and MR_TBL_PATH (source port, plane); others are ignored
 * out: frame  headers, for tx_mov
 *      rd     read of the payload, if there is any, in the order of frame
 *
 * err goes before ack before data, but after each of the two a waiting data
 * packet is next. Data waits while more than TX_HDR_READ_BEATS of
 * payload are on their way from the host: enough to cover a read's latency at
 * line rate, and no more, because what queues here lengthens every round trip.
 * An item of a free connection is dropped. Every
 * frame is sent as capable of ECN. A frame takes five steps, the last of which
 * is the first of the next one.
 */
#ifndef MR_TX_HDR_H
#define MR_TX_HDR_H

#include "desc.h"
#include "ext.h"
#include "rx_place/bytes.h"

/** Payload beats under way: 32 KiB, 2.6 us at 100 Gbit/s. */
#define TX_HDR_READ_BEATS 512

enum tx_hdr_state { TX_HDR_IDLE, TX_HDR_READ, TX_HDR_SUM, TX_HDR_FOLD, TX_HDR_PUT };

/** What the four kinds of packets have in common from the first step on. */
struct tx_item {
    u(4) kind;     // MR_KIND_*; 0 = no frame, only a change of the source port
    u(8) opcode;
    u(8) flags;
    u(16) conn;    // connection index
    u(7) path;
    u(8) epoch;
    bool answer;   // sport and plane are given; else they are those of `via`
    u(16) sport;
    u(3) plane;
    u(16) via;
    u(16) port;    // new source port of `via`, 0 = as it was
    u(24) psn;
    u(32) ts;
    u(6) ext_len;  // bytes of ext
    u(336) ext;    // byte 0 in bits 7:0
    u(13) len;     // payload bytes
    u(64) bus;     // address of the payload
    u(16) stream;
    u(32) msg;
};

/** How a path's packets leave. */
struct hdr_port {
    u(16) sport;
    u(3) plane;
};

struct tx_hdr {
    MR_IN(struct pkt, data);
    MR_IN(struct ack, ack);
    MR_IN(struct err_note, err);
    MR_IN(struct cfg_write, cfg);
    MR_OUT(struct tx_frame, frame);
    MR_OUT(struct rd_req, rd);
    MR_CFG(u(16), rd_taken);  // payload beats that tx_mov took, wraps
    MR_STAT(u(32), cnt_tx_frames);
    MR_STAT(u(32), cnt_tx_acks);
    MR_STAT(u(32), cnt_tx_probes);
    MR_STAT(u(32), cnt_tx_closes);
    MR_STAT(u(32), cnt_tx_errors);

    u(512) conn[MR_CONNS];             // layout conn
    u(512) conn_q;
    struct hdr_port port[MR_ROWS];     // by path entry
    struct hdr_port port_q;

    u(3) state;        // enum tx_hdr_state
    u(16) rd_asked;    // payload beats asked for, wraps
    bool room;         // fewer than TX_HDR_READ_BEATS of them are not taken
    bool data_turn;    // something else was sent: data is next
    struct tx_item item;
    u(16) udp_len;     // from TX_HDR_SUM on
    u(16) beats;       // likewise: of the payload read
    u(16) sport;       // from TX_HDR_FOLD on: what it leaves with
    u(3) plane;        // likewise
    struct bytes_sum sum;  // from TX_HDR_FOLD on: IPv4 header's words
    u(17) folded;      // in TX_HDR_PUT: sum's two words added up
};

#endif
