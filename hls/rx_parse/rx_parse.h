// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_parse - judges a frame's headers and takes them apart. [spec 3]
 *
 * in:  frame  from rx_beat
 *      crc    the same frame's register over the covered bytes and the integrity value
 * out: pkt    one per frame, in order; drop set when a check failed
 *
 * Checks, the first that fails counts: rx_bad_frame (Ethernet, IP, UDP, and what
 * rx_beat found), rx_bad_icrc, rx_bad_header (our version, kind, opcode, length).
 * Three steps of latency, a frame every two steps.
 */
#ifndef MR_RX_PARSE_H
#define MR_RX_PARSE_H

#include "desc.h"
#include "rx_place/bytes.h"

struct rx_parse {
    MR_IN(struct rx_frame, frame);
    MR_IN(struct crc_sum, crc);
    MR_OUT(struct rx_pkt, pkt);
    MR_STAT(u(32), cnt_rx_bad_frame);
    MR_STAT(u(32), cnt_rx_bad_icrc);
    MR_STAT(u(32), cnt_rx_bad_header);

    bool full;        // set by the first step: the fields up to dmac are valid
    u(320) l3;        // IP header and, with IPv4, what follows
    u(528) l4;        // UDP, base header and extension
    bool vlan;
    bool ipv6;
    bool has_pay;
    bool ok_link;     // frame not bad, Ethernet type known
    bool ok_icrc;
    u(48) dmac;

    bool judged;      // set by the second step: the fields below are valid
    bool ok_net;      // all of IP and UDP but the IPv4 header's checksum
    bool ok_base;     // version, kind, opcode and length
    struct bytes_sum sum;  // of the IPv4 header's words

    bool bad_frame;   // verdict of the step before, to be counted
    bool bad_icrc;
    bool bad_header;
};

#endif
