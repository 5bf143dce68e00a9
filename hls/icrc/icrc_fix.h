// SPDX-License-Identifier: BSD-2-Clause
/*
 * icrc_fix - takes the zero bytes behind the covered range out of a CRC register.
 *
 * in:  in   register behind 64 bytes of the last beat, n of them covered
 * out: out  register behind the covered bytes; n unchanged
 *
 * 64 - n zero bytes are taken back with inverse matrices: multiples of 16, of 4,
 * of 1. Four steps of latency, one sum per step; no step waits but for out.
 */
#ifndef MR_ICRC_FIX_H
#define MR_ICRC_FIX_H

#include "desc.h"

struct icrc_fix {
    MR_IN(struct crc_sum, in);
    MR_OUT(struct crc_sum, out);

    bool a_valid;
    u(7) a_zeros;  // zero bytes to take back in all
    u(32) a;       // register as it came
    bool b_valid;
    u(7) b_zeros;
    u(32) b;       // multiples of 16 are taken back
    bool c_valid;
    u(7) c_zeros;
    u(32) c;       // and of 4
};

#endif
