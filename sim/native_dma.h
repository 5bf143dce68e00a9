// SPDX-License-Identifier: BSD-2-Clause
/*
 * native_dma.h - the native NIC's read and write streams as AXI bursts: what
 * hw/rtl/mr_axi_rd.sv and mr_axi_wr.sv do for the RTL, with their limits.
 * Channel = AXI id.
 */
#ifndef SIM_NATIVE_DMA_H
#define SIM_NATIVE_DMA_H

#include "engine.h"
#include "native/nic.h"

#define NDMA_CHANNELS 2
#define NDMA_BURST 16    // beats, MAX_BEATS in the RTL
#define NDMA_OPEN 64     // requests under way per channel
#define NDMA_RD_BEATS 512
#define NDMA_WR_BEATS 64

/** What is left of the request that is being cut into bursts. */
struct ndma_cut {
    uint64_t addr;
    uint32_t beats;
};

struct ndma_rd {
    bool (*pop)(struct mr_nic *nic, struct rd_req *req);
    bool (*push)(struct mr_nic *nic, const struct rd_beat *beat);
    struct ndma_cut cut;
    uint32_t credit; // beats of buffer that no burst was granted yet
    // requests under way: beats still to come, in order
    uint32_t open_head;
    uint32_t open_n;
    uint32_t open[NDMA_OPEN];
    bool err; // of the oldest
    uint32_t head;
    uint32_t n;
    struct rd_beat buf[NDMA_RD_BEATS];
};

struct ndma_wr {
    bool (*pop)(struct mr_nic *nic, struct wr_req *req);
    bool (*pop_beat)(struct mr_nic *nic, struct wr_beat *beat);
    bool (*push)(struct mr_nic *nic, const struct wr_done *done);
    struct ndma_cut cut;
    // bursts under way: does it end its request, in order
    uint32_t open_head;
    uint32_t open_n;
    bool open[NDMA_OPEN];
    bool err;
    // done requests that the NIC has not taken
    uint32_t done_head;
    uint32_t done_n;
    struct wr_done done[NDMA_OPEN];
    uint32_t head;
    uint32_t n;
    struct wr_beat buf[NDMA_WR_BEATS];
};

struct ndma {
    struct ndma_rd rd[NDMA_CHANNELS];
    struct ndma_wr wr[NDMA_CHANNELS];
    uint8_t rd_turn;
    uint8_t wr_turn;
    bool ar_held;
    struct sim_burst ar;
    bool aw_held;
    struct sim_burst aw;
    uint32_t w_left; // beats of the burst on W
};

void ndma_init(struct ndma *d);
/** Before mr_nic_step: takes what moved in io, gives the NIC its answers. */
void ndma_cycle(struct ndma *d, struct mr_nic *nic, struct sim_io *io);

#endif
