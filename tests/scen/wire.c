// SPDX-License-Identifier: BSD-2-Clause
/*
 * wire.c - what passes the MACs, and what must hold of it.
 */
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "priv.h"

#define OLD_PS 1'000'000'000ull  // between timestamp and wire

/** A frame of ours, taken apart. */
struct seen {
    uint16_t sport;
    struct mr_base base;
    const uint8_t *ext;   // behind the base header
    size_t left;          // bytes from ext to the end of the frame, integrity value and padding included
    uint32_t nic;         // sender
    uint32_t to;          // receiver
    uint32_t conn;
    unsigned side;        // the sender's: 0 src, 1 dst
    uint8_t ecn;
    uint64_t ps;
    size_t len;
};

static int32_t ahead(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

/** A number of 24 bits as the one near to `near` that counts on. */
static uint32_t unwrap(uint32_t psn, uint32_t near)
{
    return near + (uint32_t)((int32_t)((psn - near) << 8) >> 8);
}

static uint64_t hash(uint64_t h, const void *p, size_t n)
{
    const uint8_t *b = p;

    for (; n >= 8; n -= 8, b += 8) {
        uint64_t w;
        memcpy(&w, b, 8);
        h = (h ^ w) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    for (; n; n--, b++)
        h = (h ^ *b) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

/** False: not ours, or of no connection of this scenario. */
static bool take_apart(struct scen *s, uint32_t nic, const uint8_t *f, size_t len, struct seen *x, bool rx)
{
    struct sim_frame_info i = sim_frame_parse(f, len);
    size_t at = i.ip + (i.version == 4 ? 20 : 40);

    if (!i.version || at + 8 + MR_BASE_BYTES > len || (f[at + 2] << 8 | f[at + 3]) != MR_WIRE_UDP_PORT)
        return false;
    uint32_t last = i.version == 4 ? i.dst[3] : i.dst[15];
    uint32_t from = i.version == 4 ? i.src[3] : i.src[15];
    x->nic = rx ? from - 1 : nic;
    x->to = rx ? nic : last - 1;
    x->ecn = i.version == 4 ? f[i.ip + 1] & 3 : (f[i.ip + 1] >> 4) & 3;
    x->sport = i.sport;
    x->base = mr_base_get(f + at + 8);
    x->ext = f + at + 8 + MR_BASE_BYTES;
    x->left = len - (at + 8 + MR_BASE_BYTES);
    x->len = len;
    if (x->nic >= sim_nics(s->sim) || x->to >= sim_nics(s->sim))
        return false;
    uint32_t index = (uint32_t)x->base.conn & 0xffff;
    x->conn = index < s->host[x->to].conns ? s->host[x->to].by_conn[index] : UINT32_MAX;
    if (x->conn == UINT32_MAX || x->base.path >= PATHS)
        return false;
    x->side = x->nic != s->conn[x->conn].cfg.src;
    return true;
}

/** The path's state in the direction that side sends data in; null without memory. */
static struct wpath *path_of(struct scen *s, const struct seen *x, unsigned side)
{
    struct wpath **p = &s->conn[x->conn].path[side][x->base.path];

    if (!*p)
        *p = calloc(1, sizeof **p);
    return *p;
}

static void wrong(struct scen *s, const struct seen *x, const char *what, uint32_t psn, long long value)
{
    scen_wrong(s, "nic %u to %u, connection %u, path %u, epoch %u, number %u: %s (%lld)", x->nic, x->to, x->conn,
               (unsigned)x->base.path, (unsigned)x->base.epoch, psn, what, value);
}

/** A packet of the epoch that follows begins it: only when the earlier one was closed. */
static void enter_epoch(struct scen *s, const struct seen *x, struct wpath *p)
{
    if (x->base.epoch == p->epoch)
        return;
    if (x->base.epoch != (uint8_t)(p->epoch + 1))
        wrong(s, x, "epoch does not follow the one before", (uint32_t)x->base.psn, p->epoch);
    if (!p->closed)
        wrong(s, x, "new epoch before the old one was closed", (uint32_t)x->base.psn, p->epoch);
    *p = (struct wpath){.epoch = x->base.epoch};
}

/** When the sender chose to send it, by its own timestamp; what waits behind the choice waits for memory and the wire. */
static uint64_t chosen_ps(const struct seen *x)
{
    uint64_t cycle = x->ps / SIM_CYCLE_PS;

    return (cycle - (uint32_t)(cycle - x->base.ts)) * SIM_CYCLE_PS;
}

static void check_ts(struct scen *s, const struct seen *x, struct wpath *p)
{
    uint32_t ts = x->base.ts;

    if (p->ts_any && ahead(ts, p->ts) <= 0)
        wrong(s, x, "timestamp does not rise", (uint32_t)x->base.psn, ahead(ts, p->ts));
    p->ts = ts;
    p->ts_any = true;
    p->rerouted |= p->sport && p->sport != x->sport;
    p->sport = x->sport;
    if (x->ps - chosen_ps(x) > OLD_PS)
        wrong(s, x, "timestamp is not of the last millisecond, ns", (uint32_t)x->base.psn, (long long)((x->ps - chosen_ps(x)) / 1000));
    if (p->close_ps && x->ps > p->close_ps)
        wrong(s, x, "sent after CLOSE, ns", (uint32_t)x->base.psn, (long long)((x->ps - p->close_ps) / 1000));
}

/* Data. */

/** Everything of a packet that its retransmissions repeat. */
static uint64_t content_hash(const struct seen *x, const struct mr_data *d)
{
    size_t n = MR_DATA_BYTES + d->pay_len;

    return hash(x->base.opcode, x->ext, n < x->left ? n : x->left);
}

/** What a first transmission says of its message. */
static void check_message(struct scen *s, const struct seen *x, const struct mr_data *d, struct wpkt *k)
{
    uint32_t psn = (uint32_t)x->base.psn;
    const struct host *to = &s->host[x->to];
    uint32_t g = d->stream < to->streams ? to->by_rx[d->stream] : UINT32_MAX;

    k->stream = UINT32_MAX;
    if (x->base.opcode != MR_OP_WRITE)
        return;
    if (g == UINT32_MAX || s->stream[g].conn != x->conn || s->stream[g].nic != x->nic) {
        wrong(s, x, "names a stream that is not the connection's", psn, (long long)d->stream);
        return;
    }
    const struct stream *t = &s->stream[g];
    uint32_t depth = s->conn[x->conn].cfg.depth;
    const struct msg *m = &t->msg[d->msg % depth];
    k->stream = g;
    if (t->failed)
        return;
    if (d->msg - t->done >= t->posted - t->done) {
        wrong(s, x, "sends a message that is not outstanding", psn, d->msg);
        return;
    }
    bool last = d->offset + d->pay_len == m->len;
    if (d->msg_len != m->len || (uint64_t)d->offset + d->pay_len > m->len)
        wrong(s, x, "length of its message", psn, d->msg_len);
    if (m->len && d->addr != host_va(s, g, d->msg % depth, true) + m->to + d->offset)
        wrong(s, x, "address of its payload", psn, d->offset);
    if (((x->base.flags & MR_FLAG_LAST) != 0) != last)
        wrong(s, x, "flag LAST", psn, d->offset);
}

static void first_time(struct scen *s, const struct seen *x, const struct mr_data *d, struct wpath *p)
{
    uint32_t out = p->next - (ahead(p->una_maybe, p->una) > 0 ? p->una_maybe : p->una);
    struct wpkt *k = &p->pkt[p->next % PSNS];

    if (out >= MR_WIRE_WINDOW)
        wrong(s, x, "outside of the window, in flight before it", (uint32_t)x->base.psn, out);
    *k = (struct wpkt){.hash = content_hash(x, d), .msg = d->msg, .offset = d->offset, .len = d->pay_len};
    check_message(s, x, d, k);
    p->next++;
    s->r.data++;
}

static void again(struct scen *s, const struct seen *x, const struct mr_data *d, struct wpath *p, uint32_t psn)
{
    struct wpkt *k = &p->pkt[psn % PSNS];

    s->r.resent++;
    if (p->next - psn > PSNS) {
        wrong(s, x, "sent again far below the window", psn, p->next - psn);
        return;
    }
    s->needless += k->intact && !p->rerouted;
    k->null |= x->base.opcode == MR_OP_NULL;  // its message has failed: nothing is placed [spec 10.2]
    if (!(x->base.flags & MR_FLAG_RESENT))
        wrong(s, x, "sent again without flag RESENT", psn, x->base.flags);
    if (k->known_ps) {
        uint64_t ps = chosen_ps(x);
        if (ps > k->known_ps + s->cfg.know_ns * 1000)
            wrong(s, x, "sent again though known to have arrived, ns ago", psn, (long long)((ps - k->known_ps) / 1000));
        return;  // its message may be over, its memory in use for another one
    }
    if (x->base.opcode != MR_OP_NULL && content_hash(x, d) != k->hash)
        wrong(s, x, "sent again with other contents", psn, d->offset);
}

static void data_tx(struct scen *s, const struct seen *x)
{
    struct wpath *p = path_of(s, x, x->side);

    if (!p || x->left < MR_DATA_BYTES)
        return;
    struct mr_data d = mr_data_get(x->ext);
    enter_epoch(s, x, p);
    check_ts(s, x, p);
    s->host[x->nic].tx_data++;
    uint32_t psn = unwrap((uint32_t)x->base.psn, p->next);
    if (psn == p->next)
        first_time(s, x, &d, p);
    else if (ahead(psn, p->next) > 0)
        wrong(s, x, "leaves out numbers", psn, ahead(psn, p->next));
    else
        again(s, x, &d, p, psn);
}

static void data_rx(struct scen *s, const struct seen *x, bool intact)
{
    struct wpath *p = path_of(s, x, x->side);
    struct host *h = &s->host[x->to];

    h->rx_ce += intact && x->ecn == 3;
    if (!p || x->base.epoch != p->epoch)
        return;
    uint32_t psn = unwrap((uint32_t)x->base.psn, p->next);
    if (p->next - psn <= PSNS && psn != p->next) {
        p->pkt[psn % PSNS].arrived = true;
        p->pkt[psn % PSNS].intact |= intact;
    }
    uint64_t now = scen_now(s);
    uint32_t port = sim_link_route(sim_link_of(s->sim), x->ext - (x->len - x->left), x->len);
    if (intact && x->left >= MR_DATA_BYTES)
        series_add(s, &s->routed[port], now, mr_data_get(x->ext).pay_len);
}

/* Acknowledgments: x->nic has received the data. */

static bool bit(const unsigned _BitInt(256) * bits, uint32_t psn)
{
    return (uint64_t)(*bits >> (psn % PSNS)) & 1;
}

static void speaks_of(struct scen *s, const struct seen *x, struct wpath *p, uint32_t psn)
{
    struct wpkt *k = &p->pkt[psn % PSNS];

    if (k->acked)
        return;
    k->acked = true;
    if (!k->arrived)
        wrong(s, x, "acknowledged and has not arrived", psn, 0);
    if (k->stream == UINT32_MAX || k->null)
        return;
    const struct stream *t = &s->stream[k->stream];
    const struct msg *m = &t->msg[k->msg % s->conn[t->conn].cfg.depth];
    if (!t->failed && m->active && m->number == k->msg && !host_has(m, k->offset, k->len))
        wrong(s, x, "acknowledged and not placed", psn, k->offset);
}

static void ack_tx(struct scen *s, const struct seen *x)
{
    struct wpath *p = path_of(s, x, !x->side);

    s->host[x->nic].tx_acks++;
    if (!p || x->base.epoch != p->epoch || x->left < MR_ACK_BYTES)
        return;
    struct mr_ack a = mr_ack_get(x->ext);
    uint32_t base = unwrap((uint32_t)x->base.psn, p->next);
    uint32_t edge = base + (uint16_t)(a.edge - base);
    if (ahead(base, p->base) < 0)
        wrong(s, x, "acknowledgment goes back", base, ahead(base, p->base));
    if (ahead(edge, p->next) > 0)
        wrong(s, x, "acknowledgment speaks of what was not sent", edge, ahead(edge, p->next));
    p->base = base;
    for (uint32_t q = ahead(p->next, PSNS) > 0 ? p->next - PSNS : 0; ahead(q, p->next) < 0; q++)
        if (ahead(q, base) < 0 || bit(&a.bits, q))
            speaks_of(s, x, p, q);
}

static void ack_rx(struct scen *s, const struct seen *x, bool intact)
{
    struct wpath *p = path_of(s, x, !x->side);

    if (!p || x->base.epoch != p->epoch || x->left < MR_ACK_BYTES)
        return;
    struct mr_ack a = mr_ack_get(x->ext);
    uint32_t base = unwrap((uint32_t)x->base.psn, p->next);
    if (ahead(base, p->next) > 0)
        return;
    if (ahead(base, p->una_maybe) > 0)
        p->una_maybe = base;
    if (!intact || ahead(base, p->una) < 0)
        return;
    if (s->r.first_ack_ns == SCEN_NS_NEVER)
        s->r.first_ack_ns = scen_now(s);
    uint64_t ps = x->ps + x->len * 8'000'000'000'000u / s->cfg.link.rate;
    uint32_t low = p->una;
    p->una = base;
    for (uint32_t q = low; ahead(q, p->next) < 0; q++)
        if (!p->pkt[q % PSNS].known_ps && (ahead(q, base) < 0 || bit(&a.bits, q)))
            p->pkt[q % PSNS].known_ps = ps;
}

/* Path control. */

static void path_tx(struct scen *s, const struct seen *x)
{
    bool mine = x->base.opcode != MR_PATHOP_CLOSED;
    struct wpath *p = path_of(s, x, mine ? x->side : !x->side);

    s->host[x->nic].tx_probes += x->base.opcode == MR_PATHOP_PROBE;
    s->r.probes += x->base.opcode == MR_PATHOP_PROBE;
    s->r.closes += x->base.opcode == MR_PATHOP_CLOSE;
    s->host[x->nic].tx_closes += x->base.opcode != MR_PATHOP_PROBE;
    if (!p)
        return;
    if (x->base.opcode == MR_PATHOP_PROBE) {
        enter_epoch(s, x, p);
        check_ts(s, x, p);
        if (unwrap((uint32_t)x->base.psn, p->next) != p->next)
            wrong(s, x, "PROBE does not name the next number", (uint32_t)x->base.psn, p->next);
    } else if (x->base.opcode == MR_PATHOP_CLOSE && x->base.epoch == p->epoch && !p->close_ps) {
        p->close_ps = x->ps;
        if (unwrap((uint32_t)x->base.psn, p->next) != p->next)
            wrong(s, x, "CLOSE does not name the next number", (uint32_t)x->base.psn, p->next);
    }
}

static void path_rx(struct scen *s, const struct seen *x)
{
    bool mine = x->base.opcode != MR_PATHOP_CLOSED;
    struct wpath *p = path_of(s, x, mine ? x->side : !x->side);

    if (p && x->base.opcode == MR_PATHOP_CLOSED && x->base.epoch == p->epoch)
        p->closed = true;
}

static void at_sender(struct scen *s, const struct seen *x)
{
    switch (x->base.kind) {
    case MR_KIND_DATA: data_tx(s, x); break;
    case MR_KIND_ACK: ack_tx(s, x); break;
    case MR_KIND_PATH: path_tx(s, x); break;
    case MR_KIND_ERROR: s->host[x->nic].tx_errors++; break;
    default: wrong(s, x, "kind", (uint32_t)x->base.psn, x->base.kind); break;
    }
}

static void at_receiver(struct scen *s, const struct seen *x, bool intact)
{
    switch (x->base.kind) {
    case MR_KIND_DATA: data_rx(s, x, intact); break;
    case MR_KIND_ACK: ack_rx(s, x, intact); break;
    case MR_KIND_PATH:
        if (intact)
            path_rx(s, x);
        break;
    default: break;
    }
}

void wire_tap(void *ctx, enum sim_tap_at at, uint32_t nic, uint64_t ps, const uint8_t *f, size_t len)
{
    struct scen *s = ctx;
    struct seen x = {.ps = ps};
    struct host *h = &s->host[nic];

    if (at == SIM_TAP_TX) {
        h->tx_frames++;
        series_add(s, &h->sent, scen_now(s), len + SIM_WIRE_EXTRA);
        if (take_apart(s, nic, f, len, &x, false))
            at_sender(s, &x);
        else
            scen_wrong(s, "nic %u: a frame of %zu bytes that is of no connection", nic, len);
        return;
    }
    h->rx_damaged += at == SIM_TAP_RX_DAMAGED;
    if (take_apart(s, nic, f, len, &x, true))
        at_receiver(s, &x, at == SIM_TAP_RX);
}
