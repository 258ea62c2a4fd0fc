/* sampler.c: starts the helper of --sampler. See sampler.h. The program must not notice the helper:
 * so it is the child of a child that is gone before the program begins, in a POSIX session of its
 * own, and keeps no file of the program open.
 * See doc/decisions/57-sampler-fallback.md. */
#include "collect/record/sampler.h"

#include "collect/experiment/kernelframes.h"

#include "format/layout.h"
#include "format/sampler.h"
#include "sampler/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_MS = 5000, END_MS = 10000, TIMER_MIN_US = 100, NUMBER = 24 };

/* Stacks of counters are copied: their events happen anywhere, also in code without frame
 * pointers. */
enum { COUNTER_BYTES = 64 << 20, COUNTER_STACK = 8192 };

/* ---- the helper's process */

/* Keep nothing but these two descriptors, under the numbers that the helper expects. */
static void let_go(int directory, int answer)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	directory = fcntl(directory, F_DUPFD, FMT_SAMPLER_ANSWER + 1);
	answer = fcntl(answer, F_DUPFD, FMT_SAMPLER_ANSWER + 1);
	dup2(directory, FMT_SAMPLER_EXPERIMENT);
	dup2(answer, FMT_SAMPLER_ANSWER);
	close_range(FMT_SAMPLER_ANSWER + 1, ~0U, 0);
	(void)!chdir("/");
}

static _Noreturn void help(char *const *argv, int directory, int answer)
{
	char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
	struct sampler_answer failed;

	let_go(directory, answer);
	execve(argv[0], argv, environment);
	failed = (struct sampler_answer){-errno, 0};
	(void)!write(FMT_SAMPLER_ANSWER, &failed, sizeof(failed));
	_exit(127);
}

/* Let a grandchild run help(), of which this process keeps no trace: with SIGCHLD ignored, the
 * child vanishes without a signal and without a share in the times of children; and the orphan does
 * not come to us unless we are a subreaper. */
static int launch(char *const *argv, int directory, int answer)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int is_subreaper = 0;
	pid_t child;

	prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	sigaction(SIGCHLD, &ignore, &before);
	child = fork();
	if (child == 0) {
		if (fork() == 0)
			help(argv, directory, answer);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	sigaction(SIGCHLD, &before, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, is_subreaper, 0, 0, 0);
	return child < 0 ? -EAGAIN : 0;
}

/* Start a helper, which waits. Returns our end of its socket, or -errno. */
static int start_helper(char *const *argv, int directory)
{
	int ends[2];
	int status;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	status = launch(argv, directory, ends[1]);
	close(ends[1]);
	if (status == 0)
		return ends[0];
	close(ends[0]);
	return status;
}

/* Let the helper begin, and wait for its answer. Returns 0 or -errno. */
static int let_begin(int helper, struct sampler_answer *answer)
{
	struct pollfd said = {.fd = helper, .events = POLLIN};

	/* If the helper is gone already, it has printed why. */
	if (send(helper, "", 1, MSG_NOSIGNAL) != 1 && errno != EPIPE)
		return -EIO;
	if (poll(&said, 1, WAIT_MS) == 0)
		return -ETIMEDOUT;
	if (read(helper, answer, sizeof(*answer)) != (ssize_t)sizeof(*answer))
		return -EIO;
	return answer->status;
}

/* ---- what is said about it */

static void explain(int status)
{
	fprintf(stderr,
	        "xcollect: warning: nothing is sampled by the kernel (--sampler): perf_event_open: %s\n",
	        strerror(-status));
	if (status == -EACCES)
		fputs("xcollect: to permit it, as root: sysctl kernel.perf_event_paranoid=2\n",
		      stderr);
	else if (status == -EPERM)
		fputs("xcollect: to permit it in a container: a seccomp profile that passes perf_event_open, as by docker run "
		      "--security-opt seccomp=FILE; elsewhere, as root: sysctl kernel.perf_event_paranoid=2\n",
		      stderr);
	else if (status == -ENOSYS || status == -ENOENT)
		fputs("xcollect: this kernel has no such events (CONFIG_PERF_EVENTS), or a seccomp profile hides them\n",
		      stderr);
}

/* To sample whole CPUs is to see all processes of the machine. */
static void prepare_cpus(struct request *request)
{
	const struct ring_settings settings = {.period_ns = request->sampler_ns,
	                                       .in_kernel = ring_may_kernel()};
	int fd = ring_event_open(-1, sched_getcpu(), &settings);

	if (fd >= 0) {
		close(fd);
		return;
	}
	request->sampler_cpus = 0;
	fprintf(stderr,
	        "xcollect: warning: threads are sampled and not whole CPUs: perf_event_open: %s\n"
	        "xcollect: to permit it: root, CAP_PERFMON, or sysctl kernel.perf_event_paranoid=0\n",
	        strerror(-fd));
}

void sampler_prepare(struct request *request)
{
	uint64_t us = request->sampler_ns / 1000;
	int fd = request->sampler_ns
	                 ? ring_event_open(
				   0, -1, &(struct ring_settings){.period_ns = request->sampler_ns})
	                 : -1;

	if (fd >= 0)
		close(fd);
	if (fd >= 0 && request->sampler_cpus)
		prepare_cpus(request);
	if (!request->sampler_ns || fd >= 0)
		return;
	request->sampler_cpus = 0;
	explain(fd);
	if (us < TIMER_MIN_US)
		us = TIMER_MIN_US;
	if (!request->profile_us || request->profile_us > us)
		request->profile_us = us;
	request->sampler_timers = 1;
	fprintf(stderr,
	        "xcollect: timers of %g ms take the samples; they fire no more often than the kernel's tick\n",
	        (double)request->profile_us * 1e-3);
}

/* ---- life */

/* What a helper is asked to sample: `counter` NULL: CPU time, of the kernel alone if kernel_only.
 */
struct job {
	const struct counter *counter;
	int kernel_only, per_cpu;
	char directory[16];
	uint64_t period, bytes;
	uint32_t stack;
	int archives; /* what nobody else does; one job of all */
};

/* Where helpers are started, and whom they sample. */
struct place {
	const struct installation *installation;
	const struct request *request;
	const struct experiment_directory *experiment;
	const char *how;
	pid_t pid;
};

static int is_by_timers(const struct place *place, const struct job *job)
{
	return !job->counter && !job->kernel_only && place->request->sampler_timers;
}

static void cannot(const struct place *place, const struct job *job, int status)
{
	const char *sampler = place->installation->sampler;

	unlinkat(place->experiment->fd, job->directory, AT_REMOVEDIR);
	fprintf(stderr, "xcollect: warning: %s: %s: %s; the recording goes on without\n",
	        job->counter       ? job->counter->name
	        : job->kernel_only ? "-k"
	                           : "--sampler",
	        sampler[0] ? sampler : "lib/xer/xer_sampler", strerror(-status));
}

/* Returns our end of the helper's socket, or -errno. */
static int start_job(const struct place *place, const struct job *job)
{
	char period[NUMBER], bytes[NUMBER], stack[NUMBER], kernel[2], cpus[2], process[NUMBER],
		type[NUMBER], config[NUMBER];
	char *sampling[] = {(char *)place->installation->sampler,
	                    (char *)place->how,
	                    period,
	                    bytes,
	                    stack,
	                    kernel,
	                    cpus,
	                    process,
	                    (char *)place->installation->archive,
	                    (char *)(job->archives ? place->request->archive : "off"),
	                    job->counter || job->kernel_only ? (char *)job->directory : NULL,
	                    job->counter ? type : NULL,
	                    config,
	                    NULL};
	char *waiting[] = {(char *)place->installation->sampler, "timers",
	                   (char *)place->installation->print, process, NULL};
	int by_timers = is_by_timers(place, job);

	if (by_timers && !place->installation->print[0])
		fputs("xcollect: warning: xer_print is not beside xcollect: " FMT_DIR_SAMPLER
		      "/ will stay empty; the samples of the timers are a profile all the same\n",
		      stderr);
	snprintf(period, sizeof(period), "%llu", (unsigned long long)job->period);
	snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)job->bytes);
	snprintf(stack, sizeof(stack), "%u", job->stack);
	snprintf(kernel, sizeof(kernel), "%d", place->request->kernel + job->kernel_only);
	snprintf(cpus, sizeof(cpus), "%d", job->per_cpu);
	snprintf(type, sizeof(type), "%u", job->counter ? job->counter->type : 0);
	snprintf(config, sizeof(config), "%llu",
	         (unsigned long long)(job->counter ? job->counter->config : 0));
	/* A process that we attached to is already recorded; the end of the recording is not that
	 * of the process. */
	snprintf(process, sizeof(process), "%d",
	         by_timers && place->pid != getpid() ? 0 : (int)place->pid);
	if (mkdirat(place->experiment->fd, job->directory, FMT_DIRECTORY_MODE) < 0)
		return -errno;
	return start_helper(by_timers ? waiting : sampling, place->experiment->fd);
}

/* What cannot be done is said on stderr. Returns the helper, or -errno. */
static int begin_job(const struct place *place, const struct job *job, int helper)
{
	struct sampler_answer answer = {0};
	int status = helper < 0 ? helper : let_begin(helper, &answer);

	if (status < 0) {
		cannot(place, job, status);
		if (helper >= 0)
			close(helper);
		return status;
	}
	if (!answer.in_kernel && !job->counter)
		fputs("xcollect: --sampler takes no samples in system calls: the system forbids that (kernel.perf_event_paranoid is above 1)\n",
		      stderr);
	return helper;
}

static unsigned list_jobs(const struct request *request, struct job *jobs)
{
	unsigned count = 0;

	if (request->sampler_ns)
		jobs[count++] = (struct job){.directory = FMT_DIR_SAMPLER,
		                             .period = request->sampler_ns,
		                             .bytes = request->sampler_bytes,
		                             .stack = request->sampler_stack,
		                             .per_cpu = request->sampler_cpus};
	for (unsigned i = 0; i < request->counters.count; i++) {
		struct job *job = &jobs[count++];

		*job = (struct job){.counter = &request->counters.counter[i],
		                    .period = request->counters.counter[i].period,
		                    .bytes = COUNTER_BYTES,
		                    .stack = COUNTER_STACK};
		snprintf(job->directory, sizeof(job->directory), "%s%u", FMT_DIR_COUNTER, i);
	}
	/* A helper that waits for timers archives nothing: there are no samples of other
	 * processes. */
	jobs[request->sampler_ns && request->sampler_timers ? 1 : 0].archives = 1;
	if (!kernelframes_for_clock(request))
		return count;
	jobs[count] = (struct job){.kernel_only = 1,
	                           .directory = FMT_DIR_KERNEL,
	                           .period = request->profile_us * 1000,
	                           .bytes = COUNTER_BYTES,
	                           .stack = COUNTER_STACK};
	count++;
	return count;
}

/* A helper that is started after another one has begun would inherit events from this process, as
 * the program does. */
static unsigned start(const struct place *place, struct samplers *out)
{
	struct job jobs[SAMPLERS_MAX] = {0};
	unsigned begun = 0;

	out->count = list_jobs(place->request, jobs);
	for (unsigned i = 0; i < out->count; i++)
		out->fd[i] = start_job(place, &jobs[i]);
	for (unsigned i = 0; i < out->count; i++)
		begun += (out->fd[i] = begin_job(place, &jobs[i], out->fd[i])) >= 0;
	return begun;
}

unsigned sampler_begin(const struct installation *installation, const struct request *request,
                       const struct experiment_directory *experiment)
{
	struct samplers samplers;
	unsigned begun = start(&(struct place){installation, request, experiment, "exec", getpid()},
	                       &samplers);

	for (unsigned i = 0; i < samplers.count; i++)
		if (samplers.fd[i] >= 0)
			close(samplers.fd[i]);
	return begun;
}

unsigned sampler_attach(const struct installation *installation, const struct request *request,
                        const struct experiment_directory *experiment, pid_t pid,
                        struct samplers *out)
{
	return start(&(struct place){installation, request, experiment, "attach", pid}, out);
}

void sampler_end(struct samplers *samplers)
{
	for (unsigned i = 0; i < samplers->count; i++)
		if (samplers->fd[i] >= 0)
			(void)!send(samplers->fd[i], "", 1, MSG_NOSIGNAL);
	for (unsigned i = 0; i < samplers->count; i++) {
		struct pollfd gone = {.fd = samplers->fd[i]};

		if (gone.fd < 0)
			continue;
		poll(&gone, 1, END_MS);
		close(gone.fd);
	}
	samplers->count = 0;
}
