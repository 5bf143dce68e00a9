// SPDX-License-Identifier: BSD-2-Clause
#include "sim_test.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void test_add(CU_pSuite s, const char *name, CU_TestFunc fn)
{
    if (!CU_add_test(s, name, fn)) {
        fprintf(stderr, "cannot add %s: %s\n", name, CU_get_error_msg());
        exit(1);
    }
}

CU_pSuite test_suite(const char *name)
{
    CU_pSuite s = CU_add_suite(name, nullptr, nullptr);
    if (!s) {
        fprintf(stderr, "cannot add suite %s\n", name);
        exit(1);
    }
    return s;
}

static void put16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

uint16_t frame_sum(const uint8_t *f)
{
    uint32_t sum = 0;
    for (int i = 0; i < 20; i += 2)
        if (i != 10)
            sum += (uint32_t)(f[14 + i] << 8 | f[15 + i]);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

void frame_make(uint8_t *f, size_t len, int version, uint32_t src, uint32_t dst, uint16_t sport, uint8_t ecn, uint32_t seq)
{
    uint8_t s = (uint8_t)(src + 1);
    uint8_t d = (uint8_t)(dst + 1);
    memset(f, 0, len);
    memcpy(f, (uint8_t[]){2, 0, 0, 0, 0, d, 2, 0, 0, 0, 0, s}, 12);
    size_t udp;
    if (version == 4) {
        put16(f + 12, 0x0800);
        f[14] = 0x45;
        f[15] = ecn;
        put16(f + 16, (unsigned)(len - 14));
        f[22] = 64;
        f[23] = 17;
        memcpy(f + 26, (uint8_t[]){10, 0, 0, s, 10, 0, 0, d}, 8);
        put16(f + 24, frame_sum(f));
        udp = 34;
    } else {
        put16(f + 12, 0x86dd);
        f[14] = 0x60;
        f[15] = (uint8_t)(ecn << 4);
        put16(f + 18, (unsigned)(len - 54));
        f[20] = 17;
        f[22] = 0xfd;
        f[37] = s;
        f[38] = 0xfd;
        f[53] = d;
        udp = 54;
    }
    put16(f + udp, sport);
    put16(f + udp + 2, 4791);
    memcpy(f + len - 4, &seq, 4);
}

uint32_t frame_seq(const uint8_t *f, size_t len)
{
    uint32_t seq;
    memcpy(&seq, f + len - 4, 4);
    return seq;
}

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    test_frame_add();
    test_link_add();
    test_mem_add();
    test_core_add();
    test_server_add();
    test_lockstep_add();
    test_trace_add();
    test_irq_add();
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned run = CU_get_number_of_tests_run();
    unsigned failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    printf("SUITE sim: %u passed, %u failed, 0 skipped\n", run - failed, failed);
    return failed || !run;
}
