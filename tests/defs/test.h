// SPDX-License-Identifier: BSD-2-Clause
/* test.h - what the suites of tests/defs share. */
#ifndef MR_TEST_DEFS_H
#define MR_TEST_DEFS_H

#include <CUnit/Basic.h>
#include <stdint.h>

/** Directory for files that a test makes; set by main from the environment variable B. */
extern const char *test_dir;

/** Ends the running test as skipped; the reason is printed. */
void test_skip(const char *why);

/** Runs a shell command made as by printf. Its exit status, or -1. */
[[gnu::format(printf, 1, 2)]] int test_run(const char *fmt, ...);

/** True when the program is in PATH. */
bool test_have(const char *program);

/** xorshift64*: the same numbers in every run. */
uint64_t test_random(void);
void test_random_bytes(uint8_t *p, unsigned n);

/* Each file adds its suite. */
void add_layout(void);
void add_golden(void);
void add_names(void);
void add_rows(void);
void add_sv(void);
void add_frames(void);
void add_dissector(void);
void add_spec(void);

/** Adds a test function under its own name. */
#define ADD(suite, fn) CU_add_test(suite, #fn, fn)

#endif
