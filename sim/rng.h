// SPDX-License-Identifier: BSD-2-Clause
/*
 * rng.h - randomness as a function of (key, number), without state. Each lane
 * and purpose has its own key, so one more route or one more draw elsewhere
 * never moves another's sequence. The mixer is the finaliser of splitmix64.
 */
#ifndef SIM_RNG_H
#define SIM_RNG_H

#include <stdint.h>

static inline uint64_t sim_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/** A key for sub-stream (a, b, c) of a seed or of another key. */
static inline uint64_t sim_key(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t k = sim_mix(seed + 0x9e3779b97f4a7c15u);
    k = sim_mix(k ^ (a + 0x3c6ef372fe94f82bu));
    k = sim_mix(k ^ (b + 0xdaa66d2c7ddf743fu));
    return sim_mix(k ^ (c + 0x78dde6e5fd29f054u));
}

/** The n-th value of a key's sequence. */
static inline uint64_t sim_draw(uint64_t key, uint64_t n)
{
    return sim_mix(key + (n + 1) * 0x9e3779b97f4a7c15u);
}

/** True with probability p (0 to 1), judged by one draw. */
static inline bool sim_chance(uint64_t draw, double p)
{
    return (double)(draw >> 11) * 0x1p-53 < p;
}

/** 0 to n - 1 from one draw; 0 for n = 0. The bias of 2^-64 * n does not matter here. */
static inline uint64_t sim_below(uint64_t draw, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)draw * n) >> 64);
}

#endif
