/* search.c: try the threads of the target, one after another, until one is stopped at a safe point. See search.h.
 *
 * Threads that sleep come first: they are safe most often, and are hurt least. In the first rounds a thread that is not at a safe
 * point is only let go again. Then it is made to run to the end of what it is in, by a hardware breakpoint on the return address.
 * (Should this program be killed while one is set, the breakpoint would kill the thread: so it is the second choice.) */
#include "search.h"

#include "safe.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64, STOP_MS = 100, RUN_MS = 300, PLAIN_ROUNDS = 10, BETWEEN_US = 300 };

struct candidates {
	pid_t tid[THREADS];
	int count;
};

/* The state letter of a thread, 0 if it has gone. */
static char state_of(pid_t pid, pid_t tid)
{
	char path[64], line[512] = "", state = 0;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	len = fread(line, 1, sizeof(line) - 1, file);
	/* Behind the name in parentheses, which may hold anything. */
	while (len > 0 && line[len - 1] != ')')
		len--;
	if (len > 0)
		state = line[len + 1];
	fclose(file);
	return state;
}

/* Threads that sleep, the main one first, then those that run. */
static void list_candidates(pid_t pid, struct candidates *out)
{
	static const char wanted[] = "SR";
	char path[40];

	out->count = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	for (int pass = 0; pass < 2; pass++) {
		DIR *directory = opendir(path);
		struct dirent *entry;

		while (directory && out->count < THREADS && (entry = readdir(directory))) {
			pid_t tid = (pid_t)atoi(entry->d_name);

			if (tid > 0 && state_of(pid, tid) == wanted[pass])
				out->tid[out->count++] = tid;
		}
		if (directory)
			closedir(directory);
	}
}

/* Try the stopped thread: 0, or -EAGAIN with the thread let go. */
static int try_stopped(struct objects *objects, struct thread *thread, int may_run)
{
	uint64_t wait_for;
	enum safe_verdict verdict = safe_judge(objects, thread, &wait_for);

	if (verdict == SAFE_NO && may_run && wait_for && thread_run_to(thread, wait_for, RUN_MS) != -ESRCH && thread->is_stopped)
		verdict = safe_judge(objects, thread, &wait_for);
	if (verdict == SAFE_YES && thread->is_stopped && thread->is_event)
		return 0;
	thread_release(thread);
	return -EAGAIN;
}

static int try_thread(struct objects *objects, struct thread *thread, pid_t tid, int may_run)
{
	int error = thread_seize(thread, tid);

	if (error < 0)
		return error;
	error = thread_stop(thread, STOP_MS);
	if (error == -EBUSY)
		thread_release(thread);
	return error < 0 ? error : try_stopped(objects, thread, may_run);
}

int search_thread(struct objects *objects, pid_t pid, int timeout_ms, struct thread *thread)
{
	int64_t end = thread_now_ms() + timeout_ms;
	int error = -ETIMEDOUT;

	for (int round = 0; thread_now_ms() < end; round++) {
		struct candidates candidates;

		list_candidates(pid, &candidates);
		if (candidates.count == 0)
			error = state_of(pid, pid) ? -EAGAIN : -ESRCH;
		for (int i = 0; i < candidates.count && thread_now_ms() < end; i++) {
			error = try_thread(objects, thread, candidates.tid[i], round >= PLAIN_ROUNDS);
			if (error == 0 || error == -EBUSY || (error == -EPERM && round == 0))
				return error;
		}
		if (error == -ESRCH && !state_of(pid, pid))
			return error;
		thread_pause_us(BETWEEN_US + (unsigned)round % 7 * 100);
	}
	return -ETIMEDOUT;
}
