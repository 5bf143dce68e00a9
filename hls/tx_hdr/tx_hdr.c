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
};

/* ---- first step: one of the three inputs becomes the item ---- */

MR_INLINE struct tx_item item_of_data(struct pkt p)
{
    bool null = p.opcode == MR_OP_NULL;
    u(13) len = null ? (u(13))0 : p.len;
    struct mr_data ext = {
        .stream = p.peer,
        .msg = p.msg,
        .offset = p.offset,
        .msg_len = p.msg_len,
        .pay_len = len,
        .addr = null ? (u(64))0 : p.raddr,
        .key = null ? (u(32))0 : p.rkey,
        .imm = null ? (u(32))0 : p.imm,
    };
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
        .ext = mr_data_pack(ext),
        .len = len,
        .bus = p.laddr,
        .stream = p.stream,
        .msg = p.msg,
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
        .kind = p.ctl == PKT_PORT ? (u(4))0 : (u(4))MR_KIND_PATH,
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
    return i.len == 0 ? (u(16))0 : (u(16))(end >> 6);
}

MR_INLINE void hdr_pick(struct tx_hdr *k)
{
    bool data = k->data.valid && k->room && (k->data_turn || !(k->err.valid || k->ack.valid));
    bool err = !data && k->err.valid;
    bool ack = !data && !err && k->ack.valid;

    struct tx_item item = err   ? item_of_err(k->err.data)
                          : ack ? item_of_ack(k->ack.data)
                          : k->data.data.ctl != PKT_DATA ? item_of_ctl(k->data.data)
                                                         : item_of_data(k->data.data);
    if (data)
        mr_take(k->data);
    if (err)
        mr_take(k->err);
    if (ack)
        mr_take(k->ack);
    if (data || err || ack) {
        k->item = item;
        k->data_turn = !data;
        k->state = TX_HDR_READ;
    }
}

/* ---- second to fourth step: table entries, lengths, the IPv4 checksum ---- */

MR_INLINE void hdr_read(struct tx_hdr *k)
{
    k->conn_q = k->conn[k->item.conn & (MR_CONNS - 1)];
    k->port_q = k->port[(row_ix)k->item.via];
    k->udp_len = (u(16))k->item.len + (u(16))k->item.ext_len +
                 (u(16))(UDP_BYTES + MR_BASE_BYTES + MR_WIRE_ICRC_BYTES);
    k->beats = hdr_read_beats(k->item);
    k->state = TX_HDR_SUM;
}

/** With the ECN bits of every frame. */
MR_INLINE u(8) tos_of(struct mr_conn c)
{
    return (u(8))(c.tos & 0xfc) | (u(8))ECN_CAPABLE;
}

/** The connection with its addresses of that plane. */
MR_INLINE struct mr_conn hdr_conn(struct tx_hdr *k, u(3) plane)
{
    struct mr_conn c = mr_conn_unpack(k->conn_q);
    u(128) bits = plane_bits(plane, (u(4))c.plane_at);

    c.saddr ^= bits;
    c.daddr ^= bits;
    c.smac ^= (u(48))plane;
    c.dmac ^= (u(48))plane;
    return c;
}

/** A path's source port changes with this item. */
MR_INLINE struct hdr_port hdr_new_port(struct tx_hdr *k)
{
    return (struct hdr_port){.sport = k->item.port,
        .plane = k->item.kind == 0 ? k->item.plane : k->port_q.plane};
}

MR_INLINE void hdr_sum(struct tx_hdr *k)
{
    u(3) plane = k->item.answer ? k->item.plane : k->port_q.plane;
    struct mr_conn c = hdr_conn(k, plane);
    bool frame = c.state != 0 && k->item.kind != 0;
    u(16) fixed = (IPV4_VERSION << 8) + IPV4_DF + PROTOCOL_UDP + IPV4_BYTES;
    u(16) tos_ttl = (u(16))tos_of(c) | (u(16))((u(16))c.ttl << 8);
    struct bytes_sum addr = bytes_sum4(
        (struct bytes_sum){(u(16))c.saddr, (u(16))(c.saddr >> 16)},
        (struct bytes_sum){(u(16))c.daddr, (u(16))(c.daddr >> 16)});
    struct bytes_sum rest = bytes_sum3(tos_ttl, k->udp_len, fixed);
    k->sum = bytes_sum4(addr, rest);
    k->sport = k->item.answer ? k->item.sport : k->item.port != 0 ? k->item.port : k->port_q.sport;
    k->plane = plane;
    if (frame)
        k->rd_asked += k->beats;
    k->state = frame ? TX_HDR_FOLD : TX_HDR_IDLE;
}

MR_INLINE void hdr_fold(struct tx_hdr *k)
{
    k->folded = (u(17))k->sum.a + k->sum.b;
    k->state = TX_HDR_PUT;
}

/* ---- last step: the frame ---- */

MR_INLINE u(160) ipv4_header(struct tx_hdr *k, struct mr_conn c)
{
    u(16) checksum = ~((u(16))k->folded + (u(16))(k->folded >> 16));
    return (u(160))IPV4_VERSION | (u(160))tos_of(c) << 8 |
           (u(160))bytes_swap16(k->udp_len + (u(16))IPV4_BYTES) << 16 |
           (u(160))bytes_swap16(IPV4_DF) << 48 | (u(160))c.ttl << 64 |
           (u(160))PROTOCOL_UDP << 72 | (u(160))bytes_swap16(checksum) << 80 |
           (u(160))bytes_reverse((u(32))c.saddr, 4) << 96 |
           (u(160))bytes_reverse((u(32))c.daddr, 4) << 128;
}

MR_INLINE u(320) ipv6_header(struct tx_hdr *k, struct mr_conn c)
{
    u(16) start = (u(16))0x6000 | (u(16))((u(16))tos_of(c) << 4);
    return (u(320))bytes_swap16(start) | (u(320))bytes_swap16(k->udp_len) << 32 |
           (u(320))PROTOCOL_UDP << 48 | (u(320))c.ttl << 56 |
           (u(320))bytes_reverse(c.saddr, 16) << 64 | (u(320))bytes_reverse(c.daddr, 16) << 192;
}

/** UDP header to extension. */
MR_INLINE u(528) l4_headers(struct tx_hdr *k, struct mr_conn c)
{
    struct mr_base base = {
        .version = MR_WIRE_VERSION,
        .kind = k->item.kind,
        .opcode = k->item.opcode,
        .flags = k->item.flags,
        .epoch = k->item.epoch,
        .conn = c.peer,
        .path = k->item.path,
        .psn = k->item.psn,
        .ts = k->item.ts,
    };
    u(64) udp = (u(64))bytes_swap16(k->sport) | (u(64))bytes_swap16(MR_WIRE_UDP_PORT) << 16 |
                (u(64))bytes_swap16(k->udp_len) << 32;
    return (u(528))udp | (u(528))mr_base_pack(base) << 64 | (u(528))k->item.ext << 192;
}

MR_INLINE void hdr_put(struct tx_hdr *k)
{
    struct mr_conn c = hdr_conn(k, k->plane);
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
                (u(8))(UDP_BYTES + MR_BASE_BYTES) + (u(8))k->item.ext_len,
        .pay_len = k->item.len,
        .pay_at = (u(6))k->item.bus,
        .l3_at = l3_at,
        .ipv6 = ipv6,
        .stream = k->item.stream,
        .msg = k->item.msg,
    });
    if (k->item.len != 0)
        mr_put(k->rd, (struct rd_req){.addr = k->item.bus, .len = k->item.len});
    k->cnt_tx_frames += 1;
    k->cnt_tx_acks += (u(32))(k->item.kind == MR_KIND_ACK);
    k->cnt_tx_probes += (u(32))(k->item.kind == MR_KIND_PATH && k->item.opcode == MR_PATHOP_PROBE);
    k->cnt_tx_closes += (u(32))(k->item.kind == MR_KIND_PATH && k->item.opcode != MR_PATHOP_PROBE);
    k->cnt_tx_errors += (u(32))(k->item.kind == MR_KIND_ERROR);
    k->state = TX_HDR_IDLE;
}

/** Table writes: from the host, or a new port that came with an item, which goes first. */
MR_INLINE void hdr_tables(struct tx_hdr *k, bool turn)
{
    struct cfg_write w = k->cfg.data;
    struct mr_path p = mr_path_unpack((u(8 * MR_PATH_BYTES))w.bits);
    bool host = !turn && k->cfg.valid;
    bool path = host && w.table == MR_TBL_PATH && p.state != MR_PATHST_PORT;

    if (host)
        mr_take(k->cfg);
    if (host && w.table == MR_TBL_CONN)
        k->conn[w.index & (MR_CONNS - 1)] = w.bits;
    if (turn || path)
        k->port[turn ? (row_ix)k->item.via : (row_ix)w.index] =
            turn ? hdr_new_port(k) : (struct hdr_port){.sport = p.sport, .plane = (u(3))p.plane};
}

MR_KERNEL(tx_hdr)
{
    u(3) state = k->state;
    // Of the registers as they were: between TX_HDR_SUM and the next choice lies a step.
    bool room = (u(16))(k->rd_asked - k->rd_taken) < TX_HDR_READ_BEATS;
    if (state == TX_HDR_PUT && k->frame.ready && (k->rd.ready || k->item.len == 0))
        hdr_put(k);
    if (state == TX_HDR_FOLD)
        hdr_fold(k);
    if (state == TX_HDR_SUM)
        hdr_sum(k);
    if (state == TX_HDR_READ)
        hdr_read(k);
    if (k->state == TX_HDR_IDLE && state != TX_HDR_SUM)
        hdr_pick(k);
    k->room = room;
    hdr_tables(k, state == TX_HDR_SUM && k->item.port != 0);
}
