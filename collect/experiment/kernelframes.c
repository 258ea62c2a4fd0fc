/* kernelframes.c: see kernelframes.h. The kernel's frames need two permissions: to sample in the
 * kernel, and to know where its functions are. With one alone they would be numbers without names,
 * so there are none then. See doc/decisions/106-kernel-frames.md. */
#include "collect/experiment/kernelframes.h"

#include "sampler/ring.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int kernelframes_has_addresses(const char *text)
{
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		char behind;

		line += *line == '\n';
		behind = line[strspn(line, "0")];
		if (behind != ' ' && behind != '\0')
			return 1;
	}
	return 0;
}

/* NULL: nothing is. */
static const char *what_is_refused(void)
{
	char text[4096];
	int fd;
	ssize_t size;

	if (!ring_may_kernel())
		return "kernel.perf_event_paranoid is above 1";
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return "/proc/kallsyms cannot be read";
	text[size] = '\0';
	return kernelframes_has_addresses(text)
	               ? NULL
	               : "kernel.kptr_restrict hides where its functions are";
}

int kernelframes_for_clock(const struct request *request)
{
	return request->kernel && request->profile_us > 0 &&
	       (!request->sampler_ns || request->sampler_timers);
}

void kernelframes_prepare(struct request *request)
{
	if (!request->kernel)
		return;
	if (!request->profile_us && (!request->sampler_ns || request->sampler_timers) &&
	    request->counters.count == 0)
		request->kernel_refused = "no samples are taken (-p, --sampler, -h)";
	else
		request->kernel_refused = what_is_refused();
	if (!request->kernel_refused)
		return;
	request->kernel = 0;
	fprintf(stderr, "xcollect: -k: stacks have no functions of the kernel: %s\n",
	        request->kernel_refused);
}
