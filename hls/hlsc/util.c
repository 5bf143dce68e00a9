// SPDX-License-Identifier: BSD-2-Clause
#include "util.h"

#include <stdlib.h>
#include <string.h>

void die(struct loc at, const char *f, ...)
{
    va_list ap;
    va_start(ap, f);
    fflush(stdout);
    if (at.file)
        fprintf(stderr, "%s:%u:%u: error: ", at.file, at.line, at.col);
    else
        fprintf(stderr, "hlsc: error: ");
    vfprintf(stderr, f, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

void *xalloc(size_t n)
{
    void *p = calloc(1, n ? n : 1);
    if (!p)
        die((struct loc){}, "out of memory");
    return p;
}

void *xgrow(void *p, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return p;
    size_t n = *cap ? *cap * 2 : 16;
    if (n < need)
        n = need;
    p = realloc(p, n * size);
    if (!p)
        die((struct loc){}, "out of memory");
    memset((char *)p + *cap * size, 0, (n - *cap) * size);
    *cap = n;
    return p;
}

char *fmt(const char *f, ...)
{
    va_list ap;
    va_start(ap, f);
    int n = vsnprintf(nullptr, 0, f, ap);
    va_end(ap);
    char *s = xalloc((size_t)n + 1);
    va_start(ap, f);
    vsnprintf(s, (size_t)n + 1, f, ap);
    va_end(ap);
    return s;
}

void put(struct text *t, const char *f, ...)
{
    va_list ap;
    va_start(ap, f);
    int n = vsnprintf(nullptr, 0, f, ap);
    va_end(ap);
    t->s = xgrow(t->s, &t->cap, t->n + (size_t)n + 1, 1);
    va_start(ap, f);
    vsnprintf(t->s + t->n, (size_t)n + 1, f, ap);
    va_end(ap);
    t->n += (size_t)n;
}

unsigned clog2(uint64_t n)
{
    unsigned b = 0;
    while (b < 64 && ((uint64_t)1 << b) < n)
        b++;
    return b ? b : 1;
}
