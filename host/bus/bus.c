// SPDX-License-Identifier: BSD-2-Clause
/* bus.c - the list of back ends, and the options of their URIs. */
#include "bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct mr_bus_ops *const built_in[] = {&mri_bus_sim, &mri_bus_soft};
static const struct mr_bus_ops *added;

void mri_bus_register(const struct mr_bus_ops *ops)
{
    added = ops;
}

static bool scheme_is(const struct mr_bus_ops *ops, const char *uri, const char **rest)
{
    size_t n = strlen(ops->scheme);

    if (strncmp(uri, ops->scheme, n) != 0 || uri[n] != ':')
        return false;
    *rest = uri + n + 1;
    return true;
}

const struct mr_bus_ops *mri_bus_find(const char *uri, const char **rest)
{
    if (added && scheme_is(added, uri, rest))
        return added;
    for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++)
        if (scheme_is(built_in[i], uri, rest))
            return built_in[i];
    return nullptr;
}

static int copy_out(const char *from, size_t n, char *out, size_t size)
{
    if (n >= size)
        return -ENAMETOOLONG;
    memcpy(out, from, n);
    out[n] = 0;
    return (int)n;
}

int mri_uri_head(const char *rest, char *out, size_t size)
{
    return copy_out(rest, strcspn(rest, "?"), out, size);
}

/* Steps through "a=1&b=2": sets name and value, returns what follows, NULL at the end. */
static const char *next_option(const char *p, const char **name, size_t *name_len,
                               const char **value, size_t *value_len)
{
    if (!p || !*p)
        return nullptr;
    size_t all = strcspn(p, "&");
    size_t eq = strcspn(p, "=&");

    *name = p;
    *name_len = eq;
    *value = eq < all ? p + eq + 1 : p + all;
    *value_len = eq < all ? all - eq - 1 : 0;
    return p[all] ? p + all + 1 : p + all;
}

static const char *options_of(const char *rest)
{
    const char *q = strchr(rest, '?');

    return q ? q + 1 : nullptr;
}

int mri_uri_option(const char *rest, const char *name, char *out, size_t size)
{
    const char *n, *v, *p = options_of(rest);
    size_t nl, vl;

    while ((p = next_option(p, &n, &nl, &v, &vl)))
        if (nl == strlen(name) && !memcmp(n, name, nl))
            return copy_out(v, vl, out, size);
    return -ENOENT;
}

int mri_uri_number(const char *rest, const char *name, uint64_t min, uint64_t max,
                   uint64_t *value)
{
    char text[24], *end;
    int n = mri_uri_option(rest, name, text, sizeof text);

    if (n == -ENOENT)
        return 0;
    if (n <= 0 || text[0] < '0' || text[0] > '9')
        return -EINVAL;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 0);
    if (errno || *end || v < min || v > max)
        return -EINVAL;
    *value = v;
    return 0;
}

int mri_uri_fraction(const char *rest, const char *name, double *value)
{
    char text[32], *end;
    int n = mri_uri_option(rest, name, text, sizeof text);

    if (n == -ENOENT)
        return 0;
    if (n <= 0)
        return -EINVAL;
    double v = strtod(text, &end);
    if (*end || !(v >= 0 && v <= 1))
        return -EINVAL;
    *value = v;
    return 0;
}

int mri_uri_check(const char *rest, const char *const *names)
{
    const char *n, *v, *p = options_of(rest);
    size_t nl, vl;

    while ((p = next_option(p, &n, &nl, &v, &vl))) {
        bool known = false;
        for (const char *const *k = names; *k; k++)
            known = known || (nl == strlen(*k) && !memcmp(n, *k, nl));
        if (!known)
            return -EINVAL;
    }
    return 0;
}
