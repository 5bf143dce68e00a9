// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_errors.c - operations that must fail: a clear status, nothing written, and
 * everybody else goes on.
 */
#include "nic_test.h"

/** The Write fails with `want`, writes nothing, and the path's sequence closes. */
static void fails_with(struct pair *p, struct mr_wqe w, unsigned want)
{
    uint64_t before = p->side[1].writes;

    pair_post(p, 0, w);
    CU_ASSERT_EQUAL(status_of(p, 0), want);
    CU_ASSERT_TRUE(closes(p, 0, 2));
    CU_ASSERT_EQUAL(p->side[1].writes, before);
}

static void error__bad_remote_key(void)
{
    static const uint32_t keys[] = {0, PAIR_KEY + 1, PAIR_KEY + 256, 0xffffffff};

    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct pair *p = pair_new(300 + i, 2);
        struct mr_wqe w = pair_wqe(p, 0, 0, 0, 10000);
        w.rkey = keys[i];
        fails_with(p, w, MR_ERR_REMOTE_KEY);
        CU_ASSERT(pair_count(p, 1, MR_CNT_RX_REFUSED) > 0);
        pair_free(p);
    }
}

static void error__bad_remote_bounds(void)
{
    static const int64_t at[] = {-1, PAIR_MEM - 8192, PAIR_MEM - 8192 - 99, INT64_MIN, INT64_MAX};

    for (unsigned i = 0; i < sizeof at / sizeof *at; i++) {
        struct pair *p = pair_new(310 + i, 2);
        struct mr_wqe w = pair_wqe(p, 0, 0, 0, 100);
        w.raddr += (uint64_t)at[i];
        fails_with(p, w, MR_ERR_REMOTE_BOUNDS);
        pair_free(p);
    }
}

/** An address range that wraps round the end of the address space is outside. */
static void error__bad_range_that_wraps(void)
{
    struct pair *p = pair_new(316, 2);
    struct mr_wqe w = pair_wqe(p, 0, 0, 0, 4096);

    w.raddr = (uint64_t)-100;
    fails_with(p, w, MR_ERR_REMOTE_BOUNDS);
    pair_free(p);
}

static void put_key(struct pair *p, unsigned side, uint32_t key, unsigned rights, unsigned pd)
{
    uint8_t entry[32];

    mr_key_put(entry, (struct mr_key){.rights = (u(8))rights, .tag = (u(8))key, .pd = (u(16))pd,
        .va = (uintptr_t)p->side[side].user, .len = 1 << 20, .bus = (uintptr_t)p->side[side].user});
    CU_ASSERT_EQUAL(pair_table(p, side, MR_TBL_KEY, key >> 8, entry, sizeof entry), 0);
}

static void error__missing_right_and_foreign_domain(void)
{
    struct pair *p = pair_new(320, 2);
    struct mr_wqe w = pair_wqe(p, 0, 0, 0, 5000);

    put_key(p, 1, 0x200, 0x1f & ~MR_RIGHT_REMOTE_WRITE, 7);
    w.rkey = 0x200;
    fails_with(p, w, MR_ERR_REMOTE_RIGHT);
    pair_free(p);

    p = pair_new(321, 2);
    w = pair_wqe(p, 0, 0, 0, 5000);
    put_key(p, 1, 0x200, 0x1f, 8);
    w.rkey = 0x200;
    fails_with(p, w, MR_ERR_REMOTE_KEY);
    pair_free(p);
}

static void error__bad_local_key(void)
{
    static const struct {
        uint32_t key;
        uint64_t move;
        unsigned rights;
        unsigned want;
    } cases[] = {
        {0x300, 0, 0x1f, MR_ERR_OK},
        {0x301, 0, 0x1f, MR_ERR_LOCAL_KEY},
        {0x300, 1 << 20, 0x1f, MR_ERR_LOCAL_BOUNDS},
        {0x300, (uint64_t)-1, 0x1f, MR_ERR_LOCAL_BOUNDS},
        {0x300, (1 << 20) - 8999, 0x1f, MR_ERR_LOCAL_BOUNDS},  // begins inside: nothing is sent all the same
        {0x300, 0, 0x1e, MR_ERR_LOCAL_RIGHT},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pair *p = pair_new(330 + i, 2);
        struct mr_wqe w = pair_wqe(p, 0, 0, 0, 9000);
        put_key(p, 0, 0x300, cases[i].rights, 7);
        w.sge_key = cases[i].key;
        w.sge_addr += cases[i].move;
        if (cases[i].want) {
            fails_with(p, w, cases[i].want);
            CU_ASSERT(pair_count(p, 0, MR_CNT_TX_LOCAL_ERRORS) > 0);
        } else {
            pair_post(p, 0, w);
            CU_ASSERT_EQUAL(status_of(p, 0), 0);
        }
        pair_free(p);
    }
}

static void error__bad_queue_entry(void)
{
    for (unsigned i = 0; i < 6; i++) {
        struct pair *p = pair_new(340 + i, 2);
        struct mr_wqe w = pair_wqe(p, 0, 0, 0, 100);
        switch (i) {
        case 0: w.opcode = MR_OP_READ_RSP; break;
        case 1: w.opcode = 0xff; break;
        case 2: w.nsge = 2; break;
        case 3: w.flags |= MR_WQEF_INLINE; break;
        case 4: w.length = 0x80000001; w.sge_len = 0x80000001; break;
        default: w.length = 101; break;
        }
        fails_with(p, w, MR_ERR_LOCAL_OP);
        pair_free(p);
    }
}

static void error__failed_payload_read(void)
{
    struct pair *p = pair_new(350, 2);

    p->side[0].bus_fails = true;
    fails_with(p, pair_wqe(p, 0, 0, 0, 10000), MR_ERR_BUS);
    CU_ASSERT(pair_count(p, 0, MR_CNT_TX_BUS_ERRORS) > 0);
    CU_ASSERT(pair_count(p, 1, MR_CNT_RX_BAD_ICRC) > 0);
    pair_free(p);
}

/** What could not be put into the receiver's memory is never acknowledged. */
static void error__failed_payload_write(void)
{
    struct pair *p = pair_new(355, 2);

    pair_write(p, 0, MR_REG_RETRY_MAX, 5);
    p->side[1].writes_fail = true;
    pair_post(p, 0, pair_wqe(p, 0, 0, 0, 10000));
    CU_ASSERT_EQUAL(status_of(p, 0), MR_ERR_RETRY);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_RX_ACKS), 0);
    pair_free(p);
}

static void error__stream_that_the_peer_has_not(void)
{
    struct pair *p = pair_new(360, 2);
    uint8_t entry[32];

    mr_stream_put(entry, (struct mr_stream){.state = 1, .sq_log2 = 6, .pd = 7, .peer = 5,
        .sq_base = (uintptr_t)p->side[0].sq});
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_STREAM, 0, entry, sizeof entry), 0);
    fails_with(p, pair_wqe(p, 0, 0, 0, 100), MR_ERR_REMOTE_STREAM);
    pair_free(p);
}

/** What stands before the failure completes; what stands behind is not reported; others go on. */
static void error__ends_its_stream_only_and_in_order(void)
{
    struct pair *p = pair_new(370, 4);
    uint8_t entry[32];
    uint8_t *sq = p->side[0].user + (3 << 20);
    struct mr_wqe bad = pair_wqe(p, 0, 0, 0, 30000);
    struct mr_cqe c;

    fill(p, 0, 0, 1 << 20);
    mr_stream_put(entry, (struct mr_stream){
        .state = 1, .sq_log2 = 6, .pd = 7, .peer = 0, .sq_base = (uintptr_t)sq});
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_STREAM, 1, entry, sizeof entry), 0);
    bad.rkey = 0x77777700;
    pair_post(p, 0, pair_wqe(p, 0, 0, 0, 200000));
    pair_post(p, 0, bad);
    pair_post(p, 0, pair_wqe(p, 0, 0, 300000, 20000));
    mr_wqe_put(sq, pair_wqe(p, 0, 400000, 400000, 600000));
    pair_write(p, 0, MR_REG_DB_SQ, 1 << 16 | 1);
    p->loss = 0.02;
    unsigned good = 0, failed = 0, other = 0;
    for (unsigned i = 0; i < 3; i++) {
        CU_ASSERT_TRUE_FATAL(pair_wait(p, 0, &c, PATIENCE));
        good += c.stream == 0 && c.msg == 0 && c.status == MR_ERR_OK && !failed;
        failed += c.stream == 0 && c.msg == 1 && c.status == MR_ERR_REMOTE_KEY;
        other += c.stream == 1 && c.status == MR_ERR_OK;
    }
    CU_ASSERT_EQUAL(good, 1);
    CU_ASSERT_EQUAL(failed, 1);
    CU_ASSERT_EQUAL(other, 1);
    CU_ASSERT_FALSE(pair_wait(p, 0, &c, 20000));
    CU_ASSERT_TRUE(same(p, 0, 0, 200000));
    CU_ASSERT_TRUE(same(p, 400000, 400000, 600000));
    CU_ASSERT_TRUE(closes(p, 0, 4));
    pair_free(p);
}

static void error__doorbells_that_lie(void)
{
    struct pair *p = pair_new(380, 2);
    struct mr_cqe c;

    pair_write(p, 0, MR_REG_DB_SQ, 65);            // more than the queue holds
    pair_write(p, 0, MR_REG_DB_SQ, 0xffff);
    pair_write(p, 0, MR_REG_DB_SQ, 0x400001);      // stream 64 of 64, would alias stream 0
    pair_write(p, 0, MR_REG_DB_SQ, 0x30001);       // stream 3 is not open
    CU_ASSERT_FALSE(pair_wait(p, 0, &c, 5000));
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_FRAMES), 0);
    fill(p, 0, 0, 100);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 100), MR_ERR_OK);
    pair_free(p);
}

static void error__bad_table_commands_are_refused(void)
{
    struct pair *p = pair_new(390, 2);
    uint8_t entry[64] = {0};

    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_CONN, MR_CONNS, entry, 64), 2);
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_KEY, MR_KEYS, entry, 32), 2);
    CU_ASSERT_EQUAL(pair_table(p, 0, 0, 0, entry, 64), 2);
    CU_ASSERT_EQUAL(pair_table(p, 0, 99, 0, entry, 64), 2);
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_TELE, 0, entry, 64), 2);
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_CONN, MR_CONNS - 1, entry, 64), 0);
    pair_free(p);
}

void test_errors_register(CU_pSuite s)
{
    CU_ADD_TEST(s, error__bad_remote_key);
    CU_ADD_TEST(s, error__bad_remote_bounds);
    CU_ADD_TEST(s, error__bad_range_that_wraps);
    CU_ADD_TEST(s, error__missing_right_and_foreign_domain);
    CU_ADD_TEST(s, error__bad_local_key);
    CU_ADD_TEST(s, error__bad_queue_entry);
    CU_ADD_TEST(s, error__failed_payload_read);
    CU_ADD_TEST(s, error__failed_payload_write);
    CU_ADD_TEST(s, error__stream_that_the_peer_has_not);
    CU_ADD_TEST(s, error__ends_its_stream_only_and_in_order);
    CU_ADD_TEST(s, error__doorbells_that_lie);
    CU_ADD_TEST(s, error__bad_table_commands_are_refused);
}
