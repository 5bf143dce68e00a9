// SPDX-License-Identifier: BSD-2-Clause
// expect 12: 'now' is an input
#include "stream.h"
#include <stdint.h>
struct bad_config {
    MR_CFG(u(16), now);
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
};
MR_KERNEL(bad_config)
{
    k->now++;
}
