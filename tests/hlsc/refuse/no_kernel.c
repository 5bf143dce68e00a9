// SPDX-License-Identifier: BSD-2-Clause
// expect 1: no definition of no_kernel_step
#include "stream.h"
#include <stdint.h>
struct no_kernel {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
};
struct other { int x; }; 
//!
