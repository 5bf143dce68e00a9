# SPDX-License-Identifier: BSD-2-Clause
# movers.mk - tests of the movers. The root gives CC, CFLAGS, B and the rules for $(B)/gen.

MOVERS_KERNELS := icrc/icrc_acc icrc/icrc_fix rx_beat/rx_beat rx_parse/rx_parse \
	rx_place/rx_place rx_split/rx_split tx_hdr/tx_hdr tx_join/tx_join tx_mov/tx_mov tx_tail/tx_tail
MOVERS_TESTS := main ref bad_frames rig test_icrc test_rx_beat test_rx_parse test_rx_place \
	test_rx_split test_tx_hdr test_tx_join test_tx_mov test_tx_tail test_chain
MOVERS_O := $(B)/tests/movers
MOVERS_OBJ := $(MOVERS_KERNELS:%=$(MOVERS_O)/hls/%.o) $(MOVERS_TESTS:%=$(MOVERS_O)/%.o)
MOVERS_CFLAGS := $(CFLAGS) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all

$(MOVERS_O)/hls/%.o: hls/%.c $(B)/gen/icrc_tab.h $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) $(MOVERS_CFLAGS) -MMD -c -o $@ $<

$(MOVERS_O)/%.o: tests/hls/movers/%.c $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) $(MOVERS_CFLAGS) -MMD -c -o $@ $<

$(MOVERS_O)/movers: $(MOVERS_OBJ)
	$(CC) $(MOVERS_CFLAGS) -o $@ $^ -lcunit -lz

.PHONY: test-movers
test-movers: $(MOVERS_O)/movers
	$<

-include $(MOVERS_OBJ:.o=.d)
