// SPDX-License-Identifier: BSD-2-Clause
#include "rx_parse.h"

enum {
    UDP_BYTES = 8,
    IPV4_BYTES = 20,
    IPV6_BYTES = 40,
    // UDP length of a packet without extension and payload
    UDP_LEN_MIN = UDP_BYTES + MR_BASE_BYTES + MR_WIRE_ICRC_BYTES,
    PROTOCOL_UDP = 17,
};

/** First step: aligns the headers. */
MR_INLINE void parse_align(struct rx_parse *k)
{
    u(1024) hdr = k->frame.data.hdr;
    bool vlan = bytes_be16(hdr, 12) == 0x8100;
    bool ipv4 = vlan ? bytes_be16(hdr, 16) == 0x0800 : bytes_be16(hdr, 12) == 0x0800;
    bool ipv6 = vlan ? bytes_be16(hdr, 16) == 0x86dd : bytes_be16(hdr, 12) == 0x86dd;
    u(880) l3 = vlan ? (u(880))(hdr >> 8 * 18) : (u(880))(hdr >> 8 * 14);
    k->l3 = (u(320))l3;
    k->l4 = ipv6 ? (u(528))(l3 >> 8 * IPV6_BYTES) : (u(528))(l3 >> 8 * IPV4_BYTES);
    k->vlan = vlan;
    k->ipv6 = ipv6;
    k->has_pay = k->frame.data.has_pay;
    k->ok_link = !k->frame.data.bad && (ipv6 || ipv4);
    k->ok_icrc = k->crc.data.crc == (u(32))~(u(32))MR_WIRE_ICRC_RESIDUE;
    k->dmac = (u(48))bytes_reverse((u(48))hdr, 6);
    k->full = true;
    k->judged = false;
    mr_take(k->frame);
    mr_take(k->crc);
}

/** Version, kind, opcode and length of our header, against the UDP length. */
MR_INLINE bool base_ok(u(528) l4, u(16) udp_len)
{
    struct mr_base base = mr_base_unpack((u(128))(l4 >> 8 * UDP_BYTES));
    u(336) ext = (u(336))(l4 >> 8 * (UDP_BYTES + MR_BASE_BYTES));
    bool atomic = base.opcode == MR_OP_CMP_SWAP || base.opcode == MR_OP_FETCH_ADD;
    // The atomic extension is as long, and has other fields there. [spec 3.7.1]
    u(16) pay_len = atomic ? (u(16))0 : mr_data_unpack((u(8 * MR_DATA_BYTES))ext).pay_len;
    bool pay_ok = pay_len >> 12 == 0 || pay_len == MR_WIRE_PAYLOAD_MAX;
    bool data = base.kind == MR_KIND_DATA && pay_ok &&
                udp_len == (u(16))(pay_len + UDP_LEN_MIN + MR_DATA_BYTES);
    bool ack = base.kind == MR_KIND_ACK && base.opcode == MR_ACKOP_ACK &&
               udp_len == UDP_LEN_MIN + MR_ACK_BYTES;
    bool error = base.kind == MR_KIND_ERROR && base.opcode == MR_ERROROP_ERROR &&
                 udp_len == UDP_LEN_MIN + MR_ERROR_BYTES;
    bool probe = base.opcode == MR_PATHOP_PROBE && udp_len == UDP_LEN_MIN;
    bool close = base.opcode == MR_PATHOP_CLOSE && udp_len == UDP_LEN_MIN + MR_CLOSE_BYTES;
    bool closed = base.opcode == MR_PATHOP_CLOSED && udp_len == UDP_LEN_MIN + MR_CLOSED_BYTES;
    bool path = base.kind == MR_KIND_PATH && (probe || close || closed);
    return base.version == MR_WIRE_VERSION && (data || ack || error || path);
}

/** Second step: all checks but the end of the checksum. */
MR_INLINE void parse_check(struct rx_parse *k)
{
    u(320) l3 = k->l3;
    u(16) udp_len = bytes_be16(k->l4, 4);
    bool ok4 = (u(8))l3 == 0x45 && (bytes_be16(l3, 6) & 0x3fff) == 0 &&
               (u(8))(l3 >> 8 * 9) == PROTOCOL_UDP &&
               bytes_be16(l3, 2) == (u(17))udp_len + IPV4_BYTES;
    bool ok6 = (u(4))(l3 >> 4) == 6 && (u(8))(l3 >> 8 * 6) == PROTOCOL_UDP &&
               bytes_be16(l3, 4) == udp_len;
    k->ok_net = (k->ipv6 ? ok6 : ok4) && bytes_be16(k->l4, 2) == MR_WIRE_UDP_PORT;
    k->ok_base = base_ok(k->l4, udp_len);
    // 10 words to 7, 5, 4, 3, 2
    struct bytes_sum s0 = bytes_sum3(bytes_be16(l3, 0), bytes_be16(l3, 2), bytes_be16(l3, 4));
    struct bytes_sum s1 = bytes_sum3(bytes_be16(l3, 6), bytes_be16(l3, 8), bytes_be16(l3, 10));
    struct bytes_sum s2 = bytes_sum3(bytes_be16(l3, 12), bytes_be16(l3, 14), bytes_be16(l3, 16));
    struct bytes_sum t0 = bytes_sum3(s0.a, s0.b, s1.a);
    struct bytes_sum t1 = bytes_sum3(s1.b, s2.a, s2.b);
    struct bytes_sum v = bytes_sum4(t0, t1);
    k->sum = bytes_sum3(v.a, v.b, bytes_be16(l3, 18));
    k->judged = true;
}

/** Third step: the verdict. */
MR_INLINE void parse_put(struct rx_parse *k)
{
    u(320) l3 = k->l3;
    // The sum is 0 modulo 2^16 - 1. Two words of 0, or two of 0xffff, cannot come out
    // of bytes_sum3 here: all ten would have to be that, and the first is 0x45..
    bool ok_sum = (k->sum.a ^ k->sum.b) == 0xffff;
    bool ok_frame = k->ok_link && k->ok_net && (k->ipv6 || ok_sum);
    k->bad_frame = !ok_frame;
    k->bad_icrc = ok_frame && !k->ok_icrc;
    k->bad_header = ok_frame && k->ok_icrc && !k->ok_base;
    u(8) l3_at = k->vlan ? 18 : 14;
    u(8) l3_bytes = k->ipv6 ? IPV6_BYTES : IPV4_BYTES;
    mr_put(k->pkt, (struct rx_pkt){
        .base = mr_base_unpack((u(128))(k->l4 >> 8 * UDP_BYTES)),
        .ext = (u(336))(k->l4 >> 8 * (UDP_BYTES + MR_BASE_BYTES)),
        .saddr = k->ipv6 ? bytes_reverse((u(128))(l3 >> 8 * 8), 16)
                         : bytes_reverse((u(32))(l3 >> 8 * 12), 4),
        .daddr = k->ipv6 ? bytes_reverse((u(128))(l3 >> 8 * 24), 16)
                         : bytes_reverse((u(32))(l3 >> 8 * 16), 4),
        .dmac = k->dmac,
        .sport = bytes_be16(k->l4, 0),
        .payload_at = l3_at + l3_bytes + (u(8))(UDP_BYTES + MR_BASE_BYTES + MR_DATA_BYTES),
        .ipv6 = k->ipv6,
        .ce = (k->ipv6 ? (u(2))(l3 >> 12) : (u(2))(l3 >> 8)) == 3,
        .drop = !(ok_frame && k->ok_icrc && k->ok_base),
        .has_pay = k->has_pay,
    });
}

MR_KERNEL(rx_parse)
{
    // The last step first, so that it sees the registers and not what is put into them.
    bool check = k->full && !k->judged;
    k->cnt_rx_bad_frame += (u(32))k->bad_frame;
    k->cnt_rx_bad_icrc += (u(32))k->bad_icrc;
    k->cnt_rx_bad_header += (u(32))k->bad_header;
    k->bad_frame = false;
    k->bad_icrc = false;
    k->bad_header = false;
    if (k->judged && k->pkt.ready) {
        parse_put(k);
        k->full = false;
        k->judged = false;
    }
    if (check)
        parse_check(k);
    if (!k->full && k->frame.valid && k->crc.valid)
        parse_align(k);
}
