/* memory.c: cases of allocators, of unusual stacks, and of code that is in no
 * file. */
#include "case.h"

#include <alloca.h>
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <obstack.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static void *volatile kept;

int case_allocate_all_ways(void)
{
	void *block = NULL;

	say("malloc %d\n", (kept = malloc(0)) != NULL);
	free(kept);
	say("calloc %d\n", ((char *)(kept = calloc(100, 100)))[9999]);
	say("realloc %d\n", (kept = realloc(kept, 200000)) != NULL);
	say("reallocarray %d\n", (kept = reallocarray(kept, 10, 10)) != NULL);
	free(kept);
	say("aligned_alloc %d\n", (int)((uintptr_t)(kept = aligned_alloc(4096, 8192)) % 4096));
	free(kept);
	say("posix_memalign %d", posix_memalign(&block, 256, 100));
	say(" %d\n", (int)((uintptr_t)block % 256));
	free(block);
	say("memalign %d\n", (int)((uintptr_t)(kept = memalign(64, 10)) % 64));
	free(kept);
	say("valloc %d\n", (int)((uintptr_t)(kept = valloc(10)) % 4096));
	free(kept);
	say("pvalloc %d\n", (int)malloc_usable_size(kept = pvalloc(10)) >= 4096);
	free(kept);
	free(NULL);
	mark();
	return 0;
}

int case_allocation_errors(void)
{
	volatile size_t huge = PTRDIFF_MAX, half = SIZE_MAX / 2;
	void *block = (void *)8;

	errno = 0;
	say("malloc %d ", !malloc(huge));
	say("%d\n", errno);
	errno = 0;
	say("calloc %d ", !calloc(half, 3));
	say("%d\n", errno);
	errno = 0;
	kept = malloc(10);
	say("realloc %d ", !realloc(kept, huge));
	say("%d\n", errno);
	errno = 0;
	say("reallocarray %d ", !reallocarray(kept, half, 3));
	say("%d\n", errno);
	free(kept);
	errno = 0;
	say("posix_memalign %d %d ", posix_memalign(&block, 3, 100), block == (void *)8);
	say("%d\n", errno);
	say("aligned_alloc %d ", !aligned_alloc(64, huge));
	say("%d\n", errno);
	mark();
	return 0;
}

int case_free_keeps_errno(void)
{
	void *large = malloc(1 << 22), *small = malloc(10);

	errno = 55;
	free(large);
	free(small);
	say("errno %d\n", errno);
	mark();
	say("errno %d\n", errno);
	return 0;
}

int case_contents_survive(void)
{
	unsigned char *block = malloc(1);
	unsigned long sum = 0;

	*block = 1;
	for (size_t size = 2; size < 2000000; size = size * 3 / 2 + 1) {
		block = realloc(block, size);
		memset(block + size / 2, (int)size, size - size / 2);
		for (size_t i = 0; i < size; i += 7)
			sum += block[i / 2 == 0 ? 0 : size / 2];
	}
	free(block);
	say("sum %lu\n", sum);
	mark();
	return 0;
}

int case_usable_size(void)
{
	size_t sum = 0;

	for (size_t size = 1; size < 100000; size = size * 2 + 1) {
		void *block = malloc(size);

		sum += malloc_usable_size(block);
		free(block);
	}
	say("usable %lu\n", (unsigned long)sum);
	mark();
	return 0;
}

int case_malloc_statistics(void)
{
	struct mallinfo2 before = mallinfo2(), after;

	kept = malloc(100000);
	after = mallinfo2();
	say("in use %lu\n", (unsigned long)(after.uordblks - before.uordblks));
	free(kept);
	say("trim %d\n", malloc_trim(0) >= 0);
	say("mallopt %d\n", mallopt(M_MMAP_THRESHOLD, 100000));
	kept = malloc(200000);
	after = mallinfo2();
	say("mapped %lu\n", (unsigned long)after.hblks);
	free(kept);
	mark();
	return 0;
}

static void *frees(void *block)
{
	free(block);
	return malloc(500);
}

int case_freed_by_others(void)
{
	for (int i = 0; i < 50; i++) {
		pthread_t thread;
		void *block;

		pthread_create(&thread, NULL, frees, malloc(1000));
		pthread_join(thread, &block);
		free(block);
	}
	mark();
	return 0;
}

int case_obstacks(void)
{
	struct obstack stack;
	char *text;

	obstack_init(&stack);
	for (int i = 0; i < 1000; i++)
		obstack_printf(&stack, "%d ", i);
	obstack_1grow(&stack, 0);
	text = obstack_finish(&stack);
	say("%d\n", (int)strlen(text));
	obstack_free(&stack, NULL);
	mark();
	return 0;
}

int case_break_moved(void)
{
	char *before = sbrk(0);

	int grown = sbrk(100000) == before, moved, back;

	memset(before, 1, 100000);
	moved = (char *)sbrk(0) - before == 100000;
	back = brk(before);
	say("grown %d moved %d back %d\n", grown, moved, back);
	mark();
	return 0;
}

int case_mappings(void)
{
	char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                    0);

	memory[4096] = 7;
	memory = mremap(memory, 1 << 20, 1 << 23, MREMAP_MAYMOVE);
	say("moved %d\n", memory[4096]);
	say("fixed %d\n", mmap(memory, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
	                       0) == memory);
	say("taken %d ",
	    mmap(memory, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
	         0) == MAP_FAILED);
	say("%d\n", errno);
	say("dropped %d %d\n", madvise(memory + 4096, 4096, MADV_DONTNEED), memory[4096]);
	say("unmapped %d\n", munmap(memory, 1 << 23));
	say("odd %d ", munmap((void *)1, 1));
	say("%d\n", errno);
	mark();
	return 0;
}

int case_many_mappings(void)
{
	char *memory = mmap(NULL, 4096 * 20000, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 20000; i += 2)
		if (mprotect(memory + i * 4096, 4096, PROT_READ) != 0)
			return 1;
	mark();
	burn(10);
	return munmap(memory, 4096 * 20000);
}

/* ---- stacks */

__attribute__((noinline)) static int deep(int left)
{
	int result;

	if (left == 0) {
		mark();
		burn(5);
		return 0;
	}
	result = deep(left - 1);
	__asm__ volatile("" ::"r"(result) : "memory");
	return result + 1;
}

int case_stack_50000_deep(void)
{
	say("depth %d\n", deep(50000));
	return 0;
}

int case_stack_wide(void)
{
	volatile char *room = alloca(4 << 20);

	for (int i = 0; i < 4 << 20; i += 4096)
		room[i] = 1;
	mark();
	burn(5);
	return 0;
}

static ucontext_t caller, coroutine;
static int turns;

static void coroutine_body(void)
{
	for (int i = 0; i < 100; i++) {
		turns++;
		free(malloc(10));
		swapcontext(&coroutine, &caller);
	}
	mark();
	burn(5);
}

int case_coroutines_of_libc(void)
{
	static char stack[65536];

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	coroutine.uc_link = &caller;
	makecontext(&coroutine, coroutine_body, 0);
	for (int i = 0; i <= 100; i++)
		swapcontext(&caller, &coroutine);
	say("turns %d\n", turns);
	return 0;
}

static void *stack_switched(void *unused)
{
	mark();
	burn(5);
	return unused;
}

/* Call a function on another stack, with a wild frame pointer. */
static void call_on(void *top, unsigned long frame_pointer, void *(*function)(void *))
{
	__asm__ volatile(
		"push %%rbp\n\tmov %%rsp, %%rbx\n\tmov %0, %%rsp\n\tmov %1, %%rbp\n\txor %%edi, %%edi\n\tcall *%2\n\t"
		"mov %%rbx, %%rsp\n\tpop %%rbp" ::"r"(top),
		"r"(frame_pointer), "r"(function)
		: "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory",
		  "cc");
}

int case_foreign_stack(void)
{
	char *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                    0);

	call_on(memory + (1 << 16), 0, stack_switched);
	return munmap(memory, 1 << 16);
}

static char heap_stack[1 << 16] __attribute__((aligned(64)));

int case_garbage_frame_pointer(void)
{
	static const unsigned long wild[] = {
		0, 1, 8, 0xfff, 0x4141414141414141, 0x7fffffffffff, 0x8000000000000000, ~0ul, ~7ul};

	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		call_on(heap_stack + sizeof(heap_stack), wild[i], stack_switched);
	call_on(heap_stack + sizeof(heap_stack),
	        (unsigned long)heap_stack + sizeof(heap_stack) - 16, stack_switched);
	return 0;
}

int case_stack_at_the_end_of_memory(void)
{
	char *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                    0);

	munmap(memory + (1 << 15), 1 << 15); /* so that nothing is mapped above */
	call_on(memory + (1 << 15), (unsigned long)memory + (1 << 15), stack_switched);
	return 0;
}

static jmp_buf out;

__attribute__((noinline)) static void jump_from(int depth)
{
	if (depth == 0) {
		mark();
		longjmp(out, 5);
	}
	jump_from(depth - 1);
	__asm__ volatile("");
}

int case_jumps_over_frames(void)
{
	for (volatile int i = 0; i < 20; i++)
		if (setjmp(out) == 0)
			jump_from(i * 10);
	return 0;
}

int case_backtrace(void)
{
	void *frames[100];
	int count;

	mark();
	burn(10);
	count = backtrace(frames, 100);
	say("frames %d\n", count > 2);
	return 0;
}

int case_nested_function(void)
{
	int called = 0;
	void inner(int signal)
	{
		called += signal;
		mark();
	}
	void (*volatile pointer)(int) = inner;

	pointer(5);
	say("called %d\n", called);
	return 0;
}

int case_jit_code(void)
{
	/* sub rsp, 8; call rdi; add rsp, 8; ret */
	static const unsigned char code[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7,
	                                     0x48, 0x83, 0xc4, 0x08, 0xc3};
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                           -1, 0);

	memcpy(page, code, sizeof(code));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0)
		return CASE_SKIP;
	((void (*)(void (*)(void)))page)(mark);
	return munmap(page, 4096);
}

int case_execute_only_code(void)
{
	static const unsigned char code[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7,
	                                     0x48, 0x83, 0xc4, 0x08, 0xc3};
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                           -1, 0);

	memcpy(page, code, sizeof(code));
	if (mprotect(page, 4096, PROT_EXEC) != 0)
		return CASE_SKIP;
	((void (*)(void (*)(void)))page)(mark);
	return 0;
}

int case_own_code_execute_only(void)
{
	uintptr_t at = (uintptr_t)mark & ~(uintptr_t)4095;

	if (mprotect((void *)at, 8192, PROT_EXEC) != 0)
		return CASE_SKIP;
	mark();
	burn(10);
	return 0;
}

static __thread char block[3000];

static void *uses_block(void *unused)
{
	memset(block, 5, sizeof(block));
	mark();
	return unused;
}

int case_thread_variables(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, uses_block, NULL);
	say("zero %d\n", block[100]);
	return pthread_join(thread, NULL);
}
