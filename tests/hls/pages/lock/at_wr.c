// SPDX-License-Identifier: BSD-2-Clause
/* at_wr with addresses and lengths that a NIC asks for oftener than random ones. */
#include "lock.h"

#include "at_wr/at_wr.c"
