# SPDX-License-Identifier: BSD-2-Clause
# tests/rate: cycles per packet of every kernel. Wants graph.mk.

RATE_SRC := tests/rate/rate.c tests/rate/bench.c tests/rate/step.c
$(B)/tests/rate/rate: $(RATE_SRC) tests/rate/bench.h hls/native/nic_native.c $(wildcard hls/*.h hls/*/*.h) \
		$(GRAPH_DEF) $(GRAPH_KERNELS:%=$(B)/native/k_%.o) $(B)/native/nic_kernels.h $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(NATIVE_CFLAGS) -Itests/rate -o $@ $(RATE_SRC) $(GRAPH_KERNELS:%=$(B)/native/k_%.o)

.PHONY: rate
rate: $(B)/tests/rate/rate
	@$<
