/* reaped.c: wrappers of the functions that wait for a child. They tell how children were killed,
 * and what of the thread's time was a wait (-w). See reaped.h. */
#include "libcollector/process/reaped.h"

#include "libcollector/hook/hook.h"
#include "libcollector/process/snapshot.h"
#include "libcollector/wall/wall.h"
#include "libcollector/write/log.h"

#include <errno.h>
#include <sys/wait.h>

static inline int is_on(void)
{
	return col_is_recording();
}

/* Those that end a process with a dump, if nothing else is done about them: signal(7). */
static int is_crash(int signal)
{
	switch (signal) {
	case SIGQUIT:
	case SIGILL:
	case SIGTRAP:
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
	case SIGXCPU:
	case SIGXFSZ:
	case SIGSYS:
		return 1;
	default:
		return 0;
	}
}

void reaped_tell(pid_t pid, int signal, int has_core)
{
	char buffer[160];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "killed");
	xml_put_number(&text, "pid", (uint64_t)pid);
	xml_put_number(&text, "signal", (uint64_t)signal);
	if (has_core)
		xml_put_number(&text, "core", 1);
	col_event_end(&text);
	if (col.descriptor.snapshot_crash && is_crash(signal))
		snapshot_after_crash((uint32_t)pid, signal);
}

static void look(pid_t pid, int status)
{
	if (unlikely(WIFSIGNALED(status)))
		reaped_tell(pid, WTERMSIG(status), WCOREDUMP(status));
}

/* Without WNOWAIT, which leaves the child to be told of again. */
static void look_at(const siginfo_t *info, int options)
{
	if (unlikely(info->si_pid && (options & WEXITED) && !(options & WNOWAIT) &&
	             (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED)))
		reaped_tell(info->si_pid, info->si_status, info->si_code == CLD_DUMPED);
}

static struct wall_call call_of(enum fmt_wait_func function, uint64_t child)
{
	return (struct wall_call){.state = FMT_wall_state_CHILD,
	                          .family = FMT_wait_family_CALL,
	                          .func = (uint8_t)function,
	                          .object = child};
}

static inline struct wall_start begin(const struct wall_call *call, int blocks,
                                      struct caller caller)
{
	if (!wall_is_on())
		return (struct wall_start){0};
	return blocks ? wall_begin(call, caller) : wall_now();
}

/* `child`: that is waited for; 0: any of several, or of a group of processes. The program may not
 * want to know how it ended; we do. */
#define WAIT(name, function, parameters, arguments, blocks, child) \
	static __attribute__((noinline)) pid_t name##_traced parameters \
	{ \
		struct wall_call call = call_of(FMT_wait_func_##function, (child)); \
		struct wall_start start = begin(&call, (blocks), CALLER); \
		int own; \
		pid_t result; \
\
		status = status ? status : &own; \
		result = REAL(name) arguments; \
		call.error = result < 0 ? errno : 0; \
		if (result > 0) { \
			call.object = (uint64_t)result; \
			look(result, *status); \
		} \
		wall_end(&call, &start, CALLER); \
		return result; \
	} \
	EXPORT pid_t name parameters \
	{ \
		PASS_ON(name, arguments); \
		return name##_traced arguments; \
	}

#define CHILD_OF(pid) ((pid) > 0 ? (uint64_t)(pid) : 0)

WAIT(wait, WAIT, (int *status), (status), 1, 0)
WAIT(waitpid, WAITPID, (pid_t pid, int *status, int options), (pid, status, options),
     !(options & WNOHANG), CHILD_OF(pid))
WAIT(wait3, WAIT3, (int *status, int options, struct rusage *usage), (status, options, usage),
     !(options & WNOHANG), 0)
WAIT(wait4, WAIT4, (pid_t pid, int *status, int options, struct rusage *usage),
     (pid, status, options, usage), !(options & WNOHANG), CHILD_OF(pid))

static __attribute__((noinline)) int waitid_traced(idtype_t type, id_t id, siginfo_t *info,
                                                   int options)
{
	struct wall_call call = call_of(FMT_wait_func_WAITID, type == P_PID ? id : 0);
	struct wall_start start = begin(&call, !(options & WNOHANG), CALLER);
	siginfo_t own;
	int result;

	info = info ? info : &own;
	result = REAL(waitid)(type, id, info, options);
	call.error = result < 0 ? errno : 0;
	if (result == 0)
		look_at(info, options);
	wall_end(&call, &start, CALLER);
	return result;
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	PASS_ON(waitid, (type, id, info, options));
	return waitid_traced(type, id, info, options);
}
