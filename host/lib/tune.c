// SPDX-License-Identifier: BSD-2-Clause
/* tune.c - what of a device can be set. */
#include "internal.h"

static constexpr uint64_t ns_per_ms = 1000000;

/*
 * Ranges are those within which the device does what the specification says; it
 * clips most of them itself. Probes of a path come at most 64 times the shortest
 * distance apart and at least every second [spec 6.2.7], which bounds that one.
 */
static const struct {
    const char *name;
    uint32_t reg;
    uint64_t min, max;
    bool ns;  // the register counts cycles
} rows[] = {
    [MR_TUNE_LINK_MBPS] = {"link_mbps", MR_REG_LINK_MBPS, 0, 0xfffff, false},
    [MR_TUNE_POLICY] = {"policy", MR_REG_POLICY, MR_POLICY_LEAST, MR_POLICY_TURN, false},
    [MR_TUNE_PROBE_MIN_NS] = {"probe_min_ns", MR_REG_PROBE_MIN, 1000,
                              MR_PROF_PROBE_US_MAX * 1000ull / 64, true},
    [MR_TUNE_FAIL_MIN] = {"fail_min", MR_REG_FAIL_MIN, 1, 250, false},
    [MR_TUNE_RETRY_MAX] = {"retry_max", MR_REG_RETRY_MAX, 1, 250, false},
    [MR_TUNE_CWND_INIT] = {"cwnd_init", MR_REG_CWND_INIT, 1, MR_WIRE_WINDOW, false},
    [MR_TUNE_WND_INIT] = {"wnd_init", MR_REG_WND_INIT, 1, MR_WIRE_WINDOW * MR_PATHS_MAX, false},
    [MR_TUNE_SEED] = {"seed", MR_REG_SEED, 0, UINT32_MAX, false},
};

static bool known(uint32_t which)
{
    return which < sizeof rows / sizeof rows[0];
}

int mr_device_tune(struct mr_device *dev, enum mr_tunable which, uint64_t value)
{
    if (!dev || !known(which))
        return -EINVAL;
    if (value < rows[which].min || value > rows[which].max)
        return -ERANGE;
    if (rows[which].ns)
        value = (value * dev->caps.clock_khz + ns_per_ms - 1) / ns_per_ms;
    pthread_mutex_lock(&dev->lock);
    int rc = mri_reg_write(dev, rows[which].reg, (uint32_t)value);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

int mr_device_tunable(struct mr_device *dev, enum mr_tunable which, uint64_t *value)
{
    uint32_t v;

    if (!dev || !value || !known(which))
        return -EINVAL;
    pthread_mutex_lock(&dev->lock);
    int rc = mri_reg_read(dev, rows[which].reg, &v);
    pthread_mutex_unlock(&dev->lock);
    if (!rc)
        *value = rows[which].ns ? v * ns_per_ms / dev->caps.clock_khz : v;
    return rc;
}

const char *mr_tunable_name(uint32_t which)
{
    return known(which) ? rows[which].name : "";
}
