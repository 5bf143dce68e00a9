// SPDX-License-Identifier: BSD-2-Clause
/*
 * event.c - the device's event queue: channels, and events of the device.
 *
 * There is no thread that waits for interrupts. The descriptor of a channel is
 * readable with the interrupt or with the channel's own flag; whoever calls first
 * takes the interrupt, reads the queue, and raises the flags of those whose events
 * came. So a descriptor may be readable for a moment with nothing to take.
 *
 * An interrupt comes after its event is in memory, and is taken before memory is
 * looked at: no event is slept over.
 */
#include "event.h"

#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "internal.h"

static constexpr size_t eq_bytes = (size_t)MR_EQE_BYTES << mri_eq_log2;

/* ------------------------------------------------------- the event queue */

static int write_entry(struct mr_device *dev, uint64_t base)
{
    unsigned char entry[MR_EQ_BYTES];

    mr_eq_put(entry, (struct mr_eq){.base = base, .log2 = (uint8_t)mri_eq_log2});
    return mri_table_write(dev, MR_TBL_EQ, 0, entry, sizeof entry);
}

/* Opens the queue unless it is open. dev->lock. */
static int open_queue(struct mr_device *dev)
{
    struct mri_events *ev = &dev->events;
    void *ring;

    if (ev->open)
        return 0;
    if (!dev->bus->ops->irq_fd)
        return -ENOTSUP;
    if (atomic_load(&dev->dead))
        return -EIO;
    int rc = mri_note(dev, dev->bus->ops->irq_fd(dev->bus, &ev->irq));
    if (!rc)
        rc = mri_ring_alloc(dev, eq_bytes, &ring, &ev->bus_addr);
    if (rc)
        return rc;
    rc = mri_gate_open(&ev->gate, ev->irq);
    if (!rc)
        rc = write_entry(dev, ev->bus_addr);
    if (rc) {
        mri_gate_close(&ev->gate);
        mri_ring_free(dev, eq_bytes, ring, ev->bus_addr);
        return rc;
    }
    pthread_mutex_lock(&ev->lock);
    ev->shared_ring = ring;
    ev->head = ev->told = 0;
    ev->open = true;
    pthread_mutex_unlock(&ev->lock);
    return 0;
}

/* Everything from here to the next line: under ev->lock. */

static void async_put(struct mri_events *ev, struct mr_event e)
{
    uint32_t last = (ev->first + ev->n - 1) % mri_async_max;

    if (ev->n == mri_async_max) {
        ev->queue[last] = (struct mr_event){.type = MR_EVENT_LOST};
        return;
    }
    ev->queue[(ev->first + ev->n++) % mri_async_max] = e;
    mri_gate_set(&ev->gate, true);
}

static void fire(struct mr_cq *cq)
{
    struct mri_cq_events *e = &cq->events;

    e->armed = false;
    if (!e->channel)
        return;
    if (!e->pending++)
        mri_list_add(&e->channel->ready, &e->link);
    mri_gate_set(&e->channel->gate, true);
}

static bool plane_works(const struct mri_conn_events *c, uint8_t plane)
{
    for (uint32_t i = 0; i < c->paths; i++)
        if (c->plane[i] == plane && !c->down[i])
            return true;
    return false;
}

/* Notes what became of a path; tells of its plane if that changes, where there are several. */
static void path_is(struct mri_events *ev, struct mr_conn *conn, uint32_t path, bool down)
{
    struct mri_conn_events *c = &conn->events;
    uint8_t plane = c->plane[path];
    bool worked = plane_works(c, plane);

    c->down[path] = down;
    if (c->planes > 1 && worked != plane_works(c, plane))
        async_put(ev, (struct mr_event){.type = worked ? MR_EVENT_PLANE_DOWN : MR_EVENT_PLANE_UP,
                                        .conn = conn, .plane = plane});
}

static void path_event(struct mri_events *ev, struct mr_conn *conn, uint32_t type, uint32_t path)
{
    struct mr_event e = {.conn = conn, .path = path};

    if (!conn || path >= conn->events.paths)
        return;
    e.plane = conn->events.plane[path];
    if (type == MR_EVT_CONN_DEAD) {
        path_is(ev, conn, path, true);
        if (!conn->events.dead)
            async_put(ev, (struct mr_event){.type = MR_EVENT_CONN_DEAD, .conn = conn});
        conn->events.dead = true;
        return;
    }
    e.type = type == MR_EVT_PATH_UP ? MR_EVENT_PATH_UP : MR_EVENT_PATH_DOWN;
    if (type == MR_EVT_PATH_UP)
        conn->events.dead = false;
    async_put(ev, e);
    path_is(ev, conn, path, type != MR_EVT_PATH_UP);
}

/* Some events did not come: every armed queue may have had one. */
static void lost(struct mr_device *dev)
{
    struct mri_events *ev = &dev->events;

    for (uint32_t i = 0; i < dev->caps.cqs; i++)
        if (ev->cq[i] && ev->cq[i]->events.armed)
            fire(ev->cq[i]);
    async_put(ev, (struct mr_event){.type = MR_EVENT_LOST});
}

static void handle(struct mr_device *dev, const struct mr_eqe *e)
{
    struct mri_events *ev = &dev->events;
    uint32_t i = e->object;
    struct mr_cq *cq = i < dev->caps.cqs ? ev->cq[i] : nullptr;
    struct mr_stream *s = i < dev->caps.streams ? ev->stream[i] : nullptr;

    switch (e->type) {
    case MR_EVT_CQ:
        if (cq && cq->events.armed)
            fire(cq);
        break;
    case MR_EVT_CQ_OVERFLOW:
        if (cq)
            async_put(ev, (struct mr_event){.type = MR_EVENT_CQ_OVERFLOW, .cq = cq});
        break;
    case MR_EVT_STREAM_ERROR:
        if (s)
            async_put(ev, (struct mr_event){.type = MR_EVENT_STREAM_ERROR, .stream = s,
                                            .status = (uint8_t)e->detail});
        break;
    case MR_EVT_PATH_DOWN:
    case MR_EVT_PATH_UP:
    case MR_EVT_CONN_DEAD:
        path_event(ev, i < dev->caps.conns ? ev->conn[i] : nullptr, e->type, e->detail);
        break;
    case MR_EVT_LOST: lost(dev); break;
    default: break;
    }
}

/* Takes what the device has written. 0 or -EIO. */
static int drain(struct mr_device *dev)
{
    struct mri_events *ev = &dev->events;
    static constexpr uint32_t mask = (1u << mri_eq_log2) - 1;

    if (!ev->open)
        return 0;
    int rc = atomic_load(&dev->dead) ? -EIO : mri_note(dev, dev->bus->ops->irq_take(dev->bus));
    for (uint32_t left = mask + 1; left; left--) {
        const unsigned char *at = ev->shared_ring + (size_t)(ev->head & mask) * MR_EQE_BYTES;
        if (mri_load_phase(at + MR_EQE_BYTES - 1) != !(ev->head >> mri_eq_log2 & 1))
            break;
        struct mr_eqe e = mr_eqe_get(at);
        ev->head++;
        handle(dev, &e);
    }
    if (!rc && ev->head - ev->told > mask / 4) {
        rc = mri_reg_write(dev, MR_REG_DB_EQ, ev->head & 0xffff);
        ev->told = ev->head;
    }
    return rc;
}

static bool take_cq(struct mr_channel *ch, struct mr_cq **cq)
{
    if (mri_list_empty(&ch->ready))
        return false;
    struct mri_cq_events *e = mri_container(ch->ready.next, struct mri_cq_events, link);
    *cq = mri_container(e, struct mr_cq, events);
    e->taken++;
    if (!--e->pending)
        mri_list_del(&e->link);
    mri_gate_set(&ch->gate, !mri_list_empty(&ch->ready));
    return true;
}

static bool take_async(struct mri_events *ev, struct mr_event *e)
{
    if (!ev->n)
        return false;
    *e = ev->queue[ev->first];
    ev->first = (ev->first + 1) % mri_async_max;
    ev->n--;
    mri_gate_set(&ev->gate, ev->n != 0);
    return true;
}

/* Drops the events of an object that goes. */
static void async_purge(struct mri_events *ev, const void *object)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < ev->n; i++) {
        struct mr_event e = ev->queue[(ev->first + i) % mri_async_max];
        if (e.conn != object && e.stream != object && e.cq != object)
            ev->queue[(ev->first + kept++) % mri_async_max] = e;
    }
    ev->n = kept;
    mri_gate_set(&ev->gate, ev->n != 0);
}

/* ------------------------------------------------------------- waiting */

/* An event of the channel, or of the device if that is NULL. */
static bool take(struct mr_device *dev, struct mr_channel *ch, void *out)
{
    return ch ? take_cq(ch, out) : take_async(&dev->events, out);
}

static int look(struct mr_device *dev, struct mr_channel *ch, void *out)
{
    pthread_mutex_lock(&dev->events.lock);
    int rc = drain(dev);
    if (take(dev, ch, out))
        rc = 1;
    pthread_mutex_unlock(&dev->events.lock);
    return rc;
}

static int get(struct mr_device *dev, struct mr_channel *ch, uint64_t timeout_ns, void *out)
{
    const struct mr_bus_ops *ops = dev->bus->ops;
    uint64_t start = 0, now = 0;
    uint64_t mark = ops->mark(dev->bus);
    int got = look(dev, ch, out);

    if (got || !timeout_ns)
        return got;
    int rc = mri_note(dev, ops->time_ns(dev->bus, &start));
    for (now = start; !rc && now - start < timeout_ns;) {
        rc = mri_note(dev, ops->wait(dev->bus, mark, timeout_ns - (now - start), &now));
        mark = ops->mark(dev->bus);
        got = look(dev, ch, out);
        if (got)
            return got;
    }
    return rc;
}

/* ------------------------------------------------------------ channels */

int mr_channel_create(struct mr_device *dev, struct mr_channel **out)
{
    if (!dev || !out)
        return -EINVAL;
    struct mr_channel *ch = calloc(1, sizeof *ch);
    if (!ch)
        return -ENOMEM;
    ch->dev = dev;
    mri_list_init(&ch->ready);
    pthread_mutex_lock(&dev->lock);
    int rc = open_queue(dev);
    if (!rc)
        rc = mri_gate_open(&ch->gate, dev->events.irq);
    if (!rc)
        mri_list_add(&dev->events.channels, &ch->link);
    pthread_mutex_unlock(&dev->lock);
    if (rc) {
        free(ch);
        return rc;
    }
    *out = ch;
    return 0;
}

static void channel_free(struct mr_channel *ch)
{
    mri_gate_close(&ch->gate);
    mri_list_del(&ch->link);
    free(ch);
}

int mr_channel_destroy(struct mr_channel *ch)
{
    if (!ch)
        return 0;
    struct mr_device *dev = ch->dev;
    pthread_mutex_lock(&dev->lock);
    int rc = ch->users ? -EBUSY : 0;
    if (!rc)
        channel_free(ch);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

int mr_channel_fd(const struct mr_channel *ch)
{
    return ch ? ch->gate.ep : -EINVAL;
}

int mr_cq_set_channel(struct mr_cq *cq, struct mr_channel *ch)
{
    if (!cq || (ch && ch->dev != cq->dev))
        return -EINVAL;
    struct mr_device *dev = cq->dev;
    struct mri_cq_events *e = &cq->events;
    pthread_mutex_lock(&dev->lock);
    pthread_mutex_lock(&dev->events.lock);
    int rc = drain(dev);
    if (e->pending || e->taken != e->acked)
        rc = -EBUSY;
    if (!rc) {
        if (e->channel)
            e->channel->users--;
        e->channel = ch;
        e->armed = false;
        if (ch)
            ch->users++;
    }
    pthread_mutex_unlock(&dev->events.lock);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

int mr_cq_arm(struct mr_cq *cq, bool solicited_only)
{
    if (!cq)
        return -EINVAL;
    struct mri_events *ev = &cq->dev->events;
    uint32_t reg = solicited_only ? MR_REG_DB_ARM_SOL : MR_REG_DB_ARM;
    pthread_mutex_lock(&cq->lock);
    pthread_mutex_lock(&ev->lock);
    int rc = cq->events.channel ? 0 : -EINVAL;
    cq->events.armed |= !rc;
    pthread_mutex_unlock(&ev->lock);
    if (!rc)
        rc = mri_reg_write(cq->dev, reg, cq->index << 16 | (cq->head & 0xffff));
    if (!rc) {
        cq->told = cq->head;
        // What the library completes itself the device does not know of; the entries in front of it may not be
        // solicited.
        bool behind = solicited_only && !mri_list_empty(&cq->flush) && mri_cq_present(cq);
        if (cq->bad || behind || mri_flushable(cq))
            mri_events_fire(cq);
    }
    pthread_mutex_unlock(&cq->lock);
    return rc;
}

void mri_events_fire(struct mr_cq *cq)
{
    pthread_mutex_lock(&cq->dev->events.lock);
    if (cq->events.armed)
        fire(cq);
    pthread_mutex_unlock(&cq->dev->events.lock);
}

int mr_channel_get(struct mr_channel *ch, uint64_t timeout_ns, struct mr_cq **cq)
{
    return ch && cq ? get(ch->dev, ch, timeout_ns, cq) : -EINVAL;
}

int mr_cq_ack(struct mr_cq *cq, uint32_t n)
{
    if (!cq)
        return -EINVAL;
    pthread_mutex_lock(&cq->dev->events.lock);
    int rc = n > cq->events.taken - cq->events.acked ? -EINVAL : 0;
    cq->events.acked += rc ? 0 : n;
    pthread_mutex_unlock(&cq->dev->events.lock);
    return rc;
}

int mr_device_sleep(struct mr_device *dev)
{
    if (!dev)
        return -EINVAL;
    pthread_mutex_lock(&dev->events.lock);
    bool open = dev->events.open;
    pthread_mutex_unlock(&dev->events.lock);
    if (!open)
        return -EINVAL;
    if (atomic_load(&dev->dead))
        return -EIO;
    return mri_note(dev, dev->bus->ops->idle(dev->bus));
}

/* -------------------------------------------------- events of the device */

static int open_async(struct mr_device *dev)
{
    pthread_mutex_lock(&dev->lock);
    int rc = open_queue(dev);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

int mr_async_fd(struct mr_device *dev)
{
    int rc = dev ? open_async(dev) : -EINVAL;

    return rc ? rc : dev->events.gate.ep;
}

int mr_async_get(struct mr_device *dev, uint64_t timeout_ns, struct mr_event *event)
{
    int rc = dev && event ? open_async(dev) : -EINVAL;

    return rc ? rc : get(dev, nullptr, timeout_ns, event);
}

const char *mr_event_text(uint32_t type)
{
    static const char *const text[] = {
        [MR_EVENT_PATH_DOWN] = "path_down",       [MR_EVENT_PATH_UP] = "path_up",
        [MR_EVENT_PLANE_DOWN] = "plane_down",     [MR_EVENT_PLANE_UP] = "plane_up",
        [MR_EVENT_CONN_DEAD] = "conn_dead",       [MR_EVENT_STREAM_ERROR] = "stream_error",
        [MR_EVENT_CQ_OVERFLOW] = "cq_overflow",   [MR_EVENT_LOST] = "lost",
    };

    return type < sizeof text / sizeof text[0] && text[type] ? text[type] : "unknown";
}

/* ----------------------------------------------------------- objects */

int mri_events_init(struct mr_device *dev)
{
    struct mri_events *ev = &dev->events;

    ev->cq = calloc(dev->caps.cqs, sizeof ev->cq[0]);
    ev->conn = calloc(dev->caps.conns, sizeof ev->conn[0]);
    ev->stream = calloc(dev->caps.streams, sizeof ev->stream[0]);
    return ev->cq && ev->conn && ev->stream ? 0 : -ENOMEM;
}

int mri_events_close(struct mr_device *dev)
{
    struct mri_events *ev = &dev->events;
    int rc = 0;

    while (!mri_list_empty(&ev->channels))
        channel_free(mri_container(ev->channels.next, struct mr_channel, link));
    if (ev->open) {
        ev->open = false;
        rc = write_entry(dev, 0);
        rc = mri_first(rc, mri_ring_free(dev, eq_bytes, ev->shared_ring, ev->bus_addr));
        mri_gate_close(&ev->gate);
    }
    return rc;
}

void mri_events_fini(struct mr_device *dev)
{
    struct mri_events *ev = &dev->events;

    free(ev->cq);
    free(ev->conn);
    free(ev->stream);
    pthread_mutex_destroy(&ev->lock);
}

void mri_events_add_cq(struct mr_cq *cq)
{
    struct mri_events *ev = &cq->dev->events;

    mri_list_init(&cq->events.link);
    pthread_mutex_lock(&ev->lock);
    ev->cq[cq->index] = cq;
    pthread_mutex_unlock(&ev->lock);
}

void mri_events_del_cq(struct mr_cq *cq)
{
    struct mri_events *ev = &cq->dev->events;
    struct mri_cq_events *e = &cq->events;

    pthread_mutex_lock(&ev->lock);
    drain(cq->dev);
    ev->cq[cq->index] = nullptr;
    async_purge(ev, cq);
    mri_list_del(&e->link);
    if (e->channel) {
        mri_gate_set(&e->channel->gate, !mri_list_empty(&e->channel->ready));
        e->channel->users--;
    }
    pthread_mutex_unlock(&ev->lock);
}

static uint32_t index_of(const struct mr_conn *c)
{
    return c->number & 0xffff;
}

void mri_events_add_conn(struct mr_conn *c)
{
    struct mri_events *ev = &c->dev->events;

    pthread_mutex_lock(&ev->lock);
    ev->conn[index_of(c)] = c;
    pthread_mutex_unlock(&ev->lock);
}

void mri_events_del_conn(struct mr_conn *c)
{
    struct mri_events *ev = &c->dev->events;

    pthread_mutex_lock(&ev->lock);
    drain(c->dev);
    ev->conn[index_of(c)] = nullptr;
    async_purge(ev, c);
    pthread_mutex_unlock(&ev->lock);
}

void mri_events_add_stream(struct mr_stream *s)
{
    struct mri_events *ev = &s->dev->events;

    pthread_mutex_lock(&ev->lock);
    ev->stream[s->number] = s;
    pthread_mutex_unlock(&ev->lock);
}

void mri_events_del_stream(struct mr_stream *s)
{
    struct mri_events *ev = &s->dev->events;

    pthread_mutex_lock(&ev->lock);
    drain(s->dev);
    ev->stream[s->number] = nullptr;
    async_purge(ev, s);
    pthread_mutex_unlock(&ev->lock);
}

void mri_events_paths(struct mr_conn *c)
{
    struct mri_events *ev = &c->dev->events;

    pthread_mutex_lock(&ev->lock);
    c->events.paths = c->paths;
    c->events.planes = c->attr.planes;
    memcpy(c->events.plane, c->plane, sizeof c->plane);
    pthread_mutex_unlock(&ev->lock);
}
