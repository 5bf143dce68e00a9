// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_hlsc.c - the compiler as a program: refusals, determinism, report.
 * `test_hlsc HLSC TESTDIR WORKDIR RESULT`.
 */
#include <CUnit/Basic.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void add_node_tests(void);

static const char *hlsc, *dir, *work;

/** Runs hlsc on a file; its messages go to WORKDIR/log. Returns the exit status. */
static int run(const char *sub, const char *name, const char *more)
{
    char cmd[2048];
    snprintf(cmd, sizeof cmd, "%s %s/%s/%s.c -k %s %s -- -Ihls > %s/log 2>&1", hlsc, dir, sub, name, name, more, work);
    int s = system(cmd);
    return s == -1 ? -1 : s >> 8;
}

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "r");
    char *s = calloc(1, 1 << 20);
    if (f) {
        s[fread(s, 1, (1 << 20) - 1, f)] = 0;
        fclose(f);
    }
    return s;
}

static char *slurp_work(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", work, name);
    return slurp(path);
}

/** The file says in its second line `// expect LINE: text of the message`. */
static bool refused_as_expected(const char *name)
{
    char path[512], want[512], more[600];
    int line = 0;
    snprintf(path, sizeof path, "%s/refuse/%s.c", dir, name);
    char *src = slurp(path), *e = strstr(src, "// expect ");
    if (!e || sscanf(e, "// expect %d: %511[^\n]", &line, want) != 2)
        return false;
    snprintf(more, sizeof more, "-o %s/refused.v", work);
    int status = run("refuse", name, more);
    char *log = slurp_work("log"), at[600];
    snprintf(at, sizeof at, "%s.c:%d:", name, line);
    bool ok = status == 1 && strstr(log, at) && strstr(log, want) && strstr(log, ": error: ");
    if (!ok)
        printf("\n%s: wanted %s %s\n  got (%d) %s", name, at, want, status, log);
    return ok;
}

static int is_c(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 2 && !strcmp(d->d_name + n - 2, ".c");
}

static void refuse__all(void)
{
    char path[512];
    struct dirent **list;
    snprintf(path, sizeof path, "%s/refuse", dir);
    int n = scandir(path, &list, is_c, alphasort);
    CU_ASSERT(n >= 15);
    for (int i = 0; i < n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)strlen(list[i]->d_name) - 2, list[i]->d_name);
        CU_ASSERT(refused_as_expected(name));
    }
}

static void output__is_deterministic(void)
{
    char more[600];
    snprintf(more, sizeof more, "-o %s/a.v --json %s/a.json --glue %s/a.h", work, work, work);
    CU_ASSERT_EQUAL(run("kernels", "rows", more), 0);
    char *a = slurp_work("a.v"), *h = slurp_work("a.h");
    CU_ASSERT_EQUAL(run("kernels", "rows", more), 0);
    CU_ASSERT_STRING_EQUAL(a, slurp_work("a.v"));
    CU_ASSERT_STRING_EQUAL(h, slurp_work("a.h"));
    CU_ASSERT(strlen(a) > 1000);
}

static void report__names_memories(void)
{
    CU_ASSERT_EQUAL(run("kernels", "flows", "--report"), 0);
    char *log = slurp_work("log");
    CU_ASSERT(strstr(log, "memory tbl: 512 x 105 bits, one word, 1 synchronous and 0 asynchronous reads, 1 write") != nullptr);
    CU_ASSERT(strstr(log, "port in   rx: 27 bits") != nullptr);
    CU_ASSERT_EQUAL(run("kernels", "grid", "--report"), 0);
    CU_ASSERT(strstr(slurp_work("log"), "memory m: 128 x 29 bits, a memory per leaf, 0 synchronous") != nullptr);
    CU_ASSERT_EQUAL(run("kernels", "counters", "--report"), 0);
    CU_ASSERT(strstr(slurp_work("log"), "c: 16 x 16 bits in registers, because it is read after a write") != nullptr);
}

static void output__shows_the_idioms(void)
{
    char more[600];
    snprintf(more, sizeof more, "-o %s/a.v", work);
    CU_ASSERT_EQUAL(run("kernels", "parity", more), 0);
    CU_ASSERT(strstr(slurp_work("a.v"), "(^_") != nullptr);
    CU_ASSERT(!strstr(slurp_work("a.v"), "pop_"));
    CU_ASSERT_EQUAL(run("kernels", "header", more), 0);
    CU_ASSERT(!strstr(slurp_work("a.v"), "<<")); // assembled by concatenation
    CU_ASSERT(!strstr(slurp_work("a.v"), ">>"));
}

static void bad_arguments(void)
{
    CU_ASSERT_EQUAL(run("kernels", "nothing_there", "--report"), 1);
    CU_ASSERT_EQUAL(run("kernels", "rows", "--no-such-option"), 1);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    hlsc = argv[1];
    dir = argv[2];
    work = argv[3];
    mkdir(work, 0777);
    CU_initialize_registry();
    CU_pSuite s = CU_add_suite("hlsc", nullptr, nullptr);
    CU_add_test(s, "refuse__all", refuse__all);
    CU_add_test(s, "output__is_deterministic", output__is_deterministic);
    CU_add_test(s, "output__shows_the_idioms", output__shows_the_idioms);
    CU_add_test(s, "report__names_memories", report__names_memories);
    CU_add_test(s, "arguments__bad", bad_arguments);
    add_node_tests();
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_tests_failed(), ran = CU_get_number_of_tests_run();
    FILE *f = fopen(argv[4], "w");
    if (!f)
        return 2;
    fprintf(f, "%u %u 0\n", ran - failed, failed);
    return fclose(f);
}
