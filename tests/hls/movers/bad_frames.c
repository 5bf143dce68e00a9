// SPDX-License-Identifier: BSD-2-Clause
#include "bad_frames.h"

#include "bench.h"

enum bad_id {
    MAC_ERR, TRUNCATED, OVERSIZE, NOT_IP, TWO_TAGS,
    IP4_VERSION, IP4_IHL, IP4_MF, IP4_OFFSET, IP4_SUM, IP4_PROTOCOL, IP4_SHORT,
    IP6_VERSION, IP6_NEXT, IP6_SHORT,
    UDP_PORT, UDP_SHORT, UDP_LONG,
    ICRC_VALUE, ICRC_L3, ICRC_BASE, ICRC_PORT,
    HDR_VERSION, HDR_KIND, HDR_KIND_CONN, HDR_PATHOP, HDR_ACKOP, HDR_LENGTH, HDR_PAY_LEN, HDR_PAY_MAX,
    GOOD_TOS, GOOD_TTL, GOOD_UDP_SUM, GOOD_TC_FLOW, GOOD_HOPS,
};

const struct bad_kind bad_table[] = {
    [MAC_ERR] = {"MAC error", BAD_FRAME, 0, true},
    [TRUNCATED] = {"truncated", BAD_FRAME, 0, true},
    [OVERSIZE] = {"oversize", BAD_FRAME, 0, true},
    [NOT_IP] = {"not IP", BAD_FRAME, 0, false},
    [TWO_TAGS] = {"two VLAN tags", BAD_FRAME, 0, false},
    [IP4_VERSION] = {"IPv4 version", BAD_FRAME, '4', false},
    [IP4_IHL] = {"IPv4 options", BAD_FRAME, '4', false},
    [IP4_MF] = {"IPv4 first fragment", BAD_FRAME, '4', false},
    [IP4_OFFSET] = {"IPv4 later fragment", BAD_FRAME, '4', false},
    [IP4_SUM] = {"IPv4 checksum", BAD_FRAME, '4', false},
    [IP4_PROTOCOL] = {"IPv4 protocol", BAD_FRAME, '4', false},
    [IP4_SHORT] = {"IPv4 length below UDP length", BAD_FRAME, '4', false},
    [IP6_VERSION] = {"IPv6 version", BAD_FRAME, '6', false},
    [IP6_NEXT] = {"IPv6 next header", BAD_FRAME, '6', false},
    [IP6_SHORT] = {"IPv6 length below UDP length", BAD_FRAME, '6', false},
    [UDP_PORT] = {"UDP port", BAD_FRAME, 0, false},
    [UDP_SHORT] = {"UDP length less", BAD_FRAME, 0, false},
    [UDP_LONG] = {"UDP length more", BAD_FRAME, 0, false},
    [ICRC_VALUE] = {"integrity value", BAD_ICRC, 0, false},
    [ICRC_L3] = {"IP address changed", BAD_ICRC, '6', false},
    [ICRC_BASE] = {"base header changed", BAD_ICRC, 0, false},
    [ICRC_PORT] = {"UDP source port changed", BAD_ICRC, 0, false},
    [HDR_VERSION] = {"our version", BAD_HEADER, 0, false},
    [HDR_KIND] = {"unknown kind", BAD_HEADER, 0, false},
    [HDR_KIND_CONN] = {"kind CONN", BAD_HEADER, 0, false},
    [HDR_PATHOP] = {"path operation", BAD_HEADER, 0, false},
    [HDR_ACKOP] = {"opcode of ACK or ERROR", BAD_HEADER, 0, false},
    [HDR_LENGTH] = {"length of the kind", BAD_HEADER, 0, false},
    [HDR_PAY_LEN] = {"pay_len against the UDP length", BAD_HEADER, 'd', false},
    [HDR_PAY_MAX] = {"pay_len over 4096", BAD_HEADER, 'd', false},
    [GOOD_TOS] = {"TOS changed on the way", BAD_NOT, '4', false},
    [GOOD_TTL] = {"TTL changed on the way", BAD_NOT, '4', false},
    [GOOD_UDP_SUM] = {"UDP checksum changed on the way", BAD_NOT, 0, false},
    [GOOD_TC_FLOW] = {"traffic class and flow label changed on the way", BAD_NOT, '6', false},
    [GOOD_HOPS] = {"hop limit changed on the way", BAD_NOT, '6', false},
};
const unsigned bad_count = sizeof bad_table / sizeof *bad_table;

bool bad_fits(unsigned m, const struct ref *r)
{
    switch (bad_table[m].only) {
    case '4':
        return !r->ipv6;
    case '6':
        return r->ipv6;
    case 'd':
        return r->kind == 1 && r->pay_len > 0;
    default:
        return m != HDR_ACKOP || r->kind == 2 || r->kind == 5;
    }
}

/** Lengths of IP and UDP for a UDP datagram of n bytes. */
static void set_lengths(uint8_t *f, unsigned n)
{
    uint8_t *ip = f + ref_l3(f), *udp = f + ref_l4(f);
    put16(udp + 4, n);
    if (ip[0] >> 4 == 4) {
        put16(ip + 2, n + 20);
        ref_ip_sum(f);
    } else {
        put16(ip + 4, n);
    }
}

/** Frame of the same headers whose UDP datagram has n bytes. */
static void resize(uint8_t *f, unsigned *len, unsigned n)
{
    unsigned old = *len;
    *len = ref_l4(f) + n;
    if (*len > old)
        rnd_fill(f + old, *len - old);
    set_lengths(f, n);
}

static void two_tags(uint8_t *f, unsigned *len)
{
    if (ref_l3(f) == 14) {
        memmove(f + 16, f + 12, *len - 12);
        put16(f + 12, 0x8100);
        *len += 4;
    }
    memmove(f + 16, f + 12, *len - 12);
    put16(f + 12, 0x8100);
    *len += 4;
}

static void spoil_ip(unsigned m, uint8_t *f, unsigned *len)
{
    uint8_t *ip = f + ref_l3(f);
    switch (m) {
    case IP4_VERSION: ip[0] = 0x55; break;
    case IP4_IHL: ip[0] = 0x46; break;
    case IP4_MF: ip[6] |= 0x20; break;
    case IP4_OFFSET: put16(ip + 6, (get16(ip + 6) & 0xe000) | 1u << below(13)); break;
    case IP4_PROTOCOL: ip[9] ^= (uint8_t)(1u << below(8)); break;
    case IP4_SHORT: put16(ip + 2, get16(ip + 2) - 1); *len -= 1; break;
    case IP6_VERSION: ip[0] ^= 0x20; break;
    case IP6_NEXT: ip[6] = 0; break;
    case IP6_SHORT: put16(ip + 4, get16(ip + 4) - 1); *len -= 1; break;
    case GOOD_TOS: ip[1] = (uint8_t)rnd(); break;
    case GOOD_TTL: ip[8]--; break;
    default: break;
    }
    if (m < IP6_VERSION || m == GOOD_TOS || m == GOOD_TTL)
        ref_ip_sum(f);
    if (m == IP4_SUM)
        ip[10 + below(2)] ^= (uint8_t)(1u << below(8));
}

static void spoil_header(unsigned m, const struct ref *r, uint8_t *f, unsigned *len)
{
    uint8_t *base = f + ref_l4(f) + 8;
    static const uint8_t kinds[] = {0, 6, 7, 15};
    switch (m) {
    case HDR_VERSION: base[0] ^= (uint8_t)(0x10u << below(4)); break;
    case HDR_KIND: base[0] = (uint8_t)(0x10 | kinds[below(4)]); break;
    case HDR_KIND_CONN: base[0] = 0x14; break;
    case HDR_PATHOP: base[0] = 0x13; base[1] = (uint8_t)(2 + below(200)); break;
    case HDR_ACKOP: base[1] = (uint8_t)(1 + below(255)); break;
    case HDR_LENGTH: resize(f, len, *len - ref_l4(f) + 1); break;
    case HDR_PAY_LEN: put16(base + 16 + 16, r->pay_len + (below(2) ? 1 : -1u)); break;
    case HDR_PAY_MAX:
        put16(base + 16 + 16, 4097);
        resize(f, len, 8 + 16 + 40 + 4097 + 4);
        break;
    default: break;
    }
}

bool bad_make(unsigned m, const struct ref *r, uint8_t *f, unsigned *len)
{
    uint8_t *ip = f + ref_l3(f), *udp = f + ref_l4(f);
    switch (m) {
    case TRUNCATED: *len -= 1 + below(*len - 58 - 1); break;
    case OVERSIZE:
        rnd_fill(f + *len, 128);
        *len = 4289 + below(100);
        break;
    case NOT_IP: put16(ip - 2, 0x0801); break;
    case TWO_TAGS: two_tags(f, len); break;
    case UDP_PORT: put16(udp + 2, 49791 ^ 1u << below(16)); break;
    case UDP_SHORT: put16(udp + 4, get16(udp + 4) - 1); break;
    case UDP_LONG: put16(udp + 4, get16(udp + 4) + 1); break;
    default:
        spoil_ip(m, f, len);
        spoil_header(m, r, f, len);
        break;
    }
    if (m != TRUNCATED && m != OVERSIZE && m != TWO_TAGS && m != NOT_IP && bad_table[m].where != BAD_NOT)
        ref_seal(f, *len);
    switch (m) {
    case ICRC_VALUE: f[*len - 1 - below(4)] ^= (uint8_t)(1u << below(8)); break;
    case ICRC_L3: ip[8 + below(32)] ^= (uint8_t)(1u << below(8)); break;
    case ICRC_BASE: udp[12 + below(12)] ^= (uint8_t)(1u << below(8)); break;
    case ICRC_PORT: udp[below(2)] ^= (uint8_t)(1u << below(8)); break;
    case GOOD_UDP_SUM: put16(udp + 6, rnd()); break;
    case GOOD_TC_FLOW: put32(ip, 6u << 28 | (rnd() & 0xfffffff)); break;
    case GOOD_HOPS: ip[7]--; break;
    default: break;
    }
    return bad_table[m].in_beats;
}
