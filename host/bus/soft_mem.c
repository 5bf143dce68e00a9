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

/* Scattered addresses: this bit, and unit u of memory as unit u * factor modulo their number. */
static constexpr uint64_t scattered = 1ull << 62;
static constexpr unsigned memory_log2 = 48;
static constexpr uint64_t factor = 0x9e3779b97f4a7c15;  // odd: so there is an inverse
static constexpr uint64_t inverse = 0xf1de83e19937733d;
static_assert(factor * inverse == 1);

static uint64_t move_unit(const struct soft_mem *m, uint64_t addr, uint64_t by)
{
    uint64_t units = (addr >> m->scatter) * by & ((1ull << (memory_log2 - m->scatter)) - 1);

    return units << m->scatter | (addr & ((1ull << m->scatter) - 1));
}

static int map(struct soft_mem *m, struct soft_range r)
{
    if (!r.len || r.addr + r.len < r.addr)
        return -EINVAL;
    pthread_mutex_lock(&m->lock);
    int rc = add(m, r);
    pthread_mutex_unlock(&m->lock);
    return rc;
}

int soft_mem_map(struct soft_mem *m, void *addr, size_t len)
{
    return map(m, (struct soft_range){.addr = (uintptr_t)addr, .len = len});
}

int soft_mem_map_pages(struct soft_mem *m, void *addr, size_t len, uint64_t *page)
{
    uint64_t first = (uintptr_t)addr & ~4095ull, last = (uintptr_t)addr + len - 1;

    if (!m->scatter)
        return -ENOTSUP;
    int rc = map(m, (struct soft_range){.addr = (uintptr_t)addr, .len = len, .scattered = true});
    for (uint64_t at = first; !rc && at <= last; at += 4096)
        *page++ = scattered | move_unit(m, at, factor);
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

/* What stands at a bus address. */
struct place {
    uint64_t addr;
    bool scattered;
};

static bool inside(const struct soft_range *r, struct place p, size_t len)
{
    uint64_t addr = p.addr;

    return p.scattered == r->scattered && addr >= r->addr && addr - r->addr <= r->len && len <= r->len - (addr - r->addr);
}

/* Where in memory len bytes at a bus address are; false if they are not all mapped. */
static bool find(struct soft_mem *m, uint64_t bus, size_t len, uint64_t *addr)
{
    struct place p = {.addr = bus};

    if (m->scatter && bus & scattered) {
        uint64_t unit = 1ull << m->scatter;
        if ((bus & (unit - 1)) + len > unit || (bus & ~scattered) >> memory_log2)
            return false;
        p = (struct place){.addr = move_unit(m, bus & ~scattered, inverse), .scattered = true};
    }
    *addr = p.addr;
    if (m->hit < m->count && inside(&m->range[m->hit], p, len))
        return true;
    for (size_t i = 0; i < m->count; i++) {
        if (inside(&m->range[i], p, len)) {
            m->hit = i;
            return true;
        }
    }
    return false;
}

bool soft_mem_covers(struct soft_mem *m, uint64_t addr, size_t len)
{
    uint64_t at;

    pthread_mutex_lock(&m->lock);
    bool yes = find(m, addr, len, &at);
    pthread_mutex_unlock(&m->lock);
    return yes;
}

bool soft_mem_read(struct soft_mem *m, uint64_t addr, void *to, size_t len)
{
    uint64_t at;

    pthread_mutex_lock(&m->lock);
    bool ok = find(m, addr, len, &at);
    if (ok)
        memcpy(to, (const void *)(uintptr_t)at, len);
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
    uint64_t at;

    pthread_mutex_lock(&m->lock);
    bool ok = find(m, line + first, last - first + 1, &at);
    if (ok)
        copy_kept((uint8_t *)(uintptr_t)(at - first), from, first, last, keep);
    pthread_mutex_unlock(&m->lock);
    return ok;
}
