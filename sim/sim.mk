# The simulator. Wants CC, CFLAGS and B from the root Makefile, and graph.mk for
# the native NIC and mr_core.v.
#
#   $(B)/mrsim            engines rtl, native, loopback (Verilator)
#   $(B)/mrsim-fst        the same with --fst: waves
#   $(B)/mrsim-trace      the same with --trace: pins of every kernel
#   $(B)/mrsim-native     engines native, loopback: for quick tests
#   $(B)/mrsim-loopback   the test engine only
#   test-sim              unit tests of sim/

VERILATOR   ?= verilator
SIM_CXX     ?= clang++-19
SIM_ENGINES := sim/engine_native.c sim/native_dma.c
SIM_C       := $(filter-out sim/main.c $(SIM_ENGINES),$(wildcard sim/*.c))
SIM_CFLAGS  := -std=c23 -D_GNU_SOURCE -Isim -Ihls -Idefs -I$(B)/gen
SIM_OBJ     := $(SIM_C:sim/%.c=$(B)/sim/%.o)
SIM_NAT_OBJ := $(SIM_ENGINES:sim/%.c=$(B)/sim/%.o)
SIM_LIBS    := -ljansson -lm

$(B)/sim/%.o: sim/%.c | $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SIM_CFLAGS) -DMR_VERSION='"$(HOST_VERSION)"' -MMD -MP -c -o $@ $<

$(B)/mrsim-loopback: $(SIM_OBJ) $(B)/sim/main.o
	$(CC) $(CFLAGS) -o $@ $^ $(SIM_LIBS)

$(B)/mrsim-native: $(SIM_OBJ) $(SIM_NAT_OBJ) $(B)/sim/main.o $(B)/native/libmrnic.a
	$(CC) $(CFLAGS) -o $@ $^ $(SIM_LIBS)

# The Verilated models, assertions on: $(B)/vl, $(B)/vl-fst, $(B)/vl-trace.
# $(1): suffix; $(2): flags of Verilator; $(3): VM_TRACE; $(4): its runtime's objects.

SIM_VROOT   := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)
SIM_VSRC    := $(wildcard hw/rtl/*.sv hw/sim/*.sv hls/hlsc/rtl/*.v)
SIM_VJOBS   ?= 2
SIM_VDIRS   ?= -y hw/rtl -y hw/sim -y hls/hlsc/rtl -y $(B)/rtl
SIM_VFLAGS  := --cc --assert -O3 --x-assign fast --x-initial fast --threads 1 -Wno-fatal -Wno-lint -Wno-style \
	--output-split 20000 --output-split-cfuncs 2000 --prefix Vmr_nic_sim --top-module mr_nic_sim
SIM_VMAKE   := VM_PARALLEL_BUILDS=1 OPT_FAST="-O2 -w" OPT_SLOW="-O0 -w" OPT_GLOBAL="-O2 -w" CXX=$(SIM_CXX)
SIM_CXXFLAGS := -std=c++17 -O2 -g -Wall -Wextra -Isim -isystem $(SIM_VROOT)/include \
	-isystem $(SIM_VROOT)/include/vltstd -DVM_COVERAGE=0 -DVM_SC=0

define SIM_MODEL
$(B)/vl$(1)/Vmr_nic_sim__ALL.a: $(B)/rtl/mr_core.v $(SIM_VSRC)
	@rm -rf $$(@D) && mkdir -p $$(@D)
	$(VERILATOR) $(SIM_VFLAGS) $(2) $(SIM_VDIRS) -Mdir $$(@D) $(B)/rtl/mr_core.v hw/sim/mr_nic_sim.sv
	@$$(MAKE) --no-print-directory -s $$(if $$(findstring jobserver,$$(MAKEFLAGS)),,-j$(SIM_VJOBS)) -C $$(@D) -f Vmr_nic_sim.mk $(SIM_VMAKE) Vmr_nic_sim__ALL.a $(4) >/dev/null

$(B)/vl$(1)/engine_rtl.o: sim/engine_rtl.cc sim/engine.h sim/trace.h $(B)/vl$(1)/Vmr_nic_sim__ALL.a
	$(SIM_CXX) $(SIM_CXXFLAGS) -DVM_TRACE=$(3) $(filter -D%,$(2)) -I$(B)/vl$(1) -c -o $$@ $$<

$(B)/mrsim$(1): $(SIM_OBJ) $(SIM_NAT_OBJ) $(B)/sim/main.o $(B)/vl$(1)/engine_rtl.o $(5) \
		$(B)/vl$(1)/Vmr_nic_sim__ALL.a $(B)/native/libmrnic.a
	$(SIM_CXX) -O2 -g -o $$@ $$^ $(addprefix $(B)/vl$(1)/,$(4)) $(SIM_LIBS) -lpthread -lz
endef
SIM_VRUN := verilated.o verilated_threads.o
$(eval $(call SIM_MODEL,,,0,$(SIM_VRUN)))
$(eval $(call SIM_MODEL,-fst,--trace-fst,1,$(SIM_VRUN) verilated_fst_c.o))
$(eval $(call SIM_MODEL,-trace,-DMR_TRACE,0,$(SIM_VRUN) verilated_dpi.o,$(B)/vl-trace/trace_calls.o))

# mr_trace_<kernel> for every kernel that imports it: "in_pins" and "out_pins" are
# on two lines of the generated Verilog, with their widths.
$(B)/vl-trace/trace_calls.cc: sim/trace_calls.awk $(B)/vl-trace/Vmr_nic_sim__ALL.a
	awk -f $< $(B)/rtl/*.v >$@

$(B)/vl-trace/trace_calls.o: $(B)/vl-trace/trace_calls.cc sim/trace.h
	$(SIM_CXX) $(SIM_CXXFLAGS) -DVM_TRACE=0 -I$(B)/vl-trace -c -o $@ $<

# Tests, with sanitizers.

SIM_SAN    := -fsanitize=address,undefined -fno-sanitize-recover=undefined
SIM_TEST_C := $(wildcard tests/sim/*.c)

$(B)/tests/test_sim: $(SIM_C) $(SIM_TEST_C) $(wildcard sim/*.h tests/sim/*.h) $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) -std=c23 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror $(SIM_SAN) -Isim -Itests/sim -I$(B)/gen -o $@ \
		$(SIM_C) $(SIM_TEST_C) $(SIM_LIBS) -lcunit -lpthread

.PHONY: test-sim
test-sim: $(B)/tests/test_sim
	@timeout -k 5 120 $<

-include $(wildcard $(B)/sim/*.d)
