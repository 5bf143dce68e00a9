// SPDX-License-Identifier: BSD-2-Clause
/* glue.h - C for replaying pins (glue.c), and the report (report.c). */
#ifndef HLSC_GLUE_H
#define HLSC_GLUE_H

#include "layout.h"

void glue_print(FILE *f, const struct lay *root);
void report_print(FILE *f, const struct lay *root);
void report_json(FILE *f, const struct lay *root);

#endif
