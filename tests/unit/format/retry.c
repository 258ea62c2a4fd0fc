/* Tests of format/retry.h: which calls are repeated, and how often. */
#include "format/retry.h"

#include <criterion/criterion.h>

Test(retry, a_call_that_was_interrupted_is_repeated)
{
	unsigned tries = 0;

	errno = EINTR;
	cr_expect(retry_call(-1, &tries));
	cr_expect_eq(tries, 1);
	cr_expect(!retry_call(0, &tries), "it has read nothing");
	cr_expect(!retry_call(5, &tries));
	errno = EIO;
	cr_expect(!retry_call(-1, &tries));
	cr_expect_eq(tries, 1);
	cr_expect_eq(errno, EIO);
}

Test(retry, not_forever)
{
	unsigned tries = 0, repeated = 0;

	errno = EINTR;
	while (retry_call(-1, &tries))
		cr_assert_lt(++repeated, RETRIES);
	cr_expect_eq(repeated, RETRIES - 1);
}

Test(retry, without_descriptors_it_may_succeed_later)
{
	cr_expect(retry_later(-EMFILE));
	cr_expect(retry_later(-ENFILE));
	cr_expect(!retry_later(-ENOENT));
	cr_expect(!retry_later(0));
}
