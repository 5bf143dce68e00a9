# SPDX-License-Identifier: BSD-2-Clause
# track.mk - tests of the kernels that follow messages, with small tables.

TRACK_KERNELS := rx_msg/rx_msg rx_atomic/rx_atomic
TRACK_PARAMS := -DMR_STREAMS_LOG2=3 -DMR_MSGS_LOG2=3 -DMR_AHEAD_LOG2=2 -DMR_KEYS_LOG2=4
$(eval $(call HLS_SUITE,track,$(TRACK_KERNELS),main test_rx_msg msg_model test_rx_atomic,$(TRACK_PARAMS)))

# The same kernels against their RTL, in lock step: random items seldom
# fit together, so lock/ makes them likelier to.
TRACK_LOCK := $(foreach k,$(TRACK_KERNELS),tests/hls/track/lock/$(notdir $(k)).c)
$(B)/tests/track/lock/RESULT: $(TRACK_LOCK) $(TRACK_KERNELS:%=hls/%.c) $(TRACK_KERNELS:%=hls/%.h) hls/desc.h \
		$(HLSC_HARNESS) $(HLSC_TEST)/run.sh $(B)/gen/mr_defs.h
	KERNEL_FLAGS="-Ihls -Idefs -I$(B)/gen $(TRACK_PARAMS)" HLSC_CYCLES=100000 \
		$(HLSC_TEST)/run.sh directed $(@D) $(HLSC_TOOLS) $(TRACK_LOCK)

.PHONY: test-track
test-track: $(B)/tests/track/track $(B)/tests/track/lock/RESULT
	$< $(B)/tests/track/lock/RESULT
