// SPDX-License-Identifier: BSD-2-Clause
// expect 13: call of 'outside'
#include "stream.h"
#include <stdint.h>
struct call {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
};
u(16) outside(u(16) x);
MR_KERNEL(call)
{
    if (k->tx.ready)
        mr_put(k->tx, outside(k->rx.data));
}
