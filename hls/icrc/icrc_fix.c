// SPDX-License-Identifier: BSD-2-Clause
#include "icrc_fix.h"

#include "icrc_tab.h"

#define ROW(i, mask) | (u(32))(__builtin_popcountg((u(32))(x & (u(32))(mask))) & 1) << (i)

MR_INLINE u(32) back_64(u(32) x) { return (u(32))0 MR_ICRC_BACK_64(ROW); }
MR_INLINE u(32) back_32(u(32) x) { return (u(32))0 MR_ICRC_BACK_32(ROW); }
MR_INLINE u(32) back_16(u(32) x) { return (u(32))0 MR_ICRC_BACK_16(ROW); }
MR_INLINE u(32) back_8(u(32) x) { return (u(32))0 MR_ICRC_BACK_8(ROW); }
MR_INLINE u(32) back_4(u(32) x) { return (u(32))0 MR_ICRC_BACK_4(ROW); }
MR_INLINE u(32) back_2(u(32) x) { return (u(32))0 MR_ICRC_BACK_2(ROW); }
MR_INLINE u(32) back_1(u(32) x) { return (u(32))0 MR_ICRC_BACK_1(ROW); }

/** Zero bytes to take back. */
MR_INLINE u(7) behind(u(7) n)
{
    return (u(7))64 - n;
}

MR_KERNEL(icrc_fix)
{
    if (k->b_valid && !k->out.ready)
        return;
    if (k->b_valid) {
        u(7) z = behind(k->b.n);
        u(32) x = k->b.crc;
        x = z >> 2 & 1 ? back_4(x) : x;
        x = z >> 1 & 1 ? back_2(x) : x;
        x = z & 1 ? back_1(x) : x;
        mr_put(k->out, (struct crc_sum){.crc = x, .n = k->b.n});
    }

    u(7) za = behind(k->a.n);
    u(32) xa = k->a.crc;
    xa = za >> 4 & 1 ? back_16(xa) : xa;
    xa = za >> 3 & 1 ? back_8(xa) : xa;
    k->b = (struct crc_sum){.crc = xa, .n = k->a.n};
    k->b_valid = k->a_valid;

    k->a_valid = k->in.valid;
    if (k->in.valid) {
        u(7) z = behind(k->in.data.n);
        u(32) x = k->in.data.crc;
        x = z >> 6 & 1 ? back_64(x) : x;
        x = z >> 5 & 1 ? back_32(x) : x;
        k->a = (struct crc_sum){.crc = x, .n = k->in.data.n};
        mr_take(k->in);
    }
}
