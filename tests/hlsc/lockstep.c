// SPDX-License-Identifier: BSD-2-Clause
/*
 * lockstep.c - drives a batch: random inputs with random back-pressure, every
 * output compared in every cycle. `lockstep [-c CYCLES] [-s SEED] [-q] [-x NAME]`.
 *
 * The RTL has a two-entry FIFO behind each output; the native side gets a model
 * of it here. A kernel that differs is reported once and then left alone.
 */
#include "lockstep.h"
#include "port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>



enum { MAX_PORTS = 64, MAX_WORDS = 4096 };

struct fifo {
    uint32_t item[2][MAX_WORDS]; // [0] is the head
    int n;
};

struct run {
    const struct kut *k;
    void *state;
    struct fifo *fifo; // per port
    uint64_t rnd;
    unsigned valid_pct[MAX_PORTS], ready_pct[MAX_PORTS]; // of 16
    uint64_t taken, given;
    bool failed;
};

static uint64_t next_random(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static bool get_bit(const uint32_t *p, unsigned i)
{
    return (p[i / 32] >> (i % 32)) & 1;
}

static void set_bit(uint32_t *p, unsigned i, bool v)
{
    p[i / 32] = (p[i / 32] & ~(1u << (i % 32))) | ((uint32_t)v << (i % 32));
}

static void copy_bits(uint32_t *dst, unsigned to, const uint32_t *src, unsigned from, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        set_bit(dst, to + i, get_bit(src, from + i));
}

/** Random bits: fully random, sparse, dense, or a few bits changed. */
static void randomise(struct run *r, uint32_t *pins, unsigned lo, unsigned w)
{
    unsigned style = (unsigned)next_random(&r->rnd) & 7;
    if (style == 7) {
        for (int i = 0; i < 3; i++) {
            unsigned b = lo + (unsigned)(next_random(&r->rnd) % w);
            set_bit(pins, b, !get_bit(pins, b));
        }
        return;
    }
    for (unsigned i = 0; i < w; i += 32) {
        uint32_t v = (uint32_t)next_random(&r->rnd);
        if (style == 5)
            v &= (uint32_t)next_random(&r->rnd) & (uint32_t)next_random(&r->rnd);
        if (style == 6)
            v |= (uint32_t)next_random(&r->rnd) | (uint32_t)next_random(&r->rnd);
        copy_bits(pins, lo + i, &v, 0, w - i < 32 ? w - i : 32);
    }
}

/** Every few hundred cycles other odds for each port, so that full and empty both happen. */
static void new_odds(struct run *r)
{
    static const unsigned odds[] = {1, 4, 8, 12, 15, 16, 16};
    for (int p = 0; p < MAX_PORTS; p++) {
        r->valid_pct[p] = odds[next_random(&r->rnd) % 7];
        r->ready_pct[p] = odds[next_random(&r->rnd) % 7];
    }
}

static void drive(struct run *r, uint32_t *in, unsigned cycle)
{
    int n = 0;
    if (cycle % 256 == 0)
        new_odds(r);
    for (const struct hlsc_port *p = r->k->ports; p->name; p++, n++) {
        unsigned dice = (unsigned)next_random(&r->rnd) & 15;
        if (p->kind == 'i') {
            randomise(r, in, p->in_lo, p->width);
            set_bit(in, p->in_lo + p->width, dice < r->valid_pct[n]);
        } else if (p->kind == 'o') {
            set_bit(in, p->in_lo, dice < r->ready_pct[n]);
        } else if (p->kind == 'c' && cycle % 16 == 0) {
            randomise(r, in, p->in_lo, p->width);
        }
    }
}

/** Name of the first port whose pins differ, or nullptr. */
static const char *compare(struct run *r, const uint32_t *rtl, const uint32_t *native)
{
    int n = 0;
    for (const struct hlsc_port *p = r->k->ports; p->name; p++, n++) {
        if (p->kind == 'i' && get_bit(rtl, p->out_lo) != get_bit(native, p->out_lo))
            return p->name;
        for (unsigned i = 0; p->kind == 's' && i < p->width; i++)
            if (get_bit(rtl, p->out_lo + i) != get_bit(native, p->out_lo + i))
                return p->name;
        if (p->kind != 'o')
            continue;
        struct fifo *f = &r->fifo[n];
        if (get_bit(rtl, p->out_lo + p->width) != (f->n > 0))
            return p->name;
        for (unsigned i = 0; f->n && i < p->width; i++)
            if (get_bit(rtl, p->out_lo + i) != get_bit(f->item[0], i))
                return p->name;
    }
    return nullptr;
}

/** One cycle of the native kernel with its FIFOs; `out` gets its pins. */
static void native_cycle(struct run *r, const uint32_t *pins, uint32_t *out)
{
    static uint32_t in[MAX_WORDS];
    const struct kut *k = r->k;
    int n = 0;
    memcpy(in, pins, pin_words(k->in_bits) * 4);
    for (const struct hlsc_port *p = k->ports; p->name; p++, n++)
        if (p->kind == 'o')
            set_bit(in, p->in_lo, r->fifo[n].n < 2);
    k->get_stats(r->state, out);
    k->set_inputs(r->state, in);
    k->step(r->state);
    k->get_outputs(r->state, out);
}

static void fifo_edge(struct run *r, const uint32_t *in, const uint32_t *out)
{
    int n = 0;
    for (const struct hlsc_port *p = r->k->ports; p->name; p++, n++) {
        struct fifo *f = &r->fifo[n];
        if (p->kind == 'i')
            r->taken += get_bit(out, p->out_lo);
        if (p->kind != 'o')
            continue;
        bool push = get_bit(out, p->out_lo + p->width) && f->n < 2, pop = f->n && get_bit(in, p->in_lo);
        if (pop) {
            memcpy(f->item[0], f->item[1], pin_words(p->width) * 4);
            f->n--;
        }
        if (push)
            copy_bits(f->item[f->n++], 0, out, p->out_lo, p->width);
        r->given += push;
    }
}

static void cycle(struct run *r, int count, unsigned c, bool quiet)
{
    static uint32_t out[MAX_WORDS];
    for (int i = 0; i < count; i++)
        drive(&r[i], rtl_in(i), c);
    rtl_clock(); // also the edge of the previous cycle
    for (int i = 0; i < count; i++) {
        if (r[i].failed)
            continue;
        native_cycle(&r[i], rtl_in(i), out);
        const char *port = compare(&r[i], rtl_out(i), out);
        if (port) {
            r[i].failed = true;
            if (!quiet)
                printf("%s: cycle %u: port '%s' differs\n", r[i].k->name, c, port);
        }
        fifo_edge(&r[i], rtl_in(i), out);
    }
}

static void reset(struct run *r, int count)
{
    rtl_open();
    rtl_reset(0);
    for (int i = 0; i < count; i++)
        memset(rtl_in(i), 0, pin_words(r[i].k->in_bits) * 4);
    rtl_clock();
    rtl_clock();
    rtl_clock();
    rtl_reset(1); // with inputs at zero: the first cycle takes the first random ones

}

int main(int argc, char **argv)
{
    unsigned cycles = 5000, passed = 0, failed = 0, idle = 0;
    uint64_t seed = 1;
    bool quiet = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-c") && i + 1 < argc)
            cycles = (unsigned)atoi(argv[++i]);
        else if (!strcmp(argv[i], "-s") && i + 1 < argc)
            seed = strtoull(argv[++i], nullptr, 0);
        else if (!strcmp(argv[i], "-q"))
            quiet = true;
        else
            return 2;
    }
    int count = 0;
    while (kuts[count])
        count++;
    struct run *r = calloc((size_t)count, sizeof *r);
    for (int i = 0; i < count; i++) {
        r[i] = (struct run){.k = kuts[i], .state = calloc(1, kuts[i]->size),
                            .fifo = calloc(MAX_PORTS, sizeof(struct fifo)), .rnd = seed * 1000003 + (uint64_t)i};
        if (pin_words(kuts[i]->in_bits) > MAX_WORDS || pin_words(kuts[i]->out_bits) > MAX_WORDS)
            return fprintf(stderr, "%s: more than %d words of pins\n", kuts[i]->name, MAX_WORDS), 2;
    }
    reset(r, count);
    for (unsigned c = 0; c < cycles; c++)
        cycle(r, count, c, quiet);
    for (int i = 0; i < count; i++) {
        passed += !r[i].failed;
        failed += r[i].failed;
        idle += !r[i].given && !r[i].failed;
        if (!quiet && count < 40)
            printf("%-20s %s, %llu taken, %llu given\n", r[i].k->name, r[i].failed ? "FAILED" : "ok",
                   (unsigned long long)r[i].taken, (unsigned long long)r[i].given);
    }
    if (trace_calls)
        printf("TRACE %lu steps replayed, %lu words differ\n", trace_calls, trace_differences);
    failed += trace_differences != 0;
    printf("LOCKSTEP %u passed, %u failed, %u without output, %u cycles, seed %llu\n", passed, failed, idle, cycles,
           (unsigned long long)seed);
    return failed != 0;
}
