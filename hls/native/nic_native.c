// SPDX-License-Identifier: BSD-2-Clause
/*
 * The scheduler of the native NIC. Each kernel gets its own function, but the
 * wiring around it is written once: ports_before() and ports_after() hold a
 * line for every row of the graph, each under the question whether the row
 * belongs to the instance at hand. They are inlined with a constant answer, so
 * only the lines of the instance remain.
 */
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include "native/nic_native.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#define INLINE static inline __attribute__((always_inline))

/** Instances that may be skipped while none of their inputs is valid. */
static const bool lazy[ID_COUNT] = {
#define MR_LAZY(inst) [ID_##inst] = true,
#include "graph/expand.h"
};

/* Both ends of every stream carry the type of its row. */
#define SAME(T, inst, port)                                                                        \
    static_assert(__builtin_types_compatible_p(T, typeof(((struct mr_nic *)0)->inst.port.data)),   \
                  #inst "." #port " is not a " #T)
#define MR_LINK(T, from, out, to, in, depth)                                                       \
    SAME(T, from, out);                                                                            \
    SAME(T, to, in);                                                                               \
    static_assert((depth) >= 2, #from "." #out " is too shallow");
#define MR_EXT_IN(T, name, to, in, depth)                                                          \
    SAME(T, to, in);                                                                               \
    static_assert((depth) >= 2, #name " is too shallow");
#define MR_EXT_OUT(T, name, from, out, depth)                                                      \
    SAME(T, from, out);                                                                            \
    static_assert((depth) >= 2, #name " is too shallow");
#include "graph/expand.h"

INLINE void ring_push(struct ring *r, void *items, const void *item, size_t size, uint32_t depth)
{
    uint32_t at = r->head + r->count;
    memcpy((char *)items + size * (at >= depth ? at - depth : at), item, size);
    r->count++;
}

INLINE void ring_drop(struct ring *r, uint32_t depth)
{
    r->head = r->head + 1 == depth ? 0 : r->head + 1;
    r->count--;
}

/**
 * Shows the head of a FIFO to an input port. An item that the kernel did not
 * take stays in the port and is not copied again. Returns whether the port is valid.
 */
INLINE bool in_before(const struct ring *r, const void *items, size_t size, void *data, bool *valid)
{
    if (r->count == 0)
        return false;
    if (!*valid) {
        memcpy(data, (const char *)items + size * r->head, size);
        *valid = true;
    }
    return true;
}

INLINE bool in_after(struct ring *r, uint32_t depth, bool *valid, bool *ready)
{
    if (r->count == 0) {
        assert(!*ready);  // the kernel took what was not there
        return false;
    }
    if (!*ready)
        return false;
    ring_drop(r, depth);
    *valid = false;
    *ready = false;
    return true;
}

INLINE bool out_after(struct ring *r, void *items, const void *data, size_t size, uint32_t depth,
                      bool *valid, [[maybe_unused]] bool ready)
{
    if (!*valid)
        return false;
    assert(ready && r->count < depth);  // the kernel gave where there was no room
    ring_push(r, items, data, size, depth);
    *valid = false;
    return true;
}

#define IN_BEFORE(f, inst, port)                                                                   \
    in_before(&n->r_##f, n->f, sizeof n->f[0], &n->inst.port.data, &n->inst.port.valid)
#define IN_AFTER(f, inst, port, depth)                                                             \
    in_after(&n->r_##f, depth, &n->inst.port.valid, &n->inst.port.ready)
#define OUT_BEFORE(f, inst, port, depth) (n->inst.port.ready = n->r_##f.count < (depth))
#define OUT_AFTER(f, inst, port, depth)                                                            \
    out_after(&n->r_##f, n->f, &n->inst.port.data, sizeof n->f[0], depth, &n->inst.port.valid,     \
              n->inst.port.ready)

/** Sets all ports and levels of instance `self`; returns whether an input is valid. */
INLINE bool ports_before(struct mr_nic *n, const unsigned self, uint64_t now)
{
    const uint32_t mac_rx_drops = n->mac_rx_drops;
    bool any = false;

#define MR_LINK(T, from, out, to, in, depth)                                                       \
    if (self == ID_##to)                                                                           \
        any |= IN_BEFORE(from##__##out, to, in);                                                   \
    if (self == ID_##from)                                                                         \
        OUT_BEFORE(from##__##out, from, out, depth);
#define MR_EXT_IN(T, name, to, in, depth)                                                          \
    if (self == ID_##to)                                                                           \
        any |= IN_BEFORE(ext_##name, to, in);
#define MR_EXT_OUT(T, name, from, out, depth)                                                      \
    if (self == ID_##from)                                                                         \
        OUT_BEFORE(ext_##name, from, out, depth);
#define MR_LEVEL(from, stat, to, cfg)                                                              \
    if (self == ID_##to)                                                                           \
        n->to.cfg = n->from.stat;
#define MR_EXT_LEVEL(name, to, cfg)                                                                \
    if (self == ID_##to)                                                                           \
        n->to.cfg = (typeof(n->to.cfg))name;
#include "graph/expand.h"
    (void)now;
    (void)mac_rx_drops;
    return any;
}

/** Moves what instance `self` took and gave; returns whether anything moved. */
INLINE bool ports_after(struct mr_nic *n, const unsigned self)
{
    bool moved = false;

#define MR_LINK(T, from, out, to, in, depth)                                                       \
    if (self == ID_##to)                                                                           \
        moved |= IN_AFTER(from##__##out, to, in, depth);                                           \
    if (self == ID_##from)                                                                         \
        moved |= OUT_AFTER(from##__##out, from, out, depth);
#define MR_EXT_IN(T, name, to, in, depth)                                                          \
    if (self == ID_##to)                                                                           \
        moved |= IN_AFTER(ext_##name, to, in, depth);
#define MR_EXT_OUT(T, name, from, out, depth)                                                      \
    if (self == ID_##from)                                                                         \
        moved |= OUT_AFTER(ext_##name, from, out, depth);
#include "graph/expand.h"
    return moved;
}

/** A step that a lazy instance is spared must change nothing. Test builds look. */
#ifdef MR_CHECK_LAZY
#define CHECK_LAZY(inst, kernel)                                                                   \
    do {                                                                                           \
        static thread_local struct kernel before;                                                  \
        before = n->inst;                                                                          \
        kernel##_step(&n->inst);                                                                   \
        assert(memcmp(&before, &n->inst, sizeof before) == 0);                                     \
    } while (0)
#else
#define CHECK_LAZY(inst, kernel) ((void)0)
#endif

#define MR_INST(inst, kernel)                                                                      \
    static bool inst##_pass(struct mr_nic *n, uint64_t now)                                        \
    {                                                                                              \
        bool any = ports_before(n, ID_##inst, now);                                                \
        if (lazy[ID_##inst] && !any) {                                                             \
            CHECK_LAZY(inst, kernel);                                                              \
            return false;                                                                          \
        }                                                                                          \
        kernel##_step(&n->inst);                                                                   \
        return ports_after(n, ID_##inst);                                                          \
    }
#include "graph/expand.h"

bool mr_nic_step(struct mr_nic *n, uint64_t now)
{
    bool moved = false;

#define MR_INST(inst, kernel) moved |= inst##_pass(n, now);
#include "graph/expand.h"
    return moved;
}

struct mr_nic *mr_nic_new(void)
{
    // At full size the tables take half a gigabyte: pages that are never touched cost nothing.
    void *n = mmap(nullptr, sizeof(struct mr_nic), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return n == MAP_FAILED ? nullptr : n;
}

void mr_nic_free(struct mr_nic *n)
{
    if (n != nullptr)
        munmap(n, sizeof *n);
}

void mr_nic_set_mac_rx_drops(struct mr_nic *n, uint32_t drops)
{
    n->mac_rx_drops = drops;
}

#define MR_EXT_IN(T, name, to, in, depth)                                                          \
    bool mr_nic_push_##name(struct mr_nic *n, const T *item)                                       \
    {                                                                                              \
        if (n->r_ext_##name.count == (depth))                                                      \
            return false;                                                                          \
        ring_push(&n->r_ext_##name, n->ext_##name, item, sizeof *item, depth);                     \
        return true;                                                                               \
    }
#define MR_EXT_OUT(T, name, from, out, depth)                                                      \
    bool mr_nic_pop_##name(struct mr_nic *n, T *item)                                              \
    {                                                                                              \
        if (n->r_ext_##name.count == 0)                                                            \
            return false;                                                                          \
        memcpy(item, &n->ext_##name[n->r_ext_##name.head], sizeof *item);                          \
        ring_drop(&n->r_ext_##name, depth);                                                        \
        return true;                                                                               \
    }
#include "graph/expand.h"
