# SPDX-License-Identifier: BSD-2-Clause
# hls: the RTL of every kernel in the graph, and tables that programs compute.
# Wants CC, CFLAGS and B from the root Makefile, hlsc.mk and graph.mk.

HLSC_KERNEL_FLAGS = -Ihls -Idefs -I$(B)/gen $(HLS_PARAMS)
$(foreach c,$(GRAPH_KERNELS_C),$(eval $(call hlsc_kernel,$(c),$(basename $(notdir $(c))))))
$(GRAPH_KERNELS:%=$(B)/rtl/%.v): | $(B)/gen/mr_defs.h $(B)/gen/icrc_tab.h

.PHONY: rtl report
rtl: $(B)/rtl/mr_core.v
report: rtl
	@for k in $(GRAPH_KERNELS_C); do $(HLSC) $$k -k $$(basename $$k .c) -o /dev/null --report -- $(HLSC_KERNEL_FLAGS) || exit 1; done

# What the NIC keeps at full size, whatever SIZE is, and where it would live on a card.
STATE_PY  := hls/graph/state.py hls/graph/cards.py hls/graph/state_table.py
STATE_FLAGS = -Ihls -Idefs -I$(B)/gen
$(B)/state/state.json: hls/graph/state.py $(GRAPH_PY) $(GRAPH_ROWS) $(GRAPH_KERNELS_C) \
		$(wildcard hls/*.h hls/*/*.h) $(HLSC) $(B)/gen/mr_defs.h $(B)/gen/icrc_tab.h
	@mkdir -p $(@D)
	@python3 -B $< $(@D) $(HLSC) $(CC) $(GRAPH_DEF) hls/params.h $(GRAPH_KERNELS_C) -- $(STATE_FLAGS)

.PHONY: state
state: $(B)/state/state.json
	@python3 -B hls/graph/state_table.py $<

$(B)/gen/icrc_tab.h: hls/icrc/gen_icrc.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $(B)/gen/gen_icrc $< -lz
	$(B)/gen/gen_icrc >$@.tmp && mv $@.tmp $@
