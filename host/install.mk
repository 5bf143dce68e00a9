# SPDX-License-Identifier: BSD-2-Clause
# install: what other people's programs need, below PREFIX; the manual pages.
#
#   man                              pages in $(B)/man
#   install PREFIX=/usr/local [DESTDIR=]
#   uninstall, with the same

PREFIX       ?= /usr/local
BINDIR       ?= $(PREFIX)/bin
LIBDIR       ?= $(PREFIX)/lib
INCLUDEDIR   ?= $(PREFIX)/include
MANDIR       ?= $(PREFIX)/share/man
DOCDIR       ?= $(PREFIX)/share/doc/metaroce
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig

MAN          := $(B)/man
MAN_SUBS     := $(patsubst host/tools/mrnic_%.c,%,$(wildcard host/tools/mrnic_*.c))
MAN_DATE     := $(or $(shell git log -1 --format=%cs 2>/dev/null),$(shell date +%F))

# Sections 3 and 7: from the comments of metaroce.h.
$(MAN)/lib.stamp: host/man/mkman.py host/man/metaroce.7.in $(wildcard host/include/*.h)
	@rm -rf $(MAN)/man3 $(MAN)/man7 && mkdir -p $(MAN)
	python3 -B host/man/mkman.py host/include/metaroce.h host/man/metaroce.7.in $(HOST_VERSION) $(MAN_DATE) $(MAN)
	@touch $@

# Section 1: from --help, with the sections of a .h2m file. Sub-commands have pages mrnic-NAME.
$(MAN)/man1/mrnic.1: $(B)/mrnic host/man/tool.sh host/man/mrnic.h2m
	@mkdir -p $(@D)
	host/man/tool.sh $(HOST_VERSION) $(MAN_DATE) host/man/mrnic.h2m $< 'looks at MetaRoCE devices' '' $(MAN_SUBS:%=mrnic-%) >$@

$(MAN)/man1/mrnic-%.1: $(B)/mrnic host/man/tool.sh host/man/mrnic.h2m
	@mkdir -p $(@D)
	host/man/tool.sh $(HOST_VERSION) $(MAN_DATE) host/man/mrnic.h2m $< '' $* mrnic >$@

$(MAN)/man1/mrsim.1: $(B)/mrsim host/man/tool.sh host/man/mrsim.h2m
	@mkdir -p $(@D)
	host/man/tool.sh $(HOST_VERSION) $(MAN_DATE) host/man/mrsim.h2m $< 'simulated MetaRoCE NICs behind a socket' '' >$@

MAN1 := $(MAN)/man1/mrnic.1 $(MAN_SUBS:%=$(MAN)/man1/mrnic-%.1) $(MAN)/man1/mrsim.1

.PHONY: man install uninstall
man: $(MAN)/lib.stamp $(MAN1)

# The static library of an installation is one object whose inner names nobody can meet.
$(HOST_B)/install/libmetaroce.a: $(HOST_OBJ)
	@rm -rf $(@D) && mkdir -p $(@D)
	ld -r -o $(@D)/metaroce.o $^
	objcopy --localize-hidden $(@D)/metaroce.o
	ar rcs $@ $(@D)/metaroce.o

install: host man $(B)/mrsim $(HOST_B)/install/libmetaroce.a
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR) $(INCLUDEDIR) $(PKGCONFIGDIR) $(DOCDIR)/examples \
		$(MANDIR)/man1 $(MANDIR)/man3 $(MANDIR)/man7)
	install $(B)/mrnic $(B)/mrsim $(DESTDIR)$(BINDIR)
	install -m 644 $(wildcard host/include/*.h) $(B)/gen/metaroce_codes.h $(DESTDIR)$(INCLUDEDIR)
	install -m 755 $(B)/libmetaroce.so.$(HOST_VERSION) $(B)/libmrverbs.so $(DESTDIR)$(LIBDIR)
	ln -sf libmetaroce.so.$(HOST_VERSION) $(DESTDIR)$(LIBDIR)/$(HOST_SONAME)
	ln -sf $(HOST_SONAME) $(DESTDIR)$(LIBDIR)/libmetaroce.so
	install -m 644 $(HOST_B)/install/libmetaroce.a $(DESTDIR)$(LIBDIR)
	sed 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@INCLUDEDIR@,$(INCLUDEDIR),; s,@VERSION@,$(HOST_VERSION),' \
		host/metaroce.pc.in >$(DESTDIR)$(PKGCONFIGDIR)/metaroce.pc
	install -m 644 $(wildcard host/examples/*.c) $(DESTDIR)$(DOCDIR)/examples
	install -m 644 LICENSE host/README.md $(DESTDIR)$(DOCDIR)
	for s in 1 3 7; do install -m 644 $(MAN)/man$$s/*.$$s $(DESTDIR)$(MANDIR)/man$$s || exit 1; done

uninstall: man
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,mrnic mrsim)
	rm -f $(addprefix $(DESTDIR)$(INCLUDEDIR)/,$(notdir $(wildcard host/include/*.h)) metaroce_codes.h)
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libmrverbs.so libmetaroce.a libmetaroce.so $(HOST_SONAME) libmetaroce.so.$(HOST_VERSION))
	rm -f $(DESTDIR)$(PKGCONFIGDIR)/metaroce.pc
	rm -rf $(DESTDIR)$(DOCDIR)
	for s in 1 3 7; do (cd $(MAN)/man$$s && ls) | sed 's,^,$(DESTDIR)$(MANDIR)/man'$$s'/,' | xargs rm -f; done
