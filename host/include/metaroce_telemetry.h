// SPDX-License-Identifier: BSD-2-Clause
/*
 * metaroce_telemetry.h - the part of metaroce.h about looking: paths, counters, tables.
 * metaroce.h includes it; all that stands at its beginning holds here too.
 */
#ifndef METAROCE_TELEMETRY_H
#define METAROCE_TELEMETRY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------- telemetry */

/** What becomes of a path. [spec 6] */
enum mr_path_state {
    MR_PATH_FREE = 0,     // not a path of a connection
    MR_PATH_LIVE = 1,     // in use
    MR_PATH_PROBING = 2,  // in use; an unanswered probe is out: no new packets meanwhile
    MR_PATH_CLOSING = 3,  // failed: asks the peer what arrived [spec 6.3]
    MR_PATH_MOVING = 4,   // failed: what did not arrive goes to other paths
    MR_PATH_TRIAL = 5,    // its next incarnation is probed and carries no data yet
    MR_PATH_DEAD = 6,     // no answer in time: its messages ended with MR_ERR_RETRY
};

/** One path as the device sees it. Counts without another width are 32 bits wide and wrap. */
struct mr_path_info {
    uint64_t bytes;         // payload bytes of packets
    uint32_t srtt_ns;       // smoothed round trip time; 0 = not yet measured
    uint32_t rttvar_ns;     // its mean deviation
    uint32_t cwnd;          // window, packets
    uint32_t inflight;      // packets sent and not acknowledged
    uint32_t packets;       // data packets sent, without retransmissions, with those of failed paths
    uint32_t resent;        // data packets sent again
    uint32_t lost;          // transmissions found lost [spec 6.2]
    uint32_t marks;         // packets that the peer received with a congestion mark
    uint32_t acks;          // acknowledgments taken
    uint32_t probes;        // probes sent
    uint32_t psn;           // next sequence number of this incarnation
    uint32_t una;           // oldest sequence number not acknowledged
    uint32_t hint_mbps;     // the receiver's last rate hint, Mbit/s; 0 = none
    uint32_t moved;         // packets that went to other paths when it failed [spec 6.3.7]
    uint16_t fails;         // times that it failed and was left; 16 bits wide, wraps
    uint8_t epoch;          // incarnation, from 0; wraps
    uint8_t state;          // enum mr_path_state
    uint16_t sport;         // UDP source port as the program or the library set it last; a path that
                            // failed goes on with one that the device draws [spec 6.4.1]
    uint8_t plane;          // plane, likewise
    uint8_t rsvd[9];        // 0
};

/**
 * Reads the telemetry of one path, 0 to mr_conn_paths() - 1. All of it is of one
 * moment but sport and plane. From any thread.
 * Errors: -EINVAL no such path; -ENOTCONN; -EIO; -ETIMEDOUT.
 */
MR_API int mr_path_query(struct mr_conn *conn, uint32_t path, struct mr_path_info *info);

/**
 * Reads the histogram of one path's round trip times since mr_conn_connect()
 * [spec 6.1.1]. bucket[i] counts the samples below 256 << i ns that are not
 * below the bound before: [0] < 256 ns, [1] < 512 ns, [2] < 1.024 us, ...,
 * [14] < 4.194 ms; [15] counts all others. Each is 32 bits wide and wraps. From
 * any thread. Errors: -EINVAL no such path; -ENOTCONN; -EIO; -ETIMEDOUT.
 */
MR_API int mr_path_histogram(struct mr_conn *conn, uint32_t path,
                             uint32_t bucket[MR_HIST_BUCKETS]);

/**
 * Gives a path another UDP source port (1 to 65535; 49152 and up are meant for
 * this) and another plane (0 to the connection's planes - 1), so that it takes
 * another way through the fabric. Returns when the device knows it; it takes
 * effect as soon as nothing is in flight on the path, and new packets take other
 * paths until then, or wait if there are none. So no packet is overtaken, lost
 * or sent twice by it [spec 6.4.7]. A second call before that replaces the first.
 *
 * On a path that has failed (MR_PATH_CLOSING and later) the device draws ports
 * itself: there the call may have no effect. From any thread.
 *
 * Errors: -EINVAL no such path, port 0 or no such plane; -ENOTCONN; -EIO;
 * -ETIMEDOUT.
 */
MR_API int mr_path_set_port(struct mr_conn *conn, uint32_t path, uint16_t sport, uint8_t plane);

/** One word for an enum mr_path_state, like "live". Never NULL, static. From any thread. */
MR_API const char *mr_path_state_text(uint8_t state);

/** Paths that the connection uses; 0 before mr_conn_connect(). */
MR_API uint32_t mr_conn_paths(const struct mr_conn *conn);

/** How many counters a device has, and the name and meaning of counter i. */
MR_API uint32_t mr_counter_count(void);
MR_API const char *mr_counter_name(uint32_t i);
MR_API const char *mr_counter_text(uint32_t i);

/**
 * Reads counters 0 to n - 1 into value[]. They count from device reset, and
 * are carried on here beyond the device's 32 bits as long as the call is made
 * before any of them advances by 2^32. Returns how many were read, at most
 * mr_counter_count(). Errors: -EINVAL, -EIO; then value[] is undefined.
 */
MR_API int mr_counters_read(struct mr_device *dev, uint64_t *value, uint32_t n);

/** Room for an entry of any table. */
#define MR_ROW_BYTES 64

/**
 * Reads one entry of the device's table MR_TBL_*, for tools that look at a
 * device: the first that is in use at *index or behind it. *index is its index
 * then, and row has its bytes as they lie in the device, with zeroes behind
 * them; docs/reference/queues.md has the layouts. Entries that the device
 * cannot show are those that its program wrote last. From any thread.
 *
 * Errors: -EINVAL no device, no place, or no such table; -ENOENT no such entry;
 * -ENOTSUP the back end cannot; -EREMOTEIO the device refused; -EIO.
 */
MR_API int mr_table_next(struct mr_device *dev, uint32_t table, uint32_t *index,
                         unsigned char row[MR_ROW_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
