// SPDX-License-Identifier: BSD-2-Clause
/*
 * ctrl - the registers of BAR 0 (defs/regs.def): identity, limits, table
 * access, counters, doorbells.
 *
 * A table write is copied to every kernel that owns a table; each keeps what it
 * needs. TBL_STATUS stays 1 until every copy has been taken, `keys` has seen the end of
 * what was under way under the old entry, and CTRL_SETTLE cycles have passed, in which
 * the owners store it. When it closed a stream, also
 * until what was under way of it has come to its end: payload of packets that were
 * let in before is placed, receives of a shared queue that its messages had taken
 * have completed, and no completion of it is on the way to the host. Counts tell
 * that, modulo 2^16: so many have passed here, so many there.
 *
 * Memories survive a reset. So the first thing after one is to write a free entry
 * over every entry of every table: nothing that an earlier program set up, no key
 * and no connection, is valid again. TBL_STATUS is 1 until that is done.
 */
#ifndef MR_CTRL_H
#define MR_CTRL_H

#include "desc.h"
#include "ext.h"

#define CTRL_SETTLE 63

struct ctrl {
    MR_IN(struct reg_req, req);
    MR_OUT(struct reg_rsp, rsp);
    MR_OUT(struct doorbell, db);
    MR_OUT(struct rq_bell, rq_bell);
    MR_OUT(struct cfg_write, cfg_keys);  // and through it those who check keys
    MR_OUT(struct cq_bell, cq_bell);
    MR_OUT(struct cfg_write, cfg_rx_path);
    MR_OUT(struct cfg_write, cfg_tx_sched);
    MR_OUT(struct cfg_write, cfg_tx_seg);
    MR_OUT(struct cfg_write, cfg_tx_path);
    MR_OUT(struct cfg_write, cfg_tx_ack);
    MR_OUT(struct cfg_write, cfg_tx_cpl);
    MR_OUT(struct cfg_write, cfg_tx_hdr);
    MR_OUT(struct cfg_write, cfg_cqe);
    MR_OUT(struct cfg_write, cfg_ack_gate);
    MR_OUT(struct cfg_write, cfg_rx_share);
    MR_OUT(struct cfg_write, cfg_hist);
    MR_OUT(struct cfg_write, cfg_tx_wqe);
    MR_OUT(struct cfg_write, cfg_rx_rq);
    MR_OUT(struct cfg_write, cfg_rx_msg);
    MR_OUT(struct cfg_write, cfg_at_pay_rd);
    MR_OUT(struct cfg_write, cfg_at_wqe_rd);
    MR_OUT(struct cfg_write, cfg_at_pay_wr);
    MR_OUT(struct cfg_write, cfg_at_cqe_wr);
    MR_OUT(struct tele_req, tele_req);
    MR_IN(struct tele_rsp, tele_rsp);
    MR_OUT(struct tele_req, hist_req);
    MR_IN(struct tele_rsp, hist_rsp);
    MR_CFG(u(64), now);
    MR_CFG(u(8), keys_served);  // entries that keys has dealt with, wraps
#define MR_COUNTER(name, kernel, text) MR_CFG(u(32), cnt_##name);
#include "counters.def"
#undef MR_COUNTER
    MR_STAT(u(32), probe_min);  // cycles
    MR_STAT(u(32), retry_max);
    MR_STAT(u(32), cwnd_init);  // packets
    MR_STAT(u(32), wnd_init);   // packets
    MR_STAT(u(32), fail_min);   // probes
    MR_STAT(u(32), rnr_min);    // cycles
    MR_STAT(u(32), give_up);    // cycles
    MR_STAT(u(32), link_mbps);
    MR_STAT(u(32), policy);
    MR_STAT(u(32), seed);
    u(16) life;      // writes of stream entries, wraps
    u(8) keys_gave;  // entries given to keys, wraps
    MR_CFG(u(16), recv_taken);    // rx_recv: packets taken
    MR_CFG(u(16), path_packets);  // rx_path: packets decided on
    MR_CFG(u(16), path_writes);   // rx_path: packets of which something is written
    MR_CFG(u(16), gate_writes);   // ack_gate: of them, those that are in host memory
    MR_CFG(u(16), path_gots);     // rx_path: packets told to rx_msg
    MR_CFG(u(16), gate_drops);    // ack_gate: of them, those not told after all
    MR_CFG(u(16), msg_gots);      // rx_msg: of them, those taken
    MR_CFG(u(16), msg_cpls);      // completions put out by rx_msg,
    MR_CFG(u(16), send_cpls);     // tx_cpl,
    MR_CFG(u(16), recv_cpls);     // rx_recv
    MR_CFG(u(16), cqe_done);      // cqe: completions that are in host memory
    MR_CFG(u(8), msg_cfgs);       // table writes taken by rx_msg,
    MR_CFG(u(8), cpl_cfgs);       // tx_cpl
    MR_CFG(bool, recv_releasing);  // rx_recv: receives of a closed stream are to be given back
    MR_STAT(bool, release);       // they may be
    u(8) told;       // table writes given out
    u(16) mark;      // closing: the count to be reached
    u(16) mark_got;
    u(4) state;      // enum ctrl_state
    u(6) settle;     // cycles left of CTRL_SETTLE
    bool refused;    // the last command was
    u(32) index;     // TBL_INDEX
    u(8) table;      // of the command under way, or being freed
    u(512) data;     // TBL_DATA
    u(32) time_hi;   // latched by TIME_LO
};

#endif
