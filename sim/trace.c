// SPDX-License-Identifier: BSD-2-Clause
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_ 255
#define WORDS(bits) (((bits) + 31) / 32)

static const char magic[8] = {'M', 'R', 'T', 'R', 'A', 'C', 'E', '1'};
enum { REC_INST = 1, REC_DATA = 2, REC_RESET = 3, REC_END = 4 };

/** One instance, in the writer and in the reader. */
struct inst {
    uint32_t in_bits;
    uint32_t out_bits;
    uint64_t cycles;   // writer: that `pins` have lasted and are not in the file
    uint32_t *pins;    // now
    uint32_t *written; // writer: as in the last record
    char kernel[NAME_MAX_ + 1];
};

static uint32_t inst_words(const struct inst *i)
{
    return WORDS(i->in_bits) + WORDS(i->out_bits);
}

static struct inst *inst_new(const char *kernel, size_t n, uint32_t in_bits, uint32_t out_bits)
{
    struct inst *i = calloc(1, sizeof *i);
    if (!i)
        return nullptr;
    i->in_bits = in_bits;
    i->out_bits = out_bits;
    memcpy(i->kernel, kernel, n);
    i->pins = calloc(inst_words(i), sizeof *i->pins);
    i->written = calloc(inst_words(i), sizeof *i->written);
    if (i->pins && i->written)
        return i;
    free(i->pins);
    free(i->written);
    free(i);
    return nullptr;
}

static void insts_free(struct inst **inst)
{
    for (int i = 0; i < SIM_TRACE_IDS; i++) {
        if (!inst[i])
            continue;
        free(inst[i]->pins);
        free(inst[i]->written);
        free(inst[i]);
    }
}

/* Writer. */

struct sim_trace {
    FILE *f;
    bool failed;
    struct inst *inst[SIM_TRACE_IDS];
};

static thread_local struct sim_trace *selected;

static void put(struct sim_trace *t, const void *p, size_t n)
{
    if (fwrite(p, 1, n, t->f) != n)
        t->failed = true;
}

static void put8(struct sim_trace *t, uint8_t v)
{
    put(t, &v, sizeof v);
}

static void put16(struct sim_trace *t, uint16_t v)
{
    put(t, &v, sizeof v);
}

static void put32(struct sim_trace *t, uint32_t v)
{
    put(t, &v, sizeof v);
}

struct sim_trace *sim_trace_open(const char *path)
{
    struct sim_trace *t = calloc(1, sizeof *t);
    if (!t)
        return nullptr;
    t->f = fopen(path, "wbe");
    if (!t->f) {
        free(t);
        return nullptr;
    }
    put(t, magic, sizeof magic);
    return t;
}

/** Writes what an instance's pins have been since its last record. */
static void flush(struct sim_trace *t, uint32_t id)
{
    struct inst *i = t->inst[id];
    uint32_t words = inst_words(i);
    uint8_t map[(2 * SIM_TRACE_BITS / 32 + 7) / 8] = {};
    if (!i->cycles)
        return;
    put8(t, REC_DATA);
    put16(t, (uint16_t)id);
    for (uint64_t n = i->cycles; ; n >>= 7) {
        put8(t, (uint8_t)((n & 0x7f) | (n > 0x7f ? 0x80 : 0)));
        if (n <= 0x7f)
            break;
    }
    for (uint32_t w = 0; w < words; w++)
        if (i->pins[w] != i->written[w])
            map[w / 8] |= (uint8_t)(1u << (w % 8));
    put(t, map, (words + 7) / 8);
    for (uint32_t w = 0; w < words; w++)
        if (i->pins[w] != i->written[w])
            put32(t, i->pins[w]);
    memcpy(i->written, i->pins, words * sizeof *i->pins);
    i->cycles = 0;
}

static void flush_all(struct sim_trace *t)
{
    for (uint32_t id = 0; id < SIM_TRACE_IDS; id++)
        if (t->inst[id])
            flush(t, id);
}

int sim_trace_close(struct sim_trace *t)
{
    if (!t)
        return 0;
    flush_all(t);
    put8(t, REC_END);
    int bad = t->failed;
    bad |= fclose(t->f) != 0;
    insts_free(t->inst);
    if (selected == t)
        selected = nullptr;
    free(t);
    return bad ? -EIO : 0;
}

void sim_trace_reset(struct sim_trace *t)
{
    if (!t)
        return;
    flush_all(t);
    put8(t, REC_RESET);
}

void sim_trace_select(struct sim_trace *t)
{
    selected = t;
}

static struct inst *inst_add(struct sim_trace *t, const char *kernel, uint32_t id, uint32_t in_bits, uint32_t out_bits)
{
    size_t n = strlen(kernel);
    if (id >= SIM_TRACE_IDS || n > NAME_MAX_ || in_bits > SIM_TRACE_BITS || out_bits > SIM_TRACE_BITS)
        return nullptr;
    struct inst *i = t->inst[id] = inst_new(kernel, n, in_bits, out_bits);
    if (!i)
        return nullptr;
    put8(t, REC_INST);
    put16(t, (uint16_t)id);
    put32(t, in_bits);
    put32(t, out_bits);
    put8(t, (uint8_t)n);
    put(t, kernel, n);
    return i;
}

void sim_trace_put(const char *kernel, uint32_t id, uint32_t in_bits, const uint32_t *in, uint32_t out_bits, const uint32_t *out)
{
    struct sim_trace *t = selected;
    if (!t)
        return;
    struct inst *i = id < SIM_TRACE_IDS ? t->inst[id] : nullptr;
    if (!i)
        i = inst_add(t, kernel, id, in_bits, out_bits);
    if (!i || i->in_bits != in_bits || i->out_bits != out_bits) {
        t->failed = true;
        return;
    }
    size_t ni = WORDS(in_bits) * sizeof *in;
    size_t no = WORDS(out_bits) * sizeof *out;
    if (i->cycles && memcmp(i->pins, in, ni) == 0 && memcmp(i->pins + WORDS(in_bits), out, no) == 0) {
        i->cycles++;
        return;
    }
    flush(t, id);
    memcpy(i->pins, in, ni);
    memcpy(i->pins + WORDS(in_bits), out, no);
    i->cycles = 1;
}

/* Reader. */

struct sim_trace_reader {
    FILE *f;
    bool ended;
    struct inst *inst[SIM_TRACE_IDS];
};

static bool get(struct sim_trace_reader *r, void *p, size_t n)
{
    return fread(p, 1, n, r->f) == n;
}

struct sim_trace_reader *sim_trace_read_open(const char *path)
{
    char m[sizeof magic];
    struct sim_trace_reader *r = calloc(1, sizeof *r);
    if (!r)
        return nullptr;
    r->f = fopen(path, "rbe");
    if (!r->f) {
        free(r);
        return nullptr;
    }
    if (!get(r, m, sizeof m) || memcmp(m, magic, sizeof m) != 0) {
        sim_trace_read_close(r);
        errno = EINVAL;
        return nullptr;
    }
    return r;
}

void sim_trace_read_close(struct sim_trace_reader *r)
{
    if (!r)
        return;
    fclose(r->f);
    insts_free(r->inst);
    free(r);
}

static bool read_inst(struct sim_trace_reader *r, struct sim_trace_rec *rec)
{
    uint16_t id;
    uint8_t n;
    char kernel[NAME_MAX_];
    if (!get(r, &id, sizeof id) || !get(r, &rec->in_bits, 4) || !get(r, &rec->out_bits, 4) ||
        !get(r, &n, 1) || !get(r, kernel, n))
        return false;
    if (id >= SIM_TRACE_IDS || r->inst[id] || rec->in_bits > SIM_TRACE_BITS || rec->out_bits > SIM_TRACE_BITS)
        return false;
    r->inst[id] = inst_new(kernel, n, rec->in_bits, rec->out_bits);
    if (!r->inst[id])
        return false;
    rec->id = id;
    rec->kernel = r->inst[id]->kernel;
    return true;
}

static bool read_varint(struct sim_trace_reader *r, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t b;
        if (!get(r, &b, 1))
            return false;
        *v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return true;
    }
    return false;
}

static bool read_data(struct sim_trace_reader *r, struct sim_trace_rec *rec)
{
    uint16_t id;
    uint8_t map[(2 * SIM_TRACE_BITS / 32 + 7) / 8];
    if (!get(r, &id, sizeof id) || id >= SIM_TRACE_IDS || !r->inst[id] || !read_varint(r, &rec->cycles))
        return false;
    struct inst *i = r->inst[id];
    uint32_t words = inst_words(i);
    if (!rec->cycles || !get(r, map, (words + 7) / 8))
        return false;
    for (uint32_t w = 0; w < words; w++)
        if ((map[w / 8] >> (w % 8) & 1) && !get(r, &i->pins[w], 4))
            return false;
    rec->id = id;
    rec->kernel = i->kernel;
    rec->in_bits = i->in_bits;
    rec->out_bits = i->out_bits;
    rec->in = i->pins;
    rec->out = i->pins + WORDS(i->in_bits);
    return true;
}

int sim_trace_next(struct sim_trace_reader *r, struct sim_trace_rec *rec)
{
    uint8_t kind;
    *rec = (struct sim_trace_rec){};
    if (r->ended)
        return 0;
    if (!get(r, &kind, 1))
        return -EINVAL;
    switch (kind) {
    case REC_INST:
        rec->kind = SIM_TRACE_INST;
        return read_inst(r, rec) ? 1 : -EINVAL;
    case REC_DATA:
        rec->kind = SIM_TRACE_DATA;
        return read_data(r, rec) ? 1 : -EINVAL;
    case REC_RESET:
        rec->kind = SIM_TRACE_RESET;
        return 1;
    case REC_END:
        rec->kind = SIM_TRACE_END;
        r->ended = true;
        return 1;
    default:
        return -EINVAL;
    }
}
