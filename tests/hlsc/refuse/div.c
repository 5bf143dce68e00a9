// SPDX-License-Identifier: BSD-2-Clause
// expect 13: division by a variable
#include "stream.h"
#include <stdint.h>
struct div {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
    u(16) a;
};
MR_KERNEL(div)
{
    if (k->rx.data)
        k->a = k->a / k->rx.data;
}
