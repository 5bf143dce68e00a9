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
}

void script_end(struct script *s)
{
    uint32_t msgs[2][SCRIPT_STREAMS] = {};
    bool failed[2][SCRIPT_STREAMS] = {};

    for (unsigned i = 0; i < s->n; i++) {
        struct script_msg *m = &s->msg[i];
        bool *f = &failed[m->side][m->stream];
        m->msg = msgs[m->side][m->stream]++;
        m->behind = *f;
        s->want[m->side] += !*f && (m->signaled || m->fault);
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
        if (m->side == side)
            continue;
        if (m->behind)
            memcpy(image + m->to, now + m->to, m->len);
        else if (!m->fault)
            memcpy(image + m->to, peer + m->from, m->len);
    }
    free(peer);
    return image;
}

uint8_t *script_known(const struct script *s, unsigned side, const uint8_t *now)
{
    uint8_t *image = memory_new();

    memcpy(image, now, SCRIPT_USER);
    for (unsigned i = 0; i < s->n; i++)
        if (s->msg[i].behind && s->msg[i].side != side)
            memset(image + s->msg[i].to, 0, s->msg[i].len);
    return image;
}

size_t script_differ(const uint8_t *a, const uint8_t *b)
{
    size_t at = 0;

    while (at < SCRIPT_USER && a[at] == b[at])
        at++;
    return at;
}
