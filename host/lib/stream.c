// SPDX-License-Identifier: BSD-2-Clause
/* stream.c - streams: a send queue in this process's memory each, and maybe a receive queue. */
#include <stdlib.h>

#include "internal.h"

static constexpr uint32_t first_sges = 1;  // ranges in the first slot of an entry
static constexpr uint32_t slot_sges = MR_WQE_BYTES / MR_SGE_BYTES;

static size_t sq_bytes(const struct mr_stream *s)
{
    return ((size_t)MR_WQE_BYTES << s->stride) << s->log2;
}

/* log2 of the slots of the smallest entry that holds so much. */
static uint32_t stride_of(uint32_t max_sge, uint32_t max_inline)
{
    uint32_t sge_slots = (max_sge - first_sges + slot_sges - 1) / slot_sges;
    uint32_t inline_slots = (max_inline + MR_WQE_BYTES - 1) / MR_WQE_BYTES;

    return mri_log2_up(1 + (sge_slots > inline_slots ? sge_slots : inline_slots));
}

/* Does another stream keep the places of this one's receives? */
static bool places_shared(const struct mr_stream *s)
{
    struct mr_device *dev = s->dev;

    for (struct mri_list *l = dev->streams.next; s->rq->shared && l != &dev->streams; l = l->next) {
        const struct mr_stream *other = mri_container(l, struct mr_stream, link);
        if (other != s && other->rq == s->rq && other->rcq == s->rcq)
            return true;
    }
    return false;
}

/* Every receive that the queue can hold may complete to rcq. */
static int reserve_receives(struct mr_stream *s)
{
    uint32_t places = 1u << s->rq->log2;

    if (places_shared(s))
        return 0;
    pthread_mutex_lock(&s->rcq->lock);
    int rc = mri_cq_room(s->rcq, places);
    if (!rc)
        s->rcq->reserved += places;
    pthread_mutex_unlock(&s->rcq->lock);
    return rc;
}

static void release_receives(struct mr_stream *s)
{
    if (places_shared(s))
        return;
    pthread_mutex_lock(&s->rcq->lock);
    s->rcq->reserved -= 1u << s->rq->log2;
    pthread_mutex_unlock(&s->rcq->lock);
}

static int take_rq(struct mr_stream *s)
{
    if (!s->rq)
        return 0;
    int rc = mri_rq_attach(s->rq);
    if (rc)
        return rc;
    rc = reserve_receives(s);
    if (rc)
        mri_rq_detach(s->rq);
    return rc;
}

static int give_rq(struct mr_stream *s)
{
    if (!s->rq)
        return 0;
    release_receives(s);
    return mri_rq_detach(s->rq);
}

/* Enters the stream where poll and post find it. */
static void publish(struct mr_stream *s)
{
    struct mr_device *dev = s->dev;

    dev->stream_of[s->number] = s;
    atomic_store(&dev->stream_cq[s->number], s->cq->index + 1);
    if (s->rq)
        atomic_store(&dev->stream_rcq[s->number], s->rcq->index + 1);
    if (s->conn)
        s->conn->users++;
    s->pd->users++;
    s->cq->users++;
    s->rcq->users++;
    mri_list_add(&dev->streams, &s->link);
    mri_events_add_stream(s);
}

/* The reverse. Who holds a lock of the queues has done with the stream when this returns. */
static void withdraw(struct mr_stream *s)
{
    struct mr_device *dev = s->dev;

    pthread_mutex_lock(&s->rcq->lock);
    atomic_store(&dev->stream_rcq[s->number], 0);
    mri_list_del(&s->receives.link);
    pthread_mutex_unlock(&s->rcq->lock);
    pthread_mutex_lock(&s->cq->lock);
    atomic_store(&dev->stream_cq[s->number], 0);
    s->cq->reserved -= s->reserved;
    s->reserved = 0;
    mri_list_del(&s->sends.link);
    mri_list_del(&s->stop);
    pthread_mutex_unlock(&s->cq->lock);
    dev->stream_of[s->number] = nullptr;
    mri_events_del_stream(s);
    if (s->conn)
        s->conn->users--;
    s->pd->users--;
    s->cq->users--;
    s->rcq->users--;
    mri_list_del(&s->link);
}

static int create_locked(struct mr_stream *s)
{
    struct mr_device *dev = s->dev;
    void *ring;
    int rc = mri_pool_take(&dev->stream_pool, &s->number);

    if (rc)
        return rc;
    rc = take_rq(s);
    if (!rc) {
        rc = mri_ring_alloc(dev, sq_bytes(s), &ring, &s->bus_addr);
        if (rc)
            give_rq(s);
    }
    if (rc) {
        mri_pool_give(&dev->stream_pool, s->number);
        return rc;
    }
    s->shared_sq = ring;
    publish(s);
    return 0;
}

static bool attr_ok(const struct mr_device *dev, const struct mr_stream_attr *a)
{
    uint8_t other = 0;

    for (size_t i = 0; i < sizeof a->rsvd; i++)
        other |= a->rsvd[i];
    return a->pd && a->cq && a->pd->dev == dev && a->cq->dev == dev &&
           (!a->rcq || a->rcq->dev == dev) && (!a->rq || a->rq->pd == a->pd) && a->depth &&
           a->depth <= dev->caps.sq_depth_max && a->max_sge <= dev->caps.sges &&
           a->max_inline <= dev->caps.inline_max && !other;
}

static struct mr_stream *from_attr(struct mr_device *dev, struct mr_conn *conn,
                                   const struct mr_stream_attr *a)
{
    struct mr_stream *s = calloc(1, sizeof *s);

    if (!s)
        return nullptr;
    s->dev = dev;
    s->conn = conn;
    s->pd = a->pd;
    s->cq = a->cq;
    s->rcq = a->rcq ? a->rcq : a->cq;
    s->rq = a->rq;
    s->log2 = mri_log2_up(a->depth);
    s->max_sge = a->max_sge ? a->max_sge : 1;
    s->max_inline = a->max_inline;
    s->stride = stride_of(s->max_sge, s->max_inline);
    s->rnr_max = a->rnr_max;
    s->weight = a->weight ? a->weight : 1;
    s->sends.stream = s->receives.stream = s;
    s->receives.recv = true;
    mri_list_init(&s->stop);
    mri_list_init(&s->sends.link);
    mri_list_init(&s->receives.link);
    s->shadow = calloc((size_t)1 << s->log2, sizeof s->shadow[0]);
    return s;
}

int mr_stream_create_attr(struct mr_conn *conn, const struct mr_stream_attr *attr,
                          struct mr_stream **out)
{
    if (!attr || !out || !attr->pd)
        return -EINVAL;
    struct mr_device *dev = conn ? conn->dev : attr->pd->dev;
    if (!attr_ok(dev, attr))
        return -EINVAL;
    struct mr_stream *s = from_attr(dev, conn, attr);
    int rc = -ENOMEM;
    if (s && s->shadow) {
        pthread_mutex_lock(&dev->lock);
        rc = create_locked(s);
        pthread_mutex_unlock(&dev->lock);
    }
    if (!rc) {
        *out = s;
        return 0;
    }
    if (s)
        free(s->shadow);
    free(s);
    return rc;
}

int mr_stream_create(struct mr_conn *conn, struct mr_pd *pd, struct mr_cq *cq, uint32_t depth,
                     struct mr_stream **out)
{
    struct mr_stream_attr attr = {.pd = pd, .cq = cq, .depth = depth};

    if (!conn)
        return -EINVAL;
    return mr_stream_create_attr(conn, &attr, out);
}

/* A free entry is 0. */
static int write_entry(struct mr_stream *s, uint8_t state, uint32_t peer)
{
    unsigned char entry[MR_STREAM_BYTES];
    struct mr_stream_row row = {};

    if (state)
        row = (struct mr_stream_row){
            .state = state,
            .sq_log2 = (uint8_t)s->log2,
            .conn = (uint16_t)s->conn->number,
            .peer = peer,
            .weight = s->weight,
            .pd = s->pd->number,
            .cq = (uint16_t)s->cq->index,
            .sq_base = s->bus_addr,
            .sq_stride = (uint8_t)s->stride,
            .rnr_max = s->rnr_max,
            .rq = (uint16_t)(s->rq ? s->rq->index : MR_RQ_NONE),
            .rcq = (uint16_t)s->rcq->index,
        };
    mr_stream_put(entry, row);
    return mri_table_write(s->dev, MR_TBL_STREAM, s->number, entry, sizeof entry);
}

static void set_receiving(struct mr_stream *s, bool receiving)
{
    pthread_mutex_lock(&s->rcq->lock);
    s->receiving = receiving;
    pthread_mutex_unlock(&s->rcq->lock);
}

static int connect_locked(struct mr_stream *s, uint32_t peer_number)
{
    if (!s->conn || !s->conn->paths)
        return -ENOTCONN;
    pthread_mutex_lock(&s->cq->lock);
    enum mri_stream_state state = s->state;
    pthread_mutex_unlock(&s->cq->lock);
    if (state != MRI_STREAM_NEW)
        return state == MRI_STREAM_READY ? -EISCONN : -EPIPE;
    // The peer may be first, so its messages are expected before the device can take any.
    set_receiving(s, true);
    int rc = write_entry(s, 1, peer_number);
    if (rc) {
        set_receiving(s, false);
        return rc;
    }
    s->in_device = true;
    s->peer = peer_number;
    pthread_mutex_lock(&s->cq->lock);
    s->state = MRI_STREAM_READY;
    pthread_mutex_unlock(&s->cq->lock);
    return 0;
}

int mr_stream_connect(struct mr_stream *s, uint32_t peer_number)
{
    if (!s || peer_number >= MR_WIRE_STREAM_NONE)
        return -EINVAL;
    pthread_mutex_lock(&s->dev->lock);
    int rc = connect_locked(s, peer_number);
    pthread_mutex_unlock(&s->dev->lock);
    return rc;
}

/*
 * Stops both sides in the device, then has them flushed. Under dev->lock. The
 * flush is behind the device's answer, as memory that was told to be the
 * program's again must not be written or read any more.
 */
static int stop(struct mr_stream *s)
{
    int rc = 0;

    if (s->in_device) {
        rc = write_entry(s, 0, 0);
        s->in_device = rc;
    }
    pthread_mutex_lock(&s->cq->lock);
    mri_list_del(&s->stop);
    s->state = MRI_STREAM_ERROR;
    if (!s->sends.cut)
        mri_flush_begin(s->cq, &s->sends);
    pthread_mutex_unlock(&s->cq->lock);
    if (!s->rq)
        return rc;
    pthread_mutex_lock(&s->rcq->lock);
    if (!s->rq->shared) {
        pthread_mutex_lock(&s->rq->lock);
        s->rq->failed = true;
        pthread_mutex_unlock(&s->rq->lock);
        if (!s->receives.cut)
            mri_flush_begin(s->rcq, &s->receives);
    }
    pthread_mutex_unlock(&s->rcq->lock);
    return rc;
}

void mri_stream_stop_all(struct mr_cq *cq)
{
    pthread_mutex_lock(&cq->dev->lock);
    for (;;) {
        pthread_mutex_lock(&cq->lock);
        bool none = mri_list_empty(&cq->stop);
        struct mr_stream *s = none ? nullptr : mri_container(cq->stop.next, struct mr_stream, stop);
        pthread_mutex_unlock(&cq->lock);
        if (none)
            break;
        stop(s);  // takes it off the list
    }
    pthread_mutex_unlock(&cq->dev->lock);
}

int mr_stream_fail(struct mr_stream *s)
{
    if (!s)
        return -EINVAL;
    pthread_mutex_lock(&s->dev->lock);
    int rc = stop(s);
    pthread_mutex_unlock(&s->dev->lock);
    return rc;
}

int mr_stream_bind(struct mr_stream *s, struct mr_conn *conn)
{
    if (!s || !conn || conn->dev != s->dev)
        return -EINVAL;
    pthread_mutex_lock(&s->dev->lock);
    int rc = s->conn ? -EISCONN : 0;
    if (!rc) {
        s->conn = conn;
        conn->users++;
    }
    pthread_mutex_unlock(&s->dev->lock);
    return rc;
}

int mr_stream_set_rnr(struct mr_stream *s, uint8_t rnr_max)
{
    if (!s)
        return -EINVAL;
    pthread_mutex_lock(&s->dev->lock);
    pthread_mutex_lock(&s->cq->lock);
    int rc = s->state == MRI_STREAM_ERROR ? -EPIPE : s->head ? -EBUSY : 0;
    pthread_mutex_unlock(&s->cq->lock);
    if (!rc) {
        s->rnr_max = rnr_max;
        rc = s->in_device ? write_entry(s, 1, s->peer) : 0;
    }
    pthread_mutex_unlock(&s->dev->lock);
    return rc;
}

int mri_stream_free(struct mr_stream *s)
{
    struct mr_device *dev = s->dev;
    int rc = s->in_device ? write_entry(s, 0, 0) : 0;

    withdraw(s);
    rc = mri_first(rc, give_rq(s));
    rc = mri_first(rc, mri_ring_free(dev, sq_bytes(s), s->shared_sq, s->bus_addr));
    mri_pool_give(&dev->stream_pool, s->number);
    free(s->shadow);
    free(s);
    return rc;
}

/* Does rcq hold completions of the stream's receives that were not polled? */
static bool unpolled(const struct mr_stream *s)
{
    bool found = false;

    pthread_mutex_lock(&s->rcq->lock);
    uint32_t n = mri_cq_present(s->rcq);
    for (uint32_t i = 0; i < n && !found; i++) {
        struct mr_cqe e = mri_cq_entry(s->rcq, i);
        found = e.flags & MR_CQEF_RECV && e.stream == s->number;
    }
    pthread_mutex_unlock(&s->rcq->lock);
    return found;
}

static bool busy(struct mr_stream *s)
{
    pthread_mutex_lock(&s->cq->lock);
    bool b = s->head != s->tail;
    pthread_mutex_unlock(&s->cq->lock);
    if (b || !s->rq)
        return b;
    if (s->rq->shared)
        return unpolled(s);
    pthread_mutex_lock(&s->rq->lock);
    b = s->rq->head != s->rq->tail;
    pthread_mutex_unlock(&s->rq->lock);
    return b;
}

/* Nothing of it is out any more. A device that is gone retires nothing. */
static int idle(struct mr_stream *s)
{
    bool dead = atomic_load(&s->dev->dead);

    if (dead || busy(s))
        return dead ? 0 : -EBUSY;
    if (!s->in_device || !s->rq || !s->rq->shared)
        return 0;
    // A completion that comes until it has stopped would give back a receive that others need.
    stop(s);
    return busy(s) ? -EBUSY : 0;
}

/* Both sides as from_attr() left them. */
static void renew(struct mr_stream *s)
{
    pthread_mutex_lock(&s->rcq->lock);
    mri_list_del(&s->receives.link);
    s->receives.cut = false;
    s->receiving = false;
    pthread_mutex_unlock(&s->rcq->lock);
    pthread_mutex_lock(&s->cq->lock);
    mri_list_del(&s->sends.link);
    mri_list_del(&s->stop);
    s->cq->reserved -= s->reserved;
    s->reserved = s->head = s->tail = 0;
    s->open_group = s->told_error = s->sends.cut = false;
    s->state = MRI_STREAM_NEW;
    pthread_mutex_unlock(&s->cq->lock);
}

static int reset_locked(struct mr_stream *s)
{
    int rc = idle(s);

    if (!rc && s->in_device)
        rc = write_entry(s, 0, 0);
    if (rc)
        return rc;
    s->in_device = false;
    if (s->conn)
        s->conn->users--;
    s->conn = nullptr;
    renew(s);
    if (!s->rq)
        return 0;
    rc = mri_rq_detach(s->rq);  // a queue of its own begins anew by that
    mri_rq_attach(s->rq);
    return rc;
}

int mr_stream_reset(struct mr_stream *s)
{
    if (!s)
        return -EINVAL;
    pthread_mutex_lock(&s->dev->lock);
    int rc = reset_locked(s);
    pthread_mutex_unlock(&s->dev->lock);
    return rc;
}

int mr_stream_destroy(struct mr_stream *s)
{
    if (!s)
        return 0;
    struct mr_device *dev = s->dev;
    pthread_mutex_lock(&dev->lock);
    int rc = idle(s);
    if (!rc)
        rc = mri_stream_free(s);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

uint32_t mr_stream_number(const struct mr_stream *s)
{
    return s ? s->number : MR_WIRE_STREAM_NONE;
}
