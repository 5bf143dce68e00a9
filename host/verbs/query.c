// SPDX-License-Identifier: BSD-2-Clause
/* query.c - attributes of the device, its port, its GID and P_Key tables. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "query.h"

static constexpr unsigned width_4x = 2, speed_25g = 32, phys_up = 5;
static constexpr uint16_t pkey_default = 0xffff;
enum { GID_TYPE_ROCE_V2 = 1 };  // of ibv_query_gid_type()

__be64 query_guid(unsigned nic)
{
    return htobe64(0x020000fffe000001u + nic);  // the MAC address as EUI-64
}

static void fill_device(struct ibv_device_attr *a)
{
    const struct mr_caps *c = &front.caps;

    *a = (struct ibv_device_attr){
        .node_guid = query_guid(front.nic.number),
        .sys_image_guid = query_guid(front.nic.number),
        .max_mr_size = UINT64_MAX,
        .page_size_cap = UINT64_MAX & ~0xfffull,
        .hw_ver = c->version >> 16,
        .max_qp = (int)c->streams,
        .max_qp_wr = (int)(c->sq_depth_max < c->rq_depth_max ? c->sq_depth_max : c->rq_depth_max),
        .device_cap_flags = IBV_DEVICE_RC_RNR_NAK_GEN,
        .max_sge = (int)c->sges,
        .max_sge_rd = (int)c->sges,
        .max_cq = (int)c->cqs,
        .max_cqe = (int)c->cq_max / 4,
        .max_mr = (int)c->keys,
        .max_pd = 65535,
        .max_qp_rd_atom = (int)(c->requests < 255 ? c->requests : 255),
        .max_qp_init_rd_atom = (int)(c->requests < 255 ? c->requests : 255),
        .max_res_rd_atom = (int)(c->requests * c->streams),
        .atomic_cap = IBV_ATOMIC_HCA,
        .max_ah = 65536,
        .max_srq = (int)c->rqs,
        .max_srq_wr = (int)c->rq_depth_max,
        .max_srq_sge = (int)c->sges,
        .max_pkeys = 1,
        .phys_port_cnt = 1,
    };
    snprintf(a->fw_ver, sizeof a->fw_ver, "%d.%d.%u", METAROCE_VERSION_MAJOR,
             METAROCE_VERSION_MINOR, c->version & 0xffff);
}

FRONT_API int ibv_query_device(struct ibv_context *ctx, struct ibv_device_attr *attr)
{
    (void)ctx;
    fill_device(attr);
    return 0;
}

int query_device_ex(struct ibv_context *ctx, const struct ibv_query_device_ex_input *input,
                    struct ibv_device_attr_ex *attr, size_t size)
{
    (void)ctx;
    if ((input && input->comp_mask) || size < sizeof attr->orig_attr)
        return EINVAL;
    memset(attr, 0, size);
    fill_device(&attr->orig_attr);
    if (size >= offsetof(struct ibv_device_attr_ex, hca_core_clock) + sizeof attr->hca_core_clock) {
        attr->completion_timestamp_mask = UINT64_MAX;
        attr->hca_core_clock = front.caps.clock_khz;
    }
    return 0;
}

int query_rt_values(struct ibv_context *ctx, struct ibv_values_ex *values)
{
    uint64_t ns;
    (void)ctx;

    if (values->comp_mask & ~(uint32_t)IBV_VALUES_MASK_RAW_CLOCK)
        return EINVAL;
    int rc = mr_device_time(front.dev, &ns);
    uint64_t cycles = (uint64_t)((unsigned __int128)ns * front.caps.clock_khz / 1000000);
    values->raw_clock = (struct timespec){.tv_sec = (time_t)(cycles / 1000000000),
                                          .tv_nsec = (long)(cycles % 1000000000)};
    return front_errno(rc);
}

static int fill_port(uint8_t port, struct ibv_port_attr *a, size_t size)
{
    struct ibv_port_attr full = {
        .state = IBV_PORT_ACTIVE,
        .max_mtu = IBV_MTU_4096,
        .active_mtu = IBV_MTU_4096,
        .gid_tbl_len = 1,
        .max_msg_sz = front.caps.length_max,
        .pkey_tbl_len = 1,
        .max_vl_num = 1,
        .active_width = width_4x,
        .active_speed = speed_25g,
        .phys_state = phys_up,
        .link_layer = IBV_LINK_LAYER_ETHERNET,
        .flags = IBV_QPF_GRH_REQUIRED,
    };

    if (port != 1)
        return EINVAL;
    memset(a, 0, size);
    memcpy(a, &full, size < sizeof full ? size : sizeof full);
    return 0;
}

int query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
    (void)ctx;
    return fill_port(port, attr, size);
}

/* Programs that were built before there was query_port() know the older fields only. */
FRONT_API int ibv_query_port(struct ibv_context *ctx, uint8_t port,
                             struct _compat_ibv_port_attr *attr)
{
    (void)ctx;
    return fill_port(port, (struct ibv_port_attr *)attr,
                     offsetof(struct ibv_port_attr, port_cap_flags2));
}

/* -------------------------------------------------------------- GID, P_Key */

FRONT_API int ibv_query_gid(struct ibv_context *ctx, uint8_t port, int index, union ibv_gid *gid)
{
    (void)ctx;
    if (port != 1 || index) {
        errno = EINVAL;
        return -1;
    }
    *gid = front.gid;
    return 0;
}

FRONT_API int ibv_query_gid_type(struct ibv_context *ctx, uint8_t port, unsigned index, int *type);
FRONT_API int ibv_query_gid_type(struct ibv_context *ctx, uint8_t port, unsigned index, int *type)
{
    (void)ctx;
    if (port != 1 || index) {
        errno = EINVAL;
        return -1;
    }
    *type = GID_TYPE_ROCE_V2;
    return 0;
}

FRONT_API int _ibv_query_gid_ex(struct ibv_context *ctx, uint32_t port, uint32_t index,
                                struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
    (void)ctx;
    if (port != 1 || index || flags || size < sizeof *entry)
        return EINVAL;
    memset(entry, 0, size);
    *entry = (struct ibv_gid_entry){
        .gid = front.gid, .port_num = 1, .gid_type = IBV_GID_TYPE_ROCE_V2};
    return 0;
}

FRONT_API ssize_t _ibv_query_gid_table(struct ibv_context *ctx, struct ibv_gid_entry *entries,
                                       size_t max, uint32_t flags, size_t size)
{
    if (!max)
        return 0;
    int rc = _ibv_query_gid_ex(ctx, 1, 0, entries, flags, size);
    return rc ? -rc : 1;
}

FRONT_API int ibv_query_pkey(struct ibv_context *ctx, uint8_t port, int index, __be16 *pkey)
{
    (void)ctx;
    if (port != 1 || index) {
        errno = EINVAL;
        return -1;
    }
    *pkey = htobe16(pkey_default);
    return 0;
}

FRONT_API int ibv_get_pkey_index(struct ibv_context *ctx, uint8_t port, __be16 pkey)
{
    (void)ctx;
    if (port == 1 && be16toh(pkey) == pkey_default)
        return 0;
    errno = EINVAL;
    return -1;
}
