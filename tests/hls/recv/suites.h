// SPDX-License-Identifier: BSD-2-Clause
/* suites.h - one list of tests per file. */
#ifndef RECV_SUITES_H
#define RECV_SUITES_H

#include <CUnit/CUnit.h>

extern CU_TestInfo tests_share[];
extern CU_TestInfo tests_rx_rq[];
extern CU_TestInfo tests_rx_recv[];

#endif
