// SPDX-License-Identifier: BSD-2-Clause
/* soft_mem.c - mapped ranges of this process's memory, and accesses to them. */
#include "soft_mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void soft_mem_init(struct soft_mem *m)
{
    *m = (struct soft_mem){};
    pthread_mutex_init(&m->lock, nullptr);
}

void soft_mem_free(struct soft_mem *m)
{
    free(m->range);
    pthread_mutex_destroy(&m->lock);
}

static int add(struct soft_mem *m, struct soft_range r)
{
    if (m->count == m->room) {
        size_t room = m->room ? 2 * m->room : 64;
        struct soft_range *p = realloc(m->range, room * sizeof *p);
        if (!p)
            return -ENOMEM;
        m->range = p;
        m->room = room;
    }
    m->range[m->count++] = r;
    return 0;
}

int soft_mem_map(struct soft_mem *m, void *addr, size_t len)
{
    uintptr_t a = (uintptr_t)addr;

    if (!len || a + len < a)
        return -EINVAL;
    pthread_mutex_lock(&m->lock);
    int rc = add(m, (struct soft_range){a, len});
    pthread_mutex_unlock(&m->lock);
    return rc;
}

int soft_mem_unmap(struct soft_mem *m, void *addr, size_t len)
{
    int rc = -ENOENT;

    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->count && rc; i++) {
        if (m->range[i].addr != (uintptr_t)addr || m->range[i].len != len)
            continue;
        m->range[i] = m->range[--m->count];
        rc = 0;
    }
    pthread_mutex_unlock(&m->lock);
    return rc;
}

static bool inside(const struct soft_range *r, uint64_t addr, size_t len)
{
    return addr >= r->addr && addr - r->addr <= r->len && len <= r->len - (addr - r->addr);
}

static bool covered(struct soft_mem *m, uint64_t addr, size_t len)
{
    if (m->hit < m->count && inside(&m->range[m->hit], addr, len))
        return true;
    for (size_t i = 0; i < m->count; i++) {
        if (inside(&m->range[i], addr, len)) {
            m->hit = i;
            return true;
        }
    }
    return false;
}

bool soft_mem_covers(struct soft_mem *m, uint64_t addr, size_t len)
{
    pthread_mutex_lock(&m->lock);
    bool yes = covered(m, addr, len);
    pthread_mutex_unlock(&m->lock);
    return yes;
}

bool soft_mem_read(struct soft_mem *m, uint64_t addr, void *to, size_t len)
{
    pthread_mutex_lock(&m->lock);
    bool ok = covered(m, addr, len);
    if (ok)
        memcpy(to, (const void *)(uintptr_t)addr, len);
    pthread_mutex_unlock(&m->lock);
    return ok;
}

static void copy_kept(uint8_t *to, const uint8_t *from, unsigned first, unsigned last, uint64_t keep)
{
    uint64_t all = (last == 63 ? ~0ull : (1ull << (last + 1)) - 1) & ~0ull << first;

    if ((keep & all) == all)
        memcpy(to + first, from + first, last - first);
    else
        for (unsigned i = first; i < last; i++)
            if (keep >> i & 1)
                to[i] = from[i];
    // Pairs with the acquire of whoever waits for this byte (lib/barrier.h).
    __atomic_store_n(to + last, from[last], __ATOMIC_RELEASE);
}

bool soft_mem_write(struct soft_mem *m, uint64_t line, const uint8_t *from, uint64_t keep)
{
    if (!keep)
        return true;
    unsigned first = (unsigned)__builtin_ctzll(keep), last = 63 - (unsigned)__builtin_clzll(keep);
    pthread_mutex_lock(&m->lock);
    bool ok = covered(m, line + first, last - first + 1);
    if (ok)
        copy_kept((uint8_t *)(uintptr_t)line, from, first, last, keep);
    pthread_mutex_unlock(&m->lock);
    return ok;
}
