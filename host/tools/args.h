// SPDX-License-Identifier: BSD-2-Clause
/* args.h - numbers on the command line. */
#ifndef MR_ARGS_H
#define MR_ARGS_H

#include <argp.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

/** The text as a whole number from min to max; anything else ends the program with a usage error. */
static inline uint64_t arg_whole(struct argp_state *st, const char *text, uint64_t min, uint64_t max)
{
    char *end;

    errno = 0;
    uint64_t v = strtoull(text, &end, 0);
    if (errno || *end || end == text || text[0] == '-' || v < min || v > max)
        argp_error(st, "%s is not a number from %llu to %llu", text, (unsigned long long)min,
                   (unsigned long long)max);
    return v;
}

#endif
