// SPDX-License-Identifier: BSD-2-Clause
/*
 * util.h - memory, strings and fatal errors.
 *
 * hlsc is a short-lived process: nothing is freed, and every error is final.
 */
#ifndef HLSC_UTIL_H
#define HLSC_UTIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PRINTF(f, a) __attribute__((format(printf, f, a)))

/** A place in the source. `file` is nullptr where none is known. */
struct loc {
    const char *file;
    unsigned line, col;
};

/** Prints `file:line:col: error: reason` and exits with status 1. */
[[noreturn]] void die(struct loc at, const char *fmt, ...) PRINTF(2, 3);

/** Zeroed memory; never returns nullptr. */
void *xalloc(size_t n);
/** Grows `p` so that it holds at least `need` items of `size`; `*cap` is its capacity in items. */
void *xgrow(void *p, size_t *cap, size_t need, size_t size);
/** printf into fresh memory. */
char *fmt(const char *f, ...) PRINTF(1, 2);

/** Text that grows. */
struct text {
    char *s;
    size_t n, cap;
};
void put(struct text *t, const char *f, ...) PRINTF(2, 3);

/** Bits needed to count 0 .. n-1; at least 1. */
unsigned clog2(uint64_t n);

#endif
