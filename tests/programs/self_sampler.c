/* self_sampler: samples itself with the functions of <xer/sampler.h> only, and prints what the
 * regions contain.
 *
 * usage: self_sampler PERIOD_US CPU_MS [foreign TID]
 *
 * Four threads use CPU_MS of CPU time each, half in hot_a and half in hot_b. A fifth one does the
 * same but is not attached; a sixth one sleeps and is attached. Facts: no sample belongs to the
 * fifth thread or to main; the sixth has a few samples at most, of falling asleep and waking; each
 * of the four gets CPU_MS / PERIOD samples; hot_a and hot_b have half of them each, by their
 * innermost frame. Prints lines "NAME VALUE". With `foreign`: samples that thread of another
 * process, for CPU_MS of time. */
#include "include/xer/sampler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, SLEEPER = WORKERS + 1, THREADS = WORKERS + 2, REGION = 4 << 20 };

static pthread_barrier_t started, attached, done;
static _Atomic pid_t tids[THREADS];
static uint64_t cpu_ns;
static volatile uint64_t sink;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#define HOT(name) \
	static __attribute__((noinline)) void name(uint64_t ns) \
	{ \
		uint64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns; \
		do \
			for (int i = 0; i < 100000; i++) \
				sink += (uint64_t)i; \
		while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end); \
	} \
	static void name##_end(void) \
	{ \
		__asm__ volatile("# " #name); \
	}
HOT(hot_a)
HOT(hot_b)

static void *work(void *context)
{
	long index = (long)context;

	tids[index] = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&started);
	pthread_barrier_wait(&attached);
	if (index != SLEEPER) {
		hot_a(cpu_ns / 2);
		hot_b(cpu_ns / 2);
	}
	pthread_barrier_wait(&done);
	return NULL;
}

static void must(const char *what, zx_status_t status)
{
	if (status == ZX_OK)
		return;
	printf("failed %s %d\n", what, (int)status);
	exit(1);
}

static void attach(zx_handle_t iob, pid_t tid)
{
	zx_handle_t thread;

	must("thread_handle", xer_thread_handle(tid, &thread));
	must("attach", zx_sampler_attach(iob, thread));
	must("close", zx_handle_close(thread));
}

static struct {
	uint64_t workers[WORKERS], sleeper, strangers, a, b, elsewhere, malformed, not_in_order;
} seen;

static int is_in(uint64_t pc, void (*from)(uint64_t), void (*to)(void))
{
	return pc >= (uint64_t)from && pc < (uint64_t)to;
}

static void count(const uint64_t *record, uint64_t words)
{
	int worker = 0;

	while (worker < WORKERS && (pid_t)record[4] != tids[worker])
		worker++;
	if (worker == WORKERS && (pid_t)record[4] == tids[SLEEPER])
		seen.sleeper++;
	else if (worker == WORKERS || (pid_t)record[3] != getpid())
		seen.strangers++;
	else
		seen.workers[worker]++;
	if (record[1] != 0 || record[5] != 8 * (words - 6) || words > 70)
		seen.malformed++;
	if (is_in(record[6], hot_a, hot_a_end))
		seen.a++;
	else if (is_in(record[6], hot_b, hot_b_end))
		seen.b++;
	else
		seen.elsewhere++;
}

static void read_region(const uint64_t *words, size_t size)
{
	uint64_t before = 0;
	size_t at = 0;

	while (at + 6 < size / 8 && words[at]) {
		uint64_t count_words = words[at] >> 4 & 0xffffffff;

		if ((words[at] & 15) != 15 || count_words < 7 || at + count_words > size / 8) {
			seen.malformed++;
			return;
		}
		seen.not_in_order += words[at + 2] < before;
		before = words[at + 2];
		count(words + at, count_words);
		at += count_words;
	}
	for (; at < size / 8; at++)
		seen.malformed += words[at] != 0;
}

static void read_regions(zx_handle_t iob)
{
	zx_iob_region_info_t regions[1024];
	size_t count_regions, all;

	must("get_info", zx_object_get_info(iob, ZX_INFO_IOB_REGIONS, regions, sizeof(regions),
	                                    &count_regions, &all));
	printf("regions %zu\n", count_regions);
	for (size_t i = 0; i < count_regions; i++) {
		zx_vaddr_t address;

		must("map", zx_vmar_map_iob(zx_vmar_root_self(), ZX_VM_PERM_READ, 0, iob,
		                            (uint32_t)i, 0, regions[i].region.size, &address));
		read_region((const uint64_t *)address, regions[i].region.size);
	}
}

static void print(zx_handle_t iob)
{
	xer_sampler_info_t info;

	must("info", zx_object_get_info(iob, XER_INFO_SAMPLER, &info, sizeof(info), NULL, NULL));
	for (int i = 0; i < WORKERS; i++)
		printf("worker %llu\n", (unsigned long long)seen.workers[i]);
	printf("sleeper %llu\n", (unsigned long long)seen.sleeper);
	printf("strangers %llu\nhot_a %llu\nhot_b %llu\nelsewhere %llu\nmalformed %llu\ndisorder %llu\n",
	       (unsigned long long)seen.strangers, (unsigned long long)seen.a,
	       (unsigned long long)seen.b, (unsigned long long)seen.elsewhere,
	       (unsigned long long)seen.malformed, (unsigned long long)seen.not_in_order);
	printf("samples %llu\nbad %llu\nno_room %llu\nlost %llu\none_frame %llu\n",
	       (unsigned long long)info.samples, (unsigned long long)info.bad_stacks,
	       (unsigned long long)info.no_room, (unsigned long long)info.lost,
	       (unsigned long long)info.one_frame);
}

static void sample_self(zx_handle_t iob)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&started, NULL, THREADS + 1);
	pthread_barrier_init(&attached, NULL, THREADS + 1);
	pthread_barrier_init(&done, NULL, THREADS + 1);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	pthread_barrier_wait(&started);
	for (int i = 0; i < THREADS; i++)
		if (i != WORKERS)
			attach(iob, tids[i]);
	must("start", zx_sampler_start(iob));
	pthread_barrier_wait(&attached);
	pthread_barrier_wait(&done);
	must("stop", zx_sampler_stop(iob));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	zx_sampler_config_t config = {.buffer_size = REGION,
	                              .iobuffer_discipline = ZX_IOB_DISCIPLINE_NONE};
	zx_handle_t iob;

	if (argc != 3 && argc != 5)
		return 2;
	config.period = atol(argv[1]) * 1000;
	cpu_ns = (uint64_t)atol(argv[2]) * 1000000;
	must("create", zx_sampler_create(xer_debug_resource(), 0, &config, sizeof(config), &iob));
	if (argc == 3) {
		sample_self(iob);
	} else {
		attach(iob, (pid_t)atol(argv[4]));
		must("start", zx_sampler_start(iob));
		usleep((unsigned)(cpu_ns / 1000));
		must("stop", zx_sampler_stop(iob));
	}
	read_regions(iob);
	print(iob);
	must("close", zx_handle_close(iob));
	return 0;
}
