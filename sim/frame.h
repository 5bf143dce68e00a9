// SPDX-License-Identifier: BSD-2-Clause
/*
 * frame.h - the little that a switch reads in an Ethernet frame: addresses, the
 * UDP source port, the ECN field.
 */
#ifndef SIM_FRAME_H
#define SIM_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define SIM_FRAME_MAX 16384 // longest frame, without preamble and FCS
#define SIM_FRAME_MIN 60    // shorter ones are padded with zeros by the sender's MAC
#define SIM_PLANES_MAX 8
#define SIM_PLANE_AT 1      // byte of an IP address, counted from the last, into which a plane's number goes

/** A NIC's addresses on plane 0; those of plane k differ by an exclusive or with k of the byte above, and of the MAC's last. */
struct sim_addr {
    uint8_t mac[6];
    uint8_t ip4[4];
    uint8_t ip6[16];
};

struct sim_frame_info {
    uint8_t version;    // 4, 6, or 0: not IP
    size_t ip;          // offset of the IP header, 0 if version is 0
    const uint8_t *src; // IP address, 4 or 16 bytes
    const uint8_t *dst;
    uint16_t sport; // UDP source port of a first fragment, else 0
};

/** Looks at a frame; VLAN tags are skipped. What cannot be read counts as not IP. */
struct sim_frame_info sim_frame_parse(const uint8_t *f, size_t len);

/** Number that a switch spreads by: depends on both IP addresses and the source port. */
uint32_t sim_frame_hash(const struct sim_frame_info *i);

/** Sets CE if the sender can do ECN; the IPv4 checksum stays valid. True if CE was set now. */
bool sim_frame_mark(uint8_t *f, const struct sim_frame_info *i);

/** The plane, below `planes`, whose address of that NIC a frame goes to: by IP, or by MAC if it is not IP. -1: none; multicast: 0. */
int sim_frame_to(const uint8_t *f, const struct sim_frame_info *i, const struct sim_addr *a, uint32_t planes);

#endif
