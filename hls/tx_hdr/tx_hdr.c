// SPDX-License-Identifier: BSD-2-Clause
#include "tx_hdr.h"

#include "plane.h"

typedef u(MR_GROUPS_LOG2 + MR_GROUP_LOG2) row_ix;

enum {
    UDP_BYTES = 8,
    IPV4_BYTES = 20,
    IPV6_BYTES = 40,
    PROTOCOL_UDP = 17,
    IPV4_VERSION = 0x45,
    IPV4_DF = 0x4000,
    ECN_CAPABLE = 2,
    HDR_BEATS_MAX = 65,  // of a payload that begins inside a beat
};

/* ---- first step: one of the three inputs becomes the item ---- */

/** Data extension: fields that an opcode gives no meaning are 0. [spec 3.3.5] */
MR_INLINE u(320) data_of(struct pkt p)
{
    bool write = p.opcode == MR_OP_WRITE || p.opcode == MR_OP_WRITE_IMM;
    bool send = p.opcode == MR_OP_SEND || p.opcode == MR_OP_SEND_IMM || p.opcode == MR_OP_SEND_INV;
    bool keyed = write || p.opcode == MR_OP_READ;
    bool answer = p.opcode == MR_OP_READ_RSP || p.opcode == MR_OP_ATOMIC_RSP;
    bool imm = answer || p.opcode == MR_OP_WRITE_IMM || p.opcode == MR_OP_SEND_IMM || p.opcode == MR_OP_SEND_INV;
    bool match = send || p.opcode == MR_OP_WRITE_IMM;

    return mr_data_pack((struct mr_data){
        .stream = p.peer,
        .msg = p.msg,
        .offset = p.offset,
        .msg_len = p.msg_len,
        .pay_len = p.len,
        .addr = keyed || answer ? p.raddr : (u(64))0,
        .key = keyed ? p.rkey : (u(32))0,
        .imm = imm ? p.imm : (u(32))0,
        .match = match ? p.match : (u(32))0,
    });
}

/** An atomic's operands travel in the places of local range and immediate. */
MR_INLINE u(320) atomic_of(struct pkt p)
{
    return mr_atomic_pack((struct mr_atomic){.stream = p.peer, .msg = p.msg, .compare = p.laddr,
        .swap_hi = p.lkey, .addr = p.raddr, .key = p.rkey, .swap_lo = p.imm});
}

/** Only what names the message: its number closes a gap. [spec 7.9] */
MR_INLINE u(320) null_of(struct pkt p)
{
    return mr_data_pack((struct mr_data){.stream = p.peer, .msg = p.msg, .offset = p.offset, .msg_len = p.msg_len});
}

MR_INLINE struct tx_item item_of_data(struct pkt p)
{
    bool null = p.opcode == MR_OP_NULL;
    bool atomic = p.opcode == MR_OP_CMP_SWAP || p.opcode == MR_OP_FETCH_ADD;
    return (struct tx_item){
        .kind = MR_KIND_DATA,
        .opcode = p.opcode,
        .flags = p.flags,
        .conn = p.conn,
        .path = p.path,
        .epoch = p.epoch,
        .via = p.via,
        .psn = p.psn,
        .ts = p.ts,
        .ext_len = MR_DATA_BYTES,
        .ext = null ? null_of(p) : atomic ? atomic_of(p) : data_of(p),
        .len = null ? (u(13))0 : p.len,
        .list = p.list,
        .bus = p.list ? (u(64))0 : p.laddr,
        .stream = p.stream,
        .life = p.life,
        .msg = p.msg,
        .rsp = p.rsp,
    };
}

MR_INLINE struct tx_item item_of_ack(struct ack a)
{
    struct mr_ack ext = {
        .edge = a.edge, .ce = a.ce, .hint = a.hint, .delay = a.delay, .bits = a.bits,
    };
    struct mr_closed last = {.bits = a.bits};
    return (struct tx_item){
        .kind = a.closed ? (u(4))MR_KIND_PATH : (u(4))MR_KIND_ACK,
        .opcode = a.closed ? (u(8))MR_PATHOP_CLOSED : (u(8))MR_ACKOP_ACK,
        .conn = a.conn,
        .path = a.path,
        .epoch = a.epoch,
        .answer = true,
        .sport = a.sport,
        .plane = a.plane,
        .psn = a.psn,
        .ts = a.ts,
        .ext_len = a.closed ? (u(6))MR_CLOSED_BYTES : (u(6))MR_ACK_BYTES,
        .ext = a.closed ? (u(336))mr_closed_pack(last) : (u(336))mr_ack_pack(ext),
    };
}

MR_INLINE struct tx_item item_of_err(struct err_note e)
{
    struct mr_error ext = {
        .code = e.code, .stream = e.stream, .msg = e.msg, .offset = e.offset,
    };
    return (struct tx_item){
        .kind = MR_KIND_ERROR,
        .opcode = MR_ERROROP_ERROR,
        .conn = e.conn,
        .path = e.path,
        .epoch = e.epoch,
        .answer = true,
        .sport = e.sport,
        .plane = e.plane,
        .psn = e.psn,
        .ts = e.ts,
        .ext_len = MR_ERROR_BYTES,
        .ext = mr_error_pack(ext),
    };
}

/** Path control: a probe, CLOSE, or only a new source port. */
MR_INLINE struct tx_item item_of_ctl(struct pkt p)
{
    struct mr_close ext = {.reason = MR_REASON_PATH_DEAD};
    bool close = p.ctl == PKT_CLOSE;
    return (struct tx_item){
        .kind = p.ctl == PKT_PORT || p.ctl == PKT_MARK ? (u(4))0 : (u(4))MR_KIND_PATH,
        .mark = p.ctl == PKT_MARK,
        .opcode = close ? (u(8))MR_PATHOP_CLOSE : (u(8))MR_PATHOP_PROBE,
        .conn = p.conn,
        .path = p.path,
        .epoch = p.epoch,
        .plane = p.plane,
        .via = p.via,
        .port = p.port,
        .psn = p.psn,
        .ts = p.ts,
        .ext_len = close ? (u(6))MR_CLOSE_BYTES : (u(6))0,
        .ext = close ? (u(336))mr_close_pack(ext) : (u(336))0,
    };
}

/** Aligned beats that a read of the item's payload returns. */
MR_INLINE u(16) hdr_read_beats(struct tx_item i)
{
    u(16) end = (u(16))(u(6))i.bus + (u(16))i.len + (u(16))63;
    return i.len == 0 || i.list ? (u(16))0 : (u(16))(end >> 6);  // of a list: piece by piece
}

/**
 * Is there room for a data packet's read? Those that were begun and are not counted
 * in `room` yet are three at most: far from the limit they do not matter, else
 * data waits until it is known what they read.
 */
MR_INLINE bool hdr_room(struct tx_hdr *k)
{
    bool unknown = (k->item_ok && k->item.len != 0) || (k->read_ok && k->read.len != 0) || k->counted;

    return k->plenty || (k->room && !unknown);
}

MR_INLINE void hdr_pick(struct tx_hdr *k, bool room)
{
    bool data = k->data.valid && room && (k->data_turn || !(k->err.valid || k->ack.valid));
    bool err = !data && k->err.valid;
    bool ack = !data && !err && k->ack.valid;

    k->item_ok = data || err || ack;
    if (data)
        mr_take(k->data);
    if (err)
        mr_take(k->err);
    if (ack)
        mr_take(k->ack);
    if (!k->item_ok)
        return;
    k->item = err   ? item_of_err(k->err.data)
              : ack ? item_of_ack(k->ack.data)
              : k->data.data.ctl != PKT_DATA ? item_of_ctl(k->data.data)
                                             : item_of_data(k->data.data);
    k->data_turn = !data;
}

/* ---- second to fourth step: table entries, lengths, the IPv4 checksum ---- */

/** The item in front writes its port in the same step: see hdr_tables. */
MR_INLINE void hdr_read(struct tx_hdr *k, bool turn, u(16) turn_via, struct hdr_port turn_port)
{
    k->conn_q = k->conn[k->item.conn & (MR_CONNS - 1)];
    k->port_q = k->port[(row_ix)k->item.via];
    k->port_by = turn_port;
    k->port_by_ok = turn && (row_ix)turn_via == (row_ix)k->item.via;
    k->read = k->item;
    k->read_ok = true;
    k->item_ok = false;
    k->udp_len = (u(16))k->item.len + (u(16))k->item.ext_len +
                 (u(16))(UDP_BYTES + MR_BASE_BYTES + MR_WIRE_ICRC_BYTES);
    k->beats = hdr_read_beats(k->item);
}

/** With the ECN bits of every frame. */
MR_INLINE u(8) tos_of(struct mr_conn c)
{
    return (u(8))(c.tos & 0xfc) | (u(8))ECN_CAPABLE;
}

/** The connection with its addresses of that plane. */
MR_INLINE struct mr_conn hdr_conn(u(512) entry, u(3) plane)
{
    struct mr_conn c = mr_conn_unpack(entry);
    u(128) bits = plane_bits(plane, (u(4))c.plane_at);

    c.saddr ^= bits;
    c.daddr ^= bits;
    c.smac ^= (u(48))plane;
    c.dmac ^= (u(48))plane;
    return c;
}

/** `port` is how packets of the item's path leave. */
MR_INLINE void hdr_sum(struct tx_hdr *k, struct hdr_port port)
{
    struct tx_item i = k->read;
    u(3) plane = i.answer ? i.plane : port.plane;
    struct mr_conn c = hdr_conn(k->conn_q, plane);
    bool frame = c.state != 0 && i.kind != 0;
    u(16) fixed = (IPV4_VERSION << 8) + IPV4_DF + PROTOCOL_UDP + IPV4_BYTES;
    u(16) tos_ttl = (u(16))tos_of(c) | (u(16))((u(16))c.ttl << 8);
    struct bytes_sum addr = bytes_sum4(
        (struct bytes_sum){(u(16))c.saddr, (u(16))(c.saddr >> 16)},
        (struct bytes_sum){(u(16))c.daddr, (u(16))(c.daddr >> 16)});
    struct bytes_sum rest = bytes_sum3(tos_ttl, k->udp_len, fixed);
    k->sum = bytes_sum4(addr, rest);
    k->summed = (struct hdr_frame){.item = i, .conn = k->conn_q, .udp_len = k->udp_len, .plane = plane,
        .sport = i.answer ? i.sport : i.port != 0 ? i.port : port.sport};
    // A mark goes on to the last step, behind the pieces of earlier packets.
    k->summed_ok = frame || i.mark;
    k->read_ok = false;
    k->counted |= i.len != 0;
    if (frame)
        k->rd_asked += k->beats;
}

MR_INLINE void hdr_fold(struct tx_hdr *k)
{
    k->folded = (u(17))k->sum.a + k->sum.b;
    k->done = k->summed;
    k->done_ok = true;
    k->summed_ok = false;
}

/* ---- last step: the frame ---- */

MR_INLINE u(160) ipv4_header(struct tx_hdr *k, struct mr_conn c)
{
    u(16) checksum = ~((u(16))k->folded + (u(16))(k->folded >> 16));
    return (u(160))IPV4_VERSION | (u(160))tos_of(c) << 8 |
           (u(160))bytes_swap16(k->done.udp_len + (u(16))IPV4_BYTES) << 16 |
           (u(160))bytes_swap16(IPV4_DF) << 48 | (u(160))c.ttl << 64 |
           (u(160))PROTOCOL_UDP << 72 | (u(160))bytes_swap16(checksum) << 80 |
           (u(160))bytes_reverse((u(32))c.saddr, 4) << 96 |
           (u(160))bytes_reverse((u(32))c.daddr, 4) << 128;
}

MR_INLINE u(320) ipv6_header(struct tx_hdr *k, struct mr_conn c)
{
    u(16) start = (u(16))0x6000 | (u(16))((u(16))tos_of(c) << 4);
    return (u(320))bytes_swap16(start) | (u(320))bytes_swap16(k->done.udp_len) << 32 |
           (u(320))PROTOCOL_UDP << 48 | (u(320))c.ttl << 56 |
           (u(320))bytes_reverse(c.saddr, 16) << 64 | (u(320))bytes_reverse(c.daddr, 16) << 192;
}

/** UDP header to extension. */
MR_INLINE u(528) l4_headers(struct tx_hdr *k, struct mr_conn c)
{
    struct mr_base base = {
        .version = MR_WIRE_VERSION,
        .kind = k->done.item.kind,
        .opcode = k->done.item.opcode,
        .flags = k->done.item.flags,
        .epoch = k->done.item.epoch,
        .conn = c.peer,
        .path = k->done.item.path,
        .psn = k->done.item.psn,
        .ts = k->done.item.ts,
    };
    u(64) udp = (u(64))bytes_swap16(k->done.sport) | (u(64))bytes_swap16(MR_WIRE_UDP_PORT) << 16 |
                (u(64))bytes_swap16(k->done.udp_len) << 32;
    return (u(528))udp | (u(528))mr_base_pack(base) << 64 | (u(528))k->done.item.ext << 192;
}

MR_INLINE void hdr_put(struct tx_hdr *k)
{
    if (k->done.item.mark) {
        k->marks++;
        k->mark_at = k->rd_asked;
        k->done_ok = false;
        return;
    }
    struct mr_conn c = hdr_conn(k->done.conn, k->done.plane);
    bool ipv6 = (c.flags & MR_CONNF_IPV6) != 0;
    bool vlan = (c.flags & MR_CONNF_VLAN) != 0;
    u(528) l4 = l4_headers(k, c);
    u(848) l3 = ipv6 ? (u(848))ipv6_header(k, c) | (u(848))l4 << 320
                     : (u(848))ipv4_header(k, c) | (u(848))l4 << 160;
    u(96) macs = (u(96))bytes_reverse(c.dmac, 6) | (u(96))bytes_reverse(c.smac, 6) << 48;
    u(16) type = bytes_swap16(ipv6 ? 0x86dd : 0x0800);
    u(48) tag = (u(48))bytes_swap16(0x8100) | (u(48))bytes_swap16(c.vlan) << 16 | (u(48))type << 32;
    u(5) l3_at = vlan ? 18 : 14;
    mr_put(k->frame, (struct tx_frame){
        .hdr = (u(1024))macs | (vlan ? (u(1024))tag << 96 | (u(1024))l3 << 144
                                     : (u(1024))type << 96 | (u(1024))l3 << 112),
        .hlen = (u(8))l3_at + (ipv6 ? (u(8))IPV6_BYTES : (u(8))IPV4_BYTES) +
                (u(8))(UDP_BYTES + MR_BASE_BYTES) + (u(8))k->done.item.ext_len,
        .pay_len = k->done.item.len,
        .pay_at = (u(6))k->done.item.bus,
        .l3_at = l3_at,
        .ipv6 = ipv6,
        .stream = k->done.item.stream,
        .life = k->done.item.life,
        .msg = k->done.item.msg,
        .rsp = k->done.item.rsp,
    });
    if (k->done.item.len != 0 && !k->done.item.list) {
        mr_put(k->rd, (struct rd_req){.addr = k->done.item.bus, .len = k->done.item.len});
        mr_put(k->join, (struct join){.one = true});
    }
    k->cnt_tx_frames += 1;
    k->cnt_tx_acks += (u(32))(k->done.item.kind == MR_KIND_ACK);
    k->cnt_tx_probes += (u(32))(k->done.item.kind == MR_KIND_PATH && k->done.item.opcode == MR_PATHOP_PROBE);
    k->cnt_tx_closes += (u(32))(k->done.item.kind == MR_KIND_PATH && k->done.item.opcode != MR_PATHOP_PROBE);
    k->cnt_tx_errors += (u(32))(k->done.item.kind == MR_KIND_ERROR);
    k->done_ok = false;
}

/** A piece of the payload is read; or dropped, when its packet has become NULL. */
MR_INLINE void hdr_piece(struct tx_hdr *k)
{
    struct piece p = k->piece.data;
    u(16) end = (u(16))(u(6))p.bus + (u(16))p.len + (u(16))63;

    mr_take(k->piece);
    if (k->done.item.len == 0)
        return;
    mr_put(k->rd, (struct rd_req){.addr = p.bus, .len = p.len});
    mr_put(k->join, (struct join){.at = (u(6))p.bus, .len = p.len, .last = p.last});
    k->rd_asked += (u(16))(end >> 6);
    k->counted = true;
}

/**
 * Table writes: from the host, or a new port that came with an item, which goes
 * first. The host waits while an item that has read the table is to write it.
 */
MR_INLINE void hdr_tables(struct tx_hdr *k, bool host, bool turn, u(16) via, struct hdr_port port)
{
    struct cfg_write w = k->cfg.data;
    struct mr_path p = mr_path_unpack((u(8 * MR_PATH_BYTES))w.bits);
    bool path = host && w.table == MR_TBL_PATH && p.state != MR_PATHST_PORT;

    if (host)
        mr_take(k->cfg);
    if (host && w.table == MR_TBL_CONN)
        k->conn[w.index & (MR_CONNS - 1)] = w.bits;
    if (turn || path)
        k->port[turn ? (row_ix)via : (row_ix)w.index] =
            turn ? port : (struct hdr_port){.sport = p.sport, .plane = (u(3))p.plane};
}

MR_KERNEL(tx_hdr)
{
    // Each stage moves on when the one behind it is empty or moves on.
    bool reads = k->done.item.len == 0 || (k->rd.ready && k->join.ready);
    bool listed = k->done_ok && k->done.item.list;
    bool piece = listed && reads && k->piece.valid && (k->frame.ready || !k->piece.data.last);
    bool put = k->done_ok && k->frame.ready && reads && (!listed || (piece && k->piece.data.last));
    bool fold = k->summed_ok && (put || !k->done_ok);
    bool sum = k->read_ok && (fold || !k->summed_ok);
    bool read = k->item_ok && (sum || !k->read_ok);
    bool pick = read || !k->item_ok;
    bool room = hdr_room(k);
    u(16) under_way = k->rd_asked - k->rd_taken;
    struct tx_item turner = k->read;
    struct hdr_port port = k->port_by_ok ? k->port_by : k->port_q;
    struct hdr_port new_port = {.sport = turner.port, .plane = turner.kind == 0 ? turner.plane : port.plane};
    bool turns = k->read_ok && turner.port != 0;

    k->room = under_way < TX_HDR_READ_BEATS;
    k->plenty = under_way < TX_HDR_READ_BEATS - 3 * HDR_BEATS_MAX;
    k->counted = false;
    if (piece)
        hdr_piece(k);
    if (put)
        hdr_put(k);
    if (fold)
        hdr_fold(k);
    if (sum)
        hdr_sum(k, port);
    if (read)
        hdr_read(k, sum && turns, turner.via, new_port);
    if (pick)
        hdr_pick(k, room);
    hdr_tables(k, k->cfg.valid && !turns, sum && turns, turner.via, new_port);
}
