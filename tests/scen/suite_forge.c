// SPDX-License-Identifier: BSD-2-Clause
/*
 * suite_forge.c - the checks themselves: a good run into which one wrong thing
 * is smuggled must be told by its name.
 */
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "priv.h"
#include "suite.h"

enum forgery {
    AGAIN_KNOWN, AGAIN_OTHER, AGAIN_UNFLAGGED, TS_BACK, NUMBER_SKIPPED, WINDOW, MESSAGE_ADDRESS, PROBE_NUMBER, EPOCH,
    ACK_UNSENT, ACK_NOT_PLACED, ACK_BACK, STRANGER,
    PLACED_TWICE, PLACED_WRONG, PLACED_AWAY, NOT_PLACED, OUT_OF_ORDER,
};

static const struct {
    enum forgery what;
    const char *name;
    const char *told;
} forgeries[] = {
    {AGAIN_KNOWN, "sent again though known to have arrived", "though known"},
    {AGAIN_OTHER, "sent again with another byte", "other contents"},
    {AGAIN_UNFLAGGED, "sent again without its flag", "without flag RESENT"},
    {TS_BACK, "timestamp that stands still", "does not rise"},
    {NUMBER_SKIPPED, "number left out", "leaves out numbers"},
    {WINDOW, "packets beyond the window", "outside of the window"},
    {MESSAGE_ADDRESS, "wrong address of a payload", "address of its payload"},
    {PROBE_NUMBER, "probe with a wrong number", "PROBE does not name"},
    {EPOCH, "next epoch while the old one is open", "before the old one was closed"},
    {ACK_UNSENT, "acknowledgment of what was not sent", "was not sent"},
    {ACK_NOT_PLACED, "acknowledgment of what is not placed", "not placed"},
    {ACK_BACK, "acknowledgment that goes back", "goes back"},
    {STRANGER, "frame of no connection", "of no connection"},
    {PLACED_TWICE, "bytes placed twice", "placed again"},
    {PLACED_WRONG, "wrong bytes placed", "wrong bytes"},
    {PLACED_AWAY, "bytes placed behind a message", "no message goes"},
    {NOT_PLACED, "complete before all is placed", "complete with"},
    {OUT_OF_ORDER, "a completion left out", "no completion before"},
};

struct forge {
    struct scen *s;
    size_t data_len;  // last data frame that left
    size_t ack_len;
    uint64_t ps;
    uint8_t data[SIM_FRAME_MAX];
    uint8_t ack[SIM_FRAME_MAX];
};

enum { BASE_AT = 14 + 20 + 8, EXT_AT = BASE_AT + MR_BASE_BYTES };

/** Passes everything on and keeps copies. */
static void watch(void *ctx, enum sim_tap_at at, uint32_t nic, uint64_t ps, const uint8_t *f, size_t len)
{
    struct forge *g = ctx;
    struct mr_base b = mr_base_get(f + BASE_AT);

    wire_tap(g->s, at, nic, ps, f, len);
    if (at != SIM_TAP_TX)
        return;
    g->ps = ps;
    if (b.kind == MR_KIND_DATA) {
        memcpy(g->data, f, len);
        g->data_len = len;
    } else if (b.kind == MR_KIND_ACK) {
        memcpy(g->ack, f, len);
        g->ack_len = len;
    }
}

static void put(struct forge *g, uint8_t *frame, struct mr_base b, size_t len)
{
    mr_base_put(frame + BASE_AT, b);
    wire_tap(g->s, SIM_TAP_TX, b.kind == MR_KIND_ACK, g->ps, frame, len);
}

static struct wpath *path_of(struct forge *g, struct mr_base b)
{
    return g->s->conn[0].path[0][b.path];
}

static void forge_data(struct forge *g, enum forgery what)
{
    uint8_t *f = g->data;
    struct mr_base b = mr_base_get(f + BASE_AT);
    struct mr_data d = mr_data_get(f + EXT_AT);
    struct wpath *p = path_of(g, b);

    b.ts = p->ts + 1;
    b.flags |= MR_FLAG_RESENT;
    switch (what) {
    case AGAIN_KNOWN: p->pkt[(uint32_t)b.psn % PSNS].known_ps = g->ps - 9'000'000; break;
    case AGAIN_OTHER: f[EXT_AT + MR_DATA_BYTES + 100] ^= 1; break;
    case AGAIN_UNFLAGGED: b.flags &= (uint8_t)~MR_FLAG_RESENT; break;
    case TS_BACK: b.ts = p->ts; break;
    case NUMBER_SKIPPED: b.psn += 2; break;
    case WINDOW:
        p->una = p->una_maybe = p->next - PSNS;
        b.psn = (unsigned _BitInt(24))p->next;
        break;
    case MESSAGE_ADDRESS:
        b.psn = (unsigned _BitInt(24))p->next;
        d.addr += 64;
        mr_data_put(f + EXT_AT, d);
        break;
    case EPOCH: b.epoch++; break;
    case STRANGER: b.conn ^= 63; break;
    default:
        b.kind = MR_KIND_PATH;
        b.opcode = MR_PATHOP_PROBE;
        b.psn += 3;
        break;
    }
    put(g, f, b, g->data_len);
}

static void forge_ack(struct forge *g, enum forgery what)
{
    struct mr_base b = mr_base_get(g->ack + BASE_AT);
    struct mr_ack a = mr_ack_get(g->ack + EXT_AT);
    struct wpath *p = path_of(g, b);

    if (what == ACK_BACK) {
        b.psn -= 1;
    } else if (what == ACK_UNSENT) {
        b.psn = (unsigned _BitInt(24))(p->next + 1);
        a.edge = (uint16_t)(p->next + 1);
    } else {
        b.psn = (unsigned _BitInt(24))p->next;
        a.edge = (uint16_t)p->next;
        for (unsigned i = 0; i < PSNS; i++)
            p->pkt[i].arrived = true;
    }
    mr_ack_put(g->ack + EXT_AT, a);
    put(g, g->ack, b, g->ack_len);
}

static void forge_memory(struct forge *g, enum forgery what)
{
    struct scen *s = g->s;
    struct stream *t = &s->stream[0];
    uint32_t slot = t->done % s->conn[0].cfg.depth;
    struct msg *m = &t->msg[slot];
    uint64_t at = host_bus(s, 0, slot, true) + m->to;
    uint8_t bytes[64];

    work_byte(m->key, 0, bytes, sizeof bytes);
    bytes[5] ^= what == PLACED_WRONG;
    if (what == PLACED_AWAY)
        host_write(&s->host[1], at + m->len, bytes, sizeof bytes);
    else if (what == PLACED_WRONG)
        host_write(&s->host[1], at, bytes, sizeof bytes);
    else if (what == PLACED_TWICE)
        for (unsigned i = 0; i < 2; i++)
            host_write(&s->host[1], at, bytes, sizeof bytes);
    else if (what == NOT_PLACED)
        m->placed -= 64;
    else
        s->host[0].cqes++;  // as if it had been seen
}

static void one(unsigned i)
{
    struct scen_cfg c = scen_defaults();
    struct scen_conn k = scen_conn_defaults();
    struct scen *s = nullptr;
    enum forgery what = forgeries[i].what;

    c.name = forgeries[i].name;
    c.quiet = true;
    c.conns = &k;
    c.n_conns = 1;
    c.stop_ns = 60'000;
    if (scen_new(&c, &s)) {
        suite_case(c.name, c.engine, false, "not opened");
        return;
    }
    struct forge *g = calloc(1, sizeof *g);
    g->s = s;
    sim_link_tap(sim_link_of(s->sim), watch, g, true, true);
    scen_run_until(s, 30'000);
    if (scen_result(s)->violations)
        suite_case(c.name, c.engine, false, scen_result(s)->first);
    if (what >= PLACED_TWICE)
        forge_memory(g, what);
    else if (what >= ACK_UNSENT && what <= ACK_BACK)
        forge_ack(g, what);
    else
        forge_data(g, what);
    if (what == NOT_PLACED || what == OUT_OF_ORDER)
        scen_run_until(s, 60'000);
    suite_case(c.name, c.engine, strstr(scen_result(s)->first, forgeries[i].told) != nullptr, scen_result(s)->first);
    scen_free(s);
    free(g);
}

void suite_forge(void)
{
    for (unsigned i = 0; i < sizeof forgeries / sizeof *forgeries; i++)
        one(i);
}
