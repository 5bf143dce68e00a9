// SPDX-License-Identifier: BSD-2-Clause
/* What of a device can be set: ranges, units, registers. */
#include "rig.h"

static const struct {
    enum mr_tunable which;
    uint32_t reg;
    uint64_t min, max;
    uint32_t per;  // value for one of the register
    const char *name;
} rows[] = {
    {MR_TUNE_LINK_MBPS, MR_REG_LINK_MBPS, 0, 1048575, 1, "link_mbps"},
    {MR_TUNE_POLICY, MR_REG_POLICY, 0, 1, 1, "policy"},
    {MR_TUNE_PROBE_MIN_NS, MR_REG_PROBE_MIN, 1000, 15625000, 4, "probe_min_ns"},
    {MR_TUNE_FAIL_MIN, MR_REG_FAIL_MIN, 1, 250, 1, "fail_min"},
    {MR_TUNE_RETRY_MAX, MR_REG_RETRY_MAX, 1, 250, 1, "retry_max"},
    {MR_TUNE_CWND_INIT, MR_REG_CWND_INIT, 1, 256, 1, "cwnd_init"},
    {MR_TUNE_WND_INIT, MR_REG_WND_INIT, 1, 32768, 1, "wnd_init"},
    {MR_TUNE_SEED, MR_REG_SEED, 0, 0xffffffff, 1, "seed"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static struct mr_device *dev;

static void tune__ranges(void)
{
    uint64_t v;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    for (int i = 0; i < ROWS; i++) {
        CU_ASSERT_EQUAL(mr_device_tune(dev, rows[i].which, rows[i].min), 0);
        CU_ASSERT_EQUAL(fake_reg(rows[i].reg), rows[i].min / rows[i].per);
        CU_ASSERT_EQUAL(mr_device_tune(dev, rows[i].which, rows[i].max), 0);
        CU_ASSERT_EQUAL(fake_reg(rows[i].reg), rows[i].max / rows[i].per);
        CHECK_ERR(mr_device_tune(dev, rows[i].which, rows[i].max + 1), -ERANGE);
        CHECK_ERR(mr_device_tune(dev, rows[i].which, UINT64_MAX), -ERANGE);
        CHECK_ERR(mr_device_tune(dev, rows[i].which, rows[i].max | 1ull << 32), -ERANGE);
        if (rows[i].min)
            CHECK_ERR(mr_device_tune(dev, rows[i].which, rows[i].min - 1), -ERANGE);
        CU_ASSERT_EQUAL(mr_device_tunable(dev, rows[i].which, &v), 0);
        CU_ASSERT_EQUAL(v, rows[i].max);
    }
    mr_device_close(dev);
}

/* Times are never shorter than asked for, whatever the clock is. */
static void tune__clock(void)
{
    uint64_t v;

    fake.clock_khz = 322266;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL(mr_device_tune(dev, MR_TUNE_PROBE_MIN_NS, 10000), 0);
    CU_ASSERT_EQUAL(fake_reg(MR_REG_PROBE_MIN), 3223);
    CU_ASSERT_EQUAL(mr_device_tunable(dev, MR_TUNE_PROBE_MIN_NS, &v), 0);
    CU_ASSERT_EQUAL(v, 10001);
    mr_device_close(dev);
}

static void tune__bad_argument(void)
{
    uint64_t v;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CHECK_ERR(mr_device_tune(nullptr, MR_TUNE_SEED, 1), -EINVAL);
    CHECK_ERR(mr_device_tune(dev, (enum mr_tunable)ROWS, 1), -EINVAL);
    CHECK_ERR(mr_device_tunable(nullptr, MR_TUNE_SEED, &v), -EINVAL);
    CHECK_ERR(mr_device_tunable(dev, MR_TUNE_SEED, nullptr), -EINVAL);
    CHECK_ERR(mr_device_tunable(dev, (enum mr_tunable)ROWS, &v), -EINVAL);
    mr_device_close(dev);
}

static void name__all(void)
{
    for (uint32_t i = 0; i < ROWS; i++)
        CU_ASSERT_STRING_EQUAL(mr_tunable_name(rows[i].which), rows[i].name);
    CU_ASSERT_STRING_EQUAL(mr_tunable_name(ROWS), "");
    CU_ASSERT_STRING_EQUAL(mr_tunable_name(UINT32_MAX), "");
}

const struct test_row tests_tune[] = {
    {"tune__ranges", tune__ranges},
    {"tune__clock", tune__clock},
    {"tune__bad_argument", tune__bad_argument},
    {"name__all", name__all},
    {},
};
