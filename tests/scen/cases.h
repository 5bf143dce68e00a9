// SPDX-License-Identifier: BSD-2-Clause
/*
 * cases.h - the scenarios that figures and plots share; tests/bench/README.md
 * says what they are.
 */
#ifndef SCEN_CASES_H
#define SCEN_CASES_H

#include "scen.h"

enum {
    CASE_RTT = 4000,  // ns, the network's share
    CASE_FRAME = 4096 + 102 + SIM_WIRE_EXTRA,  // 98 bytes of headers, 4 of integrity value
    CASE_WARM = 100'000,
    CASE_WINDOW = 2'000'000,
    CASE_FAIL_AT = 300'000,
    CASE_FAIL_END = 800'000,
    CASE_NICS = 65,
};

/** What cfg points to. */
struct case_parts {
    struct scen_conn conn[CASE_NICS];
    struct scen_event event[2];
};

/** What all share. Ends without waiting for the messages under way. */
struct scen_cfg case_base(const char *name, const char *engine);
/** One sender, until the end of the window. */
void case_goodput(struct scen_cfg *c, struct case_parts *p);
/** NICs 1 to n send to NIC 0. */
void case_incast(struct scen_cfg *c, struct case_parts *p, uint32_t n, uint64_t end_ns);
/**
 * One sender over routes of a quarter of the line; one of them dies, or with
 * `plane` one of two planes with two routes, and comes back at up_ns if that is not 0.
 */
void case_fail(struct scen_cfg *c, struct case_parts *p, bool plane, uint64_t up_ns);

/** Opens and runs; null if it could not be opened. Says on stderr what went wrong. */
struct scen *case_run(const struct scen_cfg *c);
/** Payload in per cent of its share of the line. */
double case_share(const struct scen_cfg *c, uint64_t bytes, uint64_t ns);

#endif
