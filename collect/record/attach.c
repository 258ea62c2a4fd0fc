/* attach.c: waits while a running process is recorded. xer_attach, a separate program, enters and
 * leaves the process: see attach/main.c. See attach.h. */
#include "collect/record/attach.h"

#include "collect/record/process.h"
#include "collect/record/sampler.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DETACH_TRIES = 3 };

/* Run a program and wait for its end. It has its own process group: signals of the terminal are for
 * us only. So that is in the background, and may write to the terminal all the same. Returns its
 * exit status, 125 if it had none. */
static int run(char *const *argv, char *const *environment)
{
	posix_spawnattr_t attributes;
	sigset_t blocked;
	int status = 0;
	pid_t child, ended;
	int error;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTTOU);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &blocked);
	error = posix_spawn(&child, argv[0], NULL, &attributes, argv, environment);
	posix_spawnattr_destroy(&attributes);
	if (error)
		return CAUSE_FAILED;
	while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
		continue;
	return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : CAUSE_FAILED;
}

static int run_helper(const struct installation *installation, const char *what, pid_t pid,
                      char *descriptor)
{
	char number[24];
	char *const argv[] = {(char *)installation->helper, (char *)what, number,
	                      (char *)installation->library, NULL};
	char *const environment[] = {"PATH=/usr/bin:/bin", descriptor, NULL};

	snprintf(number, sizeof(number), "%d", (int)pid);
	return run(argv, environment);
}

/* Does the user sit at a terminal, and wait for us there? */
static int is_watched(void)
{
	return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void attach_archive(const struct installation *installation, const struct request *request,
                    const char *directory, const char *name)
{
	int is_told = name && is_watched();
	char *const argv[] = {(char *)installation->archive,
	                      "-a",
	                      (char *)request->archive,
	                      "-z",
	                      (char *)compress_words[request->compress],
	                      is_told ? "-s" : "-q",
	                      (char *)(is_told ? name : directory),
	                      (char *)(is_told ? directory : NULL),
	                      NULL};
	char *const environment[] = {"PATH=/usr/bin:/bin", NULL};

	if (installation->archive[0] &&
	    (is_told || strcmp(request->archive, "off") != 0 || request->compress == COMPRESS_ON))
		run(argv, environment);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait for the end of the process (returns 1), or for a signal or the end of the time (0). */
static int stay(int process, int signals, uint64_t duration_ms)
{
	struct pollfd watched[] = {{.fd = process, .events = POLLIN},
	                           {.fd = signals, .events = POLLIN}};
	int64_t end = now_ms() + (int64_t)duration_ms;

	for (;;) {
		int64_t left = duration_ms ? end - now_ms() : 1000;
		int ready = left > 0 ? poll(watched, 2, left > 1000 ? 1000 : (int)left) : 0;

		if (ready > 0 && watched[0].revents)
			return 1;
		if ((ready > 0 && watched[1].revents) || (duration_ms && now_ms() >= end))
			return 0;
	}
}

static int is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* A user who starts us with nohup wants the recording to outlive the terminal. (SIGINT is ignored
 * in background jobs of shells without job control; it ends the recording all the same.) SIGCHLD of
 * helpers must not be ignored, whatever we have inherited. */
static int watch_signals(void)
{
	sigset_t set;

	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (!is_ignored(SIGHUP))
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int has_ended(int process)
{
	struct pollfd watched = {.fd = process, .events = POLLIN};

	return poll(&watched, 1, 0) > 0;
}

/* A process that ends just now is as good as one that was left. */
static int leave(const struct installation *installation, pid_t pid, int process)
{
	int status = CAUSE_FAILED;

	for (int i = 0; i < DETACH_TRIES && status && !has_ended(process); i++)
		status = run_helper(installation, "detach", pid, "");
	return has_ended(process) ? 0 : status;
}

/* Make the process load the recorder. */
static int go_in(const struct installation *installation, const struct request *request,
                 const struct clock_source *clock, const struct clock_moment *start,
                 const struct target *target, const char *experiment, struct cause *cause)
{
	struct installation inside = *installation;
	struct request wish = *request;
	char *descriptor;
	int status;

	inside.archive[0] = '\0'; /* we archive, so that the process is not held up */
	wish.to_ms = 0;           /* we end the recording */
	descriptor = environment_descriptor(&inside, &wish, clock, start, experiment);
	if (!descriptor)
		return cause_set(cause, CAUSE_FAILED, "a path is too long");
	status = process_hand_over(target, experiment, cause);
	if (status)
		return status;
	cause->text[0] = '\0';
	return run_helper(installation, "attach", target->pid, descriptor);
}

int attach_record(const struct installation *installation, const struct request *request,
                  const struct clock_source *clock, const struct clock_moment *start,
                  const struct target *target, const struct experiment_directory *experiment,
                  int *begun, struct cause *cause)
{
	int process = (int)syscall(SYS_pidfd_open, target->pid, 0);
	int signals = watch_signals(), is_inside = !target->outside[0];
	struct samplers samplers;
	int status = 0;

	if (process < 0)
		return cause_set(cause, CAUSE_NOT_FOUND, "process %d: %s", (int)target->pid,
		                 strerror(errno));
	if (is_inside)
		status = go_in(installation, request, clock, start, target, experiment->path,
		               cause);
	if (status)
		return status;
	if (sampler_attach(installation, request, experiment, target->pid, &samplers) == 0 &&
	    !is_inside)
		return cause_set(cause, CAUSE_FAILED, "process %d cannot be sampled",
		                 (int)target->pid);
	*begun = 1;
	fprintf(stderr, "Attached to process %d\n", (int)target->pid);
	if (!stay(process, signals, request->to_ms) && is_inside)
		status = leave(installation, target->pid, process);
	sampler_end(&samplers);
	attach_archive(installation, request, experiment->path, experiment->name);
	return status;
}
