/* search.c: try the threads of the target, one after another, until one is stopped at a safe point.
 * See search.h.
 *
 * Sleeping threads come first: they are most often safe, and are disturbed least. In the first
 * rounds, a thread that is not at a safe point is only released again. Later it runs to the end of
 * what it is in, by a hardware breakpoint on the return address. (If this program were killed while
 * one is set, the breakpoint would kill the thread: so this is the second choice.) */
#include "attach/search.h"

#include "attach/safe.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64, RUN_MS = 300, PLAIN_ROUNDS = 10, PLAIN_MS = 500, BETWEEN_US = 300 };

struct candidates {
	pid_t tid[THREADS];
	int count;
};

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

			if (tid > 0 && thread_doing(tid) == wanted[pass])
				out->tid[out->count++] = tid;
		}
		if (directory)
			closedir(directory);
	}
}

/* Try the stopped thread: 0, or -EAGAIN with the thread let go. Other errors are those of
 * thread_stop. */
static int try_stopped(struct objects *objects, struct thread *thread, int may_run)
{
	uint64_t wait_for;
	enum safe_verdict verdict = safe_judge(objects, thread, &wait_for);

	if (verdict == SAFE_NO && may_run && wait_for) {
		int error = thread_run_to(thread, wait_for, RUN_MS);

		if (!thread->is_stopped)
			return error;
		verdict = safe_judge(objects, thread, &wait_for);
	}
	if (verdict == SAFE_YES && thread->is_event)
		return 0;
	thread_release(thread);
	return -EAGAIN;
}

static int try_thread(struct objects *objects, struct thread *thread, pid_t tid, int may_run)
{
	int error = thread_seize(thread, tid);

	if (error < 0)
		return error;
	error = thread_stop(thread);
	if (error == -EBUSY)
		thread_release(thread);
	return error < 0 ? error : try_stopped(objects, thread, may_run);
}

/* Does the system forbid to trace the process, by its rules (EPERM), SELinux (EACCES) or a filter
 * of system calls? */
static int is_refusal(int error)
{
	return error == -EPERM || error == -EACCES || error == -ENOSYS;
}

int search_thread(struct objects *objects, pid_t pid, int timeout_ms, struct thread *thread)
{
	int64_t begin = thread_now_ms();
	int64_t end = begin + timeout_ms;
	int error = -EAGAIN;

	for (int round = 0; thread_now_ms() < end; round++) {
		struct candidates candidates;

		list_candidates(pid, &candidates);
		if (candidates.count == 0) {
			char doing = thread_doing(pid);

			if (doing == 'T') /* a signal stops all threads */
				return -EBUSY;
			error = doing ? -EAGAIN : -ESRCH;
		}
		for (int i = 0; i < candidates.count && thread_now_ms() < end; i++) {
			error = try_thread(objects, thread, candidates.tid[i],
			                   round >= PLAIN_ROUNDS ||
			                           thread_now_ms() - begin > PLAIN_MS);
			if (error == 0 || error == -EBUSY || error == -ETIMEDOUT ||
			    (is_refusal(error) && round == 0))
				return error;
		}
		if (error == -ESRCH && !thread_doing(pid))
			return error;
		thread_pause_us(BETWEEN_US + (unsigned)round % 7 * 100);
	}
	return -EAGAIN;
}
