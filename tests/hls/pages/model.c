// SPDX-License-Identifier: BSD-2-Clause
#include "model.h"

static struct {
    unsigned log2;           // of the sizes of the first half of the pages
    unsigned log2_more;      // and of the second one
    uint64_t bus[MR_PAGES];  // 0 = none
} m;

static unsigned size_of(unsigned page)
{
    return page < MR_PAGES / 2 ? m.log2 : m.log2_more;
}

void model_new(void)
{
    static const unsigned sizes[] = {12, 12, 13, 16, 21, 29, 30};
    m.log2 = sizes[below(sizeof sizes / sizeof *sizes)];
    m.log2_more = sizes[below(sizeof sizes / sizeof *sizes)];
    // A request may reach from the one half into the other: so aligned for both.
    unsigned align = m.log2 > m.log2_more ? m.log2 : m.log2_more;
    for (unsigned i = 0; i < MR_PAGES; i++)
        m.bus[i] = below(8) == 0 ? 0 : (rnd64() >> 1 | 1ull << 40) >> align << align;
}

u(512) model_row(unsigned i)
{
    u(512) row = 0;
    for (unsigned k = 0; k < 8; k++) {
        uint64_t bus = m.bus[8 * i + k];
        row |= (u(512))(bus ? bus + 1 : rnd64() & ~1ull) << 64 * k;
    }
    return row;
}

struct model_req model_draw(void)
{
    unsigned len = below(3) == 0 ? 1 + below(4096) : below(2) ? 1 + below(64) : 4096 - below(70);
    if (below(3) == 0)
        return (struct model_req){rnd64() >> 1, len};
    if (below(20) == 0) {  // no such size
        unsigned log2 = below(2) ? below(12) : 31 + below(33);
        return (struct model_req){1ull << 63 | (uint64_t)log2 << 57 | (rnd64() >> 7), len};
    }
    unsigned page = below(16) == 0 ? MR_PAGES - 1 + below(3) : below(MR_PAGES);
    unsigned log2 = size_of(page);
    uint64_t size = 1ull << log2, at = below(2) ? rnd64() % size : size - 1 - below(200);
    if (below(8) == 0)  // ends where the page does, or a byte behind
        at = size - len + below(2);
    return (struct model_req){(1ull << 63 | (uint64_t)log2 << 57) + (page * size) + at % size, len};
}

bool model_byte(uint64_t addr, uint64_t *bus)
{
    unsigned log2 = addr >> 57 & 63;
    uint64_t in = addr & ((1ull << 57) - 1);
    *bus = addr;
    if (!(addr >> 63))
        return true;
    if (log2 < 12 || log2 > 30 || in >> log2 >= MR_PAGES || !m.bus[in >> log2])
        return false;
    *bus = m.bus[in >> log2] + in % (1ull << log2);
    return true;
}

bool model_there(struct model_req r)
{
    uint64_t bus;
    bool ok = true;
    for (unsigned i = 0; i < r.len; i++)
        ok = ok && model_byte(r.addr + i, &bus);
    return ok;
}

uint8_t model_value(uint64_t bus)
{
    uint64_t z = bus * 0x9e3779b97f4a7c15;
    return (uint8_t)(z >> 56 ^ z >> 20);
}

bool model_fails(uint64_t bus)
{
    return ((bus >> 12) * 0x9e3779b97f4a7c15) >> 60 == 3;
}

bool model_range_fails(uint64_t bus, unsigned len)
{
    return model_fails(bus) || model_fails(bus + len - 1);
}
