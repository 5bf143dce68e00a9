// SPDX-License-Identifier: BSD-2-Clause
/*
 * metaroce.h - the programming interface of a MetaRoCE NIC.
 *
 * Objects, and what each one is made from:
 *
 *     device -+- protection domain -+- memory region
 *             |                     +- receive queue
 *             +- completion queue
 *             +- event channel, of completion queues
 *             +- connection (one peer, many paths) --- stream (ordered)
 *
 * Calls return 0 (or a count) on success and -errno on failure; mr_strerror()
 * has a text for every one. A call that fails has changed nothing, unless its
 * comment says otherwise. No call prints, aborts or waits without a limit.
 *
 * Threads: all calls on objects of one device may be made from several threads
 * at the same time, with two exceptions: an object must not be used during or
 * after the call that destroys it, and mr_device_close() must be the only call
 * on its device. Calls on two streams that share a completion queue exclude
 * each other shortly; give threads their own queues where that matters.
 *
 * A handle becomes invalid by its destroy call or by mr_device_close().
 * An object that others depend on is not destroyed: -EBUSY.
 *
 * The numbers MR_OP_*, MR_ERR_*, MR_RIGHT_*, MR_POLICY_*, MR_TBL_* come from metaroce_codes.h, which
 * is printed from defs/codes.def. [spec 3] has their meaning on the wire.
 */
#ifndef METAROCE_H
#define METAROCE_H

#include <stddef.h>
#include <stdint.h>

#include "metaroce_codes.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface. The major number changes when programs must. */
#define METAROCE_VERSION_MAJOR 0
#define METAROCE_VERSION_MINOR 1

#define MR_API __attribute__((visibility("default")))

/** Largest number of bytes in one message. */
#define MR_LENGTH_MAX 0x80000000u
/** Largest number of paths of one connection that this interface can express. */
#define MR_PATHS_MAX 128
/** Paths of a connection that asks for no number, if the device has as many. */
#define MR_PATHS_DEFAULT 8
/** Buckets of a path's histogram. */
#define MR_HIST_BUCKETS 16
/** Largest depth of a stream's send queue, entries. */
#define MR_DEPTH_MAX 32768
/** Largest depth of a receive queue, entries. */
#define MR_RQ_DEPTH_MAX 32768
/** Largest number of ranges of memory in one send or receive. */
#define MR_SGES_MAX 16
/** Largest number of bytes that can stand in a send queue entry itself. */
#define MR_INLINE_MAX 448
/** Largest number of completions in one completion queue. */
#define MR_CQ_ENTRIES_MAX 65536
/** Stream numbers that one mr_conn_addr can carry. */
#define MR_ADDR_STREAMS 32

struct mr_device;
struct mr_pd;
struct mr_mr;
struct mr_cq;
struct mr_rq;
struct mr_conn;
struct mr_stream;

/* ------------------------------------------------------------------ texts */

/**
 * Text for a return value of this library: 0, a negative errno or a positive
 * one. Never NULL, never empty, static, in English. Safe from any thread.
 */
MR_API const char *mr_strerror(int err);

/**
 * Text for a completion's status, MR_ERR_*: what happened and what was and was
 * not done. Never NULL, never empty, static. Safe from any thread.
 */
MR_API const char *mr_status_text(uint8_t status);

/** Name of an operation, MR_OP_*. Never NULL, static. Safe from any thread. */
MR_API const char *mr_opcode_text(uint8_t opcode);

/* ----------------------------------------------------------------- device */

/** What a device can do. */
struct mr_caps {
    uint32_t version;      // of the device interface: major in the upper half, minor in the lower
    uint32_t layout_hash;  // equals the library's, else mr_device_open() fails
    uint32_t conns;        // connections
    uint32_t paths;        // paths per connection, at most MR_PATHS_MAX
    uint32_t streams;      // streams over all connections
    uint32_t keys;         // memory regions (and, later, windows)
    uint32_t cqs;          // completion queues
    uint32_t msgs;         // messages in flight per stream; more may be posted, the device takes them in turn
    uint32_t clock_khz;    // device clock
    uint32_t sq_depth_max; // entries of a send queue
    uint32_t cq_max;       // entries of a completion queue
    uint32_t planes;       // network planes per connection, 1 to 8
    uint32_t length_max;   // bytes of one message
    uint32_t groups;       // groups of 8 paths over all connections; (n + 7) / 8 in a row for n paths
    uint32_t rqs;          // receive queues; 0 = the device has Writes only
    uint32_t rq_depth_max; // entries of a receive queue
    uint32_t sges;         // ranges of memory in one send or receive, 1 to MR_SGES_MAX
    uint32_t inline_max;   // bytes that can stand in an entry itself
    uint32_t requests;     // Reads and atomics in flight per stream; more may be posted, as with msgs
    uint32_t recvs;        // receives per queue that the device looks at ahead: messages that may wait
                           // for earlier ones; more may be posted
    uint32_t pages;        // pages, of 4 KiB to 1 GiB, of all regions that are not contiguous on the bus;
                           // a region takes a multiple of 8
    uint32_t rsvd[3];      // 0
};

/**
 * Opens a device.
 *
 * uri names the back end and the device behind it:
 *
 *     sim:[PATH][?nic=N][&wait=S]  a simulated NIC; PATH is mrsim's socket,
 *                            default $MR_SIM, else build/sim.sock; nic: any
 *                            that is free; wait: most seconds of real time
 *                            that a wait for simulated time may take, 120
 *     sim:[PATH]?watch=1[&nic=N]   the same, to look at: NIC N (0), which
 *                            another program may have and does not notice;
 *                            what would change it fails with -EPERM
 *     soft:N?dir=DIR...      the software NIC in a thread of this process;
 *                            host/README.md has its options
 *
 * A NULL uri stands for $MR_DEVICE, else "sim:". The device belongs to this
 * process until it is closed; it is not to be used across fork().
 *
 * On success *dev is the device. Errors: -EINVAL malformed uri; -ENOTSUP no
 * such back end; -ENODEV nobody there, or nothing that is this NIC; -EBUSY the
 * device belongs to somebody else; -EPROTO the device's interface version or
 * the layout of its entries is not this library's; -EIO it stopped answering;
 * -ENOMEM. A device that is silent makes it fail within 5 seconds.
 */
MR_API int mr_device_open(const char *uri, struct mr_device **dev);

/**
 * Closes a device and frees every object that still lives on it, in the right
 * order: streams, connections, receive and completion queues, channels, regions, domains. Their
 * handles become invalid. Nothing is written into this process's memory by the
 * device after the call. Must be the only call on the device. NULL is taken.
 * Returns 0, or -EIO when the device did not answer; it is closed all the same.
 */
MR_API int mr_device_close(struct mr_device *dev);

/** Fills *caps. Errors: -EINVAL. */
MR_API int mr_device_query(struct mr_device *dev, struct mr_caps *caps);

/** The URI that the device was opened with. Lives as long as the device. */
MR_API const char *mr_device_uri(const struct mr_device *dev);

/**
 * Device time in nanoseconds, from a zero point of the device's own choice.
 * It is simulated time with `sim:`. Errors: -EINVAL, -EIO.
 */
MR_API int mr_device_time(struct mr_device *dev, uint64_t *ns);

/**
 * Statistics of the back end itself (not of the NIC) as a JSON text, which
 * goes into buf with a final 0. Returns its length without the final 0; when
 * that is size or more, the text was cut. Errors: -EINVAL; -ENOTSUP the back
 * end has none; -EIO.
 */
MR_API int mr_device_stats(struct mr_device *dev, char *buf, size_t size);

/** What of a device can be set; see mr_device_tune(). */
enum mr_tunable {
    MR_TUNE_LINK_MBPS = 0,     // rate of the inbound link, Mbit/s, 0 to 1,048,575: what rate hints share out;
                               // 0 = no hints [spec 8.4]
    MR_TUNE_POLICY = 1,        // path choice, MR_POLICY_LEAST or MR_POLICY_TURN [spec 8.3]
    MR_TUNE_PROBE_MIN_NS = 2,  // shortest time without progress before a path is probed, ns of device time,
                               // 1,000 to 15,625,000, rounded up to device cycles [spec 6.2.5]
    MR_TUNE_FAIL_MIN = 3,      // unanswered probes in a row after which a path is left while others work,
                               // 1 to 250 [spec 6.2.8]
    MR_TUNE_RETRY_MAX = 4,     // unanswered probes in a row after which messages end with MR_ERR_RETRY,
                               // 1 to 250 [spec 6.2.8]
    MR_TUNE_CWND_INIT = 5,     // first window of a path, packets, 1 to 256; more than 16 is more than
                               // [spec 8.1.2] allows
    MR_TUNE_WND_INIT = 6,      // first window of a connection, packets, 1 to 32,768; not below its paths
                               // [spec 8.1.3]
    MR_TUNE_SEED = 7,          // seed of the source ports that failed paths draw, 32 bits [spec 6.4.1]
};

/**
 * Sets a tunable of the device, for all connections. The first windows hold for
 * what is connected after the call, all others at once. They stay as they are
 * set until the device is reset; then they have the values of the profile
 * [spec 12], or those that the back end needs (host/README.md). From any thread.
 *
 * Errors, with nothing changed: -EINVAL no device or no such tunable; -ERANGE
 * value outside the range that stands there; -EIO.
 */
MR_API int mr_device_tune(struct mr_device *dev, enum mr_tunable which, uint64_t value);

/**
 * Reads a tunable into *value, in the same unit. From any thread.
 * Errors: -EINVAL no device, no place, or no such tunable; -EIO.
 */
MR_API int mr_device_tunable(struct mr_device *dev, enum mr_tunable which, uint64_t *value);

/**
 * Short name of a tunable, like "link_mbps"; "" for a number that is none, so
 * that counting up from 0 finds all. Never NULL, static. From any thread.
 */
MR_API const char *mr_tunable_name(uint32_t which);

/* ------------------------------------------- protection domain and memory */

/**
 * Makes a protection domain: a stream reaches regions of its own domain only.
 * Errors: -EINVAL, -ENOMEM, -ENOSPC (65,535 domains).
 */
MR_API int mr_pd_create(struct mr_device *dev, struct mr_pd **pd);

/** Destroys a domain. -EBUSY while it has regions, receive queues or streams. NULL is taken. */
MR_API int mr_pd_destroy(struct mr_pd *pd);

/**
 * Registers length bytes at addr (any alignment, length from 1) for access by
 * the device. rights is an or of MR_RIGHT_*, not 0. The memory must stay
 * mapped, and not be moved, until mr_mr_dereg(). It need not be contiguous on
 * the device's bus: then the region takes pages of the device's page table, of
 * the largest size that its pieces allow.
 *
 * Errors: -EINVAL bad argument, unknown right, or a range that wraps; -ENOSPC
 * no key is free, too few pages in a row are (caps.pages), or the back end
 * cannot map more ranges; -ENOMEM; -EIO; -ETIMEDOUT.
 */
MR_API int mr_mr_reg(struct mr_pd *pd, void *addr, size_t length, uint32_t rights,
                     struct mr_mr **mr);

/**
 * Ends a registration: from its return on the device neither reads nor writes
 * the memory under this region's keys, and late packets that carry them are
 * refused [spec 7.8.2]. Entries in flight that use it complete in error. NULL is
 * taken.
 * Errors: -EIO and -ETIMEDOUT; the region is gone all the same.
 */
MR_API int mr_mr_dereg(struct mr_mr *mr);

/**
 * The key for own operations (mr_sge.key, mr_write.lkey), and the one to give to
 * the peer (mr_send_wr.rkey, mr_write.rkey). Never 0. A key is an index in its upper 24 bits and a tag
 * below that changes with every use of the index. From any thread.
 */
MR_API uint32_t mr_mr_lkey(const struct mr_mr *mr);
MR_API uint32_t mr_mr_rkey(const struct mr_mr *mr);

/* ------------------------------------------------------- completion queue */

/**
 * Makes a completion queue of at least `entries` (1 to caps.cq_max) entries.
 * It never overflows: a post of a send refuses what would not fit, and a stream
 * with a receive queue keeps places for its receives from its creation on.
 * Errors: -EINVAL, -ENOMEM, -ENOSPC no queue is free, -EIO, -ETIMEDOUT.
 */
MR_API int mr_cq_create(struct mr_device *dev, uint32_t entries, struct mr_cq **cq);

/** Destroys a completion queue. -EBUSY while streams use it, or events are not acknowledged (mr_cq_ack()). NULL is taken. */
MR_API int mr_cq_destroy(struct mr_cq *cq);

enum mr_wc_flags {
    MR_WC_RECV = 0x01,       // completion of a receive
    MR_WC_IMM = 0x02,        // imm is valid; with MR_OP_SEND_INV see there
    MR_WC_SOLICITED = 0x04,  // the peer posted with MR_POST_SOLICITED [spec 7.5.6]
};

/** One completion. */
struct mr_wc {
    uint64_t wr_id;            // of the post
    struct mr_stream *stream;  // that it was posted on; of a receive: that the message came on
    struct mr_rq *rq;          // of a receive: the queue that it was posted to; else NULL
    uint32_t stream_num;       // the stream's number
    uint32_t byte_len;         // bytes of the message; of a receive with MR_ERR_FLUSH: 0
    uint8_t status;            // MR_ERR_*; MR_ERR_OK = success
    uint8_t opcode;            // MR_OP_* as posted; of a receive: as the peer posted it, MR_OP_SEND,
                               // SEND_IMM, SEND_INV or WRITE_IMM; with MR_ERR_FLUSH MR_OP_SEND
    uint16_t flags;            // MR_WC_*
    uint32_t imm;              // of a receive: immediate data, with MR_WC_IMM; with MR_OP_SEND_INV the key
                               // that the peer asked to invalidate; else 0
    uint64_t time;             // device clock, cycles; 0 with MR_ERR_FLUSH
    uint32_t msg;              // message number in the stream; 0 with MR_ERR_FLUSH
    uint32_t rsvd;             // 0
};

/**
 * Takes up to n completions; returns how many, 0 if none is there.
 *
 * Completions of one stream's sends come in the order of its posts. An entry
 * posted without MR_POST_SIGNALED has none when it succeeds; it is retired, i.e.
 * its place in the queue and its memory are the program's again, by the next
 * signalled one. Each receive has a completion: in the order of the posts with a
 * queue of one stream, in any order with a shared one. Sends and receives of a
 * stream have no order among each other.
 *
 * A successful Write is in the peer's memory [spec 5.3.4, 7.1.8]: a word to the
 * peer by any other means finds the bytes in place. So is a Send's payload; the
 * peer's receive may complete later. With the completion of a receive, all bytes
 * of its message and of earlier messages of the stream are in memory [spec 7.1.7].
 * After a successful Read or atomic, its result is in the local memory.
 *
 * A receive that took an MR_OP_WRITE_IMM: its memory was not touched, byte_len is
 * what was written elsewhere [spec 7.4.1]. A receive of an MR_OP_SEND_INV with
 * MR_ERR_REMOTE_KEY: the payload is there, the key was not one that the peer may
 * invalidate [spec 7.5.5]. A receive's status does not end the stream.
 *
 * When a send fails, exactly one completion tells why (signalled or not).
 * Every later entry of that stream then completes with MR_ERR_FLUSH, in order,
 * signalled or not, and what they would have done was or was not done is
 * unknown; earlier ones completed before. So do the receives of its queue that
 * are not completed, with MR_WC_RECV, if the queue is not shared; of a shared
 * one only those that messages of the stream had taken. The stream
 * takes no further posts: -EPIPE. Other streams are not touched. A stream with a
 * receive queue is closed for the peer too from then on, and this call may take
 * as long as a change of the device's tables.
 *
 * A poll of an empty queue lets a simulated device run for up to 1 us of its
 * time, so that a plain polling loop works on every back end.
 *
 * Errors: -EINVAL; -EIO the device stopped answering; -EBADMSG the device
 * wrote an entry that makes no sense, which was skipped. Completions that were
 * taken before the error are never lost: the error comes with the next call.
 */
MR_API int mr_cq_poll(struct mr_cq *cq, struct mr_wc *wc, int n);

/**
 * Waits until mr_cq_poll() has something to give, at most timeout_ns of device
 * time. Returns 1 when it has, 0 when the time is over. Several threads may
 * wait; all are woken. Errors: -EINVAL, -EIO.
 */
MR_API int mr_cq_wait(struct mr_cq *cq, uint64_t timeout_ns);

/* ------------------------------------------------------------- connection */

/** An IP address, first byte on the wire first. */
struct mr_ip {
    uint8_t family;    // 4 or 6
    uint8_t rsvd[3];   // 0
    uint8_t addr[16];  // IPv4 in the first four
};

enum mr_conn_flags {
    MR_CONN_VLAN = 0x01,      // frames carry vlan
    MR_CONN_NEXT_HOP = 0x02,  // frames go to next_hop instead of the peer's own MAC address
    MR_CONN_SPORTS = 0x04,    // sport[] is given
    MR_CONN_PLANES = 0x08,    // plane[] is given
    MR_CONN_NUMBER = 0x10,    // number is given
};

/**
 * How a connection is to be. Start from zeroes: 0 asks for the default.
 *
 * Planes [spec 2.7.2]: mac, next_hop and ip are those of plane 0. On plane k the
 * low three bits of byte plane_at of both IP addresses are k, and the last byte
 * of both MAC addresses differs by an exclusive or with k. So with planes > 1
 * those three bits of both ends' IP addresses must be 0, and so must the low
 * bits of the MAC addresses (own, next hop's, the peer's) that the numbers 1 to
 * planes - 1 reach: then no plane's address is another endpoint's.
 */
struct mr_conn_attr {
    uint32_t flags;                // MR_CONN_*
    uint8_t mac[6];                // own MAC address
    uint8_t next_hop[6];           // router's MAC address, with MR_CONN_NEXT_HOP
    struct mr_ip ip;               // own IP address
    uint16_t vlan;                 // tag control information, with MR_CONN_VLAN
    uint16_t mtu;                  // payload bytes per packet: 256, 512, 1024, 2048 or 4096, the default
    uint8_t paths;                 // 1 to caps.paths; default MR_PATHS_DEFAULT, at most caps.paths
    uint8_t tos;                   // DSCP in the upper six bits; the lower two must be 0
    uint8_t ttl;                   // time to live, hop limit; default 64
    uint8_t weight;                // the peer's share of this side's inbound link, relative to other
                                   // connections', 1 to 255; default 1 [spec 8.4.3]
    uint8_t planes;                // planes that it runs on, 1 to caps.planes; default 1
    uint8_t plane_at;              // with planes > 1: byte of the IP addresses, counted from the last, into
                                   // whose low three bits a plane's number goes: 0 to 3 (IPv4) or 15
    uint16_t sport[MR_PATHS_MAX];  // UDP source port of each path, not 0, with MR_CONN_SPORTS
    uint8_t plane[MR_PATHS_MAX];   // plane of each path, 0 to planes - 1, with MR_CONN_PLANES; default: path
                                   // i runs on plane i % planes
    uint64_t seed;                 // default source ports: spread by this seed and the connection's index
    uint32_t number;               // own connection number, with MR_CONN_NUMBER: index, below caps.conns, in
                                   // the low 16 bits, generation in the next 8; 0 above
    uint32_t rsvd32;               // 0
    uint64_t rsvd[3];              // 0
};

/**
 * What one side tells the other to be connected, as it stands in memory: the
 * program carries these bytes to its peer by any means it has. Integers are
 * little-endian. It grows into rsvd; `version` tells.
 */
struct mr_conn_addr {
    uint32_t magic;                    // MR_ADDR_MAGIC
    uint16_t version;                  // 1
    uint16_t mtu;                      // payload bytes per packet that this side takes
    uint32_t conn;                     // connection number that this side receives under
    uint8_t mac[6];                    // this side's MAC address
    uint8_t paths;                     // paths that this side can use
    uint8_t nstreams;                  // valid entries of stream[]
    struct mr_ip ip;                   // this side's IP address
    uint32_t stream[MR_ADDR_STREAMS];  // numbers of this side's streams, in the order of their creation
    uint8_t planes;                    // planes of the connection; 0 = 1
    uint8_t plane_at;                  // as in mr_conn_attr
    uint8_t rsvd[86];                  // 0
};
#define MR_ADDR_MAGIC 0x4143524du /* "MRCA" */

/**
 * Makes one end of a connection: takes a local number and room for its paths,
 * does not yet talk to anyone.
 *
 * Two ends that both choose their numbers (MR_CONN_NUMBER) by a rule that they
 * share can each fill in the other's mr_conn_addr and need not exchange it. The
 * rule must give another generation whenever one of them begins anew: packets of
 * the connection before must not be taken for this one's.
 *
 * Errors: -EINVAL, -ENOMEM, -ENOSPC no connection is free, or (paths + 7) / 8
 * groups of paths (caps.groups) are not free in a row; -EBUSY another connection
 * has the index that was asked for.
 */
MR_API int mr_conn_create(struct mr_device *dev, const struct mr_conn_attr *attr,
                          struct mr_conn **conn);

/**
 * Destroys an end of a connection; its number and paths are free again. -EBUSY
 * while it has streams. NULL is taken.
 * Errors: -EIO and -ETIMEDOUT; the connection is gone all the same.
 */
MR_API int mr_conn_destroy(struct mr_conn *conn);

/**
 * Fills *addr for the peer: with the streams that exist at this moment, the
 * first MR_ADDR_STREAMS of them. Errors: -EINVAL.
 */
MR_API int mr_conn_local(struct mr_conn *conn, struct mr_conn_addr *addr);

/**
 * Connects to the peer that *peer tells of; the peer does the same with this
 * side's. The smaller payload size and the smaller number of paths of the two
 * hold; planes and plane_at must be the same on both. Nothing is sent: the
 * connection is set up in this device alone, and both sides must have done it
 * before one of them posts [spec 9.1.2]. A peer that is not there shows in the
 * first post (MR_ERR_RETRY).
 *
 * Errors: -EINVAL not an address, another family than the own, other planes, or
 * addresses that planes cannot have (mr_conn_attr); -EISCONN; -EREMOTEIO the
 * device refused; -EIO; -ETIMEDOUT.
 */
MR_API int mr_conn_connect(struct mr_conn *conn, const struct mr_conn_addr *peer);

/** Own connection number: index in the low 16 bits, generation above. */
MR_API uint32_t mr_conn_number(const struct mr_conn *conn);

/* ------------------------------------------------------ queue of receives */

/** How a receive queue is to be. Start from zeroes: 0 asks for the default. */
struct mr_rq_attr {
    uint32_t depth;    // receives that can be posted and not yet completed, 1 to caps.rq_depth_max,
                       // rounded up to a power of two; no default
    uint8_t max_sge;   // ranges of memory in one receive, 1 to caps.sges; default 1
    uint8_t shared;    // 0: of one stream; 1: any stream of the domain may use it [spec 7.5.1]
    uint8_t rsvd[10];  // 0
};

/**
 * Makes a receive queue: where the memory is posted that Sends, and Writes with
 * immediate, of the peers take. Streams name it when they are made. Its memory
 * is in pd, and so must its streams be.
 *
 * From any thread. Errors: -EINVAL also a value outside its range, or a reserved
 * one not 0; -ENOMEM; -ENOSPC no queue is free; -EREMOTEIO the device refused;
 * -EIO; -ETIMEDOUT.
 */
MR_API int mr_rq_create(struct mr_pd *pd, const struct mr_rq_attr *attr, struct mr_rq **rq);

/**
 * Destroys a receive queue. -EBUSY while a stream uses it. Receives that still
 * stand in a shared one have no completion; their memory is the program's again.
 * NULL is taken. Errors: -EIO and -ETIMEDOUT; the queue is gone all the same.
 */
MR_API int mr_rq_destroy(struct mr_rq *rq);

/* ----------------------------------------------------------------- stream */

/** How a stream is to be. Start from zeroes: 0 asks for the default. */
struct mr_stream_attr {
    struct mr_pd *pd;     // of its local memory, and of what the peer may reach
    struct mr_cq *cq;     // completions of its sends
    struct mr_cq *rcq;    // completions of its receives; default cq
    struct mr_rq *rq;     // its receives, of the same pd; default none: the peer may only Write, Read and
                          // use atomics
    uint32_t depth;       // sends that can be posted and not yet retired, 1 to caps.sq_depth_max, rounded
                          // up to a power of two; no default
    uint16_t max_inline;  // bytes that MR_POST_INLINE may carry, 0 to caps.inline_max; default 0
    uint8_t max_sge;      // ranges of memory in one send, 1 to caps.sges; default 1
    uint8_t rnr_max;      // times in a row that a message may find no receive at the peer before it fails
                          // with MR_ERR_RNR [spec 10.3.3]; default 64; 255 = no limit
    uint8_t weight;       // share of what the connection can send, relative to its other streams, 1 to
                          // 255; default 1 [spec 7.1.10]
    uint8_t rsvd[15];     // 0
};

/**
 * Makes a stream on a connection: an ordered queue of operations. Both ends make
 * one, tell each other the numbers, and connect. An entry of its send queue takes
 * 64, 128, 256 or 512 bytes, the least that hold max_sge and max_inline: 64 with
 * 1 and 0, 128 with up to 5 and 64, 256 with up to 13 and 192.
 *
 * With a receive queue, rcq keeps places for all receives that the queue can hold
 * until the stream is destroyed; streams that share both share the places. A
 * queue that is not shared has one stream at a time, and is empty when the next
 * one takes it.
 *
 * Without a connection (conn NULL) the stream has a number and takes receives, and
 * gets its connection by mr_stream_bind().
 *
 * From any thread. Errors: -EINVAL also objects of different devices, rq of
 * another domain, a value outside its range, or a reserved one not 0; -ENOMEM;
 * -ENOSPC no stream is free, or rcq has no room for the receives; -EBUSY rq is
 * not shared and has a stream; -EIO.
 */
MR_API int mr_stream_create_attr(struct mr_conn *conn, const struct mr_stream_attr *attr,
                                 struct mr_stream **stream);

/** The same without receives: mr_stream_create_attr() with pd, cq and depth, all else default. */
MR_API int mr_stream_create(struct mr_conn *conn, struct mr_pd *pd, struct mr_cq *cq,
                            uint32_t depth, struct mr_stream **stream);

/**
 * Gives a connection to a stream that was made without one, before
 * mr_stream_connect(). The connection then counts it among its streams. From any
 * thread. Errors: -EINVAL also a connection of another device; -EISCONN it has
 * one.
 */
MR_API int mr_stream_bind(struct mr_stream *stream, struct mr_conn *conn);

/**
 * Says anew how many times in a row a message may find no receive at the peer
 * (mr_stream_attr.rnr_max). For a stream that is connected, the device begins
 * anew with it: nothing may have been posted, and what the peer sent since
 * mr_stream_connect() is lost. From any thread. Errors: -EINVAL; -EBUSY sends
 * were posted; -EPIPE it is in error; -EREMOTEIO, -EIO, -ETIMEDOUT.
 */
MR_API int mr_stream_set_rnr(struct mr_stream *stream, uint8_t rnr_max);

/**
 * Makes a stream as new: it keeps its number and queues, and has no connection, as
 * if it were made without one. What is posted must have completed and been polled:
 * mr_stream_fail() first. From any thread.
 * Errors: -EBUSY as mr_stream_destroy(); -EINVAL; -EREMOTEIO, -EIO, -ETIMEDOUT:
 * it must be destroyed.
 */
MR_API int mr_stream_reset(struct mr_stream *stream);

/**
 * Connects a stream to the peer's stream of that number. The connection must
 * be there and connected: else -ENOTCONN. Receives can be posted before; what the peer
 * sends needs one. Errors: -EINVAL, -EISCONN; -EPIPE it was taken to the error
 * state; -EREMOTEIO the device refused; -EIO; -ETIMEDOUT.
 */
MR_API int mr_stream_connect(struct mr_stream *stream, uint32_t peer_number);

/** The number to tell the peer. */
MR_API uint32_t mr_stream_number(const struct mr_stream *stream);

/**
 * Takes a stream to the error state: it takes no further posts, the device stops
 * it, and what is not completed is flushed: sends, and receives of a queue that
 * is not shared, as if the stream had failed (mr_cq_poll()). What completed
 * before the call still says so. Receives of a shared queue that messages of the
 * stream had taken complete with MR_ERR_FLUSH too. The peer's packets are refused from now on, and
 * end its stream with MR_ERR_REMOTE_STREAM. For a stream that is in error already
 * it makes sure that the device has stopped. From any thread.
 * Errors: -EINVAL; -EREMOTEIO, -EIO, -ETIMEDOUT: the device may not have stopped,
 * all else is done.
 */
MR_API int mr_stream_fail(struct mr_stream *stream);

/**
 * Destroys a stream; its receive queue stays. -EBUSY while posted sends are not
 * retired, receives of a queue that is not shared are not completed, or
 * completions of receives of a shared one were not polled: poll first; a
 * signalled Write of length 0 retires what stands before it, mr_stream_fail()
 * ends everything, and a peer that is gone ends in errors within a bounded time.
 * After -EBUSY a stream with a shared queue may be in the error state. NULL is
 * taken. Errors: -EIO and -ETIMEDOUT; the stream is gone all the same.
 */
MR_API int mr_stream_destroy(struct mr_stream *stream);

#ifdef __cplusplus
}
#endif

#include "metaroce_event.h"
#include "metaroce_post.h"
#include "metaroce_telemetry.h"

#endif
