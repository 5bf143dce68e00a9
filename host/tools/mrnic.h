// SPDX-License-Identifier: BSD-2-Clause
/*
 * mrnic.h - the parts of mrnic: one file for each sub-command, mrnic_<name>.c,
 * and a row for it in mrnic.c.
 */
#ifndef MRNIC_H
#define MRNIC_H

#include <jansson.h>

#include "metaroce.h"

/* The sub-commands: argv[0] is "mrnic <name>"; they return the exit status. */

int mrnic_list(int argc, char **argv);
int mrnic_info(int argc, char **argv);
int mrnic_stat(int argc, char **argv);
int mrnic_top(int argc, char **argv);
int mrnic_dump(int argc, char **argv);
int mrnic_run(int argc, char **argv);

/** Options that several sub-commands have. */
struct mrnic_options {
    const char *uri;  // NULL: $MR_DEVICE, else "sim:"
    bool json;
};

/** Parses --json and one optional URI; ends the program on a usage error. */
struct mrnic_options mrnic_parse(int argc, char **argv, const char *doc);

/* look.c */

/** The URI that a NULL one stands for. */
const char *look_uri(const char *uri);
/**
 * Opens a device to look at it: one behind sim: is watched, so that it may belong
 * to another program. Says on stderr what is wrong; 0 or -errno.
 */
int look_open(const char *uri, struct mr_device **dev);
/** Says on stderr what is wrong with a device; returns exit status 1. */
int look_fail(const char *uri, int err);

/**
 * The open connections, each with its paths, or an empty array if the device
 * cannot show any; NULL if it stopped answering. hist: with histograms.
 */
json_t *look_connections(struct mr_device *dev, bool hist);

/** Prints and frees. */
void look_print_json(json_t *o);
/** A number of an object, 0 if it is not there. */
uint64_t look_num(const json_t *o, const char *name);

#endif
