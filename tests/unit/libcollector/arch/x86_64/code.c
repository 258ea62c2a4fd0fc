/* Reading x86-64 code, and contexts that were interrupted in front of an instruction. */
#include "libcollector/arch/arch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static ucontext_t context;

static void set(const uint8_t *pc, long result)
{
	memset(&context, 0, sizeof(context));
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
	context.uc_mcontext.gregs[REG_RAX] = result;
}

/* 64 bytes in the middle of a page. */
static const uint8_t *put(const void *code, size_t size)
{
	static uint8_t page[3 * 4096];
	uint8_t *at = (uint8_t *)(((uintptr_t)page + 4095) & ~(uintptr_t)4095) + 512;

	memset(at - 64, 0x90, 128);
	memcpy(at, code, size);
	return at;
}

#define PUT(...) put((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

Test(arch, a_failed_call_tells_its_number)
{
	const uint8_t *code = PUT(0xb8, 0x23, 0x01, 0, 0, 0x0f, 0x05);

	set(code + 7, -EINTR);
	cr_assert_eq(arch_failed_call(&context), 0x123);
	arch_begin_call(&context, 0x123);
	cr_assert_eq(context.uc_mcontext.gregs[REG_RIP], (greg_t)(code + 5));
	cr_assert_eq(context.uc_mcontext.gregs[REG_RAX], 0x123);
	set(code + 7, 0);
	cr_assert_eq(arch_failed_call(&context), -1, "it has not failed");
	set(code + 7, -EAGAIN);
	cr_assert_eq(arch_failed_call(&context), -1, "with another error");
	set(code + 6, -EINTR);
	cr_assert_eq(arch_failed_call(&context), -1, "somewhere else");
	code = PUT(0xb9, 0x23, 0x01, 0, 0, 0x0f, 0x05);
	set(code + 7, -EINTR);
	cr_assert_eq(arch_failed_call(&context), -1, "it does not tell");
	code = PUT(0xb8, 0x23, 0x01, 0, 0, 0x0f, 0x04);
	set(code + 7, -EINTR);
	cr_assert_eq(arch_failed_call(&context), -1, "it is no call");
}

static int readable(const void *from, size_t size)
{
	(void)from;
	(void)size;
	return 1;
}

static int unreadable(const void *from, size_t size)
{
	(void)from;
	(void)size;
	return 0;
}

/* What glibc 2.41 executes as a cancellation point: the function of assembler, from its first mov
 * on, and behind it its caller, which gets the call's number on the stack. */
#define INNER \
	0x49, 0x89, 0xfb, 0x48, 0x89, 0xf0, 0x48, 0x89, 0xd7, 0x48, 0x89, 0xce, 0x4c, 0x89, 0xc2, \
		0x4d, 0x89, 0xca, 0x4c, 0x8b, 0x44, 0x24, 0x08, 0x4c, 0x8b, 0x4c, 0x24, 0x10, \
		0x4c, 0x89, 0x5c, 0x24, 0x08, 0x0f, 0x05, 0xc3
enum { BEHIND = 35, CALLER = 36 };

/* The function at `code`, which `back` will return to, waits in a call with this stack. */
static void wait_in(const uint8_t *code, const uint8_t *back, uint64_t stack[8])
{
	set(code + BEHIND, -EINTR);
	context.uc_mcontext.gregs[REG_RSP] = (greg_t)stack;
	context.uc_mcontext.gregs[REG_RBP] = (greg_t)(stack + 5);
	for (int i = 0; i < 8; i++)
		stack[i] = 1000 + (uint64_t)i;
	stack[0] = (uint64_t)back;
}

Test(arch, a_cancellable_call_tells_its_number)
{
	uint64_t stack[8];
	/* push %r8; mov 0x10(%rsp),%rsi; mov %rdx,%r8; mov %rdi,%rdx; mov %r11,%rdi; call */
	const uint8_t *code = PUT(INNER, 0x41, 0x50, 0x48, 0x8b, 0x74, 0x24, 0x10, 0x49, 0x89, 0xd0,
	                          0x48, 0x89, 0xfa, 0x4c, 0x89, 0xdf, 0xe8, -(CALLER + 21) & 255,
	                          -1 & 255, -1 & 255, -1 & 255);

	wait_in(code, code + CALLER + 21, stack);
	cr_assert_eq(arch_cancellable_call(&context, readable), 1003);
	cr_assert_eq(arch_failed_call(&context), -1);
	cr_assert_eq(arch_cancellable_call(&context, unreadable), -1);
	arch_begin_call(&context, 1003);
	cr_assert_eq(context.uc_mcontext.gregs[REG_RIP], (greg_t)(code + BEHIND - 2));
	wait_in(code, code + CALLER + 21, stack);
	context.uc_mcontext.gregs[REG_RAX] = 0;
	cr_assert_eq(arch_cancellable_call(&context, readable), -1, "it has not failed");
	wait_in(code, code + CALLER + 20, stack);
	cr_assert_eq(arch_cancellable_call(&context, readable), -1, "it was not called there");

	/* mov 0x8(%rsp),%rsi; push %r9; push %r8; mov %r11,%rdi; call */
	code = PUT(INNER, 0x48, 0x8b, 0x74, 0x24, 0x08, 0x41, 0x51, 0x41, 0x50, 0x4c, 0x89, 0xdf,
	           0xe8, -(CALLER + 17) & 255, -1 & 255, -1 & 255, -1 & 255);
	wait_in(code, code + CALLER + 17, stack);
	cr_assert_eq(arch_cancellable_call(&context, readable), 1004, "behind two words more");

	/* mov -0x10(%rbp),%rsi; mov %r11,%rdi; call */
	code = PUT(INNER, 0x48, 0x8b, 0x75, 0xf0, 0x4c, 0x89, 0xdf, 0xe8, -(CALLER + 12) & 255,
	           -1 & 255, -1 & 255, -1 & 255);
	wait_in(code, code + CALLER + 12, stack);
	cr_assert_eq(arch_cancellable_call(&context, readable), 1003);

	/* mov %rax,%rsi; mov %r11,%rdi; call */
	code = PUT(INNER, 0x48, 0x89, 0xc6, 0x4c, 0x89, 0xdf, 0xe8, -(CALLER + 11) & 255, -1 & 255,
	           -1 & 255, -1 & 255);
	wait_in(code, code + CALLER + 11, stack);
	cr_assert_eq(arch_cancellable_call(&context, readable), -1, "where from?");
}

/* A process without threads is not in that function. */
Test(arch, a_number_from_memory_is_read_there)
{
	uint64_t stack[8];
	const uint8_t *code = PUT(0x48, 0x8b, 0x44, 0x24, 0x10, 0x0f, 0x05);

	wait_in(code + 7 - BEHIND, NULL, stack);
	cr_assert_eq(arch_cancellable_call(&context, readable), 1002);
	code = PUT(0x48, 0x8b, 0x45, 0x10, 0x0f, 0x05);
	wait_in(code + 6 - BEHIND, NULL, stack);
	cr_assert_eq(arch_cancellable_call(&context, readable), 1007);
	code = PUT(0x48, 0x8b, 0x45, 0x10, 0x0f, 0x04);
	wait_in(code + 6 - BEHIND, NULL, stack);
	cr_assert_eq(arch_cancellable_call(&context, readable), -1, "it is no call");
}

/* The page before may not be mapped. */
Test(arch, the_page_before_is_not_read)
{
	uint8_t *pages = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *code = pages + 4096;

	cr_assert_neq(pages, MAP_FAILED);
	cr_assert_eq(mprotect(code, 4096, PROT_READ | PROT_WRITE), 0);
	for (int i = 0; i < 7; i++) {
		set(code + i, -EINTR);
		cr_assert_eq(arch_failed_call(&context), -1);
	}
	memcpy(code, "\xb8\x07\0\0\0\x0f\x05", 7);
	set(code + 7, -EINTR);
	cr_assert_eq(arch_failed_call(&context), 7, "the first that may be looked at");
	memcpy(code, "\x0f\x05", 2);
	cr_assert_eq(arch_is_in_call((uint64_t)code), 0);
	cr_assert_eq(arch_is_in_call((uint64_t)code + 1), 0);
	cr_assert_eq(arch_is_in_call((uint64_t)code + 2), 1);
	munmap(pages, 8192);
}

static int unreadable_page(const void *from, size_t size)
{
	return from != (const void *)4096 && size > 0;
}

Test(arch, the_resume_flag_tells_a_page_fault)
{
	enum { RF = 1 << 16 };

	set(PUT(0x88, 0x07), 0); /* mov %al,(%rdi) */
	cr_assert_eq(arch_fault_of(&context, readable), ARCH_FAULT_NONE);
	context.uc_mcontext.gregs[REG_EFL] = RF;
	cr_assert_eq(arch_fault_of(&context, readable), ARCH_FAULT_SURE);
	context.uc_mcontext.gregs[REG_EFL] = ~(greg_t)RF;
	cr_assert_eq(arch_fault_of(&context, readable), ARCH_FAULT_NONE, "others tell nothing");
	context.uc_mcontext.gregs[REG_EFL] = RF;
	context.uc_mcontext.gregs[REG_RIP] = 4096;
	cr_assert_eq(arch_fault_of(&context, unreadable_page), ARCH_FAULT_SURE,
	             "a jump to where nothing is");
}

/* An interrupt in the middle of a repeated instruction sets the flag, too. */
Test(arch, faults_of_repeated_instructions_are_at_the_beginnings_of_pages)
{
	static const struct {
		greg_t flags, to, from;
		enum arch_fault fault;
	} cases[] = {
		{0, 0x7000, 0x8000, ARCH_FAULT_NONE},
		{1 << 16, 0x7000, 0x8100, ARCH_FAULT_SURE},
		{1 << 16, 0x703f, 0x8100, ARCH_FAULT_SURE},
		{1 << 16, 0x7100, 0x8020, ARCH_FAULT_SURE},
		{1 << 16, 0x7040, 0x8100, ARCH_FAULT_DOUBTFUL},
		{1 << 16, 0x7fff, 0x8fff, ARCH_FAULT_DOUBTFUL},
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		set(i % 2 ? PUT(0xf3, 0xa4) : PUT(0xf2, 0xa6), 0); /* rep movsb, repne cmpsb */
		context.uc_mcontext.gregs[REG_EFL] = cases[i / 2].flags;
		context.uc_mcontext.gregs[REG_RDI] = cases[i / 2].to;
		context.uc_mcontext.gregs[REG_RSI] = cases[i / 2].from;
		cr_assert_eq(arch_fault_of(&context, readable), cases[i / 2].fault, "%zu", i);
	}
}

/* The registers that an instruction does not use may have any value. */
Test(arch, a_string_instruction_faults_where_it_is)
{
	static const struct {
		const uint8_t code[4];
		enum arch_fault to, from; /* where rdi, rsi, is at the beginning of a page */
		int pages;
	} cases[] = {
		{{0xf3, 0xaa}, ARCH_FAULT_SURE, ARCH_FAULT_DOUBTFUL, 1},         /* rep stosb */
		{{0xf3, 0x48, 0xab}, ARCH_FAULT_SURE, ARCH_FAULT_DOUBTFUL, 1},   /* rep stosq */
		{{0xf3, 0x66, 0xab}, ARCH_FAULT_SURE, ARCH_FAULT_DOUBTFUL, 1},   /* rep stosw */
		{{0xf2, 0xae}, ARCH_FAULT_SURE, ARCH_FAULT_DOUBTFUL, 1},         /* repne scasb */
		{{0xf3, 0xac}, ARCH_FAULT_DOUBTFUL, ARCH_FAULT_SURE, 1},         /* rep lodsb */
		{{0xf3, 0x48, 0xa5}, ARCH_FAULT_SURE, ARCH_FAULT_SURE, 2},       /* rep movsq */
		{{0xf3, 0x0f, 0x1e, 0xfa}, ARCH_FAULT_SURE, ARCH_FAULT_SURE, 0}, /* endbr64 */
	};
	greg_t *gregs = context.uc_mcontext.gregs;
	uint64_t next[ARCH_STRINGS];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set(put(cases[i].code, sizeof(cases[i].code)), 0);
		gregs[REG_EFL] = 1 << 16;
		gregs[REG_RDI] = 0x7000;
		gregs[REG_RSI] = 0x8100;
		cr_assert_eq(arch_fault_of(&context, readable), cases[i].to, "%zu", i);
		gregs[REG_RDI] = 0x7100;
		gregs[REG_RSI] = 0x8000;
		cr_assert_eq(arch_fault_of(&context, readable), cases[i].from, "%zu", i);
		cr_assert_eq(arch_string_next(&context, next), cases[i].pages, "%zu", i);
		if (cases[i].pages == 2)
			cr_assert(next[0] == 0x8100 && next[1] == 0x9000);
	}
}

Test(arch, in_a_call_is_before_and_behind_it)
{
	const uint8_t *code = PUT(0x90, 0x0f, 0x05, 0x90, 0x90);

	cr_assert(arch_is_in_call((uint64_t)code + 1));
	cr_assert(arch_is_in_call((uint64_t)code + 3));
	cr_assert_not(arch_is_in_call((uint64_t)code));
	cr_assert_not(arch_is_in_call((uint64_t)code + 2));
	cr_assert_not(arch_is_in_call((uint64_t)code + 4));
}

Test(arch, context_registers)
{
	struct arch_registers registers;

	set(NULL, 0);
	for (int i = 0; i < NGREG; i++)
		context.uc_mcontext.gregs[i] = 1000 + i;
	arch_registers_load(&registers, &context);
	cr_assert_eq(registers.value[ARCH_SP], arch_context_sp(&context));
	cr_assert_eq(registers.value[ARCH_FP], arch_context_fp(&context));
	cr_assert_eq(registers.value[ARCH_RA], arch_context_pc(&context));
	cr_assert_eq(arch_context_sp(&context), 1000 + REG_RSP);
	cr_assert_eq(arch_context_fp(&context), 1000 + REG_RBP);
	cr_assert_eq(arch_context_pc(&context), 1000 + REG_RIP);
	cr_assert_eq(registers.value[0], 1000 + REG_RAX);
	cr_assert_eq(registers.value[1], 1000 + REG_RDX);
	cr_assert_eq(registers.value[3], 1000 + REG_RBX);
	cr_assert_eq(registers.value[5], 1000 + REG_RDI);
	cr_assert_eq(registers.value[15], 1000 + REG_R15);
	for (int i = 0; i < ARCH_REGISTERS; i++)
		cr_assert_eq(*(uint64_t *)arch_signal_slot((uint64_t)&context, i),
		             registers.value[i]);
}

static __attribute__((noinline)) uint64_t here(struct arch_registers *out)
{
	arch_registers_here(out);
	return (uint64_t)__builtin_frame_address(0);
}

Test(arch, registers_here_are_of_the_function_itself)
{
	struct arch_registers registers;
	uint64_t frame = here(&registers);

	cr_assert_leq(registers.value[ARCH_SP], frame);
	cr_assert_lt(frame - registers.value[ARCH_SP], 4096);
	cr_assert_lt(registers.value[ARCH_RA] - (uint64_t)&here, 256);
	cr_assert_eq(registers.value[0], 0, "not kept by calls");
}

Test(arch, calls_of_all_forms_are_told_by_their_last_bytes)
{
	static const uint8_t calls[][8] = {
		{0x90, 0x90, 0x90, 0xe8, 1, 2, 3, 4},             /* call near */
		{0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0}, /* call *%rax */
		{0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 8},    /* call *8(%rax) */
		{0x90, 0x90, 0xff, 0x15, 1, 2, 3, 4},             /* call *slot(%rip) */
		{0x90, 0xff, 0x94, 0x24, 1, 2, 3, 4},             /* call *n(%rsp) */
	};
	static const uint8_t others[][8] = {
		{0x90, 0x90, 0x90, 0xe9, 1, 2, 3, 4},             /* jmp */
		{0x90, 0x90, 0xff, 0x25, 1, 2, 3, 4},             /* jmp *slot(%rip) */
		{0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0}, /* jmp *%rax */
		{0xff, 0x15, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90},
		{0x90, 0x90, 0xe8, 1, 2, 3, 4, 0x90},
		{0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff},
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		cr_assert(arch_follows_call(calls[i]), "call %zu", i);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_assert_not(arch_follows_call(others[i]), "other %zu", i);
	cr_assert(arch_begins_call((const uint8_t[]){0xe8}));
	cr_assert(arch_begins_call((const uint8_t[]){0xff}));
	cr_assert_not(arch_begins_call((const uint8_t[]){0x90}));
}

Test(arch, an_empty_function_becomes_a_jump)
{
	static const uint8_t marked[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3, 0x90};
	static uint8_t page[64] __attribute__((aligned(64)));
	struct arch_jump jump;
	uint64_t target = (uint64_t)page + 0x1000;
	int32_t distance;

	memset(page, 0xcc, sizeof(page));
	page[0] = 0xc3;
	cr_assert_eq(arch_jump_of_empty(page, target, &jump), 0);
	cr_assert_eq(jump.at, (uint64_t)page);
	cr_assert_eq(jump.code[0], 0xe9);
	memcpy(&distance, jump.code + 1, 4);
	cr_assert_eq(jump.at + 5 + (uint64_t)(int64_t)distance, target);
	memcpy(page, marked, sizeof(marked));
	cr_assert_eq(arch_jump_of_empty(page, target, &jump), 0);
	cr_assert_eq(jump.at, (uint64_t)page + 4, "behind the mark");
	memcpy(&distance, jump.code + 1, 4);
	cr_assert_eq(jump.at + 5 + (uint64_t)(int64_t)distance, target);
	page[4] = 0x90;
	cr_assert_eq(arch_jump_of_empty(page, target, &jump), -1, "not empty");
	page[4] = 0xc3;
	page[5] = 0x55;
	cr_assert_eq(arch_jump_of_empty(page, target, &jump), -1, "no room");
	page[11] = page[12] = 0xc3;
	page[13] = 0xcc;
	cr_assert_eq(arch_jump_of_empty(page + 12, target, &jump), -1, "the next one is too near");
	page[12] = 0xcc;
	cr_assert_eq(arch_jump_of_empty(page + 11, target, &jump), 0, "as near as may be");
	cr_assert_eq(arch_jump_of_empty(page + 11, target + (UINT64_C(1) << 31) + 4096, &jump), -1,
	             "too far");
}

Test(arch, bytes_at_the_first_call)
{
	const uint8_t *code = PUT(0xe8, 0, 0, 0, 0);

	cr_assert_eq(arch_bytes_at_call(code, code + 5), 8);
	cr_assert_eq(arch_bytes_at_call(code, code + 6), -1);
	code = PUT(0xf3, 0x0f, 0x1e, 0xfa, 0xe8, 0, 0, 0, 0);
	cr_assert_eq(arch_bytes_at_call(code, code + 9), 8);
	cr_assert_eq(arch_bytes_at_call(code, code + 5), -1);
	code = PUT(0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x52, 0xff, 0x15, 0, 0, 0, 0);
	cr_assert_eq(arch_bytes_at_call(code, code + 12), 16);
	code = PUT(0x41, 0x52, 0x67, 0xe8, 0, 0, 0, 0);
	cr_assert_eq(arch_bytes_at_call(code, code + 8), 16);
	code = PUT(0x55, 0xe8, 0, 0, 0, 0);
	cr_assert_eq(arch_bytes_at_call(code, code + 6), -1);
	code = PUT(0xff, 0x25, 0, 0, 0, 0);
	cr_assert_eq(arch_bytes_at_call(code, code + 6), -1, "a jump");
}

static int answer(void)
{
	return 4711;
}

Test(arch, a_stub_leads_to_its_target)
{
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                     0);

	cr_assert_neq(page, MAP_FAILED);
	memset(page, 0xcc, 4096);
	arch_put_stub(page, (uint64_t)&answer);
	cr_assert_eq(page[ARCH_STUB_SIZE], 0xcc, "and takes no more room than it says");
	cr_assert_eq(mprotect(page, 4096, PROT_READ | PROT_EXEC), 0);
	cr_assert_eq(((int (*)(void))(uintptr_t)page)(), 4711);
	munmap(page, 4096);
}

Test(arch, what_handlers_return_to_is_known)
{
	cr_assert(arch_is_sigreturn((uint64_t)&arch_signal_return));
	cr_assert_not(arch_is_sigreturn((uint64_t)&answer));
}

Test(arch, system_calls_pass_all_arguments)
{
	int fds[2];
	char bytes[4] = "";

	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(arch_syscall(SYS_write, fds[1], (long)"abc", 3, 0, 0, 0), 3);
	cr_assert_eq(arch_syscall(SYS_read, fds[0], (long)bytes, 3, 0, 0, 0), 3);
	cr_assert_str_eq(bytes, "abc");
	errno = 0;
	cr_assert_eq(arch_syscall(SYS_close, -1, 0, 0, 0, 0, 0), -EBADF);
	cr_assert_eq(errno, 0);
	/* the fourth to sixth: mmap refuses other ones */
	cr_assert_eq(arch_syscall(SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE, -1, 0), -EBADF);
	cr_assert_eq(arch_syscall(SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 1),
	             -EINVAL);
	close(fds[0]);
	close(fds[1]);
}

Test(arch, the_clock_goes_forward)
{
	uint64_t before = arch_ticks(), after;
	uint32_t cpu;

	if (arch_has_ticks_cpu()) {
		uint64_t between = arch_ticks_cpu(&cpu);

		cr_assert_geq(between, before);
		cr_assert_lt(cpu & 0xfff, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	}
	after = arch_ticks();
	cr_assert_gt(after, before);
	cr_assert_lt(after - before, UINT64_C(1) << 40);
}

Test(arch, the_thread_pointer_is_libcs)
{
	if (!arch_has_thread_pointer())
		cr_skip_test("the processor or the kernel does not tell");
	cr_assert_eq(arch_thread_pointer(), arch_libc_pointer());
	arch_set_thread_pointer(arch_libc_pointer());
	cr_assert_eq(arch_thread_pointer(), arch_libc_pointer());
}

Test(arch, stubs_of_linkage_tables)
{
	uint8_t expression[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};

	cr_assert_eq(arch_plt_byte(expression, sizeof(expression)), 11);
	cr_assert_eq(arch_plt_byte(expression, sizeof(expression) - 1), -1);
	for (size_t i = 0; i < sizeof(expression); i++) {
		expression[i] ^= 0x40;
		cr_assert_eq(arch_plt_byte(expression, sizeof(expression)), -1, "byte %zu", i);
		expression[i] ^= 0x40;
	}
	expression[6] = 0x30;
	cr_assert_eq(arch_plt_byte(expression, sizeof(expression)), 0);
	expression[6] = 0x3f;
	cr_assert_eq(arch_plt_byte(expression, sizeof(expression)), 15);
	cr_assert_eq(arch_plt_cfa(0x1000a, 0x7000, 11), 0x7008);
	cr_assert_eq(arch_plt_cfa(0x1000b, 0x7000, 11), 0x7010);
	cr_assert_eq(arch_plt_cfa(0x1000f, 0x7000, 11), 0x7010);
}
