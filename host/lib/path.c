// SPDX-License-Identifier: BSD-2-Clause
/* path.c - paths of a connection: their entries, telemetry and histograms. [spec 5, 6] */
#include "internal.h"
#include "tele.h"

static_assert(MR_PATH_FREE == MR_TELEST_FREE && MR_PATH_LIVE == MR_TELEST_LIVE &&
              MR_PATH_PROBING == MR_TELEST_PROBING && MR_PATH_CLOSING == MR_TELEST_CLOSING &&
              MR_PATH_MOVING == MR_TELEST_MOVING && MR_PATH_TRIAL == MR_TELEST_TRIAL &&
              MR_PATH_DEAD == MR_TELEST_DEAD);
static_assert(MR_HIST_BUCKETS * 4 == MR_HIST_BYTES);

/* The row of a path in the tables PATH, TELE and HIST. */
static uint32_t row_of(const struct mr_conn *c, uint32_t path)
{
    return c->group * mri_group + path;
}

int mri_path_write(struct mr_conn *c, uint32_t path, uint8_t state)
{
    unsigned char entry[MR_PATH_BYTES];
    struct mr_path_row row = {
        .state = state,
        .conn = (uint16_t)c->number,
        .path = (uint8_t)path,
    };

    if (state != MR_PATHST_FREE) {
        row.sport = c->sport[path];
        row.plane = c->plane[path];
    }
    mr_path_put(entry, row);
    return mri_table_write(c->dev, MR_TBL_PATH, row_of(c, path), entry, sizeof entry);
}

static int check(const struct mr_conn *c, uint32_t path)
{
    return !c->paths ? -ENOTCONN : path >= c->paths ? -EINVAL : 0;
}

int mr_path_set_port(struct mr_conn *c, uint32_t path, uint16_t sport, uint8_t plane)
{
    if (!c || !sport || plane >= c->attr.planes)
        return -EINVAL;
    pthread_mutex_lock(&c->dev->lock);
    int rc = check(c, path);
    if (!rc) {
        uint16_t old_sport = c->sport[path];
        uint8_t old_plane = c->plane[path];
        c->sport[path] = sport;
        c->plane[path] = plane;
        rc = mri_path_write(c, path, MR_PATHST_PORT);
        if (rc) {
            c->sport[path] = old_sport;
            c->plane[path] = old_plane;
        }
        mri_events_paths(c);
    }
    pthread_mutex_unlock(&c->dev->lock);
    return rc;
}

int mr_path_query(struct mr_conn *c, uint32_t path, struct mr_path_info *info)
{
    unsigned char entry[MR_TELE_BYTES];
    uint16_t sport = 0;
    uint8_t plane = 0;

    if (!c || !info)
        return -EINVAL;
    pthread_mutex_lock(&c->dev->lock);
    int rc = check(c, path);
    if (!rc) {
        sport = c->sport[path];
        plane = c->plane[path];
        rc = mri_table_read(c->dev, MR_TBL_TELE, row_of(c, path), entry, sizeof entry);
    }
    pthread_mutex_unlock(&c->dev->lock);
    if (rc)
        return rc;
    *info = mri_tele_info(mr_tele_get(entry));
    info->sport = sport;
    info->plane = plane;
    return 0;
}

int mr_path_histogram(struct mr_conn *c, uint32_t path, uint32_t bucket[MR_HIST_BUCKETS])
{
    uint32_t entry[MR_HIST_BUCKETS];

    if (!c || !bucket)
        return -EINVAL;
    pthread_mutex_lock(&c->dev->lock);
    int rc = check(c, path);
    if (!rc)
        rc = mri_table_read(c->dev, MR_TBL_HIST, row_of(c, path), entry, sizeof entry);
    pthread_mutex_unlock(&c->dev->lock);
    for (uint32_t i = 0; i < MR_HIST_BUCKETS && !rc; i++)
        bucket[i] = le32toh(entry[i]);
    return rc;
}
