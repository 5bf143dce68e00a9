# SPDX-License-Identifier: BSD-2-Clause
# recv.mk - tests of the kernels around posted receives. The root gives CC, CFLAGS, B and the rules for $(B)/gen.

RECV_KERNELS := rd_share/rd_share wr_share/wr_share rx_rq/rx_rq rx_recv/rx_recv
RECV_TESTS := main test_share test_rx_rq ref_recv test_rx_recv
RECV_O := $(B)/tests/recv
RECV_KERNELS_C := $(RECV_KERNELS:%=hls/%.c)
RECV_OBJ := $(RECV_KERNELS:%=$(RECV_O)/hls/%.o) $(RECV_TESTS:%=$(RECV_O)/%.o)
RECV_CFLAGS := $(CFLAGS) $(HLS_PARAMS) -O1 -g $(SANITIZE)

$(RECV_O)/hls/%.o: hls/%.c $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) $(RECV_CFLAGS) -MMD -c -o $@ $<

$(RECV_O)/%.o: tests/hls/recv/%.c $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) $(RECV_CFLAGS) -MMD -c -o $@ $<

$(RECV_O)/recv: $(RECV_OBJ)
	$(CC) $(RECV_CFLAGS) -o $@ $^ -lcunit

# Native against Verilated in lock step.
$(RECV_O)/kernels/RESULT: $(RECV_KERNELS_C) $(wildcard hls/*.h $(addsuffix *.h,$(dir $(RECV_KERNELS_C)))) $(B)/gen/mr_defs.h \
		$(HLSC_HARNESS) $(HLSC_TEST)/run.sh
	KERNEL_FLAGS="$(HLSC_KERNEL_FLAGS)" HLSC_CYCLES=50000 $(HLSC_TEST)/run.sh directed $(@D) $(HLSC_TOOLS) $(RECV_KERNELS_C)

.PHONY: test-recv test-recv-kernels
test-recv: $(RECV_O)/recv
	$<
test-recv-kernels: $(RECV_O)/kernels/RESULT
	@$(HLSC_TEST)/run.sh summary $< | sed 's/SUITE hlsc/SUITE recv-kernels/'

-include $(RECV_OBJ:.o=.d)
