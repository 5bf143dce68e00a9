# The process graph: the native NIC and the RTL core. Wants CC, CFLAGS and B from
# the root Makefile, and $(B)/rtl/<kernel>.v from hls/hlsc/hlsc.mk.
#
# A graph's kernels are the second arguments of its MR_INST rows; kernel K is in
# K.h and K.c in the folder of its block, hls/BLOCK/.

GRAPH_DEF     ?= hls/graph/nic.def
GRAPH_KERNELS := $(shell sed -n 's/^MR_INST([^,]*, *\([a-z0-9_]*\)).*/\1/p' $(GRAPH_DEF) | sort -u)
GRAPH_KERNELS_C := $(foreach k,$(GRAPH_KERNELS),$(wildcard hls/*/$(k).c))
GRAPH_PY      := hls/graph/gen_core.py hls/graph/graph.py hls/graph/verilog.py
GRAPH_CPP     := $(CC) -E -x c -Idefs -Ihls/graph
GEN_CORE      := python3 -B hls/graph/gen_core.py --cpp "$(GRAPH_CPP)"
GRAPH_ROWS    := $(GRAPH_DEF) hls/graph/shell.def hls/ext.h $(wildcard defs/counters.def)

# RTL

$(B)/rtl/mr_core.v: $(GRAPH_ROWS) $(GRAPH_PY) $(GRAPH_KERNELS:%=$(B)/rtl/%.v)
	@mkdir -p $(@D)
	$(GEN_CORE) --rtl $(B)/rtl -o $@ $(GRAPH_DEF)

$(B)/rtl/mr_ids.h: $(GRAPH_ROWS) $(GRAPH_PY)
	@mkdir -p $(@D)
	$(GEN_CORE) --ids -o $@ $(GRAPH_DEF)

# Picture: docs/graph.dot always, docs/graph.svg where Graphviz is installed.
.PHONY: graph
graph:
	$(GEN_CORE) --dot -o docs/graph.dot $(GRAPH_DEF)
	if command -v dot >/dev/null; then dot -Tsvg -o docs/graph.svg docs/graph.dot; fi

# Native NIC: $(B)/native/libmrnic.a holds nic.h's functions and the kernels.
# HLS_PARAMS may hold -DMR_..._LOG2=n (hls/params.h).

NATIVE_CFLAGS := -std=c23 -Ihls -Idefs -I$(B)/gen -I$(B)/native $(HLS_PARAMS)
NATIVE_OBJ    := $(B)/native/nic_native.o $(GRAPH_KERNELS:%=$(B)/native/k_%.o)

$(B)/native/nic_kernels.h: $(GRAPH_DEF) hls/graph/graph.mk
	@mkdir -p $(@D)
	@printf '#include "%s"\n' $(GRAPH_KERNELS_C:hls/%.c=%.h) >$@

$(B)/native/nic_native.o: hls/native/nic_native.c $(B)/native/nic_kernels.h | $(B)/gen/mr_defs.h $(B)/gen/icrc_tab.h
	$(CC) $(CFLAGS) $(NATIVE_CFLAGS) -MMD -MP -c -o $@ $<

define NATIVE_KERNEL
$(B)/native/k_$(1).o: $(wildcard hls/*/$(1).c) | $(B)/gen/mr_defs.h $(B)/gen/icrc_tab.h
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(NATIVE_CFLAGS) -MMD -MP -c -o $$@ $$<
endef
$(foreach k,$(GRAPH_KERNELS),$(eval $(call NATIVE_KERNEL,$(k))))

$(B)/native/libmrnic.a: $(NATIVE_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

-include $(NATIVE_OBJ:.o=.d)
