# defs: everything that follows from the rows in defs/*.def.
# Wants CC, CFLAGS and B from the root Makefile; works alone as `make -f defs/defs.mk`.

CC ?= clang-19
ifeq ($(origin CC),default)
CC := clang-19
endif
B ?= build

DEFS_ROWS := $(wildcard defs/*.def)
DEFS_SRC  := $(wildcard defs/gen/*.c)
DEFS_GEN  := $(B)/gen/mr_defs.h $(B)/gen/mr_names.h $(B)/gen/mr_names.c $(B)/gen/mr_defs.svh
DEFS_WARN := -std=c23 -Wall -Wextra -Werror

.PHONY: defs
defs: $(DEFS_GEN)

$(B)/defs/mr-defs: $(DEFS_SRC) defs/gen/rows.h defs/gen/dissector.lua $(DEFS_ROWS)
	@mkdir -p $(@D)
	$(CC) $(DEFS_WARN) -O1 -g -Idefs -o $@ $(DEFS_SRC)

$(DEFS_GEN): $(B)/gen/%: $(B)/defs/mr-defs
	@mkdir -p $(@D)
	@$< $* >$@.tmp && mv $@.tmp $@

# Committed outputs.
DEFS_DOC := $(patsubst %,docs/reference/%,wire.md queues.md codes.md registers.md counters.md) \
	docs/wireshark/metaroce.lua
DEFS_SPEC := $(wildcard docs/spec/*.md)

.PHONY: gen check-gen test-defs
gen: $(B)/defs/mr-defs
	@mkdir -p docs/reference docs/wireshark
	@for f in $(DEFS_DOC); do $< $$(basename $$f) >$$f || exit 1; done
	@for f in $(DEFS_SPEC); do $< fill $$f $(B)/defs/fill.md && \
		{ cmp -s $(B)/defs/fill.md $$f || cp $(B)/defs/fill.md $$f; } || exit 1; done

check-gen: $(B)/defs/mr-defs
	@mkdir -p $(B)/defs/check; bad=0; \
	for f in $(DEFS_DOC); do $< $$(basename $$f) >$(B)/defs/check/new && \
		diff -u $$f $(B)/defs/check/new || bad=1; done; \
	for f in $(DEFS_SPEC); do $< fill $$f $(B)/defs/check/new && \
		diff -u $$f $(B)/defs/check/new || bad=1; done; \
	test $$bad = 0 && echo "check-gen: committed outputs are up to date"

DEFS_TEST := $(wildcard tests/defs/*.c)
$(B)/tests/defs/test_defs: $(DEFS_TEST) $(wildcard tests/defs/*.h) $(DEFS_GEN)
	@mkdir -p $(@D)
	$(CC) $(DEFS_WARN) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
		-Idefs -I$(B)/gen -o $@ $(DEFS_TEST) $(B)/gen/mr_names.c -lcunit

test-defs: $(B)/tests/defs/test_defs
	@B=$(B) CC=$(CC) $<
