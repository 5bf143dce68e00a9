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
    struct mr_wqe w = mr_wqe_unpack(k->rd.data.data);

    if (!k->fetch.valid || !k->rd.valid || !k->msg.ready)
        return;
    mr_take(k->fetch);
    mr_take(k->rd);
    mr_put(k->msg, (struct msg){.stream = f.stream, .conn = f.conn, .peer = f.peer, .pd = f.pd,
        .widx = f.widx, .msg = f.msg, .slot = f.slot, .opcode = w.opcode, .flags = w.flags,
        .length = w.length, .raddr = w.raddr, .rkey = w.rkey, .imm = w.imm, .laddr = w.sge_addr,
        .lkey = w.sge_key, .err = wqe_judge(w, k->rd.data.err)});
}
