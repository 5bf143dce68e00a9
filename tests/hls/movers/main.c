// SPDX-License-Identifier: BSD-2-Clause
/* main.c - runs the suites of the movers. */
#include <CUnit/Basic.h>

#include "bench.h"
#include "suites.h"

uint64_t bench_seed = 1;
unsigned bench_pause;
static uint64_t state;

uint32_t rnd(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

uint32_t below(uint32_t n)
{
    return (uint32_t)((uint64_t)rnd() * n >> 32);
}

void rnd_fill(void *p, size_t n)
{
    uint8_t *b = p;
    for (size_t i = 0; i < n; i++)
        b[i] = (uint8_t)rnd();
}

bool bench_go(void)
{
    return bench_pause == 0 || (rnd() & 255) >= bench_pause;
}

u(512) beat_of(const uint8_t *p, size_t n)
{
    u(512) b = 0;
    if (n != 0)
        memcpy(&b, p, n < 64 ? n : 64);
    return b;
}

static int seed_again(void)
{
    state = bench_seed * 0x9e3779b97f4a7c15u + 1;
    bench_pause = 0;
    return 0;
}

int main(void)
{
    const char *s = getenv("MOVERS_SEED");
    if (s)
        bench_seed = strtoull(s, nullptr, 0);
    CU_TestInfo *suite_tests[] = {tests_icrc,   tests_rx_beat, tests_rx_parse, tests_rx_place, tests_rx_split,
                                  tests_tx_hdr, tests_tx_join, tests_tx_mov,   tests_tx_tail,  tests_chain};
    char *names[] = {"icrc",   "rx_beat", "rx_parse", "rx_place", "rx_split",
                     "tx_hdr", "tx_join", "tx_mov",   "tx_tail",  "chain"};
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CU_SuiteInfo info[] = {{names[i], seed_again, nullptr, nullptr, nullptr, suite_tests[i]},
                               CU_SUITE_INFO_NULL};
        if (CU_register_suites(info) != CUE_SUCCESS)
            return 1;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned run = CU_get_number_of_tests_run();
    unsigned failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    printf("SUITE movers: %u passed, %u failed, 0 skipped\n", run - failed, failed);
    return failed != 0 || run == 0;
}
