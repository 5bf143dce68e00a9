// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine_loopback.c - the test engine: no NIC, but something at the other end
 * of every channel, so that models and server can be tested without RTL.
 *
 * Registers: see engine_loopback.h. One DMA and one frame at a time.
 */
#include "engine_loopback.h"

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "frame.h"

struct loopback {
    uint32_t reg[LB_REGS];
    uint64_t cycle;
    bool rsp;
    uint32_t rsp_data;
    uint8_t buf[4096]; // DMA
    // DMA read
    bool ar;
    uint32_t rd_beats;
    uint32_t rd_at;
    // DMA write
    bool aw;
    uint32_t wr_beats;
    uint32_t wr_at;
    bool wr_wait;
    // frames
    uint8_t tx[SIM_FRAME_MAX];
    size_t tx_len;
    size_t tx_at;
    uint8_t rx[SIM_FRAME_MAX];
    size_t rx_len;
};

static void *lb_open(const struct sim_engine_opt *opt)
{
    (void)opt;
    return calloc(1, sizeof(struct loopback));
}

static void lb_close(void *e)
{
    free(e);
}

static void lb_reset(void *e)
{
    memset(e, 0, sizeof(struct loopback));
    ((struct loopback *)e)->reg[LB_MAGIC / 4] = LB_MAGIC_VALUE;
}

static uint64_t dma_addr(const struct loopback *b)
{
    return (uint64_t)b->reg[LB_ADDR_HI / 4] << 32 | b->reg[LB_ADDR_LO / 4];
}

static uint32_t dma_len(const struct loopback *b)
{
    uint32_t n = b->reg[LB_LEN / 4];
    return n > sizeof b->buf ? (uint32_t)sizeof b->buf : n;
}

/** Beats that cover the DMA's range. */
static uint32_t dma_beats(const struct loopback *b)
{
    return (uint32_t)((dma_addr(b) % 64 + dma_len(b) + 63) / 64);
}

static void command(struct loopback *b, uint32_t cmd)
{
    switch (cmd) {
    case LB_CMD_READ:
        b->ar = true;
        b->rd_beats = dma_beats(b);
        b->rd_at = 0;
        break;
    case LB_CMD_WRITE:
        b->aw = true;
        b->wr_beats = dma_beats(b);
        b->wr_at = 0;
        b->wr_wait = true;
        break;
    case LB_CMD_SEND:
        b->tx_len = dma_len(b);
        b->tx_at = 0;
        memcpy(b->tx, b->buf, b->tx_len);
        break;
    default:
        break;
    }
}

static void registers(struct loopback *b, struct sim_io *io)
{
    io->rsp_valid = b->rsp;
    io->rsp.data = b->rsp_data;
    io->rsp.err = false;
    b->rsp = false;
    io->reg_ready = io->reg_valid && !b->reg[LB_DEAF / 4];
    if (!io->reg_ready)
        return;
    uint32_t r = io->reg.addr / 4;
    b->rsp = true;
    b->rsp_data = 0;
    b->reg[LB_TIME / 4] = (uint32_t)b->cycle;
    b->reg[LB_BUSY / 4] = b->rd_at < b->rd_beats || b->wr_wait || b->tx_at < b->tx_len;
    if (!io->reg.write)
        b->rsp_data = r < LB_REGS ? b->reg[r] : 0;
    else if (io->reg.addr == LB_CMD)
        command(b, io->reg.data);
    else if (r < LB_REGS && io->reg.addr != LB_MAGIC)
        b->reg[r] = io->reg.data;
}

static void dma_read(struct loopback *b, struct sim_io *io)
{
    io->ar_valid = b->ar;
    io->ar.addr = dma_addr(b);
    io->ar.beats = (uint16_t)b->rd_beats;
    io->ar.id = (uint8_t)(b->reg[LB_ID / 4] % SIM_AXI_IDS);
    if (io->ar_ready)
        b->ar = false;
    io->r_ready = true;
    if (!io->r_valid)
        return;
    b->reg[LB_RD_ERR / 4] += io->r.err;
    uint64_t skip = dma_addr(b) % 64;
    for (uint64_t i = 0; i < 64; i++) {
        uint64_t at = b->rd_at * 64 + i;
        if (at >= skip && at - skip < dma_len(b))
            b->buf[at - skip] = io->r.data[i];
    }
    b->rd_at++;
}

static void dma_write(struct loopback *b, struct sim_io *io)
{
    io->aw_valid = b->aw;
    io->aw.addr = dma_addr(b);
    io->aw.beats = (uint16_t)b->wr_beats;
    io->aw.id = (uint8_t)(b->reg[LB_ID / 4] % SIM_AXI_IDS);
    if (io->aw_ready)
        b->aw = false;
    io->w_valid = b->wr_at < b->wr_beats;
    uint64_t skip = dma_addr(b) % 64;
    if (io->w_valid) {
        io->w.keep = 0;
        for (uint64_t i = 0; i < 64; i++) {
            uint64_t at = b->wr_at * 64 + i;
            if (at < skip || at - skip >= dma_len(b))
                continue;
            io->w.data[i] = b->buf[at - skip];
            io->w.keep |= 1ull << i;
        }
        io->w.last = b->wr_at + 1 == b->wr_beats;
        if (io->w_ready)
            b->wr_at++;
    }
    io->b_ready = true;
    if (io->b_valid) {
        b->reg[LB_WR_ERR / 4] += io->b.err;
        b->wr_wait = false;
    }
}

/** What comes in goes back with its addresses exchanged, if LB_ECHO says so. */
static void echo(struct loopback *b)
{
    struct sim_frame_info f = sim_frame_parse(b->rx, b->rx_len);
    if (!b->reg[LB_ECHO / 4] || b->tx_at < b->tx_len)
        return;
    memcpy(b->tx, b->rx, b->rx_len);
    memcpy(b->tx, b->rx + 6, 6);
    memcpy(b->tx + 6, b->rx, 6);
    if (f.version == 4) {
        memcpy(b->tx + f.ip + 12, f.dst, 4);
        memcpy(b->tx + f.ip + 16, f.src, 4);
    }
    b->tx_len = b->rx_len;
    b->tx_at = 0;
}

static void frames(struct loopback *b, struct sim_io *io)
{
    io->tx_valid = b->tx_at < b->tx_len;
    if (io->tx_valid) {
        size_t left = b->tx_len - b->tx_at;
        size_t n = left < 64 ? left : 64;
        memcpy(io->tx.data, &b->tx[b->tx_at], n);
        io->tx.n = (uint8_t)n;
        io->tx.last = n == left;
        if (io->tx_ready)
            b->tx_at += n;
        if (b->tx_at == b->tx_len && b->reg[LB_REPEAT / 4]) {
            b->reg[LB_REPEAT / 4]--;
            b->tx_at = 0;
        }
    }
    io->rx_ready = !b->reg[LB_STALL / 4];
    if (!io->rx_valid || !io->rx_ready)
        return;
    memcpy(&b->rx[b->rx_len], io->rx.data, io->rx.n);
    b->rx_len += io->rx.n;
    if (!io->rx.last)
        return;
    b->reg[LB_RX_FRAMES / 4]++;
    b->reg[LB_RX_BAD / 4] += io->rx.err;
    b->reg[LB_RX_LEN / 4] = (uint32_t)b->rx_len;
    b->reg[LB_RX_CYCLE / 4] = (uint32_t)b->cycle;
    if (b->reg[LB_RX_DMA / 4]) {
        size_t n = b->rx_len < sizeof b->buf ? b->rx_len : sizeof b->buf;
        memcpy(b->buf, b->rx, n);
        b->reg[LB_LEN / 4] = (uint32_t)n;
        command(b, LB_CMD_WRITE);
    }
    echo(b);
    b->rx_len = 0;
}

static void lb_cycle(void *e, uint64_t cycle, struct sim_io *io)
{
    struct loopback *b = e;
    b->cycle = cycle;
    io->irq = b->reg[LB_IRQ / 4] == 1;
    b->reg[LB_IRQ / 4] -= b->reg[LB_IRQ / 4] != 0;
    registers(b, io);
    dma_read(b, io);
    dma_write(b, io);
    frames(b, io);
}

const struct sim_engine_ops sim_engine_loopback = {
    .name = "loopback",
    .open = lb_open,
    .close = lb_close,
    .reset = lb_reset,
    .cycle = lb_cycle,
};
