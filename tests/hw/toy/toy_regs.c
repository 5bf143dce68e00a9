// SPDX-License-Identifier: BSD-2-Clause
#include "toy.h"

MR_INLINE u(32) toy_read(const struct toy_regs *k, u(16) addr)
{
    if (addr == 0x24)
        return k->copies;
    if (addr == 0x28)
        return k->frames;
    if (addr == 0x2c)
        return k->now;
    if (addr == 0x30)
        return k->drops;
    return addr < 0x20 ? k->reg[(u(3))(addr >> 2)] : (u(32))0;
}

MR_KERNEL(toy_regs)
{
    if (!k->req.valid || !k->rsp.ready || !k->cmd.ready)
        return;
    mr_take(k->req);
    if (!k->req.data.write) {
        mr_put(k->rsp, (struct reg_rsp){toy_read(k, k->req.data.addr)});
        return;
    }
    if (k->req.data.addr == 0x20)
        mr_put(k->cmd, (struct toy_cmd){k->reg[0], k->reg[1], (u(16))k->reg[2]});
    else if (k->req.data.addr < 0x20)
        k->reg[(u(3))(k->req.data.addr >> 2)] = k->req.data.data;
    mr_put(k->rsp, (struct reg_rsp){0});
}
