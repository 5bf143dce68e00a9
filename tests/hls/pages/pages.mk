# SPDX-License-Identifier: BSD-2-Clause
# pages.mk - tests of the kernels that translate addresses, with small tables.

PAGES_KERNELS := at_rd/at_rd at_wr/at_wr
PAGES_PARAMS := -DMR_PAGES_LOG2=6
$(eval $(call HLS_SUITE,pages,$(PAGES_KERNELS),main model test_at_rd test_at_wr,$(PAGES_PARAMS)))

# The same kernels against their RTL, in lock step: lock/ makes addresses
# that lie in pages.
PAGES_LOCK := $(foreach k,$(PAGES_KERNELS),tests/hls/pages/lock/$(notdir $(k)).c)
$(B)/tests/pages/lock/RESULT: $(PAGES_LOCK) $(PAGES_KERNELS:%=hls/%.c) $(PAGES_KERNELS:%=hls/%.h) tests/hls/pages/lock/lock.h \
		hls/page.h hls/desc.h \
		$(HLSC_HARNESS) $(HLSC_TEST)/run.sh $(B)/gen/mr_defs.h
	KERNEL_FLAGS="-Itests/hls/pages/lock -Ihls -Idefs -I$(B)/gen $(PAGES_PARAMS)" HLSC_CYCLES=100000 \
		$(HLSC_TEST)/run.sh directed $(@D) $(HLSC_TOOLS) $(PAGES_LOCK)

.PHONY: test-pages
test-pages: $(B)/tests/pages/pages $(B)/tests/pages/lock/RESULT
	$< $(B)/tests/pages/lock/RESULT
