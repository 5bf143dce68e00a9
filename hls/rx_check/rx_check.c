// SPDX-License-Identifier: BSD-2-Clause
#include "rx_check/rx_check.h"

#include "key.h"
#include "plane.h"

typedef u(MR_CONNS_LOG2) conn_ix;
typedef u(MR_STREAMS_LOG2) stream_ix;
typedef u(MR_KEYS_LOG2) key_ix;

MR_INLINE void check_config(struct rx_check *k)
{
    struct cfg_write w = k->cfg.data;
    struct mr_conn c = mr_conn_unpack(w.bits);
    struct mr_stream s = mr_stream_unpack((u(256))w.bits);

    mr_take(k->cfg);
    if (w.table == MR_TBL_CONN)
        k->conns[(conn_ix)w.index] = (struct check_conn){.open = c.state == 1,
            .ipv6 = (c.flags & MR_CONNF_IPV6) != 0, .local = c.local, .saddr = c.saddr,
            .daddr = c.daddr, .smac = c.smac, .npaths = c.npaths, .group = c.group, .nplanes = plane_count(c),
            .plane_at = (u(4))c.plane_at, .mtu = c.mtu};
    else if (w.table == MR_TBL_STREAM)
        k->streams[(stream_ix)w.index] = (struct check_stream){
            .open = s.state == 1, .conn = s.conn, .peer = s.peer, .pd = s.pd};
    else if (w.table == MR_TBL_KEY)
        k->keys[(key_ix)w.index] = (u(256))w.bits;
    k->took++;
}

/** Is the packet one of this connection's, from its peer to us, on that plane? */
MR_INLINE bool check_conn(struct check_conn c, struct rx_pkt p, u(3) plane)
{
    u(128) bits = plane_bits(plane, c.plane_at);

    return c.open && c.local == p.base.conn && c.ipv6 == p.ipv6 && (u(4))plane < c.nplanes &&
           (c.saddr ^ bits) == p.daddr && (c.daddr ^ bits) == p.saddr &&
           (c.smac ^ (u(48))plane) == p.dmac && p.base.path < c.npaths;
}

MR_INLINE bool check_atomic(u(8) op)
{
    return op == MR_OP_CMP_SWAP || op == MR_OP_FETCH_ADD;
}

/** The data extension; of an atomic, whose operands stand there, without lengths. [spec 3.7.1] */
MR_INLINE struct mr_data check_ext(struct rx_pkt p)
{
    struct mr_data d = mr_data_unpack((u(320))p.ext);

    if (check_atomic(p.base.opcode)) {
        d.offset = d.msg_len = 0;
        d.pay_len = 0;
    }
    return d;
}

/** Lengths and LAST of a message that is cut into packets. [spec 3.3.3] */
MR_INLINE bool check_sized(struct mr_data d, bool flag, u(16) mtu)
{
    u(33) end = (u(33))d.offset + (u(33))d.pay_len;
    bool last = end == (u(33))d.msg_len;
    bool whole = ((u(16))d.offset & (mtu - (u(16))1)) == 0;  // mtu is a power of two

    return last == flag && whole && d.msg_len <= MR_WIRE_MSG_MAX && end <= (u(33))d.msg_len &&
           d.pay_len <= mtu && (last || d.pay_len == mtu);
}

/** Opcode, lengths, and the place among the messages; an answer is looked at by rx_recv. */
MR_INLINE bool check_op(struct rx_check *k, struct rx_pkt p, struct mr_data d)
{
    u(8) op = p.base.opcode;
    bool last = (p.base.flags & MR_FLAG_LAST) != 0;
    bool answer = op == MR_OP_READ_RSP || op == MR_OP_ATOMIC_RSP;
    bool bytes = op == MR_OP_WRITE || op == MR_OP_WRITE_IMM || op == MR_OP_SEND || op == MR_OP_SEND_IMM ||
                 op == MR_OP_SEND_INV || op == MR_OP_READ_RSP;
    bool alone = last && d.offset == 0 && d.pay_len == 0 && d.msg_len <= MR_WIRE_MSG_MAX;
    bool sized = bytes ? check_sized(d, last, k->conn_q.mtu) : alone && (op == MR_OP_READ || d.msg_len == 0);
    bool known = bytes || op == MR_OP_READ || check_atomic(op) || op == MR_OP_ATOMIC_RSP;
    bool there = answer || (u(32))(d.msg - k->head_q) < MR_TRACK;

    return known && sized && there;
}

/** The right that an operation needs at the responder; 0 = no key is looked at here. */
MR_INLINE u(8) check_right(u(8) op)
{
    return op == MR_OP_WRITE || op == MR_OP_WRITE_IMM ? (u(8))MR_RIGHT_REMOTE_WRITE
           : op == MR_OP_READ                         ? (u(8))MR_RIGHT_REMOTE_READ
           : check_atomic(op)                         ? (u(8))MR_RIGHT_REMOTE_ATOMIC
                                                      : (u(8))0;
}

/** Would the data packet be carried out? MR_ERR_OK, or why not. [spec 4.4.1] */
MR_INLINE u(8) check_data(struct rx_check *k, struct rx_pkt p, struct mr_data d)
{
    struct check_stream s = k->stream_q;
    u(8) op = p.base.opcode;
    u(8) right = check_right(op);
    u(32) len = op == MR_OP_READ ? d.msg_len : check_atomic(op) ? (u(32))MR_WIRE_ATOMIC : (u(32))d.pay_len;
    struct key_use use = {.key = d.key, .pd = s.pd, .right = right, .addr = d.addr, .len = len};
    u(2) key = key_check(mr_key_unpack(k->key_q), use);

    if (op == MR_OP_NULL)
        return d.pay_len == 0 ? (u(8))MR_ERR_OK : (u(8))MR_ERR_REMOTE_OP;
    if (!s.open || s.conn != (u(16))p.base.conn || d.stream >= MR_STREAMS)
        return MR_ERR_REMOTE_STREAM;
    if (!check_op(k, p, d))
        return MR_ERR_REMOTE_OP;
    if (right == 0 || len == 0)
        return MR_ERR_OK;
    if (key != KEY_OK)
        return key == KEY_BOUNDS  ? (u(8))MR_ERR_REMOTE_BOUNDS
               : key == KEY_RIGHT ? (u(8))MR_ERR_REMOTE_RIGHT
                                  : (u(8))MR_ERR_REMOTE_KEY;
    return check_atomic(op) && ((u(3))d.addr != 0) ? (u(8))MR_ERR_REMOTE_ALIGN : (u(8))MR_ERR_OK;
}

/** The entry of the packet's path. */
MR_INLINE u(16) check_row(struct check_conn c, struct rx_pkt p)
{
    return (u(16))(c.group << MR_GROUP_LOG2) + (u(16))p.base.path;
}

MR_INLINE struct rx_seq check_seq(struct rx_check *k, struct rx_pkt p, u(3) plane, bool drop)
{
    struct mr_data d = check_ext(p);
    struct mr_key e = mr_key_unpack(k->key_q);
    bool data = p.base.kind == MR_KIND_DATA;

    return (struct rx_seq){.conn = (u(16))p.base.conn, .path = (u(7))p.base.path,
        .row = check_row(k->conn_q, p), .kind = p.base.kind,
        .close = p.base.kind == MR_KIND_PATH && p.base.opcode == MR_PATHOP_CLOSE,
        .sport = p.sport, .plane = plane, .epoch = p.base.epoch, .psn = p.base.psn, .ts = p.base.ts,
        .err = data ? check_data(k, p, d) : (u(8))MR_ERR_OK, .bus = e.bus + (d.addr - e.va),
        .len = data ? d.pay_len : (u(16))0, .stream = d.stream, .msg = d.msg, .offset = d.offset,
        // A stream that is not ours has no known peer: the number goes back as it came.
        .peer_stream = k->stream_q.open ? k->stream_q.peer : d.stream, .payload_at = p.payload_at,
        .ce = p.ce, .drop = drop, .has_pay = p.has_pay,
        .opcode = p.base.opcode, .flags = p.base.flags, .ext = (u(320))p.ext};
}

/** An acknowledgment, or the last one of an incarnation. */
MR_INLINE struct ack check_ack(struct rx_check *k, struct rx_pkt p, bool closed)
{
    struct mr_ack a = mr_ack_unpack(p.ext);
    struct mr_closed c = mr_closed_unpack((u(288))p.ext);

    return (struct ack){.conn = (u(16))p.base.conn, .path = (u(7))p.base.path,
        .row = check_row(k->conn_q, p), .epoch = p.base.epoch, .closed = closed, .psn = p.base.psn,
        .ts = p.base.ts, .edge = a.edge, .ce = a.ce, .hint = a.hint, .delay = a.delay,
        .bits = closed ? c.bits : a.bits};
}

MR_INLINE void check_packet(struct rx_check *k)
{
    struct rx_pkt p = k->pkt_r;
    u(3) plane = plane_of(k->conn_q.daddr ^ p.saddr, k->conn_q.plane_at);
    bool known = check_conn(k->conn_q, p, plane);
    bool pass = !p.drop && known;
    struct mr_error n = mr_error_unpack((u(96))p.ext);
    bool closed = p.base.kind == MR_KIND_PATH && p.base.opcode == MR_PATHOP_CLOSED;
    bool onward = p.base.kind == MR_KIND_DATA || (p.base.kind == MR_KIND_PATH && !closed);

    if (!k->seq.ready || !k->ack.ready || !k->note.ready)
        return;
    k->busy = false;
    k->cnt_rx_bad_conn += !p.drop && !known;
    k->cnt_rx_path_ctl += pass && p.base.kind == MR_KIND_PATH;
    mr_put(k->seq, check_seq(k, p, plane, !pass || !onward));
    if (pass && (p.base.kind == MR_KIND_ACK || closed))
        mr_put(k->ack, check_ack(k, p, closed));
    if (pass && p.base.kind == MR_KIND_ERROR)
        mr_put(k->note, (struct err_note){.conn = (u(16))p.base.conn, .path = (u(7))p.base.path,
            .row = check_row(k->conn_q, p), .epoch = p.base.epoch, .psn = p.base.psn, .ts = p.base.ts,
            .code = n.code, .stream = n.stream, .msg = n.msg, .offset = n.offset});
}

MR_KERNEL(rx_check)
{
    if (k->busy) {
        check_packet(k);
    } else if (k->cfg.valid) {
        check_config(k);
    } else if (k->mark.valid) {
        if (k->seq.ready) {
            mr_take(k->mark);
            mr_put(k->seq, (struct rx_seq){.mark = true});
        }
    } else if (k->pkt.valid) {
        struct mr_data d = mr_data_unpack((u(320))k->pkt.data.ext);
        mr_take(k->pkt);
        k->pkt_r = k->pkt.data;
        k->conn_q = k->conns[(conn_ix)k->pkt.data.base.conn];
        k->stream_q = k->streams[(stream_ix)d.stream];
        k->key_q = k->keys[(key_ix)(d.key >> 8)];
        k->head_q = k->heads[(stream_ix)d.stream];
        k->busy = true;
    }
    if (k->head.valid) {
        mr_take(k->head);
        k->heads[(stream_ix)k->head.data.stream] = k->head.data.msg;
    }
}
