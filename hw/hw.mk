# The RTL shell: lint and unit tests. Wants CC, CFLAGS and B from the root
# Makefile and hls/graph/graph.mk.

HW_RTL    := $(wildcard hw/rtl/*.sv)
HW_SIM    := $(wildcard hw/sim/*.sv)
HLSC_RTL  := $(wildcard hls/hlsc/rtl/*.v)
VERILATOR ?= verilator
VLINT     := $(VERILATOR) --lint-only -Wall --assert -y hw/rtl -y hw/sim -y hls/hlsc/rtl

.PHONY: lint-rtl lint-shell
lint-rtl: lint-shell $(B)/rtl/mr_core.v
	$(VLINT) -y $(B)/rtl $(B)/rtl/mr_core.v hw/sim/mr_nic_sim.sv --top-module mr_nic_sim

# The shell alone, without the kernels: mr_core is made from a toy graph.
lint-shell: $(B)/tests/hw/mr_core.v
	$(VLINT) -y tests/hw/toy $< hw/sim/mr_nic_sim.sv --top-module mr_nic_sim
	@for m in $(basename $(notdir $(filter-out %/mr_nic.sv,$(HW_RTL)))); do \
		$(VLINT) hw/rtl/$$m.sv --top-module $$m || exit 1; done

# Unit tests, see tests/hw/README.md. Each bench is one Verilated top.

HWT        := $(B)/tests/hw
HWT_CXX    ?= g++
HWT_VROOT  := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)/include
HWT_CXXFLAGS := -std=gnu++17 -O1 -Wall -Itests/hw -I$(HWT_VROOT) -I$(HWT_VROOT)/vltstd \
	-DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE=0 -DVL_USER_STOP
HWT_BENCH  := units axil axi axis assert nic
HWT_LIB    := $(HWT)/verilated.o $(HWT)/verilated_threads.o
HWT_TOY    := $(wildcard tests/hw/toy/*)

.PHONY: test-hw
test-hw: $(HWT_BENCH:%=$(HWT)/test_%) $(HWT)/test_native $(HWT)/test_native_perm
	@python3 -B tests/hw/run.py $(HWT) $(HWT_BENCH) native native_perm

$(HWT)/mr_core.v: $(HWT_TOY) $(GRAPH_PY) hls/graph/shell.def hls/ext.h
	@mkdir -p $(@D)
	@$(GEN_CORE) --rtl tests/hw/toy -o $@ tests/hw/toy/toy.def 2>$@.notes || { cat $@.notes; exit 1; }

$(HWT_LIB): $(HWT)/%.o: $(HWT_VROOT)/%.cpp
	@mkdir -p $(@D)
	$(HWT_CXX) $(HWT_CXXFLAGS) -w -c -o $@ $<

# The top of bench X is X_bench in tests/hw/X_bench.sv, or the module itself.
HWT_TOP_assert := hw/sim/axi_assert.sv
HWT_TOP_nic    := $(HWT)/mr_core.v hw/sim/mr_nic_sim.sv
HWT_MOD_assert := axi_assert
HWT_MOD_nic    := mr_nic_sim

define HW_BENCH
$(HWT)/test_$(1): tests/hw/test_$(1).cpp $$(wildcard tests/hw/*_bench.sv tests/hw/*.h) $$(HW_RTL) $$(HW_SIM) $$(HWT_LIB) $$(HWT)/mr_core.v
	@rm -rf $(HWT)/v_$(1) && mkdir -p $(HWT)/v_$(1)
	$$(VERILATOR) --cc --assert -O3 --x-assign unique --x-initial unique -Wno-fatal -Mdir $(HWT)/v_$(1) --prefix Vtop \
		-y hw/rtl -y hw/sim -y tests/hw/toy \
		--top-module $$(or $$(HWT_MOD_$(1)),$(1)_bench) $$(or $$(HWT_TOP_$(1)),tests/hw/$(1)_bench.sv)
	cd $(HWT)/v_$(1) && cat Vtop*.cpp >all.cc
	$$(HWT_CXX) $$(HWT_CXXFLAGS) -w -I$(HWT)/v_$(1) -o $$@ tests/hw/test_$(1).cpp $(HWT)/v_$(1)/all.cc $$(HWT_LIB) -lcunit -lpthread
endef
$(foreach b,$(HWT_BENCH),$(eval $(call HW_BENCH,$(b))))

HWT_CFLAGS := -std=c23 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all \
	-DMR_CHECK_LAZY -Ihls -Itests/hw/toy -I$(HWT)
HWT_C      := tests/hw/test_native.c hls/native/nic_native.c tests/hw/toy/toy_regs.c \
	tests/hw/toy/toy_copy.c tests/hw/toy/toy_echo.c

$(HWT)/nic_kernels.h:
	@mkdir -p $(@D)
	@printf '#include "toy.h"\n' >$@

$(HWT)/test_native: GRAPH := toy.def
$(HWT)/test_native_perm: GRAPH := toy_perm.def
$(HWT)/test_native $(HWT)/test_native_perm: $(HWT_C) $(HWT_TOY) $(wildcard hls/native/*.h hls/*.h hls/graph/*.h) $(HWT)/nic_kernels.h
	$(CC) $(HWT_CFLAGS) -DMR_GRAPH_DEF='"$(GRAPH)"' -o $@ $(HWT_C) -lcunit
