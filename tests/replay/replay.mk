# SPDX-License-Identifier: BSD-2-Clause
# tests/replay: the recorded pins of every RTL kernel against the same kernel
# run natively. Wants sim.mk and graph.mk.
#
#   test-replay               records a run, replays it, and shows that a difference is found
#   $(B)/tests/replay/replay  for traces of any mrsim-trace run: replay FILE.0.EXT FILE.1.EXT

include tests/equiv/equiv.mk

REPLAY       := $(B)/tests/replay
REPLAY_GLUE  := $(GRAPH_KERNELS:%=$(B)/rtl/%.glue.h)
REPLAY_C     := tests/replay/replay.c tests/replay/kernels.c sim/trace.c
REPLAY_FLAGS := -std=c23 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror $(SANITIZE) -Itests/replay -Isim \
	-I$(REPLAY) -I$(B)/rtl $(NATIVE_CFLAGS)
REPLAY_OBJ   := $(REPLAY_C:%.c=$(REPLAY)/%.o)
REPLAY_K     := $(GRAPH_KERNELS:%=$(REPLAY)/k/%.o)

$(REPLAY)/replay_kernels.h: $(GRAPH_DEF) tests/replay/replay.mk
	@mkdir -p $(@D)
	@{ echo '#ifndef REPLAY_KERNEL'; \
	   printf '#include "%s"\n' $(GRAPH_KERNELS_C:hls/%.c=%.h) $(GRAPH_KERNELS:%=%.glue.h); \
	   echo '#else'; printf 'REPLAY_KERNEL(%s)\n' $(GRAPH_KERNELS); echo '#endif'; } >$@

$(REPLAY_OBJ): $(REPLAY)/%.o: %.c $(wildcard tests/replay/*.h sim/*.h) $(REPLAY)/replay_kernels.h $(REPLAY_GLUE) $(B)/rtl/mr_ids.h
	@mkdir -p $(@D)
	$(CC) $(REPLAY_FLAGS) -c -o $@ $<

define REPLAY_KERNEL
$(REPLAY)/k/$(1).o: $(wildcard hls/*/$(1).c) | $(B)/gen/mr_defs.h $(B)/gen/icrc_tab.h
	@mkdir -p $$(@D)
	$$(CC) $$(REPLAY_FLAGS) -MMD -MP -c -o $$@ $$<
endef
$(foreach k,$(GRAPH_KERNELS),$(eval $(call REPLAY_KERNEL,$(k))))
-include $(REPLAY_K:.o=.d)

$(REPLAY)/replay: $(REPLAY_OBJ) $(REPLAY_K)
	$(CC) $(SANITIZE) -o $@ $^

# A kernel with one constant changed: MUTANT_<kernel> is the change, for sed.
MUTANTS        := ctrl cqe tx_sched
MUTANT_ctrl     := s|= MR_PROF_CWND_INIT;|= MR_PROF_CWND_INIT + 1;|
MUTANT_cqe      := s/<< 5)/<< 6)/
MUTANT_tx_sched := s/n << each)}/(n + (u(16))1) << each)}/

define REPLAY_MUTANT
$(REPLAY)/mutant/$(1).c: $(wildcard hls/*/$(1).c) tests/replay/replay.mk
	@mkdir -p $$(@D)
	@sed '$$(MUTANT_$(1))' $$< >$$@ && { ! cmp -s $$< $$@ || { echo 'mutant $(1): nothing to change'; rm $$@; false; }; }

$(REPLAY)/mutant/$(1): $(REPLAY)/mutant/$(1).c $(REPLAY_OBJ) $(filter-out $(REPLAY)/k/$(1).o,$(REPLAY_K))
	$$(CC) $$(REPLAY_FLAGS) -o $$@ $$^
endef
$(foreach k,$(MUTANTS),$(eval $(call REPLAY_MUTANT,$(k))))

$(REPLAY)/record.o: tests/replay/record.c $(EQUIV_HDR)
	@mkdir -p $(@D)
	$(CC) $(EQUIV_FLAGS) $(SANITIZE) -c -o $@ $<

$(REPLAY)/record: $(REPLAY)/record.o $(EQUIV_OBJ) $(call EQUIV_SIM,-trace) $(B)/vl-trace/trace_calls.o
	$(SIM_CXX) -g $(SANITIZE) -o $@ $^ $(patsubst %,$(B)/vl-trace/%,$(SIM_VRUN) verilated_dpi.o) $(EQUIV_LIBS)

.PHONY: test-replay
test-replay: $(REPLAY)/replay $(REPLAY)/record $(MUTANTS:%=$(REPLAY)/mutant/%) \
		$(B)/mrsim-trace $(B)/mr_run $(B)/mr_sendfile $(B)/run.tar
	@B=$(B) tests/replay/test.sh $(REPLAY) $(MUTANTS)
