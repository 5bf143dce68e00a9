// SPDX-License-Identifier: BSD-2-Clause
/* frames.h - whole Ethernet frames, written field by field with an ICRC of their own. */
#ifndef MR_TEST_FRAMES_H
#define MR_TEST_FRAMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FRAME_MAX 4300

struct frame {
    const char *name;
    uint8_t b[FRAME_MAX];
    size_t n;    // bytes without FCS and padding
    size_t ip;   // where the IP header starts
};

/** CRC-32 as in zlib, bit by bit. `crc` is 0 at the start or the value so far. */
uint32_t frame_crc(uint32_t crc, const void *p, size_t n);

/** The integrity value of a frame whose IP header starts at f->ip and which ends before the value. */
uint32_t frame_icrc(const struct frame *f);

/** The example frames of the specification; NULL behind the last. */
const struct frame *frame_example(unsigned i);

/** One frame of every row in packets.def; NULL behind the last. `odd` rows are IPv6 with a VLAN tag. */
const struct frame *frame_of_packet(unsigned i);

/** Prints the examples as they stand in the specification. */
void frames_print(FILE *o);

#endif
