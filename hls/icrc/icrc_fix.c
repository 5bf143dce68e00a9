// SPDX-License-Identifier: BSD-2-Clause
#include "icrc_fix.h"

#include "icrc_tab.h"

#define ROW(i, mask) | (u(32))(__builtin_popcountg((u(32))(x & (u(32))(mask))) & 1) << (i)

#define BACK(n) ((u(32))((u(32))0 MR_ICRC_BACK_##n(ROW)))

/* A digit to the base of four at a time, by choice among whole products: a
 * product of a product would be twice as deep. */

MR_INLINE u(32) back_48s(u(32) x, u(7) z)
{
    u(32) low = z >> 4 & 1 ? BACK(16) : x;
    u(32) high = z >> 4 & 1 ? BACK(48) : BACK(32);
    return z >> 6 & 1 ? BACK(64) : z >> 5 & 1 ? high : low;
}

MR_INLINE u(32) back_12s(u(32) x, u(7) z)
{
    u(32) low = z >> 2 & 1 ? BACK(4) : x;
    u(32) high = z >> 2 & 1 ? BACK(12) : BACK(8);
    return z >> 3 & 1 ? high : low;
}

MR_INLINE u(32) back_3s(u(32) x, u(7) z)
{
    u(32) low = z & 1 ? BACK(1) : x;
    u(32) high = z & 1 ? BACK(3) : BACK(2);
    return z >> 1 & 1 ? high : low;
}

MR_KERNEL(icrc_fix)
{
    if (k->c_valid && !k->out.ready)
        return;
    if (k->c_valid)
        mr_put(k->out, (struct crc_sum){.crc = back_3s(k->c, k->c_zeros), .n = (u(7))64 - k->c_zeros});
    k->c_valid = k->b_valid;
    k->c_zeros = k->b_zeros;
    k->c = back_12s(k->b, k->b_zeros);
    k->b_valid = k->a_valid;
    k->b_zeros = k->a_zeros;
    k->b = back_48s(k->a, k->a_zeros);
    k->a_valid = k->in.valid;
    if (k->in.valid) {
        k->a_zeros = (u(7))64 - k->in.data.n;
        k->a = k->in.data.crc;
        mr_take(k->in);
    }
}
