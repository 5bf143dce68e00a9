// SPDX-License-Identifier: BSD-2-Clause
/*
 * record.c - records what every kernel of two RTL NICs saw while 1 MiB went from
 * one host to the other over 4 routes with 1 % loss, with small messages and
 * failing ones beside it in both directions; then a tail loss and a failing
 * read of the host's memory.
 *
 *     record FILE    FILE "run.mrt" becomes run.0.mrt and run.1.mrt
 */
#include <stdio.h>
#include <string.h>

#include "run.h"

static void fill(struct script *s)
{
    script_add(s, 0, 0, 1 << 20, SCRIPT_GOOD, true);
    for (unsigned i = 0; i < 12; i++) {
        script_add(s, 1, 1, script_below(s, 6000), SCRIPT_GOOD, i % 3 != 0);
        script_add(s, 0, 2, script_below(s, 200), SCRIPT_GOOD, i % 2 != 0);
    }
    script_add(s, 1, 1, 100'000, SCRIPT_GOOD, true);
    // A receive that comes late, on both sides: a stream has to wait.
    script_add_op(s, 0, 2, MR_OP_SEND, 3000, SCRIPT_GOOD, true);
    script_add_op(s, 1, 2, MR_OP_SEND, 3000, SCRIPT_GOOD, true);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned k = 0; k < 4; k++) {
            script_add(s, side, 3 + k, 3000, SCRIPT_GOOD, true);
            script_add(s, side, 3 + k, 5000, (enum script_fault)(SCRIPT_REMOTE_KEY + k), k & 1);
            script_add(s, side, 3 + k, 700, SCRIPT_GOOD, true);
        }
}

/** Waits for one more completion of host 0; true if it has that status. */
static bool next_is(struct bench *b, unsigned status)
{
    uint32_t n = b->side[0].n_cpl;

    return bench_until(b, (uint32_t[]){n + 1, 0}, 1'000'000) && b->side[0].cpl[n].status == status;
}

/** A message whose packets are all lost: a probe finds out. */
static bool tail_loss(struct bench *b)
{
    struct sim_link *l = sim_link_of(b->sim);

    for (uint32_t r = 0; r < sim_link_cfg(l)->routes; r++)
        sim_link_lane(l, 0, 1, r)->loss = 1;
    bench_post(b, 0, 0, bench_wqe(0, SCRIPT_USER - 4096, 100));
    bench_until(b, (uint32_t[]){UINT32_MAX, 0}, 1000);
    for (uint32_t r = 0; r < sim_link_cfg(l)->routes; r++)
        sim_link_lane(l, 0, 1, r)->loss = b->cfg.loss;
    return next_is(b, MR_ERR_OK) && memcmp(b->side[0].user, b->side[1].user + SCRIPT_USER - 4096, 100) == 0;
}

/** Routes die one after the other, under traffic in both directions, until both NICs have moved packets. */
static bool path_failure(struct bench *b)
{
    struct sim_link *l = sim_link_of(b->sim);
    bool ok = true;

    for (uint32_t r = 0; r < sim_link_cfg(l)->routes && ok; r++) {
        if (bench_count(b, 0, MR_CNT_TX_MOVED) && bench_count(b, 1, MR_CNT_TX_MOVED))
            return true;
        for (unsigned s = 0; s < 2; s++)
            bench_post(b, s, 0, bench_wqe(0, SCRIPT_USER / 2, 150'000));
        bench_until(b, (uint32_t[]){UINT32_MAX, 0}, 1500);
        sim_link_lane(l, 0, 1, r)->loss = sim_link_lane(l, 1, 0, r)->loss = 1;
        uint32_t n[] = {b->side[0].n_cpl + 1, b->side[1].n_cpl + 1};
        ok = bench_until(b, n, 200'000);
        sim_link_lane(l, 0, 1, r)->loss = sim_link_lane(l, 1, 0, r)->loss = b->cfg.loss;
    }
    return ok && bench_count(b, 0, MR_CNT_TX_MOVED) && bench_count(b, 1, MR_CNT_TX_MOVED);
}

static bool bus_failure(struct bench *b)
{
    bench_map(b, 0, false);
    bench_post(b, 0, 2, bench_wqe(0, SCRIPT_USER - 2048, 1000));
    bool ok = next_is(b, MR_ERR_BUS);
    bench_map(b, 0, true);
    return ok && bench_settle(b, 1'000'000);
}

int main(int argc, char **argv)
{
    static struct script s;
    struct bench_cfg cfg = bench_defaults();
    unsigned wrong = 0;

    if (argc != 2) {
        fputs("record FILE\n", stderr);
        return 2;
    }
    cfg.engine = "rtl";
    cfg.trace = argv[1];
    cfg.loss = 0.01;
    cfg.n_streams = 7;
    for (uint16_t k = 0; k < cfg.n_streams; k++)
        cfg.stream[k] = k;
    script_begin(&s, "record", 1, cfg.n_streams);
    fill(&s);
    script_end(&s);
    struct bench *b = script_run(&s, &cfg, &wrong);
    if (!b) {
        puts("FAIL replay: no simulation");
        return 1;
    }
    wrong += !tail_loss(b) + !path_failure(b) + !bus_failure(b);
    printf("%-4s replay: %u messages in %llu cycles, resent %u and %u packets, completions %u and %u\n",
           wrong ? "FAIL" : "ok", s.n, (unsigned long long)b->steps, bench_count(b, 0, MR_CNT_TX_RESENT),
           bench_count(b, 1, MR_CNT_TX_RESENT), b->side[0].n_cpl, b->side[1].n_cpl);
    bench_free(b);
    return wrong != 0;
}
