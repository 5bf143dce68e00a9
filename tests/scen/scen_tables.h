// SPDX-License-Identifier: BSD-2-Clause
/*
 * scen_tables.h - all that scenarios know of the device's tables and how they
 * are written. Failures count as violations.
 */
#ifndef SCEN_TABLES_H
#define SCEN_TABLES_H

#include "priv.h"

/** One side of a connection. */
struct table_conn {
    uint16_t local;  // table indices
    uint16_t peer;
    uint16_t peer_nic;
    uint16_t mtu;
    uint8_t paths;
    uint8_t planes;
    bool ipv6;
    bool vlan;
};

struct table_stream {
    uint16_t local;
    uint16_t peer;
    uint16_t conn;
    uint64_t sq;  // bus address
};

struct table_key {
    uint32_t key;
    uint8_t rights;
    uint64_t va;
    uint64_t bus;
    uint64_t len;
};

/** The way of a path through the fabric. */
struct table_way {
    uint16_t sport;
    uint8_t plane;
};

enum { TABLE_PD = 7, TABLE_CQ = 3 };

uint32_t table_read(struct scen *s, uint32_t nic, uint32_t offset);
void table_write(struct scen *s, uint32_t nic, uint32_t offset, uint32_t value);
/** A NIC frees its tables before it takes commands. */
void table_wait(struct scen *s, uint32_t nic);

/** Opens a connection, then its paths, one by one. */
void conn_open(struct scen *s, uint32_t nic, const struct table_conn *c);
void path_open(struct scen *s, uint32_t nic, uint16_t conn, uint8_t path, struct table_way way);
/** Changes the way of an open path, while all NICs go on. False: not now, try again. */
bool path_port(struct scen *s, uint32_t nic, uint16_t conn, uint8_t path, struct table_way way);
struct mr_tele path_tele(struct scen *s, uint32_t nic, uint16_t conn, uint8_t path);

void stream_open(struct scen *s, uint32_t nic, const struct table_stream *t);
void key_open(struct scen *s, uint32_t nic, const struct table_key *k);
void cq_open(struct scen *s, uint32_t nic, uint64_t bus, unsigned log2);

/** A route's plane, and the next source port from `from` on that takes it from src to dst and back. */
struct table_way route_way(struct scen *s, uint32_t src, uint32_t dst, bool ipv6, uint32_t route, uint32_t from);

#endif
