// SPDX-License-Identifier: BSD-2-Clause
/*
 * internal.h - the objects of libmetaroce and who may touch what.
 *
 * Four kinds of lock, always taken in this order, and never two of one kind:
 *   device->lock  everything of the control path: lists, tables, counters
 *   cq->lock      the data path: the ring of the queue, the send queues of all
 *                 streams that complete to it, and the receiving side of all
 *                 streams whose receives do
 *   rq->lock      the ring of a receive queue, and the stream that has it
 *   events->lock  the event queue, channels, events that nobody took (event.h)
 * Waits for device time hold none of them.
 *
 * One lock for a completion queue and its streams, instead of one for each,
 * because a post must reserve room in the queue and a poll retires entries of
 * the streams: separate locks would be taken in pairs on every call. A receive
 * queue has its own, as it may complete to several queues; posting a receive
 * reserves nothing (the stream did when it was made), so it takes only this one.
 */
#ifndef MRI_INTERNAL_H
#define MRI_INTERNAL_H

#include "rows.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "bus/bus.h"
#include "event.h"
#include "metaroce.h"

static constexpr uint32_t mri_magic = 0x4d524f43;
static constexpr uint32_t mri_version_major = 1;
static constexpr uint32_t mri_ring_align = 4096;  // bytes
static constexpr uint32_t mri_group = 8;          // path entries in a group
static constexpr uint32_t mri_page_group = 8;     // pages in an entry of the page table

/** Numbers 0 to n - 1, each with a tag that changes with every use. */
struct mri_pool {
    uint32_t n, used, next;  // next: where the search for a free one begins
    struct mri_slot {
        uint8_t used, tag;
    } *slot;
};

/** Groups of entries, of which a connection or a region takes some in a row. */
struct mri_groups {
    uint32_t n;
    uint8_t *used;
};

struct mr_device {
    struct mr_bus *bus;
    char *uri;
    struct mr_caps caps;
    atomic_bool dead;  // the bus returned -EIO: nothing more is tried
    pthread_mutex_t lock;
    struct mri_list pds, mrs, cqs, rqs, conns, streams;
    struct mri_pool pd_pool, key_pool, cq_pool, rq_pool, conn_pool, stream_pool;
    struct mri_groups groups;
    struct mri_events events;
    struct mri_groups pages;  // of the page table, in entries of mri_page_group
    uint32_t page_next;       // where the search for free ones begins
    // By number. Who holds the lock of the queue that stream_cq or stream_rcq names may use stream_of.
    struct mr_stream **stream_of;
    atomic_uint_least32_t *stream_cq;   // 1 + index of the queue of its sends, 0 = no stream
    atomic_uint_least32_t *stream_rcq;  // 1 + index of the queue of its receives, 0 = has none
    uint64_t *counter;                    // extended beyond the device's 32 bits
    uint32_t *counter_raw;                // as they were read last
};

struct mr_pd {
    struct mri_list link;
    struct mr_device *dev;
    uint16_t number;
    uint32_t users;  // regions, receive queues and streams
};

struct mr_mr {
    struct mri_list link;
    struct mr_pd *pd;
    void *addr;
    size_t length;
    uint64_t bus_addr;        // of the first byte, as its key says: may be an indirect one
    uint64_t dma_addr;        // of the first byte, as the bus says
    uint32_t page, npage;     // entries of the page table, from `page` on; npage 0: none
    uint32_t key;
    bool window;  // no memory of its own
};

struct mr_mw {
    struct mr_mr mr;  // the key that it was made with
};

struct mr_cq {
    struct mri_list link;
    struct mr_device *dev;
    uint32_t index;
    uint32_t users;  // streams; twice one that sends and receives here
    struct mri_cq_events events;  // under events->lock
    pthread_mutex_t lock;
    // Under lock:
    unsigned char *shared_ring;  // written by the device
    uint64_t bus_addr;
    uint32_t log2;
    uint32_t head;      // entries taken since creation
    uint32_t told;      // head as the device knows it
    uint32_t reserved;  // places for completions that the device may still write
    bool bad;           // the next poll returns -EBADMSG
    struct mri_list flush;  // of struct mri_flush: what the library completes itself
    struct mri_list stop;   // streams that failed and are to be stopped in the device before they are flushed
};

struct mr_conn {
    struct mri_list link;
    struct mr_device *dev;
    struct mr_conn_attr attr;
    uint32_t number;
    uint32_t users;  // streams
    uint32_t group, ngroups;  // its groups of path entries
    struct mri_conn_events events;  // under events->lock
    // Under dev->lock:
    uint32_t paths;  // in use; 0 = not connected
    uint32_t written;  // paths whose entries the device has, or may have
    uint16_t sport[MR_PATHS_MAX];
    uint8_t plane[MR_PATHS_MAX];
};

/** What the library keeps of a posted entry. */
struct mri_shadow {
    uint64_t wr_id;
    uint32_t length;   // of a receive: what fits
    uint8_t opcode;
    uint8_t signaled;
    uint8_t done;      // of a shared queue's receive: completed, with an earlier one still out
};

struct mr_rq {
    struct mri_list link;
    struct mr_pd *pd;
    uint32_t index;
    uint32_t log2;
    uint32_t stride;  // log2 of the 64-byte slots per entry
    uint32_t max_sge;
    bool shared;
    uint32_t users;  // streams
    unsigned char *shared_ring;  // read by the device
    uint64_t bus_addr;
    pthread_mutex_t lock;
    // Under lock:
    struct mri_shadow *shadow;  // one for each entry
    uint32_t head;   // entries posted since the queue was last empty of streams
    uint32_t tail;   // of these, completed, with all before them
    bool has_stream, failed;  // of a queue that is not shared: its stream exists, is in error
};

enum mri_stream_state { MRI_STREAM_NEW, MRI_STREAM_READY, MRI_STREAM_ERROR };

/** One side of a stream that the library completes itself. */
struct mri_flush {
    struct mri_list link;  // in the completion queue's `flush`; empty: nothing to flush
    struct mr_stream *stream;
    bool recv;
    bool cut;        // the device was told to stop: no entry of it counts from `fence` on
    uint32_t fence;  // cq->head from which on this may be flushed
};

struct mr_stream {
    struct mri_list link;
    struct mri_list stop;  // in cq->stop
    struct mr_device *dev;
    struct mr_conn *conn;  // under dev->lock until the stream is connected; NULL = none yet
    struct mr_pd *pd;
    struct mr_cq *cq;
    struct mr_cq *rcq;  // may be cq
    struct mr_rq *rq;   // NULL = none
    uint32_t number;
    uint32_t log2;
    uint32_t stride;  // log2 of the 64-byte slots per entry
    uint32_t max_sge, max_inline;
    uint8_t rnr_max, weight;
    unsigned char *shared_sq;  // read by the device
    uint64_t bus_addr;
    bool in_device;  // under dev->lock: the device's table has it
    uint32_t peer;   // under dev->lock: the peer's number, once connected
    // Under cq->lock:
    struct mri_shadow *shadow;  // one for each entry
    uint32_t head;      // entries posted since creation
    uint32_t tail;      // entries retired
    uint32_t reserved;  // of cq->reserved, those of this stream's sends
    bool open_group;    // entries behind the last signalled one have a reserved place
    bool told_error;    // the device's error completion was taken: its last
    enum mri_stream_state state;
    struct mri_flush sends;
    // Under rcq->lock:
    bool receiving;  // the device may complete receives
    struct mri_flush receives;
};

/* device.c */

/** Notes an -EIO of the bus; returns rc. */
int mri_note(struct mr_device *dev, int rc);
int mri_reg_read(struct mr_device *dev, uint32_t off, uint32_t *value);
int mri_reg_write(struct mr_device *dev, uint32_t off, uint32_t value);

/* table.c: under dev->lock. `bytes` is a multiple of 4, at most 64. */

/** Waits until a device that was reset has freed its tables. 0, -ETIMEDOUT or a bus error. */
int mri_table_open(struct mr_device *dev);
int mri_table_write(struct mr_device *dev, uint32_t table, uint32_t index, const void *entry,
                    uint32_t bytes);
int mri_table_read(struct mr_device *dev, uint32_t table, uint32_t index, void *entry,
                   uint32_t bytes);

/* pool.c: under dev->lock. */

/** All tags begin at first_tag. */
int mri_pool_init(struct mri_pool *p, uint32_t n, uint8_t first_tag);
void mri_pool_free(struct mri_pool *p);
/** Takes a number and changes its tag; -ENOSPC. Numbers come back as late as possible. */
int mri_pool_take(struct mri_pool *p, uint32_t *index);
/** Takes this one, below n, with this tag; -EBUSY. */
int mri_pool_take_at(struct mri_pool *p, uint32_t index, uint8_t tag);
void mri_pool_give(struct mri_pool *p, uint32_t index);

/** Groups 0 to n - 1, all free. */
int mri_groups_init(struct mri_groups *g, uint32_t n);
void mri_groups_free(struct mri_groups *g);
/** Takes the first n free ones in a row, from `from` on; -ENOSPC. */
int mri_groups_take(struct mri_groups *g, uint32_t n, uint32_t from, uint32_t *first);
void mri_groups_give(struct mri_groups *g, uint32_t first, uint32_t n);

/** Groups that so many paths take. */
static inline uint32_t mri_groups_of(uint32_t paths)
{
    return (paths + mri_group - 1) / mri_group;
}

void mri_list_init(struct mri_list *l);
bool mri_list_empty(const struct mri_list *l);
void mri_list_add(struct mri_list *to, struct mri_list *l);  // at the end
void mri_list_del(struct mri_list *l);                       // empty afterwards

#define mri_container(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

/* pages.c: under dev->lock. */

/**
 * Maps a region's memory: sets its bus addresses, and writes page table entries if it
 * lies in pieces. -ENOSPC, -ENOMEM, or an error of the device; then nothing is left.
 */
int mri_region_map(struct mr_mr *mr);
/** Undoes it; its key must have gone. Errors of the device; the memory is unmapped all the same. */
int mri_region_unmap(struct mr_mr *mr);

/* Each object's file: frees without asking whether it is in use. Under dev->lock. */

int mri_stream_free(struct mr_stream *s);
int mri_conn_free(struct mr_conn *c);
int mri_cq_free(struct mr_cq *cq);
int mri_rq_free(struct mr_rq *rq);
int mri_mr_free(struct mr_mr *mr);
void mri_pd_free(struct mr_pd *pd);

/* path.c: under dev->lock */

/** Writes the entry of a path; state is MR_PATHST_*. */
int mri_path_write(struct mr_conn *c, uint32_t path, uint8_t state);

/* cq.c: under cq->lock */

/** Tells the device how far the queue was read. */
int mri_cq_tell(struct mr_cq *cq);
/** How many completions may be outstanding at most. */
uint32_t mri_cq_limit(const struct mr_cq *cq);
/** Is there room for `need` more completions? Sees to it that the device knows. 0, -ENOSPC, -EIO. */
int mri_cq_room(struct mr_cq *cq, uint32_t need);
/** Entries that the device has written and nobody has taken. */
uint32_t mri_cq_present(const struct mr_cq *cq);
/** Entry i of these, from 0. */
struct mr_cqe mri_cq_entry(const struct mr_cq *cq, uint32_t i);

/* complete.c: under cq->lock */

/** What became of a device entry. */
enum mri_taken { MRI_TAKEN, MRI_SENSELESS, MRI_LATE };

/** Turns the entry in front of cq->head into a completion. LATE: the stream was stopped; none. */
enum mri_taken mri_take(struct mr_cq *cq, const struct mr_cqe *e, struct mr_wc *wc);
/** Makes up to n completions of what is to be flushed; returns how many. */
int mri_take_flushed(struct mr_cq *cq, struct mr_wc *wc, int n);
/** Would that be one at least? */
bool mri_flushable(struct mr_cq *cq);
/** What is not completed of this side will be flushed, behind the entries that are there. */
void mri_flush_begin(struct mr_cq *cq, struct mri_flush *f);

/* stream.c */

/** Stops the streams in cq->stop in the device and has them flushed. No lock may be held. */
void mri_stream_stop_all(struct mr_cq *cq);

/* rq.c */

/** Takes the receive that a device entry names off the queue; false if it can name none. rq->lock. */
bool mri_rq_retire(struct mr_rq *rq, const struct mr_cqe *e, struct mri_shadow *out);
/** Gives a queue to a stream; -EBUSY. dev->lock. */
int mri_rq_attach(struct mr_rq *rq);
/** Takes it back; a queue that is not shared is empty and new afterwards. dev->lock. */
int mri_rq_detach(struct mr_rq *rq);

/* post.c */

/** Bytes of a list of ranges; -EINVAL, -EMSGSIZE. need_addr: none may be NULL. */
int mri_sges_check(const struct mr_sge *sge, uint32_t n, uint32_t max, bool need_addr,
                   uint32_t *length);

/** Memory that the device uses, zeroed, aligned and mapped. */
int mri_ring_alloc(struct mr_device *dev, size_t bytes, void **ring, uint64_t *bus_addr);
int mri_ring_free(struct mr_device *dev, size_t bytes, void *ring, uint64_t bus_addr);

/** Smallest l with 2^l >= n, n from 1. */
static inline uint32_t mri_log2_up(uint32_t n)
{
    return n <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(n - 1);
}

/** The first error of a chain of steps that all have to be tried. */
static inline int mri_first(int a, int b)
{
    return a ? a : b;
}

#endif
