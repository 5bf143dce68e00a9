// SPDX-License-Identifier: BSD-2-Clause
/* device.c - opens, checks and closes a device. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static constexpr uint32_t pds_max = 65535;

int mri_note(struct mr_device *dev, int rc)
{
    if (rc == -EIO)
        atomic_store(&dev->dead, true);
    return rc;
}

int mri_reg_read(struct mr_device *dev, uint32_t off, uint32_t *value)
{
    if (atomic_load(&dev->dead))
        return -EIO;
    return mri_note(dev, dev->bus->ops->read32(dev->bus, off, value));
}

int mri_reg_write(struct mr_device *dev, uint32_t off, uint32_t value)
{
    if (atomic_load(&dev->dead))
        return -EIO;
    return mri_note(dev, dev->bus->ops->write32(dev->bus, off, value));
}

static uint32_t at_most(uint32_t v, uint32_t limit)
{
    return v < limit ? v : limit;
}

/* Is this our NIC, with our layouts? */
static int identify(struct mr_device *dev)
{
    uint32_t magic;
    int rc = mri_reg_read(dev, MR_REG_MAGIC, &magic);

    if (!rc && magic != mri_magic)
        rc = -ENODEV;
    if (!rc)
        rc = mri_reg_read(dev, MR_REG_VERSION, &dev->caps.version);
    if (!rc && dev->caps.version >> 16 != mri_version_major)
        rc = -EPROTO;
    if (!rc)
        rc = mri_reg_read(dev, MR_REG_LAYOUT_HASH, &dev->caps.layout_hash);
    if (!rc && dev->caps.layout_hash != MR_LAYOUT_HASH)
        rc = -EPROTO;
    return rc;
}

static int read_caps(struct mr_device *dev)
{
    struct mr_caps *c = &dev->caps;
    const struct {
        uint32_t reg, *to;
    } row[] = {
        {MR_REG_CAP_CONNS, &c->conns},     {MR_REG_CAP_PATHS, &c->paths},
        {MR_REG_CAP_STREAMS, &c->streams}, {MR_REG_CAP_KEYS, &c->keys},
        {MR_REG_CAP_CQS, &c->cqs},         {MR_REG_CAP_MSGS, &c->msgs},
        {MR_REG_CLOCK_KHZ, &c->clock_khz}, {MR_REG_CAP_GROUPS, &c->groups},
        {MR_REG_CAP_PLANES, &c->planes},   {MR_REG_CAP_RQS, &c->rqs},
        {MR_REG_CAP_SGES, &c->sges},       {MR_REG_CAP_RECVS, &c->recvs},
        {MR_REG_CAP_PAGES, &c->pages},
    };
    int rc = 0;

    for (size_t i = 0; i < sizeof row / sizeof row[0] && !rc; i++)
        rc = mri_reg_read(dev, row[i].reg, row[i].to);
    if (rc)
        return rc;
    // What the doorbells and table indices can say; connection index 0xffff stands for none.
    c->conns = at_most(c->conns, 0xffff);
    c->streams = at_most(c->streams, 0x10000);
    c->keys = at_most(c->keys, 1 << 24);
    c->cqs = at_most(c->cqs, 0x10000);
    c->groups = at_most(c->groups, 0x10000);
    c->paths = at_most(at_most(c->paths, MR_PATHS_MAX), c->groups * mri_group);
    c->planes = at_most(c->planes, MR_WIRE_PLANES);
    c->pages = at_most(c->pages, 0x10000 * mri_page_group) & ~(mri_page_group - 1);
    c->rqs = at_most(c->rqs, MR_RQ_NONE);
    c->sges = c->sges ? at_most(c->sges, MR_SGES_MAX) : 1;
    c->inline_max = MR_INLINE_MAX;
    c->requests = c->msgs;
    c->rq_depth_max = MR_RQ_DEPTH_MAX;
    c->sq_depth_max = MR_DEPTH_MAX;
    c->cq_max = MR_CQ_ENTRIES_MAX;
    c->length_max = MR_LENGTH_MAX;
    return c->conns && c->streams && c->keys && c->cqs && c->paths && c->planes && c->clock_khz
               ? 0
               : -EPROTO;
}

/*
 * Keys and connection numbers of an earlier user of the device must not be
 * valid again soon. Tables cannot be read back, so the tags begin at a place
 * that the device's clock gives: different each time, yet the same when a
 * simulation is repeated.
 */
static int first_tag(struct mr_device *dev, uint8_t *tag)
{
    uint32_t t;
    int rc = mri_reg_read(dev, MR_REG_TIME_LO, &t);

    *tag = rc ? 0 : (uint8_t)(t * 0x9e3779b1u >> 24);
    return rc;
}

static int make_pools(struct mr_device *dev)
{
    uint32_t counters = mr_counter_count();
    uint8_t tag;
    int rc = first_tag(dev, &tag);

    rc = mri_first(rc, mri_pool_init(&dev->pd_pool, pds_max, 0));
    rc = mri_first(rc, mri_pool_init(&dev->key_pool, dev->caps.keys, tag));
    rc = mri_first(rc, mri_pool_init(&dev->cq_pool, dev->caps.cqs, tag));
    rc = mri_first(rc, mri_pool_init(&dev->rq_pool, dev->caps.rqs, tag));
    rc = mri_first(rc, mri_pool_init(&dev->conn_pool, dev->caps.conns, tag));
    rc = mri_first(rc, mri_pool_init(&dev->stream_pool, dev->caps.streams, tag));
    rc = mri_first(rc, mri_groups_init(&dev->groups, dev->caps.groups));
    rc = mri_first(rc, mri_groups_init(&dev->pages, dev->caps.pages / mri_page_group));
    dev->stream_of = calloc(dev->caps.streams, sizeof dev->stream_of[0]);
    dev->stream_cq = calloc(dev->caps.streams, sizeof dev->stream_cq[0]);
    dev->stream_rcq = calloc(dev->caps.streams, sizeof dev->stream_rcq[0]);
    dev->counter = calloc(counters, sizeof dev->counter[0]);
    dev->counter_raw = calloc(counters, sizeof dev->counter_raw[0]);
    rc = mri_first(rc, mri_events_init(dev));
    if (!dev->stream_of || !dev->stream_cq || !dev->stream_rcq || !dev->counter || !dev->counter_raw)
        rc = -ENOMEM;
    return rc;
}

static int device_free(struct mr_device *dev)
{
    int rc = dev->bus ? dev->bus->ops->close(dev->bus) : 0;

    mri_pool_free(&dev->pd_pool);
    mri_pool_free(&dev->key_pool);
    mri_pool_free(&dev->cq_pool);
    mri_pool_free(&dev->rq_pool);
    mri_pool_free(&dev->conn_pool);
    mri_pool_free(&dev->stream_pool);
    mri_groups_free(&dev->groups);
    mri_groups_free(&dev->pages);
    free(dev->stream_of);
    free(dev->stream_cq);
    free(dev->stream_rcq);
    free(dev->counter);
    free(dev->counter_raw);
    free(dev->uri);
    mri_events_fini(dev);
    pthread_mutex_destroy(&dev->lock);
    free(dev);
    return rc;
}

int mr_device_open(const char *uri, struct mr_device **out)
{
    const char *rest;

    if (!out)
        return -EINVAL;
    if (!uri)
        uri = getenv("MR_DEVICE");
    if (!uri || !*uri)
        uri = "sim:";
    if (!strchr(uri, ':'))
        return -EINVAL;
    const struct mr_bus_ops *ops = mri_bus_find(uri, &rest);
    if (!ops)
        return -ENOTSUP;
    struct mr_device *dev = calloc(1, sizeof *dev);
    if (!dev)
        return -ENOMEM;
    pthread_mutex_init(&dev->lock, nullptr);
    pthread_mutex_init(&dev->events.lock, nullptr);
    dev->events.gate = (struct mri_gate){.own = -1, .ep = -1};
    struct mri_list *lists[] = {&dev->pds, &dev->mrs,   &dev->cqs,    &dev->rqs,
                                &dev->conns, &dev->streams, &dev->events.channels};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        mri_list_init(lists[i]);
    dev->uri = strdup(uri);
    int rc = dev->uri ? ops->open(rest, &dev->bus) : -ENOMEM;
    if (!rc)
        rc = identify(dev);
    if (!rc)
        rc = read_caps(dev);
    if (!rc)
        rc = mri_table_open(dev);
    if (!rc)
        rc = make_pools(dev);
    if (rc) {
        device_free(dev);
        return rc;
    }
    *out = dev;
    return 0;
}

int mr_device_close(struct mr_device *dev)
{
    int rc = 0;

    if (!dev)
        return 0;
    pthread_mutex_lock(&dev->lock);
    while (!mri_list_empty(&dev->streams))
        rc = mri_first(rc, mri_stream_free(mri_container(dev->streams.next, struct mr_stream, link)));
    while (!mri_list_empty(&dev->conns))
        rc = mri_first(rc, mri_conn_free(mri_container(dev->conns.next, struct mr_conn, link)));
    while (!mri_list_empty(&dev->rqs))
        rc = mri_first(rc, mri_rq_free(mri_container(dev->rqs.next, struct mr_rq, link)));
    while (!mri_list_empty(&dev->cqs))
        rc = mri_first(rc, mri_cq_free(mri_container(dev->cqs.next, struct mr_cq, link)));
    rc = mri_first(rc, mri_events_close(dev));
    while (!mri_list_empty(&dev->mrs))
        rc = mri_first(rc, mri_mr_free(mri_container(dev->mrs.next, struct mr_mr, link)));
    while (!mri_list_empty(&dev->pds))
        mri_pd_free(mri_container(dev->pds.next, struct mr_pd, link));
    pthread_mutex_unlock(&dev->lock);
    rc = mri_first(rc, device_free(dev));
    return rc ? -EIO : 0;
}

int mr_device_query(struct mr_device *dev, struct mr_caps *caps)
{
    if (!dev || !caps)
        return -EINVAL;
    *caps = dev->caps;
    return 0;
}

const char *mr_device_uri(const struct mr_device *dev)
{
    return dev ? dev->uri : "";
}

int mr_device_time(struct mr_device *dev, uint64_t *ns)
{
    if (!dev || !ns)
        return -EINVAL;
    if (atomic_load(&dev->dead))
        return -EIO;
    return mri_note(dev, dev->bus->ops->time_ns(dev->bus, ns));
}

int mr_device_stats(struct mr_device *dev, char *buf, size_t size)
{
    if (!dev || (!buf && size))
        return -EINVAL;
    if (!dev->bus->ops->stats)
        return -ENOTSUP;
    if (atomic_load(&dev->dead))
        return -EIO;
    return mri_note(dev, dev->bus->ops->stats(dev->bus, buf, size));
}

int mri_ring_alloc(struct mr_device *dev, size_t bytes, void **ring, uint64_t *bus_addr)
{
    size_t all = (bytes + mri_ring_align - 1) & ~(size_t)(mri_ring_align - 1);
    void *p = aligned_alloc(mri_ring_align, all);

    if (!p)
        return -ENOMEM;
    memset(p, 0, all);
    int rc = atomic_load(&dev->dead) ? -EIO
                                     : mri_note(dev, dev->bus->ops->map(dev->bus, p, all, bus_addr));
    if (rc) {
        free(p);
        return rc;
    }
    *ring = p;
    return 0;
}

int mri_ring_free(struct mr_device *dev, size_t bytes, void *ring, uint64_t bus_addr)
{
    size_t all = (bytes + mri_ring_align - 1) & ~(size_t)(mri_ring_align - 1);
    int rc = mri_note(dev, dev->bus->ops->unmap(dev->bus, ring, all, bus_addr));

    free(ring);
    return rc;
}
