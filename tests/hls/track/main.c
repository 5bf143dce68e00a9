// SPDX-License-Identifier: BSD-2-Clause
/* main.c - runs the suites of the kernels that follow messages. */
#include "bench.h"
#include "track.h"

int main(int argc, char **argv)
{
    static const struct bench_suite suites[] = {
        {"rx_msg", tests_rx_msg},
        {"rx_atomic", tests_rx_atomic},
        {},
    };

    return bench_main("track", suites, argc, argv);
}
