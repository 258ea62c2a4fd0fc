/* leaks.c: in a build with AddressSanitizer, a unit test that leaks fails. A test's process does
 * not end by itself but in Criterion's code, where the test runner still has memory of its own; so
 * leaks of a test are looked for where its function returns. Linked into every unit program with
 * --wrap.
 *
 * In any build, memory from malloc is filled with a pattern, and so is freed memory: a test that
 * relies on zeros or on freed data fails. No signal is ignored, although shells ignore SIGINT for
 * background programs, and nohup ignores SIGHUP. And descriptors 0 to 2 are open: else Criterion
 * would get them, and tests that put something else there would take its own away. A test begins
 * without a standard input, as programs may: so the first file that it opens has the descriptor 0,
 * which "fd > 0" would take for none. Those that need an input open one (input.h). */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

void __real_criterion_internal_test_setup(void);
void __wrap_criterion_internal_test_setup(void);
void __real_criterion_internal_test_main(void (*test)(void));
void __wrap_criterion_internal_test_main(void (*test)(void));

static void open_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Memory that is allocated outside of tests is no leak. */
__attribute__((constructor)) static void begin(void)
{
	open_standard();
	mallopt(M_PERTURB, 0xa5);
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			signal(number, SIG_DFL);
	}
	if (__lsan_disable)
		__lsan_disable();
}

static void (*the_test)(void *);

/* The test's parameter, if it has one, is passed on. */
static void run(void *parameter)
{
	if (__lsan_enable)
		__lsan_enable();
	the_test(parameter);
	if (__lsan_disable)
		__lsan_disable();
	if (__lsan_do_recoverable_leak_check)
		cr_assert_not(__lsan_do_recoverable_leak_check(),
		              "the test leaks memory: see the report of LeakSanitizer");
}

void __wrap_criterion_internal_test_setup(void)
{
	close(STDIN_FILENO);
	__real_criterion_internal_test_setup();
}

void __wrap_criterion_internal_test_main(void (*test)(void))
{
	the_test = (void (*)(void *))test;
	__real_criterion_internal_test_main((void (*)(void))run);
}
