// SPDX-License-Identifier: BSD-2-Clause
/*
 * link.h - the wire: one port per NIC, and between each ordered pair of NICs a
 * number of routes, called lanes here: lane (src, dst, route).
 *
 *   NIC - port (line rate) - hash picks the route - lane (holes, loss, rate,
 *   corruption, duplication, delay) - egress queue of dst (ECN mark, tail drop,
 *   line rate) - FIFO of dst's MAC - NIC
 *
 * With planes each has its own routes: a frame takes one of the plane whose
 * address it goes to. A lane never reorders; lanes with different delays do so
 * among each other.
 * All times are of the NIC's own clock, which the core keeps together; what one
 * NIC sends reaches another one's queue in sim_link_sync only, so the result
 * does not depend on the order in which NICs are stepped in between.
 */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "engine.h"
#include "frame.h"

#define SIM_ROUTES_MAX 64
#define SIM_HOLES_MAX 8
#define SIM_WIRE_EXTRA 24 // preamble 8, FCS 4, gap 12 bytes per frame

/** A time in which a lane swallows what is sent into it. */
struct sim_hole {
    uint64_t from_ns;
    uint64_t to_ns; // exclusive
};

struct sim_lane_cfg {
    uint64_t delay_ns;
    uint64_t jitter_ns; // evenly from 0 to this, added per frame; never reorders
    double loss;        // probabilities per frame
    double dup;
    double corrupt;
    bool corrupt_silent; // true: the flipped bits pass the FCS; false: the MAC reports the frame as bad
    uint64_t rate;       // bit/s, 0: as the ports
    uint64_t queue;      // bytes in front of the lane's own rate limit, then tail drop
    uint64_t ecn;        // bytes there above which frames are marked, 0: never
    uint32_t holes;
    struct sim_hole hole[SIM_HOLES_MAX];
};

struct sim_link_cfg {
    uint32_t nics;   // 1 to SIM_NICS_MAX
    uint32_t routes; // 1 to SIM_ROUTES_MAX, over all planes
    uint32_t planes; // 1 to SIM_PLANES_MAX; routes is a multiple: as many for each, plane 0's first
    uint64_t seed;
    uint64_t rate;  // of every port, bit/s
    uint64_t queue; // bytes in an egress queue, then tail drop
    uint64_t ecn;   // bytes in an egress queue above which frames are marked, 0: never
    uint64_t fifo;  // bytes in the receiving MAC's FIFO, then whole frames are dropped
    struct sim_lane_cfg lane; // of every lane at the start
};

struct sim_lane_stats {
    uint64_t frames; // sent into the lane
    uint64_t bytes;  // of them, without SIM_WIRE_EXTRA
    uint64_t lost;
    uint64_t holed; // swallowed by a hole
    uint64_t over;  // dropped in front of the lane's rate limit
    uint64_t dup;   // frames that arrived twice
    uint64_t corrupted;
    uint64_t marked;
    uint64_t tail;       // dropped at the egress queue
    uint64_t peak_queue; // most bytes that one of its frames found there, its own included
};

struct sim_port_stats {
    uint64_t tx_frames;
    uint64_t tx_bytes;
    uint64_t tx_underrun; // the NIC paused inside a frame for longer than the MAC can bridge
    uint64_t tx_oversize; // longer than SIM_FRAME_MAX: dropped
    uint64_t tx_nowhere;  // no NIC has the destination address
    uint64_t rx_frames;   // handed to the NIC's MAC
    uint64_t rx_bytes;
    uint64_t rx_overrun; // dropped because the NIC did not take them fast enough
    uint64_t peak_queue;
};

/** Where a tap sees a frame: at the sender's MAC, or at the receiver's, there apart those whose bits were flipped. */
enum sim_tap_at { SIM_TAP_TX, SIM_TAP_RX, SIM_TAP_RX_DAMAGED };
typedef void sim_tap(void *ctx, enum sim_tap_at at, uint32_t nic, uint64_t ps, const uint8_t *f, size_t len);

struct sim_link;

/** The defaults of sim/README.md, 2 NICs. */
struct sim_link_cfg sim_link_defaults(void);

/** Null if memory is short or cfg is out of range. */
struct sim_link *sim_link_new(const struct sim_link_cfg *cfg);
void sim_link_free(struct sim_link *l);

/** A lane's parameters, to be changed at any time. */
struct sim_lane_cfg *sim_link_lane(struct sim_link *l, uint32_t src, uint32_t dst, uint32_t route);
/**
 * Changes lanes by a text "SRC:DST:ROUTE:KEY=VALUE", each of the three a number
 * or "*" for all; ROUTE "pK" is all of plane K. Keys: delay, jitter (ns), loss, dup, corrupt (0 to 1), silent
 * (0, 1), rate (Gbit/s), queue, ecn (KiB), hole (FROM-TO, us). 0 or -EINVAL.
 */
int sim_lane_edit(struct sim_link *l, const char *text);
/** A NIC's addresses on plane 0, to be changed before traffic. */
struct sim_addr *sim_link_addr(struct sim_link *l, uint32_t nic);
/** Sees every frame; `rx` false: at senders only, in the order of time. */
void sim_link_tap(struct sim_link *l, sim_tap *fn, void *ctx, bool tx, bool rx);
/** The route of a plane that the fabric picks by a frame's IP addresses and port. */
uint32_t sim_link_pick(const struct sim_link *l, const struct sim_frame_info *i, uint32_t plane);
/** The route that a frame takes; one that no NIC has the address of: as on plane 0. */
uint32_t sim_link_route(const struct sim_link *l, const uint8_t *f, size_t len);

/** Before and after an engine's cycle. */
void sim_link_drive(struct sim_link *l, uint32_t nic, uint64_t now_ps, struct sim_io *io);
void sim_link_take(struct sim_link *l, uint32_t nic, uint64_t now_ps, const struct sim_io *io);
/** Carries over what was sent; calls the tap. */
void sim_link_sync(struct sim_link *l);
/** The NIC was reset: half-sent and half-received frames are gone. */
void sim_link_reset(struct sim_link *l, uint32_t nic);

/** A whole frame (SIM_FRAME_MIN to SIM_FRAME_MAX bytes) leaves src's MAC at that time; for tests and models without a NIC. */
void sim_link_send(struct sim_link *l, uint32_t src, uint64_t ps, const uint8_t *f, size_t len);

/** True if no frame is under way anywhere. */
bool sim_link_idle(const struct sim_link *l);

const struct sim_lane_stats *sim_link_lane_stats(const struct sim_link *l, uint32_t src, uint32_t dst, uint32_t route);
const struct sim_port_stats *sim_link_port_stats(const struct sim_link *l, uint32_t nic);
const struct sim_link_cfg *sim_link_cfg(const struct sim_link *l);

#endif
