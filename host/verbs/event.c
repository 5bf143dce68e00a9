// SPDX-License-Identifier: BSD-2-Clause
/*
 * event.c - completion channels, and the asynchronous events that there are none of.
 *
 * The device raises no events yet. So each queue with a channel has a thread,
 * which waits for the device while the queue is armed and then counts the
 * channel's eventfd up. As with a NIC's own events, what is there already when the
 * queue is armed raises none: programs arm first and poll then.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "front.h"

// The longest time until a watcher sees that it is to end, or an entry that was flushed by the front.
static constexpr uint64_t slice_ns = 20000000, slice_sim_ns = 20000;

FRONT_API struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *ctx)
{
    struct front_channel *c = calloc(1, sizeof *c);

    if (!c)
        return nullptr;
    c->ch.context = ctx;
    c->ch.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    if (c->ch.fd < 0) {
        free(c);
        return nullptr;
    }
    pthread_mutex_init(&c->lock, nullptr);
    return &c->ch;
}

FRONT_API int ibv_destroy_comp_channel(struct ibv_comp_channel *ch)
{
    struct front_channel *c = (struct front_channel *)ch;

    pthread_mutex_lock(&c->lock);
    bool used = ch->refcnt;
    pthread_mutex_unlock(&c->lock);
    if (used)
        return EBUSY;
    close(ch->fd);
    pthread_mutex_destroy(&c->lock);
    free(c);
    return 0;
}

/* ------------------------------------------------------------------ watcher */

static struct front_channel *channel_of(const struct front_cq *cq)
{
    return (struct front_channel *)cq->cq.channel;
}

static void raise_event(struct front_cq *cq)
{
    struct front_channel *c = channel_of(cq);
    uint64_t one = 1;

    pthread_mutex_lock(&c->lock);
    if (!cq->queued) {
        struct front_cq **at = &c->first;
        while (*at)
            at = &(*at)->next;
        *at = cq;
        cq->next = nullptr;
        cq->queued = true;
        ssize_t ignored = write(c->ch.fd, &one, sizeof one);
        (void)ignored;
    }
    pthread_mutex_unlock(&c->lock);
}

/* Under cq->lock: has come what it is armed for? came: the device has completions. */
static bool due(struct front_cq *cq, bool came)
{
    if (came && cq->solicited)
        front_cq_fetch(cq);
    return cq->news || (came && !cq->solicited);
}

static void *watch(void *arg)
{
    struct front_cq *cq = arg;
    uint64_t slice = front.nic.simulated ? slice_sim_ns : slice_ns;

    pthread_mutex_lock(&cq->lock);
    while (!cq->stop) {
        if (!cq->armed) {
            pthread_cond_wait(&cq->armed_cond, &cq->lock);
            continue;
        }
        bool fire = due(cq, false);
        if (!fire) {
            pthread_mutex_unlock(&cq->lock);
            int rc = mr_cq_wait(cq->queue, slice);
            pthread_mutex_lock(&cq->lock);
            fire = rc < 0 || due(cq, rc > 0);  // a device that is gone shows in the poll
        }
        if (!fire || !cq->armed)
            continue;
        cq->armed = false;
        pthread_mutex_unlock(&cq->lock);
        raise_event(cq);
        pthread_mutex_lock(&cq->lock);
    }
    pthread_mutex_unlock(&cq->lock);
    return nullptr;
}

int front_watch_begin(struct front_cq *cq)
{
    struct front_channel *c = channel_of(cq);

    cq->armed = cq->stop = cq->news = false;
    pthread_cond_init(&cq->armed_cond, nullptr);
    if (pthread_create(&cq->watcher, nullptr, watch, cq))
        return -ENOMEM;
    pthread_mutex_lock(&c->lock);
    c->ch.refcnt++;
    pthread_mutex_unlock(&c->lock);
    return 0;
}

/* Takes the queue out of the channel's list, and its count out of the eventfd. */
static void forget_event(struct front_cq *cq)
{
    struct front_channel *c = channel_of(cq);
    uint64_t count;
    struct iovec v = {.iov_base = &count, .iov_len = sizeof count};

    pthread_mutex_lock(&c->lock);
    for (struct front_cq **at = &c->first; *at; at = &(*at)->next) {
        if (*at != cq)
            continue;
        *at = cq->next;
        cq->queued = false;
        // Who took the count meanwhile finds the list without it, and goes on waiting.
        ssize_t ignored = preadv2(c->ch.fd, &v, 1, -1, RWF_NOWAIT);
        (void)ignored;
        break;
    }
    c->ch.refcnt--;
    pthread_mutex_unlock(&c->lock);
}

void front_watch_end(struct front_cq *cq)
{
    pthread_mutex_lock(&cq->lock);
    cq->stop = true;
    pthread_cond_signal(&cq->armed_cond);
    pthread_mutex_unlock(&cq->lock);
    pthread_join(cq->watcher, nullptr);
    pthread_cond_destroy(&cq->armed_cond);
    forget_event(cq);
    pthread_mutex_lock(&cq->cq.mutex);
    while (cq->cq.comp_events_completed != cq->delivered)
        pthread_cond_wait(&cq->cq.cond, &cq->cq.mutex);
    pthread_mutex_unlock(&cq->cq.mutex);
}

int front_cq_arm(struct ibv_cq *ibcq, int solicited_only)
{
    struct front_cq *cq = (struct front_cq *)ibcq;

    if (!ibcq->channel)
        return 0;
    pthread_mutex_lock(&cq->lock);
    // Armed for everything stays so. [ibv_req_notify_cq(3)]
    cq->solicited = solicited_only && (!cq->armed || cq->solicited);
    if (!cq->armed) {
        front_cq_fetch(cq);
        cq->news = false;
    }
    cq->armed = true;
    pthread_cond_signal(&cq->armed_cond);
    pthread_mutex_unlock(&cq->lock);
    return 0;
}

/* ------------------------------------------------------------------- events */

static struct front_cq *take_event(struct front_channel *c)
{
    pthread_mutex_lock(&c->lock);
    struct front_cq *cq = c->first;
    if (cq) {
        c->first = cq->next;
        cq->queued = false;
        cq->delivered++;
    }
    pthread_mutex_unlock(&c->lock);
    return cq;
}

FRONT_API int ibv_get_cq_event(struct ibv_comp_channel *ch, struct ibv_cq **out, void **cq_context)
{
    struct front_cq *cq;
    uint64_t count;

    do {
        if (read(ch->fd, &count, sizeof count) != sizeof count)
            return -1;
        cq = take_event((struct front_channel *)ch);
    } while (!cq);
    *out = &cq->cq;
    *cq_context = cq->cq.cq_context;
    return 0;
}

FRONT_API void ibv_ack_cq_events(struct ibv_cq *cq, unsigned n)
{
    pthread_mutex_lock(&cq->mutex);
    cq->comp_events_completed += n;
    pthread_cond_signal(&cq->cond);
    pthread_mutex_unlock(&cq->mutex);
}

/* Nothing writes to async_fd: blocks, or says EAGAIN if the program made it so. */
FRONT_API int ibv_get_async_event(struct ibv_context *ctx, struct ibv_async_event *event)
{
    uint64_t count;
    (void)event;

    while (read(ctx->async_fd, &count, sizeof count) == sizeof count)
        ;
    return -1;
}

FRONT_API void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}
