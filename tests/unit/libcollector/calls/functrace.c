/* Function records that signal handlers interrupt: at every instruction of every way to write a
 * record at which a signal can arrive.
 *
 * A child makes traced calls. This process single-steps one of them to find the instructions at
 * which signals are not blocked (a signal sent before that would only arrive after them). Then it
 * sends a signal at each of these instructions, by a breakpoint. */
#include "tests/unit/refused.h"
#include "tests/unit/libcollector/scratch.h"

/* Not taken from the archive: libc has empty functions of the same names. */
#include "libcollector/base/source.h"
#include "libcollector/calls/functrace_hooks.c"
#include "libcollector/calls/sled_entry.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PLACES_MAX = 500,
	STEPS_MAX = 100000,
	CALLS_MAX = 200000, /* to the end of an extent */
	BUFFERS_MAX = 100000,
	DEPTH_MAX = 16,
	FILLER = 20, /* numbers of functions */
	HANDLED = 30,
	INNER = 1000, /* and the next ones: each is called once */
	NUMBER_BITS = 20
};

#define EVENT "said by a function"

/* Where an extent ends. */
enum fill { FAR_AWAY, ENTRY_THERE, EXIT_THERE };

/* How calls are recorded. is_nested: a second handler interrupts the first one, also at every
 * instruction. */
struct way {
	int has_sleds, is_limited, is_nested, has_events;
	enum fill fill;
};

/* What the child requests from this process when it stops. */
enum task { LEARN, INTERRUPT, FINISHED };

/* Shared with the child. */
struct shared {
	enum task task;
	int signal;
	uint64_t place; /* where the signal must arrive */
	uint64_t places[PLACES_MAX];
	int place_count, inner_place;
	uint64_t sent, calls, events, lost;
};

static struct shared *shared;
static struct way way;

/* ---- the child ---- */

/* The sled must not overwrite data below the stack pointer. */
static void call_sled(void (*entry)(void), uint32_t number)
{
	__asm__ volatile("subq $128, %%rsp\n\tmovl %1, %%r10d\n\tcall *%0\n\taddq $128, %%rsp"
	                 :
	                 : "r"(entry), "r"(number)
	                 : "r10", "r11", "memory", "cc");
}

static void enter(uint32_t number)
{
	if (way.has_sleds)
		call_sled(sled_enter, number);
	else
		__cyg_profile_func_enter((void *)(uintptr_t)(number << 4), NULL);
}

static void leave(uint32_t number)
{
	if (way.has_sleds)
		call_sled(sled_exit, number);
	else
		__cyg_profile_func_exit((void *)(uintptr_t)(number << 4), NULL);
}

static void call(uint32_t number)
{
	static const struct functrace_event event = {FMT_traced_form_CUSTOM, 0,
	                                             (const uint8_t *)EVENT, sizeof(EVENT)};

	enter(number);
	if (way.has_events && number != FILLER) {
		functrace_event(&event);
		shared->events++;
	}
	leave(number);
}

static void stop(enum task task)
{
	shared->task = task;
	__asm__ volatile("int3" : : : "memory");
}

static void call_interrupted(uint32_t number, uint64_t place, int signal)
{
	shared->place = place;
	shared->signal = signal;
	stop(INTERRUPT);
	call(number);
	stop(FINISHED);
}

static void on_signal(int signal)
{
	if (way.is_nested && signal == SIGUSR1)
		call_interrupted(HANDLED, shared->places[shared->inner_place], SIGUSR2);
	else
		call(HANDLED);
}

/* Go on to the end of an extent, or to one record before it. Extents are kept small. Returns
 * whether that was reached. */
static int go_to_end(long wanted)
{
	for (int i = 0; i < CALLS_MAX; i++) {
		call(FILLER);
		functrace_self->slot.size = FDR_PAGE / 2; /* the next one is twice as large */
		if (functrace_self->end - functrace_self->at == wanted)
			return 1;
	}
	return 0;
}

/* A call with an interruption at place `outer`; -1: one that is single-stepped. */
static void try(int outer)
{
	int is_open = way.fill != FAR_AWAY && !go_to_end(way.fill == EXIT_THERE);

	/* If pairs of records do not reach it, they do with one more. */
	if (is_open)
		enter(FILLER);
	if (is_open && !go_to_end(way.fill == EXIT_THERE))
		_exit(3);
	if (outer < 0) {
		stop(LEARN);
		call(INNER + (uint32_t)shared->calls);
		stop(FINISHED);
	} else {
		call_interrupted(INNER + (uint32_t)shared->calls, shared->places[outer], SIGUSR1);
	}
	if (is_open)
		leave(FILLER);
	shared->calls++;
}

static void run(void)
{
	static const struct source source[] = {{.thread_prepare = functrace_thread_begin}};
	struct sigaction action = {.sa_handler = on_signal};
	/* Some of the pairs of places, so that each place occurs in both parts. */
	int stride = 8;

	col.pid = getpid();
	col.is_recorded = 1;
	col.descriptor.functrace_depth = way.is_limited ? 100 : 0;
	sources = (struct source_table){source, source + 1};
	functrace_open();
	if (sigaction(SIGUSR1, &action, NULL) < 0 || sigaction(SIGUSR2, &action, NULL) < 0 ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(1);
	raise(SIGSTOP);
	functrace_start();
	call(FILLER);
	try(-1);
	for (int outer = 0; outer < shared->place_count; outer++) {
		shared->inner_place = outer % stride;
		do
			try(outer);
		while (way.is_nested && (shared->inner_place += stride) < shared->place_count);
	}
	shared->lost = atomic_load(&col.count.lost[FMT_STREAM_FUNCTRACE]);
	_exit(0);
}

/* ---- stepping it ---- */

static uint64_t breakpoint; /* 0: none */
static long replaced;

/* Let the child continue. Returns whether it has stopped again, with *status. */
static int go_on(int request, pid_t child, int signal, int *status)
{
	cr_assert_eq(ptrace(request, child, NULL, (void *)(long)signal), 0);
	cr_assert_eq(waitpid(child, status, 0), child);
	return WIFSTOPPED(*status);
}

static int blocks_signals(pid_t child)
{
	uint64_t mask;

	cr_assert_eq(ptrace(PTRACE_GETSIGMASK, child, (void *)sizeof(mask), &mask), 0);
	return (mask & SYS_SIGBIT(SIGUSR1)) != 0;
}

static struct user_regs_struct registers_of(pid_t child)
{
	struct user_regs_struct registers;

	cr_assert_eq(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
	return registers;
}

static void add_place(uint64_t place)
{
	for (int i = 0; i < shared->place_count; i++)
		if (shared->places[i] == place)
			return;
	cr_assert_lt(shared->place_count, PLACES_MAX);
	shared->places[shared->place_count++] = place;
}

static void learn(pid_t child)
{
	int status;

	for (int steps = 0; shared->task == LEARN; steps++) {
		int is_blocked = blocks_signals(child);

		cr_assert_lt(steps, STEPS_MAX);
		if (!is_blocked)
			add_place(registers_of(child).rip);
		cr_assert(
			go_on(is_blocked ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, child, 0, &status));
	}
}

static void set_breakpoint(pid_t child)
{
	breakpoint = shared->place;
	replaced = ptrace(PTRACE_PEEKTEXT, child, (void *)breakpoint, NULL);
	cr_assert_eq(ptrace(PTRACE_POKETEXT, child, (void *)breakpoint,
	                    (void *)((replaced & ~0xffL) | 0xcc)),
	             0);
}

static void remove_breakpoint(pid_t child)
{
	if (breakpoint)
		cr_assert_eq(ptrace(PTRACE_POKETEXT, child, (void *)breakpoint, (void *)replaced),
		             0);
	breakpoint = 0;
}

/* The child has reached an int3. Returns the signal to continue with. */
static int trapped(pid_t child)
{
	struct user_regs_struct registers = registers_of(child);

	if (breakpoint && registers.rip == breakpoint + 1) {
		registers.rip = breakpoint;
		cr_assert_eq(ptrace(PTRACE_SETREGS, child, NULL, &registers), 0);
		remove_breakpoint(child);
		shared->sent++;
		return shared->signal;
	}
	remove_breakpoint(child);
	if (shared->task == LEARN)
		learn(child);
	else if (shared->task == INTERRUPT)
		set_breakpoint(child);
	return 0;
}

static void trace(pid_t child)
{
	int status, signal = 0;

	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSTOPPED(status), "status %x", status);
	cr_assert_eq(ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)PTRACE_O_EXITKILL), 0);
	while (go_on(PTRACE_CONT, child, signal, &status))
		signal = WSTOPSIG(status) == SIGTRAP ? trapped(child) : WSTOPSIG(status);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
}

/* ---- what is in the file ---- */

struct buffer {
	uint64_t tsc;
	const uint8_t *at;
};

static struct buffer buffers[BUFFERS_MAX];
static size_t buffer_count;
static const uint8_t *bytes, *end;
static uint32_t open_calls[DEPTH_MAX];
static size_t depth;
static uint64_t inner_calls, events;

static int by_time(const void *left, const void *right)
{
	const struct buffer *a = left, *b = right;

	return (a->tsc > b->tsc) - (a->tsc < b->tsc);
}

static void take_function(const struct fdr_record *record)
{
	uint32_t number = way.has_sleds ? record->function : record->function % (1 << NUMBER_BITS);

	if (record->action == FDR_ENTER) {
		cr_assert_lt(depth, DEPTH_MAX);
		open_calls[depth++] = number;
		inner_calls += number >= INNER;
	} else {
		cr_assert(depth > 0 && open_calls[depth - 1] == number,
		          "exit of %u, where %u is open", number,
		          depth ? open_calls[depth - 1] : 0);
		depth--;
	}
}

static void take_event(const struct fdr_record *record)
{
	if (!record->own)
		return;
	cr_assert_eq(record->own, FDR_OWN_BYTES | (record->payload_size - sizeof(EVENT)));
	cr_assert_eq(memcmp(record->payload, EVENT, sizeof(EVENT)), 0);
	cr_assert_gt(depth, 0);
	events++;
}

/* Read the records of a buffer, and keep them if requested. Returns the position after its
 * EndOfBuffer. */
static const uint8_t *pass(const uint8_t *at, int is_taken)
{
	struct fdr_record record;

	for (at += FDR_PROLOGUE_SIZE;; at += record.size) {
		cr_assert_gt(fdr_record_get(at, (size_t)(end - at), &record), 0);
		if (record.type == FDR_RECORD_END)
			return at + record.size;
		if (record.type == FDR_RECORD_FUNCTION && is_taken)
			take_function(&record);
		if (record.type == FDR_RECORD_EVENT && is_taken)
			take_event(&record);
	}
}

static void find_buffers(void)
{
	struct fdr_prologue prologue;

	for (const uint8_t *at = bytes + FDR_HEADER_SIZE; end - at >= FDR_PROLOGUE_SIZE;) {
		if (fdr_prologue_get(at, &prologue) == 0) {
			cr_assert_lt(buffer_count, BUFFERS_MAX);
			buffers[buffer_count++] = (struct buffer){prologue.tsc, at};
			at = pass(at, 0);
		} else {
			at = bytes + ((size_t)(at - bytes) / FDR_EXTENT_UNIT + 1) * FDR_EXTENT_UNIT;
		}
	}
	qsort(buffers, buffer_count, sizeof(*buffers), by_time);
}

static void check(void)
{
	size_t len;
	char *text = scratch_read("functrace", &len);

	cr_assert(text != NULL);
	bytes = (const uint8_t *)text;
	end = bytes + len;
	find_buffers();
	for (size_t i = 0; i < buffer_count; i++)
		pass(buffers[i].at, 1);
	cr_assert_eq(depth, 0);
	cr_assert_eq(shared->lost, 0);
	cr_assert_eq(events, shared->events);
	cr_assert_eq(inner_calls, shared->calls);
	cr_assert_gt(shared->sent, way.is_nested ? 20 * 20 : 20);
	free(text);
}

static void try_way(struct way wanted)
{
	cpu_set_t one;
	pid_t child;

	way = wanted;
	/* Stepping takes ten times as long if the other process runs on another CPU. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	              0);
	cr_assert(shared != MAP_FAILED);
	child = fork();
	if (child == 0)
		run();
	trace(child);
	check();
}

#define WAY(name, ...) \
	Test(functrace, name, .init = scratch_open, .fini = scratch_remove) \
	{ \
		needs_ptrace(); \
		try_way((struct way){__VA_ARGS__}); \
	}
WAY(hooks, 0)
WAY(hooks_where_an_extent_ends, .fill = ENTRY_THERE)
WAY(hooks_before_an_extent_ends, .fill = EXIT_THERE)
WAY(sleds, .has_sleds = 1)
WAY(sleds_where_an_extent_ends, .has_sleds = 1, .fill = ENTRY_THERE)
WAY(sleds_before_an_extent_ends, .has_sleds = 1, .fill = EXIT_THERE)
WAY(limited_hooks, .is_limited = 1)
WAY(limited_hooks_where_an_extent_ends, .is_limited = 1, .fill = ENTRY_THERE)
WAY(limited_hooks_before_an_extent_ends, .is_limited = 1, .fill = EXIT_THERE)
WAY(limited_sleds, .is_limited = 1, .has_sleds = 1)
WAY(limited_sleds_where_an_extent_ends, .is_limited = 1, .has_sleds = 1, .fill = ENTRY_THERE)
WAY(events, .has_sleds = 1, .has_events = 1)
WAY(events_before_an_extent_ends, .has_sleds = 1, .has_events = 1, .fill = EXIT_THERE)
WAY(hooks_and_two_signals, .is_nested = 1)
WAY(hooks_and_two_signals_where_an_extent_ends, .is_nested = 1, .fill = ENTRY_THERE)
WAY(sleds_and_two_signals, .is_nested = 1, .has_sleds = 1)
WAY(sleds_and_two_signals_where_an_extent_ends, .is_nested = 1, .has_sleds = 1, .fill = ENTRY_THERE)
