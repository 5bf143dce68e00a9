// SPDX-License-Identifier: BSD-2-Clause
/*
 * bus.h - what the library needs from the thing behind a URI. One back end is
 * one row of operations; nothing above this line knows which one it is on.
 *
 * All operations may be called from several threads at a time. All return 0 or
 * -errno; -EIO stands for a device that does not answer any more, after which
 * every further operation but close returns -EIO too, at once.
 */
#ifndef MR_BUS_H
#define MR_BUS_H

#include <stddef.h>
#include <stdint.h>

struct mr_bus;

struct mr_bus_ops {
    const char *scheme;  // in front of the colon of the URI

    /**
     * Opens what `rest`, the URI behind the colon, names. At most 5 seconds.
     * -EINVAL malformed, -ENODEV nobody there, -EBUSY taken, -EPROTO another
     * version of the back end's own protocol, -ENOMEM.
     */
    int (*open)(const char *rest, struct mr_bus **bus);

    /** Ends everything: no memory of this process is touched after the return. */
    int (*close)(struct mr_bus *bus);

    /** Reads a register. All earlier writes have reached the device. */
    int (*read32)(struct mr_bus *bus, uint32_t off, uint32_t *value);

    /** Writes a register. May be posted: an error then comes with a later call. */
    int (*write32)(struct mr_bus *bus, uint32_t off, uint32_t value);

    /** Writes n registers from off on. */
    int (*write_block)(struct mr_bus *bus, uint32_t off, const uint32_t *value, uint32_t n);

    /**
     * Lets the device access len bytes at addr; *bus_addr, below 2^63, is where it
     * finds them. Ranges may overlap, each counts on its own. -ENOSPC too many.
     */
    int (*map)(struct mr_bus *bus, void *addr, size_t len, uint64_t *bus_addr);

    /**
     * The same for memory that may lie in pieces on the bus: page[i] is where the
     * device finds the i-th of the 4 KiB pages that the range touches, a multiple of
     * 4096 below 2^63. unmap undoes it, given the address of the first byte.
     * NULL, or -ENOTSUP: here it lies in one piece, map it.
     */
    int (*map_pages)(struct mr_bus *bus, void *addr, size_t len, uint64_t *page);

    /** Undoes one map; no access is under way after the return. */
    int (*unmap)(struct mr_bus *bus, void *addr, size_t len, uint64_t bus_addr);

    /**
     * How often the device has written into this process's memory, or a number
     * that changes with it. Taken before memory is looked at and given to wait.
     */
    uint64_t (*mark)(struct mr_bus *bus);

    /**
     * Lets device time pass until the device has written into this process's
     * memory after `mark` was taken, or max_ns are over. It may return early.
     * *now_ns is the device's time then.
     */
    int (*wait)(struct mr_bus *bus, uint64_t mark, uint64_t max_ns, uint64_t *now_ns);

    /** Called by a poll that found nothing: gives a lock-stepped device time. */
    int (*relax)(struct mr_bus *bus);

    /**
     * A descriptor that is readable while there are interrupts that irq_take has
     * not taken; it stays the same, and is valid until close. -ENOTSUP, -EPERM,
     * -ENOMEM. May be NULL, and then the two below are too: no interrupts.
     */
    int (*irq_fd)(struct mr_bus *bus, int *fd);

    /** Takes the interrupts that are there, after irq_fd. Each was raised after an event was in memory. */
    int (*irq_take)(struct mr_bus *bus);

    /**
     * The caller is about to sleep until irq_fd is readable: lets a lock-stepped
     * device time go on until then, or until another operation. Returns 1, and
     * does nothing, if interrupts are there that irq_take has not taken.
     */
    int (*idle)(struct mr_bus *bus);

    /** Device time in ns. */
    int (*time_ns)(struct mr_bus *bus, uint64_t *now_ns);

    /**
     * The back end's statistics as JSON into buf with a final 0; returns the
     * text's length, which may be size or more when it was cut. May be NULL.
     */
    int (*stats)(struct mr_bus *bus, char *buf, size_t size);

    /**
     * The first entry in use of table MR_TBL_* at *index or behind it, into row,
     * which has room for 64 bytes. -ENOENT there is none, -EINVAL no such table.
     * May be NULL.
     */
    int (*row)(struct mr_bus *bus, uint32_t table, uint32_t *index, void *row);
};

/** What every back end's own struct begins with. */
struct mr_bus {
    const struct mr_bus_ops *ops;
};

extern const struct mr_bus_ops mri_bus_sim;
extern const struct mr_bus_ops mri_bus_soft;

/**
 * Adds a back end of a test program to the list, or takes the added one away
 * (NULL). Not thread-safe: before the first open.
 */
void mri_bus_register(const struct mr_bus_ops *ops);

/** Finds the back end of a URI; *rest points behind its colon. NULL if there is none. */
const struct mr_bus_ops *mri_bus_find(const char *uri, const char **rest);

/**
 * Value of `name` in the options behind the '?' of rest ("a=1&b=2"), copied
 * into out with a final 0. Returns its length, -ENOENT if it is not there, and
 * -ENAMETOOLONG if it does not fit.
 */
int mri_uri_option(const char *rest, const char *name, char *out, size_t size);

/** The same as an unsigned number in [min, max]; *value stays as it is if absent. */
int mri_uri_number(const char *rest, const char *name, uint64_t min, uint64_t max,
                   uint64_t *value);

/** The same as a probability, 0 to 1. */
int mri_uri_fraction(const char *rest, const char *name, double *value);

/** Copies what stands in front of '?' into out; length, or -ENAMETOOLONG. */
int mri_uri_head(const char *rest, char *out, size_t size);

/** -EINVAL if rest has an option that is not in the NULL-terminated list. */
int mri_uri_check(const char *rest, const char *const *names);

#endif
