// SPDX-License-Identifier: BSD-2-Clause
/* telemetry.c - what the device counts and measures. */
#include "internal.h"
#include "mr_names.h"

static constexpr uint32_t counters = MR_CNT__COUNT;

int mr_path_query(struct mr_conn *c, uint32_t path, struct mr_path_info *info)
{
    unsigned char entry[MR_TELE_BYTES];

    if (!c || !info)
        return -EINVAL;
    pthread_mutex_lock(&c->dev->lock);
    int rc = !c->paths ? -ENOTCONN : path >= c->paths ? -EINVAL : 0;
    if (!rc)
        rc = mri_table_read(c->dev, MR_TBL_TELE, (c->number & 0xffff) * 8 + path,
                            entry, sizeof entry);
    pthread_mutex_unlock(&c->dev->lock);
    if (rc)
        return rc;
    struct mr_tele_row t = mr_tele_get(entry);
    *info = (struct mr_path_info){
        .srtt_ns = (uint32_t)t.srtt * MR_TS_NS,
        .rttvar_ns = (uint32_t)t.rttvar * MR_TS_NS,
        .cwnd = (uint32_t)t.cwnd,
        .inflight = (uint32_t)t.inflight,
        .packets = (uint32_t)t.packets,
        .resent = (uint32_t)t.resent,
        .marks = (uint32_t)t.marks,
        .acks = (uint32_t)t.acks,
        .probes = (uint32_t)t.probes,
        .psn = (uint32_t)t.psn,
        .una = (uint32_t)t.una,
        .hint_mbps = (uint32_t)t.hint,
        .sport = c->sport[path],
        .plane = c->attr.plane[path],
        .state = (uint8_t)t.state,
    };
    return 0;
}

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
