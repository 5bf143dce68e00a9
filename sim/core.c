// SPDX-License-Identifier: BSD-2-Clause
#include "core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pcap.h"
#include "rng.h"

#define KEY_MEM 0x6d656d // in front of a NIC's index; a lane's key begins with an index below SIM_NICS_MAX

struct nic {
    void *engine;
    struct sim_mem *mem;
    uint64_t cycle;
    bool reg_done; // the access under way was answered
    bool posting;  // the access under way was posted
    uint32_t post_head;
    uint32_t post_n;
    uint64_t post_errors;
    bool irq;      // interrupts since sim_irq_take
    struct {
        uint16_t offset;
        uint32_t value;
    } post[SIM_REG_POSTED];
    struct sim_io io;
};

struct sim {
    struct sim_cfg cfg;
    const struct sim_engine_ops *ops;
    struct sim_link *link;
    struct sim_pcap *pcap;
    struct nic nic[SIM_NICS_MAX];
};

const struct sim_engine_ops *sim_engine_find(const char *name)
{
    const struct sim_engine_ops *all[] = {&sim_engine_loopback, &sim_engine_native, &sim_engine_rtl};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] && strcmp(all[i]->name, name) == 0)
            return all[i];
    return nullptr;
}

struct sim_cfg sim_defaults(void)
{
    return (struct sim_cfg){
        .engine = "native",
        .link = sim_link_defaults(),
        .mem = sim_mem_defaults(),
    };
}

static void tap(void *ctx, enum sim_tap_at at, uint32_t nic, uint64_t ps, const uint8_t *f, size_t len)
{
    (void)at;
    (void)nic;
    sim_pcap_put(ctx, ps / 1000, f, len);
}

/** "run.fst" becomes "run.0.fst", and so does "run" with ext ".fst". False if there is no room. */
static bool nic_path(char *to, size_t size, const char *path, uint32_t nic, const char *ext)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(path, '.');
    if (!dot || (slash && dot < slash))
        dot = path + strlen(path);
    int n = snprintf(to, size, "%.*s.%u%s", (int)(dot - path), path, nic, *dot ? dot : ext);
    return n > 0 && (size_t)n < size;
}

static int nic_open(struct sim *s, uint32_t i)
{
    struct nic *n = &s->nic[i];
    char fst[4096];
    char trace[4096];
    struct sim_engine_opt opt = {.nic = (int)i};
    if (s->cfg.fst) {
        if (!nic_path(fst, sizeof fst, s->cfg.fst, i, ".fst"))
            return -EINVAL;
        opt.fst = fst;
    }
    if (s->cfg.trace) {
        if (!nic_path(trace, sizeof trace, s->cfg.trace, i, ".trace"))
            return -EINVAL;
        opt.trace = trace;
    }
    n->mem = sim_mem_new(&s->cfg.mem, sim_key(s->cfg.link.seed, KEY_MEM, i, 0));
    if (!n->mem)
        return -EINVAL;
    n->engine = s->ops->open(&opt);
    if (!n->engine)
        return -EIO;
    s->ops->reset(n->engine);
    return 0;
}

int sim_new(const struct sim_cfg *cfg, struct sim **out)
{
    struct sim *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->cfg = *cfg;
    int err = -ENOENT;
    s->ops = sim_engine_find(cfg->engine);
    if (!s->ops)
        goto fail;
    err = -EINVAL;
    s->link = sim_link_new(&cfg->link);
    if (!s->link)
        goto fail;
    for (uint32_t i = 0; i < cfg->n_lanes; i++)
        if (sim_lane_edit(s->link, cfg->lanes[i]))
            goto fail;
    for (uint32_t i = 0; i < cfg->link.nics; i++) {
        err = nic_open(s, i);
        if (err)
            goto fail;
    }
    if (cfg->pcap) {
        err = -EIO;
        s->pcap = sim_pcap_open(cfg->pcap);
        if (!s->pcap)
            goto fail;
        sim_link_tap(s->link, tap, s->pcap, !cfg->pcap_rx, cfg->pcap_rx);
    }
    *out = s;
    return 0;
fail:
    sim_free(s);
    return err;
}

int sim_free(struct sim *s)
{
    if (!s)
        return 0;
    if (s->link)
        sim_link_sync(s->link);
    for (uint32_t i = 0; i < SIM_NICS_MAX; i++) {
        if (s->nic[i].engine)
            s->ops->close(s->nic[i].engine);
        sim_mem_free(s->nic[i].mem);
    }
    sim_link_free(s->link);
    int err = sim_pcap_close(s->pcap);
    free(s);
    return err;
}

uint32_t sim_nics(const struct sim *s)
{
    return s->cfg.link.nics;
}

struct sim_link *sim_link_of(struct sim *s)
{
    return s->link;
}

struct sim_mem *sim_mem_of(struct sim *s, uint32_t nic)
{
    return s->nic[nic].mem;
}

uint64_t sim_now_ns(const struct sim *s, uint32_t nic)
{
    return s->nic[nic].cycle * SIM_CYCLE_NS;
}

/** Begins the next posted write if the bus is free. */
static void post_begin(struct nic *n)
{
    if (n->posting || !n->post_n || n->io.reg_valid)
        return;
    n->io.reg_valid = true;
    n->io.reg.write = true;
    n->io.reg.addr = n->post[n->post_head].offset;
    n->io.reg.data = n->post[n->post_head].value;
    n->post_head = (n->post_head + 1) % SIM_REG_POSTED;
    n->post_n--;
    n->posting = true;
}

static void post_end(struct nic *n)
{
    n->posting = false;
    n->post_errors += n->io.rsp.err;
}

/** One cycle of one NIC. */
static void nic_step(struct sim *s, uint32_t i)
{
    struct nic *n = &s->nic[i];
    struct sim_io *io = &n->io;
    uint64_t ns = n->cycle * SIM_CYCLE_NS;
    if (n->post_n)
        post_begin(n);
    sim_mem_drive(n->mem, ns, io);
    sim_link_drive(s->link, i, ns * 1000, io);
    s->ops->cycle(n->engine, n->cycle, io);
    sim_link_take(s->link, i, ns * 1000, io);
    sim_mem_take(n->mem, ns, io);
    n->irq |= io->irq;
    if (io->reg_valid && io->reg_ready)
        io->reg_valid = false;
    if (io->rsp_valid && n->posting)
        post_end(n);
    else
        n->reg_done |= io->rsp_valid;
    n->cycle++;
}

void sim_step(struct sim *s)
{
    uint64_t min = UINT64_MAX;
    for (uint32_t i = 0; i < s->cfg.link.nics; i++)
        if (s->nic[i].cycle < min)
            min = s->nic[i].cycle;
    sim_link_sync(s->link);
    for (uint32_t i = 0; i < s->cfg.link.nics; i++)
        if (s->nic[i].cycle == min)
            nic_step(s, i);
}

void sim_run(struct sim *s, uint64_t cycles)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < s->cfg.link.nics; i++)
        if (s->nic[i].cycle > end)
            end = s->nic[i].cycle;
    end += cycles;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->cfg.link.nics; i++)
            more |= s->nic[i].cycle < end;
        if (more)
            sim_step(s);
    }
}

static int reg_access(struct sim *s, uint32_t nic, bool write, uint32_t offset, uint32_t *data)
{
    struct nic *n = &s->nic[nic];
    if (offset % 4 || offset > UINT16_MAX)
        return -EINVAL;
    for (int i = 0; n->post_n || n->posting; i++) {
        if (i == SIM_REG_POSTED * SIM_REG_CYCLES_MAX)
            return -ETIMEDOUT;
        nic_step(s, nic);
    }
    n->reg_done = false;
    n->io.reg_valid = true;
    n->io.reg.write = write;
    n->io.reg.addr = (uint16_t)offset;
    n->io.reg.data = *data;
    for (int i = 0; i < SIM_REG_CYCLES_MAX; i++) {
        nic_step(s, nic);
        if (!n->reg_done)
            continue;
        *data = n->io.rsp.data;
        return n->io.rsp.err ? -EIO : 0;
    }
    n->io.reg_valid = false;
    return -ETIMEDOUT;
}

int sim_reg_read(struct sim *s, uint32_t nic, uint32_t offset, uint32_t *value)
{
    *value = 0;
    return reg_access(s, nic, false, offset, value);
}

int sim_reg_write(struct sim *s, uint32_t nic, uint32_t offset, uint32_t value)
{
    return reg_access(s, nic, true, offset, &value);
}

bool sim_reg_post(struct sim *s, uint32_t nic, uint32_t offset, uint32_t value)
{
    struct nic *n = &s->nic[nic];
    if (n->post_n == SIM_REG_POSTED || offset % 4 || offset > UINT16_MAX)
        return false;
    uint32_t at = (n->post_head + n->post_n++) % SIM_REG_POSTED;
    n->post[at].offset = (uint16_t)offset;
    n->post[at].value = value;
    return true;
}

bool sim_reg_post_room(const struct sim *s, uint32_t nic, uint32_t n)
{
    return SIM_REG_POSTED - s->nic[nic].post_n >= n;
}

uint64_t sim_reg_post_errors(const struct sim *s, uint32_t nic)
{
    return s->nic[nic].post_errors;
}

bool sim_irq_take(struct sim *s, uint32_t nic)
{
    bool was = s->nic[nic].irq;
    s->nic[nic].irq = false;
    return was;
}

void sim_nic_reset(struct sim *s, uint32_t nic)
{
    struct nic *n = &s->nic[nic];
    n->post_n = 0;
    n->posting = false;
    n->irq = false;
    sim_mem_reset(n->mem);
    sim_link_reset(s->link, nic);
    s->ops->reset(n->engine);
    n->io = (struct sim_io){};
    n->cycle += SIM_RESET_CYCLES;
}
