// SPDX-License-Identifier: BSD-2-Clause
/*
 * stat.c - sums per bucket of time.
 */
#include <stdlib.h>
#include <string.h>

#include "priv.h"

void series_add(const struct scen *s, struct series *x, uint64_t ns, uint64_t value)
{
    size_t i = ns / s->cfg.bucket_ns;

    if (i >= x->n) {
        size_t n = i < 64 ? 64 : i * 2;
        uint64_t *v = realloc(x->v, n * sizeof *v);
        if (!v)
            return;
        memset(v + x->n, 0, (n - x->n) * sizeof *v);
        x->v = v;
        x->n = n;
    }
    x->v[i] += value;
}

/** Whole buckets: those that begin in [from, to). */
static uint64_t sum(const struct scen *s, const struct series *x, uint64_t from, uint64_t to)
{
    uint64_t b = s->cfg.bucket_ns;
    uint64_t n = 0;

    for (size_t i = (from + b - 1) / b; i < (to + b - 1) / b && i < x->n; i++)
        n += x->v[i];
    return n;
}

uint64_t scen_placed(const struct scen *s, uint32_t conn, bool back, uint64_t from, uint64_t to)
{
    return sum(s, &s->placed[conn * 2 + back], from, to);
}

uint64_t scen_placed_all(const struct scen *s, uint64_t from, uint64_t to)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < s->cfg.n_conns * 2; i++)
        n += sum(s, &s->placed[i], from, to);
    return n;
}

uint64_t scen_sent(const struct scen *s, uint32_t nic, uint64_t from, uint64_t to)
{
    return sum(s, &s->host[nic].sent, from, to);
}

uint64_t scen_routed(const struct scen *s, uint32_t route, uint64_t from, uint64_t to)
{
    return sum(s, &s->routed[route], from, to);
}

uint64_t scen_completed(const struct scen *s, uint64_t from, uint64_t to)
{
    return sum(s, &s->completed, from, to);
}

double scen_jain(const double *x, size_t n)
{
    double sum = 0;
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    return squares > 0 ? sum * sum / ((double)n * squares) : 1;
}
