/* samplers.c: finds the samplers that an experiment was recorded with, and their files. See
 * samplers.h.
 * See doc/decisions/11-hardware-counters.md. */
#include "experiment/fxt/samplers.h"

#include "experiment/base/xmlread.h"
#include "experiment/fxt/fxtindex.h"
#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_TURNS = 50, DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* ---- which there are */

static void name_directory(struct exp_sampler *sampler, unsigned n)
{
	if (n == 0)
		snprintf(sampler->directory, sizeof(sampler->directory), "%s", FMT_DIR_SAMPLER);
	else
		snprintf(sampler->directory, sizeof(sampler->directory), "%s%u", FMT_DIR_COUNTER,
		         n - 1);
}

static int get_cpu_time(const struct experiment *experiment, struct exp_sampler *sampler)
{
	sampler->event[0] = '\0';
	if (exp_number_parse(experiment_setting(experiment, "sampler_ns", "0"), &sampler->period) !=
	            0 ||
	    sampler->period == 0 ||
	    strcmp(experiment_setting(experiment, "sampler_timers", "0"), "0") != 0)
		return -ENOENT;
	return 0;
}

/* The n-th counter of the setting "NAME,INTERVAL NAME,INTERVAL ...". */
static int get_counter(const struct experiment *experiment, unsigned n, struct exp_sampler *sampler)
{
	const char *at = experiment_setting(experiment, "counters", "");
	size_t len;
	char *end;

	for (unsigned i = 0; i < n; i++) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	len = strcspn(at, ", ");
	if (len == 0 || len >= sizeof(sampler->event) || at[len] != ',' || at[len + 1] < '0' ||
	    at[len + 1] > '9')
		return -ENOENT;
	errno = 0;
	sampler->period = strtoull(at + len + 1, &end, 10);
	if (errno != 0 || sampler->period == 0 || (*end != '\0' && *end != ' '))
		return -ENOENT;
	memcpy(sampler->event, at, len);
	sampler->event[len] = '\0';
	return 0;
}

int exp_sampler_get(const struct experiment *experiment, unsigned n, struct exp_sampler *sampler)
{
	name_directory(sampler, n);
	if (experiment->clock.start_mono_ns == 0)
		return -ENOENT;
	return n == 0 ? get_cpu_time(experiment, sampler) : get_counter(experiment, n - 1, sampler);
}

/* ---- their helpers */

/* Returns 1 if its helper is still at work. */
static int wait_for(int experiment_directory, const char *name)
{
	const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
	int fd = openat(experiment_directory, name, DIRECTORY_FLAGS), turns = 0, is_locked;

	if (fd < 0)
		return 0;
	while ((is_locked = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK) &&
	       turns++ < WAIT_TURNS)
		nanosleep(&pause, NULL);
	close(fd);
	return is_locked;
}

int exp_samplers_wait(int experiment_directory)
{
	struct exp_sampler sampler;
	int is_at_work = 0;

	for (unsigned n = 0; n < EXP_SAMPLERS; n++) {
		name_directory(&sampler, n);
		is_at_work |= wait_for(experiment_directory, sampler.directory);
	}
	is_at_work |= wait_for(experiment_directory, FMT_DIR_KERNEL);
	return is_at_work;
}

static int is_untold(const struct experiment *experiment, const char *directory)
{
	char count[sizeof(((struct exp_sampler *)NULL)->directory) + sizeof("_samples")];
	struct stat st;

	snprintf(count, sizeof(count), "%s_samples", directory);
	return experiment_counter(experiment, count, UINT64_MAX) == UINT64_MAX &&
	       fstatat(experiment->directory, directory, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

unsigned exp_samplers_untold(const struct experiment *experiment)
{
	struct exp_sampler sampler;
	unsigned count = 0;

	if (experiment->info.lineage[0] != '\0')
		return 0; /* the founder's tell of all */
	for (unsigned n = 0; n < EXP_SAMPLERS; n++)
		count += exp_sampler_get(experiment, n, &sampler) == 0 &&
		         is_untold(experiment, sampler.directory);
	return count;
}

/* ---- their files */

int exp_sampler_open(const struct experiment *experiment, const char *directory)
{
	int founder, fd;

	if (experiment->info.lineage[0] == '\0')
		return openat(experiment->directory, directory, DIRECTORY_FLAGS);
	founder = !experiment->founder
	                  ? -1
	                  : open(experiment->founder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (founder < 0)
		return -1;
	fd = openat(founder, directory, DIRECTORY_FLAGS);
	close(founder);
	return fd;
}

int exp_sampler_read(struct experiment *experiment, int fd, const char *where, const char *name,
                     uint64_t process, exp_sampler_visitor *visit, void *context)
{
	struct exp_fxtwalk walk = {.process = process};
	const struct exp_fxt_record *record;
	int file = exp_file_open(fd, name), rc;
	struct exp_fxt *fxt;

	if (file < 0) {
		if (file != -ENOENT)
			exp_warn(experiment, "%s/%s: %s", where, name, strerror(-file));
		return 0;
	}
	fxt = walk.fxt = exp_fxt_open(file);
	rc = !fxt ? -ENOMEM : 1;
	exp_fxtwalk_begin(&walk, experiment->indexes, where, name, file);
	while (rc == 1) {
		rc = exp_fxtwalk_next(&walk, &record);
		if (rc == 1 && visit(context, fxt, record) != 0)
			rc = -ENOMEM;
	}
	exp_fxtwalk_end(&walk, experiment->indexes, rc);
	if (rc < 0 && rc != -ENOMEM) {
		exp_warn(experiment, "%s/%s: %s", where, name,
		         rc == -EBADMSG ? exp_fxt_fault(fxt) : strerror(-rc));
		rc = 0;
	}
	if (fxt)
		exp_fxt_close(fxt);
	close(file);
	return rc;
}

void exp_sampler_span(const struct experiment *experiment, uint64_t *from_ns, uint64_t *to_ns)
{
	const struct exp_clock *clock = &experiment->clock;
	uint64_t exec_ns;

	*from_ns = experiment->began_ns != 0 ? experiment->began_ns : clock->start_mono_ns;
	*to_ns = experiment->ended_ns != 0 ? experiment->ended_ns - 1 : UINT64_MAX;
	if (experiment->info.status != EXP_EXECED || experiment->directory < 0)
		return;
	for (size_t i = 0; i < experiment->info.event_count; i++)
		if (strcmp(experiment->info.events[i].kind, "exec") == 0 &&
		    experiment->event_ticks[i] > clock->start.ticks) {
			exec_ns = clock->start_mono_ns +
			          exp_whole((double)(experiment->event_ticks[i] -
			                             clock->start.ticks) /
			                    clock->hz * 1e9);
			if (exec_ns < *to_ns)
				*to_ns = exec_ns;
		}
}
