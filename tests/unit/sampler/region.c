/* Regions: front to back, no wrap, whole records only. */
#include "sampler/region.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct region region;

static int memory(size_t size)
{
	int fd = memfd_create("region", 0);

	cr_assert(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
	return fd;
}

Test(region, records_lie_front_to_back_in_their_part_of_the_file)
{
	int fd = memory(3 * 4096);
	uint64_t words[3 * 512];

	region_init(&region, fd, 4096, 4096);
	cr_assert_eq(region_put(&region, (uint64_t[]){1, 2, 3}, 3, 1), 0);
	cr_assert_eq(region_put(&region, (uint64_t[]){4, 5}, 2, 1), 0);
	cr_assert_eq(region_flush(&region), 0);
	cr_assert_eq(region_put(&region, (uint64_t[]){6}, 1, 1), 0);
	cr_assert_eq(region_flush(&region), 0);
	cr_assert_eq(pread(fd, words, sizeof(words), 0), (ssize_t)sizeof(words));
	for (size_t i = 0; i < 3 * 512; i++)
		cr_assert_eq(words[i], i >= 512 && i < 518 ? i - 511 : 0, "word %zu", i);
	close(fd);
}

Test(region, a_record_that_does_not_fit_ends_the_region_and_a_smaller_one_is_not_taken)
{
	int fd = memory(64);
	uint64_t words[8];

	region_init(&region, fd, 0, 64);
	cr_assert_eq(region_put(&region, (uint64_t[]){1, 1, 1, 1, 1, 1}, 6, 1), 0);
	cr_assert_eq(region_put(&region, (uint64_t[]){2, 2, 2}, 3, 1), -ENOSPC);
	cr_assert_eq(region_put(&region, (uint64_t[]){3}, 1, 1), -ENOSPC);
	cr_assert_eq(region_flush(&region), 0);
	cr_assert_eq(pread(fd, words, sizeof(words), 0), 64);
	cr_assert_eq(words[5], 1);
	cr_assert_eq(words[6] | words[7], 0, "the rest stays zero");
	close(fd);
}

Test(region, a_record_that_fits_exactly_is_taken)
{
	int fd = memory(16);

	region_init(&region, fd, 0, 16);
	cr_assert_eq(region_put(&region, (uint64_t[]){1, 2}, 2, 1), 0);
	cr_assert_not(region.is_full);
	cr_assert_eq(region_put(&region, (uint64_t[]){3}, 1, 1), -ENOSPC);
	cr_assert(region.is_full);
	close(fd);
}

Test(region, more_than_a_batch_is_written_in_order)
{
	int fd = memory(1 << 20);
	uint64_t record[7], read_back[7];

	region_init(&region, fd, 0, 1 << 20);
	for (uint64_t i = 0; i < 10000; i++) {
		for (size_t word = 0; word < 7; word++)
			record[word] = i * 7 + word;
		cr_assert_eq(region_put(&region, record, 7, 1), 0);
	}
	cr_assert_eq(region_flush(&region), 0);
	for (uint64_t i = 0; i < 10000; i++) {
		cr_assert_eq(
			pread(fd, read_back, sizeof(read_back), (off_t)(i * sizeof(read_back))),
			(ssize_t)sizeof(read_back));
		cr_assert_eq(read_back[0], i * 7);
		cr_assert_eq(read_back[6], i * 7 + 6);
	}
	close(fd);
}

Test(region, a_failing_write_ends_the_region_where_it_began)
{
	region_init(&region, -1, 0, 4096);
	cr_assert_eq(region_put(&region, (uint64_t[]){1, 2}, 2, 1), 0);
	cr_assert_eq(region_flush(&region), -EBADF);
	cr_assert(region.is_full);
	cr_assert_eq(region.end, 0);
	cr_assert_eq(region_put(&region, (uint64_t[]){1}, 1, 1), -ENOSPC);
}

Test(region, records_that_could_not_be_written_are_counted_as_lost)
{
	int fd = memfd_create("region", MFD_CLOEXEC);

	region_init(&region, fd, 0, 4096);
	for (uint64_t i = 0; i < 3; i++)
		cr_assert_eq(region_put(&region, (uint64_t[]){i}, 1, i < 2 ? 1 : 0), 0);
	cr_assert_eq(region.written_of[0], 0, "they wait");
	cr_assert_eq(region_flush(&region), 0);
	cr_assert_eq(region.written_of[0], 2);
	cr_assert_eq(region_put(&region, (uint64_t[]){4}, 1, 1 | 1 << 3), 0);
	cr_assert_eq(region_put(&region, (uint64_t[]){5}, 1, 1), 0);
	cr_assert_eq(region_put(&region, (uint64_t[]){6}, 1, 0), 0);
	close(fd);
	cr_assert_lt(region_flush(&region), 0);
	cr_assert_eq(region.lost, 2, "of the first kind");
	cr_assert_lt(region_put(&region, (uint64_t[]){7}, 1, 1), 0);
	cr_assert_eq(region.lost, 3, "and what is refused");
	cr_assert_eq(region.written_of[0], 2);
	cr_assert_eq(region.written_of[3] + region.waiting_of[3] + region.waiting_of[0], 0);
}
