// SPDX-License-Identifier: BSD-2-Clause
#include "icrc_acc.h"

#include "icrc_tab.h"

#define ROW_512(i, mask) | (u(32))(__builtin_popcountg((u(512))(x & (u(512))(mask))) & 1) << (i)
#define ROW_32(i, mask)  | (u(32))(__builtin_popcountg((u(32))(x & (u(32))(mask))) & 1) << (i)

MR_INLINE u(32) beat_reduce(u(512) x)
{
    return (u(32))0 MR_ICRC_BEAT(ROW_512);
}

MR_INLINE u(32) skip_64(u(32) x)
{
    return (u(32))0 MR_ICRC_SKIP_64(ROW_32);
}

/*
 * The register could be xored into the beat's first four bytes and reduced with
 * them, without a matrix of its own; then the loop through it would be a parity
 * of 256 bits instead of one of about 16.
 */
MR_KERNEL(icrc_acc)
{
    if (k->part_valid && k->part_last && !k->sum.ready)
        return;
    if (k->part_valid) {
        u(32) reg = skip_64(k->reg) ^ k->part;
        if (k->part_last)
            mr_put(k->sum, (struct crc_sum){.crc = reg, .n = k->part_n});
        k->reg = k->part_last ? (u(32))0 : reg;
    }
    k->part_valid = k->beat.valid;
    if (k->beat.valid) {
        k->part = beat_reduce(k->beat.data.data);
        k->part_last = k->beat.data.last;
        k->part_n = k->beat.data.n;
        mr_take(k->beat);
    }
}
