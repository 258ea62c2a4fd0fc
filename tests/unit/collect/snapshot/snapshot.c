/* What a snapshot has, and what it says, of a process that is made up here: it holds the lock of
 * its log, and does nothing else. */
#include "collect/snapshot/snapshot.h"
#include "collect/snapshot/snapshot_copy.h"
#include "tests/unit/capture.h"
#include "tests/unit/collect/scratch.h"

#include "format/layout.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROFILE_BYTES = 1550000, NS = 1000000000 };

static char here[PATH_MAX];
static pid_t process;
static struct request request;
static struct cause cause;
static struct clock_source clock_source;

static void put(const char *path, const char *text)
{
	scratch_put(path, text, strlen(text), 0600);
}

static uint64_t raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
}

/* The log of a process that began 5 s ago. */
static char *log_of(pid_t pid)
{
	static char text[512];

	snprintf(
		text, sizeof(text),
		"<experiment version=\"1.1\">\n<process pid=\"%d\" ppid=\"1\"/>\n<clock source=\"monotonic\" hz=\"1000000000\" ticks=\"%llu\"/>\n" FMT_LOG_CLOSE,
		(int)pid, (unsigned long long)(raw_ns() - 5 * (uint64_t)NS));
	return text;
}

static void put_tree(void)
{
	char *profile = malloc(PROFILE_BYTES + 1);

	memset(profile, 'p', PROFILE_BYTES);
	profile[PROFILE_BYTES] = '\0';
	put("a.er/log.xml", log_of(process));
	put("a.er/profile", profile);
	put("a.er/frameinfo", "frames");
	put("a.er/map.xml", "<map>\n</map>\n");
	put("a.er/dyntext", "text");
	put("a.er/notes", "first note\n");
	put("a.er/.account", "hidden");
	mkdir("a.er/archives", 0700);
	put("a.er/archives/code", "code");
	mkdir("a.er/sampler", 0700);
	put("a.er/sampler/cpu0.fxt", "fxt");
	mkdir("a.er/sampler/deeper", 0700);
	put("a.er/sampler/deeper/file", "no");
	cr_assert_eq(symlink("profile", "a.er/link"), 0);
	mkdir("a.er/_f1.er", 0700);
	put("a.er/_f1.er/log.xml", log_of(1));
	put("a.er/_f1.er/heaptrace", "heap");
	put("a.er/_f1.er/map.xml", "<map>\n</map>\n");
	mkdir("a.er/_f2.er", 0700); /* it is about to begin */
	put("a.er/_f2.er/heaptrace", "early");
	free(profile);
}

/* The process holds the lock before the rest is there. */
static void enter(void)
{
	int ready[2], go[2];
	char byte;

	scratch_enter();
	cr_assert_not_null(getcwd(here, sizeof(here)));
	cr_assert_eq(mkdir("a.er", 0700), 0);
	cr_assert_eq(pipe(ready), 0);
	cr_assert_eq(pipe(go), 0);
	process = fork();
	if (process == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		int fd;

		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		fd = open("a.er/log.xml", O_RDWR);
		fcntl(fd, F_OFD_SETLK, &lock);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		sleep(60);
		_exit(0);
	}
	put_tree();
	cr_assert_eq(write(go[1], "x", 1), 1);
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	request = (struct request){.action = OPTIONS_SNAPSHOT,
	                           .snapshot = process,
	                           .output = "s.er",
	                           .archive = "off"};
	clock_begin(&clock_source);
}

static void leave(void)
{
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
	scratch_leave();
}

TestSuite(snapshot, .init = enter, .fini = leave, .timeout = 60);

static const char *text_of(const char *path)
{
	static char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	text[len < 0 ? 0 : len] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

static int make(char **said)
{
	static const struct installation installation;
	struct capture err;
	int status;

	capture_begin(&err, stderr);
	status = snapshot_make(&installation, &request, &clock_source, &cause);
	*said = capture_end(&err);
	return status;
}

/* The log of the copy is that of the original with one event more. Returns its time. */
static uint64_t check_log(const char *name, pid_t pid, int is_live)
{
	char path[64], original[4096], expected[8192];
	unsigned long long ticks = 0, real_ns = 0;
	const char *copy, *event;
	size_t kept;

	snprintf(path, sizeof(path), "a.er/%s", name);
	strcpy(original, text_of(path));
	kept = strlen(original) - strlen(FMT_LOG_CLOSE);
	snprintf(path, sizeof(path), "s.er/%s", name);
	copy = text_of(path);
	event = strstr(copy, " <event kind=\"snapshot\"");
	cr_assert_not_null(event, "%s", copy);
	cr_assert_eq(sscanf(event, " <event kind=\"snapshot\" time=\"%llu\" real_ns=\"%llu\"",
	                    &ticks, &real_ns),
	             2);
	snprintf(
		expected, sizeof(expected),
		"%.*s <event kind=\"snapshot\" time=\"%llu\" real_ns=\"%llu\" pid=\"%d\" running=\"%d\" of=\"%s/a.er\"/>\n" FMT_LOG_CLOSE,
		(int)kept, original, ticks, real_ns, (int)pid, is_live, here);
	cr_expect_str_eq(copy, expected);
	cr_expect_leq(real_ns / NS, (unsigned long long)time(NULL));
	cr_expect_geq(real_ns / NS + 60, (unsigned long long)time(NULL));
	return ticks;
}

Test(snapshot, a_tree_is_copied_as_it_was_at_one_moment)
{
	uint64_t before = raw_ns(), ticks;
	struct stat st;
	char *said, expected[3 * PATH_MAX], notes[2 * PATH_MAX];
	double seconds = 0;

	request.comments[0] = "a\ncomment";
	request.comments[1] = "another";
	request.comment_count = 2;
	cr_assert_eq(make(&said), 0, "%s", cause.text);
	ticks = check_log("log.xml", process, 1);
	cr_expect_geq(ticks, before);
	cr_expect_leq(ticks, raw_ns());
	cr_expect_eq(check_log("_f1.er/log.xml", process, 0), ticks);
	cr_expect_eq(stat("s.er/profile", &st), 0);
	cr_expect_eq(st.st_size, PROFILE_BYTES);
	cr_expect_str_eq(text_of("s.er/frameinfo"), "frames");
	cr_expect_str_eq(text_of("s.er/map.xml"), "<map>\n</map>\n");
	cr_expect_str_eq(text_of("s.er/dyntext"), "text");
	cr_expect_str_eq(text_of("s.er/archives/code"), "code");
	cr_expect_str_eq(text_of("s.er/sampler/cpu0.fxt"), "fxt");
	cr_expect_str_eq(text_of("s.er/_f1.er/heaptrace"), "heap");
	cr_expect_str_eq(text_of("s.er/_f1.er/map.xml"), "<map>\n</map>\n");
	cr_expect_neq(access("s.er/.account", F_OK), 0);
	cr_expect_neq(access("s.er/link", F_OK), 0);
	cr_expect_neq(access("s.er/sampler/deeper", F_OK), 0);
	cr_expect_neq(access("s.er/_f2.er/heaptrace", F_OK), 0, "it had no log");
	snprintf(notes, sizeof(notes),
	         "first note\na comment\nanother\nSnapshot of %s/a.er for process %d, ", here,
	         (int)process);
	cr_expect_eq(strncmp(text_of("s.er/notes"), notes, strlen(notes)), 0, "%s",
	             text_of("s.er/notes"));
	cr_assert_eq(sscanf(strstr(said, " as it was at "), " as it was at %lf s", &seconds), 1);
	cr_expect(seconds >= 5 && seconds < 60, "%s", said);
	snprintf(
		expected, sizeof(expected),
		"s.er: process %d in %s/a.er as it was at %.3f s, 1.6 MB. Read it: xer_print -overview s.er\n",
		(int)process, here, seconds);
	cr_expect_str_eq(said, expected);
	free(said);
}

Test(snapshot, without_comments_the_notes_say_what_it_is)
{
	char notes[2 * PATH_MAX], *said, *at;
	struct tm parts;
	time_t now;

	cr_assert_eq(unlink("a.er/notes"), 0);
	cr_assert_eq(make(&said), 0, "%s", cause.text);
	free(said);
	snprintf(notes, sizeof(notes), "Snapshot of %s/a.er for process %d, ", here, (int)process);
	cr_assert_eq(strncmp(text_of("s.er/notes"), notes, strlen(notes)), 0);
	at = strptime(text_of("s.er/notes") + strlen(notes), "%Y-%m-%d %H:%M:%S UTC\n", &parts);
	cr_assert_not_null(at);
	cr_expect_str_eq(at, "");
	parts.tm_isdst = 0;
	now = timegm(&parts);
	cr_expect(now <= time(NULL) && now > time(NULL) - 60);
}

Test(snapshot, a_dry_run_copies_nothing)
{
	char expected[2 * PATH_MAX], *out, *said;
	struct capture capture;

	request.dry_run = 1;
	capture_begin(&capture, stdout);
	cr_assert_eq(make(&said), 0, "%s", cause.text);
	fflush(stdout);
	out = capture_end(&capture);
	snprintf(expected, sizeof(expected), "s.er: a snapshot of %s/a.er\n", here);
	cr_expect_str_eq(out, expected);
	cr_expect_str_eq(said, "");
	cr_expect_neq(access("s.er", F_OK), 0);
	free(out);
	free(said);
}

Test(snapshot, a_signal_leaves_nothing)
{
	char *said;

	snapshot_is_interrupted = 1;
	cr_assert_eq(make(&said), CAUSE_FAILED);
	cr_expect_str_eq(cause.text, "interrupted: there is no snapshot");
	cr_expect_neq(access("s.er", F_OK), 0);
	cr_expect_str_eq(said, "");
	free(said);
}

Test(snapshot, what_cannot_be_copied_is_told_and_leaves_nothing)
{
	char expected[2 * PATH_MAX], *said;
	struct sigaction action;

	cr_assert_eq(truncate("a.er/log.xml", (off_t)strlen(log_of(process)) - 3), 0);
	cr_assert_eq(make(&said), CAUSE_FAILED);
	snprintf(expected, sizeof(expected), "cannot copy %s/a.er to s.er: %s", here,
	         strerror(EBADMSG));
	cr_expect_str_eq(cause.text, expected);
	cr_expect_neq(access("s.er", F_OK), 0);
	free(said);
	/* A limit of file sizes is an error like others; signals end it. */
	cr_assert_eq(sigaction(SIGXFSZ, NULL, &action), 0);
	cr_expect_eq(action.sa_handler, SIG_IGN);
	for (size_t i = 0; i < 3; i++) {
		cr_expect_not(snapshot_is_interrupted);
		raise(((const int[]){SIGINT, SIGTERM, SIGHUP})[i]);
		cr_expect(snapshot_is_interrupted);
		snapshot_is_interrupted = 0;
	}
}

Test(snapshot, who_is_not_recorded_has_none)
{
	char *said;

	request.snapshot = getpid();
	cr_expect_eq(make(&said), CAUSE_FAILED);
	cr_expect_neq(access("s.er", F_OK), 0);
	free(said);
}

/* ---- one log */

static int log_text(const char *text, char **out, uint64_t *len)
{
	const struct snapshot_event event = {.ticks = 7, .real_ns = 8, .pid = 9, .of = "/x/<a>.er"};
	int fd, status;

	mkdir("b.er", 0700);
	if (text)
		put("b.er/log.xml", text);
	fd = open("b.er", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	status = snapshot_log(fd, &event, out, len);
	close(fd);
	return status;
}

Test(snapshot, a_log_ends_with_the_event)
{
	uint64_t len;
	char *text;

	cr_expect_eq(log_text(NULL, &text, &len), -ENOENT);
	cr_expect_eq(log_text("<experiment>\n", &text, &len), -EBADMSG);
	cr_expect_eq(log_text("<experiment>\n" FMT_LOG_CLOSE, &text, &len), 0);
	cr_expect_str_eq(
		text,
		"<experiment>\n <event kind=\"snapshot\" time=\"7\" real_ns=\"8\" pid=\"9\" running=\"0\" of=\"/x/&lt;a&gt;.er\"/>\n" FMT_LOG_CLOSE);
	cr_expect_eq(len, strlen(text));
	free(text);
}
