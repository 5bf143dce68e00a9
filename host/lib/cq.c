// SPDX-License-Identifier: BSD-2-Clause
/*
 * cq.c - completion queues.
 *
 * The device writes 32-byte entries into a ring in this process's memory; bit 0
 * of the last byte is 1 in its first pass and changes with every pass. It is
 * told lazily how far the ring was read. It never overflows:
 *
 *     reserved + (head - told) <= limit
 *
 * holds whenever it may write. Room for sends is reserved at the post (post.c),
 * room for receives at the creation of the stream (stream.c). What the entries
 * mean is in complete.c.
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
    mri_events_add_cq(cq);
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
    mri_list_init(&cq->stop);
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

    mri_events_del_cq(cq);
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
    pthread_mutex_lock(&dev->events.lock);
    bool owes = cq->events.taken != cq->events.acked;
    pthread_mutex_unlock(&dev->events.lock);
    int rc = cq->users || owes ? -EBUSY : mri_cq_free(cq);
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

int mri_cq_room(struct mr_cq *cq, uint32_t need)
{
    uint32_t limit = mri_cq_limit(cq);

    if (cq->reserved + need > limit)
        return -ENOSPC;
    if (cq->reserved + need + (cq->head - cq->told) > limit)
        return mri_cq_tell(cq);
    return 0;
}

static unsigned char *entry_at(const struct mr_cq *cq, uint32_t index)
{
    return cq->shared_ring + (size_t)(index & (entries(cq) - 1)) * MR_CQE_BYTES;
}

static bool entry_there(const struct mr_cq *cq, uint32_t index)
{
    unsigned pass_is_even = !(index >> cq->log2 & 1);

    return mri_load_phase(entry_at(cq, index) + phase_byte) == pass_is_even;
}

uint32_t mri_cq_present(const struct mr_cq *cq)
{
    uint32_t n = 0;

    while (n < entries(cq) && entry_there(cq, cq->head + n))
        n++;
    return n;
}

struct mr_cqe mri_cq_entry(const struct mr_cq *cq, uint32_t i)
{
    return mr_cqe_get(entry_at(cq, cq->head + i));
}

/* Takes the entry at the head. */
static enum mri_taken take(struct mr_cq *cq, struct mr_wc *wc)
{
    struct mr_cqe e = mri_cq_entry(cq, 0);

    cq->head++;
    // The place of a receive stays reserved, and may be used as soon as the receive is taken. A
    // failure to tell shows in the next call that needs the device.
    if (cq->reserved + (cq->head - cq->told) > mri_cq_limit(cq))
        mri_cq_tell(cq);
    return mri_take(cq, &e, wc);
}

/* Goes on behind the `got` that wc has. */
static int poll_locked(struct mr_cq *cq, struct mr_wc *wc, int n, int got)
{
    got += mri_take_flushed(cq, wc + got, n - got);
    while (got < n && !cq->bad && entry_there(cq, cq->head)) {
        enum mri_taken taken = take(cq, &wc[got]);
        got += taken == MRI_TAKEN;
        cq->bad = taken == MRI_SENSELESS;
        got += mri_take_flushed(cq, wc + got, n - got);
    }
    if (cq->head - cq->told >= (entries(cq) + 3) / 4)
        mri_cq_tell(cq);
    if (got || !cq->bad)
        return got;
    cq->bad = false;
    return -EBADMSG;
}

static int poll_once(struct mr_cq *cq, struct mr_wc *wc, int n)
{
    pthread_mutex_lock(&cq->lock);
    int got = poll_locked(cq, wc, n, 0);
    bool stop = !mri_list_empty(&cq->stop);
    pthread_mutex_unlock(&cq->lock);
    if (!stop)
        return got;
    mri_stream_stop_all(cq);
    if (got < 0 || got == n)
        return got;
    pthread_mutex_lock(&cq->lock);
    got = poll_locked(cq, wc, n, got);
    pthread_mutex_unlock(&cq->lock);
    return got;
}

int mr_cq_poll(struct mr_cq *cq, struct mr_wc *wc, int n)
{
    if (!cq || n < 0 || (!wc && n))
        return -EINVAL;
    if (!n)
        return 0;
    int got = poll_once(cq, wc, n);
    if (got)
        return got;
    if (atomic_load(&cq->dev->dead))
        return -EIO;
    int rc = mri_note(cq->dev, cq->dev->bus->ops->relax(cq->dev->bus));
    return rc ? rc : poll_once(cq, wc, n);
}

static bool ready(struct mr_cq *cq)
{
    pthread_mutex_lock(&cq->lock);
    bool r = cq->bad || mri_flushable(cq) || entry_there(cq, cq->head);
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
