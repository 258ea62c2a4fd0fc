/* environment.c: finds libcollector.so and builds the two variables that load it into the program:
 * LD_PRELOAD, in which it comes before the user's own libraries, and the collection descriptor. */
#include "collect/experiment/environment.h"

#include "format/descriptor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PRELOAD "LD_PRELOAD"
#define LIBRARY "../lib/xer/libcollector.so"
#define LIBRARY32 "../lib/xer/32/libcollector.so"
#define ARCHIVE "xer_archive"
#define HELPER "../lib/xer/xer_attach"
#define SAMPLER "../lib/xer/xer_sampler"
#define PRINT "xer_print"
#define COLLECT "xcollect"

extern char **environ;

/* realpath of `name` relative to the directory of xcollect. Returns 0 or -errno. */
static int find_sibling(const char *name, char *out)
{
	char path[PATH_MAX + sizeof(LIBRARY32)];
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *base;

	if (len < 0)
		return -errno;
	path[len] = '\0';
	base = strrchr(path, '/');
	if (!base)
		return -ENOENT;
	strcpy(base + 1, name);
	return realpath(path, out) ? 0 : -errno;
}

/* The same of a program; empty if it is not there. */
static void find_program(const char *name, char *out)
{
	if (find_sibling(name, out) < 0 || access(out, X_OK) < 0)
		out[0] = '\0';
}

int environment_find_installation(struct installation *out, struct cause *cause)
{
	int status = find_sibling(LIBRARY, out->library);

	if (status < 0)
		return cause_set(cause, CAUSE_FAILED,
		                 "cannot find " LIBRARY " relative to xcollect: %s",
		                 strerror(-status));
	if (strpbrk(out->library, " \t\n:;$"))
		return cause_set(
			cause, CAUSE_FAILED,
			"'%s': the loader cannot preload from a path with blanks, colons or $; install Xer elsewhere",
			out->library);
	if (find_sibling(LIBRARY32, out->library32) < 0)
		out->library32[0] = '\0';
	find_program(ARCHIVE, out->archive);
	find_program(HELPER, out->helper);
	find_program(SAMPLER, out->sampler);
	find_program(PRINT, out->print);
	find_program(COLLECT, out->collect);
	return 0;
}

/* "LD_PRELOAD=library:value", once only if the user's value already begins with the library. */
static char *make_preload(const char *library)
{
	const char *old = getenv(PRELOAD);
	size_t len = strlen(library);
	char *text;

	if (old && strncmp(old, library, len) == 0 && (old[len] == '\0' || old[len] == ':'))
		old = old[len] ? old + len + 1 : "";
	if (asprintf(&text, PRELOAD "=%s%s%s", library, old && *old ? ":" : "", old ? old : "") < 0)
		return NULL;
	return text;
}

static int copy_text(char *to, size_t size, const char *from)
{
	return snprintf(to, size, "%s", from) < (int)size ? 0 : -ENAMETOOLONG;
}

/* Where in an absolute path the part begins that names it from the working directory. */
static uint64_t name_at(const char *path)
{
	char here[PATH_MAX];
	size_t len = getcwd(here, sizeof(here)) ? strlen(here) : 0;

	return len > 1 && strncmp(path, here, len) == 0 && path[len] == '/' ? len + 1 : 0;
}

/* The device number of the terminal that our user reads messages on and that controls us, 0:
 * none. */
static uint64_t terminal(void)
{
	unsigned device;

	return tcgetpgrp(STDERR_FILENO) >= 0 && ioctl(STDERR_FILENO, TIOCGDEV, &device) == 0
	               ? device
	               : 0;
}

char *environment_descriptor(const struct installation *installation, const struct request *request,
                             const struct clock_source *clock, const struct clock_moment *start,
                             const char *directory)
{
	static struct descriptor descriptor;
	static char text[sizeof(DESCRIPTOR_VARIABLE) + DESCRIPTOR_TEXT_MAX];
	size_t len = sizeof(DESCRIPTOR_VARIABLE "=") - 1;
	int archives = strcmp(request->archive, "off") != 0 || request->compress == COMPRESS_ON;

	descriptor.version = DESCRIPTOR_VERSION;
	descriptor.clock_is_tsc = (uint64_t)clock->is_tsc;
	descriptor.clock_hz = clock->hz;
	descriptor.profile_us = request->profile_us;
	descriptor.filters = profileclock_filters();
	descriptor.without_perf = request->clock.kind > PROFILECLOCK_PERF;
#define SWITCH(field, ...) descriptor.field = (uint64_t)request->field;
#include "format/datakind.def"
	descriptor.heap_mean = request->heap_mean;
	descriptor.sync = (uint64_t)request->sync;
	descriptor.omp = request->omp;
	descriptor.mpi = (uint64_t)options_traces_mpi(request) |
	                 (uint64_t)options_launches_mpi(request) << 1;
	descriptor.sync_threshold_ns = request->sync_threshold_ns;
	descriptor.sync_kinds = request->sync_kinds;
	descriptor.user = hooks_traces(&request->hooks);
	descriptor.user_on = descriptor.user & ~(uint64_t)request->hooks.off;
	descriptor.user_signal = (uint64_t)request->hooks.signal;
	hooks_text(&request->hooks, descriptor.user_hooks);
	strcpy(descriptor.user_modes, request->hooks.modes);
	strcpy(descriptor.user_names, request->hooks.names);
	descriptor.functrace = (uint64_t)request->functrace;
	strcpy(descriptor.functrace_names, request->calls.names);
	descriptor.functrace_depth = request->calls.depth;
	descriptor.functrace_min_ns = request->calls.min_ns;
	descriptor.functrace_returns = (uint64_t)request->calls.returns;
	descriptor.java = request->java == JAVA_OFF ? 0 : request->java == JAVA_ON ? 2 : 1;
	descriptor.pause_signal = (uint64_t)request->pause_signal;
	descriptor.step.paused = (uint64_t)request->start_paused;
	descriptor.sample_signal = (uint64_t)request->sample_signal;
	descriptor.snapshot_signal = (uint64_t)request->snapshot_signal;
	descriptor.snapshot_crash = (uint64_t)request->snapshot_crash;
	descriptor.snapshot_wait_ms = request->snapshot_wait_ms;
	descriptor.step.stop = (uint64_t)request->stop;
	descriptor.step.debugged = request->attach && getenv(DESCRIPTOR_DEBUGGER);
	descriptor.from_ms = request->from_ms;
	descriptor.to_ms = request->to_ms;
	descriptor.limit_bytes = request->limit_bytes;
	descriptor.keep_bytes = request->keep_bytes;
	descriptor.keep_ms = request->keep_ms;
	descriptor.sample_ms = request->sample_ms;
	descriptor.compress = (uint64_t)request->compress;
	descriptor.start_ticks = start->ticks;
	descriptor.step.pid = (uint64_t)getpid();
	descriptor.terminal = request->experiment_group || request->attach ? 0 : terminal();
	descriptor.name_at = name_at(directory);
	if (copy_text(descriptor.directory, sizeof(descriptor.directory), directory) < 0 ||
	    copy_text(descriptor.archive, sizeof(descriptor.archive),
	              archives ? installation->archive : "") < 0 ||
	    copy_text(descriptor.collect, sizeof(descriptor.collect), installation->collect) < 0 ||
	    copy_text(descriptor.follow, sizeof(descriptor.follow), request->follow) < 0 ||
	    copy_text(descriptor.archive_mode, sizeof(descriptor.archive_mode), request->archive) <
	            0 ||
	    copy_text(descriptor.preload, sizeof(descriptor.preload), installation->library) < 0 ||
	    copy_text(descriptor.preload32, sizeof(descriptor.preload32), installation->library32) <
	            0)
		return NULL;
	memcpy(text, DESCRIPTOR_VARIABLE "=", len);
	return descriptor_put(&descriptor, text + len, sizeof(text) - len) < 0 ? NULL : text;
}

static int is_variable(const char *entry, const char *name)
{
	size_t len = strlen(name);

	return strncmp(entry, name, len) == 0 && entry[len] == '=';
}

char **environment_build(const struct installation *installation, const struct request *request,
                         const struct clock_source *clock, const struct clock_moment *start,
                         const char *directory, int bits, struct cause *cause)
{
	char *preload = make_preload(bits == 32 ? installation->library32 : installation->library);
	char *descriptor = environment_descriptor(installation, request, clock, start, directory);
	size_t count = 0;
	char **list;

	while (environ[count])
		count++;
	list = malloc((count + 3) * sizeof(*list));
	if (!list || !preload || !descriptor) {
		cause_set(cause, CAUSE_FAILED, "the environment of the program cannot be made: %s",
		          descriptor ? "out of memory" : "a path is too long");
		free(list);
		free(preload);
		return NULL;
	}
	count = 0;
	for (char **at = environ; *at; at++)
		if (!is_variable(*at, PRELOAD) && !is_variable(*at, DESCRIPTOR_VARIABLE))
			list[count++] = *at;
	list[count++] = preload;
	list[count++] = descriptor;
	list[count] = NULL;
	return list;
}
