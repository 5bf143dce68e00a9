// SPDX-License-Identifier: BSD-2-Clause
// expect 8: 'p' is a pointer
#include "stream.h"
#include <stdint.h>
struct has_pointer {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
    u(16) *p;
};
MR_KERNEL(has_pointer)
{
    *k->p = k->rx.data;
}
