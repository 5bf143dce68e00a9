// SPDX-License-Identifier: BSD-2-Clause
/* merge.c - two inputs, two outputs: round robin with a lock until the last beat. */
#include "stream.h"

#include <stdint.h>

struct beat { u(64) data; bool last; u(1) to; };
struct merge {
    MR_IN(struct beat, a);
    MR_IN(struct beat, b);
    MR_OUT(struct beat, x);
    MR_OUT(struct beat, y);
    MR_STAT(u(16), turns);
    enum : uint8_t { FREE, FROM_A, FROM_B } state;
    bool prefer_b;
};

MR_INLINE bool forward(struct merge *k, struct beat d)
{
    if (d.to && k->y.ready) {
        mr_put(k->y, d);
        return true;
    }
    if (!d.to && k->x.ready) {
        mr_put(k->x, d);
        return true;
    }
    return false;
}

MR_KERNEL(merge)
{
    bool from_b = k->state == FROM_B || (k->state == FREE && k->b.valid && (k->prefer_b || !k->a.valid));
    bool from_a = k->state == FROM_A || (k->state == FREE && k->a.valid && !from_b);
    if (from_a && k->a.valid && forward(k, k->a.data)) {
        mr_take(k->a);
        k->state = k->a.data.last ? FREE : FROM_A;
        k->prefer_b = true;
        k->turns += k->a.data.last;
    } else if (from_b && k->b.valid && forward(k, k->b.data)) {
        mr_take(k->b);
        k->state = k->b.data.last ? FREE : FROM_B;
        k->prefer_b = false;
        k->turns += k->b.data.last;
    }
}
