// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_atomic - executes atomics from the peer, one at a time, in order. [spec 7.7]
 *
 * in:  cfg      table key; waits until no atomic is under way, so that nothing is
 *               done with an old entry after a new one was taken
 *      atom     to be executed
 *      rd       answer to rd_req: one beat
 *      wr_done  end of the write
 * out: rd_req   8 bytes
 *      wr_req, wr_beat  the new value, one beat; none when compare-and-swap does not match
 *      done     outcome, after the write's end
 *
 * Bytes are taken as little-endian. Codes: REMOTE_KEY, REMOTE_BOUNDS, REMOTE_RIGHT;
 * REMOTE_ALIGN when the address, or where it lies on the bus, is not a multiple of
 * 8; BUS when a read or write failed (whether it was written is then unknown).
 */
#ifndef MR_RX_ATOMIC_H
#define MR_RX_ATOMIC_H

#include "desc.h"
#include "ext.h"

struct rx_atomic {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct atom, atom);
    MR_IN(struct rd_beat, rd);
    MR_IN(struct wr_done, wr_done);
    MR_OUT(struct rd_req, rd_req);
    MR_OUT(struct wr_req, wr_req);
    MR_OUT(struct wr_beat, wr_beat);
    MR_OUT(struct atom_done, done);
    MR_STAT(u(32), cnt_rx_atomics);  // executed without a code
    MR_STAT(u(8), took);  // entries taken, with none of the older ones in use, wraps

    u(3) state;    // enum atomic_state
    struct atom a; // under way
    u(64) bus;     // bus address of its 8 bytes
    u(64) value;   // before
    u(8) code;     // MR_ERR_*
    u(256) keys[MR_KEYS];  // layout key
    u(256) key_q;
};

#endif
