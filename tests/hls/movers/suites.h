// SPDX-License-Identifier: BSD-2-Clause
/* suites.h - one list of tests per file. */
#ifndef MOVERS_SUITES_H
#define MOVERS_SUITES_H

#include <CUnit/CUnit.h>

extern CU_TestInfo tests_icrc[];
extern CU_TestInfo tests_rx_beat[];
extern CU_TestInfo tests_rx_parse[];
extern CU_TestInfo tests_rx_place[];
extern CU_TestInfo tests_rx_split[];
extern CU_TestInfo tests_tx_hdr[];
extern CU_TestInfo tests_tx_join[];
extern CU_TestInfo tests_tx_mov[];
extern CU_TestInfo tests_tx_tail[];
extern CU_TestInfo tests_chain[];

#endif
