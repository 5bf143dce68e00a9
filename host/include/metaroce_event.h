// SPDX-License-Identifier: BSD-2-Clause
/*
 * metaroce_event.h - the part of metaroce.h for programs that sleep: channels,
 * which tell that a completion queue has something, and events of a device.
 * metaroce.h includes it; all that stands at its beginning holds here too.
 */
#ifndef METAROCE_EVENT_H
#define METAROCE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mr_channel;

/* ---------------------------------------------------------- event channel */

/**
 * Makes a channel: a place where completion queues report. To sleep until a
 * queue has something, arm it, poll it once more, and get an event:
 *
 *     mr_cq_set_channel(cq, channel);
 *     for (;;) {
 *         mr_cq_arm(cq, false);
 *         while ((n = mr_cq_poll(cq, wc, 16)) > 0)
 *             use(wc, n);
 *         mr_channel_get(channel, 1000000, &which);   // 1 ms of device time
 *     }
 *
 * From any thread. Errors: -EINVAL; -ENOTSUP the back end has no interrupts;
 * -EPERM the device is only looked at; -ENOMEM, also no descriptor is free;
 * -ENOSPC, -EIO, -ETIMEDOUT, -EREMOTEIO.
 */
MR_API int mr_channel_create(struct mr_device *dev, struct mr_channel **channel);

/** Destroys a channel and its descriptor. -EBUSY while queues report to it. NULL is taken. */
MR_API int mr_channel_destroy(struct mr_channel *channel);

/**
 * A descriptor that is readable while the channel has an event, and sometimes when
 * it has none: the device's interrupt wakes all its channels, and the first call
 * finds out whose it was. It is for poll, select and epoll only, and lives as long
 * as the channel. Before a sleep on it, call mr_device_sleep(). From any thread.
 */
MR_API int mr_channel_fd(const struct mr_channel *channel);

/**
 * Has a queue report to a channel of its device, or to none (NULL). From any thread.
 * Errors: -EINVAL; -EBUSY the queue has events that were not taken and acknowledged.
 */
MR_API int mr_cq_set_channel(struct mr_cq *cq, struct mr_channel *channel);

/**
 * Asks for one event: at the first completion behind those that mr_cq_poll() has
 * taken, at once if it is there already. With solicited_only, at the first that has
 * MR_WC_SOLICITED or is an error, unless the queue is armed for any. Entries that
 * the library completes (MR_ERR_FLUSH) count too. An event may come with nothing
 * left to poll. A queue without channel cannot be armed. From any thread.
 * Errors: -EINVAL, also no channel; -EIO.
 */
MR_API int mr_cq_arm(struct mr_cq *cq, bool solicited_only);

/**
 * Takes one event; waits up to timeout_ns of device time for it, 0 = not at all.
 * Returns 1 with the queue in *cq, and 0 when the time is over. Every event is to
 * be acknowledged. From any thread, also from several at a time.
 * Errors: -EINVAL, -EIO.
 */
MR_API int mr_channel_get(struct mr_channel *channel, uint64_t timeout_ns, struct mr_cq **cq);

/**
 * Acknowledges n events of a queue: mr_cq_destroy() returns -EBUSY while some that
 * were taken are not. It may be called long after, for many at a time. From any
 * thread. Errors: -EINVAL, also more than were taken.
 */
MR_API int mr_cq_ack(struct mr_cq *cq, uint32_t n);

/**
 * To be called before a sleep on the descriptors of a device: a simulated device,
 * whose time stands still while its program works, then lets time go on until the
 * next interrupt, or the next call on the device. (Without it the simulator finds
 * out by itself, after a second, and the run need not repeat.) Returns 0, or 1
 * when something has come: then take it first, instead of the sleep. From any
 * thread. Errors: -EINVAL no device, or it has no channel and no descriptor; -EIO.
 */
MR_API int mr_device_sleep(struct mr_device *dev);

/* ----------------------------------------------------------- device event */

/** What has happened. Which fields hold, beside type. */
enum mr_event_type {
    MR_EVENT_PATH_DOWN = 1,    // conn, path, plane: a path has failed and is left [spec 6.2.8]
    MR_EVENT_PATH_UP = 2,      // conn, path, plane: a path that was left, or gave up, carries data again
    MR_EVENT_PLANE_DOWN = 3,   // conn, plane: no path of the connection on this plane works
    MR_EVENT_PLANE_UP = 4,     // conn, plane: one does again
    MR_EVENT_CONN_DEAD = 5,    // conn: no path works; its messages end with MR_ERR_RETRY. The next
                               // MR_EVENT_PATH_UP of it says that the peer answers again
    MR_EVENT_STREAM_ERROR = 6, // stream, status: a send ended the stream
    MR_EVENT_CQ_OVERFLOW = 7,  // cq: completions were lost; not with queues that this library fills
    MR_EVENT_LOST = 8,         // events before this one found no room: any may have happened
};

struct mr_event {
    uint32_t type;             // enum mr_event_type
    uint32_t path;             // of the connection
    struct mr_conn *conn;      // NULL where it does not hold, as below
    struct mr_stream *stream;
    struct mr_cq *cq;
    uint8_t plane;
    uint8_t status;            // MR_ERR_*
    uint8_t rsvd[6];           // 0
};

/**
 * A descriptor that is readable while the device has an event for mr_async_get(),
 * and sometimes when it has none, as that of a channel. It lives as long as the
 * device. Events are kept from the first call of this, of mr_async_get() or of
 * mr_channel_create() on, up to 256. From any thread.
 * Returns the descriptor. Errors as mr_channel_create().
 */
MR_API int mr_async_fd(struct mr_device *dev);

/**
 * Takes one event; waits up to timeout_ns of device time for it, 0 = not at all.
 * Returns 1 with the event in *event, and 0 when the time is over. Planes are told
 * of connections that have several. What an event names was there when it was
 * taken. Events of one connection come in their order. From any thread.
 * Errors as mr_channel_create().
 */
MR_API int mr_async_get(struct mr_device *dev, uint64_t timeout_ns, struct mr_event *event);

/** One word for an enum mr_event_type, like "path_down"; never NULL, static. From any thread. */
MR_API const char *mr_event_text(uint32_t type);

#ifdef __cplusplus
}
#endif

#endif
