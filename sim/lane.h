// SPDX-License-Identifier: BSD-2-Clause
/*
 * lane.h - inside of the link model: shared by link.c and lane.c only.
 */
#ifndef SIM_LANE_H
#define SIM_LANE_H

#include "link.h"

#define SIM_DST_TAP_TX UINT32_MAX       // in sim_frame.dst: for the tap, not for a NIC
#define SIM_DST_TAP_RX (UINT32_MAX - 1) // the same, seen at the receiver
#define SIM_DST_TAP_DAMAGED (UINT32_MAX - 2)

struct sim_frame {
    struct sim_frame *next;
    uint64_t ps;      // tap: when it is seen; else arrival at the egress queue, then first bit at the MAC
    uint64_t sent_ps; // order of the outbox
    uint32_t dst;     // NIC index or SIM_DST_TAP_*
    uint32_t src;     // with seq and ps: the order of arrival
    uint64_t seq;     // per sending port
    uint32_t route;
    bool err;         // FCS bad
    bool damaged;     // bits were flipped, seen by the FCS or not
    size_t len;
    uint8_t data[];
};

struct sim_list {
    struct sim_frame *head;
    struct sim_frame *tail;
};

struct sim_lane {
    struct sim_lane_cfg cfg;
    struct sim_lane_stats stats;
    uint64_t key;
    uint64_t n;       // frames so far: number of the draw
    uint64_t free_ps; // end of the last frame at the lane's own rate limit
    uint64_t last_ps; // last arrival: a lane never reorders
};

struct sim_port {
    struct sim_port_stats stats;
    // sending
    uint64_t tx_busy_ps; // the wire is taken until then
    bool tx_late;
    size_t tx_len;
    uint8_t tx[SIM_FRAME_MAX + 64];
    uint64_t seq;
    struct sim_list out; // what the next sync carries over, in the order of sending
    // receiving
    struct sim_frame **heap; // arrivals at the egress queue, earliest first
    size_t heap_n;
    size_t heap_cap;
    uint64_t egress_ps; // the egress is taken until then
    struct sim_list wire;
    struct sim_list fifo;
    size_t fifo_bytes;
    size_t rx_at; // bytes of the FIFO's first frame that the NIC has
};

struct sim_link {
    struct sim_link_cfg cfg;
    struct sim_lane *lane;
    struct sim_addr addr[SIM_NICS_MAX];
    struct sim_port port[SIM_NICS_MAX];
    size_t out_n; // frames in all outboxes
    sim_tap *tap;
    void *tap_ctx;
    bool tap_tx;
    bool tap_rx;
};

static inline struct sim_lane *sim_lane(struct sim_link *l, uint32_t src, uint32_t dst, uint32_t route)
{
    return &l->lane[(src * l->cfg.nics + dst) * l->cfg.routes + route];
}

/** Time of that many bytes at a rate, rounded down. */
static inline uint64_t sim_rate_ps(uint64_t bytes, uint64_t rate)
{
    return bytes * 8'000'000'000'000u / rate;
}

static inline uint64_t sim_wire_ps(const struct sim_link *l, uint64_t bytes)
{
    return sim_rate_ps(bytes, l->cfg.rate);
}

/** Null if memory is short: the frame is then lost, which a link may do. */
struct sim_frame *sim_frame_new(const uint8_t *f, size_t len);

void sim_list_put(struct sim_list *q, struct sim_frame *f);
struct sim_frame *sim_list_get(struct sim_list *q);
void sim_list_clear(struct sim_list *q);

void sim_lane_init(struct sim_lane *n, const struct sim_link_cfg *cfg, uint32_t src, uint32_t dst, uint32_t route);
/** Puts a frame into src's outbox. */
void sim_port_out(struct sim_link *l, uint32_t src, struct sim_frame *f);

/** A frame enters a lane; what survives goes to src's outbox. */
void sim_lane_send(struct sim_link *l, uint32_t src, uint32_t dst, uint32_t route, uint64_t ps, const uint8_t *f, size_t len);

/** Puts a frame with its arrival time into its destination's heap; takes it over. */
void sim_port_put(struct sim_link *l, struct sim_frame *f);
/** Takes what has arrived by now through the egress queue onto the wire. */
void sim_port_arrive(struct sim_link *l, uint32_t nic, uint64_t now_ps);
void sim_port_fini(struct sim_port *p);

#endif
