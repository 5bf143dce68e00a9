// SPDX-License-Identifier: BSD-2-Clause
#include "native_dma.h"

#include <string.h>

static_assert(sizeof(((struct rd_beat *)0)->data) == 64);
static_assert(sizeof(((struct wr_beat *)0)->data) == 64);

void ndma_init(struct ndma *d)
{
    *d = (struct ndma){};
    d->rd[0].pop = mr_nic_pop_wqe_rd_req;
    d->rd[0].push = mr_nic_push_wqe_rd_beat;
    d->rd[1].pop = mr_nic_pop_pay_rd_req;
    d->rd[1].push = mr_nic_push_pay_rd_beat;
    d->wr[0].pop = mr_nic_pop_pay_wr_req;
    d->wr[0].pop_beat = mr_nic_pop_pay_wr_beat;
    d->wr[0].push = mr_nic_push_pay_wr_done;
    d->wr[1].pop = mr_nic_pop_cqe_wr_req;
    d->wr[1].pop_beat = mr_nic_pop_cqe_wr_beat;
    d->wr[1].push = mr_nic_push_cqe_wr_done;
    for (int i = 0; i < NDMA_CHANNELS; i++)
        d->rd[i].credit = NDMA_RD_BEATS;
}

static struct ndma_cut cut_of(uint64_t addr, uint32_t len)
{
    return (struct ndma_cut){addr & ~(uint64_t)63, (uint32_t)((addr % 64 + len + 63) / 64)};
}

/** Beats of the next burst: up to a 4 KiB boundary. */
static uint32_t cut_next(const struct ndma_cut *c)
{
    uint32_t room = (uint32_t)(4096 - c->addr % 4096) / 64;
    uint32_t n = c->beats < room ? c->beats : room;
    return n < NDMA_BURST ? n : NDMA_BURST;
}

static void cut_take(struct ndma_cut *c, uint32_t n)
{
    c->addr += n * 64u;
    c->beats -= n;
}

/* Reads. */

static void rd_requests(struct ndma_rd *c, struct mr_nic *nic)
{
    struct rd_req q;
    if (c->cut.beats || c->open_n == NDMA_OPEN || !c->pop(nic, &q))
        return;
    c->cut = cut_of(q.addr, q.len);
    c->open[(c->open_head + c->open_n++) % NDMA_OPEN] = c->cut.beats;
}

static void rd_grant(struct ndma *d)
{
    for (int i = 1; i <= NDMA_CHANNELS; i++) {
        uint8_t id = (uint8_t)((d->rd_turn + i) % NDMA_CHANNELS);
        struct ndma_rd *c = &d->rd[id];
        uint32_t n = cut_next(&c->cut);
        if (!n || c->credit < n)
            continue;
        d->ar = (struct sim_burst){c->cut.addr, (uint16_t)n, id};
        d->ar_held = true;
        d->rd_turn = id;
        c->credit -= n;
        cut_take(&c->cut, n);
        return;
    }
}

static void rd_beat_in(struct ndma_rd *c, const struct sim_io *io)
{
    struct rd_beat *b = &c->buf[(c->head + c->n++) % NDMA_RD_BEATS];
    uint32_t *left = &c->open[c->open_head];
    c->err |= io->r.err;
    memcpy(&b->data, io->r.data, 64);
    b->last = --*left == 0;
    b->err = b->last && c->err;
    if (!b->last)
        return;
    c->err = false;
    c->open_head = (c->open_head + 1) % NDMA_OPEN;
    c->open_n--;
}

static void rd_cycle(struct ndma *d, struct mr_nic *nic, struct sim_io *io)
{
    for (int i = 0; i < NDMA_CHANNELS; i++) {
        struct ndma_rd *c = &d->rd[i];
        rd_requests(c, nic);
        if (c->n && c->push(nic, &c->buf[c->head])) {
            c->head = (c->head + 1) % NDMA_RD_BEATS;
            c->n--;
            c->credit++;
        }
    }
    if (!d->ar_held)
        rd_grant(d);
    io->ar_valid = d->ar_held;
    io->ar = d->ar;
    if (io->ar_ready)
        d->ar_held = false;
    io->r_ready = true; // room was granted with the burst
    if (io->r_valid && io->r.id < NDMA_CHANNELS)
        rd_beat_in(&d->rd[io->r.id], io);
}

/* Writes. */

static void wr_requests(struct ndma_wr *c, struct mr_nic *nic)
{
    struct wr_req q;
    if (!c->cut.beats && c->pop(nic, &q))
        c->cut = cut_of(q.addr, q.len);
    if (c->n < NDMA_WR_BEATS && c->pop_beat(nic, &c->buf[(c->head + c->n) % NDMA_WR_BEATS]))
        c->n++;
    if (c->done_n && c->push(nic, &c->done[c->done_head])) {
        c->done_head = (c->done_head + 1) % NDMA_OPEN;
        c->done_n--;
    }
}

/** A burst is announced when all its data are here, so no channel holds up the other. */
static void wr_grant(struct ndma *d)
{
    for (int i = 1; i <= NDMA_CHANNELS; i++) {
        uint8_t id = (uint8_t)((d->wr_turn + i) % NDMA_CHANNELS);
        struct ndma_wr *c = &d->wr[id];
        uint32_t n = cut_next(&c->cut);
        // the answers of open bursts need room among the done ones
        if (!n || c->n < n || c->open_n + c->done_n >= NDMA_OPEN)
            continue;
        d->aw = (struct sim_burst){c->cut.addr, (uint16_t)n, id};
        d->aw_held = true;
        d->w_left = n;
        d->wr_turn = id;
        cut_take(&c->cut, n);
        c->open[(c->open_head + c->open_n++) % NDMA_OPEN] = c->cut.beats == 0;
        return;
    }
}

static void w_cycle(struct ndma *d, struct sim_io *io)
{
    io->w_valid = d->w_left != 0;
    if (!io->w_valid)
        return;
    struct ndma_wr *c = &d->wr[d->aw.id];
    const struct wr_beat *b = &c->buf[c->head];
    memcpy(io->w.data, &b->data, 64);
    io->w.keep = (uint64_t)b->keep;
    io->w.last = d->w_left == 1;
    if (!io->w_ready)
        return;
    c->head = (c->head + 1) % NDMA_WR_BEATS;
    c->n--;
    d->w_left--;
}

static void b_cycle(struct ndma *d, struct sim_io *io)
{
    io->b_ready = true;
    if (!io->b_valid || io->b.id >= NDMA_CHANNELS)
        return;
    struct ndma_wr *c = &d->wr[io->b.id];
    bool ends = c->open[c->open_head];
    c->open_head = (c->open_head + 1) % NDMA_OPEN;
    c->open_n--;
    c->err |= io->b.err;
    if (!ends)
        return;
    c->done[(c->done_head + c->done_n++) % NDMA_OPEN] = (struct wr_done){.err = c->err};
    c->err = false;
}

static void wr_cycle(struct ndma *d, struct mr_nic *nic, struct sim_io *io)
{
    for (int i = 0; i < NDMA_CHANNELS; i++)
        wr_requests(&d->wr[i], nic);
    if (!d->aw_held && !d->w_left)
        wr_grant(d);
    io->aw_valid = d->aw_held;
    io->aw = d->aw;
    if (io->aw_ready)
        d->aw_held = false;
    w_cycle(d, io);
    b_cycle(d, io);
}

void ndma_cycle(struct ndma *d, struct mr_nic *nic, struct sim_io *io)
{
    rd_cycle(d, nic, io);
    wr_cycle(d, nic, io);
}
