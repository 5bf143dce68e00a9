# SPDX-License-Identifier: BSD-2-Clause
#
# hlsc: the C-to-RTL compiler, its tests, and the rule by which others use it.
# Included by the root Makefile, which sets CC (clang-19), CFLAGS, B.

HLSC := $(B)/hlsc/hlsc
HLSC_DIR := hls/hlsc
HLSC_TEST := tests/hlsc
HLSC_LLVM ?= /usr/lib/llvm-19
HLSC_SRC := $(wildcard $(HLSC_DIR)/*.c)
HLSC_OBJ := $(HLSC_SRC:$(HLSC_DIR)/%.c=$(B)/hlsc/obj/%.o)
HLSC_CFLAGS := -std=c23 -Wall -Wextra -Werror -O2 -g -D_GNU_SOURCE -I$(HLSC_LLVM)/include
HLSC_LIBS := -L$(HLSC_LLVM)/lib -lLLVM-19 -lclang-19 -Wl,-rpath,$(HLSC_LLVM)/lib
HLSC_Q := $(if $(V),,@)

$(B)/hlsc/obj/%.o: $(HLSC_DIR)/%.c
	@mkdir -p $(@D)
	$(HLSC_Q)clang-19 $(HLSC_CFLAGS) -MMD -MP -c $< -o $@

$(HLSC): $(HLSC_OBJ)
	$(HLSC_Q)clang-19 $^ $(HLSC_LIBS) -o $@.tmp && mv $@.tmp $@ # others may be running the old one

-include $(HLSC_OBJ:.o=.d)

# $(eval $(call hlsc_kernel,SOURCE,NAME)) makes $(B)/rtl/NAME.v and
# $(B)/rtl/NAME.glue.h; HLSC_KERNEL_FLAGS are given to clang. Headers that the
# kernel includes are dependencies too.
HLSC_KERNEL_FLAGS ?= -Ihls
define hlsc_kernel
$(B)/rtl/$(2).v $(B)/rtl/$(2).glue.h $(B)/rtl/$(2).json &: $(1) $(HLSC)
	@mkdir -p $(B)/rtl
	$(HLSC_Q)$(HLSC) $(1) -k $(2) -o $(B)/rtl/$(2).v --glue $(B)/rtl/$(2).glue.h \
		--json $(B)/rtl/$(2).json -- $(HLSC_KERNEL_FLAGS)
	@clang-19 -std=c23 $(HLSC_KERNEL_FLAGS) -MM -MP -MT '$(B)/rtl/$(2).v' $(1) > $(B)/rtl/$(2).d
-include $(B)/rtl/$(2).d
endef

# ---- tests: directed kernels, random kernels, refusals, mistakes, other tools
#
# Every step leaves a file RESULT with `passed failed skipped`; test-hlsc adds
# them up. A step runs again only if the compiler, the harness or its kernels
# changed.

HLSC_T := $(B)/hlsc/t
HLSC_TOOLS := $(B)/hlsc/tools
HLSC_BATCHES ?= $(shell seq 1 20)
HLSC_PER_BATCH ?= 25
HLSC_CYCLES ?= 3000
HLSC_MISTAKES ?= 1 2 3 4 5 6 7 8 9
HLSC_MISTAKE_KERNELS := sack rows signs update fifo cases barrel counters
HLSC_VINC := /usr/share/verilator/include
HLSC_KERNELS := $(wildcard $(HLSC_TEST)/kernels/*.c)
HLSC_HARNESS := $(addprefix $(HLSC_TOOLS)/,hlsc gen gentop.o lockstep.o verilated.o verilated_threads.o) \
	$(addprefix $(HLSC_TEST)/,batch.sh kut.h lockstep.h top.cc) hls/stream.h $(HLSC_DIR)/rtl/mr_skid.v
HLSC_TCFLAGS := -std=c23 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE

$(HLSC_TOOLS)/hlsc: $(HLSC) # a copy only if it differs, so that a mere relink repeats no test
	@mkdir -p $(@D)
	@cmp -s $< $@ || cp $< $@
$(HLSC_TOOLS)/%.o: $(HLSC_TEST)/%.c $(HLSC_TEST)/lockstep.h $(HLSC_TEST)/port.h
	@mkdir -p $(@D)
	$(HLSC_Q)clang-19 $(HLSC_TCFLAGS) -c $< -o $@
$(HLSC_TOOLS)/%.o: $(HLSC_VINC)/%.cpp
	@mkdir -p $(@D)
	$(HLSC_Q)clang++-19 -O1 -w -I$(HLSC_VINC) -I$(HLSC_VINC)/vltstd -c $< -o $@
$(HLSC_TOOLS)/gen: $(HLSC_TEST)/gen.c $(HLSC_TEST)/gen_code.c $(HLSC_TEST)/gen.h
	@mkdir -p $(@D)
	$(HLSC_Q)clang-19 $(HLSC_TCFLAGS) $(filter %.c,$^) -o $@
$(HLSC_TOOLS)/test_hlsc: $(HLSC_TEST)/test_hlsc.c $(HLSC_TEST)/test_node.c \
		$(filter-out %/hlsc.o,$(HLSC_OBJ))
	@mkdir -p $(@D)
	$(HLSC_Q)clang-19 $(HLSC_TCFLAGS) -I$(HLSC_DIR) $^ $(HLSC_LIBS) -lcunit -o $@

$(HLSC_T)/unit/RESULT: $(HLSC_TOOLS)/test_hlsc $(HLSC_TOOLS)/hlsc $(wildcard $(HLSC_TEST)/refuse/*.c) $(HLSC_KERNELS)
	@mkdir -p $(@D)
	$(HLSC_Q)$(HLSC_TOOLS)/test_hlsc $(HLSC_TOOLS)/hlsc $(HLSC_TEST) $(@D)/work $@
$(HLSC_T)/directed/RESULT: $(HLSC_KERNELS) $(HLSC_HARNESS) $(HLSC_TEST)/run.sh
	$(HLSC_Q)$(HLSC_TEST)/run.sh directed $(@D) $(HLSC_TOOLS) $(HLSC_KERNELS)
$(HLSC_T)/tools/RESULT: $(HLSC_T)/directed/RESULT
	$(HLSC_Q)$(HLSC_TEST)/run.sh tools $(@D) $(HLSC_TOOLS) $(HLSC_T)/directed
$(HLSC_T)/random-%/RESULT: $(HLSC_HARNESS) $(HLSC_TEST)/run.sh
	$(HLSC_Q)HLSC_PER_BATCH=$(HLSC_PER_BATCH) HLSC_CYCLES=$(HLSC_CYCLES) $(HLSC_TEST)/run.sh random $(@D) $(HLSC_TOOLS) $*
$(HLSC_T)/mistake-%/RESULT: $(HLSC_HARNESS) $(HLSC_TEST)/run.sh $(HLSC_KERNELS)
	$(HLSC_Q)$(HLSC_TEST)/run.sh mistake $(@D) $(HLSC_TOOLS) $* \
		$(HLSC_MISTAKE_KERNELS:%=$(HLSC_TEST)/kernels/%.c)

HLSC_RESULTS := $(HLSC_T)/unit/RESULT $(HLSC_T)/directed/RESULT $(HLSC_T)/tools/RESULT \
	$(HLSC_BATCHES:%=$(HLSC_T)/random-%/RESULT) $(HLSC_MISTAKES:%=$(HLSC_T)/mistake-%/RESULT)

.PHONY: test-hlsc fuzz-hlsc
test-hlsc: $(HLSC_RESULTS)
	@$(HLSC_TEST)/run.sh summary $(HLSC_RESULTS)

# fuzz-hlsc N=200 SEED=7: N kernels from the seeds SEED*100000 on.
fuzz-hlsc: $(HLSC_HARNESS)
	$(HLSC_Q)HLSC_CYCLES=$(HLSC_CYCLES) $(HLSC_TEST)/run.sh fuzz $(HLSC_T)/fuzz $(HLSC_TOOLS) $(or $(N),100) $(or $(SEED),1)
