// SPDX-License-Identifier: BSD-2-Clause
#include "maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sim_maps_init(struct sim_maps *m, size_t cap)
{
    *m = (struct sim_maps){.cap = cap};
    m->bag = calloc(cap, sizeof *m->bag);
    m->cover = calloc(cap, sizeof *m->cover);
    if (m->bag && m->cover)
        return 0;
    sim_maps_fini(m);
    return -ENOMEM;
}

void sim_maps_fini(struct sim_maps *m)
{
    free(m->bag);
    free(m->cover);
    *m = (struct sim_maps){};
}

void sim_maps_clear(struct sim_maps *m)
{
    m->n = 0;
    m->n_cover = 0;
}

/** The bag is kept sorted by first address, so the cover is one pass. */
static void cover_build(struct sim_maps *m)
{
    m->n_cover = 0;
    for (size_t i = 0; i < m->n; i++) {
        struct sim_range r = m->bag[i];
        struct sim_range *c = m->n_cover ? &m->cover[m->n_cover - 1] : nullptr;
        if (c && (c->last == UINT64_MAX || r.first <= c->last + 1)) {
            if (r.last > c->last)
                c->last = r.last;
        } else {
            m->cover[m->n_cover++] = r;
        }
    }
}

int sim_maps_add(struct sim_maps *m, uint64_t addr, uint64_t len)
{
    if (!len || addr + (len - 1) < addr)
        return -EINVAL;
    if (m->n == m->cap)
        return -ENOSPC;
    size_t i = m->n;
    while (i && m->bag[i - 1].first > addr)
        i--;
    memmove(&m->bag[i + 1], &m->bag[i], (m->n - i) * sizeof *m->bag);
    m->bag[i] = (struct sim_range){addr, addr + (len - 1)};
    m->n++;
    cover_build(m);
    return 0;
}

int sim_maps_del(struct sim_maps *m, uint64_t addr, uint64_t len)
{
    for (size_t i = 0; i < m->n; i++) {
        if (m->bag[i].first != addr || m->bag[i].last != addr + (len - 1))
            continue;
        memmove(&m->bag[i], &m->bag[i + 1], (m->n - i - 1) * sizeof *m->bag);
        m->n--;
        cover_build(m);
        return 0;
    }
    return -ENOENT;
}

bool sim_maps_next(const struct sim_maps *m, uint64_t first, uint64_t last, struct sim_range *out)
{
    size_t lo = 0;
    size_t hi = m->n_cover;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (m->cover[mid].last < first)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == m->n_cover || m->cover[lo].first > last)
        return false;
    *out = m->cover[lo];
    if (out->first < first)
        out->first = first;
    if (out->last > last)
        out->last = last;
    return true;
}
