// SPDX-License-Identifier: BSD-2-Clause
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rng.h"
#include "sim_test.h"

#define CYCLES 2000
#define IDS 3

static const uint32_t in_bits[IDS] = {1, 600, 64};
static const uint32_t out_bits[IDS] = {33, 32, 521};
static char path[64];

/** Pins of an instance in a cycle: idle for a while, then busy. */
static void pins(uint32_t id, uint32_t cycle, uint32_t *in, uint32_t *out)
{
    bool idle = cycle / 100 % 2 == 0;
    for (uint32_t w = 0; w < 20; w++) {
        in[w] = idle ? 0 : (uint32_t)sim_draw(id, cycle * 100 + w);
        out[w] = idle ? w : (uint32_t)sim_draw(id, cycle / 3 * 100 + 50 + w);
    }
}

static void record(unsigned resets)
{
    snprintf(path, sizeof path, "/tmp/mrtrace.%d", (int)getpid());
    struct sim_trace *t = sim_trace_open(path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    sim_trace_select(t);
    for (uint32_t c = 0; c < CYCLES; c++) {
        for (uint32_t id = 0; id < IDS; id++) {
            uint32_t in[20];
            uint32_t out[20];
            pins(id, c, in, out);
            sim_trace_put(id ? "other" : "kernel", id * 7, in_bits[id], in, out_bits[id], out);
        }
        if (resets && c == CYCLES / 2)
            sim_trace_reset(t);
    }
    CU_ASSERT_EQUAL(sim_trace_close(t), 0);
    uint32_t w = 0;
    sim_trace_put("nobody", 0, 1, &w, 1, &w); // selection is gone with the trace
}

static void read__gives_every_cycle(void)
{
    record(1);
    struct sim_trace_reader *r = sim_trace_read_open(path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(r);
    uint32_t at[IDS] = {};
    unsigned insts = 0;
    unsigned resets = 0;
    unsigned records = 0;
    struct sim_trace_rec rec;
    int got;
    while ((got = sim_trace_next(r, &rec)) == 1 && rec.kind != SIM_TRACE_END) {
        if (rec.kind == SIM_TRACE_INST) {
            insts++;
            CU_ASSERT_STRING_EQUAL(rec.kernel, rec.id ? "other" : "kernel");
        } else if (rec.kind == SIM_TRACE_RESET) {
            resets++;
            for (uint32_t i = 0; i < IDS; i++)
                CU_ASSERT_EQUAL(at[i], CYCLES / 2 + 1);
        } else {
            uint32_t id = rec.id / 7;
            records++;
            for (uint64_t n = 0; n < rec.cycles; n++) {
                uint32_t in[20];
                uint32_t out[20];
                pins(id, at[id]++, in, out);
                CU_ASSERT(memcmp(rec.in, in, (in_bits[id] + 31) / 32 * 4) == 0);
                CU_ASSERT(memcmp(rec.out, out, (out_bits[id] + 31) / 32 * 4) == 0);
            }
        }
    }
    CU_ASSERT_EQUAL(got, 1);
    CU_ASSERT_EQUAL(sim_trace_next(r, &rec), 0);
    for (uint32_t i = 0; i < IDS; i++)
        CU_ASSERT_EQUAL(at[i], CYCLES);
    CU_ASSERT(insts == IDS && resets == 1);
    CU_ASSERT(records < CYCLES * IDS * 6 / 10); // idle cycles are one record
    sim_trace_read_close(r);
    unlink(path);
}

static void read__bad_cut_off_and_damaged(void)
{
    record(0);
    FILE *f = fopen(path, "rb");
    static uint8_t all[2'000'000];
    size_t size = fread(all, 1, sizeof all, f);
    fclose(f);
    struct sim_trace_rec rec;
    for (unsigned k = 0; k < 60; k++) {
        size_t n = k < 30 ? sim_below(sim_draw(9, k), size) : size;
        f = fopen(path, "wb");
        uint8_t was = 0;
        size_t hit = sim_below(sim_draw(10, k), size);
        if (k >= 30) {
            was = all[hit];
            all[hit] ^= (uint8_t)(1u << k % 8);
        }
        fwrite(all, 1, n, f);
        fclose(f);
        if (k >= 30)
            all[hit] = was;
        struct sim_trace_reader *r = sim_trace_read_open(path);
        if (!r) {
            CU_ASSERT(n < 8 || hit < 8);
            continue;
        }
        int got;
        while ((got = sim_trace_next(r, &rec)) == 1) // sanitizers watch
            ;
        CU_ASSERT(k < 30 ? got == -EINVAL : got <= 0);
        sim_trace_read_close(r);
    }
    unlink(path);
    CU_ASSERT_PTR_NULL(sim_trace_read_open("/nonexistent/x"));
}

static void put__bad_is_reported(void)
{
    uint32_t w[2] = {};
    CU_ASSERT_PTR_NULL(sim_trace_open("/nonexistent/x"));
    struct sim_trace *t = sim_trace_open("/dev/null");
    sim_trace_select(t);
    sim_trace_put("k", 0, 32, w, 32, w);
    sim_trace_put("k", 0, 33, w, 32, w); // another width
    CU_ASSERT_EQUAL(sim_trace_close(t), -EIO);
    t = sim_trace_open("/dev/null");
    sim_trace_select(t);
    sim_trace_put("k", SIM_TRACE_IDS, 32, w, 32, w);
    CU_ASSERT_EQUAL(sim_trace_close(t), -EIO);
    t = sim_trace_open("/dev/full");
    CU_ASSERT_EQUAL(sim_trace_close(t), -EIO);
}

void test_trace_add(void)
{
    CU_pSuite s = test_suite("trace");
    test_add(s, "read__gives_every_cycle", read__gives_every_cycle);
    test_add(s, "read__bad_cut_off_and_damaged", read__bad_cut_off_and_damaged);
    test_add(s, "put__bad_is_reported", put__bad_is_reported);
}
