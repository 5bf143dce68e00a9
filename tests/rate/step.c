// SPDX-License-Identifier: BSD-2-Clause
/*
 * step.c - mr_nic_step with two differences: an instance can be held, and items
 * are counted at the rings. The scheduler itself is the NIC's, included.
 */
#include "native/nic_native.c"

#include "bench.h"

void rate_step(struct mr_nic *n, uint64_t now, unsigned slow, bool held, struct rate_count *c)
{
    uint32_t head[ST_COUNT];
    bool waits[ID_COUNT] = {0};

#define NOTE(name, to)                                                                             \
    head[ST_##name] = n->r_##name.head;                                                            \
    waits[ID_##to] |= n->r_##name.count != 0;
#define MR_LINK(T, from, out, to, in, depth) NOTE(from##__##out, to)
#define MR_EXT_IN(T, name, to, in, depth) NOTE(ext_##name, to)
#include "graph/expand.h"
#undef NOTE

#define MR_INST(inst, kernel)                                                                      \
    if (!(held && slow == ID_##inst)) {                                                            \
        c->steps[ID_##inst]++;                                                                     \
        inst##_pass(n, now);                                                                       \
    }
#include "graph/expand.h"

    // A ring's head moves when its consumer takes, at most once in a step: depths are 2 or more.
#define NOTE(name, to)                                                                             \
    if (head[ST_##name] != n->r_##name.head) {                                                     \
        c->taken[ST_##name]++;                                                                     \
        waits[ID_##to] = true;                                                                     \
    }
#define MR_LINK(T, from, out, to, in, depth) NOTE(from##__##out, to)
#define MR_EXT_IN(T, name, to, in, depth) NOTE(ext_##name, to)
#include "graph/expand.h"
#undef NOTE

    for (unsigned i = 0; i < ID_COUNT; i++)
        c->waiting[i] += waits[i];
}
