// SPDX-License-Identifier: BSD-2-Clause
/*
 * complete.c - what the entries of a completion queue mean, and what is
 * completed without the device.
 *
 * A stream that is stopped while the device has work of it (mr_stream_fail(), or
 * an error of a stream with a receive queue) is flushed behind the entries that
 * were in the ring when the device had stopped: these say what happened. What
 * comes of it later is dropped. The places that were reserved for it stay so
 * until the stream is destroyed.
 */
#include "internal.h"

/* The entry that is taken is the one in front of cq->head. */
static bool behind_fence(const struct mr_cq *cq, const struct mri_flush *f)
{
    return f->cut && (int32_t)(cq->head - f->fence) > 0;
}

static struct mri_shadow *shadow_at(const struct mr_stream *s, uint32_t index)
{
    return &s->shadow[index & ((1u << s->log2) - 1)];
}

/* The stream's places in the queue beyond `keep` are free again. */
static void release(struct mr_stream *s, uint32_t keep)
{
    s->cq->reserved -= s->reserved - keep;
    s->reserved = keep;
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

static void fill_recv(struct mr_wc *wc, const struct mr_stream *s, const struct mri_shadow *sh)
{
    *wc = (struct mr_wc){
        .wr_id = sh->wr_id,
        .stream = (struct mr_stream *)s,
        .rq = s->rq,
        .stream_num = s->number,
        .opcode = MR_OP_SEND,
        .status = MR_ERR_FLUSH,
        .flags = MR_WC_RECV,
    };
}

/*
 * The stream that an entry names, if it is one of this queue; by is the list of
 * who completes where. The queue's own streams stay while its lock is held;
 * others are not even looked at.
 */
static struct mr_stream *stream_of(struct mr_cq *cq, atomic_uint_least32_t *by, uint32_t number)
{
    struct mr_device *dev = cq->dev;

    if (number >= dev->caps.streams || atomic_load(&by[number]) != cq->index + 1)
        return nullptr;
    return dev->stream_of[number];
}

/*
 * Can the device complete the entry d behind the tail? It is posted, there is no
 * signalled one in front of it, and itself it is signalled or fails.
 */
static bool completes(const struct mr_stream *s, uint32_t d, uint32_t status)
{
    if (s->state == MRI_STREAM_NEW || s->told_error || d >= s->head - s->tail)
        return false;
    for (uint32_t i = 0; i < d; i++)
        if (shadow_at(s, s->tail + i)->signaled)
            return false;
    return status || shadow_at(s, s->tail + d)->signaled;
}

/* The device has stopped sending of the stream: nothing more comes from it, the rest is flushed here. */
static void on_error(struct mr_cq *cq, struct mr_stream *s)
{
    s->state = MRI_STREAM_ERROR;
    s->told_error = true;
    release(s, 0);
    s->open_group = false;
    if (s->sends.cut)
        return;  // the flush has begun
    if (s->rq) {
        // It may still write receives: first it is stopped as a whole.
        mri_list_add(&cq->stop, &s->stop);
    } else if (s->head != s->tail) {
        s->sends.fence = cq->head;
        mri_list_add(&cq->flush, &s->sends.link);
    }
}

static enum mri_taken take_send(struct mr_cq *cq, const struct mr_cqe *e, struct mr_wc *wc)
{
    struct mr_stream *s = stream_of(cq, cq->dev->stream_cq, (uint32_t)e->stream);

    if (!s)
        return MRI_SENSELESS;
    if (behind_fence(cq, &s->sends))
        return MRI_LATE;
    uint32_t d = ((uint32_t)e->wqe - s->tail) & 0xffff;
    if (!completes(s, d, (uint32_t)e->status))
        return MRI_SENSELESS;
    s->tail += d;
    fill(wc, s, shadow_at(s, s->tail++));
    wc->status = (uint8_t)e->status;
    wc->time = (uint64_t)e->time;
    wc->msg = (uint32_t)e->msg;
    if (e->status == MR_ERR_OK)
        release(s, s->reserved - 1);
    else
        on_error(cq, s);
    return MRI_TAKEN;
}

static enum mri_taken take_recv(struct mr_cq *cq, const struct mr_cqe *e, struct mr_wc *wc)
{
    struct mr_stream *s = stream_of(cq, cq->dev->stream_rcq, (uint32_t)e->stream);
    struct mri_shadow sh;

    if (!s || !s->receiving)
        return MRI_SENSELESS;
    // A shared queue goes on without this stream, and takes its receives back at any time.
    if (!s->rq->shared && behind_fence(cq, &s->receives))
        return MRI_LATE;
    pthread_mutex_lock(&s->rq->lock);
    bool ok = mri_rq_retire(s->rq, e, &sh);
    pthread_mutex_unlock(&s->rq->lock);
    if (!ok)
        return MRI_SENSELESS;
    fill_recv(wc, s, &sh);
    wc->opcode = (uint8_t)e->opcode;
    wc->status = (uint8_t)e->status;
    wc->byte_len = (uint32_t)e->byte_len;
    wc->flags |= (e->flags & MR_CQEF_IMM ? MR_WC_IMM : 0) |
                 (e->flags & MR_CQEF_SOLICITED ? MR_WC_SOLICITED : 0);
    wc->imm = wc->flags & MR_WC_IMM || wc->opcode == MR_OP_SEND_INV ? (uint32_t)e->imm : 0;
    wc->time = e->status == MR_ERR_FLUSH ? 0 : (uint64_t)e->time;
    wc->msg = (uint32_t)e->msg;
    return MRI_TAKEN;
}

enum mri_taken mri_take(struct mr_cq *cq, const struct mr_cqe *e, struct mr_wc *wc)
{
    return e->flags & MR_CQEF_RECV ? take_recv(cq, e, wc) : take_send(cq, e, wc);
}

void mri_flush_begin(struct mr_cq *cq, struct mri_flush *f)
{
    f->cut = true;
    f->fence = cq->head + mri_cq_present(cq);
    if (mri_list_empty(&f->link))
        mri_list_add(&cq->flush, &f->link);
    mri_events_fire(cq);
}

/* One entry of this side; false if none is left. */
static bool flush_one(struct mri_flush *f, struct mr_wc *wc)
{
    struct mr_stream *s = f->stream;

    if (!f->recv) {
        if (s->head == s->tail)
            return false;
        fill(wc, s, shadow_at(s, s->tail++));
        return true;
    }
    struct mr_rq *rq = s->rq;
    pthread_mutex_lock(&rq->lock);
    bool some = rq->head != rq->tail;
    if (some)
        fill_recv(wc, s, &rq->shadow[rq->tail++ & ((1u << rq->log2) - 1)]);
    pthread_mutex_unlock(&rq->lock);
    return some;
}

static bool some_left(const struct mri_flush *f)
{
    const struct mr_stream *s = f->stream;

    if (!f->recv)
        return s->head != s->tail;
    pthread_mutex_lock(&s->rq->lock);
    bool some = s->rq->head != s->rq->tail;
    pthread_mutex_unlock(&s->rq->lock);
    return some;
}

bool mri_flushable(struct mr_cq *cq)
{
    bool some = false;

    for (struct mri_list *l = cq->flush.next; l != &cq->flush && !some; l = l->next) {
        const struct mri_flush *f = mri_container(l, struct mri_flush, link);
        some = (int32_t)(cq->head - f->fence) >= 0 && some_left(f);
    }
    return some;
}

int mri_take_flushed(struct mr_cq *cq, struct mr_wc *wc, int n)
{
    struct mri_list *l = cq->flush.next;
    int got = 0;

    while (l != &cq->flush) {
        struct mri_flush *f = mri_container(l, struct mri_flush, link);
        l = l->next;
        if ((int32_t)(cq->head - f->fence) < 0)
            continue;
        while (got < n && flush_one(f, &wc[got]))
            got++;
        if (got == n)
            break;
        mri_list_del(&f->link);
    }
    return got;
}
