// SPDX-License-Identifier: BSD-2-Clause
// expect 12: a copy of variable length
#include "stream.h"
#include <stdint.h>
struct copy_length {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
    uint8_t a[8], b[8];
};
MR_KERNEL(copy_length)
{
    __builtin_memcpy(k->a, k->b, k->rx.data & 7);
}
