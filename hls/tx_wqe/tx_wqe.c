// SPDX-License-Identifier: BSD-2-Clause
#include "tx_wqe/tx_wqe.h"

#define WQE_LENGTH_MAX 0x80000000u  // 2^31

MR_INLINE u(8) wqe_judge(struct mr_wqe w, bool bus_error)
{
    u(32) have = w.nsge == 0 ? (u(32))0 : w.sge_len;

    if (bus_error)
        return MR_ERR_BUS;
    if (w.opcode != MR_OP_WRITE || w.slots != 1 || w.nsge > 1)
        return MR_ERR_LOCAL_OP;
    if ((w.flags & (MR_WQEF_FENCE | MR_WQEF_INLINE)) != 0)
        return MR_ERR_LOCAL_OP;
    if (w.length > WQE_LENGTH_MAX || w.length != have)
        return MR_ERR_LOCAL_OP;
    return MR_ERR_OK;
}

MR_KERNEL(tx_wqe)
{
    struct fetch f = k->fetch.data;
    bool last = k->done == k->have;
    u(512) bits = k->entry[k->done];
    struct mr_wqe w = mr_wqe_unpack(last ? k->rd.data.data : bits);

    if (!k->fetch.valid || !k->rd.valid)
        return;
    if (!k->rd.data.last) {
        mr_take(k->rd);
        k->entry[k->have] = k->rd.data.data;
        k->have++;
        return;
    }
    if (!k->msg.ready)
        return;
    mr_put(k->msg, (struct msg){.stream = f.stream, .conn = f.conn, .widx = f.widx + k->done,
        .msg = f.msg + k->done, .slot = f.slot + (u(MR_AHEAD_LOG2))k->done, .opcode = w.opcode,
        .flags = w.flags, .length = w.length, .raddr = w.raddr, .rkey = w.rkey, .imm = w.imm,
        .laddr = w.sge_addr, .lkey = w.sge_key, .err = wqe_judge(w, k->rd.data.err)});
    k->done++;
    if (last) {
        mr_take(k->rd);
        mr_take(k->fetch);
        k->have = 0;
        k->done = 0;
    }
}
