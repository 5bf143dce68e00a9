// SPDX-License-Identifier: BSD-2-Clause
/*
 * cover.h - which bytes of a frame the integrity value covers. [spec 3]
 *
 * From the IP header to the end of the payload. What routers may change counts
 * as ones: IPv4 TOS, TTL and header checksum; IPv6 traffic class, flow label and
 * hop limit; the UDP checksum.
 */
#ifndef MR_ICRC_COVER_H
#define MR_ICRC_COVER_H

#include "stream.h"

/** Value v in byte i of a beat. */
#define COVER_BYTE(i, v) ((u(512))(v) << 8 * (i))

/** Bits of beat 0 that count as ones; l3 is 14 or 18, both arguments constants. */
MR_INLINE u(512) cover_ones(const unsigned l3, const bool ipv6)
{
    if (!ipv6)
        return COVER_BYTE(l3 + 1, 0xff) | COVER_BYTE(l3 + 8, 0xff) |
               COVER_BYTE(l3 + 10, 0xffff) | COVER_BYTE(l3 + 26, 0xffff);
    // Behind a VLAN tag the UDP checksum of IPv6 stands in beat 1.
    return COVER_BYTE(l3, 0xffffff0fu) | COVER_BYTE(l3 + 7, 0xff) |
           (l3 == 14 ? COVER_BYTE(l3 + 46, 0xffff) : (u(512))0);
}

/** Beat 0 of a frame: as icrc_cover, for constant l3. */
MR_INLINE u(512) cover_first(u(512) data, const unsigned l3, bool ipv6)
{
    u(512) d = data | (ipv6 ? cover_ones(l3, true) : cover_ones(l3, false));
    d ^= COVER_BYTE(l3, 0xffffffffu);
    return d >> 8 * l3 << 8 * l3;
}

/**
 * The covered bytes of one beat of a frame; bytes in front of the IP header
 * become 0. The first four covered bytes are inverted, which is the CRC's initial
 * value 0xffffffff on a register that starts at 0. The caller clears the bytes
 * behind the covered range.
 */
MR_INLINE u(512) icrc_cover(u(512) data, bool first, bool second, bool vlan, bool ipv6)
{
    u(512) begin = vlan ? cover_first(data, 18, ipv6) : cover_first(data, 14, ipv6);
    u(512) next = data | (u(512))(second && vlan && ipv6 ? 0xffff : 0);
    return first ? begin : next;
}

#endif
