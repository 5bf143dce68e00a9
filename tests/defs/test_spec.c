// SPDX-License-Identifier: BSD-2-Clause
/* The specification's paragraph numbers, and what cites them. */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAGRAPHS_MAX 1000

static unsigned numbers[PARAGRAPHS_MAX], count;

/* Chapter, section and paragraph as one number that sorts. */
static unsigned key(unsigned c, unsigned s, unsigned p)
{
    return c * 10000 + s * 100 + p;
}

static bool known(unsigned c, unsigned s, unsigned p)
{
    for (unsigned i = 0; i < count; i++)
        if (p != 0 ? numbers[i] == key(c, s, p)
                   : numbers[i] / (s != 0 ? 100 : 10000) == key(c, s, 0) / (s != 0 ? 100 : 10000))
            return true;
    return false;
}

static void read_numbers(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[1024];
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        unsigned c, s, p;
        if (sscanf(line, "**[%u.%u.%u]**", &c, &s, &p) == 3 && count < PARAGRAPHS_MAX)
            numbers[count++] = key(c, s, p);
    }
    if (f != NULL)
        fclose(f);
}

static void spec__numbers_rise(void)
{
    glob_t g;
    count = 0;
    CU_ASSERT_EQUAL_FATAL(glob("docs/spec/[0-9]*.md", 0, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++)
        read_numbers(g.gl_pathv[i]);
    globfree(&g);
    CU_ASSERT(count > 150);
    for (unsigned i = 1; i < count; i++) {
        CU_ASSERT(numbers[i] > numbers[i - 1]);
        if (numbers[i] <= numbers[i - 1])
            printf("paragraph %u does not rise\n", numbers[i]);
    }
}

/* Numbers like 5.4.2 in the chapters' own text, and [spec 5.4.2] anywhere in the tree. */
static void check_citations(const char *command, const char *format)
{
    FILE *f = popen(command, "r");
    char line[512];
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    while (fgets(line, sizeof line, f) != NULL) {
        unsigned c = 0, s = 0, p = 0;
        char *at = strrchr(line, ':');
        if (at == NULL || sscanf(at + 1, format, &c, &s, &p) < 1)
            continue;
        CU_ASSERT(known(c, s, p));
        if (!known(c, s, p))
            printf("no such paragraph: %s", line);
    }
    pclose(f);
}

static void spec__citations_in_the_text(void)
{
    check_citations("grep -HnoE '(^|[ (])[0-9]+\\.[0-9]+\\.[0-9]+' docs/spec/[0-9]*.md | tr -d '( '",
                    "%u.%u.%u");
}

static void spec__citations_in_the_code(void)
{
    check_citations("grep -rnoE '\\[spec [0-9.]+\\]' --include='*.[chv]' --include='*.def' "
                    "--include='*.sv*' defs tests hls hw host sim firmware 2>/dev/null",
                    "[spec %u.%u.%u]");
}

void add_spec(void)
{
    CU_pSuite s = CU_add_suite("spec", NULL, NULL);
    ADD(s, spec__numbers_rise);
    ADD(s, spec__citations_in_the_text);
    ADD(s, spec__citations_in_the_code);
}
