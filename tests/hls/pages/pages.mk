# SPDX-License-Identifier: BSD-2-Clause
# pages.mk - tests of the kernels that translate addresses, with a small page table.
# The root gives CC, CFLAGS, B and the rules for $(B)/gen. Included by tests.mk.

PAGES_KERNELS := at_rd/at_rd at_wr/at_wr
PAGES_TESTS := main model test_at_rd test_at_wr
PAGES_O := $(B)/tests/pages
PAGES_OBJ := $(PAGES_KERNELS:%=$(PAGES_O)/hls/%.o) $(PAGES_TESTS:%=$(PAGES_O)/%.o)
PAGES_PARAMS := -DMR_PAGES_LOG2=6
PAGES_CFLAGS := $(CFLAGS) -O1 $(PAGES_PARAMS) -Itests/hls/recv -fsanitize=address,undefined -fno-sanitize-recover=all

$(PAGES_O)/hls/%.o: hls/%.c $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) $(PAGES_CFLAGS) -MMD -c -o $@ $<

$(PAGES_O)/%.o: tests/hls/pages/%.c $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) $(PAGES_CFLAGS) -MMD -c -o $@ $<

$(PAGES_O)/pages: $(PAGES_OBJ)
	$(CC) $(PAGES_CFLAGS) -o $@ $^ -lcunit

# The same kernels against their RTL, in lock step: lock/ makes addresses that lie in pages.
PAGES_LOCK := $(foreach k,$(PAGES_KERNELS),tests/hls/pages/lock/$(notdir $(k)).c)
$(PAGES_O)/lock/RESULT: $(PAGES_LOCK) tests/hls/pages/lock/lock.h $(PAGES_KERNELS:%=hls/%.c) $(PAGES_KERNELS:%=hls/%.h) \
		hls/page.h hls/desc.h $(HLSC_HARNESS) $(HLSC_TEST)/run.sh $(B)/gen/mr_defs.h
	KERNEL_FLAGS="-Itests/hls/pages/lock -Ihls -Idefs -I$(B)/gen $(PAGES_PARAMS)" HLSC_CYCLES=100000 \
		$(HLSC_TEST)/run.sh directed $(@D) $(HLSC_TOOLS) $(PAGES_LOCK)

.PHONY: test-pages
test-pages: $(PAGES_O)/pages $(PAGES_O)/lock/RESULT
	$< $(PAGES_O)/lock/RESULT

-include $(PAGES_OBJ:.o=.d)
