// SPDX-License-Identifier: BSD-2-Clause
/* Paths of a connection: telemetry, histograms, source ports. */
#include "rig.h"

static uint32_t row_of(const struct mr_conn *c, uint32_t path)
{
    return (uint32_t)mr_conn_get(fake_entry(MR_TBL_CONN, mr_conn_number(c) & 0xffff)).group * 8 + path;
}

static void query__values(void)
{
    struct mr_path_info info;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    mr_tele_put((void *)fake_entry(MR_TBL_TELE, row_of(r.conn[1], 2)),
                (struct mr_tele_row){.srtt = 100, .rttvar = 5, .cwnd = 32, .inflight = 7,
                                     .state = MR_TELEST_PROBING, .packets = 1000, .resent = 11,
                                     .marks = 3, .acks = 50, .probes = 2, .psn = 0xfffffe,
                                     .una = 0xfffff0, .hint = 40000, .epoch = 255, .fails = 0xfffe,
                                     .moved = 12, .lost = 13, .bytes = 0x123456789a});
    CU_ASSERT_EQUAL(mr_path_query(r.conn[1], 2, &info), 0);
    CU_ASSERT_EQUAL(info.srtt_ns, 400);
    CU_ASSERT_EQUAL(info.rttvar_ns, 20);
    CU_ASSERT_EQUAL(info.cwnd, 32);
    CU_ASSERT_EQUAL(info.inflight, 7);
    CU_ASSERT_EQUAL(info.state, MR_PATH_PROBING);
    CU_ASSERT_EQUAL(info.packets, 1000);
    CU_ASSERT_EQUAL(info.resent, 11);
    CU_ASSERT_EQUAL(info.marks, 3);
    CU_ASSERT_EQUAL(info.acks, 50);
    CU_ASSERT_EQUAL(info.probes, 2);
    CU_ASSERT_EQUAL(info.psn, 0xfffffe);
    CU_ASSERT_EQUAL(info.una, 0xfffff0);
    CU_ASSERT_EQUAL(info.hint_mbps, 40000);
    CU_ASSERT_EQUAL(info.epoch, 255);
    CU_ASSERT_EQUAL(info.fails, 0xfffe);
    CU_ASSERT_EQUAL(info.moved, 12);
    CU_ASSERT_EQUAL(info.lost, 13);
    CU_ASSERT_EQUAL(info.bytes, 0x123456789a);
    rig_close(&r);
}

/* The calls on a path refuse the same things. */
static void every_call__bad_argument(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    uint32_t bucket[MR_HIST_BUCKETS];
    struct mr_path_info info;
    struct mr_conn *c;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CHECK_ERR(mr_path_query(nullptr, 0, &info), -EINVAL);
    CHECK_ERR(mr_path_query(r.conn[0], 0, nullptr), -EINVAL);
    CHECK_ERR(mr_path_query(r.conn[0], 4, &info), -EINVAL);
    CHECK_ERR(mr_path_histogram(nullptr, 0, bucket), -EINVAL);
    CHECK_ERR(mr_path_histogram(r.conn[0], 0, nullptr), -EINVAL);
    CHECK_ERR(mr_path_histogram(r.conn[0], 4, bucket), -EINVAL);
    CHECK_ERR(mr_path_set_port(nullptr, 0, 1, 0), -EINVAL);
    CHECK_ERR(mr_path_set_port(r.conn[0], 4, 1, 0), -EINVAL);
    CHECK_ERR(mr_path_set_port(r.conn[0], 0, 0, 0), -EINVAL);
    CHECK_ERR(mr_path_set_port(r.conn[0], 0, 1, 1), -EINVAL);  // of one plane
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(r.dev, &attr, &c), 0);
    CHECK_ERR(mr_path_query(c, 0, &info), -ENOTCONN);
    CHECK_ERR(mr_path_histogram(c, 0, bucket), -ENOTCONN);
    CHECK_ERR(mr_path_set_port(c, 0, 1, 0), -ENOTCONN);
    rig_close(&r);
}

static void histogram__values(void)
{
    uint32_t bucket[MR_HIST_BUCKETS] = {};
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    mr_hist_put((void *)fake_entry(MR_TBL_HIST, row_of(r.conn[1], 3)),
                (struct mr_hist){.b0 = 1, .b1 = 0xffffffff, .b7 = 7, .b14 = 14, .b15 = 15});
    CU_ASSERT_EQUAL(mr_path_histogram(r.conn[1], 3, bucket), 0);
    CU_ASSERT_EQUAL(bucket[0], 1);
    CU_ASSERT_EQUAL(bucket[1], 0xffffffff);
    CU_ASSERT_EQUAL(bucket[2], 0);
    CU_ASSERT_EQUAL(bucket[7], 7);
    CU_ASSERT_EQUAL(bucket[14], 14);
    CU_ASSERT_EQUAL(bucket[15], 15);
    fake.table_refuse = MR_TBL_HIST;
    CHECK_ERR(mr_path_histogram(r.conn[1], 3, bucket), -EREMOTEIO);
    CU_ASSERT_EQUAL(bucket[0], 1);
    rig_close(&r);
}

static void set_port__entry(void)
{
    struct mr_path_info info;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    uint32_t index = mr_conn_number(r.conn[1]) & 0xffff, n = fake_seen.entries;
    CU_ASSERT_EQUAL(mr_path_set_port(r.conn[1], 2, 65535, 0), 0);
    CU_ASSERT_EQUAL_FATAL(fake_seen.entries, n + 1);
    CU_ASSERT_EQUAL(fake_seen.entry[n].table, MR_TBL_PATH);
    CU_ASSERT_EQUAL(fake_seen.entry[n].index, row_of(r.conn[1], 2));
    struct mr_path_row p = mr_path_get(fake_seen.entry[n].first);
    CU_ASSERT_EQUAL((unsigned)p.sport, 65535);
    CU_ASSERT_EQUAL((unsigned)p.plane, 0);
    CU_ASSERT_EQUAL((unsigned)p.state, MR_PATHST_PORT);
    CU_ASSERT_EQUAL((unsigned)p.conn, index);
    CU_ASSERT_EQUAL((unsigned)p.path, 2);
    CU_ASSERT_EQUAL(mr_path_query(r.conn[1], 2, &info), 0);
    CU_ASSERT_EQUAL(info.sport, 65535);
    rig_close(&r);
}

/* What failed is not what the library believes afterwards. */
static void set_port__refused(void)
{
    struct mr_path_info before, after;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL(mr_path_query(r.conn[0], 1, &before), 0);
    fake.table_refuse = MR_TBL_PATH;
    CHECK_ERR(mr_path_set_port(r.conn[0], 1, 7, 0), -EREMOTEIO);
    fake.table_refuse = 0;
    CU_ASSERT_EQUAL(mr_path_query(r.conn[0], 1, &after), 0);
    CU_ASSERT_EQUAL(before.sport, after.sport);
    rig_close(&r);
}

/* Source ports of 128 paths: all different, the same for a seed, others for another. */
static void sports__of_128(void)
{
    uint16_t sport[3][128];

    for (int run = 0; run < 3; run++) {
        struct mr_conn_attr attr = rig_attr(0);
        struct mr_conn_addr addr;
        struct mr_path_info info;
        struct mr_device *dev;
        struct mr_conn *c;
        attr.paths = 128;
        attr.seed = run == 2;
        CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
        CU_ASSERT_EQUAL_FATAL(mr_conn_create(dev, &attr, &c), 0);
        mr_conn_local(c, &addr);
        CU_ASSERT_EQUAL(addr.paths, 128);
        CU_ASSERT_EQUAL(mr_conn_connect(c, &addr), 0);
        for (uint32_t i = 0; i < 128; i++) {
            CU_ASSERT_EQUAL(mr_path_query(c, i, &info), 0);
            sport[run][i] = info.sport;
            for (uint32_t j = 0; j < i; j++)
                CU_ASSERT_NOT_EQUAL(sport[run][i], sport[run][j]);
        }
        mr_device_close(dev);
    }
    CU_ASSERT_EQUAL(memcmp(sport[0], sport[1], sizeof sport[0]), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(sport[0], sport[2], sizeof sport[0]), 0);
}

const struct test_row tests_paths[] = {
    {"query__values", query__values},
    {"every_call__bad_argument", every_call__bad_argument},
    {"histogram__values", histogram__values},
    {"set_port__entry", set_port__entry},
    {"set_port__refused", set_port__refused},
    {"sports__of_128", sports__of_128},
    {},
};
