/* Names of signals. */
#include "collect/base/signalname.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

static int parse(const char *text)
{
	int signal = 0, status = signalname_parse(text, (unsigned)strlen(text), &signal);

	return status == 0 ? signal : status;
}

Test(signalname, names_and_numbers_are_read)
{
	cr_assert_eq(parse("USR1"), SIGUSR1);
	cr_assert_eq(parse("SIGUSR2"), SIGUSR2);
	cr_assert_eq(parse("10"), 10);
	cr_assert_eq(parse("WINCH"), SIGWINCH);
	cr_assert_eq(parse("RTMIN"), SIGRTMIN);
	cr_assert_eq(parse("RTMIN+3"), SIGRTMIN + 3);
	cr_assert_eq(parse("SIGRTMAX-1"), SIGRTMAX - 1);
}

Test(signalname, the_length_counts)
{
	int signal = 0;

	cr_assert_eq(signalname_parse("USR1,r", 4, &signal), 0);
	cr_assert_eq(signal, SIGUSR1);
}

Test(signalname, what_cannot_control_is_refused)
{
	static const char *const bad[] = {"",
	                                  "0",
	                                  "-1",
	                                  "65",
	                                  "999999999999",
	                                  "KILL",
	                                  "STOP",
	                                  "SEGV",
	                                  "USR3",
	                                  "usr1",
	                                  "10x",
	                                  "RTMIN-1",
	                                  "RTMAX+1",
	                                  "RTMIN+40",
	                                  "RTMAX-3",
	                                  "32",
	                                  "RTMIN+",
	                                  "RTMAX--2",
	                                  "SIGSIGUSR1",
	                                  "a name that is far too long for a signal"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert_eq(parse(bad[i]), -EINVAL, "%s", bad[i]);
}
