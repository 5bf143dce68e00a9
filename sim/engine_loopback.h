// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine_loopback.h - registers of the test engine: byte offsets in BAR 0.
 */
#ifndef SIM_ENGINE_LOOPBACK_H
#define SIM_ENGINE_LOOPBACK_H

#define LB_MAGIC_VALUE 0x4c4f4f50u
#define LB_REGS 64

enum {
    LB_MAGIC = 0x00,     // LB_MAGIC_VALUE
    LB_SCRATCH = 0x04,   // what was written last
    LB_TIME = 0x08,      // cycles
    LB_BUSY = 0x0c,      // 1 while a DMA or a frame is under way
    LB_ADDR_LO = 0x10,   // of the DMA
    LB_ADDR_HI = 0x14,
    LB_LEN = 0x18,       // bytes of DMA or frame, up to 4096
    LB_ID = 0x1c,        // AXI id of the DMA
    LB_CMD = 0x20,       // writing starts LB_CMD_*
    LB_RD_ERR = 0x24,    // beats read with an error
    LB_WR_ERR = 0x28,    // bursts written with an error
    LB_ECHO = 0x30,      // 1: send back what arrives
    LB_REPEAT = 0x34,    // how many more times the frame is sent
    LB_STALL = 0x38,     // 1: take no frames
    LB_DEAF = 0x3c,      // 1: answer no more register access
    LB_RX_FRAMES = 0x40, // frames received
    LB_RX_BAD = 0x44,    // of them with a bad FCS
    LB_RX_LEN = 0x48,    // bytes of the last one
    LB_RX_DMA = 0x4c,    // 1: write every frame that arrives to LB_ADDR
    LB_IRQ = 0x54,       // interrupt after so many cycles; counts down to 0
    LB_RX_CYCLE = 0x50,  // cycle in which the last one ended
};

enum {
    LB_CMD_READ = 1,  // memory to buffer
    LB_CMD_WRITE = 2, // buffer to memory
    LB_CMD_SEND = 3,  // buffer to wire
};

#endif
