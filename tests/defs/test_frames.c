// SPDX-License-Identifier: BSD-2-Clause
/* The example frames in docs/spec/ against frames built here, and the ICRC's properties. */
#include "frames.h"
#include "mr_defs.h"
#include "test.h"

#include <glob.h>
#include <string.h>

/* Reads the hex between "```frame NAME" and "```" in one file. Bytes, or 0 when it is not there. */
static size_t read_example(const char *path, const char *name, uint8_t *out)
{
    char line[256], open[64];
    size_t n = 0;
    bool inside = false;
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return 0;
    snprintf(open, sizeof open, "```frame %s\n", name);
    while (fgets(line, sizeof line, f) != NULL) {
        if (inside && strncmp(line, "```", 3) == 0)
            break;
        if (!inside) {
            inside = strcmp(line, open) == 0;
            continue;
        }
        unsigned byte;
        int used;
        for (char *s = line; n < FRAME_MAX && sscanf(s, "%2x%n", &byte, &used) == 1; s += used)
            out[n++] = (uint8_t)byte;
    }
    fclose(f);
    return n;
}

static void frames__examples_in_the_specification(void)
{
    glob_t g;
    CU_ASSERT_EQUAL_FATAL(glob("docs/spec/*.md", 0, NULL, &g), 0);
    const struct frame *f;
    for (unsigned i = 0; (f = frame_example(i)) != NULL; i++) {
        uint8_t text[FRAME_MAX];
        size_t n = 0;
        for (size_t k = 0; k < g.gl_pathc && n == 0; k++)
            n = read_example(g.gl_pathv[k], f->name, text);
        CU_ASSERT_EQUAL(n, f->n);
        CU_ASSERT(n == f->n && memcmp(text, f->b, n) == 0);
        if (n != f->n || memcmp(text, f->b, n) != 0)
            printf("example %s differs: %zu bytes in the text\n", f->name, n);
    }
    globfree(&g);
}

static void frames__crc_check_value(void)
{
    CU_ASSERT_EQUAL(frame_crc(0, "123456789", 9), 0xcbf43926);
}

static void frames__residue(void)
{
    const struct frame *f;
    for (unsigned i = 0; (f = frame_of_packet(i)) != NULL; i++)
        CU_ASSERT_EQUAL(frame_icrc(f), MR_WIRE_ICRC_RESIDUE);
}

/* [spec 3.8.3], [spec 3.8.4]: which bits count */
static void frames__what_the_value_covers(void)
{
    for (unsigned which = 0; frame_of_packet(which) != NULL; which += 3) {
        struct frame f = *frame_of_packet(which);
        bool v6 = f.b[f.ip] >> 4 == 6;
        size_t udp = f.ip + (v6 ? 40 : 20);
        for (size_t bit = 0; bit < 8 * f.n; bit++) {
            size_t at = bit / 8;
            bool free4 = at == f.ip + 1 || at == f.ip + 8 || at == f.ip + 10 || at == f.ip + 11;
            bool free6 = (at == f.ip && bit % 8 < 4) || (at > f.ip && at < f.ip + 4) ||
                         at == f.ip + 7;
            bool loose = at < f.ip || (v6 ? free6 : free4) || at == udp + 6 || at == udp + 7;
            if (!loose && at == f.ip)
                continue;  // the version decides which rule holds
            f.b[at] ^= (uint8_t)(1u << bit % 8);
            CU_ASSERT_EQUAL(frame_icrc(&f) == MR_WIRE_ICRC_RESIDUE, loose);
            f.b[at] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

void add_frames(void)
{
    CU_pSuite s = CU_add_suite("frames", NULL, NULL);
    ADD(s, frames__crc_check_value);
    ADD(s, frames__residue);
    ADD(s, frames__what_the_value_covers);
    ADD(s, frames__examples_in_the_specification);
}
