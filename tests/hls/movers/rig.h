// SPDX-License-Identifier: BSD-2-Clause
/* rig.h - the receive chain and the transmit chain, with memories at their ends. */
#ifndef MOVERS_RIG_H
#define MOVERS_RIG_H

#include "bench.h"
#include "icrc/icrc_acc.h"
#include "icrc/icrc_fix.h"
#include "rx_beat/rx_beat.h"
#include "rx_parse/rx_parse.h"
#include "rx_place/rx_place.h"
#include "tx_hdr/tx_hdr.h"
#include "tx_join/tx_join.h"
#include "tx_mov/tx_mov.h"
#include "tx_tail/tx_tail.h"

enum {
    RIG_MEM = 1 << 16, // bytes of each memory; addresses wrap
    RIG_ERR_BIT = 63,  // reads of addresses with this bit fail
};

/** mac -> rx_beat, icrc, rx_parse -> (the test's engine: payload to data.addr) -> rx_place -> mem. */
struct rig_rx {
    struct rx_beat beat;
    struct icrc_acc acc;
    struct icrc_fix fix;
    struct rx_parse parse;
    struct rx_place place;
    LINK(struct mac_beat, mac, 2);
    LINK(struct crc_beat, crc, 2);
    LINK(struct rx_frame, frame, 4);
    LINK(struct pay_beat, pay, 128);
    LINK(struct crc_sum, sum, 2);
    LINK(struct crc_sum, fixed, 2);
    LINK(struct rx_pkt, pkt, 2);
    LINK(struct rx_put, put, 2);
    LINK(struct wr_req, req, 2);
    LINK(struct wr_beat, wr, 2);
    LINK(struct wr_done, done, 4);
    LINK(struct wr_done, placed, 2);
    uint8_t mem[RIG_MEM];
    bool writing;
    struct wr_req now;
    unsigned wr_at;
    unsigned asked, ended;        // writes
    unsigned pkts, drops, data;   // packets out of rx_parse; dropped ones; DATA
};

/** data, ack, err -> tx_hdr -> tx_mov (reads mem), icrc -> tx_tail -> mac. */
struct rig_tx {
    struct tx_hdr hdr;
    struct tx_join join;
    struct tx_mov mov;
    struct icrc_acc acc;
    struct icrc_fix fix;
    struct tx_tail tail;
    LINK(struct pkt, data, 4);
    LINK(struct ack, ack, 2);
    LINK(struct err_note, err, 2);
    LINK(struct cfg_write, cfg, 2);
    LINK(struct tx_frame, frame, 2);
    LINK(struct rd_req, req, 4);
    LINK(struct rd_beat, rd, 4);
    LINK(struct piece, piece, 2);
    LINK(struct join, joins, 4);
    LINK(struct rd_beat, joined, 2);
    LINK(struct tx_beat, beat, 8);
    LINK(struct crc_beat, crc, 2);
    LINK(struct crc_sum, sum, 2);
    LINK(struct crc_sum, fixed, 2);
    LINK(struct fail, fail, 2);
    LINK(struct mac_beat, mac, 2);
    uint8_t mem[RIG_MEM];
    unsigned rd_at;   // beats of the request at the head that were answered
    unsigned fails;
};

/** One step of every kernel, in an order that changes, and of the memory. */
void rig_rx_step(struct rig_rx *r);
void rig_tx_step(struct rig_tx *t);
bool rig_rx_idle(const struct rig_rx *r);
bool rig_tx_idle(const struct rig_tx *t);

#endif
