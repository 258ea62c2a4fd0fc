/* host.h: the machine that a recording is made on. */
#ifndef XER_COLLECT_MACHINE_HOST_H
#define XER_COLLECT_MACHINE_HOST_H

#include <stdint.h>
#include <sys/utsname.h>

struct host {
	struct utsname system;
	uint64_t cpus; /* online */
	uint64_t page_size;
	uint64_t memory_kib;
	uint64_t tick_ns;   /* see host_tick_ns */
	char cpu_model[49]; /* these two are empty if unknown */
	char boot_id[40];
};

void host_read(struct host *out);

/* The time between two of the kernel's ticks, at which alone it looks at CPU timers; 0: unknown. */
uint64_t host_tick_ns(void);

#endif
