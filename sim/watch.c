// SPDX-License-Identifier: BSD-2-Clause
/* watch.c - see watch.h. */
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mr_defs.h"

#define MAGIC 0x4d524f43u
#define STATUS_BUSY 1u
#define STATUS_REFUSED 2u
#define STATUS_READS 4096 // until a command of the owner must have ended
#define ROWS_MAX (1u << 24)
#define WORDS (SIM_ROW_BYTES / 4)

/* What the owner writes. */

void sim_watch_reset(struct sim_watch *w)
{
    for (int t = 0; t < SIM_TABLES; t++)
        free(w->table[t].row);
    *w = (struct sim_watch){};
}

static bool written_by_host(uint32_t table)
{
    return table && table < SIM_TABLES && table != MR_TBL_TELE && table != MR_TBL_HIST;
}

/** Room for the row; false if memory is short: then the entry is not shown. */
static bool room(struct sim_watch_table *t, uint32_t index)
{
    if (index < t->n)
        return true;
    if (index >= ROWS_MAX)
        return false;
    uint32_t n = t->n ? t->n : 16;
    while (n <= index)
        n *= 2;
    void *rows = realloc(t->row, (size_t)n * SIM_ROW_BYTES);
    if (!rows)
        return false;
    t->row = rows;
    memset(t->row + t->n, 0, (size_t)(n - t->n) * SIM_ROW_BYTES);
    t->n = n;
    return true;
}

/** A new port and plane of an open path change these two fields only. */
static void change_port(uint8_t *row, const uint8_t *by)
{
    struct mr_path p = mr_path_get(row);
    struct mr_path n = mr_path_get(by);
    p.sport = n.sport;
    p.plane = n.plane;
    mr_path_put(row, p);
}

static void commit(struct sim_watch *w)
{
    struct sim_watch_table *t = &w->table[w->cmd.table];
    w->cmd.waits = false;
    if (!room(t, w->cmd.index))
        return;
    uint8_t *row = t->row[w->cmd.index];
    if (w->cmd.table == MR_TBL_PATH && mr_path_get(w->cmd.row).state == MR_PATHST_PORT)
        change_port(row, w->cmd.row);
    else
        memcpy(row, w->cmd.row, SIM_ROW_BYTES);
}

void sim_watch_write(struct sim_watch *w, uint32_t off, uint32_t value)
{
    uint32_t table = value >> 16 & 0xff;
    if (off >= MR_REG_TBL_DATA && off < MR_REG_TBL_DATA + SIM_ROW_BYTES) {
        w->data[(off - MR_REG_TBL_DATA) / 4] = value;
    } else if (off == MR_REG_TBL_INDEX) {
        w->index = value;
    } else if (off == MR_REG_TBL_CMD) {
        w->cmd.waits = value >> 24 == MR_TBLOP_WRITE && written_by_host(table);
        w->cmd.table = table;
        w->cmd.index = w->index;
        for (int i = 0; i < WORDS; i++) {
            uint32_t v = w->data[i];
            memcpy(w->cmd.row + 4 * i, &(uint8_t[4]){(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)}, 4);
        }
    }
}

void sim_watch_read(struct sim_watch *w, uint32_t off, uint32_t value)
{
    if (off != MR_REG_TBL_STATUS || !w->cmd.waits)
        return;
    if (value == STATUS_REFUSED)
        w->cmd.waits = false;
    else if (value != STATUS_BUSY)
        commit(w);
}

/** Freed entries may keep numbers; of a table that is not known here, what is not all zeroes is in use. */
static bool in_use(uint32_t table, const uint8_t *row)
{
    static const uint8_t none[SIM_ROW_BYTES];
    switch (table) {
    case MR_TBL_CONN: return mr_conn_get(row).state != 0;
    case MR_TBL_PATH: return mr_path_get(row).state != MR_PATHST_FREE;
    case MR_TBL_STREAM: return mr_stream_get(row).state != 0;
    case MR_TBL_KEY: return mr_key_get(row).rights != 0;
    case MR_TBL_CQ: return mr_cq_get(row).base != 0;
    default: return memcmp(row, none, sizeof none) != 0;
    }
}

/* What the device knows. */

int sim_watch_check(struct sim *s, uint32_t nic)
{
    uint32_t magic;
    int err = sim_reg_read(s, nic, MR_REG_MAGIC, &magic);
    return err ? err : magic == MAGIC ? 0 : -ENODEV;
}

static int peek(struct sim *s, uint32_t nic, uint32_t off, uint32_t *value)
{
    uint64_t cycle = sim_now_ns(s, nic) / SIM_CYCLE_NS;
    // Reading the device's clock latches its upper half, which the owner may be about to read.
    if (off != MR_REG_TIME_LO && off != MR_REG_TIME_HI)
        return sim_reg_read(s, nic, off, value);
    *value = (uint32_t)(off == MR_REG_TIME_LO ? cycle : cycle >> 32);
    return 0;
}

int sim_watch_request(struct sim *s, uint32_t nic, const struct mr_sim_req *q, struct mr_sim_rep *rep)
{
    uint32_t v = 0;
    int err = 0;
    switch (q->op) {
    case MR_SIM_READ:
        err = peek(s, nic, q->arg, &v);
        rep->a = v;
        return err;
    case MR_SIM_TIME:
        rep->a = sim_now_ns(s, nic);
        return 0;
    case MR_SIM_HELLO:
    case MR_SIM_WATCH:
        return -EINVAL;
    default:
        return -EPERM;
    }
}

/** Waits until no command is under way. */
static int settle(struct sim *s, uint32_t nic, uint32_t *status)
{
    for (int i = 0; i < STATUS_READS; i++) {
        int err = sim_reg_read(s, nic, MR_REG_TBL_STATUS, status);
        if (err || *status != STATUS_BUSY)
            return err;
    }
    return -ETIMEDOUT;
}

static int data_read(struct sim *s, uint32_t nic, uint32_t data[WORDS])
{
    int err = 0;
    for (uint32_t i = 0; i < WORDS && !err; i++)
        err = sim_reg_read(s, nic, MR_REG_TBL_DATA + 4 * i, &data[i]);
    return err;
}

static int command(struct sim *s, uint32_t nic, uint32_t cmd, uint32_t index, uint32_t *status)
{
    int err = sim_reg_write(s, nic, MR_REG_TBL_INDEX, index);
    err = err ? err : sim_reg_write(s, nic, MR_REG_TBL_CMD, cmd);
    return err ? err : settle(s, nic, status);
}

/** Puts the owner's window back: data, index, and the word that its last command was refused. */
static int restore(struct sim *s, uint32_t nic, const uint32_t data[WORDS], uint32_t index, bool refused)
{
    uint32_t status;
    int err = 0;
    for (uint32_t i = 0; i < WORDS && !err; i++)
        err = sim_reg_write(s, nic, MR_REG_TBL_DATA + 4 * i, data[i]);
    if (!err && refused)
        err = command(s, nic, 0, index, &status); // no operation: the device refuses it and does nothing
    return err ? err : sim_reg_write(s, nic, MR_REG_TBL_INDEX, index);
}

static int fetch(struct sim *s, uint32_t nic, uint32_t table, uint32_t index, uint8_t row[SIM_ROW_BYTES])
{
    uint32_t was;
    uint32_t status = 0;
    uint32_t old_index;
    uint32_t old[WORDS];
    uint32_t got[WORDS] = {};
    int err = settle(s, nic, &was);
    err = err ? err : sim_reg_read(s, nic, MR_REG_TBL_INDEX, &old_index);
    err = err ? err : data_read(s, nic, old);
    if (err)
        return err;
    err = command(s, nic, (uint32_t)MR_TBLOP_READ << 24 | table << 16, index, &status);
    err = err ? err : status ? -EREMOTEIO : data_read(s, nic, got);
    int bad = restore(s, nic, old, old_index, was == STATUS_REFUSED);
    for (int i = 0; i < WORDS; i++)
        for (int b = 0; b < 4; b++)
            row[4 * i + b] = (uint8_t)(got[i] >> 8 * b);
    return err ? err : bad;
}

int sim_watch_row(struct sim_watch *w, struct sim *s, uint32_t nic, uint32_t table, uint64_t *index,
                  uint8_t row[SIM_ROW_BYTES])
{
    bool device = table == MR_TBL_TELE || table == MR_TBL_HIST;
    if (!device && !written_by_host(table))
        return -EINVAL;
    // Telemetry and histograms have the indices of paths.
    uint32_t from = device ? MR_TBL_PATH : table;
    const struct sim_watch_table *t = &w->table[from];
    for (uint64_t i = *index; i < t->n; i++) {
        if (!in_use(from, t->row[i]))
            continue;
        *index = i;
        if (device)
            return fetch(s, nic, table, (uint32_t)i, row);
        memcpy(row, t->row[i], SIM_ROW_BYTES);
        return 0;
    }
    return -ENOENT;
}
