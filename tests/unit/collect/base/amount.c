/* Numbers and switches in the values of options. */
#include "collect/base/amount.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static void reads(const char *text, double unit, int status, uint64_t expected, const char *rest)
{
	const char *at = text;
	uint64_t value = 4711;

	cr_assert_eq(amount_read(&at, unit, &value), status, "%s", text);
	cr_assert_str_eq(at, rest, "%s", text);
	cr_assert_eq(value, status == 0 ? expected : 4711, "%s: %lu", text, value);
}

Test(amount, numbers_and_fractions)
{
	reads("0", 1, 0, 0, "");
	reads("12", 1, 0, 12, "");
	reads("12ms", 1000, 0, 12000, "ms");
	reads("1.5s", 1000, 0, 1500, "s");
	reads("0.0004", 1000, 0, 0, "");
	reads("0.0005", 1000, 0, 1, "");
	reads("2.4", 1, 0, 2, "");
	reads("2.5", 1, 0, 3, "");
	reads("3,4", 1, 0, 3, ",4");
	reads("7.", 1, 0, 7, "");
}

Test(amount, what_is_no_number)
{
	static const char *const none[] = {"", "x", "-1", "+1", " 1", ".5", "1.2.3", "0x10", "1e3"};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		reads(none[i], 1, -EINVAL, 0, none[i]);
}

Test(amount, the_largest)
{
	reads("1000000000000000", 1, 0, UINT64_C(1000000000000000), "");
	reads("1000000000001000", 1, -ERANGE, 0, "");
	reads("1000000000000s", 1000, 0, UINT64_C(1000000000000000), "s");
	reads("1000000000001s", 1000, -ERANGE, 0, "s");
}

Test(amount, switches)
{
	int on = 4711;

	cr_assert_eq(amount_switch("on", &on), 0);
	cr_assert_eq(on, 1);
	cr_assert_eq(amount_switch("off", &on), 0);
	cr_assert_eq(on, 0);
	on = 4711;
	cr_assert_eq(amount_switch("", &on), -EINVAL);
	cr_assert_eq(amount_switch("ON", &on), -EINVAL);
	cr_assert_eq(amount_switch("offf", &on), -EINVAL);
	cr_assert_eq(on, 4711);
}
