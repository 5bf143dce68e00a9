// SPDX-License-Identifier: BSD-2-Clause
/*
 * post.c - send queue entries.
 *
 * An entry takes 1 << stream.stride slots of 64 bytes: the first slot has the
 * operands and the first range of memory, the others either further ranges or
 * inline data.
 *
 * Room in the completion queue is reserved by groups: a signalled entry and the
 * unsignalled ones in front of it can cause one completion between them (its
 * own, or the error that ends the stream), so they hold one place. Unsignalled
 * entries behind the last signalled one hold one as well, which the next
 * signalled entry takes over.
 */
#include <string.h>

#include "barrier.h"
#include "internal.h"

static constexpr uint32_t atomic_bytes = 8;
static constexpr uint32_t post_flags = MR_POST_SIGNALED | MR_POST_FENCE | MR_POST_INLINE |
                                       MR_POST_SOLICITED;

static_assert(MR_SGES_MAX == MR_SGE_MAX);
static_assert(MR_INLINE_MAX == (8 - 1) * MR_WQE_BYTES);
static_assert(MR_LENGTH_MAX == MR_WIRE_MSG_MAX);

/* What an operation is. */
enum {
    KNOWN = 0x01,
    SENDS = 0x02,   // local memory goes out: may be inline
    REMOTE = 0x04,  // has an address and a key of the peer
    TAKES = 0x08,   // takes a receive of the peer: may be solicited
    IMM = 0x10,     // has imm
    ATOMIC = 0x20,
    LOCAL = 0x40,   // works on a key, sends nothing
};

static const uint8_t kinds[] = {
    [MR_OP_WRITE] = KNOWN | SENDS | REMOTE,
    [MR_OP_WRITE_IMM] = KNOWN | SENDS | REMOTE | TAKES | IMM,
    [MR_OP_SEND] = KNOWN | SENDS | TAKES,
    [MR_OP_SEND_IMM] = KNOWN | SENDS | TAKES | IMM,
    [MR_OP_SEND_INV] = KNOWN | SENDS | TAKES | IMM,
    [MR_OP_READ] = KNOWN | REMOTE,
    [MR_OP_CMP_SWAP] = KNOWN | REMOTE | ATOMIC,
    [MR_OP_FETCH_ADD] = KNOWN | REMOTE | ATOMIC,
    [MR_OP_BIND_WINDOW] = KNOWN | LOCAL | IMM,
    [MR_OP_LOCAL_INV] = KNOWN | LOCAL | IMM,
};

int mri_sges_check(const struct mr_sge *sge, uint32_t n, uint32_t max, bool need_addr,
                   uint32_t *length)
{
    uint64_t sum = 0;

    if (n > max || (n && !sge))
        return -EINVAL;
    for (uint32_t i = 0; i < n; i++) {
        if (need_addr && sge[i].len && !sge[i].addr)
            return -EINVAL;
        sum += sge[i].len;
    }
    *length = (uint32_t)sum;
    return sum > MR_LENGTH_MAX ? -EMSGSIZE : 0;
}

/* Can this stream ever take this operation? Needs no lock: nothing here changes. */
static int check(const struct mr_stream *s, const struct mr_send_wr *wr, uint32_t *length)
{
    if (wr->opcode >= sizeof kinds || !kinds[wr->opcode] || wr->flags & ~post_flags || wr->rsvd)
        return -EINVAL;
    uint8_t kind = kinds[wr->opcode];
    bool in_entry = wr->flags & MR_POST_INLINE;
    if ((in_entry && !(kind & SENDS)) || (wr->flags & MR_POST_SOLICITED && !(kind & TAKES)))
        return -EINVAL;
    if (kind & LOCAL && wr->nsge != (wr->opcode == MR_OP_BIND_WINDOW ? 1 : 0))
        return -EINVAL;
    int rc = mri_sges_check(wr->sge, wr->nsge, s->max_sge, in_entry, length);
    if (rc)
        return rc;
    if (kind & ATOMIC && (wr->nsge != 1 || *length != atomic_bytes || wr->raddr % atomic_bytes))
        return -EINVAL;
    return in_entry && *length > s->max_inline ? -EMSGSIZE : 0;
}

static int state_error(const struct mr_stream *s)
{
    if (atomic_load(&s->dev->dead))
        return -EIO;
    if (s->state == MRI_STREAM_NEW)
        return -ENOTCONN;
    return s->state == MRI_STREAM_ERROR ? -EPIPE : 0;
}

static uint8_t wqe_flags(const struct mr_send_wr *wr, uint32_t length)
{
    return (wr->flags & MR_POST_SIGNALED ? MR_WQEF_SIGNALED : 0) |
           (wr->flags & MR_POST_FENCE ? MR_WQEF_FENCE : 0) |
           (wr->flags & MR_POST_INLINE && length ? MR_WQEF_INLINE : 0) |
           (wr->flags & MR_POST_SOLICITED ? MR_WQEF_SOLICITED : 0);
}

/* Ranges of length 0 are left out: in an entry that would mean that there is none. */
static void put_sges(unsigned char *entry, struct mr_wqe *wqe, const struct mr_send_wr *wr)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < wr->nsge; i++) {
        const struct mr_sge *g = &wr->sge[i];
        if (!g->len)
            continue;
        if (n) {
            struct mr_sge_row row = {.addr = (uintptr_t)g->addr, .key = g->key, .len = g->len};
            mr_sge_put(entry + MR_WQE_BYTES + (size_t)(n - 1) * MR_SGE_BYTES, row);
        } else {
            wqe->sge_addr = (uintptr_t)g->addr;
            wqe->sge_key = g->key;
            wqe->sge_len = g->len;
        }
        n++;
    }
    wqe->nsge = (uint8_t)n;
}

static void put_inline(unsigned char *entry, const struct mr_send_wr *wr)
{
    unsigned char *to = entry + MR_WQE_BYTES;

    for (uint32_t i = 0; i < wr->nsge; i++) {
        if (!wr->sge[i].len)
            continue;
        memcpy(to, wr->sge[i].addr, wr->sge[i].len);
        to += wr->sge[i].len;
    }
}

/* The entry's next user goes on behind the tags that its window had, so that no old key opens anything. */
static void note_tag(struct mr_stream *s, uint32_t key)
{
    struct mri_pool *keys = &s->dev->key_pool;

    if (key >> 8 < keys->n)
        __atomic_store_n(&keys->slot[key >> 8].tag, (uint8_t)key, __ATOMIC_RELAXED);
}

/* Fields that the operation does not have are 0. */
static void put_entry(struct mr_stream *s, uint32_t slot, const struct mr_send_wr *wr,
                      uint32_t length)
{
    unsigned char *entry = s->shared_sq + ((size_t)slot * MR_WQE_BYTES << s->stride);
    uint8_t kind = kinds[wr->opcode];
    // An empty Write has no address; an empty Read is asked for as any other.
    bool remote = kind & REMOTE && (length || !(kind & SENDS));
    bool local = kind & LOCAL;
    struct mr_wqe wqe = {
        .opcode = (uint8_t)wr->opcode,
        .flags = wqe_flags(wr, length),
        .length = local ? 0 : length,
        .raddr = remote ? wr->raddr : 0,
        .rkey = kind & REMOTE || wr->opcode == MR_OP_BIND_WINDOW ? wr->rkey : 0,
        .imm = kind & IMM ? wr->imm : 0,
        .compare = kind & ATOMIC ? wr->compare : 0,
        .swap = wr->opcode == MR_OP_CMP_SWAP ? wr->swap : 0,
    };

    if (wr->flags & MR_POST_INLINE)
        put_inline(entry, wr);
    else
        put_sges(entry, &wqe, wr);
    if (local)
        wqe.nsge = 0;
    if (wr->opcode == MR_OP_BIND_WINDOW)
        note_tag(s, wr->rkey);
    mr_wqe_put(entry, wqe);
}

/* Writes an entry that the device is not told of yet. */
static int add(struct mr_stream *s, const struct mr_send_wr *wr)
{
    uint32_t entries = 1u << s->log2, slot = s->head & (entries - 1), length;
    uint32_t need = s->open_group ? 0 : 1;
    bool signaled = wr->flags & MR_POST_SIGNALED;

    if (s->head - s->tail == entries)
        return -ENOSPC;
    int rc = mri_cq_room(s->cq, need);
    if (rc)
        return rc;
    // For the length: a list has no bound, so what the first look found is not kept.
    rc = check(s, wr, &length);
    if (rc)
        return rc;
    put_entry(s, slot, wr, length);
    s->shadow[slot] = (struct mri_shadow){
        .wr_id = wr->wr_id,
        .length = length,
        .opcode = (uint8_t)wr->opcode,
        .signaled = signaled,
    };
    s->head++;
    s->reserved += need;
    s->cq->reserved += need;
    s->open_group = !signaled;
    return 0;
}

/* As many as fit, and one doorbell. Nothing is kept of them if it fails. */
static int post(struct mr_stream *s, const struct mr_send_wr *wr, uint32_t n, uint32_t *posted)
{
    uint32_t head = s->head, reserved = s->reserved, done = 0;
    bool open_group = s->open_group;
    int rc = state_error(s);

    while (done < n && !rc) {
        rc = add(s, &wr[done]);
        done += !rc;
    }
    if (!done)
        return rc;
    mri_barrier_before_doorbell();
    int rung = mri_reg_write(s->dev, MR_REG_DB_SQ, s->number << 16 | (s->head & 0xffff));
    if (rung) {
        s->cq->reserved -= s->reserved - reserved;
        s->reserved = reserved;
        s->open_group = open_group;
        s->head = head;
        return rung;
    }
    *posted = done;
    return rc;
}

int mr_post_send_list(struct mr_stream *s, const struct mr_send_wr *wr, uint32_t n,
                      uint32_t *posted)
{
    uint32_t done = 0, length;
    int rc = !s || (n && !wr) ? -EINVAL : 0;

    for (uint32_t i = 0; i < n && !rc; i++)
        rc = check(s, &wr[i], &length);
    if (!rc) {
        pthread_mutex_lock(&s->cq->lock);
        rc = post(s, wr, n, &done);
        pthread_mutex_unlock(&s->cq->lock);
    }
    if (posted)
        *posted = done;
    return rc;
}

int mr_post_send(struct mr_stream *stream, const struct mr_send_wr *wr)
{
    return mr_post_send_list(stream, wr, 1, nullptr);
}

int mr_post_write(struct mr_stream *stream, const struct mr_write *w)
{
    if (!w)
        return -EINVAL;
    struct mr_sge sge = {.addr = (void *)(uintptr_t)w->laddr, .len = w->length, .key = w->lkey};
    struct mr_send_wr wr = {
        .wr_id = w->wr_id,
        .opcode = MR_OP_WRITE,
        .flags = w->flags,
        .sge = &sge,
        .nsge = 1,
        .rkey = w->rkey,
        .raddr = w->raddr,
    };
    return mr_post_send_list(stream, &wr, 1, nullptr);
}
