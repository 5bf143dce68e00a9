// SPDX-License-Identifier: BSD-2-Clause
#include "toy.h"

MR_KERNEL(toy_copy)
{
    if (k->cmd.valid && k->rd.ready && k->wr.ready) {
        mr_take(k->cmd);
        mr_put(k->rd, (struct rd_req){k->cmd.data.src, k->cmd.data.len});
        mr_put(k->wr, (struct wr_req){k->cmd.data.dst, k->cmd.data.len});
    }
    if (k->rdb.valid && k->wrb.ready) {
        mr_take(k->rdb);
        mr_put(k->wrb, (struct wr_beat){k->rdb.data.data, ~(u(64))0, k->rdb.data.last});
    }
    if (k->done.valid) {
        mr_take(k->done);
        k->copies++;
    }
}
