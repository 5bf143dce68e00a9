// SPDX-License-Identifier: BSD-2-Clause
/*
 * front.h - the verbs front: libibverbs' calls, made of libmetaroce's.
 *
 * Every object starts with libibverbs' own struct, which programs look into, so
 * a pointer to one is a pointer to the other. The process has one device, which
 * all of its contexts share. [ibv_*(3)]
 *
 * Locks, in this order: front.lock (device, peers, queue pairs by number), the
 * queue pair's (state; list of ibv_wr_*), the completion queue's (what was taken
 * from the device and not by the program), the channel's. The library has its own
 * below all of them.
 */
#ifndef FRONT_H
#define FRONT_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>

#include "metaroce.h"

// The header has macros in front of functions that are defined here.
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port

#define FRONT_API __attribute__((visibility("default")))

static constexpr unsigned front_slots = 64;       // peers, by NIC number modulo this
static constexpr unsigned front_batch = 16;       // entries posted or polled at a time
static constexpr uint8_t front_rnr_forever = 255;

/** Which NIC of the network a URI names. */
struct front_nic {
    unsigned number;  // from 0: MAC 02:00:00:00:00:(number + 1), IP 10.0.0.(number + 1)
    bool simulated;   // its time stands still while nobody waits
};

/** A peer: the connection to one opening of one NIC. */
struct front_peer {
    union ibv_gid gid;
    struct mr_conn *conn;  // NULL: the slot is free
    unsigned users;        // queue pairs
};

struct front {
    pthread_mutex_t lock;
    unsigned users;          // contexts; what follows is valid from 1 on
    struct mr_device *dev;
    struct front_nic nic;
    struct mr_caps caps;
    union ibv_gid gid;
    struct front_peer peer[front_slots];
    // By number. Who holds the lock of one of its completion queues may use it.
    _Atomic(struct front_qp *) *qp;
    pthread_t pace;          // lets simulated time pass while the program does something else
    atomic_bool stop;
    atomic_uint calls;       // into the device; counts up
};

struct front_pd {
    struct ibv_pd pd;
    struct mr_pd *mr;
};

struct front_mr {
    struct ibv_mr mr;
    struct mr_mr *region;
};

/** A completion, and what struct ibv_wc has no place for. */
struct front_wc {
    struct ibv_wc wc;
    uint64_t time;  // device clock, cycles
    bool solicited; // raises a solicited event
};

/** Completions that were taken from the device and not by the program. */
struct front_wcs {
    struct front_wc *wc;
    unsigned n, room;
};

struct front_channel {
    struct ibv_comp_channel ch;  // fd: an eventfd that counts the events
    pthread_mutex_t lock;
    struct front_cq *first;      // queues with an event that nobody took
};

struct front_cq {
    union {
        struct ibv_cq cq;
        struct ibv_cq_ex ex;
    };
    struct mr_cq *queue;
    pthread_mutex_t lock;
    struct front_wcs before, after;  // in front of what the device has, and behind it
    unsigned vain;                   // polls in a row that found nothing
    struct front_wc now;             // of the start_poll() interface
    // With a channel: a thread that waits for the device while the queue is armed.
    pthread_t watcher;
    pthread_cond_t armed_cond;
    bool armed, solicited, stop;
    bool news;  // what it is armed for has come since
    // Under the channel's lock:
    struct front_cq *next;           // in the channel's list
    bool queued;
    unsigned delivered;              // events that ibv_get_cq_event() gave
};

struct front_srq {
    struct ibv_srq srq;
    struct mr_rq *rq;
    struct ibv_srq_attr attr;
};

struct front_ah {
    struct ibv_ah ah;
    struct ibv_ah_attr attr;
};

/** What is between ibv_wr_start() and ibv_wr_complete(). */
struct front_build {
    struct mr_send_wr *wr;
    struct mr_sge *sge;   // max_sge for each
    uint8_t *bytes;       // max_inline for each
    unsigned n, room;
    int err;              // of the first call that could not be done
};

struct front_qp {
    struct ibv_qp_ex ex;  // ex.qp_base is what the program has
    bool extended;        // made with ibv_wr_*
    atomic_bool failed;   // a send ended in error: the state is IBV_QPS_ERR
    pthread_mutex_t lock;
    struct mr_stream *stream;
    struct mr_rq *rq;      // its own; NULL with a shared queue
    struct front_peer *peer;
    struct ibv_qp_cap cap;
    struct ibv_qp_attr attr;  // as the program set it
    bool sig_all;
    struct front_build build;
};

extern struct front front;

/* device.c */

/** Which NIC $MR_DEVICE names; false: none that the front can use. */
bool front_nic_of(const char *uri, struct front_nic *nic);
/** The address that a NIC has on the network. */
void front_mac_of(unsigned nic, uint8_t mac[6]);
/** 0 or a positive errno for a return value of the library. */
int front_errno(int rc);
/** Notes a call into the device. */
static inline void front_called(void)
{
    atomic_fetch_add_explicit(&front.calls, 1, memory_order_relaxed);
}

/* peer.c: under front.lock */

/** The GID of this opening of a NIC. */
union ibv_gid front_gid(unsigned nic, unsigned paths, uint64_t nonce);
/** The NIC that a GID names; false: it is not one of these GIDs. */
bool front_gid_nic(const union ibv_gid *gid, unsigned *nic);
/** Finds or opens the connection to the NIC with that GID, for one more queue pair. 0 or -errno. */
int front_peer_take(const union ibv_gid *gid, struct front_peer **peer);
void front_peer_give(struct front_peer *peer);
/** All peers' connections are gone with the device. */
void front_peers_forget(void);

/* cq.c */

int front_cq_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int front_cq_arm(struct ibv_cq *cq, int solicited_only);
/** Under cq->lock: takes what the device has. */
void front_cq_fetch(struct front_cq *cq);
/** Takes what the device has, and drops what is queue pair qpn's. */
void front_cq_drop(struct front_cq *cq, uint32_t qpn);
/** Completes an entry in error, behind all that the device has. False: no memory. */
bool front_cq_flush(struct front_cq *cq, uint32_t qpn, uint64_t wr_id, bool recv);
struct ibv_cq_ex *front_cq_create_ex(struct ibv_context *ctx, struct ibv_cq_init_attr_ex *attr);

/* wc.c */

/** Makes a completion of the library one of libibverbs. */
struct front_wc front_wc_of(const struct mr_wc *from);

/* event.c */

/** Starts and ends what watches a queue that has a channel. */
int front_watch_begin(struct front_cq *cq);
void front_watch_end(struct front_cq *cq);

/* qp.c */

struct ibv_qp *front_qp_create(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, uint64_t ops);
struct ibv_qp *front_qp_create_ex(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr);

/* state.c */

/** Is this change of attributes one that ibv_modify_qp(3) allows? 0 or EINVAL. */
int front_state_check(const struct front_qp *qp, const struct ibv_qp_attr *attr, int mask,
                      enum ibv_qp_state *next);

/* post.c */

int front_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int front_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int front_post_srq(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
/** Posts n operations of a queue pair; *posted is how many went. 0 or an errno. */
int front_post(struct front_qp *qp, const struct mr_send_wr *wr, unsigned n, unsigned *posted);

/* build.c */

/** Sets the ibv_wr_*() functions up. False: no memory. */
bool front_build_open(struct front_qp *qp, uint64_t ops);
void front_build_close(struct front_qp *qp);

#endif
