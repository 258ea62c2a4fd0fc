/* beforehand.c: wrappers of calls after which no file can be created. See beforehand.h and
 * doc/decisions/15-descriptors.md. */
#include "libcollector/process/beforehand.h"

#include "libcollector/base/file.h"
#include "libcollector/base/source.h"
#include "libcollector/hook/hook.h"
#include "libcollector/process/child.h"
#include "libcollector/process/grant.h"
#include "libcollector/write/log.h"
#include "libcollector/write/stream.h"

#include <linux/sched.h>

#if ARCH_WALKS_STACKS
#include "libcollector/unwind/tree.h"
#endif

static void make_streams(void)
{
	const uint32_t streams = sources_streams();

	for (unsigned which = 0; which < FMT_STREAMS; which++)
		if (streams >> which & 1)
			col_stream_make((enum fmt_stream)which);
#if ARCH_WALKS_STACKS
	tree_make(); /* frameinfo and map.xml */
#endif
}

void beforehand_make(void)
{
	struct col_thread *self;
	sys_sigset old;

	child_look();
	if (!process_is_recorded())
		return;
	sys_block_signals(&old);
	child_settle();
	self = thread_current();
	if (self && process_is_recorded()) {
		child_greet(&self->slot[COL_NORMAL][FMT_STREAM_OVERVIEW]);
		make_streams();
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void beforehand_look_back(void)
{
	static atomic_int is_told;
	int directory;

	if (!process_is_recorded() || atomic_load(&is_told))
		return;
	directory = col_founder_get();
	col_place_done(directory);
	if (directory < 0 && !atomic_exchange(&is_told, 1))
		col_log_warning(
			"the process has gone to a root directory from which the experiment cannot be reached: it is still recorded, and what it creates is not");
}

void beforehand_call(long number, long first, long second)
{
	beforehand_make();
	if (number == SYS_setuid)
		grant_user((uid_t)first);
	else if (number == SYS_setreuid || number == SYS_setresuid)
		grant_user((uid_t)second);
}

int beforehand_is_wanted_by_clone(unsigned long flags)
{
	return (flags & (CLONE_FS | CLONE_THREAD)) == CLONE_FS;
}

int beforehand_is_wanted(long number, long argument)
{
	const struct clone_args *arguments = (const struct clone_args *)argument;

	switch (number) {
	case SYS_setuid:
	case SYS_setreuid:
	case SYS_setresuid:
	case SYS_setfsuid:
	case SYS_capset:
	case SYS_chroot:
	case SYS_pivot_root:
	case SYS_unshare:
	case SYS_setns:
	case SYS_seccomp:
	case SYS_setrlimit:
	case SYS_prlimit64:
	case SYS_landlock_restrict_self:
		return 1;
	case SYS_prctl:
		return argument == PR_SET_SECCOMP;
	case SYS_clone:
		return beforehand_is_wanted_by_clone((unsigned long)argument);
	case SYS_clone3:
		return sys_is_readable(arguments, CLONE_ARGS_SIZE_VER0) &&
		       beforehand_is_wanted_by_clone(arguments->flags);
	default:
		return 0;
	}
}

#define BEFORE(type, name, parameters, arguments) \
	EXPORT type name parameters \
	{ \
		beforehand_make(); \
		return REAL(name) arguments; \
	}

/* What the process executes as another user is recorded by that user. */
#define BEFORE_USER(name, parameters, arguments, effective) \
	EXPORT int name parameters \
	{ \
		beforehand_make(); \
		grant_user(effective); \
		return REAL(name) arguments; \
	}

BEFORE_USER(setuid, (uid_t user), (user), user)
BEFORE_USER(setreuid, (uid_t real, uid_t effective), (real, effective), effective)
BEFORE_USER(setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved),
            effective)
BEFORE(int, seteuid, (uid_t user), (user))
BEFORE(int, setfsuid, (uid_t user), (user))
BEFORE(int, capset, (void *header, const void *data), (header, data))
BEFORE(int, unshare, (int what), (what))
BEFORE(int, setns, (int fd, int kind), (fd, kind))

EXPORT int chroot(const char *path)
{
	int error;

	beforehand_make();
	error = REAL(chroot)(path);
	if (error == 0)
		beforehand_look_back();
	return error;
}

/* The program may open files up to a lower limit, and ours would take numbers from it. */
static void before_limit(int resource, const void *limit)
{
	if (resource == RLIMIT_NOFILE && limit)
		beforehand_make();
}

#define LIMITS(set, change, type) \
	EXPORT int set(__rlimit_resource_t resource, const struct type *limit) \
	{ \
		before_limit((int)resource, limit); \
		return REAL(set)(resource, limit); \
	} \
	EXPORT int change(pid_t pid, enum __rlimit_resource resource, const struct type *limit, \
	                  struct type *old) \
	{ \
		before_limit((int)resource, limit); \
		return REAL(change)(pid, resource, limit, old); \
	}
LIMITS(setrlimit64, prlimit64, rlimit64)
#ifdef __LP64__ /* of 32 bits, these names mean the same to us as the others */
LIMITS(setrlimit, prlimit, rlimit)
#endif
