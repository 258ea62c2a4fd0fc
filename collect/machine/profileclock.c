/* profileclock.c: tries to open a perf event as the recorder does. See profileclock.h. */
#include "collect/machine/profileclock.h"

#include "collect/machine/host.h"

#include "format/clockevent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARANOID_MAX = 2, PARANOID_UNKNOWN = -2 };

static int is_kernel_new(void)
{
	struct utsname system;
	unsigned major = 0, minor = 0;

	return uname(&system) == 0 && sscanf(system.release, "%u.%u", &major, &minor) == 2 &&
	       (major > CLOCKEVENT_MAJOR ||
	        (major == CLOCKEVENT_MAJOR && minor >= CLOCKEVENT_MINOR));
}

/* The least that the recorder asks for: user code alone. Returns 0 or an errno. */
static int try_event(void)
{
	struct perf_event_attr attr = CLOCKEVENT(1000000, .inherit = 1, .inherit_thread = 1,
	                                         .exclude_kernel = 1);
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

/* A filter of system calls may kill who makes this one, so then a child does. It has no signal for
 * its end, which the program could find pending. */
static int try_in_child(void)
{
	static const struct rlimit no_core;
	pid_t child = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
	pid_t ended;
	int status;

	if (child < 0)
		return EPERM;
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		_exit(try_event());
	}
	while ((ended = waitpid(child, &status, __WALL)) < 0 && errno == EINTR)
		continue;
	return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

static int read_paranoid(void)
{
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
	char text[16] = "";
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return len > 0 ? atoi(text) : PARANOID_UNKNOWN;
}

uint64_t profileclock_filters(void)
{
	static const char key[] = "Seccomp_filters:";
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long count = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, sizeof(key) - 1) == 0)
			count = strtoull(line + sizeof(key) - 1, NULL, 10);
	if (file)
		fclose(file);
	return count;
}

void profileclock_find(struct profileclock *out)
{
	*out = (struct profileclock){.tick_ns = host_tick_ns(), .paranoid = PARANOID_UNKNOWN};
	if (!is_kernel_new()) {
		out->kind = PROFILECLOCK_KERNEL;
		return;
	}
	out->error = prctl(PR_GET_SECCOMP) > 0 ? try_in_child() : try_event();
	if (out->error == 0)
		out->kind = PROFILECLOCK_PERF;
	else
		out->kind = out->error == EACCES ? PROFILECLOCK_PARANOID : PROFILECLOCK_REFUSED;
	out->paranoid = read_paranoid();
}

const char *profileclock_name(const struct profileclock *clock)
{
	static const char *const names[] = {
		[PROFILECLOCK_NONE] = "off",          [PROFILECLOCK_PERF] = "perf",
		[PROFILECLOCK_PARANOID] = "paranoid", [PROFILECLOCK_REFUSED] = "refused",
		[PROFILECLOCK_KERNEL] = "kernel",
	};

	return names[clock->kind];
}

static void put_reason(const struct profileclock *clock, char *text, size_t size)
{
	if (clock->kind == PROFILECLOCK_KERNEL)
		snprintf(text, size, "perf events with signals need Linux %d.%d", CLOCKEVENT_MAJOR,
		         CLOCKEVENT_MINOR);
	else if (clock->kind == PROFILECLOCK_PARANOID && clock->paranoid > PARANOID_MAX)
		snprintf(text, size,
		         "perf events are refused (perf_event_paranoid is %d; <= %d mends it)",
		         clock->paranoid, PARANOID_MAX);
	else
		snprintf(text, size, "perf events are refused (perf_event_open: %s)%s",
		         strerror(clock->error),
		         clock->error == EPERM
		                 ? "; in a container, a seccomp profile that passes it mends that"
		                 : "");
}

int profileclock_explain(const struct profileclock *clock, uint64_t us, char *text, size_t size)
{
	char reason[160];

	if (clock->kind == PROFILECLOCK_NONE || clock->kind == PROFILECLOCK_PERF || us == 0 ||
	    us * 1000 >= clock->tick_ns)
		return 0;
	put_reason(clock, reason, sizeof(reason));
	snprintf(text, size,
	         "clock samples come at the kernel's ticks, %.0f a second, not %.0f: %s",
	         1e9 / (double)clock->tick_ns, 1e6 / (double)us, reason);
	return 1;
}
