// SPDX-License-Identifier: BSD-2-Clause
/* ref.h - frames built byte by byte from the specification, apart from the kernels. */
#ifndef MOVERS_REF_H
#define MOVERS_REF_H

#include <stddef.h>
#include <stdint.h>

enum { REF_MAX = 16384 };

/** Everything a frame consists of; numbers in host order. */
struct ref {
    bool vlan, ipv6;
    uint8_t dmac[6], smac[6];
    uint16_t tci;
    uint8_t saddr[16], daddr[16];  // as on the wire; IPv4 in the last four
    uint8_t tos, ttl;
    uint16_t ip_id, ip_frag;       // IPv4; ip_frag with the flags
    uint32_t flow;                 // IPv6
    uint16_t sport, udp_sum;
    uint8_t kind, opcode, flags, path, version, epoch;
    uint32_t conn, psn, ts;
    uint8_t ext[42];
    unsigned ext_len;
    const uint8_t *pay;
    unsigned pay_len;
};

/** DATA extension. */
struct ref_data {
    uint32_t stream, msg, offset, msg_len, key, imm, match;
    uint64_t addr;
    unsigned pay_len;
};

/** A frame with random fields and no extension; DATA and so on are set by the caller. */
void ref_random(struct ref *r);
void ref_set_data(struct ref *r, const struct ref_data *d);
void ref_random_data(struct ref *r, const uint8_t *pay, unsigned pay_len);

/** Writes the frame with its integrity value; returns its length. */
unsigned ref_build(const struct ref *r, uint8_t *f);
/** Writes the integrity value into the last four of len bytes. */
void ref_seal(uint8_t *f, unsigned len);
/** Computes the IPv4 header checksum again. */
void ref_ip_sum(uint8_t *f);
/** Offsets in a built frame. */
unsigned ref_l3(const uint8_t *f);
unsigned ref_l4(const uint8_t *f);

void put16(uint8_t *p, uint32_t v);
void put24(uint8_t *p, uint32_t v);
void put32(uint8_t *p, uint32_t v);
uint32_t get16(const uint8_t *p);

#endif
