/* main.c: xer_attach, the helper of `xcollect -P`: goes into a running process once, and is gone
 * again.
 *
 *     xer_attach attach PID LIBRARY    load LIBRARY into the process and give it the descriptor in
 * the environment xer_attach detach PID LIBRARY    tell it to end the recording
 *
 * It is a program of its own because libdw takes long to load, and because the kernel releases all
 * threads when it ends, whatever happens. On failure one line on standard error says why.
 * See doc/decisions/35-attach.md. */
#include "attach/call.h"
#include "attach/masks.h"
#include "attach/memory.h"
#include "attach/objects.h"
#include "attach/search.h"

#include "format/attach.h"
#include "format/descriptor.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	SEARCHES = 4, /* for a safe point, each of */
	SEARCH_MS = 5000,
	START_TRIES = 800, /* to find the C library of a program that is being started, */
	START_PAUSE_US = 25000,
	START_CPU_MS = 50, /* which needs less CPU time than this to get there */
	LOAD_MS = 20000,
	ENTRY_MS = 30000,
	MESSAGE_MAX = 512,
	PROGRAMS = 10,     /* at most, that the process executes while we look at it */
	OTHER_PROGRAM = 1, /* it executes another one by now: look again */
	FAILED = 125,
	REFUSED = 126,
	GONE = 127
};

struct job {
	pid_t pid;
	const char *library;
	const char *text; /* the descriptor */
	int is_detach;
	int programs; /* that it began to execute while we looked */
	struct objects *objects;
	struct thread thread;
	struct call_place place;
	size_t used; /* of the argument space */
};

__attribute__((format(printf, 2, 3))) static int fail(int exit_code, const char *format, ...)
{
	va_list arguments;

	fputs("xcollect: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return exit_code;
}

/* Why the target could not be entered. */
static int explain_search(const struct job *job, int error)
{
	int pid = (int)job->pid;

	switch (error) {
	case -ETIMEDOUT:
		return fail(
			REFUSED,
			"process %d: a thread does not stop: it is in a call that cannot be interrupted, or gets no CPU; try again",
			pid);
	case -EAGAIN:
		return fail(
			REFUSED,
			"process %d was never at a point where the collector could be loaded: its threads are all in the loader, in malloc, or in calls that cannot be interrupted; try again",
			pid);
	case -EBUSY:
		return fail(REFUSED,
		            "process %d is stopped by a signal; continue it first: kill -CONT %d",
		            pid, pid);
	case -ESRCH:
		return fail(GONE, "process %d has ended", pid);
	default:
		return fail(REFUSED, "process %d cannot be traced: %s", pid, strerror(-error));
	}
}

/* A fault in the target is ours: report where, and that the program was not affected. */
static int explain_fault(const struct job *job, const char *what)
{
	struct arch_registers registers;
	uint64_t pc = arch_registers_get(job->thread.tid, &registers) == 0 ? arch_pc(&registers)
	                                                                   : 0;

	return fail(FAILED, "process %d: signal %d in %s at %#llx (%s); the call was undone",
	            (int)job->pid, job->thread.stop_signal, what, (unsigned long long)pc,
	            objects_name(job->objects, pc));
}

static int explain_call(const struct job *job, const char *what, int error)
{
	int pid = (int)job->pid;

	switch (error) {
	case -ESRCH:
		return fail(GONE, "process %d has ended in %s", pid, what);
	case -EPERM:
	case -EACCES:
		return fail(REFUSED,
		            "process %d may not have new executable memory (SELinux, seccomp)",
		            pid);
	case -ETIMEDOUT:
		return fail(
			FAILED,
			"process %d does not come back from %s: another thread holds the loader's lock; it goes on, and is not recorded",
			pid, what);
	case -EFAULT:
		return explain_fault(job, what);
	default:
		return fail(FAILED, "process %d: %s: %s", pid, what, strerror(-error));
	}
}

/* What collector_attach and collector_detach have returned. */
static int explain_result(const struct job *job, int error)
{
	int pid = (int)job->pid;

	switch (error) {
	case -EBUSY:
		return fail(REFUSED, "process %d is being recorded already", pid);
	case -ENOENT:
		return fail(REFUSED, "process %d is not recorded", pid);
	case -EAGAIN:
		return fail(REFUSED,
		            "process %d: a thread is still in an earlier recording; try again",
		            pid);
	case -EACCES:
		return fail(
			REFUSED,
			"process %d may not write into the experiment; use -d with a directory that its user can enter",
			pid);
	case -EPROTO:
	case -EINVAL:
		return fail(REFUSED, "process %d has another version of libcollector.so", pid);
	default:
		return fail(FAILED, "process %d: the recording cannot begin: %s", pid,
		            strerror(-error));
	}
}

/* Call one of the loader's functions. */
static int call_symbol(struct job *job, const char *name, uint64_t first, uint64_t second,
                       uint64_t *result)
{
	uint64_t function = objects_symbol(job->objects, OBJECT_LIBC, name);

	return function ? call_function(&job->place, function, first, second, LOAD_MS, result)
	                : -ENOTSUP;
}

/* The loader's own words. */
static int explain_dlerror(struct job *job)
{
	char message[MESSAGE_MAX] = "";
	uint64_t at;

	if (call_symbol(job, "dlerror", 0, 0, &at) == 0 && at)
		for (size_t i = 0; i + 1 < sizeof(message) &&
		                   memory_read(at + i, message + i, 1) == 0 && message[i];
		     i++)
			message[i + 1] = '\0';
	return fail(REFUSED, "process %d cannot load the collector: %s", (int)job->pid,
	            message[0] ? message : "no reason is known");
}

/* Load the library, find its entry, and call it. Returns the exit status; *touched is 0 if the
 * thread must be left alone. */
static int run_entry(struct job *job, int *touched)
{
	const char *entry = job->is_detach ? ATTACH_EXIT : ATTACH_ENTRY;
	uint64_t path = call_put(&job->place, &job->used, job->library, strlen(job->library) + 1);
	uint64_t name = call_put(&job->place, &job->used, entry, strlen(entry) + 1);
	uint64_t text = call_put(&job->place, &job->used, job->text, strlen(job->text) + 1);
	uint64_t handle = 0, function = 0, result = 0, taken_from;
	struct attach_call call;
	int error = path && name && text ? 0 : -E2BIG;

	arch_interrupted_call(&job->place.state.registers, &call);
	taken_from = call_put(&job->place, &job->used, &call, sizeof(call));
	if (error == 0)
		error = call_symbol(job, "dlopen", path,
		                    RTLD_NOW | RTLD_NODELETE | (job->is_detach ? RTLD_NOLOAD : 0),
		                    &handle);
	if (error == 0 && handle == 0)
		return job->is_detach ? explain_result(job, -ENOENT) : explain_dlerror(job);
	if (error == 0)
		error = call_symbol(job, "dlsym", handle, name, &function);
	if (error == 0 && function == 0)
		return explain_result(job, -EPROTO);
	if (error == 0)
		error = call_function(&job->place, function, text, taken_from, ENTRY_MS, &result);
	*touched = error == 0 || error == -EFAULT;
	if (error == -ESTALE && function)
		error = 0;
	if (error < 0)
		return explain_call(job, "the call", error);
	return (int)result < 0 ? explain_result(job, (int)result) : 0;
}

/* errno is the thread's own, and the loader's functions change it. */
static int keep_errno(struct job *job, uint64_t *at, int *value)
{
	int error = call_symbol(job, "__errno_location", 0, 0, at);

	return error < 0 ? error : memory_read(*at, value, sizeof(*value));
}

/* Does the process execute another program by now? Then nothing of the old one can be read. */
static int is_other_program(struct job *job)
{
	return !call_is_possible(job->objects) && job->programs++ < PROGRAMS;
}

static int enter(struct job *job)
{
	uint64_t errno_at;
	int value, status, touched = 1;
	int error = call_begin(&job->place, job->objects, &job->thread);

	if (error == -ENOTSUP && is_other_program(job)) {
		thread_release(&job->thread);
		return OTHER_PROGRAM;
	}
	if (error < 0)
		return explain_call(job, "mapping memory", error);
	error = keep_errno(job, &errno_at, &value);
	if (error < 0) {
		touched = error == -EFAULT;
		status = explain_call(job, "the first call", error);
	} else {
		status = run_entry(job, &touched);
		memory_write(errno_at, &value, sizeof(value));
	}
	if (!touched)
		return status;
	error = call_end(&job->place);
	thread_release(&job->thread);
	if (status == 0 && !job->is_detach)
		masks_let_in(job->pid);
	return error < 0 && status == 0 ? explain_call(job, "the way back", error) : status;
}

/* Is the process so young that it may not have its C library yet, or only a part of it? It runs, or
 * waits for a CPU, and has hardly used any. */
static int is_starting(pid_t pid)
{
	char doing = thread_doing(pid);
	struct timespec used;
	clockid_t clock;

	return (doing == 'R' || doing == 'D') && clock_getcpuclockid(pid, &clock) == 0 &&
	       clock_gettime(clock, &used) == 0 && used.tv_sec == 0 &&
	       used.tv_nsec < START_CPU_MS * 1000000L;
}

static int read_objects(struct job *job)
{
	for (int tries = 0;; tries++) {
		int may_wait = tries < START_TRIES && is_starting(job->pid);
		int error = memory_open(job->pid);

		if (error == 0)
			error = objects_open(job->pid, job->library, &job->objects);
		if (!may_wait || (error < 0 && error != -EIO) ||
		    (error == 0 && call_is_possible(job->objects)))
			return error;
		if (error == 0)
			objects_close(job->objects);
		usleep(START_PAUSE_US);
	}
}

static int search(struct job *job)
{
	int error = -EAGAIN;

	for (int i = 0; i < SEARCHES && error == -EAGAIN; i++) {
		error = search_thread(job->objects, job->pid, SEARCH_MS, &job->thread);
		if (error == -EAGAIN && !call_is_possible(job->objects))
			break;
	}
	return error;
}

/* Go into the program that the process executes now. */
static int go_in(struct job *job)
{
	int error = read_objects(job);

	if (error < 0)
		return fail(error == -ENOENT ? GONE : REFUSED, "process %d cannot be read: %s",
		            (int)job->pid, strerror(-error));
	if (!objects_symbol(job->objects, OBJECT_LIBC, "dlopen"))
		return fail(
			REFUSED,
			"process %d has no GNU C library of version 2.34 or later, or its file has been replaced",
			(int)job->pid);
	/* Its allocator may be inlined anywhere, and in a trial a thread came to a standstill in
	 * one. */
	if (objects_symbol(job->objects, OBJECT_PROGRAM_ALLOCATOR, "malloc"))
		return fail(
			REFUSED,
			"process %d cannot be recorded: the program has a malloc of its own, which might be entered twice",
			(int)job->pid);
	error = search(job);
	if (error == -EAGAIN && is_other_program(job))
		return OTHER_PROGRAM;
	return error < 0 ? explain_search(job, error) : enter(job);
}

static int run(struct job *job)
{
	int status;

	do {
		status = go_in(job);
		if (status == OTHER_PROGRAM)
			objects_close(job->objects);
	} while (status == OTHER_PROGRAM);
	return status;
}

int main(int argc, char **argv)
{
	static struct job job;

	if (argc != 4 || (strcmp(argv[1], "attach") != 0 && strcmp(argv[1], "detach") != 0) ||
	    atoi(argv[2]) <= 0)
		return fail(FAILED,
		            "xer_attach is a part of xcollect -P, and is not called by users");
	job.is_detach = strcmp(argv[1], "detach") == 0;
	job.pid = (pid_t)atoi(argv[2]);
	job.library = argv[3];
	job.text = getenv(DESCRIPTOR_VARIABLE);
	if (!job.text)
		job.text = "";
	return run(&job);
}
