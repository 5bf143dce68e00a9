// SPDX-License-Identifier: BSD-2-Clause
/* conn.c - connections: this side's entry in the connection and path tables. [spec 9.1.1] */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static constexpr uint16_t mtu_default = 4096;
static constexpr uint8_t ttl_default = 64;
static constexpr uint16_t sport_first = 0xc000;  // default source ports: the dynamic range
static constexpr uint16_t addr_version = 1;

static bool mtu_ok(uint32_t mtu)
{
    return mtu >= MR_WIRE_MTU_MIN && mtu <= MR_WIRE_PAYLOAD_MAX && !(mtu & (mtu - 1));
}

static bool ip_ok(const struct mr_ip *ip)
{
    return ip->family == 4 || ip->family == 6;
}

static bool mac_ok(const uint8_t *mac)
{
    static const uint8_t none[6];

    return !(mac[0] & 1) && memcmp(mac, none, 6);
}

/* Addresses of plane 0 leave room for the planes' numbers. [spec 2.7.2] */
static bool plane_ip_ok(const struct mr_ip *ip, uint32_t planes, uint32_t at)
{
    uint32_t last = ip->family == 4 ? 3 : 15;

    return planes <= 1 || (at <= last && !(ip->addr[last - at] & (MR_WIRE_PLANES - 1)));
}

static bool plane_mac_ok(const uint8_t *mac, uint32_t planes)
{
    return !(mac[5] & ((1u << mri_log2_up(planes)) - 1));
}

static uint8_t or_default(uint32_t v, uint32_t otherwise)
{
    return (uint8_t)(v ? v : otherwise);
}

static uint8_t paths_of(const struct mr_device *dev, const struct mr_conn_attr *a)
{
    uint32_t most = dev->caps.paths;

    return or_default(a->paths, most < MR_PATHS_DEFAULT ? most : MR_PATHS_DEFAULT);
}

static bool paths_ok(const struct mr_device *dev, const struct mr_conn_attr *a)
{
    uint32_t planes = or_default(a->planes, 1);

    if (a->paths > dev->caps.paths || planes > dev->caps.planes)
        return false;
    if (!plane_ip_ok(&a->ip, planes, a->plane_at) || !plane_mac_ok(a->mac, planes))
        return false;
    if (a->flags & MR_CONN_NEXT_HOP && !plane_mac_ok(a->next_hop, planes))
        return false;
    for (uint32_t i = 0; i < paths_of(dev, a); i++)
        if ((a->flags & MR_CONN_PLANES && a->plane[i] >= planes) ||
            (a->flags & MR_CONN_SPORTS && !a->sport[i]))
            return false;
    return true;
}

static bool attr_ok(const struct mr_device *dev, const struct mr_conn_attr *a)
{
    static constexpr uint32_t flags = MR_CONN_VLAN | MR_CONN_NEXT_HOP | MR_CONN_SPORTS |
                                      MR_CONN_PLANES | MR_CONN_NUMBER;
    static const uint64_t zero[3];

    if (a->flags & ~flags || a->rsvd32 || memcmp(a->rsvd, zero, sizeof zero))
        return false;
    if (a->flags & MR_CONN_NUMBER &&
        (a->number >= MR_WIRE_CONN_NONE || (a->number & 0xffff) >= dev->caps.conns))
        return false;
    if (!mac_ok(a->mac) || !ip_ok(&a->ip) || a->tos & 3)
        return false;
    if (a->flags & MR_CONN_NEXT_HOP && !mac_ok(a->next_hop))
        return false;
    return (!a->mtu || mtu_ok(a->mtu)) && paths_ok(dev, a);
}

/* Mixes 64 bits well (the finaliser of SplitMix64). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Ports that differ between the paths and are the same in every run with this seed. */
static void spread_sports(struct mr_conn *c)
{
    uint64_t x = mix(c->attr.seed + 0x9e3779b97f4a7c15u) ^ (c->number & 0xffff);

    for (uint32_t i = 0; i < c->attr.paths; i++) {
        bool taken;
        do {
            x += 0x9e3779b97f4a7c15u;
            c->sport[i] = (uint16_t)(sport_first | (mix(x) & 0x3fff));
            taken = false;
            for (uint32_t j = 0; j < i; j++)
                taken = taken || c->sport[j] == c->sport[i];
        } while (taken);
    }
}

/* Source port and plane of every path, as asked for or by default. */
static void spread_paths(struct mr_conn *c)
{
    if (c->attr.flags & MR_CONN_SPORTS)
        memcpy(c->sport, c->attr.sport, sizeof c->sport);
    else
        spread_sports(c);
    for (uint32_t i = 0; i < c->attr.paths; i++)
        c->plane[i] = c->attr.flags & MR_CONN_PLANES ? c->attr.plane[i] : (uint8_t)(i % c->attr.planes);
}

static int create_locked(struct mr_conn *c)
{
    struct mr_device *dev = c->dev;
    uint32_t index = c->attr.number & 0xffff;
    int rc = c->attr.flags & MR_CONN_NUMBER
                 ? mri_pool_take_at(&dev->conn_pool, index, (uint8_t)(c->attr.number >> 16))
                 : mri_pool_take(&dev->conn_pool, &index);

    if (rc)
        return rc;
    c->ngroups = mri_groups_of(c->attr.paths);
    rc = mri_groups_take(&dev->groups, c->ngroups, 0, &c->group);
    if (rc) {
        mri_pool_give(&dev->conn_pool, index);
        return rc;
    }
    c->number = index | (uint32_t)dev->conn_pool.slot[index].tag << 16;
    spread_paths(c);
    mri_list_add(&dev->conns, &c->link);
    mri_events_add_conn(c);
    return 0;
}

int mr_conn_create(struct mr_device *dev, const struct mr_conn_attr *attr, struct mr_conn **out)
{
    if (!dev || !attr || !out || !attr_ok(dev, attr))
        return -EINVAL;
    struct mr_conn *c = calloc(1, sizeof *c);
    if (!c)
        return -ENOMEM;
    c->dev = dev;
    c->attr = *attr;
    c->attr.mtu = attr->mtu ? attr->mtu : mtu_default;
    c->attr.paths = paths_of(dev, attr);
    c->attr.ttl = or_default(attr->ttl, ttl_default);
    c->attr.weight = or_default(attr->weight, 1);
    c->attr.planes = or_default(attr->planes, 1);
    pthread_mutex_lock(&dev->lock);
    int rc = create_locked(c);
    pthread_mutex_unlock(&dev->lock);
    if (rc) {
        free(c);
        return rc;
    }
    *out = c;
    return 0;
}

static uint64_t mac_number(const uint8_t *mac)
{
    uint64_t v = 0;

    for (int i = 0; i < 6; i++)
        v = v << 8 | mac[i];
    return v;
}

static unsigned _BitInt(128) ip_number(const struct mr_ip *ip)
{
    unsigned _BitInt(128) v = 0;

    for (int i = 0; i < (ip->family == 4 ? 4 : 16); i++)
        v = v << 8 | ip->addr[i];
    return v;
}

static struct mr_conn_row row_of(const struct mr_conn *c, const struct mr_conn_addr *peer,
                                 uint32_t mtu, uint32_t paths)
{
    const struct mr_conn_attr *a = &c->attr;

    return (struct mr_conn_row){
        .state = 1,
        .flags = (a->ip.family == 6 ? MR_CONNF_IPV6 : 0) |
                 (a->flags & MR_CONN_VLAN ? MR_CONNF_VLAN : 0),
        .local = c->number,
        .peer = le32toh(peer->conn),
        .smac = mac_number(a->mac),
        .dmac = mac_number(a->flags & MR_CONN_NEXT_HOP ? a->next_hop : peer->mac),
        .saddr = ip_number(&a->ip),
        .daddr = ip_number(&peer->ip),
        .vlan = a->flags & MR_CONN_VLAN ? a->vlan : 0,
        .mtu = (uint16_t)mtu,
        .npaths = (uint8_t)paths,
        .tos = a->tos,
        .ttl = a->ttl,
        .weight = a->weight,
        .group = (uint16_t)c->group,
        .nplanes = a->planes,
        .plane_at = a->planes > 1 ? a->plane_at : 0,
    };
}

/* The connection first: what the device does for it ends before its paths go. */
static int free_entries(struct mr_conn *c)
{
    unsigned char entry[MR_CONN_BYTES];

    if (!c->written)
        return 0;
    mr_conn_put(entry, (struct mr_conn_row){.state = 0, .local = c->number});
    int rc = mri_table_write(c->dev, MR_TBL_CONN, c->number & 0xffff, entry, sizeof entry);
    // A device that is stuck makes each entry wait for its limit: one is enough.
    for (uint32_t i = 0; i < c->written && rc != -ETIMEDOUT; i++)
        rc = mri_first(rc, mri_path_write(c, i, MR_PATHST_FREE));
    if (!rc)
        c->written = 0;
    return rc;
}

/* Paths first: the connection is open from the moment its own entry is written. */
static int open_entries(struct mr_conn *c, const struct mr_conn_addr *peer, uint32_t paths)
{
    uint32_t mtu = le16toh(peer->mtu);
    unsigned char entry[MR_CONN_BYTES];
    int rc = 0;

    for (uint32_t i = 0; i < paths && !rc; i++)
        rc = mri_path_write(c, i, MR_PATHST_OPEN);
    if (rc)
        return rc;
    mr_conn_put(entry, row_of(c, peer, mtu < c->attr.mtu ? mtu : c->attr.mtu, paths));
    return mri_table_write(c->dev, MR_TBL_CONN, c->number & 0xffff, entry, sizeof entry);
}

static int connect_locked(struct mr_conn *c, const struct mr_conn_addr *peer)
{
    uint32_t paths = peer->paths < c->attr.paths ? peer->paths : c->attr.paths;
    uint32_t groups = mri_groups_of(paths);

    if (c->paths)
        return -EISCONN;
    c->written = paths;
    int rc = open_entries(c, peer, paths);
    if (rc) {
        if (rc != -ETIMEDOUT)
            free_entries(c);
        return rc;
    }
    c->paths = paths;
    mri_events_paths(c);
    // What the peer cannot use is for others.
    mri_groups_give(&c->dev->groups, c->group + groups, c->ngroups - groups);
    c->ngroups = groups;
    return 0;
}

/* Same planes on both ends, and room for their numbers in the peer's addresses. */
static bool peer_planes_ok(const struct mr_conn_attr *a, const struct mr_conn_addr *peer)
{
    if (or_default(peer->planes, 1) != a->planes)
        return false;
    if (a->planes == 1)
        return true;
    return peer->plane_at == a->plane_at && plane_ip_ok(&peer->ip, a->planes, a->plane_at) &&
           (a->flags & MR_CONN_NEXT_HOP || plane_mac_ok(peer->mac, a->planes));
}

int mr_conn_connect(struct mr_conn *c, const struct mr_conn_addr *peer)
{
    if (!c || !peer || le32toh(peer->magic) != MR_ADDR_MAGIC ||
        le16toh(peer->version) != addr_version || !mtu_ok(le16toh(peer->mtu)) || !peer->paths ||
        le32toh(peer->conn) >= MR_WIRE_CONN_NONE || !mac_ok(peer->mac) ||
        peer->ip.family != c->attr.ip.family || !peer_planes_ok(&c->attr, peer))
        return -EINVAL;
    pthread_mutex_lock(&c->dev->lock);
    int rc = connect_locked(c, peer);
    pthread_mutex_unlock(&c->dev->lock);
    return rc;
}

int mr_conn_local(struct mr_conn *c, struct mr_conn_addr *addr)
{
    if (!c || !addr)
        return -EINVAL;
    *addr = (struct mr_conn_addr){
        .magic = htole32(MR_ADDR_MAGIC),
        .version = htole16(addr_version),
        .mtu = htole16(c->attr.mtu),
        .conn = htole32(c->number),
        .paths = c->attr.paths,
        .ip = c->attr.ip,
        .planes = c->attr.planes,
        .plane_at = c->attr.planes > 1 ? c->attr.plane_at : 0,
    };
    memcpy(addr->mac, c->attr.mac, 6);
    pthread_mutex_lock(&c->dev->lock);
    for (struct mri_list *l = c->dev->streams.next; l != &c->dev->streams; l = l->next) {
        const struct mr_stream *s = mri_container(l, struct mr_stream, link);
        if (s->conn == c && addr->nstreams < MR_ADDR_STREAMS)
            addr->stream[addr->nstreams++] = htole32(s->number);
    }
    pthread_mutex_unlock(&c->dev->lock);
    return 0;
}

int mri_conn_free(struct mr_conn *c)
{
    struct mr_device *dev = c->dev;
    int rc = free_entries(c);

    mri_events_del_conn(c);
    mri_groups_give(&dev->groups, c->group, c->ngroups);
    mri_pool_give(&dev->conn_pool, c->number & 0xffff);
    mri_list_del(&c->link);
    free(c);
    return rc;
}

int mr_conn_destroy(struct mr_conn *c)
{
    if (!c)
        return 0;
    struct mr_device *dev = c->dev;
    pthread_mutex_lock(&dev->lock);
    int rc = c->users ? -EBUSY : mri_conn_free(c);
    pthread_mutex_unlock(&dev->lock);
    return rc;
}

uint32_t mr_conn_number(const struct mr_conn *c)
{
    return c ? c->number : MR_WIRE_CONN_NONE;
}

uint32_t mr_conn_paths(const struct mr_conn *c)
{
    return c ? c->paths : 0;
}
