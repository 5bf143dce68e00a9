// SPDX-License-Identifier: BSD-2-Clause
#include "tx_check/tx_check.h"

#include "key.h"

typedef u(MR_KEYS_LOG2) key_ix;
typedef u(MR_STREAMS_LOG2) stream_ix;

MR_INLINE u(8) check_code(u(2) verdict)
{
    return verdict == KEY_OK       ? (u(8))MR_ERR_OK
           : verdict == KEY_BOUNDS ? (u(8))MR_ERR_LOCAL_BOUNDS
           : verdict == KEY_RIGHT  ? (u(8))MR_ERR_LOCAL_RIGHT
                                   : (u(8))MR_ERR_LOCAL_KEY;
}

MR_INLINE void check_packet(struct tx_check *k)
{
    struct pkt p = k->pkt_r;
    struct mr_key e = mr_key_unpack(k->key_q);
    // The message's whole range, with every packet: so nothing is sent of one that does not fit.
    struct key_use use = {.key = p.lkey, .pd = p.pd, .right = MR_RIGHT_LOCAL_READ,
        .addr = p.laddr - p.offset, .len = p.msg_len};
    u(32) ahead = p.msg - k->stop_q.msg;
    bool failed = p.ctl == PKT_DATA && k->stop_q.failed && (ahead >> 31) == 0;
    u(8) code = p.len == 0 ? (u(8))MR_ERR_OK : check_code(key_check(e, use));

    if (!k->out.ready || !k->fail.ready)
        return;
    if (!failed && code != MR_ERR_OK) {
        mr_put(k->fail, (struct fail){.stream = p.stream, .msg = p.msg, .code = code});
        k->cnt_tx_local_errors++;
    }
    if (failed || code != MR_ERR_OK) {
        p.opcode = MR_OP_NULL;
        p.len = 0;
    }
    p.laddr = e.bus + (p.laddr - e.va);
    mr_put(k->out, p);
    k->busy = false;
}

MR_KERNEL(tx_check)
{
    bool busy = k->busy;
    struct cfg_write c = k->cfg.data;
    bool reset = !busy && k->cfg.valid && c.table == MR_TBL_STREAM;
    // Stops are taken always: tx_cpl must not wait for a packet that waits for tx_cpl.
    bool stop = !reset && k->stop.valid;

    if (busy) {
        check_packet(k);
    } else if (k->cfg.valid) {
        mr_take(k->cfg);
        if (c.table == MR_TBL_KEY)
            k->keys[(key_ix)c.index] = (u(256))c.bits;
    } else if (k->in.valid) {
        mr_take(k->in);
        k->pkt_r = k->in.data;
        k->key_q = k->keys[(key_ix)(k->in.data.lkey >> 8)];
        k->stop_q = k->stops[(stream_ix)k->in.data.stream];
        k->busy = true;
    }
    if (stop)
        mr_take(k->stop);
    if (reset || stop)
        k->stops[(stream_ix)(reset ? c.index : k->stop.data.stream)] = (struct check_stop){
            .failed = stop, .msg = stop ? k->stop.data.msg : (u(32))0};
}
