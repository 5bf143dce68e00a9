// SPDX-License-Identifier: BSD-2-Clause
/*
 * watcher.c - a client that watches a NIC between any two steps of the client
 * that has it: what the owner put into the table window must stay there.
 *
 *     watcher SOCKET      a server with one native NIC that nobody has
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "mr_defs.h"
#include "protocol.h"

static unsigned failed;

#define CHECK(x) (void)((x) || (failed++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x)))

static int dial(const char *path)
{
    struct sockaddr_un sun = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(sun.sun_path, sizeof sun.sun_path, "%s", path);
    if (fd < 0 || connect(fd, (struct sockaddr *)&sun, sizeof sun)) {
        perror(path);
        exit(1);
    }
    return fd;
}

static struct mr_sim_rep call(int fd, uint32_t op, uint32_t arg, uint64_t a)
{
    struct mr_sim_req q = {.op = op, .arg = arg, .a = a};
    struct mr_sim_rep r;

    if (send(fd, &q, sizeof q, 0) != sizeof q || recv(fd, &r, sizeof r, MSG_WAITALL) != sizeof r) {
        fprintf(stderr, "watcher: the server is gone\n");
        exit(1);
    }
    return r;
}

static struct mr_sim_rep row(int fd, uint32_t table, uint64_t index, uint8_t bytes[64])
{
    struct mr_sim_rep r = call(fd, MR_SIM_ROW, table, index);

    memset(bytes, 0xee, 64);
    if (!r.status && recv(fd, bytes, 64, MSG_WAITALL) != 64)
        exit(1);
    return r;
}

static uint32_t get(int fd, uint32_t off)
{
    return (uint32_t)call(fd, MR_SIM_READ, off, 0).a;
}

/* What the device says of the last command, once it is over. */
static uint32_t status(int fd)
{
    uint32_t v;

    while ((v = get(fd, MR_REG_TBL_STATUS)) == 1)
        ;
    return v;
}

static void put(int fd, uint32_t off, uint32_t v)
{
    CHECK(call(fd, MR_SIM_WRITE, off, v).status == 0);
}

/* The owner writes a path's entry; `look` watches after each of its steps. */
static void put_path(int own, int look, uint32_t index, struct mr_path p)
{
    uint8_t entry[64] = {}, seen[64];

    mr_path_put(entry, p);
    for (uint32_t i = 0; i < MR_PATH_BYTES / 4; i++) {
        uint32_t v;
        memcpy(&v, entry + 4 * i, 4);
        put(own, MR_REG_TBL_DATA + 4 * i, v);
        row(look, MR_TBL_TELE, 0, seen);
    }
    put(own, MR_REG_TBL_INDEX, index);
    row(look, MR_TBL_HIST, 0, seen);
    put(own, MR_REG_TBL_CMD, (uint32_t)MR_TBLOP_WRITE << 24 | MR_TBL_PATH << 16);
    row(look, MR_TBL_TELE, 0, seen);
}

static void watches(int own, int look)
{
    struct mr_path p = {.sport = 50000, .state = MR_PATHST_OPEN};
    uint8_t seen[64];

    CHECK(status(own) == 0); // it has freed its tables
    CHECK(row(look, MR_TBL_PATH, 0, seen).status == -ENOENT);
    put_path(own, look, 3, p);
    CHECK(row(look, MR_TBL_PATH, 0, seen).status == -ENOENT); // not yet known to be taken
    CHECK(status(own) == 0);
    struct mr_sim_rep r = row(look, MR_TBL_PATH, 0, seen);
    CHECK(r.status == 0 && r.a == 64 && r.b == 3 && mr_path_get(seen).sport == 50000);
    CHECK(row(look, MR_TBL_PATH, 4, seen).status == -ENOENT);

    // From here on there is telemetry to fetch, at every step of the owner.
    p.sport = 50001;
    p.path = 1;
    put_path(own, look, 4, p);
    CHECK(get(own, MR_REG_TBL_INDEX) == 4);
    CHECK((get(own, MR_REG_TBL_DATA) & 0xffff) == 50001);
    CHECK(status(own) == 0);
    CHECK(row(look, MR_TBL_PATH, 4, seen).b == 4 && mr_path_get(seen).sport == 50001);
    CHECK(row(look, MR_TBL_TELE, 0, seen).b == 3 && mr_tele_get(seen).state == MR_TELEST_LIVE);

    // One that the device refuses: the owner still reads that, and the entry is not shown.
    p.conn = 0xffff;
    put_path(own, look, 5, p);
    CHECK(status(own) == 2);
    CHECK(row(look, MR_TBL_TELE, 0, seen).status == 0);
    CHECK(status(own) == 2);
    CHECK(get(own, MR_REG_TBL_INDEX) == 5);
    CHECK(row(look, MR_TBL_PATH, 5, seen).status == -ENOENT);

    // Only port and plane of an open path; then it is freed.
    put_path(own, look, 4, (struct mr_path){.sport = 50002, .state = MR_PATHST_PORT, .path = 1});
    CHECK(status(own) == 0);
    row(look, MR_TBL_PATH, 4, seen);
    CHECK(mr_path_get(seen).sport == 50002 && mr_path_get(seen).state == MR_PATHST_OPEN);
    put_path(own, look, 4, (struct mr_path){.path = 1});
    CHECK(status(own) == 0);
    CHECK(row(look, MR_TBL_PATH, 4, seen).status == -ENOENT);
}

/* The clock's upper half stays latched; nothing can be changed. */
static void refused(int own, int look)
{
    uint8_t seen[64];

    get(own, MR_REG_TIME_LO);
    get(look, MR_REG_TIME_LO);
    CHECK(get(own, MR_REG_TIME_HI) == 0);
    CHECK(call(look, MR_SIM_WRITE, MR_REG_SEED, 7).status == -EPERM);
    CHECK(call(look, MR_SIM_RESET, 0, 0).status == -EPERM);
    CHECK(call(look, MR_SIM_MAP, 0, 4096).status == -EPERM);
    CHECK(call(look, MR_SIM_WAIT, 0, 1).status == -EPERM);
    CHECK(call(look, MR_SIM_HELLO, MR_SIM_PROTOCOL_VERSION, 0).status == -EINVAL);
    CHECK(row(look, 0, 0, seen).status == -EINVAL);
    CHECK(row(look, 99, 0, seen).status == -EINVAL);
    CHECK(row(look, MR_TBL_CONN, UINT64_MAX, seen).status == -ENOENT);
    CHECK(get(own, MR_REG_SEED) == 0);
}

int main(int argc, char **argv)
{
    uint8_t seen[64];

    if (argc < 2)
        return 64;
    int own = dial(argv[1]), look = dial(argv[1]);
    CHECK(call(look, MR_SIM_WATCH, MR_SIM_PROTOCOL_VERSION, 0).a == 0); // nobody has it
    int late = dial(argv[1]);
    CHECK(call(own, MR_SIM_HELLO, MR_SIM_PROTOCOL_VERSION, 0).status == 0);
    CHECK(call(late, MR_SIM_WATCH, MR_SIM_PROTOCOL_VERSION, 0).a != 0);
    watches(own, look);
    refused(own, late);
    CHECK(call(own, MR_SIM_RESET, 0, 0).status == 0);
    CHECK(row(look, MR_TBL_PATH, 0, seen).status == -ENOENT);
    CHECK(call(look, MR_SIM_BYE, 0, 0).status == 0);
    CHECK(call(own, MR_SIM_BYE, 0, 0).status == 0);
    printf("watcher: %u failed\n", failed);
    return failed != 0;
}
