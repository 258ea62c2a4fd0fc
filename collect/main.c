/* main.c: xcollect. Reads the command line, creates the experiment, and becomes the program to be
 * recorded, which loads libcollector.so by LD_PRELOAD. So the pid, the exit status and all signals
 * are those of the program. */
#include "collect/base/cause.h"
#include "collect/experiment/environment.h"
#include "collect/experiment/experiment.h"
#include "collect/experiment/keepfile.h"
#include "collect/experiment/kernelframes.h"
#include "collect/experiment/listing.h"
#include "collect/experiment/logfile.h"
#include "collect/experiment/membership.h"
#include "collect/groups.h"
#include "collect/introduction.h"
#include "collect/machine/clock.h"
#include "collect/options/options.h"
#include "collect/record/attach.h"
#include "collect/record/process.h"
#include "collect/record/repeat.h"
#include "collect/record/sampler.h"
#include "collect/snapshot/snapshot.h"
#include "collect/target/java.h"
#include "collect/target/outside.h"
#include "collect/target/target.h"

#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All that is known before the experiment exists. */
struct plan {
	struct request request;
	struct target target;
	struct installation installation;
	char *const *command;
};

static int write_notes(const struct request *request, const struct experiment_directory *experiment)
{
	size_t size = 1;
	char *text, *at;
	int status;

	if (request->comment_count == 0)
		return 0;
	for (size_t i = 0; i < request->comment_count; i++)
		size += strlen(request->comments[i]) + 1;
	text = malloc(size);
	if (!text)
		return -ENOMEM;
	at = text;
	for (size_t i = 0; i < request->comment_count; i++) {
		char *line = at;

		at = stpcpy(at, request->comments[i]);
		/* One comment a line. */
		for (; line < at; line++)
			if (*line == '\n')
				*line = ' ';
		*at++ = '\n';
	}
	status = experiment_put_file(experiment, FMT_FILE_NOTES, text, (size_t)(at - text));
	free(text);
	return status;
}

static int write_map(const struct experiment_directory *experiment)
{
	const char *text = logfile_map_text();

	return experiment_put_file(experiment, FMT_FILE_MAP, text, strlen(text));
}

/* log.xml comes last: a directory without it is not yet an experiment. */
static int write_files(const struct plan *plan, const struct experiment_directory *experiment,
                       struct clock_source *clock, struct clock_moment *start)
{
	size_t len;
	char *text;
	int status = write_notes(&plan->request, experiment);

	if (status == 0)
		status = write_map(experiment);
	if (status < 0)
		return status;
	clock_end(clock, start);
	text = logfile_log_text(&plan->request, &plan->target, plan->command, clock, start, &len);
	if (!text)
		return -ENOMEM;
	status = experiment_put_file(experiment, FMT_FILE_LOG, text, len);
	free(text);
	return status;
}

static void say_settings(const struct plan *plan, const char *experiment)
{
	const struct listing listing = {
		.request = &plan->request,
		.target = &plan->target,
		.experiment = experiment,
		.library = plan->target.bits == 32 ? plan->installation.library32
	                                           : plan->installation.library,
	};

	listing_print(&listing, stderr);
}

static int is_mpi_launcher(const char *path)
{
	static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun"};
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return 1;
	return 0;
}

static void warn_limits(const struct plan *plan)
{
	const struct request *request = &plan->request;
	char text[320];

	/* If timers stand in for --sampler, that has been said already. */
	if (!request->sampler_timers &&
	    profileclock_explain(&request->clock, request->profile_us, text, sizeof(text)))
		fprintf(stderr, "xcollect: %s\n", text);

	if (options_launches_mpi(request) &&
	    !is_mpi_launcher(request->attach ? "" : request->target[0]))
		fprintf(stderr,
		        "xcollect: warning: -M: %s is no launcher of MPI jobs that is known (mpirun, mpiexec, orterun, prterun, srun)\n",
		        request->attach ? "a running process" : request->target[0]);
	if (options_launches_mpi(request) && strcmp(request->follow, "off") == 0)
		fprintf(stderr,
		        "xcollect: warning: -M: with -F off, the processes of the job are not recorded\n");

	if (strcmp(request->archive, "off") != 0 && !plan->installation.archive[0])
		fprintf(stderr,
		        "xcollect: warning: xer_archive is not beside xcollect: nothing will be archived\n");
	if (request->compress == COMPRESS_ON && !plan->installation.archive[0])
		fprintf(stderr,
		        "xcollect: warning: -z: xer_archive is not beside xcollect: nothing will be compressed\n");
}

/* Helpers become children of the process that adopts orphans. That must not be the program: if it
 * waits for all its children, it would wait for a helper that waits for its end. */
static int check_helpers(const struct request *request, struct cause *cause)
{
	if (getpid() != 1 || request->attach ||
	    (!request->sampler_ns && request->counters.count == 0 && !request->kernel))
		return 0;
	return cause_set(
		cause, CAUSE_REFUSED,
		"--sampler, -h and -k: not as the first process of a container, which gets their helper for a child; start it with an init, as by docker run --init");
}

/* Become the target; returns only on failure. */
static int execute(const struct plan *plan, char **environment, struct cause *cause)
{
	execve(plan->target.file, plan->target.argv, environment);
	return cause_set(cause, errno == ENOENT ? CAUSE_NOT_FOUND : CAUSE_REFUSED,
	                 "%s: cannot be executed: %s", plan->target.file, strerror(errno));
}

/* Record a running process. *begun: there is an experiment worth keeping. */
static int attach(const struct plan *plan, const struct clock_source *clock,
                  const struct clock_moment *start, const struct experiment_directory *experiment,
                  int *begun, struct cause *cause)
{
	struct membership membership = {.fd = -1};
	const char *group = plan->request.experiment_group;
	int status = group ? membership_add(group, experiment, &membership, cause) : 0;

	if (status == 0)
		status = attach_record(&plan->installation, &plan->request, clock, start,
		                       &plan->target, experiment, begun, cause);
	if (!*begun)
		membership_withdraw(&membership);
	return status;
}

static int record(struct plan *plan, struct clock_source *clock, struct cause *cause)
{
	static struct experiment_directory experiment;
	struct clock_moment start;
	const char *group = plan->request.experiment_group;
	struct membership membership = {.fd = -1};
	int status = group ? membership_check(group, cause) : 0;
	char **environment;
	int begun = 0;

	if (status == 0 && plan->request.is_warmup)
		return execute(plan, environ, cause);

	if (status == 0)
		status = check_helpers(&plan->request, cause);
	if (status == 0)
		status = experiment_create(&plan->request, &experiment, cause);
	if (status)
		return status;
	sampler_prepare(&plan->request);
	counters_try(&plan->request.counters);
	kernelframes_prepare(&plan->request);
	if (plan->request.profile_us && !plan->target.outside[0])
		profileclock_find(&plan->request.clock);
	if (plan->target.outside[0] && outside_check(&plan->request, &plan->target, cause) != 0) {
		experiment_remove(&experiment);
		return cause->exit_code;
	}
	if (plan->request.verbose || plan->request.dry_run)
		say_settings(plan, experiment.name);
	warn_limits(plan);
	if (plan->request.dry_run)
		return 0;
	fprintf(stderr, "Creating experiment directory %s (Process ID: %d) ...\n", experiment.name,
	        (int)plan->target.pid);
	if (plan->request.stop)
		fprintf(stderr,
		        "The program will stop before it begins; to let it go on: kill -CONT %d\n",
		        (int)getpid());
	status = keepfile_make(&plan->request, &experiment);
	if (status == 0)
		status = write_files(plan, &experiment, clock, &start);
	if (status < 0) {
		cause_set(cause, CAUSE_FAILED, "cannot write to %s: %s", experiment.name,
		          strerror(-status));
	} else if (plan->request.attach) {
		status = attach(plan, clock, &start, &experiment, &begun, cause);
		if (begun)
			return status;
	} else {
		environment = plan->target.outside[0]
		                      ? environ
		                      : environment_build(&plan->installation, &plan->request,
		                                          clock, &start, experiment.path,
		                                          plan->target.bits, cause);
		if (environment &&
		    (!group || membership_add(group, &experiment, &membership, cause) == 0)) {
			unsigned helpers = sampler_begin(&plan->installation, &plan->request,
			                                 &experiment);

			if (helpers > 0 || !plan->target.outside[0])
				execute(plan, environment, cause);
			else
				cause_set(cause, CAUSE_FAILED, "%s cannot be sampled",
				          plan->target.path);
		}
	}
	membership_withdraw(&membership);
	experiment_remove(&experiment);
	return status > 0 ? status : cause->exit_code;
}

static int find_target(struct plan *plan, struct cause *cause)
{
	char **argv;
	int status;

	if (!plan->request.attach) {
		status = java_command(&plan->request, &argv, cause);
		if (status == 0)
			status = target_find(argv, &plan->target, cause);
		if (status == 0 && plan->target.bits == 32 && !plan->installation.library32[0])
			return cause_set(
				cause, CAUSE_REFUSED,
				"%s cannot be recorded: it is a 32-bit program, for which there is no collector in this installation",
				plan->target.path);
		return status;
	}
	if (!plan->installation.helper[0])
		return cause_set(cause, CAUSE_FAILED,
		                 "cannot find ../lib/xer/xer_attach relative to xcollect");
	return process_find(plan->request.attach, &plan->installation, &plan->target, cause);
}

static int run(char **argv, struct clock_source *clock, struct cause *cause)
{
	static struct plan plan;
	int status = options_parse(argv, &plan.request, cause);
	int is_run;

	if (status)
		return status;
	if (plan.request.action == OPTIONS_HELP) {
		options_help(stdout);
		return fflush(stdout) == 0
		               ? 0
		               : cause_set(cause, CAUSE_FAILED, "cannot write the help: %s",
		                           strerror(errno));
	}
	if (plan.request.action == OPTIONS_VERSION) {
		printf("xcollect (Xer) " XER_VERSION ", format " FMT_VERSION_TEXT "\n");
		return fflush(stdout) == 0
		               ? 0
		               : cause_set(cause, CAUSE_FAILED, "cannot write the version: %s",
		                           strerror(errno));
	}
	if (plan.request.action == OPTIONS_GROUP_DEFINE)
		return groups_define(plan.request.group, cause);
	if (plan.request.action == OPTIONS_GROUP_DELETE)
		return groups_delete(plan.request.group, cause);
	if (plan.request.action == OPTIONS_GROUP_LIST)
		return groups_list(stdout, cause);
	if (plan.request.action == OPTIONS_COUNTERS) {
		counters_list(stdout);
		return fflush(stdout) == 0
		               ? 0
		               : cause_set(cause, CAUSE_FAILED, "cannot write the list: %s",
		                           strerror(errno));
	}
	if (plan.request.action == OPTIONS_SNAPSHOT) {
		status = environment_find_installation(&plan.installation, cause);
		return status ? status
		              : snapshot_make(&plan.installation, &plan.request, clock, cause);
	}
	plan.command = argv;
	if (options_repeats(&plan.request)) {
		status = repeat_runs(&plan.request, &is_run, cause);
		if (!is_run)
			return status;
		clock_begin(clock);
	}
	status = environment_find_installation(&plan.installation, cause);
	if (status == 0)
		status = find_target(&plan, cause);
	if (status == 0 && plan.target.outside[0])
		status = outside_prepare(&plan.request, &plan.target, cause);
	if (status == 0)
		status = record(&plan, clock, cause);
	target_fini(&plan.target);
	return status;
}

/* For a user who does not know yet what to say. */
static int introduce(struct cause *cause)
{
	static struct installation installation;
	int status = environment_find_installation(&installation, cause);

	if (status)
		return status;
	introduction_print(&installation, stderr);
	cause->text[0] = '\0';
	return CAUSE_FAILED;
}

/* If a standard descriptor is closed, a file that we open would get its number, messages would be
 * written to it, and a program that opens others there would close it. So closed ones are occupied,
 * for us only. */
static void take_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct clock_source clock;
	struct cause cause;
	int status;

	take_standard_descriptors();
	clock_begin(&clock);
	status = argc < 2 ? introduce(&cause) : run(argv, &clock, &cause);
	if (status && cause.text[0])
		fprintf(stderr, "xcollect: %s\n", cause.text);
	return status;
}
