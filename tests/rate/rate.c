// SPDX-License-Identifier: BSD-2-Clause
/*
 * rate.c - how many cycles a packet costs every kernel, measured at its ports.
 *
 * A kernel is slowed, to a step in every n-th cycle, until it is what holds up
 * all the rest. How many steps it then takes per data packet is its cost: all
 * that it does for a packet of either direction, its own turns included.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "mr_defs.h"

enum { GOAL = 4, EVERY = 16, EVERY_MORE = 64 };  // cycles; a step in so many of them
#define SLACK 0.05                               // a run ends in the middle of packets

static const struct rate_load loads[] = {
    {.name = "8-byte Writes, a doorbell and a completion each", .conns = 8, .streams = 32, .bytes = 8, .mtu = 256,
     .outstanding = 8},
    {.name = "4 KiB Writes in packets of 256 bytes", .conns = 8, .streams = 32, .bytes = 4096, .mtu = 256,
     .outstanding = 2},
};

struct inst {
    const char *name;
    double items;           // per data packet
    double most;            // of them on one port
    const char *most_name;
    double waiting;         // share of cycles in which some input waits
    double cycles;          // per data packet, when this kernel holds up the rest
    bool bound;             // it never did: the true value is lower
};

static struct inst insts[ID_COUNT] = {
#define MR_INST(inst, kernel) [ID_##inst] = {.name = #inst},
#include "graph/expand.h"
};

static const unsigned consumer[ST_COUNT] = {
#define MR_LINK(T, from, out, to, in, depth) [ST_##from##__##out] = ID_##to,
#define MR_EXT_IN(T, name, to, in, depth) [ST_ext_##name] = ID_##to,
#include "graph/expand.h"
};

static const char *const port[ST_COUNT] = {
#define MR_LINK(T, from, out, to, in, depth) [ST_##from##__##out] = #in,
#define MR_EXT_IN(T, name, to, in, depth) [ST_ext_##name] = #in,
#include "graph/expand.h"
};

static unsigned packets_of(const struct rate_load *l)
{
    return (l->bytes + l->mtu - 1) / l->mtu;
}

/** Runs a load; steady state only. */
static struct rate_count run(const struct rate_load *l, unsigned slow, unsigned every, uint64_t messages)
{
    struct rate_bench *b = rate_new(l, slow, every);

    rate_run(b, 4ull * l->streams * l->outstanding);  // twice what both have outstanding
    struct rate_count c = rate_run(b, messages);
    if (rate_counter(b, MR_CNT_TX_RESENT) != 0 || rate_counter(b, MR_CNT_RX_DUP) != 0 ||
        rate_counter(b, MR_CNT_TX_PROBES) != 0) {
        fprintf(stderr, "rate: packets were sent again\n");
        exit(1);
    }
    rate_free(b);
    return c;
}

/** Cycles per data packet of one direction; both run. */
static double per_packet(const struct rate_load *l, const struct rate_count *c)
{
    return 2.0 * (double)c->cycles / (double)(c->messages * packets_of(l));
}

static void base(const struct rate_load *l, const struct rate_count *c)
{
    double packets = (double)(c->messages * packets_of(l));

    for (unsigned i = 0; i < ID_COUNT; i++) {
        insts[i].items = insts[i].most = 0;
        insts[i].most_name = "";
        insts[i].waiting = (double)c->waiting[i] / (2.0 * (double)c->cycles);
    }
    for (unsigned s = 0; s < ST_COUNT; s++) {
        struct inst *k = &insts[consumer[s]];
        double n = (double)c->taken[s] / packets;
        k->items += n;
        if (n > k->most) {
            k->most = n;
            k->most_name = port[s];
        }
    }
}

/** Slows one instance until it holds up the rest. */
static void measure(const struct rate_load *l, unsigned i, double all, uint64_t messages)
{
    struct inst *k = &insts[i];

    for (unsigned every = EVERY; every <= EVERY_MORE; every += EVERY_MORE - EVERY) {
        struct rate_count c = run(l, i, every, messages);
        k->cycles = (double)c.steps[i] / (double)(c.messages * packets_of(l));
        k->bound = per_packet(l, &c) < 2 * all;
        if (!k->bound)
            return;
    }
}

/** What to say of a kernel; `beats` are those of the wire, per data packet. */
static void verdict(const struct inst *k, double beats)
{
    // More than an item per packet of each direction on one port: they are beats, one per cycle.
    bool carries = k->most > 2 + SLACK && k->cycles < 1.1 * beats;

    if (k->bound || k->cycles <= GOAL + SLACK)
        printf("\n");
    else if (carries)
        printf("   beats\n");
    else
        printf("   %.2f over\n", k->cycles - GOAL);
}

static void print(const struct rate_load *l, const struct rate_count *c, double all)
{
    double packets = (double)(c->messages * packets_of(l));

    printf("%s: %.2f cycles per data packet in each direction, both at once (%.2f beats on the wire)\n\n", l->name, all,
           (double)c->beats / packets);
    printf("%-10s %8s  %-18s %8s %10s\n", "kernel", "items", "of them most on", "waiting", "cycles");
    for (unsigned i = 0; i < ID_COUNT; i++) {
        const struct inst *k = &insts[i];
        char most[64];
        snprintf(most, sizeof most, "%s %.2f", k->most_name, k->most);
        printf("%-10s %8.2f  %-18s %6.0f %% %s%9.2f", k->name, k->items, most, 100 * k->waiting, k->bound ? "<" : " ",
               k->cycles);
        verdict(k, (double)c->beats / packets);
    }
    printf("\n");
}

/** usage: rate [MESSAGES]; so many, after the first ones, in every run. */
int main(int argc, char **argv)
{
    uint64_t messages = argc > 1 ? strtoull(argv[1], nullptr, 0) : 2048;

    printf("Per data packet of one direction, both directions running; goal: %d cycles.\n\n", GOAL);
    for (unsigned n = 0; n < sizeof loads / sizeof *loads; n++) {
        const struct rate_load *l = &loads[n];
        uint64_t m = messages / packets_of(l) < 128 ? 128 : messages / packets_of(l);
        struct rate_count c = run(l, ID_COUNT, 1, 4 * m);
        double all = per_packet(l, &c);

        base(l, &c);
        for (unsigned i = 0; i < ID_COUNT; i++)
            measure(l, i, all, m);
        print(l, &c, all);
    }
    return 0;
}
