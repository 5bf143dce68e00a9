// SPDX-License-Identifier: BSD-2-Clause
/*
 * table.c - reads and writes entries of the device's tables through a window
 * of registers.
 */
#include <string.h>
#include <time.h>

#include "internal.h"

enum { STATUS_DONE = 0, STATUS_BUSY = 1, STATUS_REFUSED = 2 };

static constexpr unsigned polls_min = 1000;  // before the time limit is looked at
static constexpr uint64_t limit_ms = 1000;
static constexpr uint64_t free_limit_ms = 5000;  // until a reset device has freed its tables

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Until the device is at rest: 0, -EREMOTEIO if it refused, -ETIMEDOUT. */
static int settle(struct mr_device *dev, uint64_t limit)
{
    uint64_t end = now_ms() + limit;
    int rc = 0;

    for (unsigned i = 0; !rc; i++) {
        uint32_t status;
        rc = mri_reg_read(dev, MR_REG_TBL_STATUS, &status);
        if (rc || status == STATUS_DONE)
            break;
        if (status != STATUS_BUSY)
            rc = -EREMOTEIO;
        else if (i >= polls_min && now_ms() > end)
            rc = -ETIMEDOUT;
    }
    return rc;
}

int mri_table_open(struct mr_device *dev)
{
    int rc = settle(dev, free_limit_ms);

    // A command of an earlier program may have been refused: that is over.
    return rc == -EREMOTEIO ? 0 : rc;
}

static int run(struct mr_device *dev, uint32_t op, uint32_t table, uint32_t index)
{
    int rc = mri_reg_write(dev, MR_REG_TBL_INDEX, index);

    if (!rc)
        rc = mri_reg_write(dev, MR_REG_TBL_CMD, op << 24 | table << 16);
    return rc ? rc : settle(dev, limit_ms);
}

int mr_table_next(struct mr_device *dev, uint32_t table, uint32_t *index,
                  unsigned char row[MR_ROW_BYTES])
{
    if (!dev || !index || !row)
        return -EINVAL;
    if (!dev->bus->ops->row)
        return -ENOTSUP;
    if (atomic_load(&dev->dead))
        return -EIO;
    pthread_mutex_lock(&dev->lock);
    int rc = mri_note(dev, dev->bus->ops->row(dev->bus, table, index, row));
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

int mri_table_write(struct mr_device *dev, uint32_t table, uint32_t index, const void *entry,
                    uint32_t bytes)
{
    uint32_t word[16];

    if (atomic_load(&dev->dead))
        return -EIO;
    memcpy(word, entry, bytes);
    for (uint32_t i = 0; i < bytes / 4; i++)
        word[i] = le32toh(word[i]);
    int rc = mri_note(dev, dev->bus->ops->write_block(dev->bus, MR_REG_TBL_DATA, word, bytes / 4));
    return rc ? rc : run(dev, MR_TBLOP_WRITE, table, index);
}

int mri_table_read(struct mr_device *dev, uint32_t table, uint32_t index, void *entry,
                   uint32_t bytes)
{
    uint32_t word[16];
    int rc = run(dev, MR_TBLOP_READ, table, index);

    for (uint32_t i = 0; i < bytes / 4 && !rc; i++) {
        rc = mri_reg_read(dev, MR_REG_TBL_DATA + 4 * i, &word[i]);
        word[i] = htole32(word[i]);
    }
    if (!rc)
        memcpy(entry, word, bytes);
    return rc;
}
