/* Code that has no unwinding tables but keeps frame pointers, as many JIT compilers write it, deep
 * below main and on many pages; or code that has neither, on a stack of its own, as Erlang's.
 *
 * usage: untabled DEPTH COUNT [own]
 *
 * PAGES pages have the same function each, which calls that of the next page. DEPTH calls below
 * main, work() makes COUNT calls of malloc and free of 24 bytes. own: one function without a frame
 * pointer, on another stack, calls work() instead. x86-64 only. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 8 };

static long count;

static void work(void)
{
	for (long i = 0; i < count; i++) {
		void *volatile block = malloc(24);

		free(block);
	}
}

/* Fill the code, and call it: on a stack behind which there are only zeros. */
static int run_on_own_stack(uint8_t *code)
{
	static const uint8_t function[] = {0x55,             /* push %rbp */
	                                   0x53,             /* push %rbx */
	                                   0x48, 0x89, 0xe3, /* mov %rsp, %rbx */
	                                   0x48, 0x89, 0xfc, /* mov %rdi, %rsp */
	                                   0x31, 0xed,       /* xor %ebp, %ebp */
	                                   0xff, 0xd6,       /* call *%rsi */
	                                   0x48, 0x89, 0xdc, /* mov %rbx, %rsp */
	                                   0x5b,             /* pop %rbx */
	                                   0x5d, 0xc3};      /* pop %rbp; ret */
	static _Alignas(16) uint8_t stack[64 * PAGE];

	memcpy(code, function, sizeof(function));
	((void (*)(void *, void (*)(void)))(uintptr_t)code)(stack + sizeof(stack) / 2, work);
	return 0;
}

int main(int argc, char **argv)
{
	static const uint8_t function[] = {0x55,             /* push %rbp */
	                                   0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
	                                   0x48, 0xff, 0xcf, /* dec %rdi */
	                                   0x74, 0x07,       /* jz to the call of %rsi */
	                                   0xe8, 0,    0,
	                                   0,    0,    /* call the next page's function */
	                                   0x5d, 0xc3, /* pop %rbp; ret */
	                                   0xff, 0xd6, /* call *%rsi */
	                                   0x5d, 0xc3};
	enum { CALL = 9, BEHIND = CALL + 5 };
	uint8_t *code = mmap(NULL, PAGE * PAGES, PROT_READ | PROT_WRITE | PROT_EXEC,
	                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long depth = argc > 1 ? atol(argv[1]) : 100;

	count = argc > 2 ? atol(argv[2]) : 1000;
	if (code == MAP_FAILED)
		return 1;
	if (argc > 3)
		return run_on_own_stack(code);
	for (int i = 0; i < PAGES; i++) {
		int32_t far = ((i + 1) % PAGES - i) * PAGE - BEHIND;

		memcpy(code + i * PAGE, function, sizeof(function));
		memcpy(code + i * PAGE + CALL + 1, &far, sizeof(far));
	}
	((void (*)(long, void (*)(void)))(uintptr_t)code)(depth, work);
	return 0;
}
