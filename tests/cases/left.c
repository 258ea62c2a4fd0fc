/* left.c: cases in which the program leaves the recorder's code in the middle: for ever, or to come
 * back later. */
#include "case.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { JUMPS = 200, TURNS = 1000, STACK = 131072, EVERY_US = 100 };

static volatile sig_atomic_t times;
static sigjmp_buf back;
static int null;

static void set_timer(int us)
{
	struct itimerval every = {.it_interval.tv_usec = us, .it_value.tv_usec = us};

	setitimer(ITIMER_REAL, &every, NULL);
}

static void jump_back(int signal)
{
	(void)signal;
	times++;
	siglongjmp(back, 1);
}

/* Overwrites the place of frames that were left. */
static __attribute__((noinline)) void mark_deeper(void)
{
	char room[4096];

	explicit_bzero(room, sizeof(room));
	mark();
	explicit_bzero(room, sizeof(room));
}

/* Most of the signals come while a call is recorded. */
int case_jumps_out_of_the_recorder(void)
{
	int lost = 0;

	null = open("/dev/null", O_WRONLY);
	signal(SIGALRM, jump_back);
	if (sigsetjmp(back, 1) == 0)
		set_timer(2 * EVERY_US);
	while (times < JUMPS)
		lost |= write(null, "", 1) != 1;
	set_timer(0);
	mark_deeper();
	say("jumps %d lost %d\n", times >= JUMPS, lost);
	return 0;
}

/* The program's own threads (contexts), which a handler switches. The second one has its stack at
 * the higher address. */
static char stacks[2][STACK];
static ucontext_t all, of[2];
static volatile sig_atomic_t now;
static volatile int done[2];

static void next_turn(int signal)
{
	int before = now;

	(void)signal;
	if (times == TURNS) /* the last alarms come when it is over */
		return;
	if (++times == TURNS) {
		swapcontext(&of[before], &all);
		return;
	}
	now = !before;
	swapcontext(&of[before], &of[now]);
}

static void work(int which)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	for (;;)
		done[which] += write(null, "", 1) == 1;
}

int case_contexts_taking_turns(void)
{
	null = open("/dev/null", O_WRONLY);
	signal(SIGALRM, next_turn);
	for (int i = 0; i < 2; i++) {
		getcontext(&of[i]);
		of[i].uc_stack.ss_sp = stacks[i];
		of[i].uc_stack.ss_size = STACK;
		sigaddset(&of[i].uc_sigmask, SIGALRM);
		makecontext(&of[i], (void (*)(void))work, 1, i);
	}
	set_timer(EVERY_US);
	swapcontext(&all, &of[0]);
	set_timer(0);
	say("turns %d, both worked %d\n", times, done[0] > 0 && done[1] > 0);
	return 0;
}
