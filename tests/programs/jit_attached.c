/* jit_attached.c: calls of JIT code, in a process that was already running.
 *
 *     jit_attached GO DONE
 *
 * Three times, once the file GO exists: a function without a name, in memory of no load object,
 * calls `allocate` 7 times, which allocates 100 bytes and frees nothing; then DONE is created, and
 * removed when GO is gone. Nothing is announced. Prints "right" if all calls did their work. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 3, CALLS = 7, WAITS = 6000 };

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
static void *volatile last;
static int calls;

static __attribute__((noinline)) void allocate(void)
{
	last = malloc(100);
	calls++;
}

static void wait_until(const char *path, int is_there)
{
	for (int i = 0; i < WAITS && (access(path, F_OK) == 0) != is_there; i++)
		usleep(10000);
}

int main(int argc, char **argv)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*maker)(void (*)(void)) = (void (*)(void (*)(void)))page;

	if (argc != 3 || page == MAP_FAILED)
		return 2;
	memcpy(page, code, sizeof(code));
	for (int round = 0; round < ROUNDS; round++) {
		wait_until(argv[1], 1);
		for (int i = 0; i < CALLS; i++)
			maker(allocate);
		close(open(argv[2], O_CREAT | O_WRONLY, 0644));
		wait_until(argv[1], 0);
		unlink(argv[2]);
	}
	puts(calls == ROUNDS * CALLS ? "right" : "wrong");
	return 0;
}
