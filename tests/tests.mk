# SPDX-License-Identifier: BSD-2-Clause
# tests: the suites that look at several parts at once, and the run of them all.

include tests/hls/movers/movers.mk

# Two native NICs with everything between them; kernels with sanitizers.
NIC_TEST_SRC := $(wildcard tests/nic/*.c) hls/native/nic_native.c $(GRAPH_KERNELS_C)

$(B)/tests/nic/test_nic: $(NIC_TEST_SRC) $(wildcard tests/nic/*.h hls/*.h hls/*/*.h hls/graph/*.def) \
		$(B)/native/nic_kernels.h $(B)/gen/mr_defs.h $(B)/gen/icrc_tab.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZE) $(NATIVE_CFLAGS) -Itests/nic -o $@ $(NIC_TEST_SRC) -lcunit

.PHONY: test-nic
test-nic: $(B)/tests/nic/test_nic
	@$<
