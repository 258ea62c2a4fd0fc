/* spawn.c: children that the C library creates and that execute a program at once: posix_spawn,
 * system, popen, wordexp.
 *
 * posix_spawn takes an environment: its child gets one with our variables. The others pass on the
 * environment of the process, which has the variables during the call.
 * See doc/decisions/16-descendants.md. */
#include "libcollector/exec/environment.h"
#include "libcollector/exec/executable.h"
#include "libcollector/hook/hook.h"
#include "libcollector/process/child.h"
#include "libcollector/process/descendant.h"
#include "libcollector/wall/wall.h"
#include "libcollector/write/log.h"

#include <alloca.h>
#include <errno.h>
#include <paths.h>

enum { TEXT_SHOWN = 1024, ON_STACK_MAX = 4 * 1024 /* the least stack of a thread has 16 */ };

static void log_child(const char *kind, const char *lineage, int pid, const char *what,
                      const char *text, const struct executable_obstacle *obstacle)
{
	char *memory = col_is_recording() ? col_text_borrow() : NULL;
	struct xml_text event = {.at = memory, .capacity = COL_TEXT_SIZE};

	if (!memory)
		return;
	col_event_begin(&event, kind);
	if (pid)
		xml_put_number(&event, "pid", (uint64_t)pid);
	xml_put_string(&event, "lineage", lineage);
	xml_put_attribute(&event, what, text, strnlen(text, TEXT_SHOWN));
	executable_put_obstacle(&event, obstacle);
	col_event_end(&event);
	col_text_return(memory);
}

/* Is there no text? Only the kernel may look, as it will refuse it. */
static int is_unreadable(const char *text)
{
	return SYS3(SYS_faccessat, AT_FDCWD, text, F_OK) == -EFAULT;
}

/* ---- posix_spawn ---- */

typedef int spawn_function(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const argv[],
                           char *const envp[]);

struct spawn_call {
	spawn_function *real;
	int searches;
	pid_t *pid;
	const char *path;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv;
};

static int call_real(const struct spawn_call *call, pid_t *pid, char *const *envp)
{
	return call->real(pid, call->path, call->actions, call->attributes, call->argv, envp);
}

static const struct executable_obstacle *obstacle_of(const struct spawn_call *call, int *bits)
{
	char memory[TEXT_SHOWN];

	*bits = ARCH_BITS;
	if (!call->searches)
		return executable_obstacle(AT_FDCWD, call->path, bits);
	return image_search(call->path, memory, sizeof(memory)) < 0
	               ? NULL
	               : executable_obstacle(AT_FDCWD, memory, bits);
}

/* A long environment does not fit on small stacks. */
static int spawn_with(const struct spawn_call *call, pid_t *pid, char *const *envp,
                      const struct descriptor_step *step, int bits)
{
	struct environment_room room = environment_room(envp);
	size_t size = room.entries * sizeof(char *) + room.text;
	char *memory = size <= ON_STACK_MAX ? alloca(size) : sys_mmap_anonymous(size);
	int error;

	if (!memory)
		return call_real(call, pid, envp);
	environment_give((char **)memory, memory + room.entries * sizeof(char *), envp, step, bits);
	error = call_real(call, pid, (char **)memory);
	if (size > ON_STACK_MAX)
		sys_munmap(memory, size);
	return error;
}

static int spawn(const struct spawn_call *call, char *const *envp)
{
	const struct executable_obstacle *obstacle;
	struct descriptor_step step;
	pid_t pid = 0;
	int error, bits;

	child_look();
	if (!descendant_is_followed() || (!call->searches && is_unreadable(call->path)) ||
	    !environment_is_readable(envp) || environment_refuses(envp) ||
	    !descendant_step_child(&step))
		return call_real(call, call->pid, envp);
	obstacle = obstacle_of(call, &bits);
	step.leads = obstacle != NULL;
	if (!obstacle && !environment_has_library(bits))
		return call_real(call, call->pid, envp);
	if (obstacle && (!obstacle->passes || !environment_has_library(bits)))
		error = call_real(call, &pid, envp);
	else
		error = spawn_with(call, &pid, envp, &step, bits);
	if (error == E2BIG) /* with our variables, but perhaps not without */
		error = call_real(call, &pid, envp);
	if (error)
		return error;
	if (call->pid)
		*call->pid = pid;
	log_child(obstacle ? "unrecorded" : "posix_spawn", step.lineage, pid, "path", call->path,
	          obstacle);
	return 0;
}

/* The calls wait until the child has executed its program. */
#define WAIT_OF(which) .state = FMT_wall_state_CHILD, .func = FMT_wait_func_##which

static inline __attribute__((always_inline)) int spawn_and_wait(const struct spawn_call *spawning,
                                                                char *const *envp,
                                                                struct caller caller)
{
	const struct wall_call call = {WAIT_OF(POSIX_SPAWN)};
	struct wall_start start = {0};
	int error;

	if (wall_is_on())
		start = wall_now();
	error = spawn(spawning, envp);
	wall_end(&call, &start, caller);
	return error;
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	return spawn_and_wait(
		&(struct spawn_call){REAL(posix_spawn), 0, pid, path, actions, attributes, argv},
		envp, CALLER);
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	return spawn_and_wait(
		&(struct spawn_call){REAL(posix_spawnp), 1, pid, file, actions, attributes, argv},
		envp, CALLER);
}

/* ---- shells ---- */

/* Returns 1 if the environment is lent. */
static int lend(const char *kind, const char *command)
{
	struct descriptor_step step;
	int bits;

	child_look();
	if (!descendant_is_followed() || is_unreadable(command) || !descendant_step_child(&step))
		return 0;
	executable_obstacle(AT_FDCWD, _PATH_BSHELL, &bits);
	if (!environment_has_library(bits) || environment_lend(&step, bits) < 0)
		return 0;
	log_child(kind, step.lineage, 0, "command", command, NULL);
	return 1;
}

static void take_back(void *lent)
{
	if (*(int *)lent)
		environment_take_back();
}

/* A cancellation point. */
EXPORT int system(const char *command)
{
	const struct wall_call call = {WAIT_OF(SYSTEM)};
	struct wall_start start = {0};
	int lent = command ? lend("system", command) : 0;
	int result;

	if (wall_is_on())
		start = wall_begin(&call, CALLER);
	pthread_cleanup_push(take_back, &lent);
	result = REAL(system)(command);
	pthread_cleanup_pop(1);
	wall_end(&call, &start, CALLER);
	return result;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	int lent = command ? lend("popen", command) : 0;
	FILE *stream = REAL(popen)(command, mode);

	take_back(&lent);
	return stream;
}

EXPORT FILE *_IO_popen(const char *command, const char *mode)
	__attribute__((alias("popen"), malloc));

static int needs_shell(const char *words, int flags)
{
	return !(flags & WRDE_NOCMD) && (strstr(words, "$(") || strchr(words, '`'));
}

EXPORT int wordexp(const char *words, wordexp_t *out, int flags)
{
	int lent = needs_shell(words, flags) ? lend("wordexp", words) : 0;
	int result = REAL(wordexp)(words, out, flags);

	take_back(&lent);
	return result;
}
