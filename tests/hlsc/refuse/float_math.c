// SPDX-License-Identifier: BSD-2-Clause
// expect 12: has no counterpart in hardware
#include "stream.h"
#include <stdint.h>
struct float_math {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
    u(16) a;
};
MR_KERNEL(float_math)
{
    k->a = (u(16))((float)(uint16_t)k->rx.data * 1.5f);
}
