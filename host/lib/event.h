// SPDX-License-Identifier: BSD-2-Clause
/*
 * event.h - what the library keeps of events. Everything under events->lock, which
 * is taken last of all locks; nothing of the device's objects is locked under it.
 */
#ifndef MRI_EVENT_H
#define MRI_EVENT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "metaroce.h"

static constexpr uint32_t mri_eq_log2 = 10;      // entries of the event queue
static constexpr uint32_t mri_async_max = 256;   // events that wait for mr_async_get()

struct mri_list {
    struct mri_list *next, *prev;
};

/** A descriptor that is readable while `up`, and while the device's interrupt is there. */
struct mri_gate {
    int own;  // eventfd; -1: there is none yet
    int ep;   // epoll over own and the interrupt
    bool up;
};

/** -ENOMEM: no descriptor. */
int mri_gate_open(struct mri_gate *g, int irq);
void mri_gate_close(struct mri_gate *g);
/** Under events->lock. Without effect on one that is not open. */
void mri_gate_set(struct mri_gate *g, bool up);

struct mr_channel {
    struct mri_list link;
    struct mr_device *dev;
    uint32_t users;         // queues
    struct mri_list ready;  // of mri_cq_events: queues with events that nobody took
    struct mri_gate gate;
};

/** What a completion queue has of it. */
struct mri_cq_events {
    struct mri_list link;  // in channel->ready
    struct mr_channel *channel;
    uint32_t pending;      // not taken
    uint32_t taken, acked;
    bool armed;
};

/** What a connection has of it. */
struct mri_conn_events {
    uint32_t paths;
    uint8_t planes;
    uint8_t plane[MR_PATHS_MAX];  // of each path
    uint8_t down[MR_PATHS_MAX];   // 1 = it was left, or gave up
    bool dead;
};

struct mri_events {
    pthread_mutex_t lock;
    bool open;
    int irq;                     // the back end's
    unsigned char *shared_ring;  // written by the device
    uint64_t bus_addr;
    uint32_t head;               // entries taken
    uint32_t told;               // head as the device knows it
    struct mri_list channels;
    // By index.
    struct mr_cq **cq;
    struct mr_conn **conn;
    struct mr_stream **stream;
    struct mri_gate gate;        // of mr_async_fd()
    struct mr_event queue[mri_async_max];
    uint32_t first, n;           // of queue
};

/* All of this but fire: under dev->lock. */

int mri_events_init(struct mr_device *dev);
/** Closes the queue and frees the channels, whose completion queues are gone. */
int mri_events_close(struct mr_device *dev);
void mri_events_fini(struct mr_device *dev);

/** An object is there, from now on. */
void mri_events_add_cq(struct mr_cq *cq);
void mri_events_add_conn(struct mr_conn *c);
void mri_events_add_stream(struct mr_stream *s);
/** It goes, and the device knows: its events too. */
void mri_events_del_cq(struct mr_cq *cq);
void mri_events_del_conn(struct mr_conn *c);
void mri_events_del_stream(struct mr_stream *s);
/** The paths of a connection are others, or on other planes. */
void mri_events_paths(struct mr_conn *c);

/** The library itself has something for this queue: an event, if it is armed. cq->lock. */
void mri_events_fire(struct mr_cq *cq);

#endif
