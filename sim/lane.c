// SPDX-License-Identifier: BSD-2-Clause
#include "lane.h"

#include <stdlib.h>
#include <string.h>

#include "rng.h"

/* One key per purpose: a lane's losses stay the same when its jitter is changed. */
enum { FOR_LOSS, FOR_DUP, FOR_CORRUPT, FOR_BITS, FOR_JITTER, FOR_DUP_JITTER, PURPOSES };

struct sim_frame *sim_frame_new(const uint8_t *f, size_t len)
{
    struct sim_frame *n = malloc(sizeof *n + len);
    if (!n)
        return nullptr;
    *n = (struct sim_frame){.len = len};
    memcpy(n->data, f, len);
    return n;
}

void sim_list_put(struct sim_list *q, struct sim_frame *f)
{
    f->next = nullptr;
    if (q->head)
        q->tail->next = f;
    else
        q->head = f;
    q->tail = f;
}

struct sim_frame *sim_list_get(struct sim_list *q)
{
    struct sim_frame *f = q->head;
    q->head = f->next;
    return f;
}

void sim_list_clear(struct sim_list *q)
{
    while (q->head)
        free(sim_list_get(q));
}

void sim_port_out(struct sim_link *l, uint32_t src, struct sim_frame *f)
{
    sim_list_put(&l->port[src].out, f);
    l->out_n++;
}

/* Lanes. */

void sim_lane_init(struct sim_lane *n, const struct sim_link_cfg *cfg, uint32_t src, uint32_t dst, uint32_t route)
{
    *n = (struct sim_lane){
        .cfg = cfg->lane,
        .key = sim_key(cfg->seed, src, dst, route),
    };
}

static uint64_t draw(const struct sim_lane *n, int purpose)
{
    return sim_draw(n->key, n->n * PURPOSES + (uint64_t)purpose);
}

static bool in_hole(const struct sim_lane_cfg *c, uint64_t ps)
{
    for (uint32_t i = 0; i < c->holes; i++)
        if (ps / 1000 >= c->hole[i].from_ns && ps / 1000 < c->hole[i].to_ns)
            return true;
    return false;
}

/** Flips 1 to 3 bits at different places. */
static void corrupt(const struct sim_lane *n, struct sim_frame *f)
{
    uint64_t d = draw(n, FOR_BITS);
    uint64_t bits = 1 + sim_below(d, 3);
    uint64_t at = sim_below(sim_mix(d), f->len * 8);
    for (uint64_t i = 0; i < bits; i++) {
        uint64_t b = (at + i * 37) % (f->len * 8);
        f->data[b / 8] ^= (uint8_t)(1u << (b % 8));
    }
    f->err = !n->cfg.corrupt_silent;
    f->damaged = true;
}

static void lane_out(struct sim_link *l, struct sim_lane *n, struct sim_frame *f, uint64_t ps)
{
    if (ps < n->last_ps)
        ps = n->last_ps;
    n->last_ps = ps;
    f->ps = ps;
    f->seq = l->port[f->src].seq++;
    sim_port_out(l, f->src, f);
}

static uint64_t jitter_ps(const struct sim_lane *n, int purpose)
{
    return sim_below(draw(n, purpose), n->cfg.jitter_ns * 1000 + 1);
}

/** Passes the lane's own rate limit; false: its queue is full. */
static bool lane_rate(struct sim_lane *n, uint64_t *ps, size_t len, bool *mark)
{
    if (!n->cfg.rate)
        return true;
    uint64_t from = n->free_ps > *ps ? n->free_ps : *ps;
    uint64_t wait = from - *ps;
    if (wait > sim_rate_ps(n->cfg.queue, n->cfg.rate))
        return false;
    *mark = n->cfg.ecn && wait > sim_rate_ps(n->cfg.ecn, n->cfg.rate);
    n->free_ps = from + sim_rate_ps(len + SIM_WIRE_EXTRA, n->cfg.rate);
    *ps = n->free_ps;
    return true;
}

static void mark_frame(struct sim_lane_stats *s, struct sim_frame *f)
{
    struct sim_frame_info i = sim_frame_parse(f->data, f->len);
    s->marked += sim_frame_mark(f->data, &i);
}

void sim_lane_send(struct sim_link *l, uint32_t src, uint32_t dst, uint32_t route, uint64_t ps, const uint8_t *data, size_t len)
{
    struct sim_lane *n = sim_lane(l, src, dst, route);
    const struct sim_lane_cfg *c = &n->cfg;
    uint64_t sent = ps;
    bool mark = false;
    n->n++;
    n->stats.frames++;
    n->stats.bytes += len;
    if (in_hole(c, ps)) {
        n->stats.holed++;
        return;
    }
    if (sim_chance(draw(n, FOR_LOSS), c->loss)) {
        n->stats.lost++;
        return;
    }
    if (!lane_rate(n, &ps, len, &mark)) {
        n->stats.over++;
        return;
    }
    struct sim_frame *f = sim_frame_new(data, len);
    if (!f)
        return;
    f->src = src;
    f->dst = dst;
    f->route = route;
    f->sent_ps = sent;
    if (mark)
        mark_frame(&n->stats, f);
    if (sim_chance(draw(n, FOR_CORRUPT), c->corrupt)) {
        corrupt(n, f);
        n->stats.corrupted++;
    }
    struct sim_frame *twin = nullptr;
    if (sim_chance(draw(n, FOR_DUP), c->dup) && (twin = sim_frame_new(f->data, len))) {
        twin->src = src;
        twin->dst = dst;
        twin->route = route;
        twin->sent_ps = sent;
        twin->err = f->err;
        twin->damaged = f->damaged;
        n->stats.dup++;
    }
    lane_out(l, n, f, ps + c->delay_ns * 1000 + jitter_ps(n, FOR_JITTER));
    if (twin)
        lane_out(l, n, twin, ps + c->delay_ns * 1000 + jitter_ps(n, FOR_DUP_JITTER));
}

/* Egress queues: a binary heap of arrivals per port. */

static bool before(const struct sim_frame *a, const struct sim_frame *b)
{
    if (a->ps != b->ps)
        return a->ps < b->ps;
    if (a->src != b->src)
        return a->src < b->src;
    return a->seq < b->seq;
}

void sim_port_put(struct sim_link *l, struct sim_frame *f)
{
    struct sim_port *p = &l->port[f->dst];
    if (p->heap_n == p->heap_cap) {
        size_t cap = p->heap_cap ? p->heap_cap * 2 : 64;
        struct sim_frame **h = realloc(p->heap, cap * sizeof(struct sim_frame *));
        if (!h) {
            free(f);
            return;
        }
        p->heap = h;
        p->heap_cap = cap;
    }
    size_t i = p->heap_n++;
    while (i && before(f, p->heap[(i - 1) / 2])) {
        p->heap[i] = p->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    p->heap[i] = f;
}

static struct sim_frame *heap_get(struct sim_port *p)
{
    struct sim_frame *top = p->heap[0];
    struct sim_frame *f = p->heap[--p->heap_n];
    size_t i = 0;
    for (;;) {
        size_t c = 2 * i + 1;
        if (c >= p->heap_n)
            break;
        if (c + 1 < p->heap_n && before(p->heap[c + 1], p->heap[c]))
            c++;
        if (!before(p->heap[c], f))
            break;
        p->heap[i] = p->heap[c];
        i = c;
    }
    if (p->heap_n)
        p->heap[i] = f;
    return top;
}

/** One frame at the egress queue of its destination. */
static void egress(struct sim_link *l, struct sim_port *p, struct sim_frame *f)
{
    struct sim_lane_stats *s = &sim_lane(l, f->src, f->dst, f->route)->stats;
    uint64_t wire = sim_wire_ps(l, f->len + SIM_WIRE_EXTRA);
    uint64_t wait = p->egress_ps > f->ps ? p->egress_ps - f->ps : 0;
    uint64_t queued = (uint64_t)((unsigned __int128)wait * l->cfg.rate / 8'000'000'000'000u) + f->len;
    if (queued > s->peak_queue)
        s->peak_queue = queued;
    if (queued > p->stats.peak_queue)
        p->stats.peak_queue = queued;
    if (queued > l->cfg.queue) {
        s->tail++;
        free(f);
        return;
    }
    if (l->cfg.ecn && queued > l->cfg.ecn)
        mark_frame(s, f);
    f->ps += wait;
    p->egress_ps = f->ps + wire;
    sim_list_put(&p->wire, f);
}

void sim_port_arrive(struct sim_link *l, uint32_t nic, uint64_t now_ps)
{
    struct sim_port *p = &l->port[nic];
    while (p->heap_n && p->heap[0]->ps <= now_ps)
        egress(l, p, heap_get(p));
}

void sim_port_fini(struct sim_port *p)
{
    while (p->heap_n)
        free(p->heap[--p->heap_n]);
    free(p->heap);
    sim_list_clear(&p->out);
    sim_list_clear(&p->wire);
    sim_list_clear(&p->fifo);
}
