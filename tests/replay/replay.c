// SPDX-License-Identifier: BSD-2-Clause
/*
 * replay.c - steps a native copy of every recorded kernel with the inputs that
 * its RTL saw, and compares every output of every cycle.
 *
 *     replay [--only INSTANCE] FILE...    all, or the instances of that name
 *     replay --may-idle FILE...          all; one that moved nothing is no failure: a host that only
 *                                         receives leaves part of its NIC at rest
 *     replay --flip N FILE                N times one recorded output bit is changed: must be reported;
 *                                         the instances take turns, 0: each once
 *     replay --flip-in INSTANCE N FILE    N times one bit of an item that it took: the same
 *
 * Each line is one check, `ok` or `FAIL`. Exit status 1: one failed; 2: a file
 * or the command line is bad.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "mr_ids.h"
#include "rng.h"
#include "trace.h"

enum { PORTS = 64, WORDS = SIM_TRACE_BITS / 32 + 2 };

/** Where a recorded bit is changed. */
struct flip {
    uint32_t id;
    uint64_t record;  // of its instance, from 0
    bool in;
    uint32_t bit;
    uint64_t cycle;  // found while replaying
};

struct inst {
    const struct kernel *k;
    const char *name;
    void *state;
    unsigned n_ports;
    struct port port[PORTS];
    uint64_t moved[PORTS];  // items taken or given
    uint64_t records, cycles, wrong;
    // the first mismatch
    uint64_t bad_cycle;
    unsigned bad_port;
    uint32_t got[WORDS], want[WORDS];
};

struct replay {
    const char *only;
    const struct flip *flip;
    uint64_t flip_cycle;
    struct inst *inst[SIM_TRACE_IDS];
};

static bool bit(const uint32_t *pins, uint32_t n)
{
    return pins[n / 32] >> (n % 32) & 1;
}

/** Bits of a port among the outputs, its handshake included. */
static uint32_t out_span(const struct port *p)
{
    return p->kind == 'i' ? 1 : p->kind == 'o' ? p->width + 1 : p->kind == 's' ? p->width : 0;
}

static bool moves(const struct port *p, const uint32_t *in, const uint32_t *out)
{
    return p->kind == 'i'   ? bit(in, p->in_lo + p->width) && bit(out, p->out_lo)
           : p->kind == 'o' ? bit(out, p->out_lo + p->width) && bit(in, p->in_lo)
                            : false;
}

/* ---- replaying ---- */

static const char *base_of(const char *path)
{
    const char *s = strrchr(path, '/');
    return s ? s + 1 : path;
}

static bool inst_open(struct replay *r, const struct sim_trace_rec *rec)
{
    size_t n = sizeof mr_trace_ids / sizeof *mr_trace_ids;
    const struct kernel *k = kernel_find(rec->kernel);
    const char *name = rec->id < n ? mr_trace_ids[rec->id].inst : nullptr;
    struct inst *i;

    if (!k || !name || strcmp(mr_trace_ids[rec->id].kernel, rec->kernel) != 0 || k->in_bits != rec->in_bits ||
        k->out_bits != rec->out_bits) {
        fprintf(stderr, "replay: instance %u, kernel %s: not of this build\n", rec->id, rec->kernel);
        return false;
    }
    if ((r->only && strcmp(r->only, name) != 0) || (r->flip && r->flip->id != rec->id))
        return true;
    i = r->inst[rec->id] = calloc(1, sizeof *i);
    if (!i)
        abort();
    i->k = k;
    i->name = name;
    i->state = aligned_alloc(64, (k->size + 63) / 64 * 64);
    if (!i->state)
        abort();
    memset(i->state, 0, k->size);
    while (i->n_ports < PORTS && kernel_port(k, i->n_ports, &i->port[i->n_ports]))
        i->n_ports++;
    return true;
}

static void note(struct inst *i, const uint32_t *got, const uint32_t *want)
{
    if (i->wrong++)
        return;
    size_t bytes = (i->k->out_bits + 31) / 32 * 4;
    i->bad_cycle = i->cycles;
    memcpy(i->got, got, bytes);
    memcpy(i->want, want, bytes);
    for (i->bad_port = 0; i->bad_port < i->n_ports; i->bad_port++) {
        const struct port *p = &i->port[i->bad_port];
        for (uint32_t b = p->out_lo; b < p->out_lo + out_span(p); b++)
            if (bit(got, b) != bit(want, b))
                return;
    }
}

static void cycle(struct inst *i, const uint32_t *in, const uint32_t *want)
{
    uint32_t got[WORDS] = {};
    uint32_t words = (i->k->out_bits + 31) / 32;

    i->k->get_stats(i->state, got);
    i->k->set_inputs(i->state, in);
    i->k->step(i->state);
    i->k->get_outputs(i->state, got);
    for (uint32_t w = 0; w < words; w++) {
        uint32_t left = i->k->out_bits - 32 * w;
        if ((got[w] ^ want[w]) & (left < 32 ? (1u << left) - 1 : UINT32_MAX)) {
            note(i, got, want);
            break;
        }
    }
    for (unsigned n = 0; n < i->n_ports; n++)
        i->moved[n] += moves(&i->port[n], in, want);
    i->cycles++;
}

static void data(struct replay *r, struct inst *i, const struct sim_trace_rec *rec)
{
    static uint32_t in[WORDS], out[WORDS]; // a word to spare: glue may look one further
    uint32_t no = (rec->out_bits + 31) / 32 * 4;

    memcpy(in, rec->in, (rec->in_bits + 31) / 32 * 4);
    memcpy(out, rec->out, no);
    const struct flip *f = r->flip && r->flip->record == i->records ? r->flip : nullptr;
    uint64_t n = rec->cycles;
    if (f) {
        uint32_t *pins = f->in ? in : out;
        r->flip_cycle = i->cycles;
        pins[f->bit / 32] ^= 1u << (f->bit % 32);
        cycle(i, in, out);
        pins[f->bit / 32] ^= 1u << (f->bit % 32);
        n--;
    }
    while (n--)
        cycle(i, in, out);
    i->records++;
}

/** False: the file is bad. */
static bool replay_file(struct replay *r, const char *path)
{
    struct sim_trace_reader *t = sim_trace_read_open(path);
    struct sim_trace_rec rec;
    bool begun = false, over = false, ok = true;
    uint64_t skipped = 0;
    int got = -1;

    if (!t) {
        perror(path);
        return false;
    }
    while (ok && (got = sim_trace_next(t, &rec)) == 1) {
        if (rec.kind == SIM_TRACE_INST) {
            ok = inst_open(r, &rec);
        } else if (rec.kind == SIM_TRACE_RESET) {
            over = begun; // it keeps memories, which a native kernel cannot do
        } else if (rec.kind == SIM_TRACE_DATA) {
            begun = true;
            skipped += over ? rec.cycles : 0;
            if (r->inst[rec.id] && !over)
                data(r, r->inst[rec.id], &rec);
        }
    }
    if (got < 0 && ok)
        fprintf(stderr, "replay: %s: damaged or cut off\n", path);
    if (skipped && !r->flip)
        printf("     replay: %s: %" PRIu64 " cycles of kernels behind a reset are not replayed\n", base_of(path), skipped);
    sim_trace_read_close(t);
    return ok && got == 0;
}

static void replay_free(struct replay *r)
{
    for (unsigned id = 0; id < SIM_TRACE_IDS; id++)
        if (r->inst[id]) {
            free(r->inst[id]->state);
            free(r->inst[id]);
        }
}

/* ---- telling ---- */

static void print_pins(const char *what, const struct port *p, const uint32_t *pins)
{
    uint32_t w = p->kind == 'i' ? 0 : p->width;

    printf("    %s %s: ", what, p->kind == 'i' ? "ready" : p->kind == 'o' ? "valid, data" : "value");
    if (p->kind != 's')
        printf("%d", bit(pins, p->out_lo + w));
    if (w)
        printf(" 0x");
    for (uint32_t d = (w + 3) / 4; d--;) {
        unsigned v = 0;
        for (uint32_t b = 0; b < 4 && 4 * d + b < w; b++)
            v |= (unsigned)bit(pins, p->out_lo + 4 * d + b) << b;
        printf("%x", v);
    }
    putchar('\n');
}

/** One instance; true if it is as recorded and did something, or may be idle. */
static bool tell(const char *path, const struct inst *i, bool may_idle)
{
    uint64_t all = 0;

    for (unsigned n = 0; n < i->n_ports; n++)
        all += i->moved[n];
    bool ok = !i->wrong && (all || may_idle);
    printf("%-4s replay: %s %-8s %7" PRIu64 " cycles, %6" PRIu64 " transactions:", ok ? "ok" : "FAIL", path, i->name,
           i->cycles, all);
    for (unsigned n = 0; n < i->n_ports; n++)
        if (i->port[n].kind == 'i' || i->port[n].kind == 'o')
            printf(" %s %" PRIu64, i->port[n].name, i->moved[n]);
    printf("; %" PRIu64 " mismatches\n", i->wrong);
    if (i->wrong && i->bad_port < i->n_ports) {
        const struct port *p = &i->port[i->bad_port];
        printf("    first in cycle %" PRIu64 ", port %s\n", i->bad_cycle, p->name);
        print_pins("recorded", p, i->want);
        print_pins("native  ", p, i->got);
    }
    return ok;
}

static int replay_all(int n, char **path, const char *only, bool may_idle)
{
    int status = 0;

    for (int f = 0; f < n; f++) {
        struct replay r = {.only = only};
        unsigned seen = 0;
        bool ok = replay_file(&r, path[f]);
        for (unsigned id = 0; id < SIM_TRACE_IDS; id++)
            if (r.inst[id]) {
                seen++;
                status |= !tell(base_of(path[f]), r.inst[id], may_idle);
            }
        replay_free(&r);
        if (!ok || !seen || (!only && seen != sizeof mr_trace_ids / sizeof *mr_trace_ids)) {
            printf("FAIL replay: %s: bad file, or instances are missing (%u seen)\n", path[f], seen);
            return 2;
        }
    }
    return status;
}

/* ---- changed records ---- */

/** Picks a record for the flip; false: the file is bad or has none that will do. */
static bool flip_pick(const char *path, uint64_t key, struct flip *f)
{
    struct sim_trace_reader *t = sim_trace_read_open(path);
    struct sim_trace_rec rec;
    uint64_t at = 0, fit = 0;
    const struct kernel *k = kernel_find(mr_trace_ids[f->id].kernel);
    struct port p;

    if (!t || !kernel_port(k, 0, &p)) {
        perror(path);
        return false;
    }
    while (sim_trace_next(t, &rec) == 1) {
        if (rec.kind != SIM_TRACE_DATA || rec.id != f->id)
            continue;
        // One of all that fit, evenly; for inputs, those in which the first port's item was taken.
        if (!f->in || moves(&p, rec.in, rec.out)) {
            fit++;
            if (sim_below(sim_draw(key, fit), fit) == 0)
                f->record = at;
        }
        at++;
    }
    sim_trace_read_close(t);
    f->bit = (uint32_t)(f->in ? p.in_lo + sim_below(sim_draw(key, ~0ull), 8)
                              : sim_below(sim_draw(key, ~0ull), k->out_bits));
    return fit != 0;
}

/** One changed bit of an output is one mismatch in that very cycle; one of an input shows in it or later. */
static bool flip_run(const char *path, uint64_t key, struct flip *f)
{
    struct replay r = {.flip = f};
    bool ok = flip_pick(path, key, f) && replay_file(&r, path);
    const struct inst *i = r.inst[f->id];

    ok = ok && i && (f->in ? i->wrong && i->bad_cycle >= r.flip_cycle : i->wrong == 1 && i->bad_cycle == r.flip_cycle);
    if (i)
        printf("%-4s replay: %s %-8s %s bit %u changed in cycle %" PRIu64 ": %" PRIu64
               " mismatches, the first in cycle %" PRIu64 ", port %s\n",
               ok ? "ok" : "FAIL", base_of(path), i->name, f->in ? "input" : "output", f->bit, r.flip_cycle, i->wrong,
               i->bad_cycle, i->wrong && i->bad_port < i->n_ports ? i->port[i->bad_port].name : "none");
    else
        printf("FAIL replay: %s: nothing to change\n", path);
    replay_free(&r);
    return ok;
}

static int flips(const char *path, const char *in, unsigned long n)
{
    uint32_t insts = sizeof mr_trace_ids / sizeof *mr_trace_ids;
    int status = 0;

    for (uint32_t j = 0; j < (n ? n : insts); j++) {
        uint64_t key = sim_key(j, in != nullptr, 0, 0);
        struct flip f = {.in = in != nullptr, .id = j % insts};
        for (uint32_t id = 0; in && id < insts; id++)
            if (strcmp(mr_trace_ids[id].inst, in) == 0)
                f.id = id;
        status |= !flip_run(path, key, &f);
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--flip") == 0)
        return flips(argv[3], nullptr, strtoul(argv[2], nullptr, 10));
    if (argc == 5 && strcmp(argv[1], "--flip-in") == 0)
        return flips(argv[4], argv[2], strtoul(argv[3], nullptr, 10));
    if (argc >= 4 && strcmp(argv[1], "--only") == 0)
        return replay_all(argc - 3, argv + 3, argv[2], false);
    if (argc >= 3 && strcmp(argv[1], "--may-idle") == 0)
        return replay_all(argc - 2, argv + 2, nullptr, true);
    if (argc >= 2 && argv[1][0] != '-')
        return replay_all(argc - 1, argv + 1, nullptr, false);
    fputs("replay [--only INSTANCE | --may-idle] FILE... | --flip N FILE | --flip-in INSTANCE N FILE\n", stderr);
    return 2;
}
