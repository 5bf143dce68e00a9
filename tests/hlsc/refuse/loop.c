// SPDX-License-Identifier: BSD-2-Clause
// expect 13: a loop is left after unrolling
#include "stream.h"
#include <stdint.h>
struct loop {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
    u(16) a;
};
MR_KERNEL(loop)
{
    u(16) n = k->rx.data;
    while (n) {
        k->a += n & 1;
        n >>= 1;
    }
}
