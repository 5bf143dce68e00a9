// SPDX-License-Identifier: BSD-2-Clause
#include <deque>

#include "bench.h"

static const unsigned depth[3] = {2, 5, 16};

/** Random pushes and pops; in_pct and out_pct are how often each side is willing. */
static void fifo_run(unsigned in_pct, unsigned out_pct)
{
    Dut d;
    Rng rng;
    std::deque<uint16_t> q[3];
    uint16_t next[3] = {};
    bool hold[3] = {};

    for (int i = 0; i < 3; i++)
        d->in_valid[i] = d->out_ready[i] = 0;
    d.reset();
    for (int c = 0; c < 20000; c++) {
        for (int i = 0; i < 3; i++) {
            d->in_valid[i] = hold[i] || rng.chance(in_pct);
            d->in_data[i] = d->in_valid[i] ? next[i] : (uint16_t)rng.bits();
            d->out_ready[i] = rng.chance(out_pct);
        }
        d.settle();
        for (int i = 0; i < 3; i++) {
            if (d->out_valid[i])
                CU_ASSERT_FATAL(!q[i].empty() && d->out_data[i] == q[i].front());
            if (d->out_valid[i] && d->out_ready[i])
                q[i].pop_front();
            hold[i] = d->in_valid[i] && !d->in_ready[i];
            if (d->in_valid[i] && d->in_ready[i])
                q[i].push_back(next[i]++);
            CU_ASSERT_FATAL(q[i].size() <= depth[i] + 1);
        }
        d.edge();
    }
    for (int i = 0; i < 3; i++)
        CU_ASSERT(next[i] > 1000);
}

static void fifo__random() { fifo_run(50, 50); }
static void fifo__mostly_full() { fifo_run(90, 30); }
static void fifo__mostly_empty() { fifo_run(30, 90); }

static void fifo__holds_its_depth()
{
    Dut d;
    unsigned n[3] = {};

    for (int i = 0; i < 3; i++)
        d->in_valid[i] = d->out_ready[i] = 0;
    d.reset();
    for (int c = 0; c < 40; c++) {
        for (int i = 0; i < 3; i++)
            d->in_valid[i] = 1;
        d.settle();
        for (int i = 0; i < 3; i++)
            n[i] += d->in_ready[i];
        d.edge();
    }
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(n[i], depth[i] + 1);
}

static void fifo__full_rate()
{
    Dut d;
    unsigned n[3] = {};

    for (int i = 0; i < 3; i++)
        d->in_valid[i] = d->out_ready[i] = 0;
    d.reset();
    for (int c = 0; c < 1000; c++) {
        for (int i = 0; i < 3; i++)
            d->in_valid[i] = d->out_ready[i] = 1;
        d.settle();
        for (int i = 0; i < 3; i++)
            n[i] += d->out_valid[i];
        d.edge();
    }
    for (int i = 0; i < 3; i++)
        CU_ASSERT(n[i] >= 998);
}

/** One-hot, only who asks, and nobody waits longer than the others take turns. */
static void arb__fair()
{
    Dut d;
    Rng rng;
    int wait[4] = {};

    d->req = 0;
    d.reset();
    for (int c = 0; c < 10000; c++) {
        d->req |= rng.bits() & 15;
        d->take = rng.chance(70);
        d.settle();
        unsigned g = d->grant;
        CU_ASSERT_FATAL((g & ~d->req) == 0 && (g & (g - 1)) == 0 && (g != 0) == (d->req != 0));
        if (g)
            CU_ASSERT(g == 1u << d->index);
        for (int i = 0; d->take && i < 4; i++) {
            wait[i] = (d->req >> i & 1) && !(g >> i & 1) ? wait[i] + 1 : 0;
            CU_ASSERT_FATAL(wait[i] < 4);
        }
        d.edge();
        if (d->take)
            d->req &= ~g;
    }
}

BENCH("units", {"fifo__random", fifo__random}, {"fifo__mostly_full", fifo__mostly_full},
      {"fifo__mostly_empty", fifo__mostly_empty},
      {"fifo__holds_its_depth", fifo__holds_its_depth}, {"fifo__full_rate", fifo__full_rate},
      {"arb__fair", arb__fair})
