// SPDX-License-Identifier: BSD-2-Clause
/*
 * host.c - the memory of every NIC's host. Payload is not stored: what is read
 * follows from the message, what is written is compared and its place marked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "priv.h"

#define SQ_BUS 0x000100000000u
#define CQ_BUS 0x010000000000u
#define SRC_BUS 0x100000000000u
#define DST_BUS 0x200000000000u
#define VA_OFF 0x30000001040u  // keys name other addresses than the bus does, within pages too

enum { CHUNK = 4096, CQ_BYTES = MR_CQE_BYTES << CQ_LOG2 };

uint64_t host_bus(const struct scen *s, uint32_t stream, uint32_t slot, bool target)
{
    return (target ? DST_BUS : SRC_BUS) + (((uint64_t)stream * SCEN_DEPTH_MAX + slot) << s->slot_log2);
}

uint64_t host_va(const struct scen *s, uint32_t stream, uint32_t slot, bool target)
{
    return host_bus(s, stream, slot, target) + VA_OFF;
}

uint64_t host_sq_bus(uint32_t sq)
{
    return SQ_BUS + (uint64_t)sq * SQ_BYTES;
}

uint64_t host_cq_bus(void)
{
    return CQ_BUS;
}

/* What was placed: a bit per byte. */

/** Calls for every word of the bits in [at, at + n) with the bits meant. */
#define EACH_WORD(at, n, word, mask)                                                          \
    for (uint64_t each_i = (at), each_end = each_i + (n), word, mask;                         \
         each_i < each_end &&                                                                 \
         (word = each_i / 64,                                                                 \
          mask = (~0ull << (each_i % 64)) & (each_end - word * 64 >= 64 ? ~0ull : ~(~0ull << (each_end % 64))), true); \
         each_i = (word + 1) * 64)

bool host_has(const struct msg *m, uint32_t offset, uint32_t len)
{
    if ((uint64_t)offset + len > m->len)
        return false;
    EACH_WORD(offset, len, word, mask)
        if ((m->bits[word] & mask) != mask)
            return false;
    return true;
}

/** Marks bytes as placed; how many of them were so before. */
static uint32_t mark(struct msg *m, uint32_t offset, uint32_t len)
{
    uint32_t twice = 0;

    EACH_WORD(offset, len, word, mask) {
        twice += (uint32_t)__builtin_popcountll(m->bits[word] & mask);
        m->bits[word] |= mask;
    }
    m->placed += len - twice;
    return twice;
}

/* Reads. */

/** The message whose slot an address lies in, and where in the slot; null if none has it. */
static struct msg *msg_at(struct scen *s, uint64_t at, uint32_t *stream, uint64_t *rel)
{
    uint64_t slot = at >> s->slot_log2;

    *rel = at & ((1ull << s->slot_log2) - 1);
    if (slot / SCEN_DEPTH_MAX >= s->n_streams)
        return nullptr;
    *stream = (uint32_t)(slot / SCEN_DEPTH_MAX);
    struct stream *t = &s->stream[*stream];
    uint32_t i = (uint32_t)(slot % SCEN_DEPTH_MAX);
    return i < s->conn[t->conn].cfg.depth ? &t->msg[i] : nullptr;
}

static void source(struct host *h, uint64_t addr, uint8_t *to, size_t len)
{
    struct scen *s = h->s;
    uint64_t rel;
    uint32_t stream = 0;
    struct msg *m = msg_at(s, addr - SRC_BUS, &stream, &rel);

    memset(to, 0xee, len);
    if (!m || s->stream[stream].nic != h->nic)
        return;
    uint64_t first = rel > m->from ? rel : m->from;
    uint64_t end = rel + len < m->from + (uint64_t)m->len ? rel + len : m->from + (uint64_t)m->len;
    if (first < end)
        work_byte(m->key, (uint32_t)(first - m->from), to + (first - rel), end - first);
}

static int mem_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
    struct host *h = ctx;

    if (addr >= SRC_BUS)
        source(h, addr, buf, len);
    else if (addr >= CQ_BUS)
        memcpy(buf, h->cq + (addr - CQ_BUS), len);
    else
        memcpy(buf, h->sq + (addr - SQ_BUS), len);
    return 0;
}

/* Writes. */

static void place(struct host *h, uint64_t addr, const uint8_t *buf, size_t len)
{
    struct scen *s = h->s;
    uint8_t want[CHUNK];
    uint64_t rel;
    uint32_t stream = 0;
    struct msg *m = msg_at(s, addr - DST_BUS, &stream, &rel);
    struct stream *t = &s->stream[stream];

    h->placed += len;
    if (!m || !m->active || t->peer_nic != h->nic || rel < m->to || rel + len > m->to + (uint64_t)m->len) {
        scen_wrong(s, "nic %u: %zu bytes placed at 0x%llx, where no message goes", h->nic, len, (unsigned long long)addr);
        return;
    }
    uint32_t offset = (uint32_t)(rel - m->to);
    work_byte(m->key, offset, want, len);
    if (memcmp(want, buf, len))
        scen_wrong(s, "nic %u: stream %u, message %u: wrong bytes placed at offset %u, %zu of them", h->nic, stream,
                   m->number, offset, len);
    uint32_t twice = mark(m, offset, (uint32_t)len);
    if (twice)
        scen_wrong(s, "nic %u: stream %u, message %u: %u bytes at offset %u placed again", h->nic, stream, m->number,
                   twice, offset);
    uint64_t now = scen_now(s);
    if (s->r.first_byte_ns == SCEN_NS_NEVER)
        s->r.first_byte_ns = now;
    s->r.bytes += len;
    s->moved_ns = now;
    series_add(s, &s->placed[t->conn * 2 + t->back], now, len);
}

int host_write(void *ctx, uint64_t addr, const void *buf, size_t len)
{
    struct host *h = ctx;

    if (addr >= DST_BUS) {
        for (size_t i = 0; i < len; i += CHUNK)
            place(h, addr + i, (const uint8_t *)buf + i, len - i < CHUNK ? len - i : CHUNK);
    } else if (addr >= CQ_BUS && addr < SRC_BUS) {
        memcpy(h->cq + (addr - CQ_BUS), buf, len);
        h->dirty = true;
    } else {
        scen_wrong(h->s, "nic %u: %zu bytes written to 0x%llx", h->nic, len, (unsigned long long)addr);
    }
    return 0;
}

static const struct sim_mem_ops ops = {mem_read, host_write};

int host_open(struct scen *s, uint32_t nic)
{
    struct host *h = &s->host[nic];
    struct sim_mem *m = sim_mem_of(s->sim, nic);
    uint64_t span = ((uint64_t)s->n_streams * SCEN_DEPTH_MAX) << s->slot_log2;
    int err = 0;

    h->nic = nic;
    h->s = s;
    h->cq = calloc(1, CQ_BYTES);
    h->sq = calloc(h->n_sq + 1, SQ_BYTES);
    if (!h->cq || !h->sq)
        return -ENOMEM;
    sim_mem_owner(m, &ops, h);
    err = sim_mem_map(m, SQ_BUS, (uint64_t)(h->n_sq + 1) * SQ_BYTES);
    err = err ? err : sim_mem_map(m, CQ_BUS, CQ_BYTES);
    err = err ? err : sim_mem_map(m, SRC_BUS, span);
    return err ? err : sim_mem_map(m, DST_BUS, span);
}

void host_close(struct host *h)
{
    free(h->sq);
    free(h->cq);
    free(h->by_conn);
    free(h->by_stream);
    free(h->by_rx);
    free(h->ring);
    free(h->sent.v);
}
