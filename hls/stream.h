// SPDX-License-Identifier: BSD-2-Clause
/*
 * stream.h - what a kernel is made of.
 *
 * A kernel is one struct and one step function:
 *
 *     struct tx_sched {
 *         MR_IN(struct doorbell, db);      // stream in
 *         MR_OUT(struct turn, turn);       // stream out
 *         MR_CFG(u(32), now);              // level input: constant during a step
 *         MR_STAT(u(32), cnt_db);          // register that is also a level output
 *         u(8) head;                       // register
 *         struct row tbl[MR_STREAMS];      // memory (indexed by a variable)
 *         struct row tbl_q;                // its read register: tbl_q = tbl[i]
 *     };
 *     MR_KERNEL(tx_sched) { ... uses k->... }
 *
 * One call of the step function is one clock cycle and at most one firing.
 * Before a call the surroundings set data and valid of every MR_IN, ready of
 * every MR_OUT and every MR_CFG, and clear ready of every MR_IN and valid of
 * every MR_OUT. The kernel sets `ready` of an MR_IN in the step in which it
 * consumes the item, and data and valid of an MR_OUT in the step in which it
 * produces one. A kernel may set `valid` only where `ready` is set, and `ready`
 * only where `valid` is set. Registers and memories start at zero.
 *
 * hls/hlsc/README.md has the subset of C that a kernel may use.
 */
#ifndef MR_STREAM_H
#define MR_STREAM_H

/** An unsigned integer of exactly n bits. Arithmetic wraps at 2^n. */
#define u(n) unsigned _BitInt(n)

#define MR_IN(T, name)                                                                             \
    __attribute__((annotate("mr.in"))) struct { T data; bool valid; bool ready; } name
#define MR_OUT(T, name)                                                                            \
    __attribute__((annotate("mr.out"))) struct { T data; bool valid; bool ready; } name
#define MR_CFG(T, name)  __attribute__((annotate("mr.cfg"))) T name
#define MR_STAT(T, name) __attribute__((annotate("mr.stat"))) T name

/** Opens the definition of a kernel's step function; `k` is its struct. */
#define MR_KERNEL(name)                                                                            \
    void name##_step(struct name *k);                                                              \
    void name##_step(struct name *k)

/** A helper that a kernel calls: always inlined, so it becomes part of the kernel. */
#define MR_INLINE static inline __attribute__((always_inline, unused))

/** Every loop in a kernel has a constant trip count and this in front of it. */
#define MR_UNROLL _Pragma("clang loop unroll(full)")

/** Consume the item at the head of an MR_IN. Only where its valid is set. */
#define mr_take(port) ((void)((port).ready = true))
/** Produce one item on an MR_OUT. Only where its ready is set. */
#define mr_put(port, ...) ((void)((port).data = (__VA_ARGS__), (port).valid = true))

#endif
