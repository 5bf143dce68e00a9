// SPDX-License-Identifier: BSD-2-Clause
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#include "maps.h"
#include "rng.h"

#define PAGE 4096u
#define PAGE_BEATS (PAGE / 64u)

enum { KEY_RD = 1, KEY_WR = 2 };

struct rd {
    uint64_t addr; // of the next beat to be fetched
    uint64_t ready_ns;
    uint16_t left; // beats not yet fetched into the piece
    bool bad;      // answered with errors only
    bool failed;   // some beat of it was answered with an error
};

struct rd_queue {
    uint32_t head;
    uint32_t n;
    struct rd q[SIM_MEM_RD_MAX];
};

/** The part of one burst that is on the R channel. */
struct piece {
    uint8_t id;
    uint16_t at; // next beat
    uint16_t n;  // 0: none
    bool ends;   // its last beat is the burst's
    bool err[PAGE_BEATS];
    uint8_t data[PAGE];
};

enum wr_state { WR_FREE, WR_FILL, WR_FLY };

struct wr {
    enum wr_state state;
    uint8_t id;
    bool bad;
    uint16_t beats;
    uint16_t got;
    uint64_t seq;
    uint64_t addr;
    uint64_t done_ns;
    uint64_t keep[PAGE_BEATS];
    uint8_t data[PAGE];
};

struct b_item {
    uint8_t id;
    bool err;
};

struct sim_mem {
    struct sim_mem_cfg cfg;
    const struct sim_mem_ops *ops;
    void *ctx;
    struct sim_maps maps;
    struct sim_mem_stats stats;
    uint64_t key;
    uint64_t rd_seq;
    uint64_t wr_seq; // of the next request
    bool written;

    struct rd_queue rd[SIM_AXI_IDS];
    uint32_t rd_n; // bursts under way, over all ids
    uint64_t rd_free_ps;
    struct piece piece;

    struct wr wr[SIM_MEM_WR_MAX];
    uint32_t wr_n;        // bursts under way, answers not yet taken included
    uint64_t fill_seq;    // the request whose data come next
    uint64_t next_done_ns; // earliest of the flying ones, UINT64_MAX if none
    uint64_t last_done_ns[SIM_AXI_IDS];
    uint32_t b_head;
    uint32_t b_n;
    struct b_item b[SIM_MEM_WR_MAX];
};

struct sim_mem_cfg sim_mem_defaults(void)
{
    return (struct sim_mem_cfg){
        .rd_ns = 600,
        .rd_jitter_ns = 100,
        .wr_ns = 300,
        .wr_jitter_ns = 100,
        .rd_max = 64,
        .wr_max = 32,
        .payload = 512,
        .rd_rate = 28'000'000'000,
        .interleave = true,
    };
}

static bool cfg_ok(const struct sim_mem_cfg *c)
{
    return c->rd_max >= 1 && c->rd_max <= SIM_MEM_RD_MAX && c->wr_max >= 1 &&
           c->wr_max <= SIM_MEM_WR_MAX && c->payload >= 64 && c->payload <= PAGE &&
           (c->payload & (c->payload - 1)) == 0 && c->rd_rate > 0;
}

struct sim_mem *sim_mem_new(const struct sim_mem_cfg *cfg, uint64_t key)
{
    if (!cfg_ok(cfg))
        return nullptr;
    struct sim_mem *m = calloc(1, sizeof *m);
    if (!m)
        return nullptr;
    m->cfg = *cfg;
    m->key = key;
    sim_mem_reset(m);
    if (sim_maps_init(&m->maps, SIM_MEM_MAPS_MAX)) {
        free(m);
        return nullptr;
    }
    return m;
}

void sim_mem_free(struct sim_mem *m)
{
    if (!m)
        return;
    sim_maps_fini(&m->maps);
    free(m);
}

void sim_mem_owner(struct sim_mem *m, const struct sim_mem_ops *ops, void *ctx)
{
    m->ops = ops;
    m->ctx = ctx;
    m->written = false;
    sim_maps_clear(&m->maps);
}

bool sim_mem_owned(const struct sim_mem *m)
{
    return m->ops != nullptr;
}

int sim_mem_map(struct sim_mem *m, uint64_t addr, uint64_t len)
{
    return sim_maps_add(&m->maps, addr, len);
}

int sim_mem_unmap(struct sim_mem *m, uint64_t addr, uint64_t len)
{
    return sim_maps_del(&m->maps, addr, len);
}

void sim_mem_reset(struct sim_mem *m)
{
    for (int i = 0; i < SIM_AXI_IDS; i++)
        m->rd[i].n = 0;
    m->rd_n = 0;
    m->piece.n = 0;
    m->piece.ends = true;
    for (int i = 0; i < SIM_MEM_WR_MAX; i++)
        m->wr[i].state = WR_FREE;
    m->wr_n = 0;
    m->b_n = 0;
    m->fill_seq = m->wr_seq;
    m->next_done_ns = UINT64_MAX;
}

/* Reads. */

/** One beat out of host memory; false if it has to be answered with an error. */
static bool beat_fetch(struct sim_mem *m, uint64_t addr, uint8_t *to)
{
    memset(to, 0, 64);
    struct sim_range r;
    bool any = false;
    uint64_t at = addr;
    uint64_t last = addr + 63;
    while (sim_maps_next(&m->maps, at, last, &r)) {
        if (!m->ops || m->ops->read(m->ctx, r.first, to + (r.first - addr), r.last - r.first + 1))
            return false;
        any = true;
        if (r.last == last)
            break;
        at = r.last + 1;
    }
    return any;
}

/** Fetches n beats; a piece that is mapped throughout is one access. */
static void piece_fetch(struct sim_mem *m, struct piece *p, uint64_t addr, bool bad)
{
    uint64_t last = addr + p->n * 64u - 1;
    struct sim_range r;
    memset(p->err, bad, sizeof p->err);
    if (bad)
        return;
    if (m->ops && sim_maps_next(&m->maps, addr, last, &r) && r.first == addr && r.last == last &&
        m->ops->read(m->ctx, addr, p->data, p->n * 64u) == 0)
        return;
    for (uint16_t i = 0; i < p->n; i++)
        p->err[i] = !beat_fetch(m, addr + i * 64u, &p->data[i * 64u]);
}

/** Picks the id whose piece comes next: round robin over those whose answer is due. */
static bool rd_pick(const struct sim_mem *m, uint64_t now_ns, uint8_t *id)
{
    uint8_t from = m->piece.id;
    if (!m->cfg.interleave && !m->piece.ends && m->rd[from].n) {
        *id = from;
        return true;
    }
    for (int i = 1; i <= SIM_AXI_IDS; i++) {
        uint8_t j = (uint8_t)((from + i) % SIM_AXI_IDS);
        const struct rd_queue *q = &m->rd[j];
        if (q->n && q->q[q->head].ready_ns <= now_ns) {
            *id = j;
            return true;
        }
    }
    return false;
}

static void piece_start(struct sim_mem *m, uint64_t now_ns)
{
    uint8_t id;
    if (!rd_pick(m, now_ns, &id))
        return;
    struct rd_queue *q = &m->rd[id];
    struct rd *r = &q->q[q->head];
    struct piece *p = &m->piece;
    uint64_t room = (m->cfg.payload - (r->addr & (m->cfg.payload - 1))) / 64;
    p->id = id;
    p->at = 0;
    p->n = (uint16_t)(r->left < room ? r->left : room);
    piece_fetch(m, p, r->addr, r->bad);
    for (uint16_t i = 0; i < p->n; i++)
        r->failed |= p->err[i];
    r->addr += p->n * 64u;
    r->left -= p->n;
    p->ends = r->left == 0;
    if (p->ends) {
        m->stats.rd_errors += r->failed;
        q->head = (q->head + 1) % SIM_MEM_RD_MAX;
        q->n--;
    }
}

static void rd_drive(struct sim_mem *m, uint64_t now_ns, struct sim_io *io)
{
    struct piece *p = &m->piece;
    io->ar_ready = m->rd_n < m->cfg.rd_max;
    io->r_valid = false;
    if (!m->rd_n)
        return;
    if (!p->n)
        piece_start(m, now_ns);
    if (!p->n || m->rd_free_ps > now_ns * 1000)
        return;
    io->r_valid = true;
    memcpy(io->r.data, &p->data[p->at * 64u], 64);
    io->r.id = p->id;
    io->r.err = p->err[p->at];
    io->r.last = p->ends && p->at + 1 == p->n;
}

static bool burst_ok(const struct sim_burst *b)
{
    return b->beats >= 1 && (b->addr % PAGE) / 64 + b->beats <= PAGE_BEATS;
}

static void rd_take(struct sim_mem *m, uint64_t now_ns, const struct sim_io *io)
{
    if (io->r_valid && io->r_ready) {
        struct piece *p = &m->piece;
        uint64_t now_ps = now_ns * 1000;
        // Up to one cycle of arrears counts, else rates between whole cycles would be lost.
        if (m->rd_free_ps + SIM_CYCLE_PS < now_ps)
            m->rd_free_ps = now_ps;
        m->rd_free_ps += 64'000'000'000'000u / m->cfg.rd_rate;
        m->stats.rd_beats++;
        if (io->r.last)
            m->rd_n--;
        if (++p->at == p->n)
            p->n = 0;
    }
    if (!io->ar_ready || !io->ar_valid)
        return;
    struct rd_queue *q = &m->rd[io->ar.id % SIM_AXI_IDS];
    uint64_t n = m->rd_seq++;
    uint64_t jitter = sim_below(sim_draw(sim_key(m->key, KEY_RD, 0, 0), n), m->cfg.rd_jitter_ns + 1u);
    q->q[(q->head + q->n) % SIM_MEM_RD_MAX] = (struct rd){
        .addr = io->ar.addr & ~(uint64_t)63,
        .left = io->ar.beats ? io->ar.beats : 1,
        .ready_ns = now_ns + m->cfg.rd_ns + jitter,
        .bad = !burst_ok(&io->ar),
    };
    m->stats.bad_bursts += !burst_ok(&io->ar);
    q->n++;
    m->rd_n++;
    m->stats.rd_bursts++;
    if (m->rd_n > m->stats.rd_peak)
        m->stats.rd_peak = m->rd_n;
}

/* Writes. */

typedef bool wr_run(struct sim_mem *m, uint64_t addr, const uint8_t *data, size_t len);

static bool run_mapped(struct sim_mem *m, uint64_t addr, const uint8_t *data, size_t len)
{
    (void)data;
    struct sim_range r;
    return sim_maps_next(&m->maps, addr, addr + len - 1, &r) && r.first == addr &&
           r.last == addr + len - 1;
}

static bool run_store(struct sim_mem *m, uint64_t addr, const uint8_t *data, size_t len)
{
    m->stats.wr_bytes += len;
    return m->ops && m->ops->write(m->ctx, addr, data, len) == 0;
}

/** Calls fn on every run of enabled bytes until one says false. */
static bool wr_runs(struct sim_mem *m, const struct wr *w, wr_run *fn)
{
    size_t end = w->beats * 64u;
    size_t i = 0;
    while (i < end) {
        uint64_t rest = w->keep[i / 64] >> (i % 64);
        if (!rest) {
            i = (i / 64 + 1) * 64;
            continue;
        }
        i += (size_t)__builtin_ctzll(rest);
        size_t from = i;
        while (i < end) {
            uint64_t holes = ~w->keep[i / 64] >> (i % 64);
            if (holes) {
                i += (size_t)__builtin_ctzll(holes);
                break;
            }
            i = (i / 64 + 1) * 64;
        }
        if (!fn(m, w->addr + from, &w->data[from], i - from))
            return false;
    }
    return true;
}

/** The effect of a write: all of it, or nothing and an error. */
static void wr_apply(struct sim_mem *m, struct wr *w)
{
    bool ok = !w->bad && wr_runs(m, w, run_mapped) && wr_runs(m, w, run_store);
    if (ok)
        m->written = true;
    m->stats.wr_errors += !ok;
    m->b[(m->b_head + m->b_n) % SIM_MEM_WR_MAX] = (struct b_item){.id = w->id, .err = !ok};
    m->b_n++;
    w->state = WR_FREE;
}

/** Applies what is due in the order of time, then of request. */
static void wr_advance(struct sim_mem *m, uint64_t now_ns)
{
    while (m->next_done_ns <= now_ns) {
        struct wr *first = nullptr;
        uint64_t next = UINT64_MAX;
        for (int i = 0; i < SIM_MEM_WR_MAX; i++) {
            struct wr *w = &m->wr[i];
            if (w->state != WR_FLY)
                continue;
            if (!first || w->done_ns < first->done_ns ||
                (w->done_ns == first->done_ns && w->seq < first->seq)) {
                if (first && first->done_ns < next)
                    next = first->done_ns;
                first = w;
            } else if (w->done_ns < next) {
                next = w->done_ns;
            }
        }
        m->next_done_ns = next;
        if (first)
            wr_apply(m, first);
    }
}

static struct wr *wr_filling(struct sim_mem *m)
{
    for (int i = 0; i < SIM_MEM_WR_MAX; i++)
        if (m->wr[i].state == WR_FILL && m->wr[i].seq == m->fill_seq)
            return &m->wr[i];
    return nullptr;
}

static void wr_drive(struct sim_mem *m, uint64_t now_ns, struct sim_io *io)
{
    if (m->next_done_ns <= now_ns)
        wr_advance(m, now_ns);
    io->aw_ready = m->wr_n < m->cfg.wr_max;
    io->w_ready = m->fill_seq != m->wr_seq;
    io->b_valid = m->b_n != 0;
    io->b.id = m->b[m->b_head].id;
    io->b.err = m->b[m->b_head].err;
}

static void w_take(struct sim_mem *m, uint64_t now_ns, const struct sim_io *io)
{
    struct wr *w = wr_filling(m);
    if (w->got < PAGE_BEATS) {
        memcpy(&w->data[w->got * 64u], io->w.data, 64);
        w->keep[w->got] = io->w.keep;
    }
    w->got++;
    bool end = w->got == w->beats;
    if (end != io->w.last && !w->bad) {
        w->bad = true;
        m->stats.bad_bursts++;
    }
    if (!end)
        return;
    uint64_t jitter =
        sim_below(sim_draw(sim_key(m->key, KEY_WR, 0, 0), w->seq), m->cfg.wr_jitter_ns + 1u);
    w->state = WR_FLY;
    w->done_ns = now_ns + m->cfg.wr_ns + jitter;
    if (w->done_ns < m->last_done_ns[w->id])
        w->done_ns = m->last_done_ns[w->id];
    m->last_done_ns[w->id] = w->done_ns;
    if (w->done_ns < m->next_done_ns)
        m->next_done_ns = w->done_ns;
    m->fill_seq++;
}

static void aw_take(struct sim_mem *m, const struct sim_io *io)
{
    struct wr *w = m->wr;
    while (w->state != WR_FREE)
        w++; // wr_max bounds it: answers that wait hold no entry
    w->state = WR_FILL;
    w->id = io->aw.id % SIM_AXI_IDS;
    w->beats = io->aw.beats ? io->aw.beats : 1;
    w->got = 0;
    w->seq = m->wr_seq++;
    w->addr = io->aw.addr & ~(uint64_t)63;
    w->bad = !burst_ok(&io->aw);
    m->stats.bad_bursts += w->bad;
    m->stats.wr_bursts++;
    m->wr_n++;
    if (m->wr_n > m->stats.wr_peak)
        m->stats.wr_peak = m->wr_n;
}

void sim_mem_drive(struct sim_mem *m, uint64_t now_ns, struct sim_io *io)
{
    rd_drive(m, now_ns, io);
    wr_drive(m, now_ns, io);
}

void sim_mem_take(struct sim_mem *m, uint64_t now_ns, const struct sim_io *io)
{
    rd_take(m, now_ns, io);
    if (io->b_valid && io->b_ready) {
        m->b_head = (m->b_head + 1) % SIM_MEM_WR_MAX;
        m->b_n--;
        m->wr_n--;
    }
    if (io->w_valid && io->w_ready)
        w_take(m, now_ns, io);
    if (io->aw_valid && io->aw_ready)
        aw_take(m, io);
}

bool sim_mem_idle(const struct sim_mem *m)
{
    return !m->rd_n && !m->wr_n;
}

bool sim_mem_written(struct sim_mem *m)
{
    bool w = m->written;
    m->written = false;
    return w;
}

const struct sim_mem_stats *sim_mem_stats(const struct sim_mem *m)
{
    return &m->stats;
}
