// SPDX-License-Identifier: BSD-2-Clause
/* suites.h - one list of tests per file. */
#ifndef PAGES_SUITES_H
#define PAGES_SUITES_H

#include <CUnit/CUnit.h>

extern CU_TestInfo tests_at_rd[];
extern CU_TestInfo tests_at_wr[];

#endif
