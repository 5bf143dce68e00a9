// SPDX-License-Identifier: BSD-2-Clause
// expect 12: 'hidden' is a global variable
#include "stream.h"
#include <stdint.h>
static u(16) hidden;
struct bad_global {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
};
MR_KERNEL(bad_global)
{
    hidden += k->rx.data;
    if (k->tx.ready)
        mr_put(k->tx, hidden);
}
