# SPDX-License-Identifier: BSD-2-Clause
# tests/scen: scenarios on the simulator's core. Wants sim.mk and graph.mk.
#
#   test-scen   short scenarios, native with sanitizers and in RTL
#   soak        N random scenarios from SEED on; ENGINE=rtl
#   scen-full   scen_bench with native NICs of full size, in $(B)/full

SCEN       := $(B)/scen
SCEN_LIB   := $(filter-out tests/scen/main_%.c tests/scen/suite_%.c,$(wildcard tests/scen/*.c))
SCEN_SUITE := $(wildcard tests/scen/suite_*.c)
SCEN_HDR   := $(wildcard tests/scen/*.h sim/*.h) $(B)/gen/mr_defs.h
SCEN_FLAGS := -std=c23 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -Itests/scen -Isim -Ihls -Idefs -I$(B)/gen
SCEN_OBJ   := $(SCEN_LIB:tests/scen/%.c=$(SCEN)/%.o)
SCEN_NATIVE = $(SIM_OBJ) $(SIM_NAT_OBJ) $(B)/native/libmrnic.a
SCEN_RTL    = $(SCEN_NATIVE) $(B)/vl/engine_rtl.o $(B)/vl/Vmr_nic_sim__ALL.a
SCEN_LINK_RTL = $(SIM_CXX) -g -o $@ $^ $(SIM_VRUN:%=$(B)/vl/%) $(SIM_LIBS) -lpthread -lz

$(SCEN)/%.o: tests/scen/%.c $(SCEN_HDR)
	@mkdir -p $(@D)
	$(CC) $(SCEN_FLAGS) -c -o $@ $<

$(SCEN)/scen_bench: $(SCEN)/main_bench.o $(SCEN_OBJ) $(SCEN_RTL)
	$(SCEN_LINK_RTL)

# The same without the RTL, for tables of full size: EQUIV_FULL builds it in $(B)/full.
$(SCEN)/scen_bench_native: $(SCEN)/main_bench.o $(SCEN_OBJ) $(SCEN_NATIVE)
	$(CC) -g -o $@ $^ $(SIM_LIBS)

.PHONY: scen-full
scen-full: $(HLSC)
	@$(MAKE) $(EQUIV_FULL) $(B)/full/scen/scen_bench_native

$(SCEN)/scen_soak: $(SCEN)/main_soak.o $(SCEN_OBJ) $(SCEN_NATIVE)
	$(CC) -g -o $@ $^ $(SIM_LIBS)

$(SCEN)/scen_soak_rtl: $(SCEN)/main_soak.o $(SCEN_OBJ) $(SCEN_RTL)
	$(SCEN_LINK_RTL)

# ENGINE has a default that is meant for `make run`.
SOAK_ENGINE = $(if $(filter command environment,$(firstword $(origin ENGINE))),$(ENGINE),native)
.PHONY: soak
soak: $(SCEN)/scen_soak$(if $(filter rtl,$(SOAK_ENGINE)),_rtl)
	@$< -e $(SOAK_ENGINE) -s $(SEED) -n $(or $(N),100) $(SOAK_FLAGS)

# The suite: everything with sanitizers, kernels included; and once with the RTL.
SCEN_SAN_C := $(SCEN_LIB) $(SCEN_SUITE) $(SIM_C) $(SIM_ENGINES) hls/native/nic_native.c $(GRAPH_KERNELS_C)
SCEN_SAN_O := $(SCEN_SAN_C:%.c=$(SCEN)/san/%.o)
SCEN_SAN_FLAGS := -O1 -g -Wall -Wextra -Werror -D_GNU_SOURCE $(SANITIZE) $(NATIVE_CFLAGS) -Isim -Itests/scen

$(SCEN_SAN_O): $(SCEN)/san/%.o: %.c $(B)/native/nic_kernels.h | $(B)/gen/mr_defs.h $(B)/gen/icrc_tab.h
	@mkdir -p $(@D)
	$(CC) $(SCEN_SAN_FLAGS) -MMD -MP -c -o $@ $<
-include $(SCEN_SAN_O:.o=.d)

$(SCEN)/scen_suite: $(SCEN_SAN_O)
	$(CC) -g $(SANITIZE) -o $@ $^ $(SIM_LIBS)

$(SCEN)/scen_suite_rtl: $(SCEN_SUITE:tests/scen/%.c=$(SCEN)/%.o) $(SCEN_OBJ) $(SCEN_RTL)
	$(SCEN_LINK_RTL)

.PHONY: test-scen
test-scen: $(SCEN)/scen_suite $(SCEN)/scen_suite_rtl
	@tests/scen/test.sh $^

$(SCEN)/scen_plots: $(SCEN)/main_plots.o $(SCEN_OBJ) $(SCEN_RTL)
	$(SCEN_LINK_RTL)

# Data files and SVG in $(B)/plots.
.PHONY: plots
plots: $(SCEN)/scen_plots
	@mkdir -p $(B)/plots
	@$< -e $(SOAK_ENGINE) $(B)/plots
	@gnuplot -e "dir='$(B)/plots'" tests/scen/plots.gp
	@ls $(B)/plots/*.svg
