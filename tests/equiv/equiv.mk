# SPDX-License-Identifier: BSD-2-Clause
# tests/equiv: the same scenario natively and in RTL. Wants sim.mk and graph.mk.
#
#   test-equiv    at simulation size, over a list of scenarios
#   test-full     at full size: builds $(B)/full

ifndef EQUIV_SRC # tests/replay includes this file too

EQUIV_SRC   := tests/equiv/bench.c tests/equiv/run.c tests/equiv/script.c
EQUIV_HDR   := $(wildcard tests/equiv/*.h sim/*.h hls/*.h host/include/*.h) $(B)/gen/mr_defs.h $(B)/gen/metaroce_codes.h
EQUIV_FLAGS := -std=c23 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -Itests/equiv -Isim -Ihls -Idefs -I$(B)/gen -Ihost/include
EQUIV_OBJ   := $(EQUIV_SRC:tests/equiv/%.c=$(B)/tests/equiv/%.o)
# The simulator as a library, with the RTL engine of $(B)/vl$(1); the kernels inside it carry no sanitizers.
EQUIV_SIM    = $(SIM_OBJ) $(SIM_NAT_OBJ) $(B)/vl$(1)/engine_rtl.o $(B)/vl$(1)/Vmr_nic_sim__ALL.a $(B)/native/libmrnic.a
EQUIV_LIBS  := $(SIM_LIBS) -lpthread -lz

$(B)/tests/equiv/%.o: tests/equiv/%.c $(EQUIV_HDR)
	@mkdir -p $(@D)
	$(CC) $(EQUIV_FLAGS) $(SANITIZE) -c -o $@ $<

$(B)/tests/equiv/equiv: $(B)/tests/equiv/equiv.o $(EQUIV_OBJ) $(call EQUIV_SIM,)
	$(SIM_CXX) -g $(SANITIZE) -o $@ $^ $(SIM_VRUN:%=$(B)/vl/%) $(EQUIV_LIBS)

# The same by the public library, on its back ends.
$(B)/tests/equiv/lib: $(B)/tests/equiv/lib.o $(B)/tests/equiv/script.o $(B)/libmetaroce.a
	$(CC) -g $(SANITIZE) -o $@ $^ -pthread

.PHONY: test-equiv
test-equiv: $(B)/tests/equiv/equiv $(B)/tests/equiv/lib $(B)/mrsim
	@tests/equiv/test.sh $(B)/tests/equiv $(B)/mrsim

# The same bench with tables of full size, in an output tree of its own. The
# compiler of this tree serves both.
EQUIV_FULL := --no-print-directory -f mk/build.mk B=$(B)/full SIZE=full HLSC=$(HLSC) HLSC_OBJ=

$(B)/tests/equiv/full: $(B)/tests/equiv/full.o $(EQUIV_OBJ) $(call EQUIV_SIM,)
	$(SIM_CXX) -g $(SANITIZE) -o $@ $^ $(SIM_VRUN:%=$(B)/vl/%) $(EQUIV_LIBS)

.PHONY: test-full
test-full: $(HLSC)
	@$(MAKE) $(EQUIV_FULL) $(B)/full/tests/equiv/full
	@timeout -k 5 240 $(B)/full/tests/equiv/full

endif
