# SPDX-License-Identifier: BSD-2-Clause
# recv.mk - tests of the kernels around posted receives.

RECV_KERNELS := rd_share/rd_share wr_share/wr_share rx_rq/rx_rq rx_recv/rx_recv
$(eval $(call HLS_SUITE,recv,$(RECV_KERNELS),main test_share test_rx_rq ref_recv test_rx_recv,$(HLS_PARAMS)))

.PHONY: test-recv
test-recv: $(B)/tests/recv/recv
	$<
