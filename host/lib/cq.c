// SPDX-License-Identifier: BSD-2-Clause
/*
 * cq.c - completion queues.
 *
 * The device writes 32-byte entries into a ring in this process's memory; bit 0
 * of the last byte is 1 in its first pass and changes with every pass. It is
 * told lazily how far the ring was read. Room is reserved at the post: see
 * post.c.
 */
#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "internal.h"

static constexpr size_t phase_byte = MR_CQE_BYTES - 1;

static uint32_t entries(const struct mr_cq *cq)
{
    return 1u << cq->log2;
}

uint32_t mri_cq_limit(const struct mr_cq *cq)
{
    // 16-bit indices cannot tell a full ring of 2^16 entries from an empty one.
    return entries(cq) < 0x10000 ? entries(cq) : 0xffff;
}

static int write_entry(struct mr_cq *cq, uint64_t base)
{
    unsigned char entry[MR_CQ_BYTES];

    mr_cq_put(entry, (struct mr_cq_row){.base = base, .log2 = (uint8_t)cq->log2});
    return mri_table_write(cq->dev, MR_TBL_CQ, cq->index, entry, sizeof entry);
}

static int create_locked(struct mr_cq *cq)
{
    struct mr_device *dev = cq->dev;
    size_t bytes = (size_t)entries(cq) * MR_CQE_BYTES;
    void *ring;
    int rc = mri_pool_take(&dev->cq_pool, &cq->index);

    if (rc)
        return rc;
    rc = mri_ring_alloc(dev, bytes, &ring, &cq->bus_addr);
    if (!rc) {
        cq->shared_ring = ring;
        rc = write_entry(cq, cq->bus_addr);
        if (rc)
            mri_ring_free(dev, bytes, ring, cq->bus_addr);
    }
    if (rc) {
        mri_pool_give(&dev->cq_pool, cq->index);
        return rc;
    }
    mri_list_add(&dev->cqs, &cq->link);
    return 0;
}

int mr_cq_create(struct mr_device *dev, uint32_t n, struct mr_cq **out)
{
    if (!dev || !out || !n || n > MR_CQ_ENTRIES_MAX)
        return -EINVAL;
    struct mr_cq *cq = calloc(1, sizeof *cq);
    if (!cq)
        return -ENOMEM;
    cq->dev = dev;
    cq->log2 = n < 2 ? 1 : mri_log2_up(n);
    mri_list_init(&cq->flush);
    pthread_mutex_init(&cq->lock, nullptr);
    pthread_mutex_lock(&dev->lock);
    int rc = create_locked(cq);
    pthread_mutex_unlock(&dev->lock);
    if (rc) {
        pthread_mutex_destroy(&cq->lock);
        free(cq);
        return rc;
    }
    *out = cq;
    return 0;
}

int mri_cq_free(struct mr_cq *cq)
{
    int rc = write_entry(cq, 0);

    rc = mri_first(rc, mri_ring_free(cq->dev, (size_t)entries(cq) * MR_CQE_BYTES, cq->shared_ring,
                                     cq->bus_addr));
    mri_pool_give(&cq->dev->cq_pool, cq->index);
    mri_list_del(&cq->link);
    pthread_mutex_destroy(&cq->lock);
    free(cq);
    return rc;
}

int mr_cq_destroy(struct mr_cq *cq)
{
    if (!cq)
        return 0;
    struct mr_device *dev = cq->dev;
    pthread_mutex_lock(&dev->lock);
    int rc = cq->users ? -EBUSY : mri_cq_free(cq);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

int mri_cq_tell(struct mr_cq *cq)
{
    if (cq->told == cq->head)
        return 0;
    int rc = mri_reg_write(cq->dev, MR_REG_DB_CQ, cq->index << 16 | (cq->head & 0xffff));
    if (!rc)
        cq->told = cq->head;
    return rc;
}

static unsigned char *head_entry(const struct mr_cq *cq)
{
    return cq->shared_ring + (size_t)(cq->head & (entries(cq) - 1)) * MR_CQE_BYTES;
}

static bool entry_there(const struct mr_cq *cq)
{
    unsigned pass_is_even = !(cq->head >> cq->log2 & 1);

    return mri_load_phase(head_entry(cq) + phase_byte) == pass_is_even;
}

/* The stream's places in the queue beyond `keep` are free again. */
static void release(struct mr_stream *s, uint32_t keep)
{
    s->cq->reserved -= s->reserved - keep;
    s->reserved = keep;
}

/* Takes the entry in slot tail off the send queue. */
static struct mri_shadow retire(struct mr_stream *s)
{
    return s->shadow[s->tail++ & ((1u << s->log2) - 1)];
}

static void fill(struct mr_wc *wc, const struct mr_stream *s, const struct mri_shadow *sh)
{
    *wc = (struct mr_wc){
        .wr_id = sh->wr_id,
        .stream = (struct mr_stream *)s,
        .stream_num = s->number,
        .byte_len = sh->length,
        .opcode = sh->opcode,
        .status = MR_ERR_FLUSH,
    };
}

/*
 * Is this entry one that the device may write: of a stream of this queue, for a
 * slot that is posted, with no signalled one in front of it?
 */
static struct mr_stream *owner(struct mr_cq *cq, const struct mr_cqe *e, uint32_t *distance)
{
    struct mr_device *dev = cq->dev;
    uint32_t number = (uint32_t)e->stream;

    // The queue's own streams stay while its lock is held; others are not even looked at.
    if (number >= dev->caps.streams || atomic_load(&dev->stream_cq[number]) != cq->index + 1)
        return nullptr;
    struct mr_stream *s = dev->stream_of[number];
    uint32_t d = ((uint32_t)e->wqe - s->tail) & 0xffff;
    if (s->state != MRI_STREAM_READY || d >= s->head - s->tail)
        return nullptr;
    for (uint32_t i = 0; i < d; i++)
        if (s->shadow[(s->tail + i) & ((1u << s->log2) - 1)].signaled)
            return nullptr;
    *distance = d;
    bool signaled = s->shadow[(s->tail + d) & ((1u << s->log2) - 1)].signaled;
    return signaled || e->status ? s : nullptr;
}

/* Turns one device entry into a completion; false if it makes no sense. */
static bool take(struct mr_cq *cq, const struct mr_cqe *e, struct mr_wc *wc)
{
    uint32_t distance;
    struct mr_stream *s = owner(cq, e, &distance);

    if (!s)
        return false;
    while (distance--)
        retire(s);
    struct mri_shadow sh = retire(s);
    fill(wc, s, &sh);
    wc->status = (uint8_t)e->status;
    wc->time = (uint64_t)e->time;
    wc->msg = (uint32_t)e->msg;
    if (e->status == MR_ERR_OK) {
        release(s, s->reserved - 1);
        return true;
    }
    // The device has stopped the stream: nothing more comes from it, the rest is flushed here.
    s->state = MRI_STREAM_ERROR;
    release(s, 0);
    s->open_group = false;
    if (s->head != s->tail)
        mri_list_add(&cq->flush, &s->flush);
    return true;
}

static int take_flushed(struct mr_cq *cq, struct mr_wc *wc, int n)
{
    int got = 0;

    while (got < n && !mri_list_empty(&cq->flush)) {
        struct mr_stream *s = mri_container(cq->flush.next, struct mr_stream, flush);
        struct mri_shadow sh = retire(s);
        fill(&wc[got++], s, &sh);
        if (s->head == s->tail)
            mri_list_del(&s->flush);
    }
    return got;
}

static int poll_locked(struct mr_cq *cq, struct mr_wc *wc, int n)
{
    int got = take_flushed(cq, wc, n);

    while (got < n && !cq->bad && entry_there(cq)) {
        struct mr_cqe e = mr_cqe_get(head_entry(cq));
        cq->head++;
        if (take(cq, &e, &wc[got]))
            got++;
        else
            cq->bad = true;
        if (got < n)
            got += take_flushed(cq, wc + got, n - got);
    }
    // A failure to tell shows in the next call that needs the device.
    if (cq->head - cq->told >= (entries(cq) + 3) / 4)
        mri_cq_tell(cq);
    if (got || !cq->bad)
        return got;
    cq->bad = false;
    return -EBADMSG;
}

int mr_cq_poll(struct mr_cq *cq, struct mr_wc *wc, int n)
{
    if (!cq || n < 0 || (!wc && n))
        return -EINVAL;
    pthread_mutex_lock(&cq->lock);
    int got = poll_locked(cq, wc, n);
    pthread_mutex_unlock(&cq->lock);
    if (got || !n)
        return got;
    if (atomic_load(&cq->dev->dead))
        return -EIO;
    int rc = mri_note(cq->dev, cq->dev->bus->ops->relax(cq->dev->bus));
    if (rc)
        return rc;
    pthread_mutex_lock(&cq->lock);
    got = poll_locked(cq, wc, n);
    pthread_mutex_unlock(&cq->lock);
    return got;
}

static bool ready(struct mr_cq *cq)
{
    pthread_mutex_lock(&cq->lock);
    bool r = cq->bad || !mri_list_empty(&cq->flush) || entry_there(cq);
    pthread_mutex_unlock(&cq->lock);
    return r;
}

int mr_cq_wait(struct mr_cq *cq, uint64_t timeout_ns)
{
    if (!cq)
        return -EINVAL;
    struct mr_device *dev = cq->dev;
    const struct mr_bus_ops *ops = dev->bus->ops;
    uint64_t start = 0, now = 0;

    uint64_t mark = ops->mark(dev->bus);
    if (ready(cq))
        return 1;
    if (atomic_load(&dev->dead))
        return -EIO;
    int rc = timeout_ns ? mri_note(dev, ops->time_ns(dev->bus, &start)) : 0;
    for (now = start; !rc && now - start < timeout_ns;) {
        uint64_t left = timeout_ns - (now - start);
        rc = mri_note(dev, ops->wait(dev->bus, mark, left, &now));
        mark = ops->mark(dev->bus);
        if (!rc && ready(cq))
            return 1;
    }
    return rc;
}
