/* exec.c: the process is about to execute another program: write the totals, note the new image,
 * and give it an environment with its place in the tree. If the call fails, recording goes on.
 *
 * A child that shares its parent's memory (vfork) comes here too. It must not change the parent's
 * environment: the new one is built on its stack. */
#include "libcollector/exec/exec.h"

#include "libcollector/base/host.h"
#include "libcollector/exec/environment.h"
#include "libcollector/exec/executable.h"
#include "libcollector/hook/hook.h"
#include "libcollector/process/child.h"
#include "libcollector/process/descendant.h"
#include "libcollector/profile/tick.h"
#include "libcollector/thread/signals.h"
#include "libcollector/write/log.h"

#include <alloca.h>
#include <errno.h>
#include <stdarg.h>

enum { PATH_SHOWN = 1024, ON_STACK_MAX = 4 * 1024 /* the smallest stack of a thread is 16 */ };

/* What is known about a call in advance. */
struct departure {
	struct descriptor_step step;
	const struct executable_obstacle *obstacle;
	int is_noted;  /* the present image is recorded, and its end is in its log */
	int is_led_on; /* the new one gets our variables */
	int bits;      /* of the new one */
};

static void log_path(const char *kind, const char *path, const char *lineage,
                     const struct executable_obstacle *obstacle, int error)
{
	char *memory = col_text_borrow();
	struct xml_text text = {.at = memory, .capacity = COL_TEXT_SIZE};

	if (!memory)
		return;
	col_event_begin(&text, kind);
	if (error)
		xml_put_number(&text, "errno", (uint64_t)error);
	xml_put_attribute(&text, "path", path, strnlen(path, PATH_SHOWN));
	xml_put_string(&text, "lineage", lineage);
	executable_put_obstacle(&text, obstacle);
	col_event_end(&text);
	col_text_return(memory);
}

/* The file as openat and faccessat need it; "": the directory itself, or unknown. NULL if it does
 * not exist or cannot be executed. The kernel looks at the path first: it may be an invalid
 * pointer. */
static const char *find_file(const struct exec_call *call, int *directory, char *memory)
{
	long error;

	*directory = call->directory;
	if (call->form == EXEC_FEXECVE)
		return "";
	if (call->form == EXEC_EXECVPE && !strchr(call->path, '/')) {
		error = image_search(call->path, memory, PATH_SHOWN);
		if (error == -ENAMETOOLONG)
			return "";
		return error == 0 ? memory : NULL;
	}
	error = SYS3(SYS_faccessat, call->directory, call->path, X_OK);
	if (error == 0)
		return call->path;
	return error == -ENOENT && call->flags & AT_EMPTY_PATH && !*call->path ? "" : NULL;
}

/* A vfork child may try several files: it is the same child. */
static uint32_t number_of_sharer(void)
{
	static atomic_uint_fast64_t last; /* pid | number << 32 */
	uint64_t pid = (uint64_t)sys_getpid();
	uint64_t seen = atomic_load(&last);

	if ((uint32_t)seen != pid) {
		seen = pid | (uint64_t)descendant_number('f') << 32;
		atomic_store(&last, seen);
		if (col_is_recording())
			child_log("vfork", (int)pid, (uint32_t)(seen >> 32));
	}
	return (uint32_t)(seen >> 32);
}

static const char *shown(const struct exec_call *call)
{
	return call->path && *call->path ? call->path : "(descriptor)";
}

static void note(struct departure *departure, const struct exec_call *call)
{
	const char *lineage = departure->is_led_on ? departure->step.lineage : NULL;

	if (departure->obstacle)
		log_path("unrecorded", shown(call), departure->step.lineage, departure->obstacle,
		         0);
	if (!process_is_recorded())
		return;
	if (!atomic_load(&col.is_unsettled)) {
		tick_depart(); /* what comes behind the totals is the new image's */
		col_host->account();
		log_path("exec", shown(call), departure->obstacle ? NULL : lineage, NULL, 0);
		departure->is_noted = 1;
	}
}

/* Shells try every directory of PATH: calls that must fail are not recorded. */
static int prepare(struct departure *departure, const struct exec_call *call)
{
	char memory[PATH_SHOWN];
	int directory;
	const char *file;

	memset(departure, 0, sizeof(*departure));
	file = find_file(call, &directory, memory);
	if (!file || !environment_is_readable(call->envp))
		return 0;
	departure->is_led_on = descendant_is_followed() && !environment_refuses(call->envp) &&
	                       descendant_step_image(&departure->step, sys_getpid() != col.pid
	                                                                       ? number_of_sharer()
	                                                                       : 0) == 0;
	if (departure->is_led_on) {
		departure->obstacle = executable_obstacle(directory, file, &departure->bits);
		departure->is_led_on = (!departure->obstacle || departure->obstacle->passes) &&
		                       environment_has_library(departure->bits);
		departure->step.leads = departure->obstacle != NULL;
	}
	if (col_is_recording())
		note(departure, call);
	return departure->is_led_on;
}

static int execute(const struct exec_call *call, char *const *envp)
{
	switch (call->form) {
	case EXEC_EXECVE:
		return REAL(execve)(call->path, call->argv, envp);
	case EXEC_EXECVPE:
		return REAL(execvpe)(call->path, call->argv, envp);
	case EXEC_FEXECVE:
		return REAL(fexecve)(call->directory, call->argv, envp);
	case EXEC_EXECVEAT:
		break;
	}
	return REAL(execveat)(call->directory, call->path, call->argv, envp, call->flags);
}

static int call_real(const struct exec_call *call, char *const *envp)
{
	sys_sigset mask;
	int departs, result;

	tick_depart();
	departs = signals_depart(&mask);
	result = execute(call, envp);
	if (departs)
		signals_stay(&mask);
	tick_stay();
	return result;
}

/* After a call that failed. */
static int failed(const struct departure *departure, const struct exec_call *call)
{
	int error = errno;

	if (departure->is_noted)
		log_path("exec_error", shown(call), NULL, NULL, error);
	errno = error;
	return -1;
}

/* A long list stays mapped in the parent of a vfork child when the child executes another program.
 * The next such call of the thread unmaps it, or the thread's end: the child that used it has left
 * this memory by then, except if the caller itself uses it, interrupted by a handler of the
 * program. */
static __thread struct {
	char *at;
	size_t size;
	int user; /* thread number */
} list;

void exec_forget_list(void)
{
	char *at = list.at;

	if (!at || list.user == sys_gettid())
		return;
	list.at = NULL;
	sys_munmap(at, list.size);
}

static char *map_list(size_t size)
{
	char *at = sys_mmap_anonymous(size);

	exec_forget_list();
	list.user = sys_gettid();
	list.size = size;
	atomic_signal_fence(memory_order_seq_cst);
	list.at = at;
	return at;
}

/* A long environment does not fit on small stacks. */
static int run_with(const struct departure *departure, const struct exec_call *call)
{
	struct environment_room room = environment_room(call->envp);
	size_t size = room.entries * sizeof(char *) + room.text;
	char *memory = size <= ON_STACK_MAX ? alloca(size) : map_list(size);

	if (!memory)
		return call_real(call, call->envp);
	environment_give((char **)memory, memory + room.entries * sizeof(char *), call->envp,
	                 &departure->step, departure->bits);
	call_real(call, (char **)memory);
	if (size > ON_STACK_MAX) {
		if (list.at == memory)
			list.at = NULL;
		sys_munmap(memory, size);
	}
	return -1;
}

/* The C library refuses it by itself. */
static int is_refused(const struct exec_call *call)
{
	return call->form == EXEC_FEXECVE ? !call->envp : !call->path;
}

int exec_run(const struct exec_call *call)
{
	struct departure departure;

	child_look();
	if ((!col.is_recorded && !descendant_is_followed()) || is_refused(call))
		return call_real(call, call->envp);
	if (prepare(&departure, call))
		run_with(&departure, call);
	else
		call_real(call, call->envp);
	if (departure.is_led_on && errno == E2BIG) /* with our variables, but perhaps not without */
		call_real(call, call->envp);
	return failed(&departure, call);
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return exec_run(&(struct exec_call){EXEC_EXECVE, AT_FDCWD, path, argv, envp, 0});
}

EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return exec_run(&(struct exec_call){EXEC_EXECVPE, AT_FDCWD, file, argv, envp, 0});
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	return exec_run(&(struct exec_call){EXEC_FEXECVE, fd, NULL, argv, envp, 0});
}

EXPORT int execveat(int directory, const char *path, char *const argv[], char *const envp[],
                    int flags)
{
	return exec_run(&(struct exec_call){EXEC_EXECVEAT, directory, path, argv, envp, flags});
}

/* The forms with a list of arguments call those with an array. */
#define COLLECT(first, more) \
	({ \
		size_t count_ = 1, at_ = 0; \
		va_list counting_; \
		va_copy(counting_, more); \
		while (va_arg(counting_, char *)) \
			count_++; \
		va_end(counting_); \
		char **argv_ = alloca((count_ + 1) * sizeof(char *)); \
		argv_[at_++] = (char *)(first); \
		while ((argv_[at_++] = va_arg(more, char *))) \
			continue; \
		argv_; \
	})

EXPORT int execl(const char *path, const char *argument, ...)
{
	va_list more;
	char **argv;

	va_start(more, argument);
	argv = COLLECT(argument, more);
	va_end(more);
	return execv(path, argv);
}

EXPORT int execlp(const char *file, const char *argument, ...)
{
	va_list more;
	char **argv;

	va_start(more, argument);
	argv = COLLECT(argument, more);
	va_end(more);
	return execvp(file, argv);
}

EXPORT int execle(const char *path, const char *argument, ...)
{
	va_list more;
	char **argv, **envp;

	va_start(more, argument);
	argv = COLLECT(argument, more);
	envp = va_arg(more, char **);
	va_end(more);
	return execve(path, argv, envp);
}
