// SPDX-License-Identifier: BSD-2-Clause
/* bits.c - bit-fields, enums, bool arrays, leaves of odd widths side by side. */
#include "stream.h"

#include <stdint.h>

enum colour : uint8_t { RED, GREEN, BLUE };
struct flags {
    uint32_t kind : 5, size : 11, last : 1;
    bool mark[3];
    enum colour colour;
    u(3) three[5];
};
struct bits {
    MR_IN(struct flags, rx);
    MR_OUT(struct flags, tx);
    MR_STAT(struct flags, seen);
    struct flags kept;
};

MR_KERNEL(bits)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    struct flags f = k->rx.data;
    f.size += k->kept.size;
    f.kind ^= 9;
    f.mark[f.three[2] % 3] = !k->kept.last;
    f.colour = f.colour == BLUE ? RED : (enum colour)((f.colour + 1) & 3);
    MR_UNROLL for (int i = 0; i < 4; i++)
        f.three[i] = f.three[i + 1] + k->kept.three[i];
    if (f.last)
        k->seen = f;
    k->kept = f;
    mr_take(k->rx);
    mr_put(k->tx, f);
}
