# SPDX-License-Identifier: BSD-2-Clause
# `make` prints the targets. Everything else is in mk/build.mk, which needs the
# tools that `setup` installs; so each target here sets up first, once.

SIZE ?= small
B ?= build$(if $(filter full,$(SIZE)),/full)
JOBS ?= $(shell nproc)
export B SIZE JOBS

.PHONY: help setup clean
help:
	@echo 'make run         send a file by RDMA Write through two simulated NICs and check it'
	@echo '                 FILE=path  LOSS=0.01  SEED=1  PATHS=4  PLANES=1  ENGINE=rtl|native  WAVES=1'
	@echo 'make test        every test; the last line says how many passed and failed'
	@echo 'make bench       measure; prints a table, writes $(B)/bench.json;  ONLY=beginning of the keys'
	@echo 'make soak        N=100 random scenarios, every property checked; SEED=1  ENGINE=native|rtl'
	@echo 'make plots       goodput over loss, incast, a path failure: $(B)/plots/*.svg;  ENGINE=native|rtl'
	@echo 'make all         library, tools, simulator'
	@echo 'make install     libmetaroce, mrnic, mrsim, manual pages below PREFIX=/usr/local; DESTDIR=; uninstall'
	@echo 'make rtl         Verilog of every kernel and of the NIC in $(B)/rtl; SIZE=full in build/full'
	@echo 'make lint        Verilator lint of all RTL'
	@echo 'make report      registers, memories and operations of every kernel'
	@echo 'make state       bytes per path, connection, ... at full size; block RAM, URAM, HBM on three cards'
	@echo 'make rate        cycles per packet of every kernel, both directions at once'
	@echo 'make gen         print the committed generated files again;  check-gen: are they up to date?'
	@echo 'make fuzz-hlsc   compiler against Verilator on N=100 random kernels, SEED=1'
	@echo 'make test-NAME   one suite: defs lint hlsc kernels state movers recv track pages nic hw sim scen host product run verbs replay equiv full'
	@echo '                 (V=1 with any target shows the commands)'
	@echo 'make setup       install the Debian packages of mk/packages.txt that are missing'
	@echo 'make clean       remove $(B)/'

setup: $(B)/.setup
$(B)/.setup: mk/packages.txt mk/setup.sh
	@mk/setup.sh $@

clean:
	rm -rf $(B)

# Everything else is a target of mk/build.mk.
Makefile mk/packages.txt mk/setup.sh: ;
%: setup
	@$(MAKE) --no-print-directory $(if $(V),,-s) -j$(JOBS) -f mk/build.mk $@
