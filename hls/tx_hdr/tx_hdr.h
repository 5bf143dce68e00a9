// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_hdr - builds the headers of every frame that is sent. [spec 3]
 *
 * in:  data   data packets, probes, CLOSE, changes of a source port; laddr is a bus address
 *      ack    acknowledgments and CLOSED, err error notifications: these leave
 *             with the source port and on the plane of what they answer [spec 5.4.9]
 *      piece  the payload of data packets with a list
 *      cfg    writes MR_TBL_CONN and MR_TBL_PATH (source port, plane); others are ignored
 * out: frame  headers, for tx_mov
 *      rd     read of the payload, if there is any, in the order of frame
 *      join   how tx_join puts the reads of a frame together
 *
 * err goes before ack before data, but after each of the two a waiting data
 * packet is next. Data waits while more than TX_HDR_READ_BEATS of
 * payload are on their way from the host: enough to cover a read's latency at
 * line rate, and no more, because what queues here lengthens every round trip.
 * An item of a free connection is dropped. Every frame is sent as capable of ECN.
 *
 * A pipeline of five steps, pick, read, sum, fold, put: one frame per step; a frame
 * whose payload comes in pieces stays in the last one for a step per piece.
 */
#ifndef MR_TX_HDR_H
#define MR_TX_HDR_H

#include "desc.h"
#include "ext.h"
#include "rx_place/bytes.h"

/** Payload beats under way: 32 KiB, 2.6 us at 100 Gbit/s. */
#define TX_HDR_READ_BEATS 512

/** What the four kinds of packets have in common from the first step on. */
struct tx_item {
    u(4) kind;     // MR_KIND_*; 0 = no frame, only a change of the source port
    u(8) opcode;
    u(8) flags;
    u(16) conn;    // connection index
    u(7) path;
    u(8) epoch;
    bool mark;     // of `keys`
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
    bool list;     // the payload comes in pieces; with len 0 they are dropped
    u(64) bus;     // address of the payload; with a list 0
    u(16) stream;
    u(16) life;
    u(32) msg;
    bool rsp;
};

/** How a path's packets leave. */
struct hdr_port {
    u(16) sport;
    u(3) plane;
};

/** A frame, from the sum on: all that its headers are made of. */
struct hdr_frame {
    struct tx_item item;
    u(512) conn;   // its connection, layout conn
    u(16) udp_len;
    u(16) sport;   // what it leaves with
    u(3) plane;    // likewise
};

struct tx_hdr {
    MR_IN(struct pkt, data);
    MR_IN(struct ack, ack);
    MR_IN(struct err_note, err);
    MR_IN(struct cfg_write, cfg);
    MR_OUT(struct tx_frame, frame);
    MR_IN(struct piece, piece);
    MR_OUT(struct rd_req, rd);
    MR_OUT(struct join, join);  // one per read
    MR_CFG(u(16), rd_taken);  // payload beats that tx_mov took, wraps
    MR_STAT(u(8), marks);     // of `keys`, that came by, wraps
    MR_STAT(u(16), mark_at);  // payload beats asked for until the last one
    MR_STAT(u(32), cnt_tx_frames);
    MR_STAT(u(32), cnt_tx_acks);
    MR_STAT(u(32), cnt_tx_probes);
    MR_STAT(u(32), cnt_tx_closes);
    MR_STAT(u(32), cnt_tx_errors);

    u(512) conn[MR_CONNS];             // layout conn
    u(512) conn_q;
    struct hdr_port port[MR_ROWS];     // by path entry
    struct hdr_port port_q;

    struct hdr_port port_by;           // what the item in front wrote while port_q was read,
    bool port_by_ok;                   // to the same entry

    u(16) rd_asked;    // payload beats asked for, wraps
    bool room;         // fewer than TX_HDR_READ_BEATS of them were not taken, a step ago
    bool plenty;       // likewise with the longest three items more
    bool counted;      // rd_asked has changed since
    bool data_turn;    // something else was sent: data is next
    bool item_ok;      // picked, to be read
    struct tx_item item;
    bool read_ok;      // read, to be summed
    struct tx_item read;
    u(16) udp_len;     // of it
    u(16) beats;       // of its payload's read
    bool summed_ok;    // summed, to be folded
    struct hdr_frame summed;
    struct bytes_sum sum;  // its IPv4 header's words
    bool done_ok;      // folded, to be put
    struct hdr_frame done;
    u(17) folded;      // its sum's two words added up
};

#endif
