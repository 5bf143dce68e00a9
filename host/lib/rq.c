// SPDX-License-Identifier: BSD-2-Clause
/*
 * rq.c - receive queues.
 *
 * The k-th message of a stream takes the k-th receive of a queue of its own, and
 * they complete in this order. Of a shared queue the device gives the next one
 * to whatever stream has a message, so they complete in any order; `tail` moves
 * over those that are done, and a place is free when it is behind it.
 */
#include <stdlib.h>

#include "barrier.h"
#include "internal.h"

static constexpr uint32_t slot_bytes = 64;
static constexpr uint32_t sges_per_slot = slot_bytes / MR_SGE_BYTES;

static uint32_t entries(const struct mr_rq *rq)
{
    return 1u << rq->log2;
}

static size_t entry_bytes(const struct mr_rq *rq)
{
    return (size_t)slot_bytes << rq->stride;
}

static size_t ring_bytes(const struct mr_rq *rq)
{
    return entry_bytes(rq) << rq->log2;
}

static struct mri_shadow *shadow_at(const struct mr_rq *rq, uint32_t index)
{
    return &rq->shadow[index & (entries(rq) - 1)];
}

static int write_entry(struct mr_rq *rq, uint8_t state)
{
    unsigned char entry[MR_RQ_BYTES];
    struct mr_rq_row row = {.state = state};

    if (state)
        row = (struct mr_rq_row){
            .base = rq->bus_addr,
            .state = state,
            .log2 = (uint8_t)rq->log2,
            .stride = (uint8_t)rq->stride,
            .shared = rq->shared,
            .pd = rq->pd->number,
        };
    mr_rq_put(entry, row);
    return mri_table_write(rq->pd->dev, MR_TBL_RQ, rq->index, entry, sizeof entry);
}

static int create_locked(struct mr_rq *rq)
{
    struct mr_device *dev = rq->pd->dev;
    void *ring;
    int rc = mri_pool_take(&dev->rq_pool, &rq->index);

    if (rc)
        return rc;
    rc = mri_ring_alloc(dev, ring_bytes(rq), &ring, &rq->bus_addr);
    if (!rc) {
        rq->shared_ring = ring;
        rc = write_entry(rq, 1);
        if (rc)
            mri_ring_free(dev, ring_bytes(rq), ring, rq->bus_addr);
    }
    if (rc) {
        mri_pool_give(&dev->rq_pool, rq->index);
        return rc;
    }
    rq->pd->users++;
    mri_list_add(&dev->rqs, &rq->link);
    return 0;
}

static bool attr_ok(const struct mr_device *dev, const struct mr_rq_attr *a)
{
    uint8_t other = 0;

    for (size_t i = 0; i < sizeof a->rsvd; i++)
        other |= a->rsvd[i];
    return a->depth && a->depth <= dev->caps.rq_depth_max && a->max_sge <= dev->caps.sges &&
           a->shared <= 1 && !other;
}

int mr_rq_create(struct mr_pd *pd, const struct mr_rq_attr *attr, struct mr_rq **out)
{
    if (!pd || !attr || !out || !attr_ok(pd->dev, attr))
        return -EINVAL;
    struct mr_rq *rq = calloc(1, sizeof *rq);
    if (!rq)
        return -ENOMEM;
    rq->pd = pd;
    rq->log2 = mri_log2_up(attr->depth);
    rq->max_sge = attr->max_sge ? attr->max_sge : 1;
    rq->stride = mri_log2_up((rq->max_sge + sges_per_slot - 1) / sges_per_slot);
    rq->shared = attr->shared;
    pthread_mutex_init(&rq->lock, nullptr);
    rq->shadow = calloc(entries(rq), sizeof rq->shadow[0]);
    int rc = -ENOMEM;
    if (rq->shadow) {
        pthread_mutex_lock(&pd->dev->lock);
        rc = create_locked(rq);
        pthread_mutex_unlock(&pd->dev->lock);
    }
    if (rc) {
        pthread_mutex_destroy(&rq->lock);
        free(rq->shadow);
        free(rq);
        return rc;
    }
    *out = rq;
    return 0;
}

int mri_rq_free(struct mr_rq *rq)
{
    struct mr_device *dev = rq->pd->dev;
    int rc = write_entry(rq, 0);

    rc = mri_first(rc, mri_ring_free(dev, ring_bytes(rq), rq->shared_ring, rq->bus_addr));
    mri_pool_give(&dev->rq_pool, rq->index);
    rq->pd->users--;
    mri_list_del(&rq->link);
    pthread_mutex_destroy(&rq->lock);
    free(rq->shadow);
    free(rq);
    return rc;
}

int mr_rq_destroy(struct mr_rq *rq)
{
    if (!rq)
        return 0;
    struct mr_device *dev = rq->pd->dev;
    pthread_mutex_lock(&dev->lock);
    int rc = rq->users ? -EBUSY : mri_rq_free(rq);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

int mri_rq_attach(struct mr_rq *rq)
{
    if (!rq->shared && rq->users)
        return -EBUSY;
    rq->users++;
    pthread_mutex_lock(&rq->lock);
    rq->has_stream = true;
    pthread_mutex_unlock(&rq->lock);
    return 0;
}

int mri_rq_detach(struct mr_rq *rq)
{
    rq->users--;
    if (rq->shared)
        return 0;
    pthread_mutex_lock(&rq->lock);
    rq->head = rq->tail = 0;
    rq->has_stream = rq->failed = false;
    pthread_mutex_unlock(&rq->lock);
    // The next stream's messages take receives from the first on: the device begins anew as well. What
    // it has read of the queue is dropped only while the queue is closed. [hls/rx_rq/rx_rq.h]
    int rc = write_entry(rq, 0);
    return mri_first(rc, write_entry(rq, 1));
}

static bool opcode_receives(uint32_t opcode)
{
    return opcode == MR_OP_SEND || opcode == MR_OP_SEND_IMM || opcode == MR_OP_SEND_INV ||
           opcode == MR_OP_WRITE_IMM;
}

bool mri_rq_retire(struct mr_rq *rq, const struct mr_cqe *e, struct mri_shadow *out)
{
    uint32_t d = ((uint32_t)e->wqe - rq->tail) & 0xffff;

    if (!opcode_receives((uint32_t)e->opcode) || d >= rq->head - rq->tail || (d && !rq->shared))
        return false;
    struct mri_shadow *sh = shadow_at(rq, rq->tail + d);
    // What a program would read behind its memory must not be told.
    uint32_t fits = e->opcode == MR_OP_WRITE_IMM ? MR_LENGTH_MAX : sh->length;
    if (sh->done || (e->status == MR_ERR_OK && e->byte_len > fits))
        return false;
    *out = *sh;
    sh->done = 1;
    while (rq->tail != rq->head && shadow_at(rq, rq->tail)->done)
        rq->tail++;
    return true;
}

/* Writes an entry that the device is not told of yet. */
static int add(struct mr_rq *rq, const struct mr_recv_wr *wr)
{
    unsigned char *at = rq->shared_ring + (rq->head & (entries(rq) - 1)) * entry_bytes(rq);
    unsigned char *end = at + entry_bytes(rq);
    uint32_t length;

    if (rq->head - rq->tail == entries(rq))
        return -ENOSPC;
    // For the length: a list has no bound, so what the first look found is not kept.
    int rc = mri_sges_check(wr->sge, wr->nsge, rq->max_sge, false, &length);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < wr->nsge; i++) {
        const struct mr_sge *g = &wr->sge[i];
        if (!g->len)
            continue;
        struct mr_sge_row row = {.addr = (uintptr_t)g->addr, .key = g->key, .len = g->len};
        mr_sge_put(at, row);
        at += MR_SGE_BYTES;
    }
    for (; at < end; at += MR_SGE_BYTES)
        mr_sge_put(at, (struct mr_sge_row){});
    *shadow_at(rq, rq->head++) = (struct mri_shadow){.wr_id = wr->wr_id, .length = length};
    return 0;
}

static int state_error(const struct mr_rq *rq)
{
    if (atomic_load(&rq->pd->dev->dead))
        return -EIO;
    if (rq->shared)
        return 0;
    if (!rq->has_stream)
        return -ENOTCONN;
    return rq->failed ? -EPIPE : 0;
}

/* As many as fit, and one doorbell. Nothing is kept of them if it fails. */
static int post(struct mr_rq *rq, const struct mr_recv_wr *wr, uint32_t n, uint32_t *posted)
{
    uint32_t head = rq->head, done = 0;
    int rc = state_error(rq);

    while (done < n && !rc) {
        rc = add(rq, &wr[done]);
        done += !rc;
    }
    if (!done)
        return rc;
    mri_barrier_before_doorbell();
    int rung = mri_reg_write(rq->pd->dev, MR_REG_DB_RQ, rq->index << 16 | (rq->head & 0xffff));
    if (rung) {
        rq->head = head;
        return rung;
    }
    *posted = done;
    return rc;
}

int mr_post_recv_list(struct mr_rq *rq, const struct mr_recv_wr *wr, uint32_t n, uint32_t *posted)
{
    uint32_t done = 0, length;
    int rc = !rq || (n && !wr) ? -EINVAL : 0;

    for (uint32_t i = 0; i < n && !rc; i++)
        rc = wr[i].rsvd ? -EINVAL
                        : mri_sges_check(wr[i].sge, wr[i].nsge, rq->max_sge, false, &length);
    if (!rc) {
        pthread_mutex_lock(&rq->lock);
        rc = post(rq, wr, n, &done);
        pthread_mutex_unlock(&rq->lock);
    }
    if (posted)
        *posted = done;
    return rc;
}

int mr_post_recv(struct mr_rq *rq, const struct mr_recv_wr *wr)
{
    return mr_post_recv_list(rq, wr, 1, nullptr);
}
