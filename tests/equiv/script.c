// SPDX-License-Identifier: BSD-2-Clause
#include "script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metaroce_codes.h"
#include "rng.h"

enum {
    TARGETS = SCRIPT_USER / 2,  // sources below, targets from here
};

/* ---- making ---- */

void script_begin(struct script *s, const char *name, uint64_t seed, unsigned n_streams)
{
    *s = (struct script){.name = name, .seed = seed, .n_streams = n_streams, .room = {TARGETS, TARGETS}};
}

uint32_t script_below(struct script *s, uint32_t n)
{
    return (uint32_t)sim_below(sim_draw(sim_key(s->seed, 77, 0, 0), s->draws++), n);
}

void script_add(struct script *s, unsigned side, unsigned stream, uint32_t len, enum script_fault fault, bool signaled)
{
    uint32_t *room = &s->room[!side];
    uint32_t to = *room + script_below(s, 100);

    if (s->n == SCRIPT_MSGS || to + len > SCRIPT_USER) {
        fprintf(stderr, "script %s: too much\n", s->name);
        abort();
    }
    s->msg[s->n++] = (struct script_msg){.side = (uint8_t)side, .stream = (uint8_t)stream,
        .fault = (uint8_t)fault, .signaled = signaled, .from = script_below(s, TARGETS - len), .to = to, .len = len};
    *room = to + len;
    s->msg[s->n - 1].op = MR_OP_WRITE;
}

bool script_takes(const struct script_msg *m)
{
    return m->op == MR_OP_SEND || m->op == MR_OP_SEND_IMM || m->op == MR_OP_WRITE_IMM;
}

bool script_atomic(const struct script_msg *m)
{
    return m->op == MR_OP_CMP_SWAP || m->op == MR_OP_FETCH_ADD;
}

bool script_asks(const struct script_msg *m)
{
    return m->op == MR_OP_READ || script_atomic(m);
}

/** Room of 8 bytes at a multiple of 8. */
static uint32_t word(struct script *s, unsigned side)
{
    uint32_t at = (s->room[side] + 7) & ~7u;

    s->room[side] = at + 8;
    return at;
}

void script_add_op(struct script *s, unsigned side, unsigned stream, unsigned op, uint32_t len, enum script_fault fault,
                   bool late)
{
    bool asks = op == MR_OP_READ || op == MR_OP_CMP_SWAP || op == MR_OP_FETCH_ADD;

    // What is asked for goes the other way: the place is taken at the one who asks.
    script_add(s, asks ? !side : side, stream, len, fault, true);
    struct script_msg *m = &s->msg[s->n - 1];
    m->side = (uint8_t)side;
    m->op = (uint8_t)op;
    m->late = late;
    if (!script_atomic(m))
        return;
    m->to = word(s, side);
    if (!s->counter[side][stream])
        s->counter[side][stream] = word(s, !side);
    m->counter = s->counter[side][stream];
}

uint64_t script_swap_value(const struct script_msg *m)
{
    return m->op == MR_OP_CMP_SWAP ? 0x0123456789abcdef * (m->msg + 1) : 0;
}

uint64_t script_compare_value(const struct script *s, const struct script_msg *m)
{
    (void)s;
    return m->op == MR_OP_FETCH_ADD ? 0x8000000000000001 + m->msg : m->before + (m->msg % 3 == 0);
}

/** Follows a stream's counter. */
static void count(struct script *s, struct script_msg *m, uint64_t value[2][SCRIPT_STREAMS], bool begun[2][SCRIPT_STREAMS])
{
    uint64_t *v = &value[m->side][m->stream];

    if (!begun[m->side][m->stream])
        *v = sim_draw(sim_key(s->seed, !m->side, 0, 0), m->counter / 8);  // as script_fill leaves it
    begun[m->side][m->stream] = true;
    m->before = *v;
    if (m->fault || m->behind)
        return;
    if (m->op == MR_OP_FETCH_ADD)
        *v += script_compare_value(s, m);
    else if (script_compare_value(s, m) == *v)
        *v = script_swap_value(m);
}

void script_end(struct script *s)
{
    uint32_t msgs[2][SCRIPT_STREAMS] = {};
    bool failed[2][SCRIPT_STREAMS] = {};
    uint32_t match[2][SCRIPT_STREAMS] = {};
    uint64_t value[2][SCRIPT_STREAMS] = {};
    bool begun[2][SCRIPT_STREAMS] = {};

    for (unsigned i = 0; i < s->n; i++) {
        struct script_msg *m = &s->msg[i];
        bool *f = &failed[m->side][m->stream];
        m->msg = msgs[m->side][m->stream]++;
        m->behind = *f;
        s->want[m->side] += !*f && (m->signaled || m->fault);
        s->want[!m->side] += script_takes(m) && !*f && !m->fault;
        if (script_takes(m))
            m->match = match[m->side][m->stream]++;
        if (script_atomic(m))
            count(s, m, value, begun);
        *f |= m->fault != SCRIPT_GOOD;
        if (m->msg == SCRIPT_QUEUE) {
            fprintf(stderr, "script %s: more than a queue holds\n", s->name);
            abort();
        }
    }
}

/* ---- what must come of it ---- */

void script_fill(const struct script *s, unsigned side, uint8_t *user)
{
    uint64_t key = sim_key(s->seed, side, 0, 0);

    for (uint64_t i = 0; i < SCRIPT_USER / 8; i++)
        memcpy(user + 8 * i, &(uint64_t){sim_draw(key, i)}, 8);
}

unsigned script_status(const struct script_msg *m)
{
    static const uint8_t status[] = {
        [SCRIPT_GOOD] = MR_ERR_OK,
        [SCRIPT_REMOTE_KEY] = MR_ERR_REMOTE_KEY,
        [SCRIPT_REMOTE_BOUNDS] = MR_ERR_REMOTE_BOUNDS,
        [SCRIPT_LOCAL_KEY] = MR_ERR_LOCAL_KEY,
        [SCRIPT_LOCAL_BOUNDS] = MR_ERR_LOCAL_BOUNDS,
        [SCRIPT_LOCAL_STRADDLE] = MR_ERR_LOCAL_BOUNDS,
    };
    return status[m->fault];
}

static uint8_t *memory_new(void)
{
    uint8_t *m = malloc(SCRIPT_USER);

    if (!m)
        abort();
    return m;
}

uint8_t *script_memory(const struct script *s, unsigned side, const uint8_t *now)
{
    uint8_t *image = memory_new();
    uint8_t *peer = memory_new();

    script_fill(s, side, image);
    script_fill(s, !side, peer);
    for (unsigned i = 0; i < s->n; i++) {
        const struct script_msg *m = &s->msg[i];
        if (script_atomic(m) && m->side != side && !m->fault) {  // in the order of the list: that of the stream
            uint64_t v = m->op == MR_OP_FETCH_ADD ? m->before + script_compare_value(s, m)
                         : script_compare_value(s, m) == m->before ? script_swap_value(m) : m->before;
            memcpy(image + m->counter, m->behind ? (const void *)(now + m->counter) : &v, 8);
        }
        if (script_asks(m) != (m->side == side))
            continue;
        if (m->behind)
            memcpy(image + m->to, now + m->to, m->len);
        else if (!m->fault)
            memcpy(image + m->to, script_atomic(m) ? (const void *)&m->before : peer + m->from, m->len);
    }
    free(peer);
    return image;
}

uint8_t *script_known(const struct script *s, unsigned side, const uint8_t *now)
{
    uint8_t *image = memory_new();

    memcpy(image, now, SCRIPT_USER);
    for (unsigned i = 0; i < s->n; i++) {
        const struct script_msg *m = &s->msg[i];
        if (m->behind && script_atomic(m) && m->side != side)
            memset(image + m->counter, 0, 8);
        if (m->behind && script_asks(m) == (m->side == side))
            memset(image + m->to, 0, m->len);
    }
    return image;
}

size_t script_differ(const uint8_t *a, const uint8_t *b)
{
    size_t at = 0;

    while (at < SCRIPT_USER && a[at] == b[at])
        at++;
    return at;
}
