# SPDX-License-Identifier: BSD-2-Clause
# The build proper: one fragment per folder. Called by the root Makefile.

# Table sizes: `small` for simulation, `full` for 4,096 connections by 8 paths; a tree for each.
SIZE   ?= small
B      ?= build
CC     := clang-19
CXX    := g++
CFLAGS := -O2 -g -std=c23 -Wall -Wextra -Werror -Ihls -Idefs -I$(B)/gen
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

HLS_PARAMS := $(if $(filter small,$(SIZE)),-DMR_CONNS_LOG2=6 -DMR_STREAMS_LOG2=6 -DMR_KEYS_LOG2=8 -DMR_CQS_LOG2=4 -DMR_PAGES_LOG2=10)

export B CC

.PHONY: all rtl lint report test bench run
all: host

include defs/defs.mk
include hls/hlsc/hlsc.mk
include hls/graph/graph.mk
include hls/hls.mk
include hw/hw.mk
include sim/sim.mk
include host/host.mk
include host/install.mk
include tests/tests.mk

.PHONY: lint
lint: lint-rtl
