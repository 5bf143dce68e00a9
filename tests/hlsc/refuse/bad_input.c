// SPDX-License-Identifier: BSD-2-Clause
// expect 11: 'rx.data' is an input
#include "stream.h"
#include <stdint.h>
struct bad_input {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
};
MR_KERNEL(bad_input)
{
    k->rx.data = 3;
}
