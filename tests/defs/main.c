// SPDX-License-Identifier: BSD-2-Clause
/* Tests of defs/: run from the root of the tree, `test_defs frames` prints the example frames. */
#include "frames.h"
#include "test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *test_dir;
static unsigned skipped;
static uint64_t seed = 0x9e3779b97f4a7c15;

void test_skip(const char *why)
{
    printf("skip: %s\n", why);
    skipped++;
}

int test_run(const char *fmt, ...)
{
    char cmd[2048];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(cmd, sizeof cmd, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof cmd)
        return -1;
    int rc = system(cmd);
    return rc < 0 || rc % 256 != 0 ? -1 : rc / 256;
}

bool test_have(const char *program)
{
    return test_run("command -v %s >/dev/null", program) == 0;
}

uint64_t test_random(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 2685821657736338717u;
}

void test_random_bytes(uint8_t *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = (uint8_t)(test_random() >> 56);
}

int main(int argc, char **argv)
{
    const char *b = getenv("B");
    static char dir[512];
    snprintf(dir, sizeof dir, "%s/tests/defs", b != NULL ? b : "build");
    test_dir = dir;
    if (argc == 2 && strcmp(argv[1], "frames") == 0) {
        frames_print(stdout);
        return 0;
    }
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    add_layout();
    add_golden();
    add_names();
    add_rows();
    add_sv();
    add_frames();
    add_dissector();
    add_spec();
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_tests_failed() + CU_get_number_of_suites_failed();
    unsigned run = CU_get_number_of_tests_run();
    CU_cleanup_registry();
    printf("SUITE defs: %u passed, %u failed, %u skipped\n", run - failed - skipped, failed,
           skipped);
    return failed != 0;
}
