// SPDX-License-Identifier: BSD-2-Clause
// expect 15: array 'm' is copied or set as a whole
#include "stream.h"
#include <stdint.h>
struct clear {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
    u(16) m[1024];
    u(10) at;
};
MR_KERNEL(clear)
{
    k->m[k->at] = k->rx.data;
    if (k->rx.valid)
        __builtin_memset(k->m, 0, sizeof k->m);
}
