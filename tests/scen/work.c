// SPDX-License-Identifier: BSD-2-Clause
/*
 * work.c - what the hosts do: post Writes, ring, take completions.
 */
#include <stdlib.h>
#include <string.h>

#include "priv.h"
#include "rng.h"
#include "scen_tables.h"

enum { KEY_MSG = 0x6d7367, TAG_SRC = 0x1a5, TAG_DST = 0x25a };
enum { DRAW_LEN, DRAW_FROM, DRAW_TO, DRAW_SILENT };

/** Word i of a message's contents, least significant byte first. */
static uint64_t content(uint64_t key, uint64_t i)
{
    uint64_t x = (key + i) * 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 32);
}

void work_byte(uint64_t key, uint32_t offset, uint8_t *to, size_t n)
{
    uint64_t i = offset / 8;
    unsigned skip = offset % 8;

    if (skip) {
        uint64_t w = content(key, i++);
        size_t k = 8 - skip < n ? 8 - skip : n;
        memcpy(to, (uint8_t *)&w + skip, k);
        to += k;
        n -= k;
    }
    for (; n >= 8; n -= 8, to += 8) {
        uint64_t w = content(key, i++);
        memcpy(to, &w, 8);
    }
    if (n) {
        uint64_t w = content(key, i);
        memcpy(to, &w, n);
    }
}

/* Posting. */

static bool may_post(const struct scen *s, const struct stream *t)
{
    const struct scen_conn *c = &s->conn[t->conn].cfg;

    if (t->failed || t->posted - t->done >= c->depth)
        return false;
    return c->msgs ? t->posted < c->msgs && !s->ended : scen_now(s) < s->cfg.stop_ns;
}

/** Only where another one must follow before the queue is full may a message be silent. */
static bool is_signaled(const struct stream *t, const struct scen_conn *c, uint64_t draw)
{
    bool last = !c->msgs || t->posted + 1 >= c->msgs || t->posted - t->done + 1 >= c->depth;

    return last || sim_below(draw, 100) >= c->silent;
}

static void post(struct scen *s, uint32_t stream)
{
    struct stream *t = &s->stream[stream];
    const struct scen_conn *c = &s->conn[t->conn].cfg;
    struct host *h = &s->host[t->nic];
    uint32_t slot = t->posted % c->depth;
    struct msg *m = &t->msg[slot];
    uint64_t key = sim_key(s->cfg.seed, KEY_MSG, stream, t->posted);
    uint32_t align = c->ragged ? 1 : 64;

    m->key = key;
    m->number = t->posted;
    m->len = c->len_min + (uint32_t)sim_below(sim_draw(key, DRAW_LEN), (uint64_t)c->len_max - c->len_min + 1);
    m->from = (uint16_t)(sim_below(sim_draw(key, DRAW_FROM), 4096 / align) * align);
    m->to = (uint16_t)(sim_below(sim_draw(key, DRAW_TO), 4096 / align) * align);
    m->placed = 0;
    m->widx = (uint16_t)t->posted;
    m->active = true;
    m->signaled = is_signaled(t, c, sim_draw(key, DRAW_SILENT));
    if (!m->bits)
        m->bits = calloc(c->len_max / 64 + 1, sizeof *m->bits);
    else
        memset(m->bits, 0, (m->len / 64 + 1) * sizeof *m->bits);
    struct mr_wqe w = {.opcode = MR_OP_WRITE, .flags = m->signaled ? MR_WQEF_SIGNALED : 0, .nsge = m->len != 0,
        .length = m->len, .raddr = host_va(s, stream, slot, true) + m->to, .rkey = TAG_DST,
        .sge_addr = host_va(s, stream, slot, false) + m->from, .sge_key = TAG_SRC, .sge_len = m->len};
    if (!m->bits)
        scen_wrong(s, "no memory");
    mr_wqe_put(h->sq + (size_t)t->sq * SQ_BYTES + t->posted % (1 << SQ_LOG2) * MR_WQE_BYTES, w);
    t->posted++;
    if (!t->ringing)
        h->ring[h->ring_n++] = stream;
    t->ringing = true;
}

/** True once nothing more will come of a stream. */
static bool is_finished(const struct scen *s, const struct stream *t)
{
    const struct scen_conn *c = &s->conn[t->conn].cfg;

    if (t->failed)
        return true;
    return t->done == t->posted && (c->msgs ? t->posted == c->msgs : scen_now(s) >= s->cfg.stop_ns);
}

void work_post(struct scen *s, uint32_t stream)
{
    struct stream *t = &s->stream[stream];
    const struct scen_conn *c = &s->conn[t->conn].cfg;

    if (c->batch && t->posted && t->posted - t->done + c->batch > c->depth)
        return;
    while (may_post(s, t))
        post(s, stream);
}

void work_stop(struct scen *s)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < s->n_streams; i++)
        left += !is_finished(s, &s->stream[i]);
    s->unfinished = left;
}

/** The stream's new producer index, as long as the NIC takes writes. */
static void ring(struct scen *s, struct host *h)
{
    uint32_t n = 0;

    while (n < h->ring_n) {
        struct stream *t = &s->stream[h->ring[n]];
        if (!sim_reg_post(s->sim, h->nic, MR_REG_DB_SQ, (uint32_t)t->local << 16 | (uint16_t)t->posted))
            break;
        t->ringing = false;
        n++;
    }
    h->ring_n -= n;
    memmove(h->ring, h->ring + n, h->ring_n * sizeof *h->ring);
}

/* Completions. */

/** A completion in plain integers, which print. */
struct cpl {
    uint32_t stream;
    uint32_t msg;
    uint32_t len;
    uint16_t widx;
    uint8_t opcode;
    uint8_t status;
    uint8_t flags;
};

/** A message is over without error: all of it must be there. */
static void finish(struct scen *s, uint32_t stream, struct msg *m)
{
    if (m->placed != m->len)
        scen_wrong(s, "stream %u, message %u: complete with %u of %u bytes placed", stream, m->number, m->placed, m->len);
    m->active = false;
    s->stream[stream].done++;
    s->r.messages++;
    series_add(s, &s->completed, scen_now(s), 1);
}

static void fail(struct scen *s, uint32_t stream, unsigned status)
{
    struct stream *t = &s->stream[stream];

    if (!(s->cfg.errors_ok >> status & 1))
        scen_wrong(s, "stream %u, message %u: status %u", stream, t->done, status);
    s->r.failed += t->posted - t->done;
    t->failed = true;
    s->unfinished--;
}

static void check(struct scen *s, uint32_t stream, const struct msg *m, const struct cpl *c)
{
    if (!m->signaled && !c->status)
        scen_wrong(s, "stream %u, message %u: a completion that was not asked for", stream, c->msg);
    if (c->widx != m->widx || c->opcode != MR_OP_WRITE || c->flags || c->len != m->len)
        scen_wrong(s, "stream %u, message %u: completion of entry %u, opcode %u, flags %u, %u bytes", stream, c->msg,
                   c->widx, c->opcode, c->flags, c->len);
}

static void complete(struct scen *s, struct host *h, const struct cpl *c)
{
    uint32_t stream = c->stream < h->streams ? h->by_stream[c->stream] : UINT32_MAX;

    s->r.status |= 1u << (c->status & 31);
    if (stream == UINT32_MAX) {
        scen_wrong(s, "nic %u: completion of stream %u, which sends nothing", h->nic, (unsigned)c->stream);
        return;
    }
    struct stream *t = &s->stream[stream];
    uint32_t depth = s->conn[t->conn].cfg.depth;
    if (t->failed) {
        if (c->status != MR_ERR_FLUSH)
            scen_wrong(s, "stream %u: status %u behind an error", stream, c->status);
        return;
    }
    if (c->msg - t->done >= t->posted - t->done) {
        scen_wrong(s, "stream %u: completion of message %u, outstanding are %u to %u", stream, c->msg, t->done, t->posted);
        return;
    }
    check(s, stream, &t->msg[c->msg % depth], c);
    while (t->done != c->msg) {
        if (t->msg[t->done % depth].signaled)
            scen_wrong(s, "stream %u, message %u: no completion before that of %u", stream, t->done, c->msg);
        finish(s, stream, &t->msg[t->done % depth]);
    }
    s->moved_ns = scen_now(s);
    if (c->status) {
        fail(s, stream, c->status);
        return;
    }
    finish(s, stream, &t->msg[c->msg % depth]);
    work_post(s, stream);
    s->unfinished -= is_finished(s, t);
}

static void poll(struct scen *s, struct host *h)
{
    for (;;) {
        struct mr_cqe e = mr_cqe_get(h->cq + (h->cqes & ((1 << CQ_LOG2) - 1)) * MR_CQE_BYTES);
        if (e.phase != ((h->cqes >> CQ_LOG2) % 2 == 0))
            return;
        h->cqes++;
        complete(s, h, &(struct cpl){.stream = (uint32_t)e.stream, .msg = e.msg, .len = e.byte_len, .widx = e.wqe,
            .opcode = e.opcode, .status = e.status, .flags = e.flags});
        if (h->cqes % (1 << (CQ_LOG2 - 1)) == 0 &&
            !sim_reg_post(s->sim, h->nic, MR_REG_DB_CQ, (uint32_t)TABLE_CQ << 16 | (uint16_t)h->cqes))
            scen_wrong(s, "nic %u: no room for a doorbell", h->nic);
    }
}

void work_poll(struct scen *s)
{
    for (uint32_t i = 0; i < sim_nics(s->sim); i++) {
        struct host *h = &s->host[i];
        if (h->dirty) {
            h->dirty = false;
            poll(s, h);
        }
        if (h->ring_n)
            ring(s, h);
    }
}
