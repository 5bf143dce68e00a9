// SPDX-License-Identifier: BSD-2-Clause
/* Groups of path entries: who gets which, and what the device is told, in what order. */
#include "rig.h"

static struct mr_device *dev;

/* A connection with so many paths, connected to a peer with peer_paths. */
static struct mr_conn *make(unsigned paths, unsigned peer_paths)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_conn_addr addr;
    struct mr_conn *c = nullptr;

    attr.paths = (uint8_t)paths;
    if (mr_conn_create(dev, &attr, &c))
        return nullptr;
    CU_ASSERT_EQUAL(mr_conn_local(c, &addr), 0);
    addr.paths = (uint8_t)peer_paths;
    CU_ASSERT_EQUAL(mr_conn_connect(c, &addr), 0);
    return c;
}

static unsigned group_of(const struct mr_conn *c)
{
    return (unsigned)mr_conn_get(fake_entry(MR_TBL_CONN, mr_conn_number(c) & 0xffff)).group;
}

static void take__default(void)
{
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    struct mr_conn *c = make(0, 128);
    CU_ASSERT_EQUAL(mr_conn_paths(c), 8);
    mr_device_close(dev);
    fake.paths = 3;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    c = make(0, 128);
    CU_ASSERT_EQUAL(mr_conn_paths(c), 3);
    mr_device_close(dev);
}

/* 1 to 8 paths are a group, 9 two, 128 sixteen. */
static void take__sizes(void)
{
    static const unsigned paths[] = {1, 8, 9, 16, 17, 128, 1}, at[] = {0, 1, 2, 4, 6, 9, 25};

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct mr_conn *c = make(paths[i], 128);
        CU_ASSERT_PTR_NOT_NULL_FATAL(c);
        CU_ASSERT_EQUAL(mr_conn_paths(c), paths[i]);
        CU_ASSERT_EQUAL(group_of(c), at[i]);
    }
    mr_device_close(dev);
}

/* First fit: a hole is used by what fits into it, and holes side by side become one. */
static void take__fragments(void)
{
    struct mr_conn *c[16];

    fake.groups = 12;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    for (unsigned i = 0; i < 6; i++)
        c[i] = make(16, 128);
    CU_ASSERT_PTR_NULL(make(1, 1));  // 12 of 12 groups
    mr_conn_destroy(c[1]);
    mr_conn_destroy(c[4]);
    CU_ASSERT_PTR_NULL(make(17, 128));  // four are free, but two in a row
    c[1] = make(8, 128);
    CU_ASSERT_EQUAL(group_of(c[1]), 2);
    c[4] = make(16, 128);
    CU_ASSERT_EQUAL(group_of(c[4]), 8);
    c[6] = make(5, 128);
    CU_ASSERT_EQUAL(group_of(c[6]), 3);
    CU_ASSERT_PTR_NULL(make(1, 1));
    mr_conn_destroy(c[6]);
    mr_conn_destroy(c[2]);
    c[2] = make(24, 128);
    CU_ASSERT_EQUAL(group_of(c[2]), 3);
    mr_device_close(dev);
}

/* A connection that gets no groups leaves its number as well. */
static void take__no_leak(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_conn *c;

    fake.groups = 16;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    struct mr_conn *first = make(1, 1);
    attr.paths = 128;
    for (int i = 0; i < 100; i++)
        CHECK_ERR(mr_conn_create(dev, &attr, &c), -ENOSPC);
    for (int i = 0; i < 15; i++)
        CU_ASSERT_PTR_NOT_NULL(make(1, 1));
    CHECK_ERR(mr_conn_create(dev, &attr, &c), -ENOSPC);
    CU_ASSERT_EQUAL(group_of(first), 0);
    mr_device_close(dev);
}

/* What the peer cannot use comes back at the connect, and only once. */
static void take__fewer_at_peer(void)
{
    fake.groups = 16;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    struct mr_conn *a = make(128, 9);
    CU_ASSERT_EQUAL(mr_conn_paths(a), 9);
    struct mr_conn *b = make(112, 128);
    CU_ASSERT_PTR_NOT_NULL_FATAL(b);
    CU_ASSERT_EQUAL(group_of(b), 2);
    mr_conn_destroy(a);
    CU_ASSERT_PTR_NULL(make(17, 128));
    CU_ASSERT_PTR_NOT_NULL(make(16, 128));
    mr_device_close(dev);
}

static void take__random(void)
{
    struct mr_conn *c[16] = {};
    uint32_t x = 1;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    for (int round = 0; round < 400; round++) {
        uint8_t used[40] = {};
        x = x * 1103515245 + 12345;
        unsigned i = x >> 16 & 15, paths = 1 + (x >> 20) % 128;
        if (c[i])
            mr_conn_destroy(c[i]);
        c[i] = make(paths, 128);
        for (i = 0; i < 16; i++)
            for (unsigned g = 0; c[i] && g < (mr_conn_paths(c[i]) + 7) / 8; g++)
                CU_ASSERT_FATAL(group_of(c[i]) + g < 40 && !used[group_of(c[i]) + g]++);
    }
    mr_device_close(dev);
}

static void entry_is(uint32_t i, uint32_t table, uint32_t index)
{
    CU_ASSERT_EQUAL(fake_seen.entry[i].table, table);
    CU_ASSERT_EQUAL(fake_seen.entry[i].index, index);
}

/* Paths are open before their connection is, and free after it. */
static void entries__order(void)
{
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    make(20, 128);
    struct mr_conn *c = make(128, 128);
    uint32_t index = mr_conn_number(c) & 0xffff;
    CU_ASSERT_EQUAL(group_of(c), 3);
    CU_ASSERT_EQUAL_FATAL(fake_seen.entries, 21 + 129);
    for (uint32_t i = 0; i < 128; i++) {
        entry_is(21 + i, MR_TBL_PATH, 24 + i);
        struct mr_path_row p = mr_path_get(fake_seen.entry[21 + i].first);
        CU_ASSERT_EQUAL((unsigned)p.state, MR_PATHST_OPEN);
        CU_ASSERT_EQUAL((unsigned)p.conn, index);
        CU_ASSERT_EQUAL((unsigned)p.path, i);
        CU_ASSERT_TRUE((unsigned)p.sport >= 0xc000);
    }
    entry_is(21 + 128, MR_TBL_CONN, index);
    CU_ASSERT_EQUAL((unsigned)mr_conn_get(fake_entry(MR_TBL_CONN, index)).npaths, 128);
    mr_conn_destroy(c);
    CU_ASSERT_EQUAL_FATAL(fake_seen.entries, 21 + 2 * 129);
    entry_is(150, MR_TBL_CONN, index);
    CU_ASSERT_EQUAL(fake_seen.entry[150].first[0], 0);
    for (uint32_t i = 0; i < 128; i++) {
        entry_is(151 + i, MR_TBL_PATH, 24 + i);
        CU_ASSERT_EQUAL((unsigned)mr_path_get(fake_seen.entry[151 + i].first).state, MR_PATHST_FREE);
    }
    mr_device_close(dev);
}

/* A connect that the device refuses leaves no open path behind. */
static void entries__refused(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_conn_addr addr;
    struct mr_conn *c;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &c), 0);
    mr_conn_local(c, &addr);
    fake.table_refuse = MR_TBL_CONN;
    CHECK_ERR(mr_conn_connect(c, &addr), -EREMOTEIO);
    fake.table_refuse = 0;
    CU_ASSERT_EQUAL(mr_conn_paths(c), 0);
    for (uint32_t i = 0; i < 4; i++)
        CU_ASSERT_EQUAL((unsigned)mr_path_get(fake_entry(MR_TBL_PATH, i)).state, MR_PATHST_FREE);
    CU_ASSERT_EQUAL(mr_conn_connect(c, &addr), 0);
    mr_device_close(dev);
}

/* A device that is stuck costs a connection one time limit, not one for each path. */
static void entries__stuck(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_conn_addr addr;
    struct mr_conn *c;

    attr.paths = 128;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &c), 0);
    mr_conn_local(c, &addr);
    fake.table_stuck = true;
    CHECK_ERR(mr_conn_connect(c, &addr), -ETIMEDOUT);
    CU_ASSERT_EQUAL(fake_seen.entries, 1);
    CHECK_ERR(mr_conn_destroy(c), -ETIMEDOUT);
    CU_ASSERT_EQUAL(fake_seen.entries, 2);
    fake.table_stuck = false;
    mr_device_close(dev);
}

const struct test_row tests_groups[] = {
    {"take__default", take__default},
    {"take__sizes", take__sizes},
    {"take__fragments", take__fragments},
    {"take__no_leak", take__no_leak},
    {"take__fewer_at_peer", take__fewer_at_peer},
    {"take__random", take__random},
    {"entries__order", entries__order},
    {"entries__refused", entries__refused},
    {"entries__stuck", entries__stuck},
    {},
};
