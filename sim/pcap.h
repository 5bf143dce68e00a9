// SPDX-License-Identifier: BSD-2-Clause
/*
 * pcap.h - capture files with nanoseconds, for Wireshark and tshark.
 */
#ifndef SIM_PCAP_H
#define SIM_PCAP_H

#include <stddef.h>
#include <stdint.h>

struct sim_pcap;

/** Null and errno if the file cannot be made. */
struct sim_pcap *sim_pcap_open(const char *path);
/** Adds a frame; a full disk shows in sim_pcap_close. */
void sim_pcap_put(struct sim_pcap *p, uint64_t ns, const uint8_t *f, size_t len);
/** 0 or -EIO. */
int sim_pcap_close(struct sim_pcap *p);

#endif
