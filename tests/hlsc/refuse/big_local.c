// SPDX-License-Identifier: BSD-2-Clause
// expect 15: an address is used as a number
#include "stream.h"
#include <stdint.h>
struct big_local {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
};
MR_KERNEL(big_local)
{
    u(16) a[4];
    u(16) *p = &a[0];
    p[0] = k->rx.data;
    if (k->tx.ready)
        mr_put(k->tx, (u(16))(uintptr_t)p);
}
