// SPDX-License-Identifier: BSD-2-Clause
/*
 * The native scheduler on the toy graph. Built once per order of the instances
 * (toy.def, toy_perm.def): the same expectations must hold for both.
 */
#include <CUnit/Basic.h>
#include <stdlib.h>
#include <string.h>

#include "native/nic_native.h"

#define STEPS_MAX 200

static uint64_t now;

/** Pushes one access and steps until its answer comes. */
static uint32_t reg(struct mr_nic *n, bool write, unsigned addr, uint32_t data)
{
    struct reg_req req = {write, (u(16))addr, data};
    struct reg_rsp rsp;

    CU_ASSERT_FATAL(mr_nic_push_reg_req(n, &req));
    for (int i = 0; i < STEPS_MAX; i++) {
        mr_nic_step(n, now++);
        if (mr_nic_pop_reg_rsp(n, &rsp))
            return (uint32_t)rsp.data;
    }
    CU_FAIL_FATAL("no answer");
    return 0;
}

static void registers(void)
{
    struct mr_nic *n = mr_nic_new();

    for (unsigned i = 0; i < 8; i++)
        CU_ASSERT_EQUAL(reg(n, true, i * 4, 100 + i), 0);
    for (unsigned i = 0; i < 8; i++)
        CU_ASSERT_EQUAL(reg(n, false, i * 4, 0), 100 + i);
    now = 0x100000005;
    CU_ASSERT_EQUAL(reg(n, false, 0x2c, 0), 5);  // cut to 32 bits
    mr_nic_set_mac_rx_drops(n, 77);
    CU_ASSERT_EQUAL(reg(n, false, 0x30, 0), 77);
    mr_nic_free(n);
}

/** A copy through the payload streams, their far end played here. */
static void copies(void)
{
    struct mr_nic *n = mr_nic_new();
    struct rd_req rd;
    struct wr_req wr;
    struct wr_beat wb;

    reg(n, true, 0, 0x1000);
    reg(n, true, 4, 0x2000);
    reg(n, true, 8, 256);
    reg(n, true, 0x20, 0);
    for (int i = 0; i < 4; i++)
        mr_nic_step(n, now++);
    CU_ASSERT_FATAL(mr_nic_pop_pay_rd_req(n, &rd) && mr_nic_pop_pay_wr_req(n, &wr));
    CU_ASSERT(rd.addr == 0x1000 && rd.len == 256 && wr.addr == 0x2000 && wr.len == 256);
    CU_ASSERT(!mr_nic_pop_pay_rd_req(n, &rd));
    for (unsigned in = 0, out = 0, i = 0; out < 4; i++) {
        struct rd_beat b = {(u(512))in << 500 | 7, in == 3, false};
        CU_ASSERT_FATAL(i < STEPS_MAX);
        if (in < 4 && mr_nic_push_pay_rd_beat(n, &b))
            in++;
        mr_nic_step(n, now++);
        if (i > 10 && mr_nic_pop_pay_wr_beat(n, &wb)) {
            CU_ASSERT(wb.data == ((u(512))out << 500 | 7) && wb.last == (out == 3));
            out++;
        }
    }
    struct wr_done done = {false};
    CU_ASSERT(mr_nic_push_pay_wr_done(n, &done));
    mr_nic_step(n, now++);
    CU_ASSERT_EQUAL(reg(n, false, 0x24, 0), 1);
    mr_nic_free(n);
}

/** Random pushes and pops through three kernels: all items, in order, unharmed. */
static void echoes(void)
{
    struct mr_nic *n = mr_nic_new();
    unsigned in = 0, out = 0;

    srand(1);
    for (unsigned i = 0; out < 5000 && i < 100000; i++) {
        struct mac_beat b = {(u(512))in << 480 | in, 64, in % 3 == 0, false}, got;
        if (rand() % 3 && mr_nic_push_mac_rx(n, &b))
            in++;
        if (rand() % 4)
            mr_nic_step(n, now++);
        if (rand() % 2 && mr_nic_pop_mac_tx(n, &got)) {
            CU_ASSERT_FATAL(got.data == ~((u(512))out << 480 | out));
            CU_ASSERT_FATAL(got.n == 64 && got.last == (out % 3 == 0));
            out++;
        }
    }
    CU_ASSERT_EQUAL(out, 5000);
    mr_nic_free(n);
}

/** With nobody taking, exactly the FIFOs fill: 2 + 2 + 5 + 2 beats. */
static void full(void)
{
    struct mr_nic *n = mr_nic_new();
    struct mac_beat b = {0}, got;
    unsigned in = 0, out = 0;

    for (int i = 0; i < 100; i++) {
        in += mr_nic_push_mac_rx(n, &b);
        mr_nic_step(n, now++);
    }
    CU_ASSERT_EQUAL(in, 11);
    CU_ASSERT(!mr_nic_step(n, now++));  // nothing moves
    for (int i = 0; i < 100; i++) {
        out += mr_nic_pop_mac_tx(n, &got);
        mr_nic_step(n, now++);
    }
    CU_ASSERT_EQUAL(out, 11);
    CU_ASSERT(!mr_nic_step(n, now++));
    mr_nic_free(n);
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite s = CU_add_suite("native", NULL, NULL);
    CU_add_test(s, "native__registers", registers);
    CU_add_test(s, "native__copies", copies);
    CU_add_test(s, "native__echoes", echoes);
    CU_add_test(s, "native__full", full);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_tests_failed();
    printf("BENCH native: %u passed, %u failed\n", CU_get_number_of_tests_run() - failed, failed);
    CU_cleanup_registry();
    return failed != 0;
}
