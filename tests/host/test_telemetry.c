// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

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

static void table__bad(void)
{
    unsigned char row[MR_ROW_BYTES];
    struct mr_device *dev;
    uint32_t at = 0;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CHECK_ERR(mr_table_next(dev, MR_TBL_CONN, &at, row), -ENOTSUP);
    CHECK_ERR(mr_table_next(nullptr, MR_TBL_CONN, &at, row), -EINVAL);
    CHECK_ERR(mr_table_next(dev, MR_TBL_CONN, nullptr, row), -EINVAL);
    CHECK_ERR(mr_table_next(dev, MR_TBL_CONN, &at, nullptr), -EINVAL);
    mr_device_close(dev);
}

const struct test_row tests_telemetry[] = {
    {"counters__names", counters__names},
    {"counters__wrap", counters__wrap},
    {"table__bad", table__bad},
    {},
};
