// SPDX-License-Identifier: BSD-2-Clause
/*
 * keys - the one place where memory keys change: by the host's table, by a message
 * that invalidates (Send with invalidate, local invalidate), by a bind of a window.
 * [spec 7.5.5, 7.8]
 *
 * in:  cfg    table entries for those who check keys
 *      cpl    completions of receives; one of a Send with invalidate waits here
 *             until its key is withdrawn
 *      op     local operations of streams, each when all before it are complete
 * out: four copies of cfg, cpl_out, and done or fail for op
 *
 * A withdrawal has ended when nothing that was checked before it touches memory any
 * more. So after the new entry was given to all four, which is seen by their counts
 * of entries taken, a mark follows: through the receive side behind every packet
 * that rx_check has judged, and through the transmit side behind every packet that
 * tx_check has. When the writes in front of the one and the reads in front of the
 * other have ended, so has the withdrawal. ctrl waits for it, by `served`. Other
 * entries whose change is to be complete (streams, connections, receive queues) are
 * drained the same way.
 *
 * Who may do what: a peer invalidates windows of its stream's protection domain; a
 * program windows and regions of its own. A window is bound within a region of the same
 * domain that allows it (BIND), to no more rights than it can give: remote writes and
 * atomics need the region's LOCAL_WRITE.
 */
#ifndef MR_KEYS_H
#define MR_KEYS_H

#include "desc.h"

struct keys {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct completion, cpl);
    MR_IN(struct key_op, op);
    MR_OUT(struct cfg_write, cfg_rx_check);
    MR_OUT(struct cfg_write, cfg_rx_recv);
    MR_OUT(struct cfg_write, cfg_rx_atomic);
    MR_OUT(struct cfg_write, cfg_tx_check);
    MR_OUT(struct completion, cpl_out);
    MR_OUT(struct done, done);
    MR_OUT(struct fail, fail);
    MR_OUT(struct key_mark, mark_rx);   // to rx_check
    MR_OUT(struct key_mark, mark_tx);   // to tx_check
    MR_CFG(u(8), took_rx_check);  // entries taken, wraps
    MR_CFG(u(8), took_rx_recv);
    MR_CFG(u(8), took_rx_atomic);
    MR_CFG(u(8), took_tx_check);
    MR_CFG(u(8), marks_rx);        // marks that came out behind the writes, wraps
    MR_CFG(u(8), marks_tx);        // marks that came out behind the reads' requests, wraps
    MR_CFG(u(16), mark_at);        // beats that were asked for then
    MR_CFG(u(16), rd_taken);       // beats that have come, wraps
    MR_STAT(u(8), served);         // entries of cfg that have been dealt with, wraps
    u(3) state;        // enum keys_state
    u(2) job;          // enum keys_job
    u(32) key;         // that changes
    struct cfg_write cfg_r;
    struct completion cpl_r;
    struct key_op op_r;
    u(8) code;         // MR_ERR_* of the job
    bool drain;        // the old entry was valid
    u(256) row;        // the new entry
    u(8) gave;         // entries given, wraps
    u(8) marked;       // marks given, wraps
    u(256) rows[MR_KEYS];  // layout key
    u(256) key_q;      // the key's entry, then the region's
    u(256) old;        // the key's
};

#endif
