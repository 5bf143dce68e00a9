// SPDX-License-Identifier: BSD-2-Clause
/*
 * scen.h - scenarios: N NICs of any engine on sim/core.h, connections and
 * streams between them, faults on the way, and everything that can be seen from
 * outside checked while it happens:
 *
 *   memory       each byte of each message is placed exactly once, with the right
 *                value, and nothing else is touched
 *   completions  in stream order, one per signalled message, none too early
 *   wire         windows, numbers, timestamps, contents of retransmissions, and
 *                no retransmission of what the sender knows to have arrived
 *   counters     those of the NICs against what was seen of them
 *
 * A run follows from its configuration, bit by bit. What is found wrong is told
 * on stderr and counted; nothing here ends the process.
 */
#ifndef SCEN_H
#define SCEN_H

#include <stddef.h>
#include <stdint.h>

#include "core.h"

enum {
    SCEN_DEPTH_MAX = 64,  // messages outstanding per stream: what the device holds in flight
    SCEN_PATHS_MAX = 8,
    SCEN_ALL = UINT16_MAX,  // in an event: every NIC
};

#define SCEN_NS_NEVER UINT64_MAX

/** A connection and the work on each of its streams. */
struct scen_conn {
    uint16_t src;
    uint16_t dst;
    bool both;         // dst sends too, the same work
    bool ipv6;
    bool vlan;
    bool ragged;       // messages begin at any byte, else at multiples of 64
    uint8_t paths;     // 0: those of scen_cfg
    uint8_t planes;    // path i is on plane i % planes; 0: those of the link
    uint8_t silent;    // per cent of messages without a completion of their own, where another one follows
    uint16_t mtu;      // 0: 4096
    uint16_t streams;
    uint16_t depth;    // messages outstanding, 1 to SCEN_DEPTH_MAX
    uint16_t batch;    // posted and rung together when that many are free; 0: each at once
    uint32_t msgs;     // per stream; 0: until stop_ns
    uint32_t len_min;  // bytes of a message, evenly between the two
    uint32_t len_max;
};

enum scen_event_kind {
    SCEN_ROUTE_DOWN,  // lanes (nic to any, route) swallow everything
    SCEN_ROUTE_UP,
    SCEN_LOSS,        // the same lanes lose frames with probability p
    SCEN_PORT,        // a path of a connection gets a source port, and a plane, that take `route`, at the side nic
    SCEN_PLANE_DOWN,  // as SCEN_ROUTE_DOWN, all routes of `plane`
    SCEN_PLANE_UP,
};

struct scen_event {
    uint64_t ns;
    enum scen_event_kind kind;
    uint16_t nic;  // SCEN_ALL: every one
    uint16_t route;  // over all planes
    uint16_t plane;
    uint16_t conn;
    uint8_t path;
    double p;
};

struct scen_cfg {
    const char *name;
    const char *engine;  // "native", "rtl"
    uint64_t seed;
    struct sim_link_cfg link;  // of every lane; nics, routes and planes too, its seed is not used
    struct sim_mem_cfg mem;
    const char *const *lanes;  // changes to single lanes, as sim_lane_edit reads them
    uint32_t n_lanes;
    uint8_t paths;   // per connection
    bool scatter;    // table indices spread by the seed, and different at both ends
    uint32_t probe_min_ns;  // registers of the device; 0: as after reset
    uint32_t retry_max;
    uint32_t cwnd_init;
    const struct scen_conn *conns;
    uint32_t n_conns;
    const struct scen_event *events;  // in the order of time
    uint32_t n_events;
    uint64_t stop_ns;    // nothing is posted from then on
    bool cut;            // end at stop_ns as it stands, without waiting and final checks
    uint64_t hang_ns;    // nothing placed and nothing completed for so long: a violation, and the end
    uint64_t max_ns;     // the same for the whole run
    uint64_t know_ns;    // a retransmission may be chosen so long after the acknowledgment came
    uint64_t bucket_ns;  // of the samples
    uint32_t errors_ok;  // bit i: status i in a completion is no violation
    bool quiet;          // violations are counted only
    const char *pcap;    // null: none. With it there are no checks on the wire
};

struct scen_result {
    uint32_t violations;
    char first[200];     // of them, "" if none
    uint64_t end_ns;
    uint64_t messages;   // completed well
    uint64_t failed;     // with an error, or behind one
    uint32_t status;     // bit i: some completion had status i
    uint64_t bytes;      // placed
    uint64_t data;       // data packets at the senders' MACs, first transmissions
    uint64_t resent;
    uint64_t probes;
    uint64_t closes;
    uint64_t first_ack_ns;   // first acknowledgment that reached a sender; SCEN_NS_NEVER: none
    uint64_t first_byte_ns;  // first byte placed
    uint64_t marked;     // CE marks of the link
    uint64_t dropped;    // full queues: tail, in front of a lane's rate, FIFO of a MAC
    uint64_t lost;       // loss and holes
    uint64_t peak_queue; // bytes, over all ports
};

struct scen;

/**
 * Two native NICs, 4 routes, 100 Gbit/s, 2 us one way, no faults, 4 paths of
 * 4,096-byte payloads; no connection yet.
 */
struct scen_cfg scen_defaults(void);
/** One stream of 64 KiB Writes from NIC 0 to NIC 1, 16 at a time, until stop_ns. */
struct scen_conn scen_conn_defaults(void);

/** 0 or -errno, said on stderr. cfg and what it points to must outlive the scenario. */
int scen_new(const struct scen_cfg *cfg, struct scen **out);
/** Runs to the end. */
void scen_run(struct scen *s);
/** Runs until that time or the end; false: it has ended. */
bool scen_run_until(struct scen *s, uint64_t ns);
void scen_free(struct scen *s);

const struct scen_result *scen_result(struct scen *s);
struct sim *scen_sim(struct scen *s);
/** Time since the work began. */
uint64_t scen_now(const struct scen *s);
/** A device counter, MR_CNT_*: steps that NIC alone. */
uint32_t scen_count(struct scen *s, uint32_t nic, unsigned counter);

/* Samples: scen_stat.c. Times count from the begin of the work; those behind the end hold nothing. */

/** Payload bytes of a connection placed in [from, to): at dst, or with `back` at src. */
uint64_t scen_placed(const struct scen *s, uint32_t conn, bool back, uint64_t from, uint64_t to);
/** The same over all connections. */
uint64_t scen_placed_all(const struct scen *s, uint64_t from, uint64_t to);
/** Bytes on the wire, SIM_WIRE_EXTRA included, that a NIC's MAC sent. */
uint64_t scen_sent(const struct scen *s, uint32_t nic, uint64_t from, uint64_t to);
/** Payload bytes that came out of a route, over all NICs. */
uint64_t scen_routed(const struct scen *s, uint32_t route, uint64_t from, uint64_t to);
/** Completions without error. */
uint64_t scen_completed(const struct scen *s, uint64_t from, uint64_t to);
/** Jain's index of n values, 1: all the same. */
double scen_jain(const double *x, size_t n);

#endif
