// SPDX-License-Identifier: BSD-2-Clause
/* test_keys.c - windows, invalidations, and what "withdrawn" means. [spec 7.5.5, 7.8] */
#include "ops.h"

enum { DST = 1 << 20, WINDOW = 0x2a0, ALL = 0x1f };

/** A key's entry at one side. */
static void key(struct pair *p, unsigned side, uint32_t k, unsigned kind, unsigned rights, uint32_t at, uint32_t len)
{
    uint8_t entry[MR_KEY_BYTES];

    mr_key_put(entry, (struct mr_key){.rights = (u(8))rights, .kind = (u(8))kind, .tag = (u(8))k, .pd = 7,
        .va = (uintptr_t)p->side[side].user + at, .len = len, .bus = (uintptr_t)p->side[side].user + at});
    CU_ASSERT_EQUAL(pair_table(p, side, MR_TBL_KEY, k >> 8, entry, sizeof entry), 0);
}

/** Region 0x300 that allows windows, window WINDOW not bound, stream 1 on both sides. */
static struct pair *begin(uint64_t seed)
{
    struct pair *p = pair_new(seed, 4);

    ops_open(p, 1, (struct ops_stream){0});
    ops_open(p, 2, (struct ops_stream){0});
    for (unsigned s = 0; s < 2; s++) {
        key(p, s, 0x301, MR_KEYKIND_REGION, MR_RIGHT_BIND | MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE, DST, 65536);
        key(p, s, WINDOW, MR_KEYKIND_WINDOW, 0, 0, 0);
    }
    return p;
}

/** Side 1 binds its window to [at, at + len) with these rights, by stream 1; the status. */
static unsigned bind(struct pair *p, uint32_t window, uint32_t at, uint32_t len, unsigned rights)
{
    ops_post_raw(p, 1, 1, (struct mr_wqe){.opcode = MR_OP_BIND_WINDOW, .flags = MR_WQEF_SIGNALED, .rkey = window,
        .imm = rights, .sge_key = 0x301, .sge_addr = (uintptr_t)p->side[1].user + at, .sge_len = len});
    return (unsigned)ops_wait(p, 1).status;
}

static unsigned invalidate(struct pair *p, unsigned side, uint32_t k)
{
    ops_post_raw(p, side, 1, (struct mr_wqe){.opcode = MR_OP_LOCAL_INV, .flags = MR_WQEF_SIGNALED, .imm = k});
    return (unsigned)ops_wait(p, side).status;
}

/** Side 0 writes 64 bytes through a key, on stream 2, which is opened anew first; the status. */
static unsigned write64(struct pair *p, uint32_t k, uint32_t at)
{
    ops_open(p, 2, (struct ops_stream){0});
    ops_post(p, 0, 2, &(struct ops_wr){.op = MR_OP_WRITE, .range = {{64, 64}}, .nranges = 1, .raddr = at, .rkey = k});
    return (unsigned)ops_wait(p, 0).status;
}

static void window__bound_used_unbound(void)
{
    struct pair *p = begin(950);

    CU_ASSERT_EQUAL(write64(p, WINDOW, DST), MR_ERR_REMOTE_KEY);
    CU_ASSERT_EQUAL(bind(p, WINDOW + 1, DST + 128, 256, MR_RIGHT_REMOTE_WRITE), MR_ERR_OK);
    CU_ASSERT_EQUAL(write64(p, WINDOW, DST + 128), MR_ERR_REMOTE_KEY);      // the old key
    CU_ASSERT_EQUAL(write64(p, WINDOW + 1, DST + 128), MR_ERR_OK);
    CU_ASSERT_EQUAL(write64(p, WINDOW + 1, DST + 128 + 192), MR_ERR_OK);
    CU_ASSERT_EQUAL(write64(p, WINDOW + 1, DST + 128 + 193), MR_ERR_REMOTE_BOUNDS);
    CU_ASSERT_EQUAL(write64(p, WINDOW + 1, DST + 64), MR_ERR_REMOTE_BOUNDS);
    CU_ASSERT_EQUAL(write64(p, 0x301, DST), MR_ERR_REMOTE_RIGHT);           // the region itself
    CU_ASSERT_EQUAL(bind(p, WINDOW + 2, DST + 128, 256, MR_RIGHT_REMOTE_READ), MR_ERR_OK);
    CU_ASSERT_EQUAL(write64(p, WINDOW + 2, DST + 128), MR_ERR_REMOTE_RIGHT);
    CU_ASSERT_EQUAL(invalidate(p, 1, WINDOW + 2), MR_ERR_OK);
    CU_ASSERT_EQUAL(write64(p, WINDOW + 2, DST + 128), MR_ERR_REMOTE_KEY);
    pair_free(p);
}

static void window__bad_binds(void)
{
    static const struct {
        uint32_t at, len;
        unsigned rights, status;
    } bad[] = {
        {DST - 1, 64, MR_RIGHT_REMOTE_WRITE, MR_ERR_LOCAL_BOUNDS},
        {DST, 65537, MR_RIGHT_REMOTE_WRITE, MR_ERR_LOCAL_BOUNDS},
        {DST, 64, MR_RIGHT_LOCAL_WRITE, MR_ERR_LOCAL_RIGHT},
    };

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pair *p = begin(952 + i);
        CU_ASSERT_EQUAL(bind(p, WINDOW + 1, bad[i].at, bad[i].len, bad[i].rights), bad[i].status);
        CU_ASSERT_EQUAL(write64(p, WINDOW + 1, DST), MR_ERR_REMOTE_KEY);
        pair_free(p);
    }
    struct pair *p = begin(956);
    key(p, 1, 0x301, MR_KEYKIND_REGION, MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE, DST, 65536);
    CU_ASSERT_EQUAL(bind(p, WINDOW + 1, DST, 64, MR_RIGHT_REMOTE_WRITE), MR_ERR_LOCAL_RIGHT);
    pair_free(p);
    p = begin(957);  // without LOCAL_WRITE only reads can be given on
    key(p, 1, 0x301, MR_KEYKIND_REGION, MR_RIGHT_LOCAL_READ | MR_RIGHT_BIND, DST, 65536);
    CU_ASSERT_EQUAL(bind(p, WINDOW + 1, DST, 64, MR_RIGHT_REMOTE_WRITE), MR_ERR_LOCAL_RIGHT);
    pair_free(p);
    p = begin(958);  // a region is no window
    CU_ASSERT_EQUAL(bind(p, PAIR_KEY + 1, DST, 64, MR_RIGHT_REMOTE_READ), MR_ERR_LOCAL_KEY);
    CU_ASSERT_EQUAL(write64(p, PAIR_KEY, DST), MR_ERR_OK);
    pair_free(p);
    p = begin(959);
    CU_ASSERT_EQUAL(invalidate(p, 1, 0x999), MR_ERR_LOCAL_KEY);
    pair_free(p);
}

/** Send with invalidate: the key is dead when the completion is there. */
static void window__invalidated_by_the_peer(void)
{
    struct pair *p = begin(960);
    struct ops_wr w = {.op = MR_OP_SEND_INV, .range = {{64, 64}}, .nranges = 1, .imm = WINDOW + 1};

    CU_ASSERT_EQUAL(bind(p, WINDOW + 1, DST, 256, MR_RIGHT_REMOTE_WRITE), MR_ERR_OK);
    CU_ASSERT_EQUAL(write64(p, WINDOW + 1, DST), MR_ERR_OK);
    ops_recv(p, 1, 1, &(struct ops_range){.at = 8192, .len = 64}, 1);
    pair_run(p, 3000);
    ops_post(p, 0, 1, &w);
    struct mr_cqe c = ops_wait(p, 1);
    CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
    CU_ASSERT_EQUAL(c.opcode, MR_OP_SEND_INV);
    CU_ASSERT_EQUAL(c.imm, WINDOW + 1);
    CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
    CU_ASSERT_EQUAL(write64(p, WINDOW + 1, DST), MR_ERR_REMOTE_KEY);
    // What the peer may not withdraw stays: the completion says so.
    for (unsigned i = 0; i < 2; i++) {
        w.imm = i ? PAIR_KEY : 0x12345;
        ops_recv(p, 1, 1, &(struct ops_range){.at = 8192, .len = 64}, 1);
        pair_run(p, 3000);
        ops_post(p, 0, 1, &w);
        CU_ASSERT_EQUAL(ops_wait(p, 1).status, MR_ERR_REMOTE_KEY);
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
    }
    CU_ASSERT_EQUAL(write64(p, PAIR_KEY, DST), MR_ERR_OK);
    pair_free(p);
}

/** What is in front is complete, what is behind is not begun. [spec 7.8.1] */
static void local__takes_its_place_in_the_stream(void)
{
    for (unsigned loss = 0; loss < 3; loss++) {
        struct pair *p = begin(965 + loss);
        p->loss = 0.1 * loss;
        fill(p, 0, 0, 65536);
        key(p, 0, 0x301, MR_KEYKIND_REGION, ALL, 0, 65536);
        for (unsigned i = 0; i < 3; i++)
            ops_post(p, 0, 1, &(struct ops_wr){.op = MR_OP_WRITE, .range = {{0, 30000}}, .nranges = 1,
                .raddr = DST + 30000 * i, .lkey = 0x301});
        ops_post_raw(p, 0, 1, (struct mr_wqe){.opcode = MR_OP_LOCAL_INV, .flags = MR_WQEF_SIGNALED, .imm = 0x301});
        ops_post(p, 0, 1, &(struct ops_wr){.op = MR_OP_WRITE, .range = {{0, 64}}, .nranges = 1, .raddr = DST + 200000});
        ops_post(p, 0, 1, &(struct ops_wr){.op = MR_OP_WRITE, .range = {{0, 64}}, .nranges = 1, .raddr = DST,
            .lkey = 0x301});
        for (unsigned i = 0; i < 5; i++) {
            struct mr_cqe c = ops_wait(p, 0);
            CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
            CU_ASSERT_EQUAL(c.wqe, i);
        }
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_LOCAL_KEY);
        for (unsigned i = 0; i < 3; i++)
            CU_ASSERT_TRUE(same(p, 0, DST + 30000 * i, 30000));
        pair_free(p);
    }
}

/** Keys that streams change are nobody's table writes: a stream can be closed after them. */
static void local__issue_a_close_that_never_ended(void)
{
    struct pair *p = begin(968);
    uint8_t none[MR_STREAM_BYTES] = {0};

    CU_ASSERT_EQUAL(bind(p, WINDOW + 1, DST, 64, MR_RIGHT_REMOTE_WRITE), MR_ERR_OK);
    CU_ASSERT_EQUAL(invalidate(p, 1, WINDOW + 1), MR_ERR_OK);
    CU_ASSERT_EQUAL(pair_table(p, 1, MR_TBL_STREAM, 1, none, sizeof none), 0);
    pair_free(p);
}

/** When the host's call returns, no byte changes any more, whatever is on its way and however slow memory is. */
static void withdrawn__means_that_nothing_changes_any_more(void)
{
    for (unsigned i = 0; i < 12; i++) {
        struct pair *p = pair_new(970 + i, 4);
        uint8_t none[MR_KEY_BYTES] = {0};
        p->side[1].write_latency = 50 + 400 * (i % 4);
        ops_open(p, 1, (struct ops_stream){0});
        fill(p, 0, 0, 1 << 20);
        ops_post(p, 0, 1, &(struct ops_wr){.op = MR_OP_WRITE, .range = {{0, 1 << 20}}, .nranges = 1, .raddr = DST});
        pair_run(p, 1500 + 211 * i);
        CU_ASSERT_EQUAL(pair_table(p, 1, MR_TBL_KEY, PAIR_KEY >> 8, none, sizeof none), 0);
        uint64_t then = p->side[1].writes;
        CU_ASSERT(then > 0);
        pair_run(p, 5000);
        CU_ASSERT_EQUAL(p->side[1].writes, then);
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_REMOTE_KEY);
        CU_ASSERT_EQUAL(p->side[1].writes, then);
        pair_free(p);
    }
}

void test_keys_register(CU_pSuite s)
{
    CU_ADD_TEST(s, window__bound_used_unbound);
    CU_ADD_TEST(s, window__bad_binds);
    CU_ADD_TEST(s, window__invalidated_by_the_peer);
    CU_ADD_TEST(s, local__takes_its_place_in_the_stream);
    CU_ADD_TEST(s, local__issue_a_close_that_never_ended);
    CU_ADD_TEST(s, withdrawn__means_that_nothing_changes_any_more);
}
