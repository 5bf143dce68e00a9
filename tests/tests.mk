# SPDX-License-Identifier: BSD-2-Clause
# tests: the suites that look at several parts at once, and the run of them all.

include tests/hls/bench/bench.mk
include tests/hls/movers/movers.mk
include tests/hls/recv/recv.mk
include tests/hls/track/track.mk
include tests/hls/pages/pages.mk
include tests/replay/replay.mk
include tests/equiv/equiv.mk
include tests/rate/rate.mk
include tests/scen/scen.mk
include tests/product/product.mk
include tests/verbs/verbs.mk

# Two native NICs with everything between them; kernels with sanitizers.
NIC_TEST_SRC := $(wildcard tests/nic/*.c) hls/native/nic_native.c $(GRAPH_KERNELS_C)

$(B)/tests/nic/test_nic: $(NIC_TEST_SRC) $(wildcard tests/nic/*.h hls/*.h hls/*/*.h hls/graph/*.def) \
		$(B)/native/nic_kernels.h $(B)/gen/mr_defs.h $(B)/gen/icrc_tab.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZE) $(NATIVE_CFLAGS) -Itests/nic -o $@ $(NIC_TEST_SRC) -lcunit -lz

.PHONY: test-nic
test-nic: $(B)/tests/nic/test_nic
	@$<

# The main job. The default file is the source tree itself, packed the same way
# every time.
LOSS   ?= 0.01
SEED   ?= 1
PATHS  ?= 4
PLANES ?= 1
ENGINE ?= rtl
FILE   ?= $(B)/run.tar
RUN_DIRS := $(wildcard defs docs firmware hls host hw mk sim tests)

$(B)/run.tar: $(shell find $(RUN_DIRS) -type f)
	@tar -cf $@ --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner $(RUN_DIRS)

RUN_SIM := $(if $(WAVES),$(B)/mrsim-fst,$(B)/mrsim)
.PHONY: run
run: $(B)/mr_run $(B)/mr_sendfile $(RUN_SIM) $(if $(filter $(B)/run.tar,$(FILE)),$(FILE))
	@$(B)/mr_run --engine $(ENGINE) --mrsim $(RUN_SIM) --loss $(LOSS) --seed $(SEED) --paths $(PATHS) --planes $(PLANES) \
		--pcap $(B)/run.pcap --json $(B)/run.json $(if $(WAVES),--waves $(B)/run.fst) $(FILE)

.PHONY: test-run
test-run: $(B)/mr_run $(B)/mr_sendfile $(B)/mrsim $(B)/run.tar
	@B=$(B) tests/run/run.sh

# All suites. Each prints `SUITE name: P passed, F failed, S skipped` as its last
# line; the sum of them is the last line of all.
SUITES ?= defs lint hlsc kernels state movers recv track pages nic hw sim scen host product run verbs replay equiv full

.PHONY: test
test:
	@SUITES="$(SUITES)" MAKEFILE=mk/build.mk mk/test.sh

# Figures: tests/bench/README.md says what each is.
$(B)/bench/probe: tests/bench/probe.c $(EQUIV_SRC) $(EQUIV_HDR) $(call EQUIV_SIM,)
	@mkdir -p $(@D)
	$(CC) $(EQUIV_FLAGS) -c -o $(B)/bench/probe.o tests/bench/probe.c
	for f in bench run script; do $(CC) $(EQUIV_FLAGS) -c -o $(B)/bench/$$f.o tests/equiv/$$f.c || exit 1; done
	$(SIM_CXX) -g -o $@ $(B)/bench/probe.o $(B)/bench/bench.o $(B)/bench/run.o $(B)/bench/script.o \
		$(call EQUIV_SIM,) $(SIM_VRUN:%=$(B)/vl/%) $(EQUIV_LIBS)

# ONLY=rtl.goodput: the keys that begin so.
.PHONY: bench
bench: $(B)/bench/probe $(B)/scen/scen_bench scen-full $(HLSC)
	@python3 -B tests/bench/bench.py $(B) "$(ONLY)" $(GRAPH_KERNELS_C) -- $(HLSC_KERNEL_FLAGS)

# Every kernel of the NIC, native against Verilated in lock step, on random
# stimulus with random back-pressure.
KERNELS_T := $(B)/tests/kernels
$(KERNELS_T)/RESULT: $(GRAPH_KERNELS:%=$(B)/rtl/%.v) $(HLSC_HARNESS) $(HLSC_TEST)/run.sh
	KERNEL_FLAGS="$(HLSC_KERNEL_FLAGS)" HLSC_CYCLES=50000 $(HLSC_TEST)/run.sh directed $(KERNELS_T) $(HLSC_TOOLS) $(GRAPH_KERNELS_C)

.PHONY: test-kernels
test-kernels: $(KERNELS_T)/RESULT
	@$(HLSC_TEST)/run.sh summary $< | sed 's/SUITE hlsc/SUITE kernels/'

# What `make state` and `make rate` say: against the RTL, and what must hold of any figures.
.PHONY: test-state
test-state: $(B)/state/state.json $(B)/tests/rate/rate
	@python3 -B tests/state/test_state.py $< $(B)/state $(B)/tests/rate/rate

# Verilator finds nothing in any RTL, and committed generated files are up to date.
.PHONY: test-lint
test-lint:
	@passed=0; failed=0; \
	for t in lint-rtl check-gen; do \
		if $(MAKE) --no-print-directory -s -f mk/build.mk $$t; then passed=$$((passed + 1)); \
		else failed=$$((failed + 1)); echo "FAILED: $$t"; fi; \
	done; \
	echo "SUITE lint: $$passed passed, $$failed failed, 0 skipped"; [ $$failed = 0 ]
