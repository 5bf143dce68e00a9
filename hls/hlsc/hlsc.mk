# SPDX-License-Identifier: BSD-2-Clause
#
# hlsc: the C-to-RTL compiler, its tests, and the rule by which others use it.
# Included by the root Makefile, which sets CC (clang-19), CFLAGS, B.

HLSC := $(B)/hlsc/hlsc
HLSC_DIR := hls/hlsc
HLSC_TEST := tests/hlsc
HLSC_LLVM ?= /usr/lib/llvm-19
HLSC_SRC := $(wildcard $(HLSC_DIR)/*.c)
HLSC_OBJ := $(HLSC_SRC:$(HLSC_DIR)/%.c=$(B)/hlsc/obj/%.o)
HLSC_CFLAGS := -std=c23 -Wall -Wextra -Werror -O2 -g -D_GNU_SOURCE -I$(HLSC_LLVM)/include
HLSC_LIBS := -L$(HLSC_LLVM)/lib -lLLVM-19 -lclang-19 -Wl,-rpath,$(HLSC_LLVM)/lib
HLSC_Q := $(if $(V),,@)

$(B)/hlsc/obj/%.o: $(HLSC_DIR)/%.c
	@mkdir -p $(@D)
	$(HLSC_Q)clang-19 $(HLSC_CFLAGS) -MMD -MP -c $< -o $@

$(HLSC): $(HLSC_OBJ)
	$(HLSC_Q)clang-19 $^ $(HLSC_LIBS) -o $@.tmp && mv $@.tmp $@ # others may be running the old one

-include $(HLSC_OBJ:.o=.d)

# $(eval $(call hlsc_kernel,SOURCE,NAME)) makes $(B)/rtl/NAME.v and
# $(B)/rtl/NAME.glue.h; HLSC_KERNEL_FLAGS are given to clang. Headers that the
# kernel includes are dependencies too.
HLSC_KERNEL_FLAGS ?= -Ihls
define hlsc_kernel
$(B)/rtl/$(2).v $(B)/rtl/$(2).glue.h $(B)/rtl/$(2).json &: $(1) $(HLSC)
	@mkdir -p $(B)/rtl
	$(HLSC_Q)$(HLSC) $(1) -k $(2) -o $(B)/rtl/$(2).v --glue $(B)/rtl/$(2).glue.h \
		--json $(B)/rtl/$(2).json -- $(HLSC_KERNEL_FLAGS)
	@clang-19 -std=c23 $(HLSC_KERNEL_FLAGS) -MM -MP -MT '$(B)/rtl/$(2).v' $(1) > $(B)/rtl/$(2).d
-include $(B)/rtl/$(2).d
endef
