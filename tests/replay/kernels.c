// SPDX-License-Identifier: BSD-2-Clause
/*
 * kernels.c - replay_kernels.h is made from the process graph: with
 * REPLAY_KERNEL undefined it includes every kernel's header and glue, with
 * REPLAY_KERNEL defined it is one row per kernel.
 */
#include "kernels.h"

#include <string.h>

#include "replay_kernels.h"

#define REPLAY_KERNEL(K)                                                                           \
    void K##_step(struct K *k);                                                                    \
    static void K##_set_inputs_(void *k, const uint32_t *in_pins) { K##_set_inputs(k, in_pins); }  \
    static void K##_step_(void *k) { K##_step(k); }                                                \
    static void K##_get_outputs_(const void *k, uint32_t *out) { K##_get_outputs(k, out); }        \
    static void K##_get_stats_(const void *k, uint32_t *out) { K##_get_stats(k, out); }
#include "replay_kernels.h"
#undef REPLAY_KERNEL

static const struct kernel kernels[] = {
#define REPLAY_KERNEL(K)                                                                           \
    {#K, sizeof(struct K), K##_IN_BITS, K##_OUT_BITS, K##_PORTS, K##_set_inputs_, K##_step_,       \
     K##_get_outputs_, K##_get_stats_},
#include "replay_kernels.h"
#undef REPLAY_KERNEL
};

const struct kernel *kernel_find(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return nullptr;
}

bool kernel_port(const struct kernel *k, unsigned n, struct port *p)
{
    const struct hlsc_port *q = &k->ports[n];
    *p = (struct port){q->name, q->kind, q->width, q->in_lo, q->out_lo};
    return q->name != nullptr;
}
