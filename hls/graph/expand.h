// SPDX-License-Identifier: BSD-2-Clause
/*
 * expand.h - expands every row of the process graph once. Define the rows of
 * interest, then include this file: rows left undefined vanish, and all are
 * undefined again afterwards. No include guard, on purpose.
 *
 * MR_GRAPH_DEF names the graph; the NIC's own unless a test sets another.
 */
#ifndef MR_GRAPH_DEF
#define MR_GRAPH_DEF "graph/nic.def"
#endif

#ifndef MR_INST
#define MR_INST(inst, kernel)
#endif
#ifndef MR_LAZY
#define MR_LAZY(inst)
#endif
#ifndef MR_LINK
#define MR_LINK(T, from, out, to, in, depth)
#endif
#ifndef MR_EXT_IN
#define MR_EXT_IN(T, name, to, in, depth)
#endif
#ifndef MR_EXT_OUT
#define MR_EXT_OUT(T, name, from, out, depth)
#endif
#ifndef MR_LEVEL
#define MR_LEVEL(from, stat, to, cfg)
#endif
#ifndef MR_EXT_LEVEL
#define MR_EXT_LEVEL(name, to, cfg)
#endif

#include MR_GRAPH_DEF

#undef MR_INST
#undef MR_LAZY
#undef MR_LINK
#undef MR_EXT_IN
#undef MR_EXT_OUT
#undef MR_LEVEL
#undef MR_EXT_LEVEL
