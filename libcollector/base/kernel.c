/* kernel.c: see kernel.h. */
#include "libcollector/base/kernel.h"

#include "libcollector/base/sys.h"

#include <sys/utsname.h>

enum { MINORS = 1000 };

/* major * MINORS + minor, 0: unknown. */
static int read_version(void)
{
	struct utsname name;
	int version = 0, parts = 0;

	if (SYS1(SYS_uname, &name) < 0)
		return 0;
	for (const char *at = name.release; parts < 2; parts++, at++) {
		int number = 0;

		for (; *at >= '0' && *at <= '9' && number < MINORS; at++)
			number = number * 10 + (*at - '0');
		version = version * MINORS + number;
		if (*at == '\0')
			break;
	}
	return version;
}

int kernel_is_at_least(int major, int minor)
{
	return read_version() >= major * MINORS + minor;
}

/* The directory has a link for each thread, and two of its own. No descriptor is needed for this.
 */
unsigned kernel_thread_count(void)
{
	struct statx status;

	if (SYS5(SYS_statx, AT_FDCWD, "/proc/self/task", 0, STATX_NLINK, &status) < 0)
		return 0;
	return status.stx_nlink > 2 ? status.stx_nlink - 2 : 0;
}

int kernel_sees_one_thread(void)
{
	return kernel_thread_count() == 1;
}
