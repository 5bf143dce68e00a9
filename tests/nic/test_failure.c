// SPDX-License-Identifier: BSD-2-Clause
/* test_failure.c - paths and planes that die, are left, and come back. [spec 6.3, 6.4] */
#include <stdlib.h>

#include "nic_test.h"

enum { MB = 1 << 20 };

/** What dies, and when. */
struct death {
    uint64_t from, to;   // cycles
    int port;            // frames with this source port, -1: whatever the port
    int path;            // of this path, -1: of every path
    unsigned dirs;       // bit s: frames from side s
    unsigned control;    // percentage of CLOSE and CLOSED that is lost besides
    int plane;           // frames of this plane, -1: of all
};

static enum pair_fate die(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    struct death *d = arg;
    bool hit = p->now >= d->from && p->now < d->to && d->dirs >> from & 1;

    (void)len;
    bool control = kind_of(f) == MR_KIND_PATH && f[43] != MR_PATHOP_PROBE;
    if (control && pair_random(p) % 100 < d->control)
        return PAIR_LOSE;
    if (d->port >= 0 && (f[34] << 8 | f[35]) != d->port)
        hit = false;
    if (d->path >= 0 && (f[49] != d->path || control))  // that travels with another path's port
        hit = false;
    if (d->plane >= 0 && (f[33] & 7) != d->plane)
        hit = false;
    return hit ? PAIR_LOSE : PAIR_PASS;
}

/** Runs until the path is in that state. */
static bool becomes(struct pair *p, unsigned path, unsigned state, uint64_t cycles)
{
    for (uint64_t end = p->now + cycles; p->now < end; pair_run(p, 200))
        if (pair_tele(p, 0, 0, path).state == state)
            return true;
    return false;
}

static void failure__of_one_path_is_survived(void)
{
    for (unsigned i = 0; i < 6; i++) {
        struct pair *p = pair_new(500 + i, 4);
        struct death d = {.from = p->now + 500 + 700 * i, .to = UINT64_MAX, .port = 50000, .path = -1,
            .dirs = 3, .plane = -1};
        fill(p, 0, 0, 3 * MB);
        p->fault = die;
        p->fault_arg = &d;
        CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 * MB), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, 0, 0, 3 * MB));
        CU_ASSERT_EQUAL(p->side[1].writes, 3 * MB);  // exactly once
        CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_PATH_FAILS), 1);
        // Another source port leads around the failure, so the path comes back.
        CU_ASSERT_TRUE(becomes(p, 0, MR_TELEST_LIVE, 200000));
        CU_ASSERT_EQUAL(pair_tele(p, 0, 0, 0).epoch, 1);
        CU_ASSERT_EQUAL(pair_tele(p, 0, 0, 0).fails, 1);
        CU_ASSERT_TRUE(closes(p, 0, 4));
        // And carries data again.
        CU_ASSERT_EQUAL(write_now(p, 0, 0, MB), MR_ERR_OK);
        CU_ASSERT(pair_tele(p, 0, 0, 0).psn > 0);
        CU_ASSERT_EQUAL(p->side[1].writes, 4 * MB);
        pair_free(p);
    }
}

/** The data arrives, its acknowledgments do not: nothing of it may be placed again. */
static void failure__of_the_way_back_moves_nothing_that_arrived(void)
{
    struct pair *p = pair_new(510, 4);
    struct death d = {.from = p->now + 2500, .to = UINT64_MAX, .port = 50000, .path = -1, .dirs = 2,
        .plane = -1};

    fill(p, 0, 0, 3 * MB);
    p->fault = die;
    p->fault_arg = &d;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 * MB), MR_ERR_OK);
    CU_ASSERT_TRUE(same(p, 0, 0, 3 * MB));
    CU_ASSERT_EQUAL(p->side[1].writes, 3 * MB);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_PATH_FAILS), 1);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_MOVED), 0);
    pair_free(p);
}

static void failure__control_packets_may_be_lost_too(void)
{
    for (unsigned i = 0; i < 8; i++) {
        struct pair *p = pair_new(520 + i, 4);
        struct death d = {.from = p->now + 2000, .to = UINT64_MAX, .port = 50001, .path = -1, .dirs = 3,
            .control = 60, .plane = -1};
        fill(p, 0, 0, 3 * MB);
        p->fault = die;
        p->fault_arg = &d;
        p->loss = 0.02;
        CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 * MB), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, 0, 0, 3 * MB));
        CU_ASSERT_EQUAL(p->side[1].writes, 3 * MB);
        pair_free(p);
    }
}

/** No port helps: the path stays on trial, without data, until its route works again. */
static void failure__a_path_is_taken_back_when_it_works(void)
{
    struct pair *p = pair_new(530, 4);
    struct death d = {.from = p->now + 2000, .to = p->now + 400000, .port = -1, .path = 2, .dirs = 1,
        .plane = -1};

    fill(p, 0, 0, 3 * MB);
    p->fault = die;
    p->fault_arg = &d;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 * MB), MR_ERR_OK);
    CU_ASSERT_TRUE(becomes(p, 2, MR_TELEST_TRIAL, 100000));
    CU_ASSERT_EQUAL(write_now(p, 0, 0, MB), MR_ERR_OK);
    CU_ASSERT_EQUAL(pair_tele(p, 0, 0, 2).psn, 0);
    CU_ASSERT_TRUE(becomes(p, 2, MR_TELEST_LIVE, 1000000));
    CU_ASSERT(p->now >= d.to);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, MB), MR_ERR_OK);
    CU_ASSERT(pair_tele(p, 0, 0, 2).psn > 0);
    CU_ASSERT_TRUE(same(p, 0, 0, 3 * MB));
    pair_free(p);
}

/** All but one die, one after the other; then that one dies and another has come back. */
static void failure__of_all_but_one(void)
{
    struct pair *p = pair_new(540, 8);
    struct death d = {.from = 0, .to = UINT64_MAX, .port = -1, .path = -1, .dirs = 3, .plane = -1};

    fill(p, 0, 0, 3 * MB);
    p->fault = die;
    p->fault_arg = &d;
    for (unsigned path = 0; path < 7; path++) {
        d.port = 50000 + (int)path;
        CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 * MB), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, 0, 0, 3 * MB));
        memset(p->side[1].user, 0, 3 * MB);
        CU_ASSERT_EQUAL(p->side[1].writes, (uint64_t)(path + 1) * 3 * MB);
    }
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_PATH_FAILS), 7);
    pair_free(p);
}

/** Every path is dead: an error in bounded time, and the time follows the register. */
static void failure__of_everything_ends_in_an_error(void)
{
    uint64_t took[2];

    for (unsigned i = 0; i < 2; i++) {
        struct pair *p = pair_new(550 + i, 4);
        struct death d = {.from = p->now + 3000, .to = UINT64_MAX, .port = -1, .path = -1, .dirs = 3,
            .plane = -1};
        uint64_t start = p->now;
        pair_write(p, 0, MR_REG_RETRY_MAX, i ? 9 : 5);
        fill(p, 0, 0, 3 * MB);
        p->fault = die;
        p->fault_arg = &d;
        CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 * MB), MR_ERR_RETRY);
        took[i] = p->now - start;
        pair_free(p);
    }
    CU_ASSERT(took[0] < took[1]);
    CU_ASSERT(took[1] < 2500000);  // 10 ms
}

/** Half of the paths run on a plane that dies, and comes back. */
static void failure__of_a_plane(void)
{
    struct pair *p = pair_new(560, 8);
    struct death d = {.from = p->now + 3000, .to = p->now + 300000, .port = -1, .path = -1, .dirs = 3,
        .plane = 1};

    for (unsigned s = 0; s < 2; s++)
        pair_connect(p, s, (struct pair_conn){.generation = 0x34, .paths = 8, .mtu = 4096, .planes = 2});
    fill(p, 0, 0, 3 * MB);
    p->fault = die;
    p->fault_arg = &d;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 * MB), MR_ERR_OK);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_PATH_FAILS), 4);
    for (unsigned i = 0; i < 8; i++)
        CU_ASSERT_EQUAL(pair_tele(p, 0, 0, i).fails, i % 2);
    CU_ASSERT_EQUAL(p->side[1].writes, 3 * MB);
    CU_ASSERT_TRUE(same(p, 0, 0, 3 * MB));
    for (unsigned i = 1; i < 8; i += 2)
        CU_ASSERT_TRUE(becomes(p, i, MR_TELEST_LIVE, 1000000));
    CU_ASSERT(p->now > d.to);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 3 * MB), MR_ERR_OK);
    CU_ASSERT(pair_tele(p, 0, 0, 1).packets > 0);
    pair_free(p);
}

/** The paths that work have nothing to send, so nobody hears of them: the dead one is left all the same. */
static void failure__issue_of_one_path_while_others_are_idle(void)
{
    for (unsigned paths = 2; paths <= 10; paths += 4) {
        struct pair *p = pair_new(562 + paths, paths);
        struct death d = {.from = 0, .to = UINT64_MAX, .port = 50000 + (int)paths - 1, .path = -1, .dirs = 3,
            .plane = -1};
        p->fault = die;
        p->fault_arg = &d;
        for (unsigned i = 0; i < paths; i++)
            CU_ASSERT_EQUAL(write_now(p, 0, 0, 4096), MR_ERR_OK);
        CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_PATH_FAILS), 1);
        CU_ASSERT_EQUAL(p->side[1].writes, paths * 4096);
        pair_free(p);
    }
}

/** A path that fails and comes back without end: no epoch is used twice while a packet of it may be on the way. */
static void failure__again_and_again_uses_up_no_epochs(void)
{
    enum { LEN = 16 << 10, LIVES = 64 };  // of an era, hls/tx_ack/health.h
    struct pair *p = pair_new(565, 2);
    struct death d = {.from = 0, .to = 0, .port = -1, .path = 1, .dirs = 1, .plane = -1};
    unsigned n = 0;

    fill(p, 0, 0, MB);
    pair_write(p, 0, MR_REG_PROBE_MIN, 500);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, LEN), MR_ERR_OK);  // measures the round trip
    p->fault = die;
    p->fault_arg = &d;
    for (; n < LIVES; n++) {
        d.to = UINT64_MAX;
        CU_ASSERT_EQUAL(write_now(p, 0, 0, LEN), MR_ERR_OK);
        CU_ASSERT_TRUE(becomes(p, 1, MR_TELEST_TRIAL, 200000));
        d.to = 0;
        CU_ASSERT_TRUE(becomes(p, 1, MR_TELEST_LIVE, 1000000));
    }
    CU_ASSERT_EQUAL(pair_tele(p, 0, 0, 1).epoch, LIVES);
    // Once more: it stays, probes, loses nothing, ends nothing, and goes on as soon as it works.
    d.to = p->now + 100000;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, LEN), MR_ERR_OK);
    CU_ASSERT(p->now > d.to);
    CU_ASSERT_EQUAL(pair_tele(p, 0, 0, 1).epoch, LIVES);
    CU_ASSERT_EQUAL(pair_tele(p, 0, 0, 1).fails, LIVES);
    CU_ASSERT_EQUAL(p->side[1].writes, (uint64_t)(LIVES + 2) * LEN);
    CU_ASSERT_TRUE(same(p, 0, 0, LEN));
    pair_free(p);
}

/** Packets of a path that was left, kept back by the network, arrive late. */
struct late {
    unsigned count;
    unsigned len[256];
    uint8_t bytes[256][PAIR_FRAME_MAX];
    uint64_t from;
};

static enum pair_fate keep_back(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    struct late *l = arg;

    if (from != 0 || (f[34] << 8 | f[35]) != 50000 || p->now < l->from)
        return PAIR_PASS;
    if (l->count < 256 && kind_of(f) == MR_KIND_DATA) {
        l->len[l->count] = len;
        memcpy(l->bytes[l->count++], f, len);
    }
    return PAIR_LOSE;
}

static void failure__late_packets_of_the_old_path_are_dropped(void)
{
    struct pair *p = pair_new(570, 4);
    struct late *l = calloc(1, sizeof *l);

    CU_ASSERT_PTR_NOT_NULL_FATAL(l);
    l->from = p->now + 1500;
    fill(p, 0, 0, 2 * MB);
    p->fault = keep_back;
    p->fault_arg = l;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 2 * MB), MR_ERR_OK);
    CU_ASSERT_TRUE(becomes(p, 0, MR_TELEST_LIVE, 300000));
    CU_ASSERT(l->count > 4);
    uint64_t before = p->side[1].writes;
    CU_ASSERT_EQUAL(before, 2 * MB);
    for (unsigned i = 0; i < l->count; i++)
        inject(p, l->bytes[i], l->len[i]);
    pair_run(p, 10000);
    CU_ASSERT_EQUAL(p->side[1].writes, before);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_EPOCH), l->count);
    CU_ASSERT_TRUE(closes(p, 0, 4));
    free(l);
    pair_free(p);
}

/** Routes die and come back at random, packets are lost at random: everything once, in the end. */
static void failure__of_anything_at_any_time(void)
{
    for (unsigned i = 0; i < 40; i++) {
        unsigned paths = 2 + i % 7;
        struct pair *p = pair_new(580 + i, paths);
        struct death d = {.port = -1, .path = -1, .dirs = 3, .plane = -1, .control = 10};
        uint64_t total = 0;
        p->fault = die;
        p->fault_arg = &d;
        p->loss = (double)(pair_random(p) % 50) / 1000;
        fill(p, 0, 0, MB);
        for (unsigned k = 0; k < 4; k++) {
            uint32_t len = (uint32_t)(pair_random(p) % MB) + 1;
            d.from = p->now + pair_random(p) % 5000;
            d.to = d.from + 20000 + pair_random(p) % 100000;
            d.path = (int)(pair_random(p) % paths);
            d.dirs = 1 + pair_random(p) % 3;
            unsigned status = write_now(p, 0, 0, len);
            if (status != MR_ERR_OK) {
                printf("\n    seed %u, message %u, %u paths: status %u\n", 580 + i, k, paths, status);
                CU_FAIL("message failed");
                break;
            }
            CU_ASSERT_TRUE(same(p, 0, 0, len));
            memset(p->side[1].user, 0, MB);
            total += len;
            CU_ASSERT_EQUAL(p->side[1].writes, total);
        }
        pair_free(p);
    }
}

void test_failure_register(CU_pSuite s)
{
    CU_ADD_TEST(s, failure__of_one_path_is_survived);
    CU_ADD_TEST(s, failure__of_the_way_back_moves_nothing_that_arrived);
    CU_ADD_TEST(s, failure__control_packets_may_be_lost_too);
    CU_ADD_TEST(s, failure__a_path_is_taken_back_when_it_works);
    CU_ADD_TEST(s, failure__of_all_but_one);
    CU_ADD_TEST(s, failure__of_everything_ends_in_an_error);
    CU_ADD_TEST(s, failure__of_a_plane);
    CU_ADD_TEST(s, failure__issue_of_one_path_while_others_are_idle);
    CU_ADD_TEST(s, failure__again_and_again_uses_up_no_epochs);
    CU_ADD_TEST(s, failure__late_packets_of_the_old_path_are_dropped);
    CU_ADD_TEST(s, failure__of_anything_at_any_time);
}
