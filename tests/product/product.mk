# product: what an installation holds, and what mrnic shows of a NIC that somebody else drives.

PRODUCT_T := $(B)/tests/product

$(PRODUCT_T)/hold: tests/product/hold.c $(B)/libmetaroce.a $(wildcard host/include/*.h)
	@mkdir -p $(@D)
	$(HOST_CC) -std=c11 -Wall -Wextra -Werror -Ihost/include -I$(B)/gen -o $@ $< $(B)/libmetaroce.a -pthread

$(PRODUCT_T)/watcher: tests/product/watcher.c sim/protocol.h $(B)/gen/mr_defs.h
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CFLAGS) $(SANITIZE) -Isim -o $@ $<

.PHONY: test-product
test-product: host man $(B)/run.tar $(B)/mrsim $(B)/mrsim-native $(HOST_B)/install/libmetaroce.a $(PRODUCT_T)/hold $(PRODUCT_T)/watcher
	@B=$(B) tests/product/product.sh
