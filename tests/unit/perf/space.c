/* What is mapped where, by the kernel's records, which are made up here. */
#include "perf/space.h"

#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PID = 2000000000 /* no process has it */, TRAILER = 3 };

static void give(uint16_t type, uint16_t misc, const uint64_t *words, size_t count)
{
	space_take(
		&(struct ring_record){.type = type, .misc = misc, .words = words, .count = count});
}

static void map_as(int pid, uint64_t start, uint64_t size, uint64_t offset, uint64_t rights)
{
	uint64_t words[10 + TRAILER] = {(uint32_t)pid, start, size, offset, 0, 77, 0, rights};

	memcpy(&words[8], "/no/such", 9);
	give(PERF_RECORD_MMAP2, 0, words, 10 + TRAILER);
}

static void map(uint64_t start, uint64_t size, uint64_t offset)
{
	map_as(PID, start, size, offset, PROT_READ | PROT_EXEC);
}

static void is_at(uint64_t address, uint64_t start, uint64_t end, uint64_t offset)
{
	const struct mapping *at = space_at(space_of(PID), address);

	cr_assert(at != NULL, "%lx", address);
	cr_assert_eq(at->start, start, "%lx: %lx", address, at->start);
	cr_assert_eq(at->end, end, "%lx: %lx", address, at->end);
	cr_assert_eq(at->offset, offset, "%lx: %lx", address, at->offset);
	cr_assert_str_eq(object_path(at->object), "/no/such");
}

Test(space, a_mapping_takes_the_place_of_what_it_covers)
{
	map(0x1000, 0x4000, 0);
	map(0x8000, 0x1000, 0x500);
	is_at(0x1000, 0x1000, 0x5000, 0);
	map(0x2000, 0x1000, 0x9000); /* in the middle */
	is_at(0x1fff, 0x1000, 0x2000, 0);
	is_at(0x2000, 0x2000, 0x3000, 0x9000);
	is_at(0x3000, 0x3000, 0x5000, 0x2000);
	map(0x4000, 0x4800, 0x100); /* over an end and a beginning */
	is_at(0x3fff, 0x3000, 0x4000, 0x2000);
	is_at(0x4000, 0x4000, 0x8800, 0x100);
	is_at(0x8800, 0x8800, 0x9000, 0xd00);
	map(0x1000, 0x8000, 7);
	is_at(0x8fff, 0x1000, 0x9000, 7);
	cr_assert_null(space_at(space_of(PID), 0xfff));
	cr_assert_null(space_at(space_of(PID), 0x9000));
}

Test(space, random_mappings_agree_with_a_table_of_pages)
{
	enum { PAGES = 64 };
	uint64_t offset_of[PAGES] = {0};

	srand(11);
	for (int i = 0; i < 5000; i++) {
		uint64_t start = (uint64_t)rand() % PAGES,
			 size = 1 + (uint64_t)rand() % (PAGES - start), offset = (uint64_t)i << 20;

		map(start << 12, size << 12, offset);
		for (uint64_t page = start; page < start + size; page++)
			offset_of[page] = offset + ((page - start) << 12);
		for (uint64_t page = 0; page < PAGES; page++) {
			const struct mapping *at = space_at(space_of(PID), page << 12);

			if (!at)
				cr_assert_eq(offset_of[page], 0);
			else
				cr_assert_eq((page << 12) - at->start + at->offset, offset_of[page],
				             "turn %d page %lu", i, page);
		}
	}
}

Test(space, a_child_has_its_parents_code_until_it_executes_a_program)
{
	const uint64_t fork[] = {(uint32_t)(PID + 1) | (uint64_t)PID << 32, 0, 0, 0, 700, 0};
	uint64_t exec[] = {(uint32_t)(PID + 1) | (uint64_t)(PID + 1) << 32, 0, 0, 0, 800, 0};
	const struct ring_record executed = {.type = PERF_RECORD_COMM,
	                                     .misc = PERF_RECORD_MISC_COMM_EXEC,
	                                     .words = exec,
	                                     .count = 6};
	const uint64_t thread[] = {(uint32_t)PID | (uint64_t)PID << 32, 0, 0, 0, 0, 0};
	struct image *image;

	memcpy(&exec[1], "name", 5);
	map(0x1000, 0x1000, 5);
	give(PERF_RECORD_FORK, 0, thread, 6);
	give(PERF_RECORD_FORK, 0, fork, 6);
	cr_assert_not_null(space_at(space_of(PID + 1), 0x1000));
	image = space_image(space_of(PID + 1));
	cr_assert_str_eq(image->name, "");
	cr_assert_eq(image->began_ns, 700);
	cr_assert_eq(image->forked_ns, 700);
	cr_assert_eq(image->parent, PID);
	cr_assert_eq(image->executed, 0);
	cr_assert_eq(image->parent_image, space_image(space_of(PID)));
	cr_assert_str_eq(object_path(image->program), "/no/such", "its parent's");
	image->is_told = 1;
	give(PERF_RECORD_COMM, 0, exec, 6);
	cr_assert_not_null(space_at(space_of(PID + 1), 0x1000), "a thread has got a name");
	give(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, exec, 6);
	cr_assert_null(space_at(space_of(PID + 1), 0x1000));
	cr_assert_eq(space_of_next(&executed), space_of(PID + 1), "the one before was told");
	image = space_image(space_of(PID + 1));
	cr_assert_str_eq(image->name, "name");
	cr_assert_eq(image->began_ns, 800);
	cr_assert_eq(image->forked_ns, 700);
	cr_assert_eq(image->executed, 1);
	cr_assert_eq(image->parent_image, space_image(space_of(PID)));
	cr_assert_null(image->program);
	map_as(PID + 1, 0x7000, 0x1000, 0, PROT_EXEC);
	cr_assert_str_eq(object_path(image->program), "/no/such");
	give(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, exec, 6);
	give(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, exec, 6);
	cr_assert_null(space_of_next(&executed), "the one before was not");
	cr_assert_not_null(space_at(space_of(PID), 0x1000));
}

/* A chain of processes, each of which forks the next one and ends: the ancestors of the last one
 * are known, but not for ever. */
Test(space, parents_are_known_when_they_are_gone)
{
	enum { CHAIN = 300 };
	unsigned depth = 0;

	map(0x1000, 0x1000, 5);
	for (int i = 0; i < CHAIN; i++) {
		const uint64_t fork[] = {
			(uint32_t)(PID + i + 1) | (uint64_t)(PID + i) << 32, 0, 0, 0, 700, 0};
		const uint64_t exit[] = {(uint32_t)(PID + i), (uint32_t)(PID + i), 0, 0, 800, 0};
		const struct ring_record ended = {
			.type = PERF_RECORD_EXIT, .words = exit, .count = 6};

		give(PERF_RECORD_FORK, 0, fork, 6);
		cr_assert_eq(space_of_end(&ended), space_of(PID + i));
		give(PERF_RECORD_EXIT, 0, exit, 6);
		cr_assert_eq(space_image(space_of(PID + i))->parent_image != NULL,
		             i % (IMAGE_DEPTH_MAX + 1) != 0, "threads of it may end later");
	}
	for (const struct image *at = space_image(space_of(PID + 10)); at; at = at->parent_image)
		depth++;
	cr_assert_eq(depth, 1, "forgotten, and looked at again");
	for (const struct image *at = space_image(space_of(PID + CHAIN)); at; at = at->parent_image)
		depth++;
	cr_assert_eq(depth, 1 + 1 + CHAIN % (IMAGE_DEPTH_MAX + 1));
}

Test(space, each_mapping_is_told_once)
{
	map(0x5000, 0x1000, 0);
	cr_assert_eq(space_tell(space_of(PID))->start, 0x5000);
	cr_assert_null(space_tell(space_of(PID)));
	map(0x1000, 0x1000, 0); /* before the one that is reported */
	map(0x9000, 0x1000, 0);
	cr_assert_eq(space_tell(space_of(PID))->start, 0x1000);
	cr_assert_eq(space_tell(space_of(PID))->start, 0x9000);
	cr_assert_null(space_tell(space_of(PID)));
}

/* A child's experiment has its parent's code too, whether the parent has told of it or not. */
Test(space, what_a_child_has_of_its_parent_is_told_again)
{
	const uint64_t fork[] = {(uint32_t)(PID + 1) | (uint64_t)PID << 32, 0, 0, 0, 700, 0};

	map(0x5000, 0x1000, 0);
	map(0x8000, 0x1000, 0);
	cr_assert_eq(space_tell(space_of(PID))->start, 0x5000);
	give(PERF_RECORD_FORK, 0, fork, 6);
	cr_assert_eq(space_tell(space_of(PID + 1))->start, 0x5000);
	cr_assert_eq(space_tell(space_of(PID + 1))->start, 0x8000);
	cr_assert_null(space_tell(space_of(PID + 1)));
	cr_assert_eq(space_tell(space_of(PID))->start, 0x8000);
	cr_assert_null(space_tell(space_of(PID)));
}

Test(space, records_that_cannot_be_are_ignored)
{
	uint64_t words[16];

	memset(words, 0xff, sizeof(words));
	words[0] = (uint32_t)PID;
	for (size_t count = 0; count <= 16; count++)
		for (uint16_t type = 1; type < 20; type++)
			give(type, 0, words, count);
	map_as(PID, UINT64_MAX - 10, 100, 0, PROT_EXEC);
	map_as(PID, 0x1000, 0, 0, PROT_EXEC);
	map_as(PID, 0x1000, 0x1000, 0, PROT_READ);
	cr_assert_null(space_at(space_of(PID), 0x1000));
	cr_assert_null(space_at(space_of(PID), UINT64_MAX - 5));
}
