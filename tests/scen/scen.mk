# SPDX-License-Identifier: BSD-2-Clause
# tests/scen: scenarios on the simulator's core. Wants sim.mk and graph.mk.

SCEN_LIB   := $(filter-out tests/scen/main_%.c,$(wildcard tests/scen/*.c))
SCEN_HDR   := $(wildcard tests/scen/*.h sim/*.h) $(B)/gen/mr_defs.h
SCEN_FLAGS := -std=c23 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -Itests/scen -Isim -Ihls -Idefs -I$(B)/gen
SCEN_OBJ   := $(SCEN_LIB:tests/scen/%.c=$(B)/scen/%.o)
SCEN_NATIVE = $(SIM_OBJ) $(SIM_NAT_OBJ) $(B)/native/libmrnic.a
SCEN_RTL    = $(SCEN_NATIVE) $(B)/vl/engine_rtl.o $(B)/vl/Vmr_nic_sim__ALL.a

$(B)/scen/%.o: tests/scen/%.c $(SCEN_HDR)
	@mkdir -p $(@D)
	$(CC) $(SCEN_FLAGS) -c -o $@ $<

$(B)/scen/scen_bench: $(B)/scen/main_bench.o $(SCEN_OBJ) $(SCEN_RTL)
	$(SIM_CXX) -g -o $@ $^ $(SIM_VRUN:%=$(B)/vl/%) $(SIM_LIBS) -lpthread -lz

# The same without the RTL, for tables of full size: EQUIV_FULL builds it in $(B)/full.
$(B)/scen/scen_bench_native: $(B)/scen/main_bench.o $(SCEN_OBJ) $(SCEN_NATIVE)
	$(CC) -g -o $@ $^ $(SIM_LIBS)

.PHONY: scen-full
scen-full: $(HLSC)
	@$(MAKE) $(EQUIV_FULL) $(B)/full/scen/scen_bench_native

$(B)/scen/scen_soak: $(B)/scen/main_soak.o $(SCEN_OBJ) $(SCEN_NATIVE)
	$(CC) -g -o $@ $^ $(SIM_LIBS)

$(B)/scen/scen_soak_rtl: $(B)/scen/main_soak.o $(SCEN_OBJ) $(SCEN_RTL)
	$(SIM_CXX) -g -o $@ $^ $(SIM_VRUN:%=$(B)/vl/%) $(SIM_LIBS) -lpthread -lz

# N random scenarios from SEED on; ENGINE=native unless RTL is asked for.
SOAK_ENGINE = $(if $(filter command environment,$(firstword $(origin ENGINE))),$(ENGINE),native)
.PHONY: soak
soak: $(B)/scen/scen_soak$(if $(filter rtl,$(SOAK_ENGINE)),_rtl)
	@$< -e $(SOAK_ENGINE) -s $(SEED) -n $(or $(N),100) $(SOAK_FLAGS)
