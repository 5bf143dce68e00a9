// SPDX-License-Identifier: BSD-2-Clause
/* telemetry.c - what the device counts. */
#include "internal.h"
#include "mr_names.h"

static constexpr uint32_t counters = MR_CNT__COUNT;

uint32_t mr_counter_count(void)
{
    return counters;
}

const char *mr_counter_name(uint32_t i)
{
    return i < counters ? mr_cnt_name(i) : "";
}

const char *mr_counter_text(uint32_t i)
{
    return i < counters ? mr_cnt_text(i) : "";
}

int mr_counters_read(struct mr_device *dev, uint64_t *value, uint32_t n)
{
    int rc = 0;

    if (!dev || (!value && n))
        return -EINVAL;
    if (n > counters)
        n = counters;
    pthread_mutex_lock(&dev->lock);
    for (uint32_t i = 0; i < n && !rc; i++) {
        uint32_t raw;
        rc = mri_reg_read(dev, MR_REG_CNT + 4 * i, &raw);
        if (rc)
            break;
        dev->counter[i] += (uint32_t)(raw - dev->counter_raw[i]);
        dev->counter_raw[i] = raw;
        value[i] = dev->counter[i];
    }
    pthread_mutex_unlock(&dev->lock);
    return rc ? rc : (int)n;
}
