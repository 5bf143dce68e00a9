// SPDX-License-Identifier: BSD-2-Clause
/* rx_atomic with keys that fit oftener than random ones. */
#include "desc.h"

static inline struct mr_key lock_key(u(256) bits)
{
    struct mr_key e = mr_key_unpack(bits);
    e.tag &= 1;
    e.pd &= 1;
    e.va &= 7;
    e.bus &= ~(u(64))3;
    return e;
}

#undef MR_TBL_KEY
#define MR_TBL_KEY (k->cfg.data.table | 1)
#define mr_key_unpack lock_key

#include "rx_atomic/rx_atomic.c"
