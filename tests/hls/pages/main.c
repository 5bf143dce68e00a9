// SPDX-License-Identifier: BSD-2-Clause
/* main.c - runs the suites of the kernels that translate addresses. */
#include "bench.h"
#include "suites.h"

int main(int argc, char **argv)
{
    static const struct bench_suite suites[] = {
        {"at_rd", tests_at_rd},
        {"at_wr", tests_at_wr},
        {},
    };

    return bench_main("pages", suites, argc, argv);
}
