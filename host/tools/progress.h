// SPDX-License-Identifier: BSD-2-Clause
/* progress.h - a bar on a terminal, a line for every tenth elsewhere. */
#ifndef MR_PROGRESS_H
#define MR_PROGRESS_H

#include <stdint.h>

struct progress {
    uint64_t total;
    int shown;  // tenths, or per cent on a terminal; -1 before the first
    int tty;
};

void progress_start(struct progress *p, uint64_t total);
/** done: of total; ns: device time since the start. */
void progress_show(struct progress *p, uint64_t done, uint64_t ns);
void progress_end(struct progress *p);

#endif
