// SPDX-License-Identifier: BSD-2-Clause
/*
 * desc.h - what flows between kernels. Each struct is one item of one kind of
 * stream; nic.def says which kernels it connects. Wire, host and table layouts
 * are not here: they are rows in defs/.
 */
#ifndef MR_DESC_H
#define MR_DESC_H

#include "mr_defs.h"
#include "params.h"
#include "stream.h"

/* ---- configuration, from ctrl to every kernel that owns a table ---- */

/** One table entry written by the host. */
struct cfg_write {
    u(8) table;    // MR_TBL_*
    u(16) index;   // entry
    u(16) life;    // counts writes of stream entries, wraps: tells what is of an earlier use of a stream
    bool drain;    // the host waits until nothing of the old entry is under way
    u(512) bits;   // the entry, layout of the table
};

/** Read of one path's telemetry or histogram, and its answer. */
struct tele_req {
    u(16) row;  // path entry
};
struct tele_rsp {
    u(512) bits;  // layout tele or hist
};

/** A round trip time, for the path's histogram. */
struct rtt_note {
    u(16) row;
    u(32) rtt;  // MR_TS_NS
};

/* ---- receive ---- */

/** Bytes of a frame for the integrity value; mutable fields already replaced. [spec 3] */
struct crc_beat {
    u(512) data;  // bytes outside the covered range are 0; the initial value is folded in
    u(7) n;       // with last: covered range ends behind byte n - 1 of this beat, 0 to 64
    bool last;    // ends the frame's value and starts the next
};

/** Value behind a crc_beat with last. */
struct crc_sum {
    u(32) crc;  // register after 64 bytes of the last beat (icrc_acc), or rewound to n (icrc_fix); no final inversion
    u(7) n;     // as in the last crc_beat
};

/** A frame's first 128 bytes and what the beats told; sent with its last beat. */
struct rx_frame {
    u(1024) hdr;   // bytes behind the frame's end are 0
    u(16) len;     // bytes from the MAC, saturated
    bool bad;      // MAC error, truncated against its IP length, or longer than the limit
    bool has_pay;  // beats of this frame stand in the payload FIFO
};

/** Beats 1 to the end of a frame, as received, for rx_place. */
struct pay_beat {
    u(512) data;
    bool last;  // last one of this frame in the payload FIFO
};

/** A parsed frame. Every frame yields one, in order, so that its payload is drained. */
struct rx_pkt {
    struct mr_base base;
    u(336) ext;      // the extension's bytes, byte 0 in bits 7:0
    u(128) saddr;    // as in layout conn
    u(128) daddr;
    u(48) dmac;      // first byte on the wire highest
    u(16) sport;     // UDP source port
    u(8) payload_at; // offset of the payload in the frame, at least 64
    bool ipv6;
    bool ce;         // arrived with the CE mark
    bool drop;       // nothing but drain; already counted
    bool has_pay;
};

/** A packet that passed rx_check: on its way to the path's sequence. */
struct rx_seq {
    u(16) conn;      // connection index
    u(7) path;
    u(16) row;       // path entry
    u(4) kind;       // MR_KIND_DATA, MR_KIND_PATH; others only drain
    bool close;      // MR_KIND_PATH: CLOSE, not a probe
    u(8) epoch;      // incarnation of the path
    u(16) sport;     // what answers this packet leaves with the same port
    u(3) plane;      // and on the same plane
    u(24) psn;
    u(32) ts;
    u(8) err;        // MR_ERR_*: refuse with this code
    u(64) bus;       // bus address of the payload's destination
    u(16) len;       // payload bytes
    u(24) stream;    // own stream number
    u(32) msg;
    u(32) offset;
    u(24) peer_stream;  // number to name in an error notification
    u(8) payload_at;
    bool ce;
    bool drop;
    bool has_pay;
    u(8) opcode;     // DATA: MR_OP_*
    u(8) flags;      // MR_FLAG_*
    u(320) ext;      // data or atomic extension, byte 0 in bits 7:0
    u(5) pieces;     // from rx_recv on: as in rx_deal
    bool value;      // from rx_recv on: as in rx_deal
    bool mark;       // no packet, and no frame: of `keys`
    u(16) recv;      // from rx_recv on: index of the receive that takes the message, modulo 2^16
};

/** What rx_place does with the beats of one frame. */
struct rx_put {
    u(64) bus;       // destination
    u(16) len;       // bytes to write; 0 = only drain
    u(8) payload_at; // offset of the payload in the frame, 64 to 127
    bool has_pay;    // beats to take from the payload FIFO
};

/** What becomes of a frame's payload: for rx_split, which makes rx_puts of it. */
struct rx_deal {
    u(64) bus;       // destination, with one piece; `pieces` others come from rx_recv
    u(16) len;       // payload bytes to write; 0 = none: drain, and drop the pieces
    u(5) pieces;     // 0 = one, at bus; else so many of struct piece
    bool value;      // not from the frame: the 8 bytes of `data`, lowest first, go to bus; len is 8
    u(64) data;
    u(8) payload_at; // as in rx_put
    bool has_pay;
};

/** A piece of local memory: a packet's payload is cut into, or put together from, 1 to 16 of them. */
struct piece {
    u(64) bus;
    u(13) len;  // from 1
    bool last;  // of the packet
};

/** The reads that make up a frame's payload, for tx_join; one item per read. */
struct join {
    bool one;   // the only one: its beats go on as they are
    u(6) at;    // offset of the first byte in the first beat
    u(13) len;
    bool last;  // of the frame; the beats of the frame then begin at offset 0
};

/** A path: its connection, its number there, its entry. */
struct path_id {
    u(16) conn;
    u(7) path;
    u(16) row;
};

/** A frame came in: what the shares of the inbound link are computed from. */
struct arrival {
    u(16) conn;
    u(16) bytes;  // on the wire, whole
    bool ce;
    bool data;    // not a probe
};

/** An acknowledgment, outbound (tx_hdr) and inbound (tx_ack). */
struct ack {
    u(16) conn;
    u(7) path;
    u(16) row;
    u(8) epoch;   // incarnation of the path
    bool closed;  // the last one of it: CLOSED; of the rest only ts, psn, bits hold
    u(16) sport;  // outbound: the port of what it answers
    u(3) plane;   // likewise
    u(24) psn;    // first number not received
    u(32) ts;     // echo
    u(16) edge;
    u(16) ce;
    u(32) hint;
    u(16) delay;
    u(256) bits;
};

/** Writes of one packet that rx_place is to do, for ack_gate. */
struct ordered {
    u(16) conn;
    u(5) n;  // how many
};

/** A packet was accepted: what the messages of a stream are put together from. */
struct got {
    u(16) conn;
    u(16) stream;
    u(8) opcode;  // MR_OP_*, not NULL
    u(8) flags;   // MR_FLAG_*
    u(16) len;    // payload bytes
    u(16) recv;   // index of the receive, modulo 2^16
    u(320) ext;   // data or atomic extension
};

/** An accepted packet that waits for the writes ordered up to its own. */
struct held_got {
    struct got got;
    bool mark;     // not a packet: of `keys`
    u(16) writes;  // number of the last of them, modulo 2^16
};

/** An acknowledgment that waits for the writes ordered before it. */
struct held_ack {
    struct ack ack;
    u(16) writes;  // number of the last of them, modulo 2^16
};

/** An error notification, outbound (tx_hdr) and inbound (tx_ack). */
struct err_note {
    u(16) conn;
    u(7) path;
    u(16) row;
    u(8) epoch;
    u(16) sport;   // as in ack
    u(3) plane;
    u(24) psn;
    u(32) ts;      // of the refused packet
    u(8) code;
    u(24) stream;  // the receiver's number of it
    u(32) msg;
    u(32) offset;
};

/* ---- transmit ---- */

/** Doorbell from the host. */
struct doorbell {
    u(16) stream;
    u(16) pidx;  // producer index, slots modulo 2^16
};

/** tx_sched tells tx_wqe of queue entries that are being read, with one read. */
struct fetch {
    u(16) stream;
    u(16) conn;
    u(16) widx;           // queue index of the first
    u(2) stride;          // log2 of the slots per entry
    u(64) bus;            // bus address of the first
    u(32) msg;            // its message number
    u(MR_AHEAD_LOG2) slot;  // its place among those that tx_seg has per stream
};

/** A queue entry, read and looked at. */
struct msg {
    u(16) stream;
    u(16) conn;
    u(16) widx;
    u(32) msg;
    u(MR_AHEAD_LOG2) slot;
    u(8) opcode;
    u(8) flags;   // MR_WQEF_*
    u(32) length;
    u(64) raddr;
    u(32) rkey;
    u(32) imm;
    u(64) laddr;
    u(32) lkey;
    u(32) match;  // Send, Write with immediate: which of the peer's receives
    bool list;    // the local ranges are a list, which tx_check has
    bool bus;     // laddr is a bus address: data in the entry
    u(8) err;     // MR_ERR_*: entry refused; of a response: the answer
};

/*
 * An atomic has no local range to send: laddr = compare, (lkey, imm) = swap, upper
 * half first. Of responses: READ_RSP laddr, lkey = source at the responder;
 * ATOMIC_RSP raddr = value; imm = code in both.
 */

/** The scatter/gather list of a send queue entry with more than one, layout sge, first lowest. */
struct sgl {
    u(16) stream;
    u(32) msg;
    u(2048) sges;
};

/** A Read or atomic was taken from the send queue: where its answer will go. */
struct request {
    u(16) stream;
    u(32) msg;
    u(8) opcode;    // MR_OP_READ or an atomic
    u(32) length;   // bytes of the answer; of an atomic 8
    u(2048) sges;   // as in sgl
};

/** Receives of a queue were read from host memory, one item each, in order. */
struct recv_entry {
    u(16) rq;
    u(2048) sges;  // as in sgl
};

/** What rx_msg has ended. */
struct ended {
    u(16) stream;
    bool request;  // a Read or atomic of ours was answered
    u(32) msg;     // request: its number
    bool recv;     // a receive was used up
    u(16) index;   // recv: its index, modulo 2^16
    u(32) match;   // recv: the message's match
};

/** The oldest message that is not complete at the receiver. */
struct msg_head {
    u(16) stream;
    u(32) msg;
};

/** An atomic to be executed here. */
struct atom {
    u(16) stream;
    u(8) life;     // of the stream: goes back with the outcome
    u(32) msg;
    bool add;      // else compare-and-swap
    u(64) addr;
    u(32) key;
    u(16) pd;
    u(64) compare; // or what is added
    u(64) swap;
};

/** Its outcome. */
struct atom_done {
    u(16) stream;
    u(8) life;     // as in atom
    u(32) msg;
    u(64) value;   // before; 0 with a code
    u(8) code;     // MR_ERR_*
};

/** A receive queue's doorbell. */
struct rq_bell {
    u(16) rq;
    u(16) pidx;  // producer index, entries modulo 2^16
};

/** A receive queue. */
struct rq_id {
    u(16) rq;
};

enum pkt_ctl {
    PKT_DATA = 0,
    PKT_PROBE = 1,  // only conn, path, row, epoch, psn, ts, via, port hold
    PKT_CLOSE = 2,  // likewise
    PKT_PORT = 3,   // no frame: only via and port hold
    PKT_MARK = 4,   // no frame: of `keys`, behind tx_check
};

/**
 * A data packet, from segmentation to the wire; also what the slot store keeps.
 * Path control takes the same way, because order matters between the two.
 */
struct pkt {
    u(3) ctl;      // enum pkt_ctl
    u(16) via;     // path entry whose source port and plane it leaves with; from tx_path on
    u(16) port;    // new source port of that entry, 0 = as it was; from tx_path on
    u(3) plane;    // PKT_PORT: new plane of that entry
    u(16) conn;
    u(7) path;     // from tx_path on
    u(16) row;     // from tx_path on; before, with `one`: a path entry of the only group
    bool one;      // from tx_seg: the connection has one group of paths
    u(8) epoch;    // from tx_path on
    u(24) psn;     // from tx_path on
    u(32) ts;      // from tx_path on
    u(16) stream;  // own number
    u(16) life;    // of the stream, as in cfg_write
    u(24) peer;    // the peer's stream number
    u(16) pd;
    u(32) msg;
    u(32) offset;
    u(32) msg_len;
    u(13) len;     // payload bytes
    u(8) opcode;
    u(8) flags;    // MR_FLAG_*
    u(64) raddr;   // of this packet
    u(32) rkey;
    u(32) imm;
    u(64) laddr;   // of this packet; behind tx_check the bus address
    u(32) lkey;
    u(32) match;
    bool rsp;      // a response: READ_RSP, ATOMIC_RSP
    bool list;     // its local ranges are a list; behind tx_check: the payload comes in pieces
    bool bus;      // laddr is a bus address
};

enum verdict_kind { VERDICT_SENT = 0, VERDICT_BLOCKED = 1, VERDICT_WAKE = 2 };

/** tx_path's answer to tx_seg. */
struct verdict {
    u(2) kind;
    u(16) stream;  // SENT, BLOCKED
    bool rsp;      // likewise
    u(16) conn;
    u(13) len;     // SENT: payload bytes
    bool last;     // SENT: last packet of its message
    bool asks;     // SENT: a Read or atomic of ours
};

enum sent_kind {
    SENT_NEW = 0,
    SENT_AGAIN = 1,    // retransmission
    SENT_DROPPED = 2,  // retransmission of an incarnation that has ended: did not leave
};

/** tx_path tells tx_ack what left. */
struct sent {
    u(2) kind;   // enum sent_kind
    u(16) row;
    u(8) epoch;
    u(24) psn;
    u(32) ts;
    u(13) len;   // payload bytes
};

enum path_what {
    WHAT_PROBE = 0,   // a probe; `port` is its path's from then on, if not 0
    WHAT_CLOSE = 1,   // the incarnation ends: CLOSE over a path that works
    WHAT_REOPEN = 2,  // the next incarnation begins, on trial: a probe as above
};

/** tx_ack has something to do for a path that is not data. */
struct path_ctl {
    u(2) what;    // enum path_what
    u(16) conn;
    u(7) path;
    u(16) row;
    u(16) port;
    u(8) epoch;   // REOPEN: the new one
    u(9) cwnd;    // REOPEN: its window
    u(4) turn;    // CLOSE: which of the paths that work
    bool quiet;   // PROBE: the one before was not answered
    bool dead;    // PROBE: nor were the others, and no path works
};

/** tx_ack's news for tx_path. */
struct credit {
    u(16) conn;
    u(16) row;
    u(24) una;    // new oldest unacknowledged number
    u(9) freed;   // packets that got acknowledged
    u(9) cwnd;    // window from now on
    bool marked;  // the path's queue is marked by the fabric
    bool live;    // the path carries data; else its incarnation is ending
    u(32) hint;   // what the receiver allots, Mbit/s; 0 = nothing said
    u(32) srtt;   // MR_TS_NS
    u(16) after;  // slot.served at which the places of these packets have been read, and may be written
};

enum slot_why { SLOT_DONE = 0, SLOT_RESEND = 1, SLOT_ERROR = 2, SLOT_MOVE = 3 };

/** Asks the slot store for the packet (row, psn). */
struct slot_req {
    u(16) conn;
    u(7) path;
    u(16) row;
    u(8) epoch;
    u(24) psn;
    u(2) why;
    u(8) code;   // SLOT_ERROR: MR_ERR_*
};

/** Packets of an incarnation that has ended, to be sent on other paths. */
struct move {
    u(16) conn;
    u(7) path;
    u(16) row;
    u(24) base;    // number that `left` begins at
    u(256) left;   // numbers that did not arrive
    u(32) since;   // when the last one got away
};

/** tx_path's answer to a packet to be moved. */
struct moved {
    bool ok;  // left; else there was no room on any path
};

/** All packets of a path have been moved, or have failed. */
struct moved_all {
    u(16) row;
};

/** A packet of a message got acknowledged. */
struct done {
    u(16) stream;
    u(16) life;  // from slot: of the stream, as in cfg_write
    u(32) msg;
};

/** A message failed. */
struct fail {
    u(16) stream;
    u(32) msg;
    u(8) code;  // MR_ERR_*
    u(16) life; // from those who handle packets: of the stream, as in cfg_write
    bool rsp;   // it is a response
};

/** A packet was refused with RNR. */
struct rnr_note {
    u(16) stream;
    u(16) life;  // as in done
    u(16) conn;
    u(32) msg;
};

/** The stream is to wait. */
struct rnr_wait {
    u(16) stream;
    u(16) conn;
    u(4) turn;  // how often in a row, from 0, saturates
};

/** A stream waits after RNR, or may go on. */
struct hold {
    u(16) stream;
    u(16) conn;
    bool on;
};

/** A message was begun. */
struct start {
    u(16) stream;
    u(16) life;  // as in done
    u(32) msg;
    u(24) packets;
    u(16) widx;
    u(8) opcode;
    u(32) length;
    bool signaled;
    u(8) err;
};

/** A stream. */
struct stream_id {
    u(16) stream;
};

/** A Read or atomic of the stream is complete. */
struct answered {
    u(16) stream;
    u(16) conn;
    bool go;  // not that: a local operation on a key is the stream's oldest message
};

/** Messages, or places for entries, came free. */
struct stream_count {
    u(16) stream;
    u(4) n;
};

/** The stream sends nothing new, and nothing again from this message on. */
struct stop {
    u(16) stream;
    u(16) life;  // as in done
    u(32) msg;
    bool rsp;  // its responses
    bool hard; // with rsp: answers with an error too
};

/** A local operation on a key, of a stream's send queue. */
struct key_op {
    u(16) stream;
    u(16) pd;
    u(32) msg;
    bool bind;     // else invalidate
    u(32) key;     // to be invalidated; BIND: the window's new one
    u(32) region;  // BIND: key of the region
    u(8) rights;   // BIND
    u(64) addr;    // BIND: of the window
    u(32) len;     // BIND: 0 = unbind
};

/** Comes out behind everything that was judged before it. */
struct key_mark {
    bool mark;
};

/** A completion on its way to the host. */
struct completion {
    u(16) cq;
    u(16) pd;  // of a receive's stream
    struct mr_cqe cqe;  // phase and time are set by the cqe kernel
};

enum bell_kind {
    BELL_CQ = 0,       // how far the queue was read
    BELL_ARM = 1,      // and an event for what comes then
    BELL_ARM_SOL = 2,  // the same, if it is solicited or an error
    BELL_EQ = 3,       // how far the event queue was read
};

/** A doorbell of a completion queue, or of the event queue. */
struct cq_bell {
    u(2) kind;   // enum bell_kind
    u(16) cq;    // not with BELL_EQ
    u(16) cidx;  // consumer index, entries modulo 2^16
};

/** Something happened to a path. */
struct path_note {
    u(3) type;   // MR_EVT_PATH_*, CONN_DEAD, or LOST: the rest does not hold
    u(16) conn;
    u(7) path;
};

/** A frame to build: headers are ready, payload is on its way from the host. */
struct tx_frame {
    u(1024) hdr;     // Ethernet to extension, bytes behind hlen are 0
    u(8) hlen;       // 58 to 124; 64 or more in front of payload
    u(13) pay_len;   // payload bytes, 0 to 4096
    u(6) pay_at;     // low bits of the payload's bus address
    u(5) l3_at;      // offset of the IP header, 14 or 18
    bool ipv6;
    u(16) stream;    // for the report of a failed payload read
    u(16) life;
    u(32) msg;
    bool rsp;
};

/** A frame's beats before the integrity value is put behind them. */
struct tx_beat {
    u(512) data;  // bytes behind n are 0
    u(7) n;       // valid bytes: 64 but in the last beat, there 1 to 64
    bool last;
    bool poison;  // with last: the payload read failed, spoil the integrity value
};

#endif
