// SPDX-License-Identifier: BSD-2-Clause
/* mrnic.c - the command line of mrnic, up to the sub-command. */
#include "mrnic.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "mrnic (metaroce) " MR_VERSION;

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *text;
} commands[] = {
    {"list", mrnic_list, "devices that can be opened here"},
    {"info", mrnic_info, "what a device can do, and how it is set"},
    {"stat", mrnic_stat, "counters, connections and paths"},
    {"top", mrnic_top, "connections, paths and planes, live"},
    {"dump", mrnic_dump, "the tables of a device, entry by entry"},
    {"run", mrnic_run, "runs a program of libibverbs on a device"},
};

static constexpr size_t n_commands = sizeof commands / sizeof commands[0];

struct chosen {
    const struct command *command;
    int at;  // its place in argv
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
    struct chosen *c = st->input;

    switch (key) {
    case ARGP_KEY_ARG:
        for (size_t i = 0; i < n_commands; i++)
            if (!strcmp(arg, commands[i].name))
                c->command = &commands[i];
        if (!c->command)
            argp_error(st, "no command '%s'", arg);
        c->at = st->next - 1;
        st->next = st->argc;  // the rest is the command's
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(st, "which command?");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The commands, in the help text. */
static char *help(int key, const char *text, void *input)
{
    size_t n;
    char *s = nullptr;
    (void)input;

    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    FILE *f = open_memstream(&s, &n);
    if (!f)
        return (char *)text;
    fprintf(f, "Commands:\n");
    for (size_t i = 0; i < n_commands; i++)
        fprintf(f, "  %-12s %s\n", commands[i].name, commands[i].text);
    fprintf(f, "\n%s", text);
    fclose(f);
    return s;
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "COMMAND [ARGUMENT...]",
    .doc = "Looks at MetaRoCE devices.\v'mrnic COMMAND --help' has the options of a command.",
    .help_filter = help,
};

int main(int argc, char **argv)
{
    struct chosen c = {};
    char name[32];

    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, nullptr, &c);
    if (!c.command)
        return 64;
    snprintf(name, sizeof name, "mrnic %s", c.command->name);
    argv[c.at] = name;
    return c.command->run(argc - c.at, argv + c.at);
}
