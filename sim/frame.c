// SPDX-License-Identifier: BSD-2-Clause
#include "frame.h"

#include <string.h>

enum { ETH_IP4 = 0x0800, ETH_IP6 = 0x86dd, ETH_VLAN = 0x8100, ETH_QINQ = 0x88a8, PROTO_UDP = 17 };
enum { ECN_NOT = 0, ECN_CE = 3 };

static uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static void ip4_parse(const uint8_t *f, size_t len, struct sim_frame_info *i)
{
    const uint8_t *h = f + i->ip;
    size_t hl = (h[0] & 15u) * 4u;
    bool first = (get16(h + 6) & 0x1fff) == 0;
    i->version = 4;
    i->src = h + 12;
    i->dst = h + 16;
    if (h[9] == PROTO_UDP && first && hl >= 20 && i->ip + hl + 8 <= len)
        i->sport = get16(h + hl);
}

static void ip6_parse(const uint8_t *f, size_t len, struct sim_frame_info *i)
{
    const uint8_t *h = f + i->ip;
    i->version = 6;
    i->src = h + 8;
    i->dst = h + 24;
    if (h[6] == PROTO_UDP && i->ip + 48 <= len)
        i->sport = get16(h + 40);
}

struct sim_frame_info sim_frame_parse(const uint8_t *f, size_t len)
{
    struct sim_frame_info i = {};
    size_t at = 12;
    while (at + 2 <= len && (get16(f + at) == ETH_VLAN || get16(f + at) == ETH_QINQ))
        at += 4;
    if (at + 2 > len)
        return i;
    uint16_t type = get16(f + at);
    at += 2;
    i.ip = at;
    if (type == ETH_IP4 && at + 20 <= len && f[at] >> 4 == 4)
        ip4_parse(f, len, &i);
    else if (type == ETH_IP6 && at + 40 <= len && f[at] >> 4 == 6)
        ip6_parse(f, len, &i);
    else
        i.ip = 0;
    return i;
}

static uint32_t fnv(uint32_t h, const uint8_t *p, size_t n)
{
    for (size_t k = 0; k < n; k++)
        h = (h ^ p[k]) * 16777619u;
    return h;
}

uint32_t sim_frame_hash(const struct sim_frame_info *i)
{
    if (!i->version)
        return 0;
    size_t n = i->version == 4 ? 4 : 16;
    uint8_t port[2] = {(uint8_t)(i->sport >> 8), (uint8_t)i->sport};
    uint32_t h = fnv(fnv(fnv(2166136261u, i->src, n), i->dst, n), port, 2);
    // FNV's low bits see little of the last bytes' high bits: finish as MurmurHash3 does.
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

bool sim_frame_mark(uint8_t *f, const struct sim_frame_info *i)
{
    uint8_t *h = f + i->ip;
    if (i->version == 4) {
        uint8_t was = h[1];
        if ((was & 3) == ECN_NOT || (was & 3) == ECN_CE)
            return false;
        h[1] = was | ECN_CE;
        // RFC 1624: HC' = ~(~HC + ~m + m'), where m is the word of version, length and TOS.
        uint32_t sum = (uint16_t)~get16(h + 10) + (uint32_t)(uint16_t)~(h[0] << 8 | was) +
                       (uint32_t)(h[0] << 8 | h[1]);
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        h[10] = (uint8_t)(~sum >> 8);
        h[11] = (uint8_t)~sum;
        return true;
    }
    if (i->version == 6) {
        uint8_t ecn = (h[1] >> 4) & 3; // traffic class is split over bytes 0 and 1
        if (ecn == ECN_NOT || ecn == ECN_CE)
            return false;
        h[1] |= ECN_CE << 4;
        return true;
    }
    return false;
}

/** The plane of an address of n bytes that has its number in byte `at`; -1: not one of a's. */
static int plane_of(const uint8_t *p, const uint8_t *a, size_t n, size_t at, uint32_t planes)
{
    uint8_t k = p[at] ^ a[at];
    bool same = memcmp(p, a, at) == 0 && memcmp(p + at + 1, a + at + 1, n - at - 1) == 0;
    return same && k < planes ? k : -1;
}

int sim_frame_to(const uint8_t *f, const struct sim_frame_info *i, const struct sim_addr *a, uint32_t planes)
{
    if (i->version == 4)
        return plane_of(i->dst, a->ip4, 4, 3 - SIM_PLANE_AT, planes);
    if (i->version == 6)
        return plane_of(i->dst, a->ip6, 16, 15 - SIM_PLANE_AT, planes);
    return f[0] & 1 ? 0 : plane_of(f, a->mac, 6, 5, planes);
}
