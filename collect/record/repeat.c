/* repeat.c: see repeat.h. While a run goes on, this process waits, and passes signals on that ask
 * for its end; the others of the terminal reach the run by themselves. See
 * doc/decisions/92-repeated-runs.md. */
#include "collect/record/repeat.h"

#include "collect/experiment/membership.h"
#include "format/layout.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* One of the programs that are compared, and its group. */
struct side {
	char **command;
	const char *group;
	char usual[PATH_MAX]; /* the name of a group that was not named */
};

struct runs {
	struct request *request;
	struct side sides[2];
	unsigned side_count;
	off_t input; /* where standard input stood at the beginning, -1: it cannot go back */
	int status;  /* of the last run that failed */
	unsigned failed;
};

/* ---- what is to be run */

/* The two commands stand before and behind the separator. */
static int split_commands(struct runs *runs, struct cause *cause)
{
	char **at = runs->request->target;

	runs->sides[0].command = at;
	if (!runs->request->versus)
		return 0;
	while (*at && strcmp(*at, runs->request->versus) != 0)
		at++;
	if (!at[0] || at == runs->request->target || !at[1])
		return cause_set(
			cause, CAUSE_FAILED,
			"--versus needs two programs with %s between them: xcollect --versus old ARGUMENTS %s new ARGUMENTS",
			runs->request->versus, runs->request->versus);
	*at = NULL;
	runs->sides[1].command = at + 1;
	return 0;
}

static int is_free(const char *name)
{
	return access(name, F_OK) != 0 && errno == ENOENT;
}

/* test.N.erg, or test.N.a.erg and test.N.b.erg, where N is free. */
static void name_groups(struct runs *runs)
{
	int is_taken = 1;

	for (unsigned number = 1; is_taken && number < INT_MAX; number++) {
		is_taken = 0;
		for (unsigned i = 0; i < runs->side_count; i++) {
			snprintf(runs->sides[i].usual, PATH_MAX, "test.%u%s" FMT_GROUP_SUFFIX,
			         number,
			         runs->side_count == 1 ? ""
			         : i == 0              ? ".a"
			                               : ".b");
			is_taken |= !is_free(runs->sides[i].usual);
			runs->sides[i].group = runs->sides[i].usual;
		}
	}
}

static int plan_runs(struct runs *runs, struct cause *cause)
{
	struct request *request = runs->request;

	if (request->repeat == 0)
		request->repeat = 1;
	if (request->dry_run) {
		request->repeat = 1;
		request->warmup = 0;
	}
	runs->side_count = request->versus ? 2 : 1;
	for (unsigned i = 0; i < request->group_count; i++) {
		int status = membership_check(request->groups[i], cause);

		if (status)
			return status;
		runs->sides[i].group = request->groups[i];
	}
	if (request->group_count == 0)
		name_groups(runs);
	return split_commands(runs, cause);
}

/* ---- signals */

static volatile sig_atomic_t ended_by;
static volatile sig_atomic_t child;

static const int asking[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { ASKING = sizeof(asking) / sizeof(asking[0]) };

/* A signal of the terminal reaches the run, too; one that was sent to this process alone does not.
 */
static void on_signal(int signal, siginfo_t *info, void *context)
{
	int before = errno;

	(void)context;
	ended_by = signal;
	if (child > 0 && info->si_code <= 0)
		kill((pid_t)child, signal);
	errno = before;
}

/* What the user ignores stays ignored. */
static void watch_signals(struct sigaction before[ASKING])
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

	for (size_t i = 0; i < ASKING; i++)
		if (sigaction(asking[i], NULL, &before[i]) == 0 && before[i].sa_handler == SIG_DFL)
			sigaction(asking[i], &action, NULL);
}

static void leave_signals(const struct sigaction before[ASKING])
{
	for (size_t i = 0; i < ASKING; i++)
		sigaction(asking[i], &before[i], NULL);
}

/* ---- one run */

/* In the child: the request of this run alone. */
static void become_run(const struct runs *runs, unsigned side, int is_warmup)
{
	struct request *request = runs->request;

	request->target = runs->sides[side].command;
	request->experiment_group = runs->sides[side].group;
	request->is_warmup = is_warmup;
	if (runs->input >= 0)
		lseek(STDIN_FILENO, runs->input, SEEK_SET);
}

static void note_end(struct runs *runs, int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

	if (code == 0)
		return;
	runs->status = code;
	runs->failed++;
}

/* A run that xcollect could not begin will not begin the next time, either. */
static int is_in_vain(const struct runs *runs)
{
	return runs->status >= CAUSE_FAILED && runs->status <= CAUSE_NOT_FOUND;
}

/* Returns 1 in the child; 0 here when it has ended; or 125 with `cause`. */
static int run(struct runs *runs, unsigned side, int is_warmup, struct cause *cause)
{
	struct sigaction before[ASKING];
	sigset_t all, usual;
	int status = 0;
	pid_t ended;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &usual);
	watch_signals(before);
	child = fork();
	if (child <= 0)
		leave_signals(before);
	sigprocmask(SIG_SETMASK, &usual, NULL);
	if (child < 0)
		return cause_set(cause, CAUSE_FAILED, "cannot start a run: %s", strerror(errno));
	if (child == 0) {
		become_run(runs, side, is_warmup);
		return 1;
	}
	while ((ended = waitpid((pid_t)child, &status, 0)) < 0 && errno == EINTR)
		continue;
	child = 0;
	leave_signals(before);
	if (ended > 0)
		note_end(runs, status);
	return 0;
}

/* Two programs take turns as A B, B A, A B, ...: what changes with time, such as a processor that
 * becomes warm, is the same for both. */
static int run_all(struct runs *runs, unsigned count, int is_warmup, int *is_run,
                   struct cause *cause)
{
	for (unsigned i = 0; i < count * runs->side_count && !is_in_vain(runs) && !ended_by; i++) {
		unsigned turn = i / runs->side_count, side = i % runs->side_count;
		int status = run(runs, turn % 2 ? runs->side_count - 1 - side : side, is_warmup,
		                 cause);

		*is_run = status == 1;
		if (status != 0)
			return status;
	}
	return 0;
}

static void say_end(const struct runs *runs)
{
	const char *from = runs->sides[0].group, *to = runs->sides[1].group;

	if (runs->failed != 0)
		fprintf(stderr,
		        "xcollect: %u of %u runs failed, the last one with exit status %d\n",
		        runs->failed,
		        (runs->request->repeat + runs->request->warmup) * runs->side_count,
		        runs->status);
	if (is_in_vain(runs) || runs->request->dry_run)
		return;
	if (runs->side_count == 1)
		fprintf(stderr, "%u runs are in %s; to read them: xer_print -functions %s\n",
		        runs->request->repeat, from, from);
	else
		fprintf(stderr,
		        "%u runs each are in %s and %s; to compare them: xer_print -changes %s %s\n",
		        runs->request->repeat, from, to, from, to);
}

int repeat_runs(struct request *request, int *is_run, struct cause *cause)
{
	static struct runs runs;
	int status;

	runs = (struct runs){.request = request, .input = lseek(STDIN_FILENO, 0, SEEK_CUR)};
	*is_run = 0;
	status = plan_runs(&runs, cause);
	if (status == 0)
		status = run_all(&runs, request->warmup, 1, is_run, cause);
	if (status == 0)
		status = run_all(&runs, request->repeat, 0, is_run, cause);
	if (*is_run)
		return 0;
	if (status != 0)
		return status;
	if (ended_by)
		raise(ended_by);
	say_end(&runs);
	return runs.status;
}
