# SPDX-License-Identifier: BSD-2-Clause
# verbs: programs of libibverbs on NICs of this project.

$(B)/tests/verbs/calls: tests/verbs/calls.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CFLAGS) -o $@ $< -libverbs

.PHONY: test-verbs
test-verbs: $(B)/mrnic $(B)/libmrverbs.so $(B)/mrsim $(B)/mrsim-native $(B)/tests/verbs/calls
	@B=$(B) tests/verbs/verbs.sh
