// SPDX-License-Identifier: BSD-2-Clause
/*
 * lane_edit.c - changes to lanes as text, for command lines and scenarios.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "link.h"

/** Reads "NUMBER:" or "*:" and moves on; UINT32_MAX is all. False on anything else. */
static bool which(const char **text, uint32_t limit, uint32_t *out)
{
    const char *t = *text;
    if (t[0] == '*' && t[1] == ':') {
        *out = UINT32_MAX;
        *text = t + 2;
        return true;
    }
    char *end;
    unsigned long n = strtoul(t, &end, 10);
    if (t[0] < '0' || t[0] > '9' || *end != ':' || n >= limit)
        return false;
    *out = (uint32_t)n;
    *text = end + 1;
    return true;
}

/** Reads the routes: as above, or "pK:" for those of a plane. */
static bool which_routes(const char **text, const struct sim_link_cfg *cfg, uint32_t *first, uint32_t *n)
{
    uint32_t each = cfg->routes / cfg->planes;
    bool plane = **text == 'p';
    *text += plane;
    if (!which(text, plane ? cfg->planes : cfg->routes, first))
        return false;
    bool all = *first == UINT32_MAX;
    if (plane && all)
        return false;
    *n = all ? cfg->routes : plane ? each : 1;
    *first = all ? 0 : plane ? *first * each : *first;
    return true;
}

static bool number(const char *t, double max, double *out)
{
    char *end;
    *out = strtod(t, &end);
    return end != t && *end == '\0' && isfinite(*out) && *out >= 0 && *out <= max;
}

static bool set_hole(struct sim_lane_cfg *c, const char *value)
{
    char *end;
    double from = strtod(value, &end);
    double to;
    if (end == value || *end != '-' || from < 0 || !number(end + 1, 1e12, &to) || to <= from ||
        c->holes == SIM_HOLES_MAX)
        return false;
    c->hole[c->holes++] = (struct sim_hole){(uint64_t)(from * 1000), (uint64_t)(to * 1000)};
    return true;
}

static bool set(struct sim_lane_cfg *c, const char *key, size_t n, const char *value)
{
    struct {
        const char *key;
        double max;
        double *chance;   // one of the two
        uint64_t *amount; // value times scale
        double scale;
    } keys[] = {
        {"delay", 1e12, nullptr, &c->delay_ns, 1},
        {"jitter", 1e9, nullptr, &c->jitter_ns, 1},
        {"loss", 1, &c->loss, nullptr, 0},
        {"dup", 1, &c->dup, nullptr, 0},
        {"corrupt", 1, &c->corrupt, nullptr, 0},
        {"rate", 1e5, nullptr, &c->rate, 1e9},
        {"queue", 1e6, nullptr, &c->queue, 1024},
        {"ecn", 1e6, nullptr, &c->ecn, 1024},
    };
    double v;
    if (n == 4 && memcmp(key, "hole", 4) == 0)
        return set_hole(c, value);
    if (n == 6 && memcmp(key, "silent", 6) == 0) {
        c->corrupt_silent = value[0] == '1';
        return strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strlen(keys[i].key) != n || memcmp(keys[i].key, key, n) != 0)
            continue;
        if (!number(value, keys[i].max, &v))
            return false;
        if (keys[i].chance)
            *keys[i].chance = v;
        else
            *keys[i].amount = (uint64_t)(v * keys[i].scale);
        return true;
    }
    return false;
}

int sim_lane_edit(struct sim_link *l, const char *text)
{
    const struct sim_link_cfg *cfg = sim_link_cfg(l);
    uint32_t src;
    uint32_t dst;
    uint32_t first;
    uint32_t routes;
    if (!which(&text, cfg->nics, &src) || !which(&text, cfg->nics, &dst) ||
        !which_routes(&text, cfg, &first, &routes))
        return -EINVAL;
    const char *eq = strchr(text, '=');
    if (!eq)
        return -EINVAL;
    for (uint32_t s = 0; s < cfg->nics; s++)
        for (uint32_t d = 0; d < cfg->nics; d++)
            for (uint32_t r = first; r < first + routes; r++) {
                bool hit = (src == UINT32_MAX || src == s) && (dst == UINT32_MAX || dst == d);
                if (hit && !set(sim_link_lane(l, s, d, r), text, (size_t)(eq - text), eq + 1))
                    return -EINVAL;
            }
    return 0;
}
