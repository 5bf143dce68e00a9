// SPDX-License-Identifier: BSD-2-Clause
/* main.c - runs the suites of the movers. */
#include "bench.h"
#include "suites.h"

int main(int argc, char **argv)
{
    static const struct bench_suite suites[] = {
        {"icrc", tests_icrc},
        {"rx_beat", tests_rx_beat},
        {"rx_parse", tests_rx_parse},
        {"rx_place", tests_rx_place},
        {"rx_split", tests_rx_split},
        {"tx_hdr", tests_tx_hdr},
        {"tx_join", tests_tx_join},
        {"tx_mov", tests_tx_mov},
        {"tx_tail", tests_tx_tail},
        {"chain", tests_chain},
        {},
    };

    return bench_main("movers", suites, argc, argv);
}
