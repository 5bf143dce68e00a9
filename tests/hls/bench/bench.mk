# SPDX-License-Identifier: BSD-2-Clause
# bench.mk - a suite of single kernels: $(call HLS_SUITE,NAME,KERNELS,TESTS,FLAGS,LIBS) builds
# $(B)/tests/NAME/NAME of hls/KERNELS.c, tests/hls/NAME/TESTS.c and bench.c. The root gives
# CC, CFLAGS, B, SANITIZE and the rules for $(B)/gen.

HLS_BENCH := tests/hls/bench

define HLS_SUITE
$(1)_O := $(B)/tests/$(1)
$(1)_OBJ := $(2:%=$(B)/tests/$(1)/hls/%.o) $(3:%=$(B)/tests/$(1)/%.o) $(B)/tests/$(1)/bench.o
$(1)_CFLAGS := $(CFLAGS) -O1 -g $(4) $(SANITIZE) -I$(HLS_BENCH)

$(B)/tests/$(1)/hls/%.o: hls/%.c $(B)/gen/icrc_tab.h $(B)/gen/mr_defs.h
	@mkdir -p $$(@D)
	$(CC) $$($(1)_CFLAGS) -MMD -c -o $$@ $$<

$(B)/tests/$(1)/bench.o: $(HLS_BENCH)/bench.c $(B)/gen/mr_defs.h
	@mkdir -p $$(@D)
	$(CC) $$($(1)_CFLAGS) -MMD -c -o $$@ $$<

$(B)/tests/$(1)/%.o: tests/hls/$(1)/%.c $(B)/gen/mr_defs.h
	@mkdir -p $$(@D)
	$(CC) $$($(1)_CFLAGS) -MMD -c -o $$@ $$<

$(B)/tests/$(1)/$(1): $$($(1)_OBJ)
	$(CC) $$($(1)_CFLAGS) -o $$@ $$^ -lcunit $(5)

-include $$($(1)_OBJ:.o=.d)
endef
