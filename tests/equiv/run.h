// SPDX-License-Identifier: BSD-2-Clause
/* run.h - a script on two NICs of one engine. */
#ifndef EQUIV_RUN_H
#define EQUIV_RUN_H

#include "bench.h"

/**
 * Runs it and holds the outcome against the script; the bench is as the run
 * left it, null if it could not be made. Counts in *wrong.
 */
struct bench *script_run(const struct script *s, const struct bench_cfg *cfg, unsigned *wrong);
/**
 * Compares two outcomes: completions of every stream, memory of both hosts.
 * Returns in how many of these they differ; names them if `tell`.
 */
unsigned script_compare(const struct script *s, const struct bench *a, const struct bench *b, bool tell);

#endif
