// SPDX-License-Identifier: BSD-2-Clause
/* test_soft_pages.c - the software NIC with memory that is scattered over the bus, at both ends: every operation. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 1 << 18, RANGES = 4 };

struct end {
    struct mr_device *dev;
    struct mr_pd *pd;
    struct mr_cq *cq;
    struct mr_rq *rq;
    struct mr_conn *conn;
    struct mr_stream *stream;
    struct mr_mr *mr;
    struct mr_conn_addr addr;
    uint8_t *memory;
};

static char dir[32];
static struct end end[2];
static uint64_t seed;

static uint32_t below(uint32_t n)
{
    return (uint32_t)((uint64_t)rig_random(&seed) * n >> 31);
}

static int open_end(struct end *s, unsigned i, const char *options)
{
    static constexpr uint32_t rights = MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE | MR_RIGHT_REMOTE_WRITE |
                                       MR_RIGHT_REMOTE_READ | MR_RIGHT_REMOTE_ATOMIC;
    struct mr_conn_attr attr = rig_attr(i);
    char uri[160];

    snprintf(uri, sizeof uri, "soft:%u?dir=%s%s", i, dir, options);
    s->memory = aligned_alloc(4096, BYTES);
    memset(s->memory, 0, BYTES);
    int rc = mr_device_open(uri, &s->dev);
    if (!rc)
        rc = mr_pd_create(s->dev, &s->pd);
    if (!rc)
        rc = mr_cq_create(s->dev, 256, &s->cq);
    if (!rc)
        rc = mr_rq_create(s->pd, &(struct mr_rq_attr){.depth = 16, .max_sge = RANGES}, &s->rq);
    if (!rc)
        rc = mr_conn_create(s->dev, &attr, &s->conn);
    if (!rc)
        rc = mr_stream_create_attr(s->conn, &(struct mr_stream_attr){.pd = s->pd, .cq = s->cq, .rq = s->rq,
                                                                     .depth = 16, .max_sge = RANGES}, &s->stream);
    if (!rc)
        rc = mr_mr_reg(s->pd, s->memory, BYTES, rights, &s->mr);
    if (!rc)
        rc = mr_conn_local(s->conn, &s->addr);
    return rc;
}

static bool open_ends(const char *options)
{
    memset(end, 0, sizeof end);
    seed = 5;
    snprintf(dir, sizeof dir, "/tmp/mr-soft-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    int rc = open_end(&end[0], 0, options);
    if (!rc)
        rc = open_end(&end[1], 1, options);
    for (int i = 0; i < 2 && !rc; i++) {
        rc = mr_conn_connect(end[i].conn, &end[!i].addr);
        if (!rc)
            rc = mr_stream_connect(end[i].stream, end[!i].addr.stream[0]);
    }
    CU_ASSERT_EQUAL(rc, 0);
    return !rc;
}

static void close_ends(void)
{
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(mr_device_close(end[i].dev), 0);
        free(end[i].memory);
    }
    CU_ASSERT_EQUAL(rmdir(dir), 0);
}

/* The next completion at an end, which must be good; within ten seconds. */
static bool done(unsigned at, struct mr_wc *wc)
{
    if (mr_cq_wait(end[at].cq, 10000000000) != 1 || mr_cq_poll(end[at].cq, wc, 1) != 1)
        return false;
    CU_ASSERT_EQUAL(wc->status, MR_ERR_OK);
    return wc->status == MR_ERR_OK;
}

/* Ranges of an end's memory, within [from, from + BYTES / 2), many around the ends of pages. */
static uint32_t ranges(unsigned at, uint32_t from, struct mr_sge *sge)
{
    uint32_t sum = 0, part = BYTES / 2 / RANGES;

    for (uint32_t i = 0; i < RANGES; i++) {
        uint32_t len = below(3) ? below(3000) : below(part - 8192), edge = 4096 * (1 + below(2));
        uint32_t off = below(2) ? below(5000) : edge - below(len < 4096 ? len + 1 : 4096);
        sge[i] = (struct mr_sge){.addr = end[at].memory + from + i * part + off, .key = mr_mr_lkey(end[at].mr), .len = len};
        sum += len;
    }
    return sum;
}

static void gather(const struct mr_sge *sge, uint8_t *to)
{
    for (uint32_t i = 0; i < RANGES; i++) {
        memcpy(to, sge[i].addr, sge[i].len);
        to += sge[i].len;
    }
}

static void randomize(unsigned at)
{
    for (uint32_t i = 0; i < BYTES; i += 4) {
        uint32_t v = rig_random(&seed) << 1 ^ rig_random(&seed);
        memcpy(end[at].memory + i, &v, 4);
    }
}

/* A Write or a Read of a list, from or to one range at the peer. */
static bool one_sided(unsigned op)
{
    static uint8_t list[BYTES];
    struct mr_sge sge[RANGES];
    struct mr_wc wc;
    uint32_t n = ranges(0, 0, sge), to = BYTES / 2 + below(BYTES / 2 - n);
    struct mr_send_wr wr = {.opcode = op, .flags = MR_POST_SIGNALED, .sge = sge, .nsge = RANGES,
        .raddr = (uintptr_t)(end[1].memory + to), .rkey = mr_mr_rkey(end[1].mr)};

    randomize(op == MR_OP_READ);
    CU_ASSERT_EQUAL(mr_post_send(end[0].stream, &wr), 0);
    if (!done(0, &wc))
        return false;
    uint64_t v;
    mr_counters_read(end[1].dev, &v, 1);  // as in test_soft_nic.c: an order that sanitizers see
    gather(sge, list);
    CU_ASSERT_EQUAL(memcmp(list, end[1].memory + to, n), 0);
    return memcmp(list, end[1].memory + to, n) == 0;
}

static bool send(void)
{
    static uint8_t from[BYTES], to[BYTES];
    struct mr_sge sge[RANGES], recv[RANGES];
    struct mr_wc wc;
    uint32_t n = ranges(0, 0, sge), room = ranges(1, BYTES / 2, recv);

    for (uint32_t i = 0; room < n && i < RANGES; i++) {  // the receive must have room
        uint32_t all = BYTES / 2 / RANGES - (uint32_t)(((uint8_t *)recv[i].addr - end[1].memory) % (BYTES / 2 / RANGES));
        room += all - recv[i].len;
        recv[i].len = all;
    }
    if (room < n)
        return true;
    randomize(0);
    CU_ASSERT_EQUAL(mr_post_recv(end[1].rq, &(struct mr_recv_wr){.sge = recv, .nsge = RANGES}), 0);
    CU_ASSERT_EQUAL(mr_post_send(end[0].stream, &(struct mr_send_wr){.opcode = MR_OP_SEND, .flags = MR_POST_SIGNALED,
                                                                     .sge = sge, .nsge = RANGES}), 0);
    if (!done(0, &wc) || !done(1, &wc))
        return false;
    CU_ASSERT_EQUAL(wc.byte_len, n);
    gather(sge, from);
    gather(recv, to);
    CU_ASSERT_EQUAL(memcmp(from, to, n), 0);
    return memcmp(from, to, n) == 0;
}

static bool add(uint32_t at)
{
    struct mr_sge sge = {.addr = end[0].memory + below(BYTES - 8), .key = mr_mr_lkey(end[0].mr), .len = 8};
    uint64_t was, got, now;
    struct mr_wc wc;

    memcpy(&was, end[1].memory + at, 8);
    CU_ASSERT_EQUAL(mr_post_send(end[0].stream, &(struct mr_send_wr){.opcode = MR_OP_FETCH_ADD, .flags = MR_POST_SIGNALED,
        .sge = &sge, .nsge = 1, .raddr = (uintptr_t)(end[1].memory + at), .rkey = mr_mr_rkey(end[1].mr), .compare = 77}), 0);
    if (!done(0, &wc))
        return false;
    mr_counters_read(end[1].dev, &now, 1);
    memcpy(&got, sge.addr, 8);
    memcpy(&now, end[1].memory + at, 8);
    CU_ASSERT_EQUAL(got, was);
    CU_ASSERT_EQUAL(now, was + 77);
    return now == was + 77;
}

static void all_operations(const char *options)
{
    bool go = open_ends(options);

    for (uint32_t i = 0; i < 40 && go; i++) {
        go = one_sided(MR_OP_WRITE) && one_sided(MR_OP_READ) && send();
        go = go && add(below(BYTES / 8) * 8) && add(4096 * (1 + below(8)) - 8) && add(4096 * below(8));
    }
    CU_ASSERT_TRUE(go);
    close_ends();
}

static void scatter__all_operations(void)
{
    all_operations("&scatter=4096");
}

static void scatter__larger_pages(void)
{
    all_operations("&scatter=16384");
}

static void scatter__with_faults(void)
{
    all_operations("&scatter=4096&loss=0.05&reorder=0.03&corrupt=0.02&seed=7");
}

/* All pages of the device in use, and again after they were freed. */
static void scatter__page_table_full(void)
{
    struct mr_caps caps;
    struct mr_mr *mr[64] = {};
    unsigned n = 0;
    int rc = 0;

    if (!open_ends("&scatter=4096"))
        return;
    CU_ASSERT_EQUAL(mr_device_query(end[0].dev, &caps), 0);
    size_t bytes = (size_t)caps.pages / 16 * 4096;
    uint8_t *big = aligned_alloc(4096, bytes);
    while (n < 64 && !(rc = mr_mr_reg(end[0].pd, big, bytes, MR_RIGHT_LOCAL_READ, &mr[n])))
        n++;
    CU_ASSERT_EQUAL(rc, -ENOSPC);
    CU_ASSERT_EQUAL(n, 15);  // and the ends' own memory
    CU_ASSERT_TRUE(one_sided(MR_OP_WRITE));
    while (n)
        CU_ASSERT_EQUAL(mr_mr_dereg(mr[--n]), 0);
    CU_ASSERT_EQUAL(mr_mr_reg(end[0].pd, big, bytes, MR_RIGHT_LOCAL_READ, &mr[0]), 0);
    CU_ASSERT_TRUE(one_sided(MR_OP_WRITE));
    CU_ASSERT_EQUAL(mr_mr_dereg(mr[0]), 0);
    free(big);
    close_ends();
}

static void scatter__bad_option(void)
{
    static const char *const bad[] = {"2048", "5000", "12288", "2147483648", "x"};
    struct mr_device *dev;
    char uri[64];

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(uri, sizeof uri, "soft:0?scatter=%s", bad[i]);
        CHECK_ERR(mr_device_open(uri, &dev), -EINVAL);
    }
}

const struct test_row tests_soft_pages[] = {
    {"scatter__all_operations", scatter__all_operations},
    {"scatter__larger_pages", scatter__larger_pages},
    {"scatter__with_faults", scatter__with_faults},
    {"scatter__page_table_full", scatter__page_table_full},
    {"scatter__bad_option", scatter__bad_option},
    {},
};
