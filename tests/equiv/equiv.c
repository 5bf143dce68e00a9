// SPDX-License-Identifier: BSD-2-Clause
/*
 * equiv.c - the kernels run natively and the same kernels as RTL: the same
 * script ends with the same completions and the same memory. A failing scenario
 * prints its name; its seed is its place in the list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "metaroce_codes.h"
#include "run.h"

struct scenario {
    const char *name;
    unsigned streams;
    unsigned conns;
    unsigned paths;
    double loss;
    uint32_t wr_ns;
    void (*add)(struct script *s);
    bool pages;
};

/** Every small size and the ones around packet borders, one stream. */
static void add_sizes(struct script *s)
{
    static const uint32_t size[] = {0, 1, 2, 63, 64, 65, 127, 128, 255, 4095, 4096, 4097, 8191, 8192, 8193,
        12288, 40000, 65535, 65536, 65537, 99999, 100000};

    for (unsigned i = 0; i < sizeof size / sizeof *size; i++)
        script_add(s, i % 2, 0, size[i], SCRIPT_GOOD, true);
}

/** Random sizes of every magnitude, both directions. */
static void add_random(struct script *s)
{
    for (unsigned i = 0; i < 40; i++) {
        uint32_t len = script_below(s, 1u << (1 + script_below(s, 17)));
        script_add(s, i & 1, i / 2 % s->n_streams, len > 100000 ? 100000 : len, SCRIPT_GOOD, script_below(s, 4) != 0);
    }
    for (unsigned i = 0; i < 2 * s->n_streams; i++)
        script_add(s, i & 1, i / 2, script_below(s, 300), SCRIPT_GOOD, true);
}

/** One large message each way. */
static void add_large(struct script *s)
{
    script_add(s, 0, 0, 700'000, SCRIPT_GOOD, true);
    script_add(s, 1, 0, 300'000, SCRIPT_GOOD, true);
}

/** Many messages of a few bytes. */
static void add_small(struct script *s)
{
    for (unsigned i = 0; i < 120; i++)
        script_add(s, 0, i % s->n_streams, script_below(s, 80), SCRIPT_GOOD, i % 3 == 0 || i > 110);
}

static void add_zero(struct script *s)
{
    for (unsigned i = 0; i < 30; i++)
        script_add(s, i & 1, i / 2 % s->n_streams, i % 6 ? 0 : 5000, SCRIPT_GOOD, true);
}

/** Streams 0 to 4 fail, each by its own fault, between good messages; the others go on. */
static void add_faults(struct script *s)
{
    for (unsigned i = 0; i < 10; i++)
        for (unsigned k = 0; k < s->n_streams; k++) {
            enum script_fault f = i == 5 && k < 5 ? (enum script_fault)(SCRIPT_REMOTE_KEY + k) : SCRIPT_GOOD;
            script_add(s, k & 1, k, 1 + script_below(s, 9000), f, i % 3 != 1);
        }
    for (unsigned k = 5; k < s->n_streams; k++)
        script_add(s, k & 1, k, 100, SCRIPT_GOOD, true);
}

/** Every operation on every stream, both ways; the receives of some streams come late. */
static void add_ops(struct script *s)
{
    static const uint8_t op[] = {MR_OP_SEND, MR_OP_READ, MR_OP_FETCH_ADD, MR_OP_WRITE_IMM, MR_OP_WRITE, MR_OP_CMP_SWAP,
        MR_OP_SEND_IMM};

    for (unsigned i = 0; i < 14 * s->n_streams; i++) {
        unsigned k = i / 2 % s->n_streams, o = op[(i / (2 * s->n_streams) + k) % 7];
        uint32_t len = o == MR_OP_FETCH_ADD || o == MR_OP_CMP_SWAP ? 8 : script_below(s, 1u << (1 + script_below(s, 15)));
        script_add_op(s, i & 1, k, o, len, SCRIPT_GOOD, k % 3 == 2 && i > 4 * s->n_streams);
    }
}

/** The same, and Reads and Sends that the peer refuses end some streams. */
static void add_ops_faults(struct script *s)
{
    for (unsigned k = 0; k < 3; k++)
        script_add_op(s, 0, k, k == 1 ? MR_OP_READ : MR_OP_SEND, 3000, SCRIPT_GOOD, false);
    script_add_op(s, 0, 0, MR_OP_READ, 5000, SCRIPT_REMOTE_KEY, false);
    script_add_op(s, 0, 1, MR_OP_READ, 5000, SCRIPT_REMOTE_BOUNDS, false);
    script_add_op(s, 0, 2, MR_OP_SEND, 5000, SCRIPT_LOCAL_KEY, false);
    add_ops(s);
}

static const struct scenario scenarios[] = {
    {"sizes", 1, 1, 4, 0, 0, add_sizes, false},
    {"sizes, 5 % loss", 1, 1, 4, 0.05, 0, add_sizes, false},
    {"one path, 1 % loss", 1, 1, 1, 0.01, 0, add_random, false},
    {"4 streams", 4, 1, 4, 0, 0, add_random, false},
    {"8 streams, 8 paths, 1 % loss", 8, 1, 8, 0.01, 0, add_random, false},
    {"8 streams, 2 connections, 5 % loss", 8, 2, 4, 0.05, 0, add_random, false},
    {"large, 1 % loss", 1, 1, 4, 0.01, 0, add_large, false},
    {"small", 4, 1, 4, 0, 0, add_small, false},
    {"small, 5 % loss", 4, 1, 4, 0.05, 0, add_small, false},
    {"length 0, 1 % loss", 2, 1, 4, 0.01, 0, add_zero, false},
    {"faults", 7, 1, 4, 0, 0, add_faults, false},
    {"faults, 1 % loss", 7, 2, 4, 0.01, 0, add_faults, false},
    {"faults, 5 % loss", 7, 1, 4, 0.05, 0, add_faults, false},
    {"host memory that takes 5 us to write", 4, 1, 4, 0.01, 5000, add_random, false},
    {"operations", 1, 1, 4, 0, 0, add_ops, false},
    {"operations, 6 streams, 1 % loss", 6, 2, 4, 0.01, 0, add_ops, false},
    {"operations, 8 streams, 5 % loss", 8, 1, 8, 0.05, 0, add_ops, false},
    {"operations, slow host memory, 1 % loss", 4, 1, 4, 0.01, 3000, add_ops, false},
    {"operations that fail", 4, 1, 4, 0, 0, add_ops_faults, false},
    {"operations that fail, 5 % loss", 4, 1, 4, 0.05, 0, add_ops_faults, false},
    {"memory in pages, 1 % loss", 4, 1, 4, 0.01, 0, add_random, true},
    {"faults, memory in pages, 1 % loss", 7, 2, 4, 0.01, 0, add_faults, true},
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool run(const struct scenario *c, uint64_t seed)
{
    static struct script s;
    struct bench_cfg cfg = {.engine = "native", .seed = seed, .loss = c->loss, .wr_ns = c->wr_ns, .pages = c->pages, .paths = c->paths, .n_conns = c->conns,
        .n_streams = c->streams, .cq = 3};
    unsigned wrong = 0;

    for (unsigned i = 0; i < BENCH_CONNS; i++)
        cfg.conn[i] = (uint16_t)(5 + 17 * i);
    for (unsigned k = 0; k < SCRIPT_STREAMS; k++)
        cfg.stream[k] = (uint16_t)(63 - 7 * k);
    script_begin(&s, c->name, seed, c->streams);
    c->add(&s);
    script_end(&s);
    double t = seconds();
    struct bench *a = script_run(&s, &cfg, &wrong);
    double tn = seconds() - t;
    cfg.engine = "rtl";
    struct bench *b = script_run(&s, &cfg, &wrong);
    double tr = seconds() - t - tn;
    if (a && b) {
        wrong += script_compare(&s, a, b, true);
        b->side[1].user[123] ^= 1; // the comparison itself: two differences, and it sees both
        b->side[0].cpl[0].byte_len ^= 1;
        wrong += script_compare(&s, a, b, false) != 2;
    }
    printf("%-4s equiv: %-36s %3u messages, cycles native %7llu (%.1f s), rtl %7llu (%.1f s)\n", wrong ? "FAIL" : "ok",
           c->name, s.n, a ? (unsigned long long)a->steps : 0, tn, b ? (unsigned long long)b->steps : 0, tr);
    fflush(stdout);
    if (a)
        bench_free(a);
    if (b)
        bench_free(b);
    return !wrong;
}

int main(int argc, char **argv)
{
    bool ok = true;

    for (unsigned i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (argc > 1 && strcmp(argv[1], scenarios[i].name) != 0)
            continue;
        ok &= run(&scenarios[i], i + 1);
    }
    return !ok;
}
