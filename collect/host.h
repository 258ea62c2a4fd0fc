/* host.h: the machine that a recording is made on. */
#ifndef XER_COLLECT_HOST_H
#define XER_COLLECT_HOST_H

#include <stdint.h>
#include <sys/utsname.h>

struct host {
	struct utsname system;
	uint64_t cpus; /* online */
	uint64_t page_size;
	uint64_t memory_kib;
	char cpu_model[49]; /* these two are empty if unknown */
	char boot_id[40];
};

void host_read(struct host *out);

#endif
