// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_check - the last look before a packet's payload is read from the host.
 *
 * The local key is checked for every packet, first transmission or not, and the
 * address becomes a bus address. A packet that may not be sent, because its key
 * does not hold or because its stream has failed, becomes a NULL packet with the
 * same number, so that the path's sequence closes. [spec 7]
 */
#ifndef MR_TX_CHECK_H
#define MR_TX_CHECK_H

#include "desc.h"

/** A failed stream: nothing from this message on is sent any more. */
struct check_stop {
    bool failed;
    u(32) msg;
};

struct tx_check {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct stop, stop);
    MR_IN(struct pkt, in);
    MR_OUT(struct pkt, out);
    MR_OUT(struct fail, fail);
    MR_STAT(u(32), cnt_tx_local_errors);
    bool busy;  // pkt_r waits for its table rows
    struct pkt pkt_r;
    u(256) keys[MR_KEYS];  // layout key
    u(256) key_q;
    struct check_stop stops[MR_STREAMS];
    struct check_stop stop_q;
};

#endif
