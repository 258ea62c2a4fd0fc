/* log.xml and map.xml while they grow. */
#include "libcollector/write/log.h"
#include "tests/unit/refused.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(log, .init = scratch_open, .fini = scratch_remove);

static int append(enum col_xml which, const char *element)
{
	char buffer[8192];
	struct xml_text text = XML_TEXT(buffer);

	xml_put(&text, element);
	return col_xml_append(which, &text);
}

/* The content of a file without the blanks at its end. */
static char *read_file(const char *name)
{
	size_t len;
	char *text = scratch_read(name, &len);

	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' '))
		text[--len] = '\0';
	return text;
}

static void is_file(const char *name, const char *expected)
{
	char *text = read_file(name);

	cr_assert_str_eq(text, expected);
	free(text);
}

Test(log, elements_stand_before_the_end)
{
	cr_assert_eq(append(COL_MAP, " <one a=\"1\"/>\n"), 0);
	is_file("map.xml", "<map>\n <one a=\"1\"/>\n</map>");
	cr_assert_eq(append(COL_MAP, " <two/>\n"), 0);
	cr_assert_eq(append(COL_LOG, " <three/>\n"), 0);
	is_file("map.xml", "<map>\n <one a=\"1\"/>\n <two/>\n</map>");
	is_file("log.xml", "<experiment>\n <three/>\n</experiment>");
	cr_assert_eq(atomic_load(&col.count.lost_log), 0);
}

/* Beyond the pages that are searched for the end. */
Test(log, a_long_file_is_opened_again_at_its_end)
{
	char element[128];

	for (int i = 0; i < 200; i++) {
		snprintf(element, sizeof(element), " <e number=\"%d\" fill=\"%064d\"/>\n", i, 0);
		cr_assert_eq(append(COL_MAP, element), 0);
	}
	col_log_forget();
	cr_assert_eq(col_xml_open(COL_MAP), 0);
	cr_assert_eq(append(COL_MAP, " <last-one/>\n"), 0);
	cr_assert_eq(scratch_count("map.xml", "<e number="), 200);
	cr_assert_eq(scratch_count("map.xml", " <last-one/>\n</map>"), 1);
	cr_assert_eq(scratch_count("map.xml", "</map>"), 1);
}

Test(log, what_is_no_such_file_is_not_opened)
{
	int fd = openat(col_directory_get(), "map.xml", O_WRONLY | O_TRUNC);

	cr_assert_eq(write(fd, "<map>\n", 6), 6);
	close(fd);
	cr_assert_eq(col_xml_open(COL_MAP), -ENODATA);
	unlinkat(col_directory_get(), "map.xml", 0);
	cr_assert_eq(col_xml_open(COL_MAP), -ENOENT);
	cr_assert_eq(symlinkat("log.xml", col_directory_get(), "map.xml"), 0);
	cr_assert_eq(col_xml_open(COL_MAP), -ELOOP);
}

Test(log, what_is_too_long_is_lost_and_nothing_else)
{
	char element[XML_ELEMENT_MAX + 2];
	char small[16];
	struct xml_text cut = XML_TEXT(small);

	memset(element, ' ', sizeof(element));
	element[XML_ELEMENT_MAX + 1] = '\0';
	memcpy(element, " <a/>", 5);
	element[XML_ELEMENT_MAX] = '\n';
	cr_assert_eq(append(COL_MAP, element), -E2BIG);
	cr_assert_eq(atomic_load(&col.count.lost_log), 1);
	xml_put(&cut, " <more-than-there-is-room-for/>\n");
	cr_assert_eq(col_xml_append(COL_MAP, &cut), -E2BIG);
	cr_assert_eq(append(COL_MAP, " <b/>\n   "), 0);
	is_file("map.xml", "<map>\n <b/>\n   </map>");
}

/* EFBIG, without a signal. */
Test(log, the_first_failure_ends_the_file)
{
	struct rlimit limit = {100, RLIM_INFINITY};

	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(append(COL_MAP, " <one-of-them/>\n"), -EFBIG);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(append(COL_MAP, " <another-one/>\n"), -EIO);
	cr_assert_eq(atomic_load(&col.count.lost_log), 2);
	is_file("map.xml", "<map>\n</map>");
	cr_assert_eq(append(COL_LOG, " <of-the-other/>\n"), 0);
}

/* ---- a thread that ends while it writes */

static void *end_while_writing(void *is_filtered)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};

	if (SYS5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    SYS3(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return NULL;
	*(atomic_int *)is_filtered = 1;
	append(COL_MAP, " <its-own/>\n");
	return NULL;
}

/* A sandbox ends the thread. Then no other one can write to this file. */
Test(log, what_cannot_be_written_behind_a_thread_that_is_gone_is_counted, .timeout = 60)
{
	atomic_int is_filtered = 0;
	char element[1024];
	pthread_t thread;
	unsigned lost = 0;

	pthread_create(&thread, NULL, end_while_writing, &is_filtered);
	pthread_join(thread, NULL);
	if (!is_filtered)
		cr_skip_test("no system call filters here");
	/* Short ones wait for the thread, as far as there is room; long ones do not. */
	for (int i = 0; i < 100; i++) {
		int error = append(COL_MAP, " <short/>\n");

		cr_assert(error == 0 || error == -EBUSY);
		lost += error != 0;
		cr_assert_eq(atomic_load(&col.count.lost_log), lost);
	}
	cr_assert(lost > 0 && lost < 100, "%u", lost);
	snprintf(element, sizeof(element), " <e fill=\"%0900d\"/>\n", 0);
	cr_assert_eq(append(COL_MAP, element), -EBUSY);
	cr_assert_eq(atomic_load(&col.count.lost_log), lost + 1);
	is_file("map.xml", "<map>\n</map>");
	cr_assert_eq(append(COL_LOG, " <of-the-other/>\n"), 0);
	cr_assert_eq(atomic_load(&col.count.lost_log), lost + 1);
}

/* ---- events */

Test(log, events_have_their_kind_and_time)
{
	uint64_t before = col_ticks(), time;
	char *text, *at;

	col_log_loss("profile", -ENOSPC);
	text = read_file("log.xml");
	at = strstr(text, " <event kind=\"loss\" time=\"");
	cr_assert_not_null(at);
	time = strtoull(at + strlen(" <event kind=\"loss\" time=\""), &at, 10);
	cr_assert(time >= before && time <= col_ticks());
	cr_assert_str_eq(at, "\" stream=\"profile\" errno=\"28\"/>\n</experiment>");
	free(text);
	col_log_loss_reason("usertrace", "full");
	col_log_warning("a < b");
	cr_assert_eq(scratch_count("log.xml", "\" stream=\"usertrace\" reason=\"full\"/>\n"), 1);
	cr_assert_eq(scratch_count("log.xml", " <event kind=\"warning\" time=\""), 1);
	cr_assert_eq(scratch_count("log.xml", "\" text=\"a &lt; b\"/>\n</experiment>"), 1);
}

/* ---- the lock that shows that the process is alive */

/* Does a process that opens the file see a lock? */
static int is_locked(const char *name)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = openat(col_directory_get(), name, O_RDWR);

	cr_assert_eq(fcntl(fd, F_OFD_GETLK, &lock), 0);
	close(fd);
	return lock.l_type != F_UNLCK;
}

/* As a program that closes all descriptors that it does not know. */
static void close_all(void)
{
	close_range(100, 10000, 0);
}

Test(log, the_log_is_locked_as_long_as_the_process_lives)
{
	cr_assert(is_locked("log.xml"));
	cr_assert(!is_locked("map.xml"));
	col_log_let_go();
	cr_assert(!is_locked("log.xml"));
}

/* Open files until none can be opened. */
static void take_all(void)
{
	for (int i = 0; i < 1000 && open("/dev/null", O_RDONLY) >= 0; i++)
		continue;
	cr_assert_eq(open("/dev/null", O_RDONLY), -1);
}

Test(log, where_descriptors_are_few_none_is_held_but_the_lock_stays, .init = needs_no_filters)
{
	const struct rlimit few = {48, 48};
	int first = open("/dev/null", O_RDONLY);

	close_all();
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	cr_assert_eq(append(COL_LOG, " <one/>\n"), 0);
	take_all();
	for (int fd = first; fd < 48; fd++) {
		char path[40], file[100] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		cr_expect_gt(readlink(path, file, sizeof(file) - 1), 0);
		cr_expect_null(strstr(file, "log.xml"));
	}
	cr_assert_eq(append(COL_LOG, " <two/>\n"), 0);
	cr_assert_eq(open("/dev/null", O_RDONLY), -1, "the program's table is as it was");
	close_range(40, 47, 0);
	is_file("log.xml", "<experiment>\n <one/>\n <two/>\n</experiment>");
	cr_assert(is_locked("log.xml"));
	cr_assert_not(col_log_is_deleted());
	col_log_let_go();
	cr_assert(!is_locked("log.xml"));
}

Test(log, the_lock_is_taken_again_when_the_program_closes_the_file)
{
	close_all();
	cr_assert(!is_locked("log.xml"));
	cr_assert_eq(append(COL_LOG, " <after-the-close/>\n"), 0);
	cr_assert(is_locked("log.xml"));
	close_all();
	col_log_keep_alive();
	cr_assert(is_locked("log.xml"));
	close_all();
	atomic_store(&col.is_unsettled, 1);
	col_log_keep_alive();
	cr_assert(!is_locked("log.xml"), "a child without a directory has none");
	cr_assert_eq(scratch_count("log.xml", "after-the-close"), 1);
}

/* ---- memory for long elements */

static int is_blocked(int signal)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, signal);
}

Test(log, six_texts_may_be_borrowed_without_signals)
{
	char *texts[7];

	for (int i = 0; i < 6; i++) {
		texts[i] = col_text_borrow();
		cr_assert_not_null(texts[i]);
		memset(texts[i], 'a' + i, COL_TEXT_SIZE);
		cr_assert(is_blocked(SIGUSR1));
	}
	for (int i = 0; i < 6; i++)
		cr_assert(texts[i][0] == 'a' + i && texts[i][COL_TEXT_SIZE - 1] == 'a' + i);
	cr_assert_null(col_text_borrow());
	for (int i = 5; i >= 0; i--) {
		cr_assert(is_blocked(SIGUSR1));
		col_text_return(texts[i]);
	}
	cr_assert(!is_blocked(SIGUSR1));
	texts[6] = col_text_borrow();
	cr_assert_eq(texts[6], texts[0]);
	col_text_return(texts[6]);
	cr_assert(!is_blocked(SIGUSR1));
}

Test(log, a_forked_child_has_all_texts_again)
{
	for (int i = 0; i < 6; i++)
		col_text_borrow();
	col_log_forget();
	cr_assert_not_null(col_text_borrow());
}

static atomic_int is_over;

/* A program that puts its own file at all numbers that it may have. */
static void *replace_all(void *victim)
{
	while (!atomic_load(&is_over))
		for (int number = 900; number < 1024; number++)
			dup2(*(int *)victim, number);
	return NULL;
}

/* Elements are written while another thread does that. Returns the size of its file. */
static int size_of_victim(void)
{
	enum { ELEMENTS = 3000 };
	struct stat status;
	int victim = memfd_create("victim", 0);
	pthread_t thread;

	col_log_expect_threads();
	pthread_create(&thread, NULL, replace_all, &victim);
	for (int i = 0; i < ELEMENTS; i++)
		append(COL_MAP, " <element/>\n");
	atomic_store(&is_over, 1);
	pthread_join(thread, NULL);
	return fstat(victim, &status) < 0 ? -1 : (int)status.st_size;
}

/* In a child, which has one thread at first: the test's process has another one. */
Test(log, a_thread_that_replaces_descriptors_does_not_get_elements_into_its_file)
{
	struct rlimit limit;
	int status;
	pid_t child;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_assert_gt(limit.rlim_max, 1024);
	limit.rlim_cur = 1024;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	child = fork();
	if (child == 0)
		_exit(size_of_victim() != 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	cr_assert_eq(scratch_count("map.xml", "<element/>"), 3000);
}
