// SPDX-License-Identifier: BSD-2-Clause
/* track.h - one list of tests per file. */
#ifndef TRACK_H
#define TRACK_H

#include <CUnit/CUnit.h>

extern CU_TestInfo tests_rx_msg[];
extern CU_TestInfo tests_rx_atomic[];

#endif
