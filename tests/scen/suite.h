// SPDX-License-Identifier: BSD-2-Clause
/*
 * suite.h - what the parts of test-scen share.
 */
#ifndef SCEN_SUITE_H
#define SCEN_SUITE_H

#include "scen.h"

/** Counts a case and says how it went; `why` is told if it failed. */
void suite_case(const char *name, const char *engine, bool good, const char *why);

/** Shows that each kind of violation is found. */
void suite_forge(void);

/** Planes that die and come back. */
void suite_planes(const char *engine);

#endif
