// SPDX-License-Identifier: BSD-2-Clause
/* memory.c - protection domains and memory regions. */
#include <stdlib.h>

#include "internal.h"

static constexpr uint32_t rights_all = MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE |
                                       MR_RIGHT_REMOTE_WRITE | MR_RIGHT_REMOTE_READ |
                                       MR_RIGHT_REMOTE_ATOMIC | MR_RIGHT_BIND;

int mr_pd_create(struct mr_device *dev, struct mr_pd **out)
{
    uint32_t index;

    if (!dev || !out)
        return -EINVAL;
    struct mr_pd *pd = calloc(1, sizeof *pd);
    if (!pd)
        return -ENOMEM;
    pthread_mutex_lock(&dev->lock);
    int rc = mri_pool_take(&dev->pd_pool, &index);
    if (!rc) {
        pd->dev = dev;
        pd->number = (uint16_t)(index + 1);
        mri_list_add(&dev->pds, &pd->link);
    }
    pthread_mutex_unlock(&dev->lock);
    if (rc)
        free(pd);
    else
        *out = pd;
    return rc;
}

void mri_pd_free(struct mr_pd *pd)
{
    mri_list_del(&pd->link);
    mri_pool_give(&pd->dev->pd_pool, pd->number - 1u);
    free(pd);
}

int mr_pd_destroy(struct mr_pd *pd)
{
    if (!pd)
        return 0;
    struct mr_device *dev = pd->dev;
    pthread_mutex_lock(&dev->lock);
    int rc = pd->users ? -EBUSY : 0;
    if (!rc)
        mri_pd_free(pd);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

static int write_key(struct mr_mr *mr, uint32_t rights)
{
    unsigned char entry[MR_KEY_BYTES];
    struct mr_key_row row = {
        .rights = (uint8_t)rights,
        .kind = mr->window ? MR_KEYKIND_WINDOW : MR_KEYKIND_REGION,
        .tag = (uint8_t)mr->key,
        .pd = mr->pd->number,
        .va = (uintptr_t)mr->addr,
        .len = mr->length,
        .bus = mr->bus_addr,
    };

    mr_key_put(entry, row);
    return mri_table_write(mr->pd->dev, MR_TBL_KEY, mr->key >> 8, entry, sizeof entry);
}

static int reg_locked(struct mr_mr *mr, uint32_t rights)
{
    struct mr_device *dev = mr->pd->dev;
    uint32_t index;
    int rc = mri_pool_take(&dev->key_pool, &index);

    if (rc)
        return rc;
    struct mri_slot *slot = &dev->key_pool.slot[index];
    slot->tag += !slot->tag;  // 0 is left out, so that no key is 0
    rc = mri_region_map(mr);
    if (!rc) {
        mr->key = index << 8 | slot->tag;
        rc = write_key(mr, rights);
        if (rc)
            mri_region_unmap(mr);
    }
    if (rc) {
        mri_pool_give(&dev->key_pool, index);
        return rc;
    }
    mr->pd->users++;
    mri_list_add(&dev->mrs, &mr->link);
    return 0;
}

int mr_mr_reg(struct mr_pd *pd, void *addr, size_t length, uint32_t rights, struct mr_mr **out)
{
    if (!pd || !out || !addr || !length || !rights || rights & ~rights_all ||
        (uintptr_t)addr + length < (uintptr_t)addr)
        return -EINVAL;
    struct mr_mr *mr = calloc(1, sizeof *mr);
    if (!mr)
        return -ENOMEM;
    mr->pd = pd;
    mr->addr = addr;
    mr->length = length;
    pthread_mutex_lock(&pd->dev->lock);
    int rc = atomic_load(&pd->dev->dead) ? -EIO : reg_locked(mr, rights);
    pthread_mutex_unlock(&pd->dev->lock);
    if (rc)
        free(mr);
    else
        *out = mr;
    return rc;
}

int mr_mw_create(struct mr_pd *pd, struct mr_mw **out)
{
    uint32_t index;

    if (!pd || !out)
        return -EINVAL;
    struct mr_device *dev = pd->dev;
    struct mr_mw *mw = calloc(1, sizeof *mw);
    if (!mw)
        return -ENOMEM;
    mw->mr.pd = pd;
    mw->mr.window = true;
    pthread_mutex_lock(&dev->lock);
    int rc = atomic_load(&dev->dead) ? -EIO : mri_pool_take(&dev->key_pool, &index);
    if (!rc) {
        struct mri_slot *slot = &dev->key_pool.slot[index];
        slot->tag += !slot->tag;
        mw->mr.key = index << 8 | slot->tag;
        rc = write_key(&mw->mr, 0);
        if (rc)
            mri_pool_give(&dev->key_pool, index);
    }
    if (!rc) {
        pd->users++;
        mri_list_add(&dev->mrs, &mw->mr.link);
    }
    pthread_mutex_unlock(&dev->lock);
    if (rc)
        free(mw);
    else
        *out = mw;
    return rc;
}

int mr_mw_destroy(struct mr_mw *mw)
{
    return mr_mr_dereg(mw ? &mw->mr : nullptr);
}

uint32_t mr_mw_key(const struct mr_mw *mw)
{
    return mw ? mw->mr.key : 0;
}

uint32_t mr_key_next(uint32_t key)
{
    return (key & ~0xffu) | (key + 1 & 0xffu);
}

int mri_mr_free(struct mr_mr *mr)
{
    struct mr_device *dev = mr->pd->dev;
    // First the key, so that the device refuses; then the mapping, which ends what is under way.
    mr->window = false;  // a window's entry is nobody's from here on
    int rc = write_key(mr, 0);

    if (mr->addr)
        rc = mri_first(rc, mri_region_unmap(mr));
    mri_pool_give(&dev->key_pool, mr->key >> 8);
    mri_list_del(&mr->link);
    mr->pd->users--;
    free(mr);
    return rc;
}

int mr_mr_dereg(struct mr_mr *mr)
{
    if (!mr)
        return 0;
    struct mr_device *dev = mr->pd->dev;
    pthread_mutex_lock(&dev->lock);
    int rc = mri_mr_free(mr);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

uint32_t mr_mr_lkey(const struct mr_mr *mr)
{
    return mr ? mr->key : 0;
}

uint32_t mr_mr_rkey(const struct mr_mr *mr)
{
    return mr ? mr->key : 0;
}
