/* The stack of another thread: of what the kernel tells of one that is blocked, and of one that is
 * made up, with frames of all kinds. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/unwind/walk_other.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __clang__
#define PLAIN __attribute__((noinline, optnone))
#else
#define PLAIN __attribute__((noinline, optimize("O0")))
#endif

static struct walk_memo *memo;
static int memory;
static sem_t end;
static atomic_int tid;

static void setup(void)
{
	scratch_open();
	memo = walk_memo_create(WALK_FRAMES_MIN);
	memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	cr_assert(memo && memory >= 0);
	sem_init(&end, 0, 0);
}

TestSuite(walk_other, .init = setup, .fini = scratch_remove);

/* ---- threads that wait in functions with and without a frame pointer */

PLAIN static void wait_plain(void)
{
	volatile char room[200];

	room[0] = 1;
	sem_wait(&end);
	room[1] = room[0];
}

__attribute__((noinline)) static void wait_tight(void)
{
	sem_wait(&end);
	__asm__ volatile("");
}

PLAIN static void plain_tight(void)
{
	wait_tight();
	__asm__ volatile("");
}

__attribute__((noinline)) static void tight_plain(void)
{
	wait_plain();
	__asm__ volatile("");
}

static void *run(void *function)
{
	tid = (int)syscall(SYS_gettid);
	((void (*)(void))(uintptr_t)function)();
	__asm__ volatile("");
	return NULL;
}

/* Where the thread is blocked. */
static struct walk_other place_of(int thread)
{
	struct walk_other place = {.memory = memory};
	char path[64], text[256] = "running";
	unsigned long word[8] = {0};
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", thread);
	for (int i = 0; i < 5000 && text[0] == 'r'; i++) {
		usleep(1000);
		file = fopen(path, "re");
		cr_assert(file && fgets(text, sizeof(text), file));
		fclose(file);
	}
	cr_assert_eq(sscanf(text, "%*d %lx %lx %lx %lx %lx %lx %lx %lx", &word[0], &word[1],
	                    &word[2], &word[3], &word[4], &word[5], &word[6], &word[7]),
	             8, "%s", text);
	place.sp = word[6];
	place.pc = word[7];
	return place;
}

static struct fmt_node *nodes;

static const struct fmt_node *node_at(uint32_t node)
{
	return &nodes[node / sizeof(struct fmt_node)];
}

/* Is there a frame in the first bytes of the function? */
static int has(uint32_t node, const void *function)
{
	enum { SIZE = 96 };

	for (; node; node = node_at(node)->parent)
		if (node_at(node)->pc - (uint64_t)(uintptr_t)function < SIZE)
			return 1;
	return 0;
}

/* The stack of a thread that waits in that function. */
static uint32_t stack_in(void (*function)(void))
{
	struct walk_other place;
	pthread_t thread;
	uint32_t node;
	size_t len;

	tid = 0;
	cr_assert_eq(pthread_create(&thread, NULL, run, (void *)(uintptr_t)function), 0);
	for (int i = 0; i < 5000 && !tid; i++)
		usleep(1000);
	place = place_of(tid);
	node = walk_other_stack(memo->machine, &place);
	sem_post(&end);
	pthread_join(thread, NULL);
	free(nodes);
	nodes = (struct fmt_node *)scratch_read("frameinfo", &len);
	cr_assert(node && nodes);
	return node;
}

Test(walk_other, finds_the_frames_of_a_blocked_thread)
{
	static void (*const functions[])(void) = {wait_plain, wait_tight, plain_tight, tight_plain};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		uint32_t node = stack_in(functions[i]);

		cr_assert(has(node, (void *)(uintptr_t)functions[i]), "%zu", i);
		cr_assert(has(node, (void *)(uintptr_t)run), "%zu: and its callers", i);
	}
	cr_assert_eq(atomic_load(&col.count.stacks_truncated), 0);
}

Test(walk_other, a_stack_that_is_not_there_is_cut_at_its_first_frame)
{
	struct walk_other place = {
		.memory = memory, .sp = 64, .pc = (uint64_t)(uintptr_t)wait_tight};
	uint32_t node = walk_other_stack(memo->machine, &place);
	size_t len;

	nodes = (struct fmt_node *)scratch_read("frameinfo", &len);
	cr_assert_eq(node_at(node)->pc, place.pc);
	cr_assert_eq(node_at(node_at(node)->parent)->pc, FMT_PC_TRUNCATED);
	cr_assert_eq(atomic_load(&col.count.stacks_truncated), 1);
}

/* ---- what the first instructions of a function say of its frame */

static int bytes(const char *code, size_t size)
{
	return arch_frame_bytes((const uint8_t *)code, size);
}

#define BYTES(code) bytes(code, sizeof(code) - 1)

Test(walk_other, the_first_instructions_tell_the_size_of_a_frame)
{
	cr_assert_eq(BYTES("\x55\x48\x89\xe5"), 0);
	cr_assert_eq(BYTES("\x55\x48\x8b\xec"), 0);
	cr_assert_eq(BYTES("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\x53"), 8);
	cr_assert_eq(BYTES("\x55\x48\x89\xe5\x41\x54\x53\x48\x83\xec\x18"), 40);
	cr_assert_eq(BYTES("\x55\x48\x89\xe5\x48\x81\xec\x00\x01\x00\x00\x90"), 256);
	cr_assert_eq(BYTES("\x55\x48\x89\xe5\x48\x81\xec\x00\x01\x00"), 0, "it is not whole");
	cr_assert_eq(BYTES("\x55\x48\x89\xe5\x48\x81\xec\x00\x01\x00\xff"), 0,
	             "it gives room back");
	cr_assert_eq(BYTES("\x55\x48\x89\xe5\x48\x83\xec\x80"), 0);
	cr_assert_eq(BYTES("\x55\x48\x89\xe5\x89\x7d\xfc\x53"), 0, "another instruction ends it");
	cr_assert_eq(BYTES("\x48\x83\xec\x18"), -1);
	cr_assert_eq(BYTES("\x55\x48\x89"), -1);
	cr_assert_eq(bytes("", 0), -1);
}
