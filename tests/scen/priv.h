// SPDX-License-Identifier: BSD-2-Clause
/*
 * priv.h - inside of the scenario library: who sends what to whom, and what the
 * parts tell each other.
 */
#ifndef SCEN_PRIV_H
#define SCEN_PRIV_H

#include <stdint.h>

#include "mr_defs.h"
#include "scen.h"

enum {
    PATHS = SCEN_PATHS_MAX,
    SQ_LOG2 = 6,
    SQ_BYTES = MR_WQE_BYTES << SQ_LOG2,
    CQ_LOG2 = 16,
    PSNS = MR_WIRE_WINDOW,
};
static_assert(1 << SQ_LOG2 == SCEN_DEPTH_MAX);

/** A message from its posting to its completion. */
struct msg {
    uint64_t key;    // its contents
    uint64_t *bits;  // bytes placed
    uint32_t number;
    uint32_t len;
    uint32_t placed;
    uint16_t from;   // first byte in its source slot, and in its target slot
    uint16_t to;
    uint16_t widx;   // slot in the send queue
    bool active;
    bool signaled;
};

/** What one side of a connection sends on one stream. */
struct stream {
    uint32_t nic;
    uint32_t peer_nic;
    uint32_t conn;
    bool back;        // dst to src
    uint16_t local;   // table index at nic
    uint16_t peer;    // at peer_nic
    bool failed;      // in error: nothing more is posted or expected
    bool ringing;     // waits for its doorbell
    uint32_t posted;  // messages
    uint32_t done;
    uint32_t sq;      // its queue at the NIC, number
    struct msg *msg;  // by number % depth
};

/** A sequence number as the wire showed it. */
struct wpkt {
    bool null;          // was sent as NULL
    uint64_t hash;      // of all that must not change
    uint64_t known_ps;  // when the sender could know that it arrived, 0: not
    uint32_t msg;
    uint32_t offset;
    uint32_t stream;    // index in scen.stream, UINT32_MAX: none (NULL)
    uint16_t len;
    bool arrived;       // at the receiver's MAC
    bool intact;        // the same, and undamaged
    bool acked;         // by an acknowledgment that left the receiver
};

/** One path in one direction, its current incarnation. Numbers are counted on beyond 24 bits. */
struct wpath {
    uint8_t epoch;
    bool ts_any;
    bool closed;        // CLOSED reached the sender
    bool rerouted;      // its source port changed: packets may overtake each other
    uint16_t sport;     // 0: nothing sent yet
    uint64_t close_ps;  // first CLOSE left, 0: none
    uint32_t next;
    uint32_t una;       // by intact acknowledgments that reached the sender
    uint32_t una_maybe; // by damaged ones too
    uint32_t base;      // of the acknowledgments that left the receiver
    uint32_t ts;
    struct wpkt pkt[PSNS];
};

/** A connection at both ends; [0]: at src, and what src sends. */
struct conn {
    struct scen_conn cfg;
    uint16_t index[2];
    uint16_t sport[2][PATHS];
    struct wpath *path[2][PATHS];  // made when first used
};

/** A sum per bucket of time. */
struct series {
    uint64_t *v;
    size_t n;
};

struct host {
    uint32_t nic;
    struct scen *s;
    uint8_t *sq;
    uint8_t *cq;
    uint32_t n_sq;
    uint64_t cqes;      // seen
    bool dirty;         // the completion queue was written
    uint32_t *by_conn;    // table index to connection and stream; UINT32_MAX: none
    uint32_t *by_stream;  // to the stream that this NIC sends on
    uint32_t *by_rx;      // to the stream that it receives on
    uint32_t conns;     // sizes of the tables
    uint32_t streams;
    uint32_t *ring;     // streams that wait for their doorbell
    uint32_t ring_n;
    uint32_t tbl[16];   // what TBL_DATA holds
    bool tbl_known;
    // seen
    uint64_t tx_frames;
    uint64_t tx_data;
    uint64_t tx_acks;
    uint64_t tx_probes;
    uint64_t tx_errors;
    uint64_t tx_closes;    // CLOSE and CLOSED
    uint64_t rx_ce;
    uint64_t rx_damaged;
    uint64_t placed;
    struct series sent;
};

struct scen {
    struct scen_cfg cfg;
    struct sim *sim;
    uint64_t t0;
    struct host host[SIM_NICS_MAX];
    struct conn *conn;
    struct stream *stream;
    uint32_t n_streams;
    unsigned slot_log2;   // bytes of a message's place in memory
    uint32_t next_event;
    uint32_t unfinished;  // streams
    uint64_t moved_ns;    // when something was last placed or completed
    bool ended;
    uint64_t needless;    // sent again though a copy was at the receiver's MAC
    struct scen_result r;
    struct series *placed;  // 2 per connection
    struct series *routed;  // per route
    struct series completed;
};

/** Something is wrong. */
void scen_wrong(struct scen *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* host.c */
/** Gives a NIC its memory; -ENOMEM, -ENOSPC. */
int host_open(struct scen *s, uint32_t nic);
void host_close(struct host *h);
/** Bus address of a message's slot as source, or as target. */
uint64_t host_bus(const struct scen *s, uint32_t stream, uint32_t slot, bool target);
/** The same address as keys and queue entries name it. */
uint64_t host_va(const struct scen *s, uint32_t stream, uint32_t slot, bool target);
/** Bus address of a host's send queue of that number, and of its completion queue. */
uint64_t host_sq_bus(uint32_t sq);
uint64_t host_cq_bus(void);
/** The bus writes into a host's memory; ctx is the struct host. */
int host_write(void *ctx, uint64_t addr, const void *buf, size_t len);
/** All of [offset, offset + len) was placed. */
bool host_has(const struct msg *m, uint32_t offset, uint32_t len);

/* work.c */
/** Posts what may be posted on a stream. */
void work_post(struct scen *s, uint32_t stream);
/** Takes new completions and rings doorbells. */
void work_poll(struct scen *s);
/** Streams that would post without end are at their end. */
void work_stop(struct scen *s);
/** Bytes of a message's contents from offset on. */
void work_byte(uint64_t key, uint32_t offset, uint8_t *to, size_t n);

/* wire.c */
/** A sim_tap: ctx is the struct scen. */
void wire_tap(void *ctx, enum sim_tap_at at, uint32_t nic, uint64_t ps, const uint8_t *f, size_t len);

/* sum.c */
/** Checks everything that must hold when nothing moves any more. */
void sum_check(struct scen *s);
/** Fills in what the link counted. */
void sum_link(struct scen *s);

/* stat.c */
/** Adds a value to the bucket of a time. */
void series_add(const struct scen *s, struct series *x, uint64_t ns, uint64_t value);

#endif
