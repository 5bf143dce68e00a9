// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

static struct mr_device *dev;

static struct mr_conn *make(unsigned end)
{
    struct mr_conn_attr attr = rig_attr(end);
    struct mr_conn *c = nullptr;

    CU_ASSERT_EQUAL(mr_conn_create(dev, &attr, &c), 0);
    return c;
}

static void create__bad_attribute(void)
{
    struct mr_conn *c = nullptr;
    const struct mr_conn_attr ok = rig_attr(0);
    struct mr_conn_attr bad[] = {ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok};
    size_t n = 0;

    memset(bad[n++].mac, 0, 6);
    bad[n++].mac[0] = 1;  // a group address
    bad[n++].ip.family = 5;
    bad[n++].mtu = 255;
    bad[n++].mtu = 128;
    bad[n++].mtu = 8192;
    bad[n++].mtu = 1500;
    bad[n++].paths = 129;
    bad[n++].tos = 1;
    bad[n++].flags = 0x20;
    bad[n].flags = MR_CONN_NUMBER, bad[n++].number = 16;  // the device has 16
    bad[n].flags = MR_CONN_NUMBER, bad[n++].number = 0x1000000;
    bad[n++].rsvd32 = 1;
    bad[n++].flags = MR_CONN_NEXT_HOP;  // without one
    bad[n++].flags = MR_CONN_SPORTS;    // port 0
    bad[n].flags = MR_CONN_PLANES, bad[n++].plane[2] = 1;  // of one plane
    bad[n++].planes = 9;
    bad[n++].rsvd[2] = 1;
    CU_ASSERT_EQUAL(n, sizeof bad / sizeof bad[0]);
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    for (size_t i = 0; i < n; i++)
        CHECK_ERR(mr_conn_create(dev, &bad[i], &c), -EINVAL);
    CHECK_ERR(mr_conn_create(nullptr, &ok, &c), -EINVAL);
    CHECK_ERR(mr_conn_create(dev, nullptr, &c), -EINVAL);
    CHECK_ERR(mr_conn_create(dev, &ok, nullptr), -EINVAL);
    CU_ASSERT_PTR_NULL(c);
    mr_device_close(dev);
}

static void create__all_numbers(void)
{
    struct mr_conn *c[16], *one;
    struct mr_conn_attr attr = rig_attr(0);

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    for (int i = 0; i < 16; i++)
        c[i] = make(0);
    CHECK_ERR(mr_conn_create(dev, &attr, &one), -ENOSPC);
    uint32_t old = mr_conn_number(c[5]);
    CU_ASSERT_EQUAL(mr_conn_destroy(c[5]), 0);
    one = make(0);
    CU_ASSERT_EQUAL(mr_conn_number(one) & 0xffff, old & 0xffff);
    CU_ASSERT_NOT_EQUAL(mr_conn_number(one) >> 16, old >> 16);
    mr_device_close(dev);
}

static void create__number(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_conn *c, *other;

    attr.flags = MR_CONN_NUMBER;
    attr.number = 0xab0005;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &c), 0);
    CU_ASSERT_EQUAL(mr_conn_number(c), 0xab0005);
    attr.number = 0xac0005;
    CHECK_ERR(mr_conn_create(dev, &attr, &other), -EBUSY);
    CU_ASSERT_EQUAL(mr_conn_destroy(c), 0);
    CU_ASSERT_EQUAL(mr_conn_create(dev, &attr, &c), 0);
    CU_ASSERT_EQUAL(mr_conn_number(c), 0xac0005);
    // Those that ask for none get the others.
    attr = rig_attr(0);
    attr.paths = 1;
    for (int i = 0; i < 15; i++) {
        CU_ASSERT_EQUAL(mr_conn_create(dev, &attr, &other), 0);
        CU_ASSERT_NOT_EQUAL(mr_conn_number(other) & 0xffff, 5);
    }
    CHECK_ERR(mr_conn_create(dev, &attr, &other), -ENOSPC);
    mr_device_close(dev);
}

static void connect__entries(void)
{
    struct mr_conn_addr addr;
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_conn *a, *b;

    attr.flags = MR_CONN_VLAN | MR_CONN_NEXT_HOP | MR_CONN_SPORTS;
    attr.vlan = 0x2064;
    attr.tos = 0x68;
    attr.ttl = 9;
    attr.paths = 3;
    for (int i = 0; i < 3; i++)
        attr.sport[i] = (uint16_t)(1000 + i);
    memcpy(attr.next_hop, (uint8_t[]){2, 9, 9, 9, 9, 9}, 6);
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &a), 0);
    attr = rig_attr(1);
    attr.mtu = 1024;
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &b), 0);
    CU_ASSERT_EQUAL(mr_conn_paths(a), 0);
    mr_conn_local(b, &addr);
    CU_ASSERT_EQUAL(mr_conn_connect(a, &addr), 0);
    CU_ASSERT_EQUAL(mr_conn_paths(a), 3);
    CHECK_ERR(mr_conn_connect(a, &addr), -EISCONN);
    uint32_t index = mr_conn_number(a) & 0xffff;
    struct mr_conn_row row = mr_conn_get(fake_entry(MR_TBL_CONN, index));
    CU_ASSERT_EQUAL((unsigned)row.state, 1);
    CU_ASSERT_EQUAL((unsigned)row.flags, MR_CONNF_VLAN);
    CU_ASSERT_EQUAL((unsigned)row.local, mr_conn_number(a));
    CU_ASSERT_EQUAL((unsigned)row.peer, mr_conn_number(b));
    CU_ASSERT_EQUAL((uint64_t)row.smac, 0x020000000001);
    CU_ASSERT_EQUAL((uint64_t)row.dmac, 0x020909090909);
    CU_ASSERT_EQUAL((uint64_t)row.saddr, 0x0a000001);
    CU_ASSERT_EQUAL((uint64_t)row.daddr, 0x0a000002);
    CU_ASSERT_EQUAL((unsigned)row.vlan, 0x2064);
    CU_ASSERT_EQUAL((unsigned)row.mtu, 1024);
    CU_ASSERT_EQUAL((unsigned)row.npaths, 3);
    CU_ASSERT_EQUAL((unsigned)row.tos, 0x68);
    CU_ASSERT_EQUAL((unsigned)row.ttl, 9);
    for (unsigned i = 0; i < 3; i++) {
        struct mr_path_row p = mr_path_get(fake_entry(MR_TBL_PATH, (unsigned)row.group * 8 + i));
        CU_ASSERT_EQUAL((unsigned)p.sport, 1000 + i);
        CU_ASSERT_EQUAL((unsigned)p.state, MR_PATHST_OPEN);
    }
    CU_ASSERT_EQUAL(mr_conn_destroy(a), 0);
    row = mr_conn_get(fake_entry(MR_TBL_CONN, index));
    CU_ASSERT_EQUAL((unsigned)row.state, 0);
    mr_device_close(dev);
}

static void connect__ipv6(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_conn_addr addr;
    struct mr_conn *a, *b;

    attr.ip = (struct mr_ip){.family = 6, .addr = {0xfd, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &a), 0);
    b = make(1);
    mr_conn_local(b, &addr);
    CHECK_ERR(mr_conn_connect(a, &addr), -EINVAL);  // the other family
    mr_conn_local(a, &addr);
    CU_ASSERT_EQUAL(mr_conn_connect(a, &addr), 0);
    struct mr_conn_row row = mr_conn_get(fake_entry(MR_TBL_CONN, mr_conn_number(a) & 0xffff));
    CU_ASSERT_EQUAL((unsigned)row.flags, MR_CONNF_IPV6);
    CU_ASSERT_EQUAL((uint64_t)(row.saddr >> 64), 0xfd01020304050607);
    CU_ASSERT_EQUAL((uint64_t)row.saddr, 0x08090a0b0c0d0e0f);
    mr_device_close(dev);
}

static void connect__bad_address(void)
{
    struct mr_conn_addr ok, bad;
    struct mr_conn *a, *b;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    a = make(0);
    b = make(1);
    CU_ASSERT_EQUAL(mr_conn_local(b, &ok), 0);
    CHECK_ERR(mr_conn_local(b, nullptr), -EINVAL);
    CHECK_ERR(mr_conn_local(nullptr, &bad), -EINVAL);
    CHECK_ERR(mr_conn_connect(nullptr, &ok), -EINVAL);
    CHECK_ERR(mr_conn_connect(a, nullptr), -EINVAL);
    bad = ok, bad.magic ^= 1;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    bad = ok, bad.version++;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    bad = ok, bad.mtu = 0;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    bad = ok, bad.paths = 0;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    bad = ok, bad.conn = 0x1000000;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    bad = ok, bad.conn = 0xffffff;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    bad = ok, memset(bad.mac, 0, 6);
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    fake.table_refuse = MR_TBL_CONN;
    CHECK_ERR(mr_conn_connect(a, &ok), -EREMOTEIO);
    fake.table_refuse = 0;
    CU_ASSERT_EQUAL(mr_conn_connect(a, &ok), 0);
    mr_device_close(dev);
}

static void local__address(void)
{
    struct mr_conn_addr addr;
    struct rig r;

    CU_ASSERT_EQUAL(sizeof addr, 256);
    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL(mr_conn_local(r.conn[1], &addr), 0);
    CU_ASSERT_EQUAL(addr.conn, mr_conn_number(r.conn[1]));
    CU_ASSERT_EQUAL(addr.nstreams, 1);
    CU_ASSERT_EQUAL(addr.stream[0], mr_stream_number(r.stream[1]));
    CU_ASSERT_EQUAL(addr.mtu, 4096);
    CU_ASSERT_EQUAL(addr.paths, 4);
    CU_ASSERT_EQUAL(addr.mac[5], 2);
    rig_close(&r);
}

static void sports__spread(void)
{
    struct mr_conn_addr addr;
    uint16_t first[2][4];

    for (int run = 0; run < 2; run++) {
        CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
        struct mr_conn *a = make(0);
        mr_conn_local(a, &addr);
        mr_conn_connect(a, &addr);
        for (unsigned i = 0; i < 4; i++) {
            struct mr_path_info info;
            CU_ASSERT_EQUAL(mr_path_query(a, i, &info), 0);
            first[run][i] = info.sport;
            CU_ASSERT_TRUE(info.sport >= 0xc000);
            for (unsigned j = 0; j < i; j++)
                CU_ASSERT_NOT_EQUAL(first[run][i], first[run][j]);
        }
        mr_device_close(dev);
    }
    CU_ASSERT_EQUAL(memcmp(first[0], first[1], sizeof first[0]), 0);
}

static void destroy__in_use(void)
{
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CHECK_ERR(mr_conn_destroy(r.conn[0]), -EBUSY);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    CU_ASSERT_EQUAL(mr_conn_destroy(r.conn[0]), 0);
    CU_ASSERT_EQUAL(mr_conn_destroy(nullptr), 0);
    CU_ASSERT_EQUAL(mr_conn_number(nullptr), 0xffffff);
    rig_close(&r);
}

const struct test_row tests_conn[] = {
    {"create__bad_attribute", create__bad_attribute},
    {"create__all_numbers", create__all_numbers},
    {"create__number", create__number},
    {"connect__entries", connect__entries},
    {"connect__ipv6", connect__ipv6},
    {"connect__bad_address", connect__bad_address},
    {"local__address", local__address},
    {"sports__spread", sports__spread},
    {"destroy__in_use", destroy__in_use},
    {},
};
