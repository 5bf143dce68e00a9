// SPDX-License-Identifier: BSD-2-Clause
// expect 9: 'reg' is a union
#include "stream.h"
#include <stdint.h>
union x { u(16) a; uint8_t b[2]; };
struct is_union {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
    union x reg;
};
MR_KERNEL(is_union)
{
    k->reg.a = k->rx.data;
}
