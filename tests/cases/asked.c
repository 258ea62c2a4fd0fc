/* asked.c: cases of calls that must be refused, with which programs find out what exists. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void say_refused(const char *what, long result)
{
	say("%s %ld %d\n", what, result, errno);
}

/* Pointers at both ends of the address space. */
int case_asked_by_wrong_pointers(void)
{
	static const unsigned long wrong[] = {0, 8, -1ul, -64ul};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		say_refused("clone3", syscall(SYS_clone3, wrong[i], 88));
		say_refused("clone3, no size", syscall(SYS_clone3, wrong[i], 0));
		say_refused("seccomp", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, wrong[i]));
		say_refused("prctl", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, wrong[i]));
	}
	mark();
	return 0;
}

int case_asked_for_nothing(void)
{
	const char *volatile nothing = NULL;
	char **volatile none = NULL;
	char *arguments[] = {(char *)"cases", NULL};
	FILE *shell = popen(nothing, "r");

	if (shell)
		say("shell %d\n", WEXITSTATUS(pclose(shell)));
	say_refused("popen", popen("true", "no mode") != NULL);
	say_refused("fexecve", fexecve(open(case_self, O_RDONLY), arguments, none));
	mark();
	return 0;
}
