// SPDX-License-Identifier: BSD-2-Clause
/* Channels and events of the device, over the fake one. */
#include "rig.h"

#include <poll.h>
#include <stdlib.h>

static struct mr_channel *channel_on(struct rig *r)
{
    struct mr_channel *ch = nullptr;

    CU_ASSERT_EQUAL_FATAL(mr_channel_create(r->dev, &ch), 0);
    CU_ASSERT_EQUAL(mr_cq_set_channel(r->cq, ch), 0);
    return ch;
}

static bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

static int write_one(struct rig *r)
{
    struct mr_write w = rig_write(r, 1, 0, 8, MR_POST_SIGNALED);

    return mr_post_write(r->stream[0], &w);
}

/* Polls everything; returns how many. */
static int poll_all(struct rig *r)
{
    struct mr_wc wc[8];
    int n, all = 0;

    while ((n = mr_cq_poll(r->cq, wc, 8)) > 0)
        all += n;
    return all;
}

static void channel__bad_argument(void)
{
    struct rig r;
    struct mr_channel *ch = nullptr;
    struct mr_cq *cq;
    struct mr_event e;

    if (!rig_open(&r, 4, 16))
        return;
    CHECK_ERR(mr_channel_create(nullptr, &ch), -EINVAL);
    CHECK_ERR(mr_channel_create(r.dev, nullptr), -EINVAL);
    CHECK_ERR(mr_cq_arm(r.cq, false), -EINVAL);  // no channel
    CHECK_ERR(mr_cq_arm(nullptr, false), -EINVAL);
    CHECK_ERR(mr_device_sleep(r.dev), -EINVAL);
    CHECK_ERR(mr_device_sleep(nullptr), -EINVAL);
    CHECK_ERR(mr_async_fd(nullptr), -EINVAL);
    CHECK_ERR(mr_async_get(r.dev, 0, nullptr), -EINVAL);
    fake.no_irq = true;
    CHECK_ERR(mr_channel_create(r.dev, &ch), -ENOTSUP);
    CHECK_ERR(mr_async_get(r.dev, 0, &e), -ENOTSUP);
    fake.no_irq = false;
    fake.table_refuse = MR_TBL_EQ;
    CHECK_ERR(mr_channel_create(r.dev, &ch), -EREMOTEIO);
    fake.table_refuse = 0;
    ch = channel_on(&r);
    CHECK_ERR(mr_channel_get(ch, 0, nullptr), -EINVAL);
    CHECK_ERR(mr_channel_get(nullptr, 0, &cq), -EINVAL);
    CHECK_ERR(mr_channel_fd(nullptr), -EINVAL);
    CHECK_ERR(mr_cq_set_channel(nullptr, ch), -EINVAL);
    CHECK_ERR(mr_channel_destroy(ch), -EBUSY);
    CHECK_ERR(mr_cq_ack(r.cq, 1), -EINVAL);
    CHECK_ERR(mr_device_sleep(r.dev), 0);
    CU_ASSERT_EQUAL(mr_cq_set_channel(r.cq, nullptr), 0);
    CU_ASSERT_EQUAL(mr_channel_destroy(ch), 0);
    CU_ASSERT_EQUAL(mr_channel_destroy(nullptr), 0);
    rig_close(&r);
}

static void arm__once(void)
{
    struct rig r;
    struct mr_cq *cq = nullptr;

    if (!rig_open(&r, 4, 16))
        return;
    struct mr_channel *ch = channel_on(&r);
    int fd = mr_channel_fd(ch);
    CU_ASSERT_EQUAL(write_one(&r), 0);
    CU_ASSERT_FALSE(readable(fd));
    CU_ASSERT_EQUAL(poll_all(&r), 1);
    for (int i = 0; i < 3000; i++) {  // around the event queue, twice
        CU_ASSERT_EQUAL(mr_cq_arm(r.cq, false), 0);
        CU_ASSERT_EQUAL(mr_channel_get(ch, 0, &cq), 0);
        CU_ASSERT_EQUAL(write_one(&r), 0);
        CU_ASSERT_EQUAL(write_one(&r), 0);
        CU_ASSERT_TRUE(readable(fd));
        CU_ASSERT_EQUAL(mr_channel_get(ch, 0, &cq), 1);
        CU_ASSERT_PTR_EQUAL(cq, r.cq);
        CU_ASSERT_FALSE(readable(fd));
        CU_ASSERT_EQUAL(mr_channel_get(ch, 1000, &cq), 0);
        CU_ASSERT_EQUAL(poll_all(&r), 2);
    }
    CHECK_ERR(mr_cq_set_channel(r.cq, nullptr), -EBUSY);
    CHECK_ERR(mr_cq_ack(r.cq, 3001), -EINVAL);
    CU_ASSERT_EQUAL(mr_cq_ack(r.cq, 3000), 0);
    rig_close(&r);
}

/* What was not polled fires at once; a queue with events that are owed is not destroyed. */
static void arm__what_is_there(void)
{
    struct rig r;
    struct mr_cq *cq = nullptr;

    if (!rig_open(&r, 4, 16))
        return;
    struct mr_channel *ch = channel_on(&r);
    CU_ASSERT_EQUAL(write_one(&r), 0);
    CU_ASSERT_EQUAL(mr_cq_arm(r.cq, false), 0);
    CU_ASSERT_EQUAL(mr_channel_get(ch, 0, &cq), 1);
    CU_ASSERT_EQUAL(poll_all(&r), 1);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[1]), 0);
    CHECK_ERR(mr_cq_destroy(r.cq), -EBUSY);
    CU_ASSERT_EQUAL(mr_cq_ack(r.cq, 1), 0);
    CU_ASSERT_EQUAL(mr_cq_destroy(r.cq), 0);
    CU_ASSERT_EQUAL(mr_channel_destroy(ch), 0);
    rig_close(&r);
}

/* An event that nobody took goes with its queue. */
static void destroy__with_an_event(void)
{
    struct rig r;
    struct mr_cq *cq = nullptr, *other;

    if (!rig_open(&r, 4, 16))
        return;
    struct mr_channel *ch = channel_on(&r);
    CU_ASSERT_EQUAL(mr_cq_create(r.dev, 4, &other), 0);
    CU_ASSERT_EQUAL(mr_cq_set_channel(other, ch), 0);
    CU_ASSERT_EQUAL(mr_cq_arm(other, false), 0);
    fake_event(MR_EVT_CQ, 1, 0);
    CU_ASSERT_TRUE(readable(mr_channel_fd(ch)));
    CU_ASSERT_EQUAL(mr_cq_destroy(other), 0);
    CU_ASSERT_FALSE(readable(mr_channel_fd(ch)));
    CU_ASSERT_EQUAL(mr_channel_get(ch, 0, &cq), 0);
    fake_event(MR_EVT_CQ, 1, 0);  // late, of a queue that is gone
    fake_event(MR_EVT_CQ, 77777, 0);
    fake_event(99, 0, 0);
    CU_ASSERT_EQUAL(mr_channel_get(ch, 0, &cq), 0);
    rig_close(&r);
}

/* Entries that the library completes itself are worth an event too. */
static void arm__flushed(void)
{
    struct rig r;
    struct mr_cq *cq = nullptr;

    if (!rig_open(&r, 4, 16))
        return;
    struct mr_channel *ch = channel_on(&r);
    fake.hold = true;
    CU_ASSERT_EQUAL(write_one(&r), 0);
    CU_ASSERT_EQUAL(mr_cq_arm(r.cq, true), 0);
    CU_ASSERT_EQUAL(mr_channel_get(ch, 0, &cq), 0);
    CU_ASSERT_EQUAL(mr_stream_fail(r.stream[0]), 0);
    CU_ASSERT_EQUAL(mr_channel_get(ch, 0, &cq), 1);
    CU_ASSERT_EQUAL(mr_cq_arm(r.cq, true), 0);  // not polled yet
    CU_ASSERT_EQUAL(mr_channel_get(ch, 0, &cq), 1);
    CU_ASSERT_EQUAL(poll_all(&r), 1);
    CU_ASSERT_EQUAL(mr_cq_arm(r.cq, true), 0);
    CU_ASSERT_EQUAL(mr_channel_get(ch, 0, &cq), 0);
    CU_ASSERT_EQUAL(mr_cq_ack(r.cq, 2), 0);
    rig_close(&r);
}

/* The device lost events: armed queues are looked at, and the program hears of it. */
static void lost__wakes_all(void)
{
    struct rig r;
    struct mr_cq *cq = nullptr;
    struct mr_event e;

    if (!rig_open(&r, 4, 16))
        return;
    struct mr_channel *ch = channel_on(&r);
    CU_ASSERT_EQUAL(mr_cq_arm(r.cq, false), 0);
    fake_event(MR_EVT_LOST, 0, 0);
    CU_ASSERT_EQUAL(mr_channel_get(ch, 0, &cq), 1);
    CU_ASSERT_EQUAL(mr_async_get(r.dev, 0, &e), 1);
    CU_ASSERT_EQUAL(e.type, MR_EVENT_LOST);
    for (int i = 0; i < 300; i++)
        fake_event(MR_EVT_STREAM_ERROR, mr_stream_number(r.stream[0]), MR_ERR_BUS);
    for (int i = 0; i < 255; i++) {
        CU_ASSERT_EQUAL(mr_async_get(r.dev, 0, &e), 1);
        CU_ASSERT_TRUE(e.type == MR_EVENT_STREAM_ERROR && e.stream == r.stream[0] && e.status == MR_ERR_BUS);
    }
    CU_ASSERT_EQUAL(mr_async_get(r.dev, 0, &e), 1);
    CU_ASSERT_EQUAL(e.type, MR_EVENT_LOST);
    CU_ASSERT_EQUAL(mr_async_get(r.dev, 0, &e), 0);
    CU_ASSERT_NOT_EQUAL(fake_seen.eq_bell, 0);
    rig_close(&r);
}

/* Takes an event and compares it. */
static bool event_is(struct mr_device *dev, uint32_t type, struct mr_conn *c, uint32_t path, uint8_t plane)
{
    struct mr_event e = {};

    return mr_async_get(dev, 0, &e) == 1 && e.type == type && e.conn == c && e.path == path && e.plane == plane &&
           !e.stream && !e.cq;
}

static void async__paths_and_planes(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_conn_addr addr;
    struct mr_device *dev;
    struct mr_conn *c;
    struct mr_event e;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    int fd = mr_async_fd(dev);
    CU_ASSERT_TRUE(fd >= 0 && !readable(fd));
    attr.paths = 4;
    attr.planes = 2;
    attr.mac[5] = 8;
    attr.ip.addr[3] = 8;
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &c), 0);
    CU_ASSERT_EQUAL(mr_conn_local(c, &addr), 0);
    CU_ASSERT_EQUAL_FATAL(mr_conn_connect(c, &addr), 0);
    fake_event(MR_EVT_PATH_DOWN, 0, 1);
    CU_ASSERT_TRUE(readable(fd));
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_PATH_DOWN, c, 1, 1));
    CU_ASSERT_FALSE(readable(fd));
    fake_event(MR_EVT_PATH_DOWN, 0, 3);
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_PATH_DOWN, c, 3, 1));
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_PLANE_DOWN, c, 0, 1));
    fake_event(MR_EVT_PATH_UP, 0, 1);
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_PATH_UP, c, 1, 1));
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_PLANE_UP, c, 0, 1));
    for (uint32_t i = 0; i < 3; i++)
        fake_event(MR_EVT_CONN_DEAD, 0, i);
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_CONN_DEAD, c, 0, 0));  // once
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_PLANE_DOWN, c, 0, 1));
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_PLANE_DOWN, c, 0, 0));
    CU_ASSERT_EQUAL(mr_async_get(dev, 0, &e), 0);
    fake_event(MR_EVT_PATH_UP, 0, 0);
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_PATH_UP, c, 0, 0));
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_PLANE_UP, c, 0, 0));
    fake_event(MR_EVT_PATH_DOWN, 0, 4);   // no such path
    fake_event(MR_EVT_PATH_DOWN, 5, 0);   // no such connection
    fake_event(MR_EVT_PATH_DOWN, 0, 2);
    CU_ASSERT_TRUE(event_is(dev, MR_EVENT_PATH_DOWN, c, 2, 0));
    fake_event(MR_EVT_PATH_UP, 0, 2);
    CU_ASSERT_EQUAL(mr_conn_destroy(c), 0);  // with its events
    CU_ASSERT_EQUAL(mr_async_get(dev, 1000, &e), 0);
    mr_device_close(dev);
}

static void text__all(void)
{
    for (uint32_t i = 1; i <= MR_EVENT_LOST; i++)
        CU_ASSERT_STRING_NOT_EQUAL(mr_event_text(i), "unknown");
    CU_ASSERT_STRING_EQUAL(mr_event_text(0), "unknown");
    CU_ASSERT_STRING_EQUAL(mr_event_text(MR_EVENT_LOST + 1), "unknown");
}

static void get__dead_device(void)
{
    struct rig r;
    struct mr_cq *cq;
    struct mr_event e;

    if (!rig_open(&r, 4, 16))
        return;
    struct mr_channel *ch = channel_on(&r);
    fake_die();
    CHECK_ERR(mr_channel_get(ch, 1000, &cq), -EIO);
    CHECK_ERR(mr_async_get(r.dev, 1000, &e), -EIO);
    CHECK_ERR(mr_cq_arm(r.cq, false), -EIO);
    CHECK_ERR(mr_device_sleep(r.dev), -EIO);
    mr_device_close(r.dev);
}

const struct test_row tests_event[] = {
    {"channel__bad_argument", channel__bad_argument},
    {"arm__once", arm__once},
    {"arm__what_is_there", arm__what_is_there},
    {"destroy__with_an_event", destroy__with_an_event},
    {"arm__flushed", arm__flushed},
    {"lost__wakes_all", lost__wakes_all},
    {"async__paths_and_planes", async__paths_and_planes},
    {"text__all", text__all},
    {"get__dead_device", get__dead_device},
    {},
};
