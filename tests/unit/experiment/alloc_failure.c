/* Wherever memory runs out, opening, loading and naming return -ENOMEM or a result, and leak
 * nothing.
 *
 * This file's functions replace the C library's allocator in the whole test program; they fail the
 * Nth call of a thread that requests it. Sanitizers have their own allocator: in their builds no
 * call fails. */
#include "experiment/archive/archive.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static __thread long
	until_failure; /* allocations up to and including the one that fails; 0: none fails */
static __thread int failed;
static __thread int ours_only; /* calls from libraries do not count */
static __thread long live;     /* blocks */

#ifndef __SANITIZE_ADDRESS__

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

extern const char __executable_start, etext;

static int fails(const void *caller)
{
	if (ours_only &&
	    ((const char *)caller < &__executable_start || (const char *)caller >= &etext))
		return 0;
	if (until_failure == 0 || --until_failure > 0)
		return 0;
	failed = 1;
	errno = ENOMEM;
	return 1;
}

static void *counted(void *block)
{
	live += block != NULL;
	return block;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
	void *result;

	if (fails(__builtin_return_address(0)))
		return NULL;
	result = __libc_realloc(block, size);
	live += !block && result != NULL;
	live -= block && size == 0;
	return result;
}

void free(void *block)
{
	live -= block != NULL;
	__libc_free(block);
}

#endif

enum { RUNS_MAX = 100000 };

static void ignore(void *context, const char *message)
{
	(void)context;
	(void)message;
}

static const struct exp_reporter reporter = {ignore, NULL};

static const char *path = "tests/golden/profile.er";

static int open_and_load(struct experiment **out, const struct exp_data_set **set)
{
	struct exp_cause cause = {""};
	int rc = experiment_open(path, &reporter, out, &cause);

	if (rc != 0) {
		cr_assert_neq(cause.text[0], '\0');
		return rc;
	}
	rc = experiment_load(*out, set);
	if (rc != 0)
		experiment_close(*out);
	return rc;
}

/* Open, load and close while the nth allocation fails. Returns the result, and in *hit whether
 * there were that many. */
static int try_load(long nth, int *hit)
{
	struct experiment *experiment;
	const struct exp_data_set *set;
	long before = live;
	int rc;

	failed = 0;
	until_failure = nth;
	rc = open_and_load(&experiment, &set);
	if (rc == 0)
		experiment_close(experiment);
	until_failure = 0;
	*hit = failed;
	cr_assert_eq(live, before, "allocation %ld fails: %ld blocks are left", nth, live - before);
	return rc;
}

/* Fail each in turn. is_strict: the result must say so; otherwise a library may also do without the
 * memory, as qsort can, and libxml2 for the text of an error. */
static void fail_each(int is_strict)
{
	struct experiment *experiment;
	const struct exp_data_set *set;
	int hit = 1;

	/* The first time, libxml2 allocates memory that it keeps. */
	cr_assert_eq(open_and_load(&experiment, &set), 0, "run from the top of the source tree");
	experiment_close(experiment);
	for (long nth = 1; hit; nth++) {
		int rc = try_load(nth, &hit);

		cr_assert_lt(nth, RUNS_MAX);
		cr_assert(rc == (hit ? -ENOMEM : 0) || (rc == 0 && !is_strict),
		          "allocation %ld fails: %d", nth, rc);
	}
}

Test(alloc_failure, opening_and_loading_say_so, .timeout = 100)
{
	fail_each(1);
}

Test(alloc_failure, reading_a_damaged_experiment_says_so, .timeout = 100)
{
	path = "tests/golden/damaged.er";
	fail_each(0);
}

Test(alloc_failure, loading_waits_and_calls_says_so, .timeout = 100)
{
	struct maker maker;
	struct maker_stream stream;

	maker_create(&maker);
	path = maker.path;
	/* So many objects, files and descriptors that their tables grow. */
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 16 * 4096);
	for (uint64_t i = 0; i < 200; i++) {
		maker_sync(&stream, MAKER_START_TICKS + i, FMT_sync_func_MUTEX_INIT, 64 * i, 0, 0,
		           0);
		maker_sync(&stream, MAKER_START_TICKS + i, FMT_sync_func_MUTEX_LOCK, 64 * i, 1, 0,
		           0);
	}
	maker_stream_put(&maker, &stream, "synctrace");
	maker_stream_init(&stream);
	maker_extent(&stream, 1, MAKER_START_TICKS, 16 * 4096);
	for (uint32_t i = 0; i < 200; i++) {
		struct maker_call call = {.func = FMT_io_func_READ, .file = 16 * i, .fd = i};

		maker_io_file(&stream, MAKER_START_TICKS + i, 16 * i, FMT_file_type_REGULAR,
		              "/tmp/name");
		maker_io(&stream, MAKER_START_TICKS + i, &call);
	}
	maker_stream_put(&maker, &stream, "iotrace");
	fail_each(0);
	maker_destroy(&maker);
}

Test(alloc_failure, listing_descendants_says_so, .timeout = 100)
{
	struct maker maker;

	maker_create(&maker);
	path = maker.path;
	/* So many that their list and the strings grow. */
	for (int i = 1; i <= 2000; i++) {
		char name[160];

		snprintf(name, sizeof(name), "%s/_f%d.er", maker.path, i);
		cr_assert_eq(mkdir(name, 0755), 0);
	}
	fail_each(0);
	maker_destroy(&maker);
}

/* Whatever the memory was before that takes the cause. */
Test(alloc_failure, archiving_gives_a_cause_for_each_error, .timeout = 100)
{
	static const struct exp_archive_options options = {.what = EXP_ARCHIVE_USEDLDOBJECTS};
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;
	struct maker maker;

	maker_create(&maker);
	path = maker.path;
	cr_assert_eq(open_and_load(&experiment, &set), 0);
	ours_only = 1;
	failed = 1;
	for (long nth = 1; failed; nth++) {
		int rc;

		memset(&cause, 'x', sizeof(cause));
		failed = 0;
		until_failure = nth;
		rc = experiment_archive(experiment, &options, &cause);
		until_failure = 0;
		cr_assert_eq(rc < 0, failed, "allocation %ld fails: %d", nth, rc);
		cr_assert_lt(nth, RUNS_MAX);
		if (rc == 0)
			continue;
		cr_assert_eq(strncmp(cause.text, path, strlen(path)), 0, "%.99s", cause.text);
		cr_assert_eq(strcmp(cause.text + strlen(path),
		                    ": cannot archive: Cannot allocate memory"),
		             0, "%.99s", cause.text);
	}
	experiment_close(experiment);
	maker_destroy(&maker);
}

/* Name all nodes. Returns 0 or -ENOMEM. */
static int name_all(const struct experiment *experiment, const struct exp_data_set *set)
{
	struct symbols *symbols = symbols_create();
	const struct sym_frame *frames;
	int rc = 0;

	if (!symbols)
		return -ENOMEM;
	for (size_t i = 0; i < set->nodes.count && rc >= 0; i++)
		rc = symbols_frames(symbols, experiment, set->nodes.pc[i], set->nodes.generation[i],
		                    0, &frames);
	symbols_destroy(symbols);
	return rc < 0 ? rc : 0;
}

/* libdw, which aborts if it gets no memory, always gets it. */
Test(alloc_failure, naming_ends_well, .timeout = 100)
{
	struct experiment *experiment;
	const struct exp_data_set *set;

	cr_assert_eq(open_and_load(&experiment, &set), 0);
	cr_assert_eq(name_all(experiment, set), 0);
	ours_only = 1;
	failed = 1;
	for (long nth = 1; failed; nth++) {
		long before = live;
		int rc;

		failed = 0;
		until_failure = nth;
		rc = name_all(experiment, set);
		until_failure = 0;
		cr_assert_eq(live, before, "allocation %ld fails: %ld blocks are left", nth,
		             live - before);
		cr_assert_eq(rc, failed ? -ENOMEM : 0, "allocation %ld fails: %d", nth, rc);
		cr_assert_lt(nth, RUNS_MAX);
	}
	experiment_close(experiment);
}
