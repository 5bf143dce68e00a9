// SPDX-License-Identifier: BSD-2-Clause
/* port.h - struct hlsc_port as the glue headers define it, for code that sees no glue header. */
#ifndef HLSC_GLUE_COMMON
#define HLSC_GLUE_COMMON
struct hlsc_port {
    const char *name;
    char kind;
    unsigned width, in_lo, out_lo;
};
#endif
