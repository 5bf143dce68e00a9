# SPDX-License-Identifier: BSD-2-Clause
# track.mk - tests of the kernels that follow messages, with small tables. The root
# gives CC, CFLAGS, B and the rules for $(B)/gen. Included by tests.mk.

TRACK_KERNELS := rx_msg/rx_msg rx_atomic/rx_atomic
TRACK_TESTS := main test_rx_msg msg_model test_rx_atomic
TRACK_O := $(B)/tests/track
TRACK_OBJ := $(TRACK_KERNELS:%=$(TRACK_O)/hls/%.o) $(TRACK_TESTS:%=$(TRACK_O)/%.o)
TRACK_PARAMS := -DMR_STREAMS_LOG2=3 -DMR_MSGS_LOG2=3 -DMR_AHEAD_LOG2=2 -DMR_KEYS_LOG2=4
TRACK_CFLAGS := $(CFLAGS) -O1 $(TRACK_PARAMS) -Itests/hls/movers -fsanitize=address,undefined -fno-sanitize-recover=all

$(TRACK_O)/hls/%.o: hls/%.c $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) $(TRACK_CFLAGS) -MMD -c -o $@ $<

$(TRACK_O)/%.o: tests/hls/track/%.c $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) $(TRACK_CFLAGS) -MMD -c -o $@ $<

$(TRACK_O)/track: $(TRACK_OBJ)
	$(CC) $(TRACK_CFLAGS) -o $@ $^ -lcunit

# The same kernels against their RTL, in lock step: random items seldom fit together,
# so lock/ makes them likelier to.
TRACK_LOCK := $(foreach k,$(TRACK_KERNELS),tests/hls/track/lock/$(notdir $(k)).c)
$(TRACK_O)/lock/RESULT: $(TRACK_LOCK) $(TRACK_KERNELS:%=hls/%.c) $(TRACK_KERNELS:%=hls/%.h) hls/desc.h $(HLSC_HARNESS) \
		$(HLSC_TEST)/run.sh $(B)/gen/mr_defs.h
	KERNEL_FLAGS="-Ihls -Idefs -I$(B)/gen $(TRACK_PARAMS)" HLSC_CYCLES=100000 \
		$(HLSC_TEST)/run.sh directed $(@D) $(HLSC_TOOLS) $(TRACK_LOCK)

.PHONY: test-track
test-track: $(TRACK_O)/track $(TRACK_O)/lock/RESULT
	$< $(TRACK_O)/lock/RESULT

-include $(TRACK_OBJ:.o=.d)
