// SPDX-License-Identifier: BSD-2-Clause
// What every Verilated bench shares: clock, randomness, the list of cases.
#ifndef MR_BENCH_H
#define MR_BENCH_H

#include <CUnit/Basic.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "Vtop.h"
#include "verilated.h"

/** Seed of all randomness: MR_SEED from the environment, else 1. */
inline uint64_t bench_seed()
{
    const char *s = getenv("MR_SEED");
    return s ? strtoull(s, nullptr, 0) : 1;
}

struct Rng {
    std::mt19937_64 e{bench_seed()};
    uint64_t bits() { return e(); }
    uint32_t below(uint32_t n) { return (uint32_t)(e() % n); }
    /** True in `percent` of 100 calls. */
    bool chance(unsigned percent) { return below(100) < percent; }
};

/** Set by $fatal or $stop in the design instead of ending the process. */
inline bool bench_stopped;

/** A design under test. Drive inputs, settle(), look at outputs, edge(). */
struct Dut {
    VerilatedContext ctx;
    std::unique_ptr<Vtop> top;
    uint64_t cycle = 0;

    Dut()
    {
        ctx.randReset(2);
        ctx.randSeed((int)bench_seed());
        top = std::make_unique<Vtop>(&ctx);
        bench_stopped = false;
    }
    Vtop *operator->() { return top.get(); }
    void settle()
    {
        top->clk_i = 0;
        top->eval();
    }
    void edge()
    {
        ctx.time(++cycle);
        top->clk_i = 1;
        top->eval();
    }
    void clock(int n = 1)
    {
        while (n-- > 0) {
            settle();
            edge();
        }
    }
    void reset()
    {
        top->rst_ni = 0;
        clock(8);
        top->rst_ni = 1;
    }
    ~Dut() { top->final(); }
};

struct Case {
    const char *name;
    void (*run)();
};

/** Runs all cases and prints the line that run.py counts. */
inline int bench_main(const char *bench, const Case *cases, size_t n)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite(bench, nullptr, nullptr);
    for (size_t i = 0; i < n; i++)
        CU_add_test(suite, cases[i].name, cases[i].run);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_tests_failed();
    printf("BENCH %s: %zu passed, %u failed (MR_SEED=%llu)\n", bench, n - failed, failed,
           (unsigned long long)bench_seed());
    CU_cleanup_registry();
    return failed != 0;
}

#define BENCH(name, ...)                                                                           \
    void vl_stop(const char *, int, const char *) { bench_stopped = true; }                        \
    int main()                                                                                     \
    {                                                                                              \
        static const Case cases[] = {__VA_ARGS__};                                                 \
        return bench_main(name, cases, sizeof cases / sizeof *cases);                              \
    }

#endif
