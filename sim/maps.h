// SPDX-License-Identifier: BSD-2-Clause
/*
 * maps.h - which addresses of a host exist: a bag of ranges and the sorted,
 * disjoint cover that is searched.
 */
#ifndef SIM_MAPS_H
#define SIM_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct sim_range {
    uint64_t first;
    uint64_t last; // inclusive, so that a range may end at 2^64 - 1
};

struct sim_maps {
    size_t n; // ranges in the bag
    size_t n_cover;
    size_t cap;
    struct sim_range *bag;
    struct sim_range *cover;
};

/** 0 or -ENOMEM; room for cap ranges. */
int sim_maps_init(struct sim_maps *m, size_t cap);
void sim_maps_fini(struct sim_maps *m);
void sim_maps_clear(struct sim_maps *m);

/** 0, -EINVAL (empty or wrapping), -ENOSPC. */
int sim_maps_add(struct sim_maps *m, uint64_t addr, uint64_t len);
/** 0, -ENOENT. */
int sim_maps_del(struct sim_maps *m, uint64_t addr, uint64_t len);

/**
 * The first mapped part of [first, last]. False if there is none; `*out` is
 * clipped to the question.
 */
bool sim_maps_next(const struct sim_maps *m, uint64_t first, uint64_t last, struct sim_range *out);

#endif
