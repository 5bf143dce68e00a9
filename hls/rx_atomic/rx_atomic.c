// SPDX-License-Identifier: BSD-2-Clause
#include "rx_atomic/rx_atomic.h"

#include "key.h"

enum atomic_state { ATOMIC_IDLE, ATOMIC_CHECK, ATOMIC_READ, ATOMIC_WRITE, ATOMIC_WAIT, ATOMIC_REPORT };

typedef u(MR_KEYS_LOG2) key_ix;

/** Takes a key or an atomic. */
MR_INLINE void atomic_begin(struct rx_atomic *k)
{
    if (k->cfg.valid) {
        mr_take(k->cfg);
        k->took++;
        if (k->cfg.data.table == MR_TBL_KEY)
            k->keys[(key_ix)k->cfg.data.index] = (u(256))k->cfg.data.bits;
    } else if (k->atom.valid) {
        mr_take(k->atom);
        k->a = k->atom.data;
        k->key_q = k->keys[(key_ix)(k->atom.data.key >> 8)];
        k->state = ATOMIC_CHECK;
    }
}

/** The memory may have gone since the packet arrived. [spec 7.6.2] */
MR_INLINE void atomic_check(struct rx_atomic *k)
{
    struct mr_key e = mr_key_unpack(k->key_q);
    struct key_use use = {.key = k->a.key, .pd = k->a.pd, .right = MR_RIGHT_REMOTE_ATOMIC,
        .addr = k->a.addr, .len = MR_WIRE_ATOMIC};
    u(2) key = key_check(e, use);
    u(64) bus = e.bus + (k->a.addr - e.va);
    bool aligned = (u(3))k->a.addr == 0 && (u(3))bus == 0;

    k->bus = bus;
    k->value = 0;
    k->code = key == KEY_UNKNOWN  ? (u(8))MR_ERR_REMOTE_KEY
              : key == KEY_BOUNDS ? (u(8))MR_ERR_REMOTE_BOUNDS
              : key == KEY_RIGHT  ? (u(8))MR_ERR_REMOTE_RIGHT
              : !aligned          ? (u(8))MR_ERR_REMOTE_ALIGN
                                  : (u(8))MR_ERR_OK;
    if (k->code != MR_ERR_OK) {
        k->state = ATOMIC_REPORT;
    } else if (k->rd_req.ready) {
        mr_put(k->rd_req, (struct rd_req){.addr = bus, .len = MR_WIRE_ATOMIC});
        k->state = ATOMIC_READ;
    }
}

MR_INLINE void atomic_read(struct rx_atomic *k)
{
    u(9) at = (u(9))(u(6))k->bus << 3;

    if (!k->rd.valid)
        return;
    mr_take(k->rd);
    k->value = (u(64))(k->rd.data.data >> at);
    k->code = k->rd.data.err ? (u(8))MR_ERR_BUS : (u(8))MR_ERR_OK;
    if (k->rd.data.last)
        k->state = k->rd.data.err ? (u(3))ATOMIC_REPORT : (u(3))ATOMIC_WRITE;
}

MR_INLINE void atomic_write(struct rx_atomic *k)
{
    bool write = k->a.add || k->value == k->a.compare;
    u(64) value = k->a.add ? k->value + k->a.compare : k->a.swap;
    u(6) at = (u(6))k->bus;

    if (!write) {
        k->state = ATOMIC_REPORT;
    } else if (k->wr_req.ready && k->wr_beat.ready) {
        mr_put(k->wr_req, (struct wr_req){.addr = k->bus, .len = MR_WIRE_ATOMIC});
        mr_put(k->wr_beat, (struct wr_beat){.data = (u(512))value << ((u(9))at << 3),
            .keep = (u(64))0xff << at, .last = true});
        k->state = ATOMIC_WAIT;
    }
}

MR_INLINE void atomic_wait(struct rx_atomic *k)
{
    if (!k->wr_done.valid)
        return;
    mr_take(k->wr_done);
    k->code = k->wr_done.data.err ? (u(8))MR_ERR_BUS : (u(8))MR_ERR_OK;
    k->state = ATOMIC_REPORT;
}

MR_INLINE void atomic_report(struct rx_atomic *k)
{
    if (!k->done.ready)
        return;
    mr_put(k->done, (struct atom_done){.stream = k->a.stream, .life = k->a.life, .msg = k->a.msg,
        .value = k->code == MR_ERR_OK ? k->value : (u(64))0, .code = k->code});
    k->cnt_rx_atomics += k->code == MR_ERR_OK;
    k->state = ATOMIC_IDLE;
}

MR_KERNEL(rx_atomic)
{
    switch ((unsigned)k->state) {
    case ATOMIC_IDLE: atomic_begin(k); break;
    case ATOMIC_CHECK: atomic_check(k); break;
    case ATOMIC_READ: atomic_read(k); break;
    case ATOMIC_WRITE: atomic_write(k); break;
    case ATOMIC_WAIT: atomic_wait(k); break;
    default: atomic_report(k); break;
    }
}
