// SPDX-License-Identifier: BSD-2-Clause
/* rows.c - reads the .def rows into tables and checks them. */
#include "rows.h"

#include <ctype.h>
#include <string.h>

/* The layout rows come as one flat list; rows_load() nests them. */
enum row_what { ROW_LAYOUT, ROW_FIELD, ROW_END };
struct row {
    enum row_what what;
    const char *layout, *name;  // ROW_LAYOUT: name is the byte order
    unsigned n;                 // bytes of a layout, bits of a field
    const char *text;
};

#define MR_LAYOUT(l, order, bytes, text) {ROW_LAYOUT, #l, #order, bytes, text},
#define MR_FIELD(l, name, bits, text)    {ROW_FIELD, #l, #name, bits, text},
#define MR_END(l)                        {ROW_END, #l, NULL, 0, NULL},
static const struct row rows[] = {
#include "wire.def"
#include "host.def"
};

#define MR_CODE(group, name, value, text) {#group, #name, value, #value, text},
const struct code codes[] = {
#include "codes.def"
};

#define MR_REG(name, offset, access, text) {#name, offset, #access, text},
const struct reg regs[] = {
#include "regs.def"
};

#define MR_COUNTER(name, kernel, text) {#name, #kernel, text},
const struct counter counters[] = {
#include "counters.def"
};

#define MR_PACKET(kind, group, opcode, ext, payload) {#kind, #group, #opcode, #ext, #payload},
const struct packet packets[] = {
#include "packets.def"
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
const size_t ncodes = COUNT(codes), nregs = COUNT(regs), ncounters = COUNT(counters),
             npackets = COUNT(packets);

#define LAYOUTS_MAX 64
struct layout layouts[LAYOUTS_MAX];
size_t nlayouts;

/* Largest header: the first 128 bytes of a frame less Ethernet, VLAN, IPv6, UDP and base. */
#define EXT_MAX (124 - 14 - 4 - 40 - 8 - 16)

static int bad(const char *what, const char *a, const char *b)
{
    fprintf(stderr, "defs: %s: %s %s\n", what, a, b);
    return -1;
}

unsigned field_align(const struct field *f)
{
    if (strncmp(f->name, "rsvd", 4) == 0)
        return 0;
    return f->bits == 16 ? 16 : f->bits == 32 || f->bits == 64 ? 32 : 0;
}

static int check_field(const struct layout *l, const struct field *f)
{
    int rc = 0;
    if (f->bits == 0 || f->bits > 512)
        rc = bad("width is not 1 to 512", l->name, f->name);
    bool bytewise = f->bits % 8 == 0 && f->bit % 8 == 0;
    bool in_byte = f->bits < 8 && f->bit / 8 == (f->bit + f->bits - 1) / 8;
    if (!bytewise && !in_byte)
        rc = bad("neither whole bytes nor inside one byte", l->name, f->name);
    if (!l->wire && field_align(f) != 0 && f->bit % field_align(f) != 0)
        rc = bad("not aligned", l->name, f->name);
    for (const struct field *g = l->f; g < f; g++)
        if (strcmp(g->name, f->name) == 0)
            rc = bad("field stands twice", l->name, f->name);
    return rc;
}

static int check_layout(const struct layout *l)
{
    int rc = 0;
    unsigned sum = 0;
    for (unsigned i = 0; i < l->nfields; i++) {
        rc |= check_field(l, &l->f[i]);
        sum += l->f[i].bits;
    }
    if (sum != l->bytes * 8)
        rc = bad("fields do not fill the layout", l->name, "");
    for (const struct layout *m = layouts; m < l; m++)
        if (strcmp(m->name, l->name) == 0)
            rc = bad("layout stands twice", l->name, "");
    return rc;
}

static int check_codes(void)
{
    int rc = 0;
    for (size_t i = 0; i < ncodes; i++) {
        if (codes[i].value > 0xffffffff)
            rc = bad("value is wider than 32 bits", codes[i].group, codes[i].name);
        unsigned w = group_bits(codes[i].group);
        if (w < 32 && codes[i].value >> w != 0)
            rc = bad("value is wider than its field", codes[i].group, codes[i].name);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(codes[i].group, codes[j].group) != 0)
                continue;
            if (strcmp(codes[i].name, codes[j].name) == 0)
                rc = bad("code stands twice", codes[i].group, codes[i].name);
            if (w < 32 && codes[i].value == codes[j].value)
                rc = bad("value stands twice", codes[i].group, codes[i].name);
        }
    }
    return rc;
}

static int check_regs(void)
{
    int rc = 0;
    unsigned cnt = 0, after_cnt = 0x10000;
    for (size_t i = 0; i < nregs; i++) {
        if (regs[i].offset % 4 != 0)
            rc = bad("offset is not a multiple of 4", "register", regs[i].name);
        if (i > 0 && regs[i].offset <= regs[i - 1].offset)
            rc = bad("offsets do not rise", "register", regs[i].name);
        if (strcmp(regs[i].name, "CNT") == 0)
            cnt = regs[i].offset;
        else if (cnt != 0 && regs[i].offset < after_cnt)
            after_cnt = regs[i].offset;
    }
    if (cnt + 4 * ncounters > after_cnt)
        rc = bad("more counters than registers", "register", "CNT");
    return rc;
}

static int check_packets(void)
{
    int rc = 0;
    for (size_t i = 0; i < npackets; i++) {
        const struct packet *p = &packets[i];
        const struct layout *e = layout_find(p->ext);
        if (code_find("KIND", p->kind) == NULL || code_find(p->group, p->opcode) == NULL)
            rc = bad("packet of unknown kind or opcode", p->kind, p->opcode);
        if (strcmp(p->ext, "none") != 0 && (e == NULL || !e->wire))
            rc = bad("packet with unknown extension", p->kind, p->opcode);
        if (e != NULL && e->bytes > EXT_MAX && strcmp(p->kind, "CONN") != 0)
            rc = bad("header does not end within 124 bytes", p->kind, p->opcode);
        if (strcmp(p->payload, "none") != 0 && strcmp(p->payload, "bytes") != 0 &&
            layout_find(p->payload) == NULL)
            rc = bad("packet with unknown payload", p->kind, p->opcode);
    }
    return rc;
}

int rows_load(void)
{
    int rc = 0;
    struct layout *l = NULL;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *r = &rows[i];
        if (r->what == ROW_LAYOUT) {
            if (l != NULL || nlayouts == LAYOUTS_MAX)
                return bad("MR_LAYOUT inside a layout, or too many", r->layout, "");
            l = &layouts[nlayouts++];
            *l = (struct layout){.name = r->layout, .bytes = r->n, .text = r->text};
            l->wire = strcmp(r->name, "wire") == 0;
            if (!l->wire && strcmp(r->name, "host") != 0)
                return bad("order is neither wire nor host", r->layout, r->name);
            continue;
        }
        if (l == NULL || strcmp(l->name, r->layout) != 0)
            return bad("row outside its layout", r->layout, r->name ? r->name : "");
        if (r->what == ROW_FIELD) {
            if (l->nfields == FIELDS_MAX)
                return bad("too many fields", l->name, r->name);
            unsigned n = l->nfields++;
            unsigned bit = n == 0 ? 0 : l->f[n - 1].bit + l->f[n - 1].bits;
            l->f[n] = (struct field){r->name, r->n, r->text, bit};
            continue;
        }
        rc |= check_layout(l);
        l = NULL;
    }
    if (l != NULL)
        return bad("MR_END is missing", l->name, "");
    return rc | check_codes() | check_regs() | check_packets();
}

static void fnv(uint32_t *h, const char *s)
{
    for (; *s != '\0'; s++)
        *h = (*h ^ (unsigned char)*s) * 16777619u;
}

uint32_t rows_hash(void)
{
    uint32_t h = 2166136261u;
    char line[256];
    for (size_t i = 0; i < nlayouts; i++) {
        const struct layout *l = &layouts[i];
        snprintf(line, sizeof line, "layout %s %s %u\n", l->name, l->wire ? "wire" : "host",
                 l->bytes);
        fnv(&h, line);
        for (unsigned j = 0; j < l->nfields; j++) {
            snprintf(line, sizeof line, "field %s %u\n", l->f[j].name, l->f[j].bits);
            fnv(&h, line);
        }
    }
    for (size_t i = 0; i < ncodes; i++) {
        snprintf(line, sizeof line, "code %s %s %llu\n", codes[i].group, codes[i].name,
                 codes[i].value);
        fnv(&h, line);
    }
    for (size_t i = 0; i < nregs; i++) {
        snprintf(line, sizeof line, "reg %s %u %s\n", regs[i].name, regs[i].offset,
                 regs[i].access);
        fnv(&h, line);
    }
    for (size_t i = 0; i < ncounters; i++) {
        snprintf(line, sizeof line, "counter %s\n", counters[i].name);
        fnv(&h, line);
    }
    for (size_t i = 0; i < npackets; i++) {
        const struct packet *p = &packets[i];
        snprintf(line, sizeof line, "packet %s %s %s %s\n", p->kind, p->opcode, p->ext,
                 p->payload);
        fnv(&h, line);
    }
    return h;
}

const struct layout *layout_find(const char *name)
{
    for (size_t i = 0; i < nlayouts; i++)
        if (strcmp(layouts[i].name, name) == 0)
            return &layouts[i];
    return NULL;
}

const struct code *code_find(const char *group, const char *name)
{
    for (size_t i = 0; i < ncodes; i++)
        if (strcmp(codes[i].group, group) == 0 && strcmp(codes[i].name, name) == 0)
            return &codes[i];
    return NULL;
}

unsigned group_bits(const char *group)
{
    static const struct { const char *group; unsigned bits; } width[] = {
        {"KIND", 4},  {"OP", 8},     {"ACKOP", 8},  {"PATHOP", 8}, {"CONNOP", 8}, {"ERROROP", 8},
        {"FLAG", 8},  {"WQEF", 8},   {"CQEF", 8},   {"CONNF", 8},  {"RIGHT", 8},  {"TBL", 8},
        {"TBLOP", 8}, {"REASON", 8}, {"ERR", 8},
    };
    for (size_t i = 0; i < COUNT(width); i++)
        if (strcmp(width[i].group, group) == 0)
            return width[i].bits;
    return 32;
}

static const char *map(const char *s, int (*f)(int))
{
    static char ring[16][64];
    static unsigned at;
    char *b = ring[at++ % 16];
    size_t i;
    for (i = 0; s[i] != '\0' && i < sizeof ring[0] - 1; i++)
        b[i] = (char)f((unsigned char)s[i]);
    b[i] = '\0';
    return b;
}

const char *upper(const char *s)
{
    return map(s, toupper);
}

const char *lower(const char *s)
{
    return map(s, tolower);
}
