// SPDX-License-Identifier: BSD-2-Clause
/* main.c - runs the suites of the kernels around posted receives. */
#include "bench.h"
#include "suites.h"

int main(int argc, char **argv)
{
    static const struct bench_suite suites[] = {
        {"share", tests_share},
        {"rx_rq", tests_rx_rq},
        {"rx_recv", tests_rx_recv},
        {},
    };

    return bench_main("recv", suites, argc, argv);
}
