// SPDX-License-Identifier: BSD-2-Clause
/*
 * peer.c - GIDs, and the one connection to each peer.
 *
 * Programs tell each other GIDs and queue pair numbers, nothing else. So a GID
 * has all that the other end must know to fill in this end's mr_conn_addr:
 *
 *     byte 0-1  fd 00     a unique local address
 *          2-3  'M' 'R'
 *          4    version of this layout, 1
 *          5    paths that this end can use
 *          6-7  nonce: another one whenever the device is opened
 *          8-13 0
 *          14-15 number of the NIC + 1
 *
 * The connection number that an end receives under is, in its index, the peer's
 * NIC number modulo 64, and in its generation a hash of both nonces. So both ends
 * know both numbers, and packets of an earlier opening meet another generation.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "front.h"

static constexpr uint8_t gid_version = 1;
static constexpr unsigned gid_paths = 5, gid_nonce = 6, gid_nic = 14;
static constexpr uint8_t gid_head[5] = {0xfd, 0, 'M', 'R', gid_version};
static constexpr uint16_t mtu = 4096;

static unsigned get16(const union ibv_gid *gid, unsigned at)
{
    return (unsigned)gid->raw[at] << 8 | gid->raw[at + 1];
}

static void put16(union ibv_gid *gid, unsigned at, unsigned v)
{
    gid->raw[at] = (uint8_t)(v >> 8);
    gid->raw[at + 1] = (uint8_t)v;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

union ibv_gid front_gid(unsigned nic, unsigned paths, uint64_t nonce)
{
    union ibv_gid gid = {};

    memcpy(gid.raw, gid_head, sizeof gid_head);
    gid.raw[gid_paths] = (uint8_t)paths;
    put16(&gid, gid_nonce, (unsigned)(mix(nonce + 1) & 0xffff));
    put16(&gid, gid_nic, nic + 1);
    return gid;
}

bool front_gid_nic(const union ibv_gid *gid, unsigned *nic)
{
    static const uint8_t zero[6];

    *nic = get16(gid, gid_nic) - 1;
    return !memcmp(gid->raw, gid_head, sizeof gid_head) && gid->raw[gid_paths] && *nic < 255 &&
           !memcmp(gid->raw + gid_nonce + 2, zero, sizeof zero);
}

/* The number that an end receives under, from the other's NIC. */
static uint32_t number(unsigned other, const union ibv_gid *a, const union ibv_gid *b)
{
    uint64_t both = (uint64_t)get16(a, gid_nonce) + get16(b, gid_nonce);

    return other % front_slots | (uint32_t)(mix(both + 1) & 0xff) << 16;
}

static struct mr_ip ip_of(unsigned nic)
{
    return (struct mr_ip){.family = 4, .addr = {10, 0, 0, (uint8_t)(nic + 1)}};
}

static int open_conn(const union ibv_gid *gid, unsigned nic, struct mr_conn **conn)
{
    struct mr_conn_attr attr = {
        .flags = MR_CONN_NUMBER,
        .ip = ip_of(front.nic.number),
        .mtu = mtu,
        .paths = front.gid.raw[gid_paths],
        .number = number(nic, &front.gid, gid),
        .seed = front.nic.number,
    };
    struct mr_conn_addr peer = {
        .magic = htole32(MR_ADDR_MAGIC),
        .version = htole16(1),
        .mtu = htole16(mtu),
        .conn = htole32(number(front.nic.number, &front.gid, gid)),
        .paths = gid->raw[gid_paths],
        .ip = ip_of(nic),
        .planes = 1,
    };

    front_mac_of(front.nic.number, attr.mac);
    front_mac_of(nic, peer.mac);
    int rc = mr_conn_create(front.dev, &attr, conn);
    if (rc)
        return rc;
    rc = mr_conn_connect(*conn, &peer);
    if (rc)
        mr_conn_destroy(*conn);
    return rc;
}

int front_peer_take(const union ibv_gid *gid, struct front_peer **out)
{
    unsigned nic;

    if (!front_gid_nic(gid, &nic))
        return -EINVAL;
    struct front_peer *p = &front.peer[nic % front_slots];
    if (p->conn && memcmp(&p->gid, gid, sizeof *gid) != 0) {
        // An earlier opening of the NIC, or another one with the same slot.
        if (p->users)
            return -EBUSY;
        mr_conn_destroy(p->conn);
        p->conn = nullptr;
    }
    if (!p->conn) {
        int rc = open_conn(gid, nic, &p->conn);
        if (rc) {
            p->conn = nullptr;
            return rc;
        }
        p->gid = *gid;
    }
    p->users++;
    *out = p;
    return 0;
}

/* The connection stays: the peer's end goes on, and a new one would begin with other numbers. */
void front_peer_give(struct front_peer *p)
{
    p->users--;
}

void front_peers_forget(void)
{
    memset(front.peer, 0, sizeof front.peer);
}
