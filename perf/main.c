/* main.c: xer_sampler, the helper of xcollect --sampler, a process beside the program that it does
 * not see. xcollect executes it with
 *
 *     xer_sampler exec|attach PERIOD_NS FILE_BYTES STACK_BYTES KERNEL CPUS PID ARCHIVER WHAT
 *                 [DIRECTORY TYPE CONFIG]
 *
 * descriptor 3 is the experiment. When a byte comes on descriptor 4, it begins, and answers there
 * when it is ready or cannot be (struct sampler_answer). With exec, sampling begins when PID
 * executes a program and goes on until that and all its descendants have ended; with attach it
 * begins at once and ends when a second byte comes, or with the process. With DIRECTORY the event
 * of these numbers is sampled in place of CPU time, into that directory of the experiment. ARCHIVER
 * (xer_archive) is run at the end, to archive WHAT (off: nothing), if there were samples of
 * programs that the collector was not in, which cannot do so themselves. KERNEL 1: stacks have the
 * kernel's part, too; 2: and there are samples of the kernel alone, in DIRECTORY. CPUS 1: whole
 * CPUs are sampled, and not threads; samples of others are dropped.
 *
 *     xer_sampler timers EXPORTER PID
 *
 * waits for the end of the process and its recorded descendants, whom timers sample since
 * perf_event_open is refused, and then has EXPORTER (xer_print) write the same files from their
 * clock samples.
 * See doc/decisions/11-hardware-counters.md and doc/decisions/50-sampler.md. */
#include "perf/cost.h"
#include "perf/log.h"
#include "perf/mapfile.h"
#include "perf/timers.h"
#include "perf/work.h"

#include "format/layout.h"
#include "format/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Signals that kill the process group of the program, or come from its terminal or a limit, are not
 * for the helper. The ends of its children matter, but xcollect ignores SIGCHLD while it starts
 * helpers. */
static void ignore_signals(void)
{
	static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
	                              SIGXFSZ, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* xcollect starts all helpers before it lets the first one begin. */
static int may_begin(void)
{
	char byte;
	ssize_t got;

	while ((got = read(FMT_SAMPLER_ANSWER, &byte, 1)) < 0 && errno == EINTR)
		continue;
	return got == 1;
}

static int answer(int status, int in_kernel)
{
	struct sampler_answer said = {status, in_kernel};

	return write(FMT_SAMPLER_ANSWER, &said, sizeof(said)) == (ssize_t)sizeof(said) &&
	                       status == 0
	               ? 0
	               : -1;
}

static uint64_t own_ns(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000;
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

/* The path of the experiment, which is open as that descriptor; "": it cannot be found out. */
static const char *path_of_experiment(void)
{
	static char path[PATH_MAX];
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", FMT_SAMPLER_EXPERIMENT);
	len = readlink(link, path, sizeof(path) - 1);
	path[len < 0 ? 0 : len] = '\0';
	return path;
}

static void archive(char *archiver, char *what, const char *experiment)
{
	char *argv[] = {archiver, "-q", "-a", what, (char *)experiment, NULL};
	char *environment[] = {"PATH=/usr/bin:/bin", NULL};

	if (archiver[0] && strcmp(what, "off") != 0 && experiment[0])
		execve(archiver, argv, environment);
}

/* `files`: the lock. */
static int sample(char **argv, const char *directory, int files)
{
	int is_exec = strcmp(argv[1], "exec") == 0, in_kernel = ring_may_kernel(), status;
	struct work_settings settings = {
		.ring = {.period_ns = number(argv[2]),
	                 .in_kernel = in_kernel,
	                 .inherit = 1,
	                 .enable_on_exec = is_exec,
	                 .tell_mappings = 1,
	                 .stack_bytes = (uint32_t)number(argv[4]),
	                 .kernel_frames = in_kernel && number(argv[5]) != 0,
	                 .kernel_only = number(argv[5]) == 2,
	                 .is_counter = argv[10] && argv[11]},
		.file_bytes = number(argv[3]),
		.pid = (pid_t)number(argv[7]),
		.per_cpu = number(argv[6]) != 0,
		.directory = FMT_SAMPLER_EXPERIMENT,
		.name = directory,
		.path = path_of_experiment(),
		.archiver = argv[8],
		.end = is_exec ? -1 : FMT_SAMPLER_ANSWER,
	};
	struct work_counts counts;
	struct work *work = NULL;
	uint64_t beside_ns;

	if (settings.ring.is_counter) {
		settings.ring.type = (uint32_t)number(argv[11]);
		settings.ring.config = number(argv[12]);
	}
	status = work_open(&work, &settings);
	if (answer(status, in_kernel) < 0) {
		if (status == 0)
			work_abandon(work);
		return 1;
	}
	if (is_exec)
		close(FMT_SAMPLER_ANSWER);
	else
		work_enable(work);
	work_run(work, &counts);
	beside_ns = own_ns();
	work_close(work);
	log_counts(FMT_SAMPLER_EXPERIMENT, directory, &counts, in_kernel,
	           settings.ring.is_counter || settings.ring.kernel_only
	                   ? 0
	                   : cost_of_sample(&settings.ring),
	           beside_ns);
	close(files);
	if (mapfile_has_outsiders())
		archive(argv[8], argv[9], path_of_experiment()); /* it may have been moved */
	return 0;
}

int main(int argc, char **argv)
{
	const char *directory = argc >= 11 ? argv[10] : FMT_DIR_SAMPLER;
	int files;

	setsid();
	ignore_signals();
	prctl(PR_SET_NAME, "xer_sampler", 0, 0, 0);
	/* The program that it executes holds the lock too: readers see that the files are being
	 * written. */
	files = openat(FMT_SAMPLER_EXPERIMENT, directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	if (files < 0) {
		fputs("xer_sampler: this is run by xcollect --sampler and -h\n", stderr);
		return 2;
	}
	flock(files, LOCK_EX | LOCK_NB);
	if (!may_begin())
		return 1;
	if ((argc == 10 || argc == 11 || argc == 13) &&
	    (strcmp(argv[1], "exec") == 0 || strcmp(argv[1], "attach") == 0))
		return sample(argv, directory, files);
	if (argc == 4 && strcmp(argv[1], "timers") == 0 && answer(0, 1) == 0)
		return timers_wait_and_export(FMT_SAMPLER_EXPERIMENT, (pid_t)number(argv[3]),
		                              argv[2]);
	return 2;
}
