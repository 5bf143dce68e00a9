// SPDX-License-Identifier: BSD-2-Clause
/*
 * kut.h - compiled once per kernel with -DKUT=name -DKUT_SOURCE="file.c"
 * -DKUT_GLUE="name.glue.h": exports `name_kut`.
 */
#include KUT_SOURCE

#include KUT_GLUE

#include "lockstep.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STR_(a) #a
#define STR(a) STR_(a)

static void kut_step(void *k)
{
    CAT(KUT, _step)(k);
}

static void kut_set_inputs(void *k, const uint32_t *in_pins)
{
    CAT(KUT, _set_inputs)(k, in_pins);
}

static void kut_get_outputs(const void *k, uint32_t *out_pins)
{
    CAT(KUT, _get_outputs)(k, out_pins);
}

static void kut_get_stats(const void *k, uint32_t *out_pins)
{
    CAT(KUT, _get_stats)(k, out_pins);
}

#ifdef KUT_TRACE
/* What MR_TRACE calls at each edge: the recorded pins are replayed into a native kernel of its own. */
void CAT(mr_trace_, KUT)(int id, const uint32_t *in_pins, const uint32_t *out_pins);
void CAT(mr_trace_, KUT)(int id, const uint32_t *in_pins, const uint32_t *out_pins)
{
    static struct KUT k;
    uint32_t out[(CAT(KUT, _OUT_BITS) + 31) / 32] = {0};
    kut_get_stats(&k, out);
    kut_set_inputs(&k, in_pins);
    kut_step(&k);
    kut_get_outputs(&k, out);
    trace_calls++;
    for (unsigned i = 0; i < sizeof out / sizeof *out; i++)
        trace_differences += out[i] != out_pins[i];
    trace_differences += id != 0;
}
#endif

const struct kut CAT(KUT, _kut) = {
    .name = STR(KUT),
    .size = sizeof(struct KUT),
    .in_bits = CAT(KUT, _IN_BITS),
    .out_bits = CAT(KUT, _OUT_BITS),
    .ports = CAT(KUT, _PORTS),
    .step = kut_step,
    .set_inputs = kut_set_inputs,
    .get_outputs = kut_get_outputs,
    .get_stats = kut_get_stats,
};
