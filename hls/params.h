// SPDX-License-Identifier: BSD-2-Clause
/*
 * params.h - sizes of the NIC. The defaults are the full size; a build may make
 * the tables smaller with -D (simulation builds do), never the wire's limits.
 */
#ifndef MR_PARAMS_H
#define MR_PARAMS_H

#ifndef MR_CONNS_LOG2
#define MR_CONNS_LOG2 12  // connections
#endif
#ifndef MR_STREAMS_LOG2
#define MR_STREAMS_LOG2 12  // streams
#endif
#ifndef MR_KEYS_LOG2
#define MR_KEYS_LOG2 12  // memory keys
#endif
#ifndef MR_CQS_LOG2
#define MR_CQS_LOG2 10  // completion queues
#endif
#ifndef MR_RQS_LOG2
#define MR_RQS_LOG2 MR_STREAMS_LOG2  // receive queues
#endif
#ifndef MR_MSGS_LOG2
#define MR_MSGS_LOG2 6  // messages in flight per stream
#endif
#ifndef MR_GROUPS_LOG2
#define MR_GROUPS_LOG2 MR_CONNS_LOG2  // groups of 8 paths; a connection has 1 to 16 of them in a row
#endif
#define MR_GROUP_LOG2 3  // paths per group; fixed: the choice looks at one group at a time
#define MR_RECVS_LOG2 6  // receives per queue that were read and are not complete
#define MR_TRACK_LOG2 (MR_MSGS_LOG2 + 1)  // messages per stream that the receiver follows: twice those in flight, as it may be behind
#define MR_PATHS_LOG2 7  // paths per connection
#ifndef MR_PAGES_LOG2
#define MR_PAGES_LOG2 16  // pages in the page table, from 4
#endif
#ifndef MR_AHEAD_LOG2
#define MR_AHEAD_LOG2 4  // queue entries read ahead per stream: hides the read's latency
#endif

#define MR_CONNS   (1u << MR_CONNS_LOG2)
#define MR_STREAMS (1u << MR_STREAMS_LOG2)
#define MR_KEYS    (1u << MR_KEYS_LOG2)
#define MR_CQS     (1u << MR_CQS_LOG2)
#define MR_MSGS    (1u << MR_MSGS_LOG2)
#define MR_RQS     (1u << MR_RQS_LOG2)
#define MR_RECVS   (1u << MR_RECVS_LOG2)
#define MR_TRACK   (1u << MR_TRACK_LOG2)
#define MR_AHEAD   (1u << MR_AHEAD_LOG2)
#define MR_PATHS   (1u << MR_PATHS_LOG2)
#define MR_GROUP   (1u << MR_GROUP_LOG2)
#define MR_GROUPS  (1u << MR_GROUPS_LOG2)
#define MR_PAGES   (1u << MR_PAGES_LOG2)
#define MR_ROWS    (MR_GROUPS * MR_GROUP)  // paths of all connections

#endif
