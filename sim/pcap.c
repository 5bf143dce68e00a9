// SPDX-License-Identifier: BSD-2-Clause
#include "pcap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame.h"

#define MAGIC_NS 0xa1b23c4du // in the writer's byte order
#define LINK_ETHERNET 1

struct sim_pcap {
    FILE *f;
};

struct file_head {
    uint32_t magic;
    uint16_t major;
    uint16_t minor;
    int32_t zone;
    uint32_t sigfigs;
    uint32_t snaplen;
    uint32_t link;
};
static_assert(sizeof(struct file_head) == 24);

struct rec_head {
    uint32_t s;
    uint32_t ns;
    uint32_t caplen;
    uint32_t len;
};
static_assert(sizeof(struct rec_head) == 16);

struct sim_pcap *sim_pcap_open(const char *path)
{
    struct sim_pcap *p = calloc(1, sizeof *p);
    if (!p)
        return nullptr;
    p->f = fopen(path, "wbe");
    if (!p->f) {
        free(p);
        return nullptr;
    }
    struct file_head h = {
        .magic = MAGIC_NS,
        .major = 2,
        .minor = 4,
        .snaplen = SIM_FRAME_MAX,
        .link = LINK_ETHERNET,
    };
    fwrite(&h, sizeof h, 1, p->f);
    return p;
}

void sim_pcap_put(struct sim_pcap *p, uint64_t ns, const uint8_t *f, size_t len)
{
    struct rec_head h = {
        .s = (uint32_t)(ns / 1'000'000'000),
        .ns = (uint32_t)(ns % 1'000'000'000),
        .caplen = (uint32_t)len,
        .len = (uint32_t)len,
    };
    fwrite(&h, sizeof h, 1, p->f);
    fwrite(f, len, 1, p->f);
}

int sim_pcap_close(struct sim_pcap *p)
{
    if (!p)
        return 0;
    int bad = ferror(p->f);
    bad |= fclose(p->f);
    free(p);
    return bad ? -EIO : 0;
}
