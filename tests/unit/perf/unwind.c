/* Stacks of this process, from registers and a copy of its memory, as the kernel would deliver
 * them. The expected frames are the functions' own return addresses. */
#include "perf/unwind.h"

#include "perf/arch/arch.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK_BYTES = 32768, KNOWN = 6 };

static uint8_t copy[STACK_BYTES];
static struct ring_sample sample;
static uint64_t known[KNOWN]; /* return addresses, the innermost first */

/* A sample of the context; `bytes` of its stack. */
static void take(const ucontext_t *context, size_t bytes)
{
	static const int greg[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
	                           REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
	                           REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

	sample = (struct ring_sample){.pid = (uint32_t)getpid(), .count = 1, .stack = copy};
	for (int i = 0; i < RING_REGISTERS; i++)
		sample.registers[i] = (uint64_t)context->uc_mcontext.gregs[greg[i]];
	sample.pcs[0] = sample.registers[RING_PC];
	/* The stack may end earlier. */
	sample.stack_bytes = 0;
	if (bytes > 0) {
		int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
		ssize_t size = pread(memory, copy, bytes, (off_t)sample.registers[RING_SP]);

		close(memory);
		cr_assert(size > 0);
		sample.stack_bytes = (size_t)size;
	}
}

#define NOTE(level) \
	known[level] = (uint64_t)__builtin_extract_return_addr(__builtin_return_address(0))
#define FRAME __attribute__((noinline))

static size_t wanted;
static volatile int sink;

static FRAME int innermost(int x)
{
	ucontext_t context;

	NOTE(0);
	getcontext(&context);
	take(&context, wanted);
	return x + 1;
}

/* This makes the compiler use a frame pointer, since the size is not known. */
static FRAME int dynamic(int x)
{
	volatile char *room = __builtin_alloca((size_t)x * 16);

	NOTE(1);
	room[0] = (char)x;
	return innermost(x) + room[0];
}

/* Aligned again. */
static FRAME int aligned(int x)
{
	volatile double wide[8] __attribute__((aligned(64)));

	NOTE(2);
	wide[0] = x;
	return dynamic(x) + (int)wide[0];
}

static FRAME int compare(const void *a, const void *b)
{
	NOTE(3);
	return aligned(*(const int *)a + *(const int *)b) * 0 + *(const int *)a - *(const int *)b;
}

/* Through qsort of libc. */
static FRAME int outer(int x)
{
	int numbers[2] = {x, x + 1};

	NOTE(4);
	qsort(numbers, 2, sizeof(int), compare);
	return numbers[0];
}

static int has_all(int from, int to)
{
	size_t at = 1;

	for (int i = from; i <= to; i++) {
		while (at < sample.count && sample.pcs[at] != known[i])
			at++;
		if (at == sample.count)
			return 0;
	}
	return 1;
}

Test(unwind, frames_of_all_kinds)
{
	wanted = STACK_BYTES < 8192 ? STACK_BYTES : 8192;
	cr_assert_eq(outer(3), 3);
	unwind(space_of(getpid()), &sample);
	cr_assert(has_all(0, 4), "%zu frames", sample.count);
	cr_assert_eq(sample.pcs[1], known[0], "the caller of the innermost");
	cr_assert_eq(sample.pcs[2], known[1]);
	cr_assert_eq(sample.pcs[3], known[2]);
	cr_assert_eq(sample.pcs[4], known[3]);
	cr_assert(!sample.is_bad, "to the outermost frame");
}

Test(unwind, a_copy_that_is_too_short_gives_what_it_has)
{
	wanted = 256;
	outer(3);
	unwind(space_of(getpid()), &sample);
	cr_assert(sample.is_bad);
	cr_assert(sample.count >= 1 && sample.count < 5, "%zu", sample.count);
	wanted = 0;
	outer(3);
	unwind(space_of(getpid()), &sample);
	cr_assert_eq(sample.count, 1);
}

static FRAME int recursive(int x, int depth)
{
	int inner = depth == 0 ? innermost(x) : recursive(x, depth - 1);

	__asm__ volatile("" : "+r"(inner));
	return inner + 1;
}

Test(unwind, more_frames_than_there_is_room_for)
{
	wanted = 8192;
	recursive(3, 100);
	unwind(space_of(getpid()), &sample);
	cr_assert_eq(sample.count, RING_FRAMES_MAX);
	cr_assert(sample.is_deep && !sample.is_bad);
	outer(3);
	unwind(space_of(getpid()), &sample);
	cr_assert(!sample.is_deep);
}

static void on_signal(int number)
{
	(void)number;
	innermost(2);
}

static FRAME int raises(int x)
{
	NOTE(5);
	raise(SIGUSR1);
	return x;
}

Test(unwind, through_a_signal)
{
	wanted = 8192;
	signal(SIGUSR1, on_signal);
	cr_assert_eq(raises(4), 4);
	unwind(space_of(getpid()), &sample);
	cr_assert(!sample.is_bad);
	cr_assert_eq(sample.pcs[1], known[0]);
	cr_assert(has_all(5, 5), "the frame outside of the handler's");
}

/* Its first instruction raises SIGILL. */
void unwind_traps(void);
__asm__(".pushsection .text\n"
        ".globl unwind_traps\n"
        "unwind_traps:\n\t.cfi_startproc\n\tud2\n\tret\n\t.cfi_endproc\n"
        ".popsection");

static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	innermost(2);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

Test(unwind, a_frame_that_a_signal_interrupted_reads_like_a_call)
{
	struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	int found = 0;

	wanted = 8192;
	sigaction(SIGILL, &trap, NULL);
	unwind_traps();
	unwind(space_of(getpid()), &sample);
	for (uint32_t i = 0; i < sample.count; i++)
		found += sample.pcs[i] == (uint64_t)&unwind_traps + 1;
	cr_assert_eq(found, 1);
}

Test(unwind, hostile_registers)
{
	static const uint64_t words[] = {
		0, 1, 8, UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 63, 0x7fffffffe000, 4096};
	enum { COUNT = sizeof(words) / sizeof(words[0]) };

	srand(7);
	wanted = 4096;
	for (int i = 0; i < 20000; i++) {
		if (i % 100 == 0)
			outer(3);
		else
			for (int k = 0; k < 16; k++)
				((uint64_t *)copy)[rand() % 512] = rand() % 2
				                                           ? words[rand() % COUNT]
				                                           : known[rand() % 5];
		sample.registers[rand() % RING_PC] = words[rand() % COUNT];
		sample.registers[RING_PC] = rand() % 2 ? known[rand() % 5] : words[rand() % COUNT];
		unwind(space_of(getpid()), &sample);
		cr_assert(sample.count <= RING_FRAMES_MAX);
	}
}

/* Where its caller's frame is stands in memory to which its last word points. */
void unwind_indirect(void);
int unwind_from_indirect(int x);
uint64_t unwind_pointer; /* where that word is */

int unwind_from_indirect(int x)
{
	int inner = innermost(x);

	__asm__ volatile("" : "+r"(inner));
	return inner + 1;
}

__asm__(".pushsection .text\n"
        ".globl unwind_indirect\n"
        "unwind_indirect:\n"
        "\t.cfi_startproc\n"
        "\tpush %rbx\n"
        "\tlea 16(%rsp), %rax\n"
        "\tpush %rax\n"
        "\tmov %rsp, %rax\n"
        "\tpush %rax\n"
        "\t.cfi_escape 0x0f, 4, 0x77, 0, 0x06, 0x06\n" /* CFA = *(*rsp) */
        "\t.cfi_offset %rbx, -16\n"
        "\tmov %rsp, unwind_pointer(%rip)\n"
        "\tmov $2, %edi\n"
        "\tcall unwind_from_indirect\n"
        "\tadd $16, %rsp\n"
        "\tpop %rbx\n"
        "\t.cfi_def_cfa %rsp, 8\n"
        "\tret\n"
        "\t.cfi_endproc\n"
        ".popsection");

static FRAME int calls_indirect(int x)
{
	NOTE(5);
	unwind_indirect();
	return x + sink;
}

Test(unwind, a_frame_whose_place_cannot_be_read_is_the_last)
{
	uint32_t frames;

	wanted = 8192;
	calls_indirect(3);
	unwind(space_of(getpid()), &sample);
	cr_assert(!sample.is_bad);
	frames = sample.count;
	/* innermost, its caller, the one in question, and all the others */
	cr_assert_gt(frames, 5);
	for (int i = 0; i < 2; i++) {
		static const uint64_t nowhere[] = {0, 4096};

		calls_indirect(3);
		memcpy(copy + (unwind_pointer - sample.registers[RING_SP]), &nowhere[i],
		       sizeof(nowhere[i]));
		unwind(space_of(getpid()), &sample);
		cr_assert(sample.is_bad);
		cr_assert_eq(sample.count, 3, "%u", (unsigned)sample.count);
		cr_assert_lt(sample.count, frames);
	}
}

Test(unwind, nobody_knows_the_code)
{
	wanted = 8192;
	outer(3);
	sample.registers[RING_PC] = 0x10000;
	unwind(space_of(getpid()), &sample);
	cr_assert(sample.is_bad);
	cr_assert_eq(sample.count, 1);
}

/* The place where the kernel starts a program has no caller, but no table in ld.so says so: it is
 * the last frame of all that runs before main. */
Test(unwind, where_the_loader_begins)
{
	const Elf64_Ehdr *loader = (const Elf64_Ehdr *)getauxval(AT_BASE); /* NOLINT */
	uint64_t begin;

	if (!loader)
		cr_skip_test("this was not started by a loader");
	begin = (uint64_t)loader + loader->e_entry;
	for (int i = 0; i < 2; i++) {
		wanted = 8192;
		outer(3);
		sample.registers[ARCH_FP] = 0; /* as the kernel sets it */
		sample.registers[RING_PC] = begin + (i == 0 ? 0 : 8);
		((uint64_t *)copy)[0] = 2; /* argc */
		unwind(space_of(getpid()), &sample);
		cr_assert_eq(sample.count, 1);
		cr_assert_not(sample.is_bad || sample.is_deep, "a whole stack");
	}
	((uint64_t *)copy)[0] = known[2];
	sample.registers[RING_PC] = begin;
	unwind(space_of(getpid()), &sample);
	cr_assert(sample.is_bad, "whoever has a return address was called");
}
