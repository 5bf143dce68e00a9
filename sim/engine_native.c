// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine_native.c - the native NIC of hls/native, one pass per cycle, behind
 * the same edge as the RTL: frame buffers as in hw/rtl/mr_axis_{rx,tx}.sv,
 * bursts as in native_dma.h.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "native_dma.h"

#define RX_BEATS 512 // DEPTH and
#define RX_FRAME 72  // FRAME_BEATS of mr_axis_rx
#define TX_BEATS 128 // DEPTH of mr_axis_tx

static_assert(sizeof(((struct mac_beat *)0)->data) == 64);

struct rx_buf {
    uint32_t head;
    uint32_t n;
    uint32_t seen; // beats of the frame that is coming in, 0 between frames
    bool skip;     // the rest of it is thrown away
    uint32_t drops;
    struct mac_beat beat[RX_BEATS];
};

struct tx_buf {
    uint32_t head;
    uint32_t n;
    uint32_t ends;  // last beats in it
    bool inside;    // the frame at the head has begun to leave
    struct mac_beat beat[TX_BEATS];
};

struct native {
    struct mr_nic *nic;
    bool reg_open; // an access was taken and not answered
    struct ndma dma;
    struct rx_buf rx;
    struct tx_buf tx;
};

static void nat_close(void *e)
{
    struct native *n = e;
    mr_nic_free(n->nic);
    free(n);
}

static void *nat_open(const struct sim_engine_opt *opt)
{
    if (opt->fst || opt->trace) // there are no pins to record
        return nullptr;
    struct native *n = calloc(1, sizeof *n);
    if (!n)
        return nullptr;
    n->nic = mr_nic_new();
    if (!n->nic) {
        free(n);
        return nullptr;
    }
    ndma_init(&n->dma);
    return n;
}

static void nat_reset(void *e)
{
    struct native *n = e;
    struct mr_nic *fresh = mr_nic_new();
    if (fresh) { // else it keeps its state: there is nobody to tell
        mr_nic_free(n->nic);
        n->nic = fresh;
    }
    ndma_init(&n->dma);
    n->reg_open = false;
    memset(&n->rx, 0, sizeof n->rx);
    memset(&n->tx, 0, sizeof n->tx);
}

static void registers(struct native *n, struct sim_io *io)
{
    struct reg_rsp rsp;
    io->rsp_valid = mr_nic_pop_reg_rsp(n->nic, &rsp);
    if (io->rsp_valid) {
        io->rsp.data = rsp.data;
        io->rsp.err = false;
        n->reg_open = false;
    }
    io->reg_ready = false;
    if (!io->reg_valid || n->reg_open)
        return;
    struct reg_req q = {.write = io->reg.write, .addr = io->reg.addr, .data = io->reg.data};
    io->reg_ready = mr_nic_push_reg_req(n->nic, &q);
    n->reg_open = io->reg_ready;
}

static void rx_put(struct rx_buf *b, const struct sim_beat *in)
{
    if (b->seen == 0) {
        b->skip = RX_BEATS - b->n < RX_FRAME;
        b->drops += b->skip;
    }
    b->seen++;
    if (!b->skip) {
        bool cut = b->seen == RX_FRAME && !in->last;
        struct mac_beat *o = &b->beat[(b->head + b->n++) % RX_BEATS];
        memcpy(&o->data, in->data, 64);
        o->n = in->n;
        o->last = in->last || cut;
        o->err = (in->last && in->err) || cut;
        b->skip = cut;
    }
    if (in->last)
        b->seen = 0;
}

static void frames_in(struct native *n, struct sim_io *io)
{
    struct rx_buf *b = &n->rx;
    io->rx_ready = true;
    if (io->rx_valid)
        rx_put(b, &io->rx);
    mr_nic_set_mac_rx_drops(n->nic, b->drops);
    if (b->n && mr_nic_push_mac_rx(n->nic, &b->beat[b->head])) {
        b->head = (b->head + 1) % RX_BEATS;
        b->n--;
    }
}

static void frames_out(struct native *n, struct sim_io *io)
{
    struct tx_buf *b = &n->tx;
    struct mac_beat *in = &b->beat[(b->head + b->n) % TX_BEATS];
    if (b->n < TX_BEATS && mr_nic_pop_mac_tx(n->nic, in)) {
        b->n++;
        b->ends += in->last;
    }
    io->tx_valid = b->n && (b->inside || b->ends || b->n == TX_BEATS);
    if (!io->tx_valid)
        return;
    const struct mac_beat *o = &b->beat[b->head];
    memcpy(io->tx.data, &o->data, 64);
    io->tx.n = o->n ? (uint8_t)o->n : 1;
    io->tx.last = o->last;
    io->tx.err = false;
    if (!io->tx_ready)
        return;
    b->inside = !o->last;
    b->ends -= o->last;
    b->head = (b->head + 1) % TX_BEATS;
    b->n--;
}

static void nat_cycle(void *e, uint64_t cycle, struct sim_io *io)
{
    struct native *n = e;
    registers(n, io);
    frames_in(n, io);
    ndma_cycle(&n->dma, n->nic, io);
    mr_nic_step(n->nic, cycle);
    frames_out(n, io);
    struct irq irq;
    io->irq = mr_nic_pop_irq(n->nic, &irq);
}

const struct sim_engine_ops sim_engine_native = {
    .name = "native",
    .open = nat_open,
    .close = nat_close,
    .reset = nat_reset,
    .cycle = nat_cycle,
};
