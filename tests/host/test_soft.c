// SPDX-License-Identifier: BSD-2-Clause
/* The parts of `soft:` on their own: its view of memory and its wire. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bus/soft_mem.h"
#include "bus/soft_wire.h"

static void mem__ranges(void)
{
    struct soft_mem m;
    uint8_t b[256] = {1, 2, 3}, out[8];
    uint64_t at = (uintptr_t)b;

    soft_mem_init(&m);
    CU_ASSERT_FALSE(soft_mem_covers(&m, at, 1));
    CU_ASSERT_EQUAL(soft_mem_map(&m, b, 0), -EINVAL);
    CU_ASSERT_EQUAL(soft_mem_map(&m, b, SIZE_MAX), -EINVAL);
    CU_ASSERT_EQUAL(soft_mem_map(&m, b, 100), 0);
    CU_ASSERT_EQUAL(soft_mem_map(&m, b, 100), 0);  // counts on its own
    CU_ASSERT_TRUE(soft_mem_covers(&m, at, 100));
    CU_ASSERT_FALSE(soft_mem_covers(&m, at, 101));
    CU_ASSERT_FALSE(soft_mem_covers(&m, at + 100, 1));
    CU_ASSERT_FALSE(soft_mem_covers(&m, at - 1, 2));
    CU_ASSERT_FALSE(soft_mem_covers(&m, at + 99, SIZE_MAX));
    CU_ASSERT_TRUE(soft_mem_read(&m, at, out, 3));
    CU_ASSERT_EQUAL(out[2], 3);
    CU_ASSERT_FALSE(soft_mem_read(&m, at + 98, out, 3));
    CU_ASSERT_EQUAL(soft_mem_unmap(&m, b, 99), -ENOENT);
    CU_ASSERT_EQUAL(soft_mem_unmap(&m, b, 100), 0);
    CU_ASSERT_TRUE(soft_mem_covers(&m, at, 100));
    CU_ASSERT_EQUAL(soft_mem_unmap(&m, b, 100), 0);
    CU_ASSERT_FALSE(soft_mem_covers(&m, at, 1));
    CU_ASSERT_EQUAL(soft_mem_unmap(&m, b, 100), -ENOENT);
    soft_mem_free(&m);
}

/* Every unit elsewhere, none next to its neighbour; no access reaches into the next, none past the scattering. */
static void mem__scattered(void)
{
    enum { N = 64 };
    uint8_t *b = aligned_alloc(4096, N * 4096), out[8192];
    uint64_t page[N];
    struct soft_mem m;

    soft_mem_init(&m);
    CU_ASSERT_EQUAL(soft_mem_map_pages(&m, b, 4096, page), -ENOTSUP);
    for (unsigned log2 = 12; log2 <= 14; log2 += 2) {
        m.scatter = log2;
        CU_ASSERT_EQUAL(soft_mem_map_pages(&m, b, 0, page), -EINVAL);
        CU_ASSERT_EQUAL(soft_mem_map_pages(&m, b + 1, N * 4096 - 1, page), 0);
        CU_ASSERT_FALSE(soft_mem_covers(&m, (uintptr_t)b + 1, 1));
        CU_ASSERT_FALSE(soft_mem_covers(&m, page[0], 1));
        for (unsigned i = 0; i < N; i++) {
            bool next = i + 1 < N && page[i + 1] == page[i] + 4096;
            bool in_unit = (((uintptr_t)b >> 12) + i + 1) % (1u << (log2 - 12)) != 0;
            CU_ASSERT_EQUAL(next, i + 1 < N && in_unit);
            b[i * 4096 + 4095] = (uint8_t)(i + 1);
            CU_ASSERT_TRUE(soft_mem_read(&m, page[i] + 4095, out, 1));
            CU_ASSERT_EQUAL(out[0], i + 1);
            CU_ASSERT_EQUAL(soft_mem_read(&m, page[i] + 4000, out, 100), next);
            CU_ASSERT_TRUE(soft_mem_write(&m, page[i] + 128, out, 2));
            CU_ASSERT_EQUAL(b[i * 4096 + 129], out[1]);
        }
        CU_ASSERT_EQUAL(soft_mem_unmap(&m, b + 1, N * 4096 - 1), 0);
        CU_ASSERT_FALSE(soft_mem_covers(&m, page[3], 1));
    }
    soft_mem_free(&m);
    free(b);
}

static void mem__write_keeps(void)
{
    static const uint64_t keeps[] = {0, 1, 1ull << 63, ~0ull, 0xff00, 0xf0f0, 0x8000000000000001};
    alignas(64) uint8_t b[64];
    uint8_t from[64];
    struct soft_mem m;

    soft_mem_init(&m);
    soft_mem_map(&m, b, sizeof b);
    memset(from, 0xaa, sizeof from);
    for (size_t i = 0; i < sizeof keeps / sizeof keeps[0]; i++) {
        memset(b, 0, sizeof b);
        CU_ASSERT_TRUE(soft_mem_write(&m, (uintptr_t)b, from, keeps[i]));
        for (int k = 0; k < 64; k++)
            CU_ASSERT_EQUAL(b[k], keeps[i] >> k & 1 ? 0xaa : 0);
    }
    soft_mem_unmap(&m, b, sizeof b);
    soft_mem_map(&m, b + 1, 62);
    memset(b, 0, sizeof b);
    CU_ASSERT_FALSE(soft_mem_write(&m, (uintptr_t)b, from, ~0ull));
    CU_ASSERT_FALSE(soft_mem_write(&m, (uintptr_t)b, from, 3));
    CU_ASSERT_TRUE(soft_mem_write(&m, (uintptr_t)b, from, 6));
    CU_ASSERT_EQUAL(b[0] | b[3], 0);
    CU_ASSERT_EQUAL(b[2], 0xaa);
    soft_mem_free(&m);
}

static char dir[32];

static void open_wires(struct soft_wire w[2], const struct soft_faults *f)
{
    snprintf(dir, sizeof dir, "/tmp/mr-soft-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    CU_ASSERT_EQUAL_FATAL(soft_wire_open(&w[0], dir, 0, false, f), 0);
    CU_ASSERT_EQUAL_FATAL(soft_wire_open(&w[1], dir, 1, false, f), 0);
}

static void close_wires(struct soft_wire w[2])
{
    soft_wire_close(&w[0]);
    soft_wire_close(&w[1]);
    CU_ASSERT_EQUAL(rmdir(dir), 0);  // nothing is left in it
}

static struct soft_frame frame(uint8_t to, uint32_t id)
{
    struct soft_frame f = {.n = 64, .byte = {2, 0, 0, 0, 0, to}};

    memcpy(f.byte + 60, &id, 4);
    return f;
}

static void wire__to_the_peer(void)
{
    struct soft_faults none = {};
    struct soft_frame f = frame(2, 77), got;
    struct soft_wire w[2];

    open_wires(w, &none);
    struct soft_wire third;
    CU_ASSERT_EQUAL(soft_wire_open(&third, dir, 1, false, &none), -EBUSY);
    CU_ASSERT_EQUAL(soft_wire_open(&third, "/proc/nothing", 1, false, &none), -ENODEV);
    CU_ASSERT_TRUE(soft_wire_send(&w[0], &f, 1));
    CU_ASSERT_FALSE(soft_wire_recv(&w[0], &got));
    CU_ASSERT_TRUE(soft_wire_recv(&w[1], &got));
    CU_ASSERT_EQUAL(got.n, 64);
    CU_ASSERT_EQUAL(memcmp(got.byte, f.byte, 64), 0);
    CU_ASSERT_FALSE(soft_wire_recv(&w[1], &got));
    f = frame(9, 1);
    CU_ASSERT_TRUE(soft_wire_send(&w[0], &f, 1));
    f = frame(0, 1);
    CU_ASSERT_TRUE(soft_wire_send(&w[0], &f, 1));
    CU_ASSERT_EQUAL(w[0].stats.no_peer, 2);
    close_wires(w);
}

/* With planes a device has the eight addresses that differ in the last three bits. */
static void wire__planes(void)
{
    struct soft_faults none = {};
    struct soft_frame got;
    struct soft_wire w[2];

    open_wires(w, &none);
    w[0].planes = true;
    for (unsigned to = 0; to < 32; to++) {
        struct soft_frame f = frame((uint8_t)to, to);
        CU_ASSERT_TRUE(soft_wire_send(&w[0], &f, 1));
        CU_ASSERT_EQUAL(soft_wire_recv(&w[0], &got), to >= 8 && to < 16);
        CU_ASSERT_EQUAL(soft_wire_recv(&w[1], &got), to >= 16 && to < 24);
    }
    close_wires(w);
}

/* A peer that takes nothing: the frame is offered for ten milliseconds, then dropped. */
static void wire__busy_peer(void)
{
    struct soft_faults none = {};
    struct soft_frame f = frame(2, 0);
    struct soft_wire w[2];
    uint64_t now = 1, i = 0;

    open_wires(w, &none);
    while (soft_wire_send(&w[0], &f, now) && i < 100000)
        i++;
    CU_ASSERT_TRUE(i > 0 && i < 100000);
    CU_ASSERT_FALSE(soft_wire_send(&w[0], &f, now + 9999998));
    CU_ASSERT_TRUE(soft_wire_send(&w[0], &f, now + 10000001));
    CU_ASSERT_EQUAL(w[0].stats.overrun, 1);
    close_wires(w);
}

static void run_faults(const struct soft_faults *f, struct soft_wire_stats *out, uint32_t *order)
{
    struct soft_frame got;
    struct soft_wire w[2];

    *order = 0;
    open_wires(w, f);
    for (uint32_t i = 0; i < 4000; i++) {
        struct soft_frame x = frame(2, i);
        CU_ASSERT_TRUE(soft_wire_send(&w[0], &x, 1));
        while (soft_wire_recv(&w[1], &got)) {
            uint32_t id;
            memcpy(&id, got.byte + 60, 4);
            *order = *order * 31 + id;
        }
    }
    *out = w[0].stats;
    close_wires(w);
}

static void wire__faults_from_seed(void)
{
    struct soft_faults f = {.loss = 0.1, .dup = 0.05, .reorder = 0.05, .seed = 42};
    struct soft_wire_stats a, b;
    uint32_t order[3];

    run_faults(&f, &a, &order[0]);
    run_faults(&f, &b, &order[1]);
    CU_ASSERT_EQUAL(memcmp(&a, &b, sizeof a), 0);
    CU_ASSERT_EQUAL(order[0], order[1]);
    CU_ASSERT_TRUE(a.lost > 300 && a.lost < 500);
    CU_ASSERT_TRUE(a.doubled > 100 && a.doubled < 260);
    CU_ASSERT_TRUE(a.swapped > 100 && a.swapped < 260);
    f.seed = 43;
    run_faults(&f, &b, &order[2]);
    CU_ASSERT_NOT_EQUAL(order[0], order[2]);
}

const struct test_row tests_soft[] = {
    {"mem__ranges", mem__ranges},
    {"mem__scattered", mem__scattered},
    {"mem__write_keeps", mem__write_keeps},
    {"wire__to_the_peer", wire__to_the_peer},
    {"wire__planes", wire__planes},
    {"wire__busy_peer", wire__busy_peer},
    {"wire__faults_from_seed", wire__faults_from_seed},
    {},
};
