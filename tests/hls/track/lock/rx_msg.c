// SPDX-License-Identifier: BSD-2-Clause
/* rx_msg with inputs that fit together oftener than random ones: few streams, messages near the head, few operations. */
#include "desc.h"

static inline struct mr_stream lock_stream(u(256) bits)
{
    struct mr_stream s = mr_stream_unpack(bits);
    s.state = (s.state & 3) != 0;
    return s;
}

static inline struct mr_data lock_data(u(320) bits)
{
    struct mr_data d = mr_data_unpack(bits);
    d.msg &= 7;
    d.msg_len &= 1;
    return d;
}

#undef MR_TBL_STREAM
#define MR_TBL_STREAM (k->cfg.data.table | 1)
#define mr_stream_unpack lock_stream
#define mr_data_unpack lock_data

#include "rx_msg/rx_msg.c"
