// SPDX-License-Identifier: BSD-2-Clause
/* Planes of a connection: which addresses can have them, and what the device is told. [spec 2.7.2] */
#include "rig.h"

static struct mr_device *dev;

/* Attributes that eight planes can have: the last byte of all addresses is a multiple of 8. */
static struct mr_conn_attr plane_attr(unsigned end)
{
    struct mr_conn_attr attr = rig_attr(end);

    attr.planes = 4;
    attr.mac[5] = (uint8_t)(8 + 8 * end);
    attr.ip.addr[3] = (uint8_t)(8 + 8 * end);
    attr.paths = 8;
    return attr;
}

static struct mr_conn_row row_of(const struct mr_conn *c)
{
    return mr_conn_get(fake_entry(MR_TBL_CONN, mr_conn_number(c) & 0xffff));
}

static unsigned plane_of(const struct mr_conn *c, unsigned path)
{
    unsigned row = (unsigned)row_of(c).group * 8 + path;

    return (unsigned)mr_path_get(fake_entry(MR_TBL_PATH, row)).plane;
}

static void create__bad_attribute(void)
{
    const struct mr_conn_attr ok = plane_attr(0);
    struct mr_conn_attr bad[] = {ok, ok, ok, ok, ok, ok, ok, ok};
    struct mr_conn *c;
    size_t n = 0;

    bad[n++].planes = 9;
    bad[n++].ip.addr[3] = 12;  // all three bits, however many planes
    bad[n++].mac[5] = 9;
    bad[n++].mac[5] = 10;
    bad[n++].plane_at = 4;  // there is no such byte in IPv4
    bad[n].plane_at = 1, bad[n++].ip.addr[2] = 1;
    bad[n].flags = MR_CONN_NEXT_HOP, memcpy(bad[n++].next_hop, (uint8_t[]){2, 0, 0, 0, 0, 1}, 6);
    bad[n].flags = MR_CONN_PLANES, bad[n++].plane[7] = 4;
    CU_ASSERT_EQUAL(n, sizeof bad / sizeof bad[0]);
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    for (size_t i = 0; i < n; i++)
        CHECK_ERR(mr_conn_create(dev, &bad[i], &c), -EINVAL);
    CU_ASSERT_EQUAL(mr_conn_create(dev, &ok, &c), 0);
    mr_device_close(dev);
    fake.planes = 3;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CHECK_ERR(mr_conn_create(dev, &ok, &c), -EINVAL);
    mr_device_close(dev);
}

/* What is only needed with planes is not looked at with one, and MAC bits only as far as needed. */
static void create__good_attribute(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_conn *c;

    attr.plane_at = 200;
    attr.mac[5] = 7;
    attr.plane[2] = 77;  // not given
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL(mr_conn_create(dev, &attr, &c), 0);
    attr = plane_attr(0);
    attr.mac[5] = 12;  // planes 0 to 3 reach two bits
    CU_ASSERT_EQUAL(mr_conn_create(dev, &attr, &c), 0);
    attr.mac[5] = 14, attr.planes = 2;
    CU_ASSERT_EQUAL(mr_conn_create(dev, &attr, &c), 0);
    attr.ip = (struct mr_ip){.family = 6, .addr = {0xf8, [15] = 1}}, attr.plane_at = 15;
    CU_ASSERT_EQUAL(mr_conn_create(dev, &attr, &c), 0);
    mr_device_close(dev);
}

static void connect__entries(void)
{
    struct mr_conn_attr attr = plane_attr(0);
    struct mr_conn_addr addr;
    struct mr_path_info info;
    struct mr_conn *a, *b;

    attr.weight = 200;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &a), 0);
    attr = plane_attr(1);
    attr.flags = MR_CONN_PLANES;
    memcpy(attr.plane, (uint8_t[]){3, 3, 0, 1, 0, 2, 2, 2}, 8);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &b), 0);
    mr_conn_local(b, &addr);
    CU_ASSERT_EQUAL(addr.planes, 4);
    CU_ASSERT_EQUAL(mr_conn_connect(a, &addr), 0);
    mr_conn_local(a, &addr);
    CU_ASSERT_EQUAL(mr_conn_connect(b, &addr), 0);
    CU_ASSERT_EQUAL((unsigned)row_of(a).nplanes, 4);
    CU_ASSERT_EQUAL((unsigned)row_of(a).plane_at, 0);
    CU_ASSERT_EQUAL((unsigned)row_of(a).weight, 200);
    CU_ASSERT_EQUAL((unsigned)row_of(b).weight, 1);
    for (unsigned i = 0; i < 8; i++) {
        CU_ASSERT_EQUAL(plane_of(a, i), i % 4);
        CU_ASSERT_EQUAL(plane_of(b, i), attr.plane[i]);
    }
    CU_ASSERT_EQUAL(mr_path_set_port(a, 1, 50000, 3), 0);
    CU_ASSERT_EQUAL(plane_of(a, 1), 3);
    CHECK_ERR(mr_path_set_port(a, 1, 50000, 4), -EINVAL);
    CU_ASSERT_EQUAL(mr_path_query(a, 1, &info), 0);
    CU_ASSERT_EQUAL(info.plane, 3);
    mr_device_close(dev);
}

static void connect__one_plane(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_conn_addr addr;
    struct mr_conn *c;

    attr.plane_at = 2;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &c), 0);
    mr_conn_local(c, &addr);
    CU_ASSERT_EQUAL(addr.plane_at, 0);
    addr.planes = 0;  // as from a program that knows of none
    addr.plane_at = 3;
    CU_ASSERT_EQUAL(mr_conn_connect(c, &addr), 0);
    CU_ASSERT_EQUAL((unsigned)row_of(c).nplanes, 1);
    CU_ASSERT_EQUAL((unsigned)row_of(c).plane_at, 0);
    mr_device_close(dev);
}

static void connect__bad_peer(void)
{
    struct mr_conn_attr attr = plane_attr(0);
    struct mr_conn_addr ok, bad;
    struct mr_conn *a, *b;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &a), 0);
    attr = plane_attr(1);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &b), 0);
    mr_conn_local(b, &ok);
    bad = ok, bad.planes = 3;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    bad = ok, bad.planes = 0;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    bad = ok, bad.plane_at = 1;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    bad = ok, bad.ip.addr[3] |= 4;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    bad = ok, bad.mac[5] |= 1;
    CHECK_ERR(mr_conn_connect(a, &bad), -EINVAL);
    CU_ASSERT_EQUAL(mr_conn_connect(a, &ok), 0);
    // Behind a router the peer's own MAC address does not matter.
    attr.flags = MR_CONN_NEXT_HOP;
    memcpy(attr.next_hop, (uint8_t[]){2, 0, 0, 0, 9, 0}, 6);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &b), 0);
    CU_ASSERT_EQUAL(mr_conn_connect(b, &bad), 0);
    mr_device_close(dev);
}

const struct test_row tests_planes[] = {
    {"create__bad_attribute", create__bad_attribute},
    {"create__good_attribute", create__good_attribute},
    {"connect__entries", connect__entries},
    {"connect__one_plane", connect__one_plane},
    {"connect__bad_peer", connect__bad_peer},
    {},
};
