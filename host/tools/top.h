// SPDX-License-Identifier: BSD-2-Clause
/* top.h - the parts of `mrnic top`. */
#ifndef MR_TOP_H
#define MR_TOP_H

#include <stdio.h>

#include "mrnic.h"

/** What was seen of a device at one moment. */
struct top_view {
    uint64_t ns;           // device time
    json_t *counters;      // by name
    json_t *connections;   // as look_connections() has them
};

/** Looks at the device; 0 or -EIO. */
int top_look(struct mr_device *dev, struct top_view *v);
void top_free(struct top_view *v);

/** Writes a frame: what v saw, and rates since `before`, which has no counters if there is none. */
void top_frame(FILE *f, const char *uri, const struct top_view *v, const struct top_view *before);

#endif
