// SPDX-License-Identifier: BSD-2-Clause
// expect 14: array 'm' is written twice in one step
#include "stream.h"
#include <stdint.h>
struct two_writes {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
    u(16) m[1024];
    u(10) at;
};
MR_KERNEL(two_writes)
{
    k->m[k->at] = k->rx.data;
    k->m[(u(10))k->rx.data] = 1;
}
