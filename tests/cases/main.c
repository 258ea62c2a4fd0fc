/* main.c: the programs of cases.def in one. Usage: cases ID | cases -list
 *
 * The list has a line for each case: ID, guarantee, marks, end, what it does; separated by tabs. */
#include "case.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *id, *guarantee, *marks, *end, *text;
	int (*run)(void);
} cases[] = {
#define CASE(id, guarantee, marks, end, text) {#id, #guarantee, #marks, #end, text, case_##id},
#include "cases.def"
};

char case_self[4096];
static void *volatile kept;

__attribute__((noinline)) void mark(void)
{
	for (int i = 0; i < MARK_BLOCKS; i++)
		kept = malloc(40);
}

void burn(int milliseconds)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		for (int i = 0; i < 1000; i++)
			__asm__ volatile("" ::: "memory");
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
	         milliseconds);
}

void mark_and_leave(int status)
{
	mark();
	_exit(status);
}

void *mark_thread(void *unused)
{
	mark();
	return unused;
}

void mark_handler(int signal)
{
	(void)signal;
	mark();
}

int mark_child(void *unused)
{
	(void)unused;
	mark_and_leave(3);
}

int say_end(pid_t pid)
{
	int status;

	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR) {
			say("no child: %d\n", errno);
			return -1;
		}
	if (WIFEXITED(status))
		say("status %d\n", WEXITSTATUS(status));
	else
		say("signal %d%s\n", WTERMSIG(status), WCOREDUMP(status) ? ", core" : "");
	return 0;
}

void become(const char *id)
{
	execl(case_self, "cases", id, (char *)NULL);
	say("exec: %d\n", errno);
	_exit(9);
}

int main(int argc, char **argv)
{
	ssize_t len = readlink("/proc/self/exe", case_self, sizeof(case_self) - 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 1 && strcmp(argv[1], "-list") == 0)
			printf("%s\t%s\t%s\t%s\t%s\n", cases[i].id, cases[i].guarantee,
			       cases[i].marks, cases[i].end, cases[i].text);
		else if (argc > 1 && len > 0 && strcmp(argv[1], cases[i].id) == 0)
			return cases[i].run();
	}
	return argc > 1 && strcmp(argv[1], "-list") == 0 ? 0 : 2;
}
