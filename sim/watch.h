// SPDX-License-Identifier: BSD-2-Clause
/*
 * watch.h - a look at a NIC that somebody else drives.
 *
 * Most tables of the device cannot be read back, so the server notes what the
 * NIC's own client writes into them. Telemetry and histograms are fetched from
 * the device through its window of registers; what the owner had there is put
 * back before anybody else is served, so that it cannot tell. Both cost the
 * owner nothing but the few cycles that its NIC steps meanwhile.
 */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include <stdint.h>

#include "core.h"
#include "protocol.h"

#define SIM_ROW_BYTES 64
#define SIM_TABLES 16 // MR_TBL_* are below

/** One NIC: its table window, and entries as they were written last. Starts from zeroes. */
struct sim_watch {
    uint32_t data[SIM_ROW_BYTES / 4];
    uint32_t index;
    struct {
        bool waits; // for the device's word that it is done
        uint32_t table, index;
        uint8_t row[SIM_ROW_BYTES];
    } cmd;
    struct sim_watch_table {
        uint32_t n; // rows that there is room for
        uint8_t (*row)[SIM_ROW_BYTES];
    } table[SIM_TABLES];
};

/** Forgets everything: the NIC was reset, or the server ends. */
void sim_watch_reset(struct sim_watch *w);

/** The owner wrote a register. */
void sim_watch_write(struct sim_watch *w, uint32_t off, uint32_t value);
/** The owner read a register. An entry counts once it has read that the device took it. */
void sim_watch_read(struct sim_watch *w, uint32_t off, uint32_t value);

/** Is there a NIC of this project, with tables and counters? 0, -ENODEV or an error of the access. */
int sim_watch_check(struct sim *s, uint32_t nic);
/** What a client that watches may ask for, READ and TIME: fills *rep. 0 or -errno. */
int sim_watch_request(struct sim *s, uint32_t nic, const struct mr_sim_req *q, struct mr_sim_rep *rep);
/**
 * The first entry in use of MR_TBL_* at *index or behind it. 0; -EINVAL no such
 * table; -ENOENT none; -EREMOTEIO the device refused; -ETIMEDOUT; -EIO.
 */
int sim_watch_row(struct sim_watch *w, struct sim *s, uint32_t nic, uint32_t table, uint64_t *index,
                  uint8_t row[SIM_ROW_BYTES]);

#endif
