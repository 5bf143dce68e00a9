// SPDX-License-Identifier: BSD-2-Clause
/* The software NIC as a whole: two of them in this process, over a wire with faults. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 1 << 18, STREAMS = 3 };

struct side {
    struct mr_device *dev;
    struct mr_pd *pd;
    struct mr_cq *cq;
    struct mr_conn *conn;
    struct mr_stream *stream[STREAMS];
    struct mr_mr *mr;
    struct mr_conn_addr addr;
    uint8_t *memory;
};

static char dir[32];
static struct side side[2];
static unsigned paths = 4, planes = 1;  // of the connection

static int open_side(struct side *s, unsigned i, const char *faults)
{
    static constexpr uint32_t rights = MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE |
                                       MR_RIGHT_REMOTE_WRITE;
    struct mr_conn_attr attr = rig_attr(i);
    char uri[160];

    attr.paths = (uint8_t)paths;
    attr.planes = (uint8_t)planes;
    if (planes > 1) {  // eight addresses for each side
        attr.mac[5] = (uint8_t)(8 + 8 * i);
        attr.ip.addr[3] = (uint8_t)(8 + 8 * i);
    }
    snprintf(uri, sizeof uri, "soft:%u?dir=%s%s", i, dir, faults);
    s->memory = calloc(1, BYTES);
    int rc = mr_device_open(uri, &s->dev);
    if (!rc)
        rc = mr_pd_create(s->dev, &s->pd);
    if (!rc)
        rc = mr_cq_create(s->dev, 256, &s->cq);
    if (!rc)
        rc = mr_conn_create(s->dev, &attr, &s->conn);
    for (int k = 0; k < STREAMS && !rc; k++)
        rc = mr_stream_create(s->conn, s->pd, s->cq, 32, &s->stream[k]);
    if (!rc)
        rc = mr_mr_reg(s->pd, s->memory, BYTES, rights, &s->mr);
    if (!rc)
        rc = mr_conn_local(s->conn, &s->addr);
    return rc;
}

static bool open_sides(const char *faults)
{
    memset(side, 0, sizeof side);
    snprintf(dir, sizeof dir, "/tmp/mr-soft-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    int rc = open_side(&side[0], 0, faults);
    if (!rc)
        rc = open_side(&side[1], 1, faults);
    for (int i = 0; i < 2 && !rc; i++) {
        rc = mr_conn_connect(side[i].conn, &side[!i].addr);
        for (int k = 0; k < STREAMS && !rc; k++)
            rc = mr_stream_connect(side[i].stream[k], side[!i].addr.stream[k]);
    }
    CU_ASSERT_EQUAL(rc, 0);
    return !rc;
}

static void close_sides(void)
{
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(mr_device_close(side[i].dev), 0);
        free(side[i].memory);
    }
    CU_ASSERT_EQUAL(rmdir(dir), 0);
}

static int post(unsigned from, unsigned stream, uint64_t id, uint32_t src, uint32_t dst, uint32_t n)
{
    struct mr_write w = {
        .wr_id = id,
        .laddr = side[from].memory + src,
        .lkey = mr_mr_lkey(side[from].mr),
        .raddr = (uintptr_t)(side[!from].memory + dst),
        .rkey = mr_mr_rkey(side[!from].mr),
        .length = n,
        .flags = MR_POST_SIGNALED,
    };

    return mr_post_write(side[from].stream[stream], &w);
}

/* Takes n completions; false if they do not come within ten seconds. */
static bool take(unsigned from, struct mr_wc *wc, int n)
{
    for (int got = 0; got < n;) {
        if (mr_cq_wait(side[from].cq, 10000000000) != 1)
            return false;
        int k = mr_cq_poll(side[from].cq, wc + got, n - got);
        if (k < 0)
            return false;
        got += k;
    }
    return true;
}

/*
 * Tells the thread sanitizer what it cannot see, that the wire brought the
 * order: a register access that the device's thread answers.
 */
static void settle(void)
{
    uint64_t v[1];

    CU_ASSERT_EQUAL(mr_counters_read(side[1].dev, v, 1), 1);
}

static void lengths_and_alignments(const char *faults)
{
    static const uint32_t len[] = {1, 63, 64, 65, 4095, 4096, 4097, 8192, 20000, 0, 100000};
    struct mr_wc wc;

    if (!open_sides(faults))
        return;
    for (uint32_t i = 0; i < BYTES; i++)
        side[0].memory[i] = (uint8_t)(i * 2654435761u >> 24);
    for (uint32_t i = 0; i < sizeof len / sizeof len[0]; i++) {
        uint32_t src = i * 37 % 128, dst = 1000 + i * 53 % 128;
        CU_ASSERT_EQUAL(post(0, 0, i, src, dst, len[i]), 0);
        CU_ASSERT_TRUE_FATAL(take(0, &wc, 1));
        CU_ASSERT_EQUAL(wc.wr_id, i);
        CU_ASSERT_EQUAL(wc.status, MR_ERR_OK);
        CU_ASSERT_EQUAL(wc.byte_len, len[i]);
        settle();
        CU_ASSERT_EQUAL(memcmp(side[1].memory + dst, side[0].memory + src, len[i]), 0);
        CU_ASSERT_EQUAL(side[1].memory[dst - 1], 0);
        CU_ASSERT_EQUAL(side[1].memory[dst + len[i]], 0);
        memset(side[1].memory, 0, BYTES);
    }
    close_sides();
}

static void write__lengths(void)
{
    lengths_and_alignments("");
}

static void write__lengths_with_faults(void)
{
    lengths_and_alignments("&loss=0.05&dup=0.03&reorder=0.03&corrupt=0.02&seed=7");
}

/* A completion means that the bytes are in the peer's memory, at once. [spec 5.3.4] */
static void write__issue_ack_before_placed(void)
{
    struct mr_wc wc;
    unsigned missing = 0;

    if (!open_sides(""))
        return;
    for (uint32_t i = 1; i < 200; i++) {
        uint32_t n = 64 * i, dst = -(uintptr_t)side[1].memory & 63;
        memset(side[0].memory, (int)i, n);
        CU_ASSERT_EQUAL(post(0, 0, i, 0, dst, n), 0);
        int rc;
        do
            rc = mr_cq_poll(side[0].cq, &wc, 1);
        while (!rc);
        CU_ASSERT_EQUAL_FATAL(rc, 1);
        for (uint32_t at = dst + 63; at < dst + n; at += 64)  // bytes that are written atomically
            missing += __atomic_load_n(&side[1].memory[at], __ATOMIC_ACQUIRE) != (uint8_t)i;
    }
    CU_ASSERT_EQUAL(missing, 0);
    close_sides();
}

/* A device is closed while messages are in flight, both ways. */
static void close__in_flight(void)
{
    if (!open_sides("&loss=0.02&seed=3"))
        return;
    for (unsigned i = 0; i < 30; i++) {
        CU_ASSERT_EQUAL(post(0, i % STREAMS, i, 0, 100000, 50000), 0);
        CU_ASSERT_EQUAL(post(1, i % STREAMS, i, 0, 100000, 50000), 0);
    }
    close_sides();
}

/* Many messages on several streams, both ways: each stream's complete in its order. */
static void write__streams(void)
{
    uint64_t next[2][STREAMS] = {};
    struct mr_wc wc[STREAMS * 20];

    if (!open_sides("&loss=0.02&seed=9"))
        return;
    for (unsigned i = 0; i < STREAMS * 20; i++) {
        CU_ASSERT_EQUAL(post(0, i % STREAMS, i / STREAMS, i * 100, 100000 + i * 300, 300), 0);
        CU_ASSERT_EQUAL(post(1, i % STREAMS, i / STREAMS, i * 100, 200000 + i * 300, 300), 0);
    }
    for (unsigned from = 0; from < 2; from++) {
        CU_ASSERT_TRUE_FATAL(take(from, wc, STREAMS * 20));
        for (int i = 0; i < STREAMS * 20; i++) {
            unsigned k = 0;
            while (k < STREAMS && side[from].stream[k] != wc[i].stream)
                k++;
            CU_ASSERT_TRUE_FATAL(k < STREAMS);
            CU_ASSERT_EQUAL(wc[i].status, MR_ERR_OK);
            CU_ASSERT_EQUAL(wc[i].wr_id, next[from][k]++);
        }
    }
    close_sides();
}

static void refuse(unsigned what, uint8_t expect)
{
    struct mr_wc wc[3];
    struct mr_mr *ro;

    if (!open_sides(""))
        return;
    CU_ASSERT_EQUAL(mr_mr_reg(side[1].pd, side[1].memory, BYTES, MR_RIGHT_REMOTE_READ, &ro), 0);
    memset(side[0].memory, 0xaa, BYTES);
    struct mr_write w = {
        .wr_id = 1,
        .laddr = side[0].memory,
        .lkey = mr_mr_lkey(side[0].mr) ^ (what == 0),
        .raddr = (uintptr_t)side[1].memory + (what == 3 ? BYTES - 63 : 0),
        .rkey = what == 2 ? mr_mr_rkey(side[1].mr) ^ 1
                : what == 4 ? mr_mr_rkey(ro)
                            : mr_mr_rkey(side[1].mr),
        .length = 64,
    };
    if (what == 1)
        w.laddr = side[0].memory + BYTES - 63;
    CU_ASSERT_EQUAL(mr_post_write(side[0].stream[0], &w), 0);
    int rc = post(0, 0, 2, 0, 64, 64);
    CU_ASSERT_EQUAL(rc, 0);
    CU_ASSERT_EQUAL(post(0, 1, 3, 0, 128, 64), 0);  // another stream does not suffer
    CU_ASSERT_TRUE_FATAL(take(0, wc, 3));
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(wc[i].status, wc[i].wr_id == 1   ? expect
                                      : wc[i].wr_id == 2 ? MR_ERR_FLUSH
                                                         : MR_ERR_OK);
    CHECK_ERR(post(0, 0, 4, 0, 0, 64), -EPIPE);
    settle();
    for (int i = 0; i < 64; i++)
        CU_ASSERT_EQUAL(side[1].memory[i], 0);
    CU_ASSERT_EQUAL(side[1].memory[128], 0xaa);
    close_sides();
}

static void write__bad_local_key(void)
{
    refuse(0, MR_ERR_LOCAL_KEY);
}

static void write__bad_local_bounds(void)
{
    refuse(1, MR_ERR_LOCAL_BOUNDS);
}

static void write__bad_remote_key(void)
{
    refuse(2, MR_ERR_REMOTE_KEY);
}

static void write__bad_remote_bounds(void)
{
    refuse(3, MR_ERR_REMOTE_BOUNDS);
}

static void write__bad_remote_right(void)
{
    refuse(4, MR_ERR_REMOTE_RIGHT);
}

/* Nobody at the other end: an error within a bounded time, never a hang. */
static void write__dead_peer(void)
{
    struct mr_wc wc[2];

    if (!open_sides(""))
        return;
    CU_ASSERT_EQUAL(mr_device_close(side[1].dev), 0);
    side[1].dev = nullptr;
    struct mr_write w = {.wr_id = 1, .laddr = side[0].memory, .lkey = mr_mr_lkey(side[0].mr),
                         .raddr = 4096, .rkey = 1, .length = 64};
    CU_ASSERT_EQUAL(mr_post_write(side[0].stream[0], &w), 0);
    CU_ASSERT_EQUAL(mr_post_write(side[0].stream[0], &w), 0);
    CU_ASSERT_TRUE(take(0, wc, 2));
    CU_ASSERT_EQUAL(wc[0].status, MR_ERR_RETRY);
    CU_ASSERT_EQUAL(wc[1].status, MR_ERR_FLUSH);
    close_sides();
}

/* Ranges that are not mapped any more are not touched. */
static void dereg__late(void)
{
    struct mr_wc wc;

    if (!open_sides(""))
        return;
    uint32_t key = mr_mr_rkey(side[1].mr);
    CU_ASSERT_EQUAL(mr_mr_dereg(side[1].mr), 0);
    struct mr_write w = {.wr_id = 1, .laddr = side[0].memory, .lkey = mr_mr_lkey(side[0].mr),
                         .raddr = (uintptr_t)side[1].memory, .rkey = key, .length = 64};
    memset(side[0].memory, 0xaa, 64);
    CU_ASSERT_EQUAL(mr_post_write(side[0].stream[0], &w), 0);
    CU_ASSERT_TRUE(take(0, &wc, 1));
    CU_ASSERT_EQUAL(wc.status, MR_ERR_REMOTE_KEY);
    CU_ASSERT_EQUAL(side[1].memory[0], 0);
    close_sides();
}

/* Twenty messages on each stream, both ways, each completed once and in place. */
static void both_ways(void)
{
    struct mr_wc wc[STREAMS * 20];

    for (unsigned from = 0; from < 2; from++)
        for (uint32_t i = 0; i < 120000; i++)
            side[from].memory[i] = (uint8_t)((i + from) * 2654435761u >> 24);
    for (unsigned i = 0; i < STREAMS * 20; i++)
        for (unsigned from = 0; from < 2; from++)
            CU_ASSERT_EQUAL(post(from, i % STREAMS, i, i * 2000, 120000 + i * 2000, 2000), 0);
    for (unsigned from = 0; from < 2; from++) {
        CU_ASSERT_TRUE_FATAL(take(from, wc, STREAMS * 20));
        for (int i = 0; i < STREAMS * 20; i++)
            CU_ASSERT_EQUAL(wc[i].status, MR_ERR_OK);
    }
    settle();
    for (unsigned from = 0; from < 2; from++)
        CU_ASSERT_EQUAL(memcmp(side[!from].memory + 120000, side[from].memory, 120000), 0);
}

/* Sums over the paths of side 0. */
struct sums {
    uint64_t packets, bytes, moved, samples, used;
    uint32_t plane[8];  // packets by plane
};

static struct sums sums_of(void)
{
    struct sums s = {};

    for (uint32_t i = 0; i < mr_conn_paths(side[0].conn); i++) {
        uint32_t bucket[MR_HIST_BUCKETS];
        struct mr_path_info p;
        CU_ASSERT_EQUAL(mr_path_query(side[0].conn, i, &p), 0);
        CU_ASSERT_EQUAL(mr_path_histogram(side[0].conn, i, bucket), 0);
        s.packets += p.packets;
        s.bytes += p.bytes;
        s.moved += p.moved;
        s.used += p.packets != 0;
        s.plane[p.plane & 7] += p.packets;
        for (int k = 0; k < MR_HIST_BUCKETS; k++)
            s.samples += bucket[k];
    }
    return s;
}

static void paths__128(void)
{
    paths = 128;
    bool open = open_sides("&loss=0.02&seed=5");
    paths = 4;
    if (!open)
        return;
    CU_ASSERT_EQUAL(mr_conn_paths(side[0].conn), 128);
    both_ways();
    struct sums s = sums_of();
    CU_ASSERT_EQUAL(s.packets, STREAMS * 20 + s.moved);
    CU_ASSERT_EQUAL(s.bytes, s.packets * 2000);
    CU_ASSERT_TRUE(s.used > 8);  // more than a group
    CU_ASSERT_TRUE(s.samples > 0);
    close_sides();
}

static void paths__on_planes(void)
{
    paths = 8;
    planes = 4;
    bool open = open_sides("&planes=1&loss=0.02&seed=6");
    paths = 4;
    planes = 1;
    if (!open)
        return;
    both_ways();
    struct sums s = sums_of();
    CU_ASSERT_EQUAL(s.packets, STREAMS * 20 + s.moved);  // what is moved is sent on another path
    for (int i = 0; i < 4; i++)
        CU_ASSERT_TRUE(s.plane[i] > 0);
    close_sides();
}

/* Ports change while messages are in flight: nothing is lost, nothing arrives twice. */
static void set_port__in_flight(void)
{
    struct mr_wc wc[STREAMS * 20];
    uint64_t counter[MR_CNT__COUNT];

    if (!open_sides(""))
        return;
    for (uint32_t i = 0; i < 120000; i++)
        side[0].memory[i] = (uint8_t)(i * 2654435761u >> 24);
    for (unsigned i = 0; i < STREAMS * 20; i++) {
        CU_ASSERT_EQUAL(post(0, i % STREAMS, i, i * 2000, i * 2000, 2000), 0);
        CU_ASSERT_EQUAL(mr_path_set_port(side[0].conn, i % 4, (uint16_t)(50000 + i), 0), 0);
    }
    CU_ASSERT_TRUE_FATAL(take(0, wc, STREAMS * 20));
    for (int i = 0; i < STREAMS * 20; i++)
        CU_ASSERT_EQUAL(wc[i].status, MR_ERR_OK);
    CU_ASSERT_EQUAL(mr_counters_read(side[1].dev, counter, MR_CNT__COUNT), MR_CNT__COUNT);
    CU_ASSERT_EQUAL(counter[MR_CNT_RX_DUP], 0);
    CU_ASSERT_EQUAL(memcmp(side[1].memory, side[0].memory, 120000), 0);
    close_sides();
}

/* Connections come and go with all the paths that there are, and the last one works. */
static void paths__again(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_caps caps;

    if (!open_sides(""))
        return;
    mr_device_query(side[0].dev, &caps);
    attr.paths = 128;
    for (int round = 0; round < 3; round++) {
        struct mr_conn *c[64];
        uint32_t n = 0;
        while (n < 64 && !mr_conn_create(side[0].dev, &attr, &c[n])) {
            CU_ASSERT_EQUAL(mr_conn_connect(c[n], &side[1].addr), 0);
            CU_ASSERT_EQUAL(mr_conn_paths(c[n]), 4);
            n++;
        }
        CU_ASSERT_TRUE(n > (caps.groups - 1) / 16);
        while (n)
            CU_ASSERT_EQUAL(mr_conn_destroy(c[--n]), 0);
    }
    both_ways();
    close_sides();
}

static void open__busy(void)
{
    struct mr_device *dev;
    char uri[64];

    if (!open_sides(""))
        return;
    snprintf(uri, sizeof uri, "soft:0?dir=%s", dir);
    CHECK_ERR(mr_device_open(uri, &dev), -EBUSY);
    close_sides();
}

const struct test_row tests_soft_nic[] = {
    {"write__lengths", write__lengths},
    {"write__lengths_with_faults", write__lengths_with_faults},
    {"write__issue_ack_before_placed", write__issue_ack_before_placed},
    {"write__streams", write__streams},
    {"close__in_flight", close__in_flight},
    {"write__bad_local_key", write__bad_local_key},
    {"write__bad_local_bounds", write__bad_local_bounds},
    {"write__bad_remote_key", write__bad_remote_key},
    {"write__bad_remote_bounds", write__bad_remote_bounds},
    {"write__bad_remote_right", write__bad_remote_right},
    {"write__dead_peer", write__dead_peer},
    {"dereg__late", dereg__late},
    {"paths__128", paths__128},
    {"paths__on_planes", paths__on_planes},
    {"paths__again", paths__again},
    {"set_port__in_flight", set_port__in_flight},
    {"open__busy", open__busy},
    {},
};
