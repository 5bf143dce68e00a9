// SPDX-License-Identifier: BSD-2-Clause
/* query.h - what the device says of itself, for the tables of calls in its context. */
#ifndef QUERY_H
#define QUERY_H

#include "front.h"

__be64 query_guid(unsigned nic);
int query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr, size_t size);
int query_device_ex(struct ibv_context *ctx, const struct ibv_query_device_ex_input *input,
                    struct ibv_device_attr_ex *attr, size_t size);
int query_rt_values(struct ibv_context *ctx, struct ibv_values_ex *values);

#endif
