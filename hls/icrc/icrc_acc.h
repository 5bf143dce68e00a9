// SPDX-License-Identifier: BSD-2-Clause
/*
 * icrc_acc - the CRC-32 register over the beats of a frame. [spec 3]
 *
 * in:  beat  covered bytes, one beat per step
 * out: sum   one per beat with last: the register behind the 64 bytes of that
 *            beat (zeros behind the covered range included) and the beat's n
 *
 * Polynomial 0xedb88320, reflected, byte 0 first. The register is 0 at the start
 * of a frame, so zero bytes in front of the covered range do not count; the
 * initial value 0xffffffff is in the data (cover.h). Two steps of latency, one
 * beat per step.
 */
#ifndef MR_ICRC_ACC_H
#define MR_ICRC_ACC_H

#include "desc.h"

struct icrc_acc {
    MR_IN(struct crc_beat, beat);
    MR_OUT(struct crc_sum, sum);

    bool part_valid;  // the four: one beat, reduced to 32 bits
    bool part_last;
    u(7) part_n;
    u(32) part;
    u(32) reg;        // register behind all beats before that one
};

#endif
