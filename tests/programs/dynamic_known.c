/* dynamic_known: creates functions while it runs, and announces them.
 *
 * Facts: the code of each maker calls the function that it is given, once. `first_maker` is created
 * and called 7 times; `second_maker` takes its place and is called 5 times, from other code;
 * `third_maker`, after that, is called 3 times and never withdrawn. The function that they call
 * allocates 100 bytes and frees nothing. Each maker has 3 lines from 10 on in maker.jit; the call
 * is in the second one. first_maker has the alias "maker number one". Announcing code at an
 * unreadable address or of length 0 does no harm. It prints "calls 15". */
#include "include/collectorAPI.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *volatile last;
static int calls;

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
static Lineno lines[] = {{0, 10}, {4, 11}, {6, 12}};

static __attribute__((noinline)) void allocate(void)
{
	last = malloc(100);
	calls++;
}

static void make(unsigned char *at, const char *name, const char *alias, int count)
{
	void (*maker)(void (*)(void)) = (void (*)(void (*)(void)))(void *)at;

	memcpy(at, code, sizeof(code));
	collector_func_load(name, alias, "/src/maker.jit", at, sizeof(code), 3, lines);
	for (int i = 0; i < count; i++)
		maker(allocate);
}

int main(void)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return 1;
	make(page, "first_maker", "maker number one", 7);
	collector_func_unload(page);
	make(page, "second_maker", NULL, 5);
	make(page + 64, "third_maker", NULL, 3);
	collector_func_load("unreadable", NULL, NULL, (void *)8, 100, 0, NULL);
	collector_func_load("empty", NULL, NULL, page, 0, 0, NULL);
	collector_func_unload((void *)8);
	collector_func_unload(page);
	printf("calls %d\n", calls);
	return 0;
}
