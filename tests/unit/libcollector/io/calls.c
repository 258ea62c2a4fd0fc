/* calls.c: see calls.h. */
#include "tests/unit/libcollector/io/calls.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/io/io.h"
#include "libcollector/io/io_record.h"

#include <criterion/criterion.h>

enum { MOST = 256 };

static struct fmt_io records[MOST];
static int seen;

void calls_setup(void)
{
	scratch_open();
	scratch_host(NULL, 0);
	col.is_recorded = 1;
	cr_assert_eq(thread_open(), 0);
	io_start();
	cr_assert(io_is_on());
}

int calls_count(void)
{
	return scratch_records("iotrace", FMT_KIND_io, records, sizeof(records[0]), MOST);
}

const struct fmt_io *calls_next(void)
{
	cr_assert_gt(calls_count(), seen, "nothing was recorded");
	cr_assert_lt(seen, MOST);
	return &records[seen++];
}

void calls_expect(int line, enum fmt_io_func func, int fd, uint64_t bytes, int error)
{
	const struct fmt_io *call = calls_next();

	cr_expect_eq(call->func, func, "line %d: function %u", line, call->func);
	cr_expect_eq(call->fd, (uint32_t)fd, "line %d: descriptor %d", line, (int)call->fd);
	cr_expect_eq(fmt_u48_get(&call->bytes), bytes, "line %d: %llu bytes", line,
	             (unsigned long long)fmt_u48_get(&call->bytes));
	cr_expect_eq(call->error, error, "line %d: error %d", line, call->error);
}

void calls_expect_none(int line)
{
	cr_expect_eq(calls_count(), seen, "line %d: one more was recorded", line);
}
