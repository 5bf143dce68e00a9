// SPDX-License-Identifier: BSD-2-Clause
/*
 * icrc_fix - takes the zero bytes behind the covered range out of a CRC register.
 *
 * in:  in   register behind 64 bytes of the last beat, n of them covered
 * out: out  register behind the covered bytes; n unchanged
 *
 * 64 - n zero bytes are taken back, a power of two at a time, with the inverse
 * matrices. Three steps of latency, one sum per step; no step waits but for out.
 */
#ifndef MR_ICRC_FIX_H
#define MR_ICRC_FIX_H

#include "desc.h"

struct icrc_fix {
    MR_IN(struct crc_sum, in);
    MR_OUT(struct crc_sum, out);

    bool a_valid;      // 64 and 32 bytes are out
    struct crc_sum a;
    bool b_valid;      // 16 and 8 bytes too
    struct crc_sum b;
};

#endif
