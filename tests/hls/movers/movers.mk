# SPDX-License-Identifier: BSD-2-Clause
# movers.mk - tests of the movers.

MOVERS_KERNELS := icrc/icrc_acc icrc/icrc_fix rx_beat/rx_beat rx_parse/rx_parse \
	rx_place/rx_place rx_split/rx_split tx_hdr/tx_hdr tx_join/tx_join tx_mov/tx_mov tx_tail/tx_tail
MOVERS_TESTS := main ref bad_frames rig test_icrc test_rx_beat test_rx_parse test_rx_place \
	test_rx_split test_tx_hdr test_tx_join test_tx_mov test_tx_tail test_chain
$(eval $(call HLS_SUITE,movers,$(MOVERS_KERNELS),$(MOVERS_TESTS),,-lz))

.PHONY: test-movers
test-movers: $(B)/tests/movers/movers
	$<
