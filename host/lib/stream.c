// SPDX-License-Identifier: BSD-2-Clause
/* stream.c - streams: a send queue in this process's memory each. */
#include <stdlib.h>

#include "internal.h"

static size_t sq_bytes(const struct mr_stream *s)
{
    return (size_t)MR_WQE_BYTES << s->log2;
}

/* Enters the stream where poll and post find it. */
static void publish(struct mr_stream *s)
{
    struct mr_device *dev = s->conn->dev;

    pthread_mutex_lock(&s->cq->lock);
    dev->stream_of[s->number] = s;
    atomic_store(&dev->stream_cq[s->number], s->cq->index + 1);
    pthread_mutex_unlock(&s->cq->lock);
    s->conn->users++;
    s->pd->users++;
    s->cq->users++;
    mri_list_add(&dev->streams, &s->link);
}

static int create_locked(struct mr_stream *s)
{
    struct mr_device *dev = s->conn->dev;
    void *ring;
    int rc = mri_pool_take(&dev->stream_pool, &s->number);

    if (rc)
        return rc;
    rc = mri_ring_alloc(dev, sq_bytes(s), &ring, &s->bus_addr);
    if (rc) {
        mri_pool_give(&dev->stream_pool, s->number);
        return rc;
    }
    s->shared_sq = ring;
    publish(s);
    return 0;
}

int mr_stream_create(struct mr_conn *conn, struct mr_pd *pd, struct mr_cq *cq, uint32_t depth,
                     struct mr_stream **out)
{
    if (!conn || !pd || !cq || !out || pd->dev != conn->dev || cq->dev != conn->dev || !depth ||
        depth > MR_DEPTH_MAX)
        return -EINVAL;
    struct mr_stream *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->conn = conn;
    s->pd = pd;
    s->cq = cq;
    s->log2 = mri_log2_up(depth);
    mri_list_init(&s->flush);
    s->shadow = calloc((size_t)1 << s->log2, sizeof s->shadow[0]);
    int rc = -ENOMEM;
    if (s->shadow) {
        pthread_mutex_lock(&conn->dev->lock);
        rc = create_locked(s);
        pthread_mutex_unlock(&conn->dev->lock);
    }
    if (rc) {
        free(s->shadow);
        free(s);
        return rc;
    }
    *out = s;
    return 0;
}

static int write_entry(struct mr_stream *s, uint8_t state, uint32_t peer)
{
    unsigned char entry[MR_STREAM_BYTES];
    struct mr_stream_row row = {
        .state = state,
        .sq_log2 = (uint8_t)s->log2,
        .conn = (uint16_t)s->conn->number,
        .peer = peer,
        .pd = s->pd->number,
        .cq = (uint16_t)s->cq->index,
        .sq_base = s->bus_addr,
    };

    mr_stream_put(entry, row);
    return mri_table_write(s->conn->dev, MR_TBL_STREAM, s->number, entry, sizeof entry);
}

static enum mri_stream_state state_of(struct mr_stream *s)
{
    pthread_mutex_lock(&s->cq->lock);
    enum mri_stream_state state = s->state;
    pthread_mutex_unlock(&s->cq->lock);
    return state;
}

int mr_stream_connect(struct mr_stream *s, uint32_t peer_number)
{
    if (!s || peer_number >= MR_WIRE_STREAM_NONE)
        return -EINVAL;
    pthread_mutex_lock(&s->conn->dev->lock);
    int rc = !s->conn->paths ? -ENOTCONN : state_of(s) != MRI_STREAM_NEW ? -EISCONN : 0;
    if (!rc)
        rc = write_entry(s, 1, peer_number);
    if (!rc) {
        pthread_mutex_lock(&s->cq->lock);
        s->state = MRI_STREAM_READY;
        pthread_mutex_unlock(&s->cq->lock);
    }
    pthread_mutex_unlock(&s->conn->dev->lock);
    return rc;
}

int mri_stream_free(struct mr_stream *s)
{
    struct mr_device *dev = s->conn->dev;
    int rc = 0;

    pthread_mutex_lock(&s->cq->lock);
    bool connected = s->state != MRI_STREAM_NEW;
    s->cq->reserved -= s->reserved;
    mri_list_del(&s->flush);
    atomic_store(&dev->stream_cq[s->number], 0);
    dev->stream_of[s->number] = nullptr;
    pthread_mutex_unlock(&s->cq->lock);
    if (connected)
        rc = write_entry(s, 0, 0);
    rc = mri_first(rc, mri_ring_free(dev, sq_bytes(s), s->shared_sq, s->bus_addr));
    mri_pool_give(&dev->stream_pool, s->number);
    s->conn->users--;
    s->pd->users--;
    s->cq->users--;
    mri_list_del(&s->link);
    free(s->shadow);
    free(s);
    return rc;
}

int mr_stream_destroy(struct mr_stream *s)
{
    if (!s)
        return 0;
    struct mr_device *dev = s->conn->dev;
    pthread_mutex_lock(&dev->lock);
    pthread_mutex_lock(&s->cq->lock);
    // A device that is gone retires nothing any more.
    int rc = s->head != s->tail && !atomic_load(&dev->dead) ? -EBUSY : 0;
    pthread_mutex_unlock(&s->cq->lock);
    if (!rc)
        rc = mri_stream_free(s);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

uint32_t mr_stream_number(const struct mr_stream *s)
{
    return s ? s->number : MR_WIRE_STREAM_NONE;
}
