// SPDX-License-Identifier: BSD-2-Clause
/* at_rd with addresses and lengths that a NIC asks for oftener than random ones. */
#include "lock.h"

#include "at_rd/at_rd.c"
