/* take_what.c: options that say what is recorded. */
#include "collect/base/amount.h"
#include "collect/machine/calibrate.h"
#include "collect/options/take.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* Primes and the like, so that samples do not keep step with the program or the kernel's tick. */
static const struct {
	const char *name;
	uint64_t us;
} profile_names[] = {{"off", 0}, {"on", 10007}, {"hi", 997}, {"lo", 100003}};

enum {
	PROFILE_MIN_US = 100,
	PROFILE_MAX_US = 10 * 1000 * 1000,
	SAMPLER_MIN_US = 10,
	SAMPLER_DEFAULT_MB = 64,
	SAMPLER_MAX_MB = 1 << 20,
	HEAP_DEFAULT_MEAN = 512 << 10,
	STACK_MIN_US = 1000,
	STACK_DEFAULT_KB = 8
};

#define PERIOD_RANGE "from 10u to 10000m"

int take_profile(struct request *request, const char *value)
{
	uint64_t us;
	int is_us = strchr(value, 'u') != NULL, status;

	for (size_t i = 0; i < sizeof(profile_names) / sizeof(profile_names[0]); i++) {
		if (strcmp(value, profile_names[i].name) == 0) {
			request->profile_us = profile_names[i].us;
			return 0;
		}
	}
	status = amount_read(&value, is_us ? 1 : 1000, &us);
	if (status == -EINVAL || (*value && strcmp(value, is_us ? "u" : "m") != 0))
		return -EINVAL;
	if (status < 0 || us < SAMPLER_MIN_US || us > PROFILE_MAX_US)
		return take_out_of_range(request, PERIOD_RANGE);
	/* Too short for timers: the kernel samples, and timers replace it where it may not. */
	if (us < PROFILE_MIN_US) {
		request->sampler_ns = us * 1000;
		request->sampler_bytes = (uint64_t)SAMPLER_DEFAULT_MB << 20;
		us = PROFILE_MIN_US;
	}
	request->profile_us = us;
	return 0;
}

/* "stack" or "stack:KB" */
static int read_stack(const char **value, uint64_t *bytes)
{
	static const char word[] = "stack";

	if (strncmp(*value, word, strlen(word)) != 0)
		return -EINVAL;
	*value += strlen(word);
	*bytes = STACK_DEFAULT_KB << 10;
	if (**value != ':')
		return 0;
	++*value;
	return amount_read(value, 1 << 10, bytes) < 0 || *bytes < 1 << 10 ||
	                       *bytes > FMT_STACK_KB_MAX << 10
	               ? -EINVAL
	               : 0;
}

int take_sampler(struct request *request, const char *value)
{
	size_t len = strcspn(value, ",");
	int is_us = memchr(value, 'u', len) != NULL, has_cpus, status;
	uint64_t us, bytes = (uint64_t)SAMPLER_DEFAULT_MB << 20, stack = 0;

	status = amount_read(&value, is_us ? 1 : 1000, &us);
	if (status == -EINVAL)
		return -EINVAL;
	if (status < 0 || us < SAMPLER_MIN_US || us > PROFILE_MAX_US)
		return take_out_of_range(request, PERIOD_RANGE);
	if (*value == 'm' || *value == 'u')
		value++;
	if (*value == ',' && value[1] != 's' && value[1] != 'c') {
		value++;
		if (amount_read(&value, 1 << 20, &bytes) < 0 || bytes < 1 << 12 ||
		    bytes > (uint64_t)SAMPLER_MAX_MB << 20)
			return -EINVAL;
	}
	if (*value == ',' && value[1] == 's') {
		value++;
		if (read_stack(&value, &stack) < 0)
			return -EINVAL;
	}
	has_cpus = strcmp(value, ",cpu") == 0;
	if (*value && !has_cpus)
		return -EINVAL;
	if (stack > 0 && us < STACK_MIN_US)
		return take_out_of_range(request, "from 1m with stack");
	request->sampler_ns = us * 1000;
	request->sampler_bytes = bytes / 8 * 8; /* whole words */
	request->sampler_stack = (uint32_t)stack / 8 * 8;
	request->sampler_cpus = has_cpus;
	return 0;
}

#define SWITCH(field, ...) \
	int take_##field(struct request *request, const char *value) \
	{ \
		return amount_switch(value, &request->field); \
	}
#include "format/datakind.def"

/* "BYTES", with K, M or G. */
static int read_mean(const char *value, uint64_t *bytes)
{
	static const char units[] = "KMG";
	size_t len = strlen(value);
	const char *unit = len > 0 ? strchr(units, value[len - 1]) : NULL;
	unsigned bits = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	int status = amount_read(&value, (double)(UINT64_C(1) << bits), bytes);

	if (status == -EINVAL || value[unit != NULL] != '\0')
		return -EINVAL;
	return status < 0 || *bytes < 1 || *bytes > FMT_HEAP_MEAN_MAX ? -ERANGE : 0;
}

int take_heap_trace(struct request *request, const char *value)
{
	static const char word[] = "sampled";
	size_t len = strlen(word);
	int status;

	request->heap_mean = 0;
	if (strncmp(value, word, len) != 0)
		return take_heap(request, value);
	request->heap = 1;
	request->heap_mean = HEAP_DEFAULT_MEAN;
	if (value[len] == '\0')
		return 0;
	status = value[len] == ':' ? read_mean(value + len + 1, &request->heap_mean) : -EINVAL;
	return status == -ERANGE ? take_out_of_range(request, "from sampled:1 to sampled:1024G")
	                         : status;
}

int take_counters(struct request *request, const char *value)
{
	if (!value) {
		request->action = OPTIONS_COUNTERS;
		return 0;
	}
	return counters_read(&request->counters, value);
}

int take_kernel(struct request *request, const char *value)
{
	return amount_switch(value, &request->kernel);
}

int take_omp(struct request *request, const char *value)
{
	static const char *const words[] = {"off", "stacks", "on"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(value, words[i]) == 0) {
			request->omp = i;
			return 0;
		}
	}
	return -EINVAL;
}

/* The names that collect(1) knows, and present ones. The process itself finds out which MPI it
 * uses. */
int take_mpi_launcher(struct request *request, const char *value)
{
	static const char *const names[] = {"on",    "off",    "OMPT",   "CT",       "OPENMPI",
	                                    "MPICH", "MPICH2", "MPICH3", "MVAPICH2", "INTEL"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcasecmp(value, names[i]) == 0) {
			request->mpi_launcher = names[i];
			return 0;
		}
	}
	return -EINVAL;
}

int take_mpi(struct request *request, const char *value)
{
	int on;

	if (amount_switch(value, &on) < 0)
		return -EINVAL;
	request->mpi = on ? MPI_ON : MPI_OFF;
	return 0;
}

int options_launches_mpi(const struct request *request)
{
	return strcmp(request->mpi_launcher, "off") != 0;
}

const char *options_omp(const struct request *request)
{
	static const char *const words[] = {"off", "stacks", "on"};

	return words[request->omp];
}

int options_traces_mpi(const struct request *request)
{
	return request->mpi == MPI_ON ||
	       (request->mpi == MPI_AS_LAUNCHER && options_launches_mpi(request));
}

int take_functrace(struct request *request, const char *value)
{
	memset(&request->calls, 0, sizeof(request->calls));
	if (!value || amount_switch(value, &request->functrace) == 0) {
		request->functrace = value ? request->functrace : 1;
		return 0;
	}
	request->functrace = 1;
	return calls_read(value, &request->calls);
}

int take_java(struct request *request, const char *value)
{
	int on;

	if (!*value)
		return -EINVAL;
	request->java_path = amount_switch(value, &on) < 0 ? value : NULL;
	request->java = request->java_path || on ? JAVA_ON : JAVA_OFF;
	return 0;
}

int take_java_arguments(struct request *request, const char *value)
{
	request->java_arguments = value;
	return 0;
}

/* After a comma: native, Java, or both, as without it. */
static int read_sync_kinds(const char *value, unsigned *kinds)
{
	static const char *const names[] = {"", ",n", ",j", ",nj"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(value, names[i]) == 0) {
			*kinds = i == 0 ? 3 : i;
			return 0;
		}
	return -EINVAL;
}

int take_sync(struct request *request, const char *value)
{
	static const char *const words[] = {"off", "on", "calibrate", "all"};
	size_t len = strcspn(value, ",");

	if (read_sync_kinds(value + len, &request->sync_kinds) < 0)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) != len || strncmp(value, words[i], len) != 0)
			continue;
		request->sync = i > 0;
		request->sync_threshold_ns = i == 1 || i == 2 ? calibrate_sync_ns() : 0;
		return 0;
	}
	request->sync = 1;
	return amount_read(&value, 1000, &request->sync_threshold_ns) < 0
	               ? -EINVAL
	               : read_sync_kinds(value, &request->sync_kinds);
}

/* Options that hooks.c takes. */
#define TAKEN_BY_HOOKS(name, function) \
	int name(struct request *request, const char *value) \
	{ \
		return function(&request->hooks, value); \
	}
TAKEN_BY_HOOKS(take_hooks, hooks_take)
TAKEN_BY_HOOKS(take_no_hooks, hooks_exclude)
TAKEN_BY_HOOKS(take_component, hooks_component)
TAKEN_BY_HOOKS(take_trace_mode, hooks_mode)
TAKEN_BY_HOOKS(take_trace_start, hooks_start)
TAKEN_BY_HOOKS(take_trace_signal, hooks_signal)
