// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_tail - puts the integrity value behind a frame. [spec 3]
 *
 * in:  beat  beats of frames
 *      crc   one per frame: the register over its covered bytes
 * out: mac   beats with the 4 bytes of the inverted register, least significant
 *            byte first, behind the last valid byte
 *
 * The last beat waits for crc. The value takes one more beat if it does not fit.
 * With poison it is sent not inverted, so that every receiver drops the frame.
 * A frame has 56 bytes or more without the value; nothing is padded.
 */
#ifndef MR_TX_TAIL_H
#define MR_TX_TAIL_H

#include "desc.h"
#include "ext.h"

struct tx_tail {
    MR_IN(struct tx_beat, beat);
    MR_IN(struct crc_sum, crc);
    MR_OUT(struct mac_beat, mac);

    bool spill;        // rest of the value is to be sent
    u(3) spill_n;      // its bytes, 1 to 4
    u(32) spill_data;  // byte i of the beat in bits 8 * i + 7 : 8 * i
};

#endif
