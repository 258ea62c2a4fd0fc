/* Sorting with little and with enough memory, items of all sizes, twice. */
#include "analyzer/base/sorter.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 5000, SIZE_MAX_OF_ITEM = 70000 };

static uint64_t key_of(unsigned i)
{
	return (uint64_t)i * 2654435761u % 1000;
}

static uint32_t size_of(unsigned i)
{
	return i == 77 ? SIZE_MAX_OF_ITEM : i % 23;
}

static void check(struct sorter *sorter)
{
	uint64_t major = 0, minor = 0;
	struct sorter_item item;
	unsigned count = 0;

	sorter_begin(sorter);
	while (sorter_next(sorter, &item)) {
		const uint8_t *bytes = item.payload;
		unsigned i = (unsigned)item.minor;

		cr_assert(item.major > major ||
		          (item.major == major && (count == 0 || item.minor > minor)));
		cr_assert(item.major == key_of(i) && item.size == size_of(i));
		for (uint32_t k = 0; k < item.size; k++)
			cr_assert_eq(bytes[k], (uint8_t)(i + k));
		major = item.major;
		minor = item.minor;
		count++;
	}
	cr_assert_eq(count, ITEMS);
}

static void try(size_t memory)
{
	struct sorter *sorter = sorter_new(memory);
	uint8_t *bytes = malloc(SIZE_MAX_OF_ITEM);

	for (unsigned i = 0; i < ITEMS; i++) {
		for (uint32_t k = 0; k < size_of(i); k++)
			bytes[k] = (uint8_t)(i + k);
		sorter_add(sorter, key_of(i), i, bytes, size_of(i));
	}
	free(bytes);
	check(sorter);
	check(sorter);
	sorter_free(sorter);
}

Test(sorter, in_memory)
{
	try(SIZE_MAX / 2);
}

Test(sorter, in_parts)
{
	try(20000);
}

Test(sorter, each_item_a_part)
{
	try(1);
}

Test(sorter, nothing)
{
	struct sorter *sorter = sorter_new(1000);
	struct sorter_item item;

	sorter_begin(sorter);
	cr_assert_eq(sorter_next(sorter, &item), 0);
	sorter_free(sorter);
}

static int is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* Items of 24 bytes and their places in the order, of 8: a hundred need 3200. */
static int needs_a_file(size_t memory)
{
	struct sorter *sorter = sorter_new(memory);
	int next = open("/dev/null", O_RDONLY | O_CLOEXEC), is_used;

	close(next); /* the file would have this descriptor */
	for (unsigned i = 0; i < 100; i++)
		sorter_add(sorter, 100 - i, i, NULL, 0);
	is_used = is_open(next);
	sorter_free(sorter);
	cr_expect_not(is_open(next));
	return is_used;
}

Test(sorter, the_order_counts_as_memory_too)
{
	cr_expect_not(needs_a_file(3200));
	cr_expect(needs_a_file(3199));
	cr_expect(needs_a_file(2400));
	cr_expect(needs_a_file(1));
}
