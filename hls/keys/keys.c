// SPDX-License-Identifier: BSD-2-Clause
#include "keys/keys.h"

#include "key.h"

enum keys_state {
    KEYS_IDLE,
    KEYS_FIRST,   // the key's entry is known; BIND: read the region's
    KEYS_JUDGE,   // what is to be done
    KEYS_GIVE,    // the new entry to all
    KEYS_TAKEN,   // wait until all have it, then give the marks
    KEYS_DRAIN,   // wait until they are through
    KEYS_TELL,    // whoever asked
};

enum keys_job { JOB_HOST, JOB_CPL, JOB_OP };

typedef u(MR_KEYS_LOG2) key_ix;

/** Remote rights that a window may have in a region with those rights. */
MR_INLINE u(8) keys_allowed(u(8) region)
{
    u(8) reads = MR_RIGHT_REMOTE_READ;
    u(8) writes = MR_RIGHT_REMOTE_WRITE | MR_RIGHT_REMOTE_ATOMIC;

    return (region & MR_RIGHT_LOCAL_WRITE) != 0 ? (u(8))(reads | writes) : reads;
}

MR_INLINE bool keys_room(struct keys *k)
{
    return k->cfg_rx_check.ready && k->cfg_rx_recv.ready && k->cfg_rx_atomic.ready && k->cfg_tx_check.ready;
}

MR_INLINE void keys_put(struct keys *k, struct cfg_write w)
{
    mr_put(k->cfg_rx_check, w);
    mr_put(k->cfg_rx_recv, w);
    mr_put(k->cfg_rx_atomic, w);
    mr_put(k->cfg_tx_check, w);
    k->gave++;
}

MR_INLINE void keys_begin(struct keys *k, u(2) job, u(32) key)
{
    k->job = job;
    k->key = key;
    k->code = MR_ERR_OK;
    k->state = KEYS_FIRST;
}

/** An entry of another table. */
MR_INLINE void keys_pass(struct keys *k, struct cfg_write w)
{
    if (!keys_room(k))
        return;
    mr_take(k->cfg);
    keys_put(k, w);
    k->job = JOB_HOST;
    k->served += !w.drain;
    if (w.drain)
        k->state = KEYS_TAKEN;
}

/** Takes the next thing; most go through at once. True when a key is to be read. */
MR_INLINE bool keys_idle(struct keys *k)
{
    struct cfg_write w = k->cfg.data;
    struct completion c = k->cpl.data;

    if (k->cfg.valid) {
        if (w.table != MR_TBL_KEY) {
            keys_pass(k, w);
            return false;
        }
        mr_take(k->cfg);
        k->cfg_r = w;
        keys_begin(k, JOB_HOST, (u(32))w.index << 8);
        return true;
    }
    if (k->op.valid) {
        mr_take(k->op);
        k->op_r = k->op.data;
        keys_begin(k, JOB_OP, k->op.data.key);
        return true;
    }
    if (k->cpl.valid && c.cqe.opcode == MR_OP_SEND_INV && c.cqe.status == MR_ERR_OK) {
        mr_take(k->cpl);
        k->cpl_r = c;
        keys_begin(k, JOB_CPL, c.cqe.imm);
        return true;
    }
    if (k->cpl.valid && k->cpl_out.ready) {
        mr_take(k->cpl);
        mr_put(k->cpl_out, c);
    }
    return false;
}

/** A bind: MR_ERR_OK and the window's new entry, or why not. [spec 7.8] */
MR_INLINE u(8) keys_bind(struct keys *k, struct mr_key *e)
{
    struct key_op o = k->op_r;
    struct mr_key region = mr_key_unpack(k->key_q);
    struct key_use use = {.key = o.region, .pd = o.pd, .right = MR_RIGHT_BIND, .addr = o.addr, .len = o.len};
    u(2) v = o.len == 0 ? (u(2))KEY_OK : key_check(region, use);

    if (e->kind != MR_KEYKIND_WINDOW || e->pd != o.pd || (o.key >> 8) >= MR_KEYS ||
        (v == KEY_UNKNOWN) || (o.len != 0 && region.kind != MR_KEYKIND_REGION))
        return MR_ERR_LOCAL_KEY;
    if (v == KEY_BOUNDS)
        return MR_ERR_LOCAL_BOUNDS;
    if (v == KEY_RIGHT || (o.len != 0 && (o.rights & ~keys_allowed(region.rights)) != 0))
        return MR_ERR_LOCAL_RIGHT;
    *e = (struct mr_key){.rights = o.len == 0 ? (u(8))0 : o.rights, .kind = MR_KEYKIND_WINDOW, .tag = (u(8))o.key,
        .pd = o.pd, .va = o.addr, .len = (u(64))o.len, .bus = region.bus + (o.addr - region.va)};
    return MR_ERR_OK;
}

/** A withdrawal by a message: of a valid key of that protection domain; from afar only of a window. */
MR_INLINE u(8) keys_withdraw(struct mr_key *e, u(32) key, u(16) pd, bool remote)
{
    bool known = e->rights != 0 && e->tag == (u(8))key && e->pd == pd && (key >> 8) < MR_KEYS;

    if (!known || (remote && e->kind != MR_KEYKIND_WINDOW))
        return remote ? (u(8))MR_ERR_REMOTE_KEY : (u(8))MR_ERR_LOCAL_KEY;
    e->rights = 0;
    return MR_ERR_OK;
}

MR_INLINE void keys_judge(struct keys *k)
{
    struct mr_key e = mr_key_unpack(k->old);

    k->drain = e.rights != 0;
    if (k->job == JOB_HOST)
        e = mr_key_unpack((u(256))k->cfg_r.bits);
    else if (k->job == JOB_OP && k->op_r.bind)
        k->code = keys_bind(k, &e);
    else if (k->job == JOB_OP)
        k->code = keys_withdraw(&e, k->key, k->op_r.pd, false);
    else
        k->code = keys_withdraw(&e, k->key, k->cpl_r.pd, true);
    k->row = mr_key_pack(e);
    k->state = k->code == MR_ERR_OK ? (u(3))KEYS_GIVE : (u(3))KEYS_TELL;
}

/** True when the own table is to be written. */
MR_INLINE bool keys_give(struct keys *k)
{
    if (!keys_room(k))
        return false;
    keys_put(k, (struct cfg_write){.table = MR_TBL_KEY, .index = (u(16))(k->key >> 8), .bits = (u(512))k->row});
    k->state = k->drain ? (u(3))KEYS_TAKEN : (u(3))KEYS_TELL;
    return true;
}

/** Marks are given only when nobody checks by the old entry any more. */
MR_INLINE void keys_taken(struct keys *k)
{
    bool all = k->took_rx_check == k->gave && k->took_rx_recv == k->gave && k->took_rx_atomic == k->gave &&
               k->took_tx_check == k->gave;

    if (!all || !k->mark_rx.ready || !k->mark_tx.ready)
        return;
    mr_put(k->mark_rx, (struct key_mark){.mark = true});
    mr_put(k->mark_tx, (struct key_mark){.mark = true});
    k->marked++;
    k->state = KEYS_DRAIN;
}

MR_INLINE void keys_drain(struct keys *k)
{
    bool through = k->marks_rx == k->marked && k->marks_tx == k->marked;

    if (through && (u(16))(k->rd_taken - k->mark_at) >> 15 == 0)
        k->state = KEYS_TELL;
}

MR_INLINE void keys_tell(struct keys *k)
{
    struct completion c = k->cpl_r;

    if (!k->done.ready || !k->fail.ready || !k->cpl_out.ready)
        return;
    c.cqe.status = k->code;
    if (k->job == JOB_CPL)
        mr_put(k->cpl_out, c);
    else if (k->job == JOB_OP && k->code == MR_ERR_OK)
        mr_put(k->done, (struct done){.stream = k->op_r.stream, .msg = k->op_r.msg});
    else if (k->job == JOB_OP)
        mr_put(k->fail, (struct fail){.stream = k->op_r.stream, .msg = k->op_r.msg, .code = k->code});
    k->served += k->job == JOB_HOST;
    k->state = KEYS_IDLE;
}

/** The table: one read, one write. */
MR_INLINE void keys_table(struct keys *k, bool read, bool region, bool write)
{
    u(32) key = region ? k->op_r.region : k->key;

    if (read || region)
        k->key_q = k->rows[(key_ix)(key >> 8)];
    if (write)
        k->rows[(key_ix)(k->key >> 8)] = k->row;
}

MR_KERNEL(keys)
{
    bool read = false, region = false, write = false;

    switch ((unsigned)k->state) {
    case KEYS_IDLE: read = keys_idle(k); break;
    case KEYS_FIRST:
        k->old = k->key_q;
        region = true;
        k->state = KEYS_JUDGE;
        break;
    case KEYS_JUDGE: keys_judge(k); break;
    case KEYS_GIVE: write = keys_give(k); break;
    case KEYS_TAKEN: keys_taken(k); break;
    case KEYS_DRAIN: keys_drain(k); break;
    default: keys_tell(k); break;
    }
    keys_table(k, read, region, write);
}
