// SPDX-License-Identifier: BSD-2-Clause
/* mrnic_run.c - `mrnic run`: starts a program of libibverbs on a device. */
#include "mrnic.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static constexpr char library[] = "libmrverbs.so";
enum { EXIT_NOT_RUN = 126, EXIT_NOT_FOUND = 127 };

struct run_options {
    const char *uri, *library;
    char **argv;  // the program's
};

static const struct argp_option arg_options[] = {
    {"dev", 'd', "URI", 0, "device: soft:N..., or sim:...?nic=N; default $MR_DEVICE", 0},
    {"lib", 'l', "FILE", 0, "the libmrverbs.so to use; default: beside mrnic, or in ../lib of it", 0},
    {},
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
    struct run_options *o = st->input;

    switch (key) {
    case 'd': o->uri = arg; return 0;
    case 'l': o->library = arg; return 0;
    case ARGP_KEY_ARG:
        o->argv = &st->argv[st->next - 1];
        st->next = st->argc;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(st, "which program?"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = arg_options,
    .parser = parse,
    .args_doc = "[--] PROGRAM [ARGUMENT...]",
    .doc = "Runs a program that is linked against libibverbs, which finds the device mr0.\v"
           "The program needs no change: a library that is loaded before libibverbs answers in its "
           "place. mr0 has reliable connections (RC) and one port, Ethernet, with one GID; a program "
           "that asks for a GID index takes 0. A software NIC (soft:N) lives in the program; each "
           "program takes another N. The exit status is the program's, 127 if there is none, 126 "
           "if it cannot be started.",
};

/* Beside this program, or where it is installed. */
static bool find_library(char *path, size_t size)
{
    static const char *const places[] = {"%.*s/%s", "%.*s/../lib/%s"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    if (n < 0)
        return false;
    self[n] = 0;
    const char *slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        int k = snprintf(path, size, places[i], (int)(slash - self), self, library);
        if (k > 0 && (size_t)k < size && !access(path, R_OK))
            return true;
    }
    return false;
}

static int set_preload(const char *path)
{
    const char *others = getenv("LD_PRELOAD");
    char *all;

    if (!others || !*others)
        return setenv("LD_PRELOAD", path, 1);
    if (asprintf(&all, "%s:%s", path, others) < 0)
        return -1;
    int rc = setenv("LD_PRELOAD", all, 1);
    free(all);
    return rc;
}

static bool uri_ok(const char *uri)
{
    return uri && (!strncmp(uri, "soft:", 5) || (!strncmp(uri, "sim:", 4) && strstr(uri, "nic=")));
}

int mrnic_run(int argc, char **argv)
{
    struct run_options o = {.uri = getenv("MR_DEVICE")};
    char found[PATH_MAX + sizeof library], real[PATH_MAX];

    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, nullptr, &o);
    if (!o.argv)
        return 64;
    if (!uri_ok(o.uri)) {
        fprintf(stderr, "mrnic run: --dev is soft:N, or sim:PATH?nic=N\n");
        return 64;
    }
    if (!o.library && find_library(found, sizeof found))
        o.library = found;
    if (!o.library || !realpath(o.library, real)) {
        fprintf(stderr, "mrnic run: %s: %s\n", o.library ? o.library : library, strerror(ENOENT));
        return EXIT_NOT_RUN;
    }
    if (setenv("MR_DEVICE", o.uri, 1) || set_preload(real)) {
        fprintf(stderr, "mrnic run: %s\n", strerror(errno));
        return EXIT_NOT_RUN;
    }
    execvp(o.argv[0], o.argv);
    fprintf(stderr, "mrnic run: %s: %s\n", o.argv[0], strerror(errno));
    return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}
