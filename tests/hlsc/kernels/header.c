// SPDX-License-Identifier: BSD-2-Clause
/* header.c - a 920-bit header taken apart into a struct and put together again. */
#include "stream.h"

#include <stdint.h>

struct hdr {
    u(4) ver;
    u(6) op;
    u(10) flags;
    u(16) len;
    u(24) psn;
    u(20) conn;
    u(24) stream;
    u(32) msg;
    u(31) off;
    u(64) key;
    u(64) addr;
    u(40) ts;
    u(128) imm;
    u(256) mask;
    u(200) tail;
    u(1) last;
};
struct header {
    MR_IN(u(1024), rx);
    MR_OUT(struct hdr, fields);
    MR_OUT(u(1024), tx);
};

MR_INLINE struct hdr unpack(u(1024) h)
{
    return (struct hdr){
        .ver = (u(4))(h >> 0),
        .op = (u(6))(h >> 4),
        .flags = (u(10))(h >> 10),
        .len = (u(16))(h >> 20),
        .psn = (u(24))(h >> 36),
        .conn = (u(20))(h >> 60),
        .stream = (u(24))(h >> 80),
        .msg = (u(32))(h >> 104),
        .off = (u(31))(h >> 136),
        .key = (u(64))(h >> 167),
        .addr = (u(64))(h >> 231),
        .ts = (u(40))(h >> 295),
        .imm = (u(128))(h >> 335),
        .mask = (u(256))(h >> 463),
        .tail = (u(200))(h >> 719),
        .last = (u(1))(h >> 919),
    };
}

MR_INLINE u(1024) pack(struct hdr f)
{
    return ((u(1024))f.ver << 0)
        | ((u(1024))f.op << 4)
        | ((u(1024))f.flags << 10)
        | ((u(1024))f.len << 20)
        | ((u(1024))f.psn << 36)
        | ((u(1024))f.conn << 60)
        | ((u(1024))f.stream << 80)
        | ((u(1024))f.msg << 104)
        | ((u(1024))f.off << 136)
        | ((u(1024))f.key << 167)
        | ((u(1024))f.addr << 231)
        | ((u(1024))f.ts << 295)
        | ((u(1024))f.imm << 335)
        | ((u(1024))f.mask << 463)
        | ((u(1024))f.tail << 719)
        | ((u(1024))f.last << 919);
}

MR_KERNEL(header)
{
    if (!k->rx.valid || !k->fields.ready || !k->tx.ready)
        return;
    struct hdr f = unpack(k->rx.data);
    mr_take(k->rx);
    mr_put(k->fields, f);
    f.psn += 1;
    f.op = f.last ? (u(6))3 : f.op;
    mr_put(k->tx, pack(f));
}
