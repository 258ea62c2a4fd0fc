/* ends.c: cases of ways to end. */
#include "case.h"

#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define END(name, how) \
	int case_end_##name(void) \
	{ \
		mark(); \
		how; \
		return 0; \
	}

static volatile int zero;
static int *volatile nowhere;

END(exit_255, exit(255))
END(_exit, _exit(4))
END(_Exit, _Exit(4))
END(quick_exit, quick_exit(4))
END(raw_exit_group, syscall(SYS_exit_group, 4))
END(raw_exit, syscall(SYS_exit, 4))
END(abort, abort())
END(kill, kill(getpid(), SIGKILL); pause())
END(term, raise(SIGTERM))
END(segv, *nowhere = 1)
END(fpe, return 100 / zero)
END(ill, __asm__ volatile("ud2"))
END(trap, __asm__ volatile("int3"))
END(sys, raise(SIGSYS))
END(xcpu, raise(SIGXCPU))
END(prof, raise(SIGPROF))
END(realtime, raise(SIGRTMAX))
END(tick_signal, raise(SIGRTMAX - 3))

int case_end_bus(void)
{
	FILE *file = tmpfile();
	char *memory = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);

	mark();
	return *(volatile char *)memory;
}

int case_end_pipe(void)
{
	int ends[2];

	mark();
	if (pipe(ends) != 0)
		return 1;
	close(ends[0]);
	return (int)write(ends[1], "x", 1);
}

int case_end_assert(void)
{
	mark();
	assert(zero == 1);
	return 0;
}

__attribute__((noinline)) static int endless(int depth)
{
	volatile char room[1000];

	room[depth % 1000] = (char)depth;
	return depth < 0 ? 0 : endless(depth + 1) + room[7];
}

int case_end_stack_overflow(void)
{
	mark();
	return endless(0);
}

int case_end_double_free(void)
{
	void *volatile block = malloc(3000);
	void *volatile guard = malloc(3000);

	mark();
	free(block);
	free(block);
	return guard != NULL;
}

int case_end_bad_free(void)
{
	char *block = malloc(100);
	char *volatile inside = block + 3;

	mark();
	free(inside);
	return 0;
}

static void last(void)
{
	mark();
	say("last\n");
}

static void argued(int status, void *argument)
{
	mark();
	say("on_exit %d %s\n", status, (char *)argument);
}

int case_end_handlers(void)
{
	atexit(last);
	on_exit(argued, "argument");
	return 11;
}

int case_end_quick_handlers(void)
{
	at_quick_exit(last);
	quick_exit(12);
}

static void other_status(void)
{
	mark();
	_exit(13);
}

int case_end_changed_status(void)
{
	return atexit(other_status);
}

static void exit_handler(int signal)
{
	(void)signal;
	mark();
	exit(14);
}

int case_end_exit_in_handler(void)
{
	signal(SIGUSR1, exit_handler);
	return raise(SIGUSR1);
}

static sigjmp_buf back;

static void jump_back(int signal)
{
	siglongjmp(back, signal);
}

int case_end_abort_survived(void)
{
	int by;

	signal(SIGABRT, jump_back);
	by = sigsetjmp(back, 1);
	if (by == 0)
		abort();
	say("survived %d\n", by);
	mark();
	return 0;
}

static void default_again(int signal)
{
	mark();
	say("handler\n");
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigaction(signal, &action, NULL);
	raise(signal);
}

int case_end_handler_dies(void)
{
	signal(SIGSEGV, default_again);
	*nowhere = 1;
	return 0;
}

static void *raw_exit_thread(void *unused)
{
	(void)unused;
	mark();
	syscall(SYS_exit_group, 15);
	return NULL;
}

int case_end_group_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, raw_exit_thread, NULL);
	pause();
	return 0;
}

static void *crashing_thread(void *unused)
{
	mark();
	*nowhere = 1;
	return unused;
}

int case_end_crash_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, crashing_thread, NULL);
	pause();
	return 0;
}

static int is_destructor_case;

__attribute__((constructor)) static void constructed(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "start_constructor") == 0)
		mark();
	is_destructor_case = argc > 1 && strcmp(argv[1], "end_destructor") == 0;
}

__attribute__((destructor)) static void destructed(void)
{
	if (!is_destructor_case)
		return;
	mark();
	say("destroyed\n");
}

int case_end_destructor(void)
{
	return 16;
}

int case_start_constructor(void)
{
	mark();
	return 0;
}

static void early(int argc, char **argv, char **environment)
{
	(void)environment;
	if (argc > 1 && strcmp(argv[1], "start_preinit") == 0)
		mark();
}

__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **,
                                                                        char **) = early;

int case_start_preinit(void)
{
	return 0;
}
