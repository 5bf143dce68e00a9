// SPDX-License-Identifier: BSD-2-Clause
#include "scen_tables.h"

#include <string.h>

enum {
    PORT_FIRST = 0xc000,  // the dynamic range
    PORTS = 0x4000,
    VLAN_TCI = 0x2123,
};

/* Registers. */

uint32_t table_read(struct scen *s, uint32_t nic, uint32_t offset)
{
    uint32_t v = 0;
    int err = sim_reg_read(s->sim, nic, offset, &v);

    if (err)
        scen_wrong(s, "nic %u: read of register 0x%x: %s", nic, offset, strerror(-err));
    return v;
}

void table_write(struct scen *s, uint32_t nic, uint32_t offset, uint32_t value)
{
    int err = sim_reg_write(s->sim, nic, offset, value);

    if (err)
        scen_wrong(s, "nic %u: write of register 0x%x: %s", nic, offset, strerror(-err));
}

void table_wait(struct scen *s, uint32_t nic)
{
    for (unsigned i = 0; i < 1'000'000 && !s->r.violations; i++)
        if (table_read(s, nic, MR_REG_TBL_STATUS) != 1)
            return;
    scen_wrong(s, "nic %u: does not free its tables", nic);
}

/** TBL_DATA keeps what was written: only what changes is written again. */
static void put_data(struct scen *s, uint32_t nic, const void *entry, unsigned bytes)
{
    struct host *h = &s->host[nic];
    uint32_t words[16] = {};

    memcpy(words, entry, bytes);
    for (unsigned i = 0; i < 16; i++)
        if (!h->tbl_known || words[i] != h->tbl[i])
            table_write(s, nic, MR_REG_TBL_DATA + 4 * i, words[i]);
    memcpy(h->tbl, words, sizeof words);
    h->tbl_known = true;
}

static void command(struct scen *s, uint32_t nic, uint32_t op, uint32_t table, uint32_t index)
{
    uint32_t status = 1;

    table_write(s, nic, MR_REG_TBL_INDEX, index);
    table_write(s, nic, MR_REG_TBL_CMD, op << 24 | table << 16);
    for (unsigned i = 0; i < 10000 && status == 1; i++)
        status = table_read(s, nic, MR_REG_TBL_STATUS);
    if (status)
        scen_wrong(s, "nic %u: table %u, entry %u: status %u", nic, table, index, status);
}

static void put(struct scen *s, uint32_t nic, uint32_t table, uint32_t index, const void *entry, unsigned bytes)
{
    put_data(s, nic, entry, bytes);
    command(s, nic, MR_TBLOP_WRITE, table, index);
}

/* Entries. */

static uint32_t path_index(uint16_t conn, uint8_t path)
{
    return (uint32_t)conn * PATHS + path;
}

/** An address as the table has it: first byte on the wire highest. */
static unsigned _BitInt(128) big(const uint8_t *p, unsigned n)
{
    unsigned _BitInt(128) v = 0;

    for (unsigned i = 0; i < n; i++)
        v = v << 8 | p[i];
    return v;
}

void conn_open(struct scen *s, uint32_t nic, const struct table_conn *c)
{
    const struct sim_addr *own = sim_link_addr(sim_link_of(s->sim), nic);
    const struct sim_addr *to = sim_link_addr(sim_link_of(s->sim), c->peer_nic);
    uint8_t flags = (uint8_t)((c->ipv6 ? MR_CONNF_IPV6 : 0) | (c->vlan ? MR_CONNF_VLAN : 0));
    uint8_t entry[MR_CONN_BYTES];

    mr_conn_put(entry, (struct mr_conn){.state = 1, .flags = flags,
        .local = (unsigned _BitInt(24))(0x33 << 16 | c->local), .peer = (unsigned _BitInt(24))(0x33 << 16 | c->peer),
        .smac = (unsigned _BitInt(48))big(own->mac, 6), .dmac = (unsigned _BitInt(48))big(to->mac, 6),
        .saddr = c->ipv6 ? big(own->ip6, 16) : big(own->ip4, 4), .daddr = c->ipv6 ? big(to->ip6, 16) : big(to->ip4, 4),
        .vlan = c->vlan ? VLAN_TCI : 0, .mtu = c->mtu, .npaths = c->paths, .group = c->local, .ttl = 64,
        .nplanes = c->planes, .plane_at = SIM_PLANE_AT});
    put(s, nic, MR_TBL_CONN, c->local, entry, sizeof entry);
}

void path_open(struct scen *s, uint32_t nic, uint16_t conn, uint8_t path, struct table_way way)
{
    uint8_t entry[MR_PATH_BYTES];

    mr_path_put(entry, (struct mr_path){
        .sport = way.sport, .state = MR_PATHST_OPEN, .conn = conn, .path = path, .plane = way.plane});
    put(s, nic, MR_TBL_PATH, path_index(conn, path), entry, sizeof entry);
}

bool path_port(struct scen *s, uint32_t nic, uint16_t conn, uint8_t path, struct table_way way)
{
    struct host *h = &s->host[nic];
    uint32_t words[16] = {};

    if (!sim_reg_post_room(s->sim, nic, 18))
        return false;
    mr_path_put(words, (struct mr_path){
        .sport = way.sport, .state = MR_PATHST_PORT, .conn = conn, .path = path, .plane = way.plane});
    for (unsigned i = 0; i < 16; i++)
        if (!h->tbl_known || words[i] != h->tbl[i])
            sim_reg_post(s->sim, nic, MR_REG_TBL_DATA + 4 * i, words[i]);
    memcpy(h->tbl, words, sizeof words);
    h->tbl_known = true;
    sim_reg_post(s->sim, nic, MR_REG_TBL_INDEX, path_index(conn, path));
    sim_reg_post(s->sim, nic, MR_REG_TBL_CMD, MR_TBLOP_WRITE << 24 | MR_TBL_PATH << 16);
    return true;
}

struct mr_tele path_tele(struct scen *s, uint32_t nic, uint16_t conn, uint8_t path)
{
    uint32_t words[16];

    command(s, nic, MR_TBLOP_READ, MR_TBL_TELE, path_index(conn, path));
    for (unsigned i = 0; i < 16; i++)
        words[i] = table_read(s, nic, MR_REG_TBL_DATA + 4 * i);
    s->host[nic].tbl_known = false;
    return mr_tele_get(words);
}

void stream_open(struct scen *s, uint32_t nic, const struct table_stream *t)
{
    uint8_t entry[MR_STREAM_BYTES];

    mr_stream_put(entry, (struct mr_stream){.state = 1, .sq_log2 = SQ_LOG2, .conn = t->conn,
        .peer = t->peer, .pd = TABLE_PD, .cq = TABLE_CQ, .sq_base = t->sq});
    put(s, nic, MR_TBL_STREAM, t->local, entry, sizeof entry);
}

void key_open(struct scen *s, uint32_t nic, const struct table_key *k)
{
    uint8_t entry[MR_KEY_BYTES];

    mr_key_put(entry, (struct mr_key){.rights = k->rights, .tag = (uint8_t)k->key, .pd = TABLE_PD, .va = k->va,
        .len = k->len, .bus = k->bus});
    put(s, nic, MR_TBL_KEY, k->key >> 8, entry, sizeof entry);
}

void cq_open(struct scen *s, uint32_t nic, uint64_t bus, unsigned log2)
{
    uint8_t entry[MR_CQ_BYTES];

    mr_cq_put(entry, (struct mr_cq){.base = bus, .log2 = (uint8_t)log2});
    put(s, nic, MR_TBL_CQ, TABLE_CQ, entry, sizeof entry);
}

/** A NIC's address of a plane. */
static struct sim_addr addr_on(const struct scen *s, uint32_t nic, uint8_t plane)
{
    struct sim_addr a = *sim_link_addr(sim_link_of(s->sim), nic);

    a.ip4[3 - SIM_PLANE_AT] ^= plane;
    a.ip6[15 - SIM_PLANE_AT] ^= plane;
    return a;
}

struct table_way route_way(struct scen *s, uint32_t src, uint32_t dst, bool ipv6, uint32_t route, uint32_t from)
{
    const struct sim_link *l = sim_link_of(s->sim);
    const struct sim_link_cfg *cfg = sim_link_cfg(l);
    uint8_t plane = (uint8_t)(route / (cfg->routes / cfg->planes));
    struct sim_addr a = addr_on(s, src, plane);
    struct sim_addr b = addr_on(s, dst, plane);

    for (uint32_t i = 0; i < PORTS; i++) {
        uint16_t port = (uint16_t)(PORT_FIRST + (from + i) % PORTS);
        struct sim_frame_info f = {.version = ipv6 ? 6 : 4, .src = ipv6 ? a.ip6 : a.ip4,
            .dst = ipv6 ? b.ip6 : b.ip4, .sport = port};
        struct sim_frame_info back = f;  // answers come with the same source port
        back.src = f.dst;
        back.dst = f.src;
        if (sim_link_pick(l, &f, plane) == route && sim_link_pick(l, &back, plane) == route)
            return (struct table_way){port, plane};
    }
    return (struct table_way){PORT_FIRST, plane};
}
