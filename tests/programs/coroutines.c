/* coroutines: code on stacks that are mapped, unmapped, and end at another address the next time.
 *
 * usage: coroutines      (no arguments)
 *
 * Facts: 200 times, a stack is mapped at one address, with a top that alternates between two. Code
 * on it recurses from an outermost frame (whose return address is 0), calls malloc and free ten
 * times in the innermost one, and returns; the stack is unmapped. Deep and shallow recursion
 * alternate, so that frames of both have the same addresses. Prints "ok". */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
	PAGE = 4096,
	HIGH_TOP = 64 * PAGE,
	LOW_TOP = 49 * PAGE,
	DEEP = 3500,
	SHALLOW = 300,
	ROUNDS = 200
};

static void *back[5];
static int depth;

__attribute__((noinline)) static int recurse(int left)
{
	int result;

	if (left == 0) {
		for (int i = 0; i < 10; i++) {
			void *volatile block = malloc(10);

			free(block);
		}
		return 0;
	}
	result = recurse(left - 1);
	__asm__ volatile("" ::"r"(result) : "memory");
	return result + 1;
}

static void enter(void)
{
	recurse(depth);
	__builtin_longjmp(back, 1);
}

int main(void)
{
	char *base = (char *)0x600000000000;

	for (volatile int i = 0; i < ROUNDS; i++) {
		size_t top = i & 1 ? LOW_TOP : HIGH_TOP;

		if (mmap(base, top, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		         -1, 0) == MAP_FAILED)
			return 1;
		depth = i & 1 ? SHALLOW : DEEP;
		if (!__builtin_setjmp(back))
			__asm__ volatile("mov %0, %%rsp\n\tpushq $0\n\tpushq $0\n\tjmp *%1" ::"r"(
						 base + top - 8),
			                 "r"(enter)
			                 : "memory");
		munmap(base, HIGH_TOP);
	}
	puts("ok");
	return 0;
}
