// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

static void path_query__values(void)
{
    struct mr_path_info info;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    uint32_t index = (mr_conn_number(r.conn[1]) & 0xffff) * 8 + 2;
    mr_tele_put((void *)fake_entry(MR_TBL_TELE, index),
                (struct mr_tele_row){.srtt = 100, .rttvar = 5, .cwnd = 32, .inflight = 7,
                                     .state = MR_PATH_PROBING, .packets = 1000, .resent = 11,
                                     .marks = 3, .acks = 50, .probes = 2, .psn = 0xfffffe,
                                     .una = 0xfffff0, .hint = 40000});
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
    rig_close(&r);
}

static void path_query__bad_argument(void)
{
    struct mr_conn_attr attr = rig_attr(0);
    struct mr_path_info info;
    struct mr_conn *c;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CHECK_ERR(mr_path_query(nullptr, 0, &info), -EINVAL);
    CHECK_ERR(mr_path_query(r.conn[0], 0, nullptr), -EINVAL);
    CHECK_ERR(mr_path_query(r.conn[0], 4, &info), -EINVAL);
    CU_ASSERT_EQUAL_FATAL(mr_conn_create(r.dev, &attr, &c), 0);
    CHECK_ERR(mr_path_query(c, 0, &info), -ENOTCONN);
    rig_close(&r);
}

static void counters__names(void)
{
    uint32_t n = mr_counter_count();

    CU_ASSERT_TRUE(n > 10);
    for (uint32_t i = 0; i < n; i++) {
        CU_ASSERT_TRUE(strlen(mr_counter_name(i)) > 2);
        CU_ASSERT_TRUE(strlen(mr_counter_text(i)) > 2);
    }
    CU_ASSERT_STRING_EQUAL(mr_counter_name(MR_CNT_RX_FRAMES), "rx_frames");
    CU_ASSERT_STRING_EQUAL(mr_counter_name(n), "");
    CU_ASSERT_STRING_EQUAL(mr_counter_text(n), "");
}

static void counters__wrap(void)
{
    struct mr_device *dev;
    uint64_t v[64];

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL(mr_counters_read(dev, v, 64), (int)mr_counter_count());
    fake_counter(1, 0xfffffff0);
    CU_ASSERT_EQUAL(mr_counters_read(dev, v, 2), 2);
    CU_ASSERT_EQUAL(v[1], 0xfffffff0);
    fake_counter(1, 0x10);
    CU_ASSERT_EQUAL(mr_counters_read(dev, v, 2), 2);
    CU_ASSERT_EQUAL(v[1], 0x100000010);
    CHECK_ERR(mr_counters_read(nullptr, v, 2), -EINVAL);
    CHECK_ERR(mr_counters_read(dev, nullptr, 2), -EINVAL);
    CU_ASSERT_EQUAL(mr_counters_read(dev, nullptr, 0), 0);
    mr_device_close(dev);
}

const struct test_row tests_telemetry[] = {
    {"path_query__values", path_query__values},
    {"path_query__bad_argument", path_query__bad_argument},
    {"counters__names", counters__names},
    {"counters__wrap", counters__wrap},
    {},
};
