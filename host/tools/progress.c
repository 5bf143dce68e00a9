// SPDX-License-Identifier: BSD-2-Clause
/* progress.c - see progress.h. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

static constexpr int width = 40;

void progress_start(struct progress *p, uint64_t total)
{
    *p = (struct progress){.total = total, .shown = -1, .tty = isatty(STDOUT_FILENO)};
}

void progress_show(struct progress *p, uint64_t done, uint64_t ns)
{
    int per_cent = p->total ? (int)(done * 100 / p->total) : 100;
    int step = p->tty ? per_cent : per_cent / 10;
    double rate = ns ? (double)done * 8 / (double)ns : 0;

    if (step == p->shown)
        return;
    p->shown = step;
    if (!p->tty) {
        printf("%3d %%  %11.1f us  %6.2f Gbit/s\n", per_cent, (double)ns / 1000, rate);
    } else {
        int n = per_cent * width / 100;
        printf("\r[%.*s%*s] %3d %%  %.1f us  %.2f Gbit/s ", n,
               "########################################", width - n, "", per_cent,
               (double)ns / 1000, rate);
    }
    fflush(stdout);
}

void progress_end(struct progress *p)
{
    if (p->tty && p->shown >= 0)
        printf("\n");
}
