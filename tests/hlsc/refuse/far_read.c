// SPDX-License-Identifier: BSD-2-Clause
// expect 14: array 'm' is read after a write of the same step
#include "stream.h"
#include <stdint.h>
struct far_read {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
    u(16) m[1024];
    u(10) at;
};
MR_KERNEL(far_read)
{
    k->m[k->at] = k->rx.data;
    k->at = (u(10))k->m[(u(10))(k->at + 1)];
}
