# host: the library, its back ends and its programs.
# Wants CC, CFLAGS and B from the root Makefile; works alone as `make -f host/host.mk host`.

CC ?= clang-19
ifeq ($(origin CC),default)
CC := clang-19
endif
CFLAGS ?= -O2 -g
B ?= build

comma     := ,
HOST_B    := $(B)/host
HOST_INC  := -I. -Ihost -Ihost/include -Ihost/lib -Idefs -Ihls -I$(B)/gen
HOST_STD  := -std=c23 -D_GNU_SOURCE -Wall -Wextra -Werror -fvisibility=hidden -fPIC -pthread
HOST_SRC  := $(wildcard host/lib/*.c) $(wildcard host/bus/*.c)
HOST_HDR  := $(wildcard host/lib/*.h) $(wildcard host/bus/*.h) $(wildcard host/include/*.h) \
             $(wildcard sim/protocol.h) $(wildcard hls/native/*.h) \
             $(B)/gen/mr_defs.h $(B)/gen/mr_names.h $(B)/gen/metaroce_codes.h
# Version of the interface, as metaroce.h has it; the soname has the number that changes when programs must.
HOST_VERSION := $(shell sed -nE 's/^.define METAROCE_VERSION_(MAJOR|MINOR) +([0-9]+).*/\2/p' host/include/metaroce.h | paste -sd.)
HOST_SONAME  := libmetaroce.so.$(firstword $(subst ., ,$(HOST_VERSION)))
HOST_OBJ  := $(HOST_SRC:host/%.c=$(HOST_B)/%.o) $(HOST_B)/mr_names.o

# The native NIC inside the library: the kernels of the process graph, position independent.
HOST_KERNELS := $(shell sed -n 's/^MR_INST([^,]*, *\([a-z0-9_]*\)).*/\1/p' hls/graph/nic.def | sort -u)
HOST_NIC_SRC := hls/native/nic_native.c $(foreach k,$(HOST_KERNELS),$(wildcard hls/*/$(k).c))
# Its tables: 64 connections take 20 MB, the full size takes 550.
HOST_NIC_PARAMS ?= -DMR_CONNS_LOG2=6 -DMR_STREAMS_LOG2=8 -DMR_CQS_LOG2=6 -DMR_PAGES_LOG2=14
HOST_NIC_INC := -Ihls -Idefs -I$(B)/gen -I$(B)/native $(HOST_NIC_PARAMS)
HOST_OBJ     += $(HOST_NIC_SRC:hls/%.c=$(HOST_B)/nic/%.o)

.PHONY: host test-host
host: $(B)/libmrverbs.so $(B)/libmetaroce.so $(B)/$(HOST_SONAME) $(B)/libmetaroce.a $(B)/mrnic $(B)/mr_sendfile $(B)/mr_run $(HOST_B)/write

# The numbers that programs see, out of the rows of defs/.
$(B)/gen/metaroce_codes.h: $(B)/gen/mr_defs.h host/host.mk
	@{ echo '// SPDX-License-Identifier: BSD-2-Clause'; \
	   echo '/* Printed from defs/codes.def. Do not edit. */'; \
	   echo '#ifndef METAROCE_CODES_H'; echo '#define METAROCE_CODES_H'; echo; \
	   sed -nE 's,^(#define MR_(OP|ERR|RIGHT|POLICY|TBL)_[A-Z_]+ +[^ ]+) +// (.*)$$,\1  /* \3 */,p' $<; \
	   echo; echo '#endif'; } >$@.tmp && mv $@.tmp $@

$(HOST_B)/%.o: host/%.c $(HOST_HDR)
	@mkdir -p $(@D)
	$(CC) $(HOST_STD) $(CFLAGS) $(HOST_INC) -c -o $@ $<

$(HOST_B)/mr_names.o: $(B)/gen/mr_names.c
	@mkdir -p $(@D)
	$(CC) $(HOST_STD) $(CFLAGS) $(HOST_INC) -c -o $@ $<

$(HOST_B)/nic/%.o: hls/%.c $(B)/native/nic_kernels.h $(B)/gen/mr_defs.h $(B)/gen/icrc_tab.h
	@mkdir -p $(@D)
	$(CC) -std=c23 -fvisibility=hidden -fPIC $(CFLAGS) $(HOST_NIC_INC) -MMD -MP -c -o $@ $<

$(B)/libmetaroce.a: $(HOST_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(B)/libmetaroce.so.$(HOST_VERSION): $(HOST_OBJ) host/libmetaroce.map
	$(CC) $(CFLAGS) -shared -pthread -Wl,-soname,$(HOST_SONAME) -Wl,-z,defs \
		-Wl,--version-script,host/libmetaroce.map -o $@ $(HOST_OBJ)

$(B)/$(HOST_SONAME) $(B)/libmetaroce.so: $(B)/libmetaroce.so.$(HOST_VERSION)
	@ln -sf $(<F) $@

# The verbs front, with the library inside: only libibverbs' names are seen, without versions.
HOST_V_OBJ := $(patsubst host/%.c,$(HOST_B)/%.o,$(wildcard host/verbs/*.c))
HOST_V_HDR := $(wildcard host/verbs/*.h host/include/*.h) $(B)/gen/metaroce_codes.h

$(HOST_V_OBJ): $(HOST_V_HDR)

$(B)/libmrverbs.so: $(HOST_V_OBJ) $(HOST_OBJ) host/verbs/libmrverbs.map
	$(CC) $(CFLAGS) -shared -pthread -Wl,-soname,libmrverbs.so -Wl,-z,defs \
		-Wl,--version-script,host/verbs/libmrverbs.map -o $@ $(HOST_V_OBJ) $(HOST_OBJ)

# Tests: the library and a device made of C, under the sanitizers. SAN=thread for the other one.
SAN          ?= address,undefined
HOST_T       := $(HOST_B)/test-$(subst $(comma),-,$(SAN))
HOST_T_SRC   := $(wildcard tests/host/*.c)
HOST_T_OBJ   := $(HOST_T_SRC:tests/host/%.c=$(HOST_T)/tests/%.o) $(HOST_SRC:host/%.c=$(HOST_T)/%.o) \
                $(HOST_T)/mr_names.o $(HOST_NIC_SRC:hls/%.c=$(HOST_T)/nic/%.o)
HOST_T_FLAGS := $(HOST_STD) -g -O1 -fno-omit-frame-pointer -fsanitize=$(SAN) -fno-sanitize-recover=all \
                $(HOST_INC) -Itests/host

$(HOST_T)/tests/%.o: tests/host/%.c $(HOST_HDR) $(wildcard tests/host/*.h)
	@mkdir -p $(@D)
	$(CC) $(HOST_T_FLAGS) -c -o $@ $<

$(HOST_T)/mr_names.o: $(B)/gen/mr_names.c
	@mkdir -p $(@D)
	$(CC) $(HOST_T_FLAGS) -c -o $@ $<

$(HOST_T)/nic/%.o: hls/%.c $(B)/native/nic_kernels.h $(B)/gen/mr_defs.h $(B)/gen/icrc_tab.h
	@mkdir -p $(@D)
	$(CC) -std=c23 -g -O1 -fno-omit-frame-pointer -fsanitize=$(SAN) -fno-sanitize-recover=all \
	    $(HOST_NIC_INC) -MMD -MP -c -o $@ $<

$(HOST_T)/%.o: host/%.c $(HOST_HDR)
	@mkdir -p $(@D)
	$(CC) $(HOST_T_FLAGS) -c -o $@ $<

$(HOST_T)/test_host: $(HOST_T_OBJ)
	$(CC) $(HOST_T_FLAGS) -o $@ $^ -lcunit

test-host: $(HOST_T)/test_host
	$<

-include $(patsubst %.o,%.d,$(HOST_NIC_SRC:hls/%.c=$(HOST_B)/nic/%.o) $(HOST_NIC_SRC:hls/%.c=$(HOST_T)/nic/%.o))

# The example is an ordinary program for an ordinary compiler.
HOST_CC ?= gcc
$(HOST_B)/write: host/examples/write.c $(B)/libmetaroce.a $(wildcard host/include/*.h)
	$(HOST_CC) -std=c11 -Wall -Wextra -Werror -Ihost/include -I$(B)/gen -o $@ $< $(B)/libmetaroce.a -pthread

HOST_TOOL_FLAGS = -std=c23 -D_GNU_SOURCE -Wall -Wextra -Werror $(CFLAGS) -Ihost/include -Ihost/tools -I$(B)/gen
HOST_TOOL_HDR  := $(wildcard host/tools/*.h host/include/*.h) $(B)/gen/metaroce_codes.h

$(B)/mr_sendfile: host/tools/mr_sendfile.c host/tools/control.c host/tools/progress.c \
                  host/tools/report.c $(B)/libmetaroce.a $(HOST_TOOL_HDR)
	$(CC) $(HOST_TOOL_FLAGS) -o $@ $(filter %.c %.a,$^) -ljansson -lcrypto -pthread

$(B)/mr_run: host/tools/mr_run.c host/tools/run_children.c host/tools/run_table.c host/tools/run_paths.c $(HOST_TOOL_HDR)
	$(CC) $(HOST_TOOL_FLAGS) -o $@ $(filter %.c,$^) -ljansson

# The names of tables and fields come from the library's own object, which installed copies hide.
$(B)/mrnic: $(wildcard host/tools/mrnic*.c) host/tools/look.c host/tools/top_frame.c host/tools/report.c host/tools/run_paths.c \
            $(B)/libmetaroce.a $(HOST_TOOL_HDR) host/lib/tele.h host/lib/rows.h
	$(CC) $(HOST_TOOL_FLAGS) $(HOST_INC) -DMR_VERSION='"$(HOST_VERSION)"' -o $@ $(filter %.c %.a,$^) -ljansson -lncurses -ltinfo -pthread
