// SPDX-License-Identifier: BSD-2-Clause
/*
 * toy.h - three kernels to test the graph, the scheduler and the shell with.
 *
 *   toy_regs  registers 0x00 to 0x1c are plain; a write to 0x20 (copy) orders a
 *             copy of [0x08] bytes from [0x00] to [0x04], a multiple of 64 on
 *             both sides; 0x24 reads the copies done, 0x28 the frames echoed,
 *             0x2c the low half of now, 0x30 the frames lost
 *   toy_copy  does it through the payload streams
 *   toy_echo  sends received frames back with the data inverted
 */
#ifndef MR_TOY_H
#define MR_TOY_H

#include "ext.h"

struct toy_cmd {
    u(32) src;
    u(32) dst;
    u(16) len;
};

struct toy_regs {
    MR_IN(struct reg_req, req);
    MR_OUT(struct reg_rsp, rsp);
    MR_OUT(struct toy_cmd, cmd);
    MR_CFG(u(32), copies);
    MR_CFG(u(16), frames);
    MR_CFG(u(32), now);
    MR_CFG(u(32), drops);
    u(32) reg[8];
};

struct toy_copy {
    MR_IN(struct toy_cmd, cmd);
    MR_OUT(struct rd_req, rd);
    MR_IN(struct rd_beat, rdb);
    MR_OUT(struct wr_req, wr);
    MR_OUT(struct wr_beat, wrb);
    MR_IN(struct wr_done, done);
    MR_STAT(u(32), copies);
};

struct toy_echo {
    MR_IN(struct mac_beat, rx);
    MR_OUT(struct mac_beat, tx);
    MR_STAT(u(16), frames);
};

void toy_regs_step(struct toy_regs *k);
void toy_copy_step(struct toy_copy *k);
void toy_echo_step(struct toy_echo *k);

#endif
