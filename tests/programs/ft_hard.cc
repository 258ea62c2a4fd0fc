/* ft_hard.cc: what is difficult for a recorder that exchanges return addresses. Compiled for
 * function tracing, with tail calls as jumps.
 *
 *     ft_hard
 *
 * Exceptions, jumps, coroutines, tail calls, signal handlers (also on an alternate stack),
 * children, cancelled threads, deep recursion, values of all kinds, walks of the stack, an exit
 * inside a call. The program checks everything itself: it exits 0, or prints what went wrong and
 * exits 1. Prints how often each function was called, "function count", by its C name. */
#include <atomic>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <signal.h>
#include <stdexcept>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define PLAIN __attribute__((no_instrument_function, patchable_function_entry(0)))
#define KEPT extern "C" __attribute__((noinline))
#define NO_JUMP __asm__ volatile("" ::: "memory")

enum { DEPTH = 20, ROUNDS = 50, DEEP = 60000, JUMPS = 100000, HANDLED = 200 };

static int destroyed;
static long rethrown;

PLAIN static void check(bool is_right, const char *what)
{
	if (is_right)
		return;
	printf("wrong: %s\n", what);
	fflush(stdout);
	_exit(1);
}

struct guard {
	PLAIN ~guard()
	{
		destroyed++;
	}
};

/* ---- exceptions ---- */

KEPT void throwing(int depth)
{
	guard kept;

	if (depth == 0)
		throw std::runtime_error("expected");
	throwing(depth - 1);
	NO_JUMP;
}

KEPT void throwing_on(int depth)
{
	try {
		throwing(depth);
	} catch (...) {
		rethrown++;
		throw;
	}
}

KEPT int catching(int depth)
{
	try {
		throwing_on(depth);
	} catch (const std::exception &caught) {
		return strcmp(caught.what(), "expected") == 0;
	}
	return 0;
}

KEPT void exceptions(void)
{
	destroyed = 0;
	for (int i = 0; i < ROUNDS; i++)
		check(catching(DEPTH), "an exception is caught");
	check(destroyed == ROUNDS * (DEPTH + 1) && rethrown == ROUNDS, "all frames are cleaned up");
}

/* ---- jumps out of calls ---- */

static sigjmp_buf target;

KEPT void jumping(int depth)
{
	if (depth == 0)
		siglongjmp(target, 7);
	jumping(depth - 1);
	NO_JUMP;
}

KEPT int jumped(int depth)
{
	int value = sigsetjmp(target, 1);

	if (value == 0)
		jumping(depth);
	return value;
}

KEPT void jumps(void)
{
	for (int i = 0; i < ROUNDS; i++)
		check(jumped(i % DEPTH) == 7, "a jump arrives");
}

/* ---- jumps instead of calls ---- */

KEPT long bounce(long count, long sum);

KEPT long jump_on(long count, long sum)
{
	return bounce(count - 1, sum + 1);
}

KEPT long bounce(long count, long sum)
{
	if (count == 0)
		return sum;
	return jump_on(count, sum + 2);
}

/* ---- coroutines, whose open calls alternate ---- */

static ucontext_t home, coroutine[2];
alignas(16) static char stacks[2][65536];
static int turns[2];

KEPT void yield_from(int which, int depth)
{
	if (depth > 0) {
		yield_from(which, depth - 1);
		NO_JUMP;
		return;
	}
	turns[which]++;
	swapcontext(&coroutine[which], &home);
}

KEPT void run_coroutine(int which)
{
	for (int i = 0; i < ROUNDS; i++) {
		yield_from(which, i % 5);
		NO_JUMP;
	}
}

KEPT void coroutines(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_sp = stacks[i];
		coroutine[i].uc_stack.ss_size = sizeof(stacks[i]);
		coroutine[i].uc_link = &home;
		makecontext(&coroutine[i], (void (*)(void))run_coroutine, 1, i);
	}
	for (int i = 0; i < 2 * (ROUNDS + 1); i++)
		swapcontext(&home, &coroutine[i % 2]);
	check(turns[0] == ROUNDS && turns[1] == ROUNDS, "coroutines run to their ends");
}

/* ---- handlers ---- */

static std::atomic<long> handled;

KEPT void in_handler(int depth)
{
	if (depth > 0) {
		in_handler(depth - 1);
		NO_JUMP;
	} else {
		handled++;
	}
}

KEPT void handler(int signal)
{
	(void)signal;
	in_handler(3);
	NO_JUMP;
}

KEPT void leave_handler(int signal)
{
	jumping(signal == SIGUSR2 ? 3 : 0);
	NO_JUMP;
}

KEPT int busy(int depth)
{
	int inner = depth == 0 ? 0 : busy(depth - 1);

	NO_JUMP;
	return inner + 1;
}

PLAIN static void set_handler(int signal, void (*function)(int), int flags)
{
	struct sigaction action = {};

	action.sa_handler = function;
	action.sa_flags = flags;
	sigaction(signal, &action, nullptr);
}

/* The timer may interrupt any instruction, also the recorder's. */
KEPT void handlers(void)
{
	alignas(16) static char alternate[65536];
	stack_t stack = {};
	struct itimerval often = {{0, 200}, {0, 200}}, never = {};

	stack.ss_sp = alternate;
	stack.ss_size = sizeof(alternate);
	sigaltstack(&stack, nullptr);
	set_handler(SIGALRM, handler, SA_RESTART);
	set_handler(SIGUSR1, handler, SA_ONSTACK);
	set_handler(SIGUSR2, leave_handler, SA_ONSTACK);
	setitimer(ITIMER_REAL, &often, nullptr);
	while (handled < HANDLED)
		check(busy(DEPTH) == DEPTH + 1, "interrupted calls return");
	setitimer(ITIMER_REAL, &never, nullptr);
	for (int i = 0; i < ROUNDS; i++)
		raise(SIGUSR1);
	for (int i = 0; i < ROUNDS; i++)
		if (sigsetjmp(target, 1) == 0)
			raise(SIGUSR2);
}

/* ---- children ---- */

KEPT int fork_inside(int depth)
{
	int pid = depth == 0 ? fork() : fork_inside(depth - 1);

	NO_JUMP;
	return pid;
}

KEPT int vfork_inside(void)
{
	int pid = vfork();

	if (pid == 0) {
		busy(3);
		_exit(5);
	}
	return pid;
}

KEPT void children(void)
{
	int pid = fork_inside(DEPTH), status = 0;

	if (pid == 0)
		_exit(busy(3));
	check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 4,
	      "a child comes out of its calls");
	pid = vfork_inside();
	check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 5,
	      "so does one that shares memory");
}

/* ---- threads that end inside calls ---- */

static std::atomic<int> is_waiting;

KEPT void wait_inside(int depth)
{
	guard kept;

	if (depth == 0) {
		is_waiting = 1;
		for (;;)
			pause();
	}
	wait_inside(depth - 1);
	NO_JUMP;
}

KEPT void exit_inside(int depth)
{
	guard kept;

	if (depth == 0)
		pthread_exit((void *)9);
	exit_inside(depth - 1);
	NO_JUMP;
}

KEPT void *waiting_thread(void *unused)
{
	wait_inside(DEPTH);
	return unused;
}

KEPT void *exiting_thread(void *unused)
{
	exit_inside(DEPTH);
	return unused;
}

KEPT void threads(void)
{
	pthread_t thread;
	void *result;

	destroyed = 0;
	pthread_create(&thread, nullptr, waiting_thread, nullptr);
	while (!is_waiting)
		usleep(1000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	check(result == PTHREAD_CANCELED && destroyed == DEPTH + 1, "a cancelled thread cleans up");
	pthread_create(&thread, nullptr, exiting_thread, nullptr);
	pthread_join(thread, &result);
	check(result == (void *)9 && destroyed == 2 * (DEPTH + 1), "so does one that exits");
}

/* ---- deep recursion, through memory that was never touched ---- */

KEPT long deep(long depth)
{
	long inner = depth == 0 ? -1 : deep(depth - 1);

	NO_JUMP;
	return inner + 1;
}

/* ---- arguments and results in all kinds of registers ---- */

struct pair {
	long a, b;
};
struct large {
	long values[8];
};

KEPT double sum_of(int count, ...)
{
	va_list list;
	double sum = 0;

	va_start(list, count);
	for (int i = 0; i < count; i++)
		sum += va_arg(list, double);
	va_end(list);
	return sum;
}

KEPT pair two_of(long a, long b)
{
	return {a, b};
}

KEPT large many_of(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return {{a, b, c, d, e, f, g, h}};
}

KEPT long double extended(long double a, float b)
{
	return a * b;
}

KEPT __int128 wide(__int128 a, double b)
{
	return a * (long)b;
}

KEPT double _Complex turned(double _Complex z)
{
	double _Complex result;

	__real__ result = -__imag__ z;
	__imag__ result = __real__ z;
	return result;
}

KEPT long aligned(long a)
{
	alignas(64) volatile long values[8] = {a, a + 1};

	check((unsigned long)values % 64 == 0, "locals are aligned");
	return values[0] + values[1] + busy(2);
}

KEPT long sized(int size)
{
	volatile char *memory = (volatile char *)__builtin_alloca((size_t)size);

	memory[size - 1] = 1;
	return memory[size - 1] + busy(1);
}

KEPT void values(void)
{
	pair two = two_of(3, 4);
	large many = many_of(1, 2, 3, 4, 5, 6, 7, 8);
	double _Complex z;

	__real__ z = 2;
	__imag__ z = 3;
	z = turned(z);

	check(sum_of(9, 1., 2., 3., 4., 5., 6., 7., 8., 9.) == 45, "variable arguments");
	check(two.a == 3 && two.b == 4, "two registers");
	check(many.values[0] == 1 && many.values[7] == 8, "a structure in memory");
	check(extended(1e4000L, 2) == 2e4000L, "long double");
	check(wide((__int128)1 << 100, 4) == (__int128)1 << 102, "128 bits");
	check(__real__ z == -3 && __imag__ z == 2, "complex numbers");
	check(aligned(5) == 14 && sized(1000) == 3, "frames of other forms");
}

/* ---- a walk of the stack by the C++ runtime finds every caller ---- */

static void *found[200];
static int found_count;

PLAIN static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *unused)
{
	(void)unused;
	if (found_count < 200)
		found[found_count++] = _Unwind_FindEnclosingFunction(
			(void *)_Unwind_GetIP(context));
	return _URC_NO_REASON;
}

KEPT void walk(int depth)
{
	if (depth > 0)
		walk(depth - 1);
	else
		_Unwind_Backtrace(note, nullptr);
	NO_JUMP;
}

KEPT void walks(void)
{
	int calls = 0, outer = 0;

	walk(DEPTH);
	for (int i = 0; i < found_count; i++) {
		calls += found[i] == (void *)walk;
		outer += found[i] == (void *)walks;
	}
	check(calls == DEPTH + 1 && outer == 1, "a walk finds every caller");
}

KEPT void at_exit(void)
{
	busy(3);
}

KEPT void leave(int depth)
{
	if (depth == 0)
		exit(0);
	leave(depth - 1);
	NO_JUMP;
}

PLAIN int main()
{
	exceptions();
	jumps();
	check(bounce(JUMPS, 0) == 3L * JUMPS, "jumps in the place of calls");
	coroutines();
	handlers();
	children();
	threads();
	check(deep(DEEP) == DEEP, "deep recursion");
	values();
	walks();
	atexit(at_exit);
	printf("throwing %d\nthrowing_on %d\ncatching %d\nexceptions 1\n", ROUNDS * (DEPTH + 1),
	       ROUNDS, ROUNDS);
	printf("jumped %d\njump_on %d\nbounce %d\n", ROUNDS, JUMPS, JUMPS + 1);
	printf("yield_from %d\nrun_coroutine 2\n", 2 * ROUNDS * 3);
	printf("handler %ld\nin_handler %ld\nleave_handler %d\n", handled.load(),
	       4 * handled.load(), ROUNDS);
	printf("wait_inside %d\nexit_inside %d\ndeep %d\n", DEPTH + 1, DEPTH + 1, DEEP + 1);
	printf("sum_of 1\ntwo_of 1\nmany_of 1\nextended 1\nwide 1\nturned 1\naligned 1\nsized 1\nwalk %d\nat_exit 1\nleave 6\n",
	       DEPTH + 1);
	fflush(stdout);
	leave(5);
}
