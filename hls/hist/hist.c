// SPDX-License-Identifier: BSD-2-Clause
#include "hist/hist.h"

enum hist_state { HIST_IDLE, HIST_ADD, HIST_READ };

/** Below 256 ns, and then by doubling. */
MR_INLINE u(4) hist_bucket(u(32) rtt)
{
    u(32) units = rtt / (256 / MR_TS_NS);
    u(6) bits = (u(6))((u(6))32 - (u(6))__builtin_clzg(units, 32));

    return bits > 15 ? (u(4))15 : (u(4))bits;
}

MR_KERNEL(hist)
{
    typedef u(MR_GROUPS_LOG2 + MR_GROUP_LOG2) row_ix;
    row_ix at = (row_ix)k->row;
    bool write = false;
    u(512) sums = 0;

    if (k->state == HIST_ADD) {
        // Each bucket is 32 bits and wraps by itself.
        MR_UNROLL
        for (unsigned i = 0; i < 16; i++) {
            u(32) n = (u(32))(k->counts_q >> (32 * i)) + (u(32))(k->bucket == i);
            sums |= (u(512))n << (32 * i);
        }
        write = true;
        k->state = HIST_IDLE;
    } else if (k->state == HIST_READ) {
        if (k->rsp.ready) {
            mr_put(k->rsp, (struct tele_rsp){.bits = k->counts_q});
            k->state = HIST_IDLE;
        }
    } else if (k->cfg.valid) {
        mr_take(k->cfg);
        at = (row_ix)k->cfg.data.index;
        write = k->cfg.data.table == MR_TBL_PATH &&
                mr_path_unpack((u(64))k->cfg.data.bits).state != MR_PATHST_PORT;
    } else if (k->rtt.valid || k->req.valid) {
        bool sample = k->rtt.valid;
        if (sample)
            mr_take(k->rtt);
        else
            mr_take(k->req);
        k->row = sample ? k->rtt.data.row : k->req.data.row;
        k->bucket = hist_bucket(k->rtt.data.rtt);
        k->counts_q = k->counts[(row_ix)k->row];
        k->state = sample ? (u(2))HIST_ADD : (u(2))HIST_READ;
    }
    if (write)
        k->counts[at] = sums;
}
