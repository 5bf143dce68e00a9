// SPDX-License-Identifier: BSD-2-Clause
#include "tx_wqe/tx_wqe.h"

typedef u(MR_STREAMS_LOG2) stream_ix;

MR_INLINE bool wqe_matches(u(8) op)
{
    return op == MR_OP_SEND || op == MR_OP_SEND_IMM || op == MR_OP_SEND_INV || op == MR_OP_WRITE_IMM;
}

MR_INLINE bool wqe_atomic(u(8) op)
{
    return op == MR_OP_CMP_SWAP || op == MR_OP_FETCH_ADD;
}

/** Works on a key, sends nothing. */
MR_INLINE bool wqe_local(u(8) op)
{
    return op == MR_OP_BIND_WINDOW || op == MR_OP_LOCAL_INV;
}

MR_INLINE bool wqe_asks(u(8) op)
{
    return op == MR_OP_READ || wqe_atomic(op);
}

/** Ranges that an entry of that stride has room for. */
MR_INLINE u(5) wqe_room(u(2) stride)
{
    return stride == 0 ? (u(5))1 : stride == 1 ? (u(5))5 : stride == 2 ? (u(5))13 : (u(5))MR_SGE_MAX;
}

/** MR_ERR_OK, or why the entry cannot be executed. [spec 10] */
MR_INLINE u(8) wqe_judge(struct tx_wqe *k, struct mr_wqe w, u(2) stride)
{
    u(36) sum = w.nsge > 1 ? k->sum : w.nsge == 1 ? (u(36))w.sge_len : (u(36))0;
    bool is_inline = (w.flags & MR_WQEF_INLINE) != 0;
    u(32) room = stride == 0 ? (u(32))0 : (u(32))(((u(32))64 << (u(32))stride) - (u(32))64);
    bool known = w.opcode == MR_OP_WRITE || wqe_matches(w.opcode) || wqe_asks(w.opcode) ||
                 (wqe_local(w.opcode) && w.nsge == 0 && !is_inline);
    bool listed = w.nsge <= (u(8))wqe_room(stride) && sum == (u(36))w.length;
    bool fits = is_inline ? w.nsge == 0 && w.length <= room && !wqe_asks(w.opcode) : listed;
    bool atomic = w.nsge == 1 && w.length == MR_WIRE_ATOMIC;

    if (k->err)
        return MR_ERR_BUS;
    if (!known || !fits || w.length > MR_WIRE_MSG_MAX || (wqe_atomic(w.opcode) && !atomic))
        return MR_ERR_LOCAL_OP;
    return MR_ERR_OK;
}

MR_INLINE u(128) wqe_first(struct mr_wqe w)
{
    return mr_sge_pack((struct mr_sge){.addr = w.sge_addr, .key = w.sge_key, .len = w.sge_len});
}

/** Puts the list together and adds it up. Its first range stands in the entry's first slot. */
MR_INLINE void wqe_add(struct tx_wqe *k, struct mr_wqe w)
{
    u(2048) rest = (u(2048))k->entry[(u(3))(k->done + 1)] | (u(2048))k->entry[(u(3))(k->done + 2)] << 512 |
                   (u(2048))k->entry[(u(3))(k->done + 3)] << 1024 | (u(2048))k->entry[(u(3))(k->done + 4)] << 1536;
    u(2048) all = rest << 128 | (u(2048))wqe_first(w);
    u(36) sum = 0;
    u(2048) sges = 0;

    MR_UNROLL
    for (unsigned i = 0; i < MR_SGE_MAX; i++) {
        u(128) e = w.nsge > i ? (u(128))(all >> 128 * i) : (u(128))0;
        sum += (u(36))mr_sge_unpack(e).len;
        sges |= (u(2048))e << 128 * i;
    }
    k->sum = sum;
    k->sges = sges;
    k->summed = true;
}

/** The entry goes on. */
MR_INLINE void wqe_emit(struct tx_wqe *k, struct mr_wqe w, u(32) match)
{
    struct fetch f = k->fetch.data;
    u(8) err = wqe_judge(k, w, f.stride);
    bool is_inline = (w.flags & MR_WQEF_INLINE) != 0;
    bool atomic = wqe_atomic(w.opcode), asks = wqe_asks(w.opcode);
    bool list = w.nsge > 1;
    u(32) msg = f.msg + (u(32))k->entries;
    u(2048) one = w.nsge == 1 ? (u(2048))wqe_first(w) : (u(2048))0;

    mr_put(k->msg, (struct msg){.stream = f.stream, .conn = f.conn, .widx = f.widx + (u(16))k->entries,
        .msg = msg, .slot = f.slot + (u(MR_AHEAD_LOG2))k->entries, .opcode = w.opcode, .flags = w.flags,
        .length = w.opcode == MR_OP_BIND_WINDOW ? w.sge_len : w.length, .raddr = w.raddr, .rkey = w.rkey, .imm = atomic ? (u(32))w.swap : w.imm,
        .laddr = atomic ? w.compare : is_inline ? f.bus + ((u(64))k->done << 6) + 64 : w.sge_addr,
        .lkey = atomic ? (u(32))(w.swap >> 32) : w.sge_key, .match = match, .list = list && !asks,
        .bus = is_inline, .err = err});
    if (err == MR_ERR_OK && list && !asks)
        mr_put(k->list, (struct sgl){.stream = f.stream, .msg = msg, .sges = k->sges});
    if (err == MR_ERR_OK && asks)
        mr_put(k->request, (struct request){.stream = f.stream, .msg = msg, .opcode = w.opcode,
            .length = w.length, .sges = list ? k->sges : one});
}

/** Takes a slot of the read. */
MR_INLINE void wqe_take(struct tx_wqe *k)
{
    mr_take(k->rd);
    k->entry[(u(3))k->have] = k->rd.data.data;
    k->have++;
    k->all = k->rd.data.last;
    k->err = k->rd.data.last && k->rd.data.err;
}

/** The next entry; true when the stream's number of matches is to be written. */
MR_INLINE bool wqe_next(struct tx_wqe *k)
{
    struct fetch f = k->fetch.data;
    struct mr_wqe w = mr_wqe_unpack(k->entry[(u(3))k->done]);
    u(32) match = k->entries == 0 ? k->match_q : k->match_n;

    if (w.nsge > 1 && !k->summed) {
        wqe_add(k, w);
        return false;
    }
    if (!k->msg.ready || !k->list.ready || !k->request.ready)
        return false;
    wqe_emit(k, w, match);
    k->match_n = match + (u(32))wqe_matches(w.opcode);
    k->done += (u(4))1 << (u(4))f.stride;
    k->entries++;
    k->summed = false;
    if (k->done >= k->have) {
        mr_take(k->fetch);
        k->have = k->done = k->entries = 0;
        k->all = false;
    }
    return true;
}

MR_KERNEL(tx_wqe)
{
    stream_ix at = (stream_ix)k->fetch.data.stream;
    bool cfg = k->cfg.valid && k->have == 0;
    bool write = false, read = false;
    u(32) next = 0;

    if (cfg) {
        mr_take(k->cfg);
        write = k->cfg.data.table == MR_TBL_STREAM;
        at = (stream_ix)k->cfg.data.index;
    } else if (k->all) {
        write = wqe_next(k);
        next = k->match_n;
    } else if (k->fetch.valid && k->rd.valid) {
        wqe_take(k);
        read = true;
    }
    if (read)
        k->match_q = k->match[at];
    if (write)
        k->match[at] = next;
}
