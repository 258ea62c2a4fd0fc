/* counters.c: see counters.h.
 * See doc/decisions/11-hardware-counters.md. */
#include "collect/machine/counters.h"

#include "sampler/ring.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Longer intervals give too few samples; shorter ones make the program slow. */
enum { USUAL_OF_OTHERS = 1000003, PERIOD_MAX = 2000000000 };

static const struct known {
	const char *name, *alias;
	uint32_t type;
	uint64_t config, usual;
	enum { ANY, KERNEL } kind;
	const char *meaning;
} known[] = {
#define COUNTER(name, alias, ...) COUNTER_ROW(name, alias, __VA_ARGS__)
#define COUNTER_ROW(name, alias, type, config, usual, kind, meaning) \
	{name, alias, type, (uint64_t)(config), usual, kind, meaning},
#include "collect/machine/counters.def"
};

enum { KNOWN = sizeof(known) / sizeof(known[0]) };

static const struct known *find_known(const char *name)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (strcasecmp(name, known[i].name) == 0 ||
		    (known[i].alias && strcasecmp(name, known[i].alias) == 0))
			return &known[i];
	return NULL;
}

/* ---- names of libpfm4, as far as it is installed */

/* As libpfm4's documentation has it (pfm_get_os_event_encoding(3)). */
struct pfm_perf_argument {
	struct perf_event_attr *attributes;
	char **name;
	size_t size;
	int idx, cpu, flags, padding;
};

enum { PFM_OS_PERF_EVENT = 1, PFM_PLM3 = 8 };

static int ask_pfm(const char *name, struct counter *out)
{
	void *library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
	int (*initialize)(void) = library ? (int (*)(void))dlsym(library, "pfm_initialize") : NULL;
	int (*encode)(const char *, int, int,
	              void *) = library
	                                ? (int (*)(const char *, int, int, void *))dlsym(
						  library, "pfm_get_os_event_encoding")
	                                : NULL;
	struct perf_event_attr attributes = {.size = sizeof(attributes)};
	struct pfm_perf_argument argument = {.attributes = &attributes, .size = sizeof(argument)};

	if (!initialize || !encode || initialize() != 0 ||
	    encode(name, PFM_PLM3, PFM_OS_PERF_EVENT, &argument) != 0)
		return -EINVAL;
	out->type = attributes.type;
	out->config = attributes.config;
	out->period = USUAL_OF_OTHERS;
	return 0;
}

/* ---- the option */

static int find_event(const char *name, struct counter *out)
{
	const struct known *row = find_known(name);

	*out = (struct counter){.period = 0};
	if (strlen(name) >= sizeof(out->name) || strpbrk(name, " \"<>&"))
		return -EINVAL;
	strcpy(out->name, row ? row->name : name);
	if (!row) {
		/* In libpfm4's names, some signs have a meaning in lists of metrics. */
		for (char *sign = strpbrk(out->name, ":.%+!"); sign; sign = strpbrk(sign, ":.%+!"))
			*sign = '-';
		return ask_pfm(name, out);
	}
	out->type = row->type;
	out->config = row->config;
	out->period = row->usual;
	out->is_kernels = row->kind == KERNEL;
	return 0;
}

/* Does this part of the option tell how often? *period is the usual one of its event. */
static int read_interval(const char *text, uint64_t *period)
{
	char *end;
	uint64_t number;

	if (strcmp(text, "on") == 0)
		return 1;
	if (strcmp(text, "lo") == 0 || strcmp(text, "hi") == 0) {
		*period = text[0] == 'l' ? *period * 10 : (*period + 9) / 10;
		return 1;
	}
	if (!isdigit((unsigned char)*text))
		return 0;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (*end || errno || number == 0 || number > PERIOD_MAX)
		return -EINVAL;
	*period = number;
	return 1;
}

static int add_event(struct counters *counters, const char *name)
{
	struct counter counter;

	if (counters->count == FMT_COUNTERS_MAX)
		return -E2BIG;
	if (find_event(name, &counter) < 0) {
		snprintf(counters->unknown, sizeof(counters->unknown), "%s", name);
		return -EINVAL;
	}
	for (unsigned i = 0; i < counters->count; i++)
		if (strcmp(counters->counter[i].name, counter.name) == 0)
			return -EINVAL;
	counters->counter[counters->count++] = counter;
	return 0;
}

static int try(const struct counter *counter)
{
	struct ring_settings settings = {.period_ns = counter->period,
	                                 .is_counter = 1,
	                                 .type = counter->type,
	                                 .config = counter->config,
	                                 .in_kernel = ring_may_kernel(),
	                                 .inherit = 1};
	int fd;

	if (counter->is_kernels && !settings.in_kernel)
		return -EACCES;
	fd = ring_event_open(0, -1, &settings);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* What Studio calls the default set: what tells most of a processor, or where that counts nothing
 * (many virtual machines), of the kernel. */
static int read_set(struct counters *counters, const char *interval)
{
	static const char *const sets[2][4] = {
		{"cycles", "instructions", "cache-misses"},
		{"page-faults", "context-switches", "cpu-migrations"}};
	struct counter first;
	int counts = find_event(sets[0][0], &first) == 0 && try(&first) == 0, status = 0;
	const char *const *set = counts ? sets[0] : sets[1];

	for (size_t i = 0; status == 0 && set[i]; i++) {
		status = add_event(counters, set[i]);
		if (status == 0)
			read_interval(interval, &counters->counter[counters->count - 1].period);
	}
	return status;
}

static int is_set(const char *text)
{
	return strcmp(text, "auto") == 0 || strcmp(text, "on") == 0 || strcmp(text, "lo") == 0 ||
	       strcmp(text, "hi") == 0;
}

int counters_read(struct counters *counters, const char *text)
{
	char *copy = strdup(text), *rest = copy, *part;
	int status = copy ? 0 : -ENOMEM, has_interval = 1;

	if (is_set(text)) {
		free(copy);
		return read_set(counters, text);
	}
	while (status == 0 && (part = strsep(&rest, ",")) != NULL) {
		struct counter *last = has_interval ? NULL
		                                    : &counters->counter[counters->count - 1];
		int is_interval = last ? read_interval(part, &last->period) : 0;

		has_interval = is_interval == 1;
		if (is_interval <= 0)
			status = is_interval < 0 ? is_interval : add_event(counters, part);
	}
	free(copy);
	return status;
}

/* ---- what works */

static const char *explain(const struct counter *counter, int status)
{
	switch (status) {
	case -EACCES:
	case -EPERM:
		return counter->is_kernels
		               ? "it happens in the kernel, and kernel.perf_event_paranoid is above 1"
		               : "perf_event_open is not permitted here (kernel.perf_event_paranoid, or a seccomp profile)";
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
		return counter->type == PERF_TYPE_SOFTWARE
		               ? "this kernel does not count it"
		               : "this machine has no such counter (a virtual one?)";
	case -EBUSY:
		return "another program uses the counters";
	case -ENOSYS:
		return "this kernel has no perf_event_open";
	default:
		return strerror(-status);
	}
}

void counters_try(struct counters *counters)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < counters->count; i++) {
		struct counter *counter = &counters->counter[i];

		counter->status = try(counter);
		if (counter->status < 0)
			fprintf(stderr, "xcollect: warning: -h %s is not recorded: %s\n",
			        counter->name, explain(counter, counter->status));
		else
			counters->counter[kept++] = *counter;
	}
	counters->count = kept;
}

/* The known event as a counter. Returns 0 if it can be counted here, or -errno. */
static int try_known(size_t i, struct counter *counter)
{
	return find_event(known[i].name, counter) < 0 ? -EINVAL : try(counter);
}

unsigned counters_working(unsigned *count)
{
	unsigned working = 0;

	for (size_t i = 0; i < KNOWN; i++) {
		struct counter counter;

		working += try_known(i, &counter) == 0;
	}
	*count = KNOWN;
	return working;
}

void counters_list(FILE *to)
{
	fputs("Events that xcollect -h counts here, and the interval that `on` means:\n", to);
	for (int works = 1; works >= 0; works--) {
		if (!works)
			fputs("\nNot here:\n", to);
		for (size_t i = 0; i < KNOWN; i++) {
			struct counter counter;
			int status = try_known(i, &counter);

			if ((status == 0) == works && works)
				fprintf(to, "  %-24s %9llu  %s%s%s\n", known[i].name,
				        (unsigned long long)known[i].usual, known[i].meaning,
				        known[i].alias ? "; also called " : "",
				        known[i].alias ? known[i].alias : "");
			else if ((status == 0) == works)
				fprintf(to, "  %-24s %s\n", known[i].name,
				        explain(&counter, status));
		}
	}
	fputs("\nWhere libpfm4 is installed, its names of events work too. Up to 8 events: -h page-faults,1,context-switches,on\n",
	      to);
}

void counters_text(const struct counters *counters, char *text)
{
	size_t len = 0;

	*text = '\0';
	for (unsigned i = 0; i < counters->count; i++)
		len += (size_t)snprintf(text + len, COUNTERS_TEXT - len, "%s%s,%llu",
		                        i > 0 ? " " : "", counters->counter[i].name,
		                        (unsigned long long)counters->counter[i].period);
}
