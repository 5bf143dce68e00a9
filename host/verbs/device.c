// SPDX-License-Identifier: BSD-2-Clause
/* device.c - the device mr0: list, open and close. What it says of itself is in query.c. */
#include <errno.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "front.h"
#include "query.h"

static constexpr uint64_t pace_ns = 20000;  // device time that passes at a time
static constexpr long pace_look_ns = 1000000;

struct front front = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct ibv_device mr0 = {
    .node_type = IBV_NODE_CA,
    .transport_type = IBV_TRANSPORT_IB,
    .name = "mr0",
    .dev_name = "uverbs-mr0",
    .dev_path = "/sys/class/infiniband_verbs/uverbs-mr0",
    .ibdev_path = "/sys/class/infiniband/mr0",
};

int front_errno(int rc)
{
    return rc == -ENOSPC ? ENOMEM : rc == -EMSGSIZE ? EINVAL : rc == -ENOTSUP ? EOPNOTSUPP : -rc;
}

/* soft:N..., sim:...nic=N...; planes have other addresses. */
bool front_nic_of(const char *uri, struct front_nic *nic)
{
    char *end;

    *nic = (struct front_nic){};
    if (!uri || strstr(uri, "planes=1"))
        return false;
    if (!strncmp(uri, "soft:", 5)) {
        nic->number = (unsigned)strtoul(uri + 5, &end, 10);
        return (!*end || *end == '?' || *end == '&') && nic->number < 255;
    }
    const char *at = strstr(uri, "nic=");
    if (strncmp(uri, "sim:", 4) != 0 || !at || strstr(uri, "watch=1"))
        return false;
    nic->number = (unsigned)strtoul(at + 4, &end, 10);
    nic->simulated = true;
    return end != at + 4 && nic->number < 255;
}

void front_mac_of(unsigned nic, uint8_t mac[6])
{
    memcpy(mac, (uint8_t[6]){2, 0, 0, 0, 0, (uint8_t)(nic + 1)}, 6);
}

/* ------------------------------------------------------------------- list */

FRONT_API struct ibv_device **ibv_get_device_list(int *n)
{
    struct ibv_device **list = calloc(2, sizeof *list);
    struct front_nic nic;

    if (!list)
        return nullptr;
    if (front_nic_of(getenv("MR_DEVICE"), &nic))
        list[0] = &mr0;
    if (n)
        *n = list[0] != nullptr;
    return list;
}

FRONT_API void ibv_free_device_list(struct ibv_device **list)
{
    free(list);
}

FRONT_API const char *ibv_get_device_name(struct ibv_device *dev)
{
    return dev->name;
}

FRONT_API int ibv_get_device_index(struct ibv_device *dev)
{
    (void)dev;
    return -1;
}

FRONT_API __be64 ibv_get_device_guid(struct ibv_device *dev)
{
    struct front_nic nic;
    (void)dev;

    front_nic_of(getenv("MR_DEVICE"), &nic);
    return query_guid(nic.number);
}

/* ------------------------------------------------------------------- time */

/*
 * Simulated time passes only while every program waits for its device. Programs
 * that know nothing of that wait elsewhere, too: so if none of their calls
 * reached the device for a while, this thread waits in their place.
 */
static void *pace(void *arg)
{
    struct timespec look = {.tv_nsec = pace_look_ns};
    struct mr_cq *cq = arg;
    unsigned seen = 0;

    while (!atomic_load(&front.stop)) {
        unsigned calls = atomic_load(&front.calls);
        if (calls != seen)
            nanosleep(&look, nullptr);
        else if (mr_cq_wait(cq, pace_ns) < 0)
            break;
        seen = calls;
    }
    return nullptr;
}

static int pace_begin(void)
{
    struct mr_cq *cq;

    if (!front.nic.simulated)
        return 0;
    int rc = mr_cq_create(front.dev, 2, &cq);
    if (rc)
        return rc;
    atomic_store(&front.stop, false);
    return -pthread_create(&front.pace, nullptr, pace, cq);
}

static void pace_end(void)
{
    if (!front.nic.simulated)
        return;
    atomic_store(&front.stop, true);
    pthread_join(front.pace, nullptr);
}

/* ---------------------------------------------------------- open and close */

static int open_device(void)
{
    const char *uri = getenv("MR_DEVICE");
    uint64_t time = 0;

    if (!front_nic_of(uri, &front.nic))
        return -ENODEV;
    int rc = mr_device_open(uri, &front.dev);
    if (rc)
        return rc;
    rc = mr_device_query(front.dev, &front.caps);
    if (!rc)
        rc = mr_device_time(front.dev, &time);
    front.qp = calloc(front.caps.streams, sizeof front.qp[0]);
    if (!rc && !front.qp)
        rc = -ENOMEM;
    if (!rc)
        rc = pace_begin();
    if (rc) {
        mr_device_close(front.dev);
        free(front.qp);
        return rc;
    }
    uint32_t paths = front.caps.paths < MR_PATHS_DEFAULT ? front.caps.paths : MR_PATHS_DEFAULT;
    front.gid = front_gid(front.nic.number, paths, time);
    return 0;
}

static void close_device(void)
{
    pace_end();
    mr_device_close(front.dev);
    front.dev = nullptr;
    front_peers_forget();
    free(front.qp);
    front.qp = nullptr;
}

static struct verbs_context *new_context(void)
{
    struct verbs_context *v = calloc(1, sizeof *v);

    if (!v)
        return nullptr;
    v->sz = sizeof *v;
    v->query_port = query_port;
    v->query_device_ex = query_device_ex;
    v->create_qp_ex = front_qp_create_ex;
    v->create_cq_ex = front_cq_create_ex;
    v->query_rt_values = query_rt_values;
    struct ibv_context *c = &v->context;
    c->device = &mr0;
    c->abi_compat = (void *)UINTPTR_MAX;  // __VERBS_ABI_IS_EXTENDED
    c->cmd_fd = -1;
    c->num_comp_vectors = 1;
    c->ops.poll_cq = front_cq_poll;
    c->ops.req_notify_cq = front_cq_arm;
    c->ops.post_send = front_post_send;
    c->ops.post_recv = front_post_recv;
    c->ops.post_srq_recv = front_post_srq;
    pthread_mutex_init(&c->mutex, nullptr);
    c->async_fd = eventfd(0, EFD_CLOEXEC);
    return v;
}

FRONT_API struct ibv_context *ibv_open_device(struct ibv_device *dev)
{
    struct verbs_context *v = new_context();
    (void)dev;

    if (!v)
        return nullptr;
    pthread_mutex_lock(&front.lock);
    int rc = v->context.async_fd < 0 ? -EMFILE : front.users ? 0 : open_device();
    front.users += !rc;
    pthread_mutex_unlock(&front.lock);
    if (!rc)
        return &v->context;
    if (v->context.async_fd >= 0)
        close(v->context.async_fd);
    free(v);
    errno = front_errno(rc);
    return nullptr;
}

FRONT_API int ibv_close_device(struct ibv_context *ctx)
{
    pthread_mutex_lock(&front.lock);
    if (!--front.users)
        close_device();
    pthread_mutex_unlock(&front.lock);
    close(ctx->async_fd);
    pthread_mutex_destroy(&ctx->mutex);
    free((char *)ctx - offsetof(struct verbs_context, context));
    return 0;
}
