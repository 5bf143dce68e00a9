// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim_test.h - what the tests of sim/ share.
 */
#ifndef SIM_TEST_H
#define SIM_TEST_H

#include <CUnit/CUnit.h>
#include <stddef.h>
#include <stdint.h>

void test_frame_add(void);
void test_link_add(void);
void test_mem_add(void);
void test_core_add(void);
void test_server_add(void);
void test_lockstep_add(void);
void test_trace_add(void);
void test_irq_add(void);

/** Adds a test; ends the program if CUnit refuses it. */
void test_add(CU_pSuite s, const char *name, CU_TestFunc fn);
CU_pSuite test_suite(const char *name);

/**
 * A UDP frame of len bytes (at least 60) from NIC src to NIC dst of the default
 * addresses, with valid IPv4 checksum; `seq` is in its last 4 bytes.
 */
void frame_make(uint8_t *f, size_t len, int version, uint32_t src, uint32_t dst, uint16_t sport, uint8_t ecn, uint32_t seq);
uint32_t frame_seq(const uint8_t *f, size_t len);
/** The checksum of the frame's IPv4 header, as it should be. */
uint16_t frame_sum(const uint8_t *f);

#endif
