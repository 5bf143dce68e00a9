// SPDX-License-Identifier: BSD-2-Clause
/* report.h - what a device and a connection measured, as JSON. */
#ifndef MR_REPORT_H
#define MR_REPORT_H

#include <jansson.h>

#include "metaroce.h"

/** Counters by name; NULL if they cannot be read. */
json_t *report_counters(struct mr_device *dev);
/** A path, and its histogram. */
json_t *report_path(uint32_t path, const struct mr_path_info *info,
                    const uint32_t bucket[MR_HIST_BUCKETS]);
/** One object for each path of the connection, with its histogram; NULL if they cannot be read. */
json_t *report_paths(struct mr_conn *conn);
/** Capabilities by name. */
json_t *report_caps(struct mr_device *dev);
/** Tunables by name; NULL if they cannot be read. */
json_t *report_tunables(struct mr_device *dev);

#endif
