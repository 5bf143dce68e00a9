// SPDX-License-Identifier: BSD-2-Clause
/*
 * rows.h - the layouts of defs/ inside the library. Some have the names of the
 * public objects (a connection and its table entry), so here the structs of
 * the entries end in _row. Include this before metaroce.h.
 */
#ifndef MRI_ROWS_H
#define MRI_ROWS_H

#define mr_conn   mr_conn_row
#define mr_path   mr_path_row
#define mr_stream mr_stream_row
#define mr_cq     mr_cq_row
#define mr_rq     mr_rq_row
#define mr_sge    mr_sge_row
#define mr_key    mr_key_row
#define mr_tele   mr_tele_row
#include "mr_defs.h"
#undef mr_conn
#undef mr_path
#undef mr_stream
#undef mr_cq
#undef mr_rq
#undef mr_sge
#undef mr_key
#undef mr_tele

#endif
