// SPDX-License-Identifier: BSD-2-Clause
// expect 8: 'f' is no unsigned integer
#include "stream.h"
#include <stdint.h>
struct floats {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
    float f;
};
MR_KERNEL(floats)
{
    k->f += k->rx.data;
}
