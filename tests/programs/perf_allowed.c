/* perf_allowed: may a process here have the perf events by which clock samples come? Exit status 0:
 * yes; 1: no, it says why. It needs Linux 5.18. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
	                               .type = PERF_TYPE_SOFTWARE,
	                               .config = PERF_COUNT_SW_CPU_CLOCK,
	                               .sample_period = 1000000,
	                               .inherit = 1,
	                               .inherit_thread = 1,
	                               .exclude_kernel = 1,
	                               .remove_on_exec = 1,
	                               .sigtrap = 1,
	                               .disabled = 1};
	struct utsname name;
	int major = 0, minor = 0;

	if (uname(&name) < 0 || sscanf(name.release, "%d.%d", &major, &minor) != 2 ||
	    major * 100 + minor < 518) {
		puts("the kernel is older than 5.18");
		return 1;
	}
	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0) {
		puts(strerror(errno));
		return 1;
	}
	return 0;
}
