// SPDX-License-Identifier: BSD-2-Clause
/*
 * soft_mem.h - the software NIC's view of this process's memory: the ranges that
 * were mapped, and nothing else.
 *
 * Its bus addresses are those of the process, or, of ranges mapped with
 * soft_mem_map_pages, scattered: every unit of `scatter` bytes stands elsewhere, none
 * next to its neighbour in memory, and no access may reach from one into the next.
 *
 * An access holds the lock of the ranges, so that none is under way when unmap
 * returns. All functions may be called from any thread.
 */
#ifndef MR_SOFT_MEM_H
#define MR_SOFT_MEM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct soft_range {
    uintptr_t addr;
    size_t len;
    bool scattered;
};

struct soft_mem {
    pthread_mutex_t lock;
    struct soft_range *range;
    size_t count, room;
    size_t hit;  // where the last access was
    unsigned scatter;  // log2 of the units, 12 to 30; 0 = nothing is scattered
};

void soft_mem_init(struct soft_mem *m);
void soft_mem_free(struct soft_mem *m);

/** -ENOMEM, -EINVAL for an empty or wrapping range. */
int soft_mem_map(struct soft_mem *m, void *addr, size_t len);
/**
 * Likewise scattered, and -ENOTSUP if nothing is; page[i] is the bus address of the
 * i-th 4 KiB page that the range touches.
 */
int soft_mem_map_pages(struct soft_mem *m, void *addr, size_t len, uint64_t *page);
/** -ENOENT if exactly this range is not mapped. */
int soft_mem_unmap(struct soft_mem *m, void *addr, size_t len);

/** Whether one mapped range holds all of the len bytes at this bus address. */
bool soft_mem_covers(struct soft_mem *m, uint64_t addr, size_t len);

/** Copies out of mapped memory; false, with nothing copied, if it is not all mapped. */
bool soft_mem_read(struct soft_mem *m, uint64_t addr, void *to, size_t len);

/**
 * Copies into mapped memory those bytes of the 64 at `from` whose bit in keep
 * is set; byte i goes to line + i. The last one is written behind the others
 * with release: whoever sees it by an acquire sees all. False, with nothing
 * written, if they are not all mapped.
 */
bool soft_mem_write(struct soft_mem *m, uint64_t line, const uint8_t *from, uint64_t keep);

#endif
