// SPDX-License-Identifier: BSD-2-Clause
/* run_children.c - child processes with an end. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

extern char **environ;

static constexpr unsigned tick_us = 10000;
static constexpr unsigned grace_ms = 2000;

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int child_start(struct child *c, const char *name, char *const argv[])
{
    *c = (struct child){.name = name, .status = -1};
    int rc = posix_spawnp(&c->pid, argv[0], nullptr, nullptr, argv, environ);

    if (rc) {
        c->pid = 0;
        fprintf(stderr, "mr_run: %s: %s\n", argv[0], strerror(rc));
    }
    return -rc;
}

bool child_ended(struct child *c)
{
    int st;

    if (!c->pid)
        return true;
    if (waitpid(c->pid, &st, WNOHANG) != c->pid)
        return false;
    c->pid = 0;
    c->status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
    return true;
}

void child_stop(struct child *c)
{
    if (child_ended(c))
        return;
    kill(c->pid, SIGTERM);
    for (uint64_t end = now_ms() + grace_ms; now_ms() < end; usleep(tick_us))
        if (child_ended(c))
            return;
    kill(c->pid, SIGKILL);
    while (!child_ended(c))
        usleep(tick_us);
}

int child_socket(struct child *c, const char *path, unsigned ms)
{
    struct stat st;

    for (uint64_t end = now_ms() + ms; now_ms() < end; usleep(tick_us)) {
        if (!stat(path, &st) && S_ISSOCK(st.st_mode))
            return 0;
        if (child_ended(c))
            return -ECHILD;
    }
    return -ETIMEDOUT;
}

int children_wait(struct child *c, int n, unsigned timeout_s)
{
    uint64_t end = now_ms() + timeout_s * 1000ull;
    bool failed = false;
    int running = n;

    while (running && now_ms() < end) {
        running = 0;
        for (int i = 0; i < n; i++) {
            if (!child_ended(&c[i]))
                running++;
            else if (c[i].status > 0 && !failed) {
                failed = true;
                fprintf(stderr, "mr_run: %s ended with status %d\n", c[i].name, c[i].status);
                end = now_ms() + grace_ms;
            }
        }
        if (running)
            usleep(tick_us);
    }
    for (int i = 0; i < n; i++) {
        if (!failed && c[i].pid)
            fprintf(stderr, "mr_run: %s is not done after %u s\n", c[i].name, timeout_s);
        child_stop(&c[i]);
    }
    return failed ? -ECHILD : running ? -ETIMEDOUT : 0;
}
