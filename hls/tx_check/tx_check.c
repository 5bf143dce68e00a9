// SPDX-License-Identifier: BSD-2-Clause
#include "tx_check/tx_check.h"

#include "key.h"

enum check_state {
    CHECK_IDLE,
    CHECK_PACKET,  // key and stream are known
    CHECK_LIST,    // the list is known
    CHECK_RANGE,   // look up a range's key
    CHECK_JUDGE,   // check it; a piece, if the packet has bytes of it
    CHECK_OUT,
};

typedef u(MR_KEYS_LOG2) key_ix;
typedef u(MR_STREAMS_LOG2) stream_ix;
typedef u(MR_STREAMS_LOG2 + 1) stop_ix;
typedef u(MR_STREAMS_LOG2 + MR_MSGS_LOG2) list_ix;

MR_INLINE u(8) check_code(u(2) verdict, bool rsp)
{
    return verdict == KEY_OK       ? (u(8))MR_ERR_OK
           : verdict == KEY_BOUNDS ? (rsp ? (u(8))MR_ERR_REMOTE_BOUNDS : (u(8))MR_ERR_LOCAL_BOUNDS)
           : verdict == KEY_RIGHT  ? (rsp ? (u(8))MR_ERR_REMOTE_RIGHT : (u(8))MR_ERR_LOCAL_RIGHT)
           : rsp                   ? (u(8))MR_ERR_REMOTE_KEY
                                   : (u(8))MR_ERR_LOCAL_KEY;
}

MR_INLINE stop_ix check_stop_at(u(16) stream, bool rsp)
{
    return (stop_ix)(stream_ix)stream | (rsp ? (stop_ix)MR_STREAMS : (stop_ix)0);
}

MR_INLINE list_ix check_list_at(u(16) stream, u(32) msg)
{
    return (list_ix)((list_ix)stream << (list_ix)MR_MSGS_LOG2) | (list_ix)(u(MR_MSGS_LOG2))msg;
}

/** May nothing of the packet's message be sent any more? */
MR_INLINE bool check_stopped(struct tx_check *k, struct pkt p)
{
    u(32) ahead = p.msg - k->stop_q.msg;
    bool answer = p.rsp && p.imm != 0;  // tells an error

    bool failed = k->stop_q.failed && (k->stop_q.hard || ((ahead >> 31) == 0 && !answer));

    return p.ctl == PKT_DATA && (failed || p.life != k->stop_q.life);
}

/** The packet goes on, as it is or as NULL. There is room. */
MR_INLINE void check_out(struct tx_check *k, struct pkt p, bool stopped, u(8) code)
{
    if (!stopped && code != MR_ERR_OK) {
        mr_put(k->fail, (struct fail){.stream = p.stream, .life = p.life, .msg = p.msg, .code = code, .rsp = p.rsp});
        k->cnt_tx_local_errors++;
    }
    if (stopped || code != MR_ERR_OK) {
        p.opcode = MR_OP_NULL;
        p.len = 0;
    }
    mr_put(k->out, p);
    k->state = CHECK_IDLE;
}

/** A packet with one range, or with none. */
MR_INLINE void check_packet(struct tx_check *k)
{
    struct pkt p = k->pkt_r;
    struct mr_key e = mr_key_unpack(k->key_q);
    // The message's whole range, with every packet: so nothing is sent of one that does not fit.
    struct key_use use = {.key = p.lkey, .pd = p.pd,
        .right = p.rsp ? (u(8))MR_RIGHT_REMOTE_READ : (u(8))MR_RIGHT_LOCAL_READ,
        .addr = p.laddr - p.offset, .len = p.msg_len};
    bool looks = p.len != 0 && !p.bus;
    bool stopped = check_stopped(k, p);
    u(8) code = looks ? check_code(key_check(e, use), p.rsp) : (u(8))MR_ERR_OK;

    if (p.list && p.len != 0 && !stopped) {
        k->list_q = k->lists[check_list_at(p.stream, p.msg)];
        k->state = CHECK_LIST;
        return;
    }
    if (!k->out.ready || !k->fail.ready)
        return;
    p.list = false;
    if (looks)
        p.laddr = e.bus + (p.laddr - e.va);
    check_out(k, p, stopped, code);
}

/** Looks up the next range's key; one without bytes is passed over. */
MR_INLINE void check_range(struct tx_check *k)
{
    struct mr_sge s = mr_sge_unpack((u(128))k->rest);

    if (k->left == 0 || k->at >= k->pkt_r.msg_len) {
        k->state = CHECK_OUT;
    } else if (s.len == 0) {
        k->rest >>= 128;
        k->left--;
    } else {
        k->state = CHECK_JUDGE;
    }
}

MR_INLINE void check_judge(struct tx_check *k)
{
    struct pkt p = k->pkt_r;
    struct mr_sge s = mr_sge_unpack((u(128))k->rest);
    struct mr_key e = mr_key_unpack(k->key_q);
    struct key_use use = {
        .key = s.key, .pd = p.pd, .right = MR_RIGHT_LOCAL_READ, .addr = s.addr, .len = s.len};
    u(8) code = check_code(key_check(e, use), false);
    u(33) begin = k->at, end = (u(33))k->at + (u(33))s.len;
    u(33) from = p.offset, to = (u(33))p.offset + (u(33))p.len;
    u(33) lo = begin > from ? begin : from;
    u(33) hi = end < to ? end : to;

    if (!k->piece.ready)
        return;
    if (lo < hi)
        mr_put(k->piece, (struct piece){.bus = e.bus + (s.addr - e.va) + (u(64))(u(33))(lo - begin),
            .len = (u(13))(u(33))(hi - lo), .last = hi == to});
    if (k->code == MR_ERR_OK)
        k->code = code;
    k->at = (u(32))end;
    k->rest >>= 128;
    k->left--;
    k->state = CHECK_RANGE;
}

/** Reads the key of a packet that was begun, or of a range that is to be judged. */
MR_INLINE void check_key(struct tx_check *k, bool idle)
{
    struct mr_sge s = mr_sge_unpack((u(128))k->rest);
    u(32) key = idle ? k->pkt_r.lkey : s.key;

    if ((idle && k->state == CHECK_PACKET) || k->state == CHECK_JUDGE)
        k->key_q = k->keys[(key_ix)(key >> 8)];
}

MR_INLINE void check_config(struct tx_check *k)
{
    struct cfg_write c = k->cfg.data;

    mr_take(k->cfg);
    k->took++;
    if (c.table == MR_TBL_KEY)
        k->keys[(key_ix)c.index] = (u(256))c.bits;
}

/**
 * Who has failed: a stream's entry clears its two places, one after the other. Of a
 * stream that was closed nothing is sent any more: what its peer refuses would be
 * repeated for ever, as nobody keeps its account.
 */
MR_INLINE void check_stops(struct tx_check *k, bool reset)
{
    struct stop s = k->stop.data;
    bool clear = reset || k->clear;
    bool stop = !clear && k->stop.valid;
    bool closed = reset ? mr_stream_unpack((u(256))k->cfg.data.bits).state != 1 : k->clear && k->closed;
    u(16) stream = reset ? k->cfg.data.index : k->clear ? k->clear_at : s.stream;
    u(16) life = reset ? k->cfg.data.life : k->clear ? k->clear_life : s.life;

    // Stops are taken always: tx_cpl must not wait for a packet that waits for tx_cpl.
    if (stop)
        mr_take(k->stop);
    if (clear || stop)
        k->stops[check_stop_at(stream, clear ? !reset : s.rsp)] = (struct check_stop){.failed = stop || closed,
            .hard = closed || (stop && s.hard), .msg = stop ? s.msg : (u(32))0, .life = life};
    k->closed = closed;
    k->clear = reset;
    k->clear_at = stream;
    k->clear_life = life;
}

MR_INLINE void check_begin(struct tx_check *k)
{
    struct pkt p = k->in.data;

    mr_take(k->in);
    k->pkt_r = p;
    k->code = MR_ERR_OK;
    k->stop_q = k->stops[check_stop_at(p.stream, p.rsp)];
    k->state = CHECK_PACKET;
}

/** Behind everything that was judged. */
MR_INLINE void check_mark(struct tx_check *k)
{
    if (!k->out.ready)
        return;
    mr_take(k->mark);
    mr_put(k->out, (struct pkt){.ctl = PKT_MARK});
}

MR_KERNEL(tx_check)
{
    bool idle = k->state == CHECK_IDLE;
    bool cfg = k->cfg.valid && !k->clear;
    bool reset = idle && cfg && k->cfg.data.table == MR_TBL_STREAM;

    switch ((unsigned)k->state) {
    case CHECK_IDLE:
        if (!cfg && k->mark.valid)
            check_mark(k);
        else if (!cfg && k->in.valid)
            check_begin(k);
        break;
    case CHECK_PACKET: check_packet(k); break;
    case CHECK_LIST:
        k->rest = k->list_q;
        k->at = 0;
        k->left = MR_SGE_MAX;
        k->state = CHECK_RANGE;
        break;
    case CHECK_RANGE: check_range(k); break;
    case CHECK_JUDGE: check_judge(k); break;
    default:
        if (k->out.ready && k->fail.ready)
            check_out(k, k->pkt_r, false, k->code);
        break;
    }
    check_key(k, idle);
    if (idle && cfg)
        check_config(k);
    check_stops(k, reset);
    if (k->list.valid) {
        mr_take(k->list);
        k->lists[check_list_at(k->list.data.stream, k->list.data.msg)] = k->list.data.sges;
    }
}
