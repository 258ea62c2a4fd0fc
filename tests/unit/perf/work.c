/* A child of the test is sampled, as the helper does it: checks its files and counts. */
#include "perf/work.h"

#include "format/fxt.h"
#include "format/layout.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_NS = 1000000, MS = 1000000 };

static char path[64];
static int directory = -1;

static void setup(void)
{
	struct ring_settings settings = {.period_ns = PERIOD_NS};
	int fd = ring_event_open(0, -1, &settings);

	if (fd == -EACCES || fd == -EPERM || fd == -ENOSYS)
		cr_skip_test("the kernel does not let this user sample");
	cr_assert_geq(fd, 0);
	close(fd);
	strcpy(path, "/tmp/xer-work-XXXXXX");
	cr_assert(mkdtemp(path) != NULL);
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(directory, 0);
	cr_assert_eq(mkdirat(directory, "files", 0755), 0);
}

static void remove_files(void)
{
	char command[128];

	if (directory < 0)
		return;
	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	cr_assert_eq(system(command), 0);
}

TestSuite(work, .init = setup, .fini = remove_files, .timeout = 60);

/* Uses CPU time when a byte has arrived, and then ends. */
static pid_t spin(int cpu_ms, int *go)
{
	int fds[2];
	pid_t child;

	cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		struct timespec now;
		char byte;

		alarm(30);
		close(fds[1]);
		if (read(fds[0], &byte, 1) == 1) {
			do
				clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
			while (now.tv_sec * 1000 + now.tv_nsec / MS < cpu_ms);
		}
		_exit(0);
	}
	cr_assert_gt(child, 0);
	close(fds[0]);
	*go = fds[1];
	return child;
}

/* On a busy machine that may take long. */
static void wait_for_cpu_time(pid_t child, int ms)
{
	struct timespec used = {0};
	clockid_t clock;

	cr_assert_eq(clock_getcpuclockid(child, &clock), 0);
	do {
		usleep(10000);
		cr_assert_eq(clock_gettime(clock, &used), 0);
	} while (used.tv_sec * 1000 + used.tv_nsec / MS < ms);
}

static struct work_settings settings_for(pid_t pid)
{
	return (struct work_settings){
		.ring = {.period_ns = PERIOD_NS,
	                 .inherit = 1,
	                 .tell_mappings = 1,
	                 .stack_bytes = 8192},
		.file_bytes = 1 << 20,
		.pid = pid,
		.directory = directory,
		.name = "files",
		.path = path,
		.archiver = "",
		.end = -1,
	};
}

/* The samples of a file, whose other records are checked, too; *ends_full: the last record reports
 * losses. */
static uint64_t samples_of(const char *name, pid_t pid, uint64_t *bytes, int *ends_full)
{
	static uint64_t words[1 << 18];
	char file[64 + 8 + 256];
	uint64_t samples = 0, previous_ns = 0;
	size_t count, at = 0;
	FILE *in;

	snprintf(file, sizeof(file), "%s/files/%s", path, name);
	in = fopen(file, "r");
	cr_assert(in != NULL, "%s", file);
	count = fread(words, 8, sizeof(words) / 8, in);
	*bytes = (uint64_t)ftell(in);
	fclose(in);
	cr_assert_eq(*bytes % 8, 0);
	cr_assert_eq(words[0], FXT_MAGIC);
	*ends_full = 0;
	for (size_t size; at < count; at += size) {
		uint64_t type = words[at] & 15;

		size = words[at] >> 4 & (type == FXT_LARGE ? 0xffffffff : 0xfff);
		cr_assert(size > 0 && size <= count - at, "a whole record");
		*ends_full = type == FXT_TYPE_provider_event && size == 1 && at + 1 == count;
		if (type != FXT_LARGE)
			continue;
		cr_assert_geq(words[at + 2], previous_ns, "in order of time");
		cr_assert_eq(words[at + 3], (uint64_t)pid);
		cr_assert_eq(words[at + 4], (uint64_t)pid);
		cr_assert_eq(words[at + 5], (size - FXT_SAMPLE_HEAD_WORDS) * 8);
		previous_ns = words[at + 2];
		samples++;
	}
	return samples;
}

/* Sums over all files of CPUs. */
static uint64_t samples_in_files(pid_t pid, uint64_t *largest, int *full)
{
	const struct dirent *entry;
	uint64_t sum = 0;
	int fd = openat(directory, "files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fdopendir(fd);

	*largest = 0;
	*full = 0;
	cr_assert(list != NULL);
	while ((entry = readdir(list)) != NULL) {
		uint64_t bytes;
		int ends_full;

		if (strncmp(entry->d_name, "cpu", 3) != 0)
			continue;
		sum += samples_of(entry->d_name, pid, &bytes, &ends_full);
		*largest = bytes > *largest ? bytes : *largest;
		*full += ends_full;
	}
	closedir(list);
	return sum;
}

static int count_files(void)
{
	const struct dirent *entry;
	int count = 0, fd = openat(directory, "files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fdopendir(fd);

	while (list && (entry = readdir(list)) != NULL)
		count += entry->d_name[0] != '.';
	closedir(list);
	return count;
}

Test(work, a_process_is_sampled_to_its_end)
{
	enum { CPU_MS = 300 };
	struct work_counts counts;
	struct work *work;
	uint64_t largest, in_files;
	int go, full, status;
	pid_t child = spin(CPU_MS, &go);
	const struct work_settings settings = settings_for(child);

	cr_assert_eq(work_open(&work, &settings), 0);
	cr_assert_eq(count_files(), 1 + (int)sysconf(_SC_NPROCESSORS_ONLN), "with the map");
	work_enable(work);
	cr_assert_eq(write(go, "", 1), 1);
	work_run(work, &counts);
	work_close(work);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert(counts.cpu_ns > (CPU_MS - 100) * (uint64_t)MS &&
	                  counts.cpu_ns < (CPU_MS + 200) * (uint64_t)MS,
	          "%lu ns", counts.cpu_ns);
	/* A busy machine's timers come late. */
	cr_assert(counts.samples > counts.cpu_ns / PERIOD_NS / 50 &&
	                  counts.samples <= counts.cpu_ns / PERIOD_NS + 20,
	          "%lu samples of %lu ns", counts.samples, counts.cpu_ns);
	cr_assert_lt(counts.one_frame, counts.samples / 2);
	cr_assert_eq(counts.deep_stacks, 0);
	cr_assert_eq(counts.of_archiver, 0);
	cr_assert_eq(counts.no_room, 0);
	cr_assert_eq(counts.no_map, 0);
	cr_assert_eq(counts.ring.lost, 0);
	in_files = samples_in_files(child, &largest, &full);
	cr_assert_eq(in_files, counts.samples);
	cr_assert_eq(full, 0);
}

/* All others run on the same CPUs; one of them all the time. */
Test(work, of_whole_cpus_a_process_has_its_own_samples)
{
	enum { CPU_MS = 300 };
	struct work_counts counts;
	struct work *work;
	uint64_t largest;
	int go, other_go, full, status;
	pid_t other = spin(20000, &other_go), child = spin(CPU_MS, &go);
	struct work_settings settings = settings_for(child);

	settings.per_cpu = 1;
	status = work_open(&work, &settings);
	if (status == 0) {
		cr_assert_eq(write(other_go, "", 1), 1);
		work_enable(work);
		cr_assert_eq(write(go, "", 1), 1);
		work_run(work, &counts);
		work_close(work);
	}
	kill(other, SIGKILL);
	cr_assert_eq(waitpid(other, NULL, 0), other);
	if (status == -EACCES || status == -EPERM)
		cr_skip_test("the kernel does not let this user sample whole CPUs");
	cr_assert_eq(status, 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(counts.cpu_ns > (CPU_MS - 100) * (uint64_t)MS &&
	                  counts.cpu_ns < (CPU_MS + 200) * (uint64_t)MS,
	          "%lu ns", counts.cpu_ns);
	cr_assert(counts.samples > counts.cpu_ns / PERIOD_NS / 50 &&
	                  counts.samples <= counts.cpu_ns / PERIOD_NS * 3 / 2,
	          "%lu samples of %lu ns", counts.samples, counts.cpu_ns);
	/* They are of this process and no other. */
	cr_assert_eq(samples_in_files(child, &largest, &full), counts.samples);
}

Test(work, a_full_file_says_what_is_not_in_it)
{
	enum { BYTES = 8192 };
	struct work_counts counts;
	struct work *work;
	uint64_t largest;
	int go, full;
	pid_t child = spin(600, &go);
	struct work_settings settings = settings_for(child);

	settings.file_bytes = BYTES;
	settings.ring.period_ns = PERIOD_NS / 10;
	cr_assert_eq(work_open(&work, &settings), 0);
	work_enable(work);
	cr_assert_eq(write(go, "", 1), 1);
	work_run(work, &counts);
	work_close(work);
	cr_assert_eq(samples_in_files(child, &largest, &full), counts.samples);
	cr_assert_gt(counts.samples, 0);
	cr_assert_gt(counts.no_room, 0);
	cr_assert_geq(full, 1);
	cr_assert(largest <= BYTES && largest > BYTES - 4096, "%lu bytes", largest);
	waitpid(child, NULL, 0);
}

Test(work, a_byte_ends_it_and_the_process_goes_on)
{
	struct work_counts counts;
	struct work *work;
	int go, ends[2];
	pid_t child = spin(10000, &go);
	struct work_settings settings = settings_for(child);

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	settings.end = ends[0];
	cr_assert_eq(work_open(&work, &settings), 0);
	work_enable(work);
	cr_assert_eq(write(go, "", 1), 1);
	wait_for_cpu_time(child, 100);
	cr_assert_eq(write(ends[1], "", 1), 1);
	work_run(work, &counts);
	work_close(work);
	cr_assert_eq(kill(child, 0), 0);
	cr_assert_eq(waitpid(child, NULL, WNOHANG), 0, "it runs still");
	cr_assert_gt(counts.samples, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* The other side ends without a message: the process is sampled to its end. */
Test(work, an_end_that_is_closed_ends_nothing)
{
	struct work_counts counts;
	struct work *work;
	int go, ends[2];
	pid_t child = spin(200, &go);
	struct work_settings settings = settings_for(child);

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	settings.end = ends[0];
	cr_assert_eq(work_open(&work, &settings), 0);
	work_enable(work);
	close(ends[1]);
	cr_assert_eq(write(go, "", 1), 1);
	work_run(work, &counts);
	work_close(work);
	cr_assert_eq(waitpid(child, NULL, 0), child);
	cr_assert_gt(counts.cpu_ns, (uint64_t)100 * MS);
}

/* The other side says nothing: nobody waits for it. */
Test(work, a_process_ends_it_while_nobody_is_heard)
{
	struct work_counts counts;
	struct work *work;
	int go, ends[2];
	pid_t child = spin(50, &go);
	struct work_settings settings = settings_for(child);

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	settings.end = ends[0];
	cr_assert_eq(work_open(&work, &settings), 0);
	work_enable(work);
	cr_assert_eq(write(go, "", 1), 1);
	work_run(work, &counts);
	work_close(work);
	close(ends[1]);
	cr_assert_eq(waitpid(child, NULL, 0), child);
	cr_assert_gt(counts.cpu_ns, (uint64_t)25 * MS);
}

Test(work, nothing_is_sampled_before_it_is_enabled)
{
	struct work_counts counts;
	struct work *work;
	int go;
	pid_t child = spin(100, &go);
	const struct work_settings settings = settings_for(child);

	cr_assert_eq(work_open(&work, &settings), 0);
	cr_assert_eq(write(go, "", 1), 1);
	work_run(work, &counts);
	work_close(work);
	cr_assert_eq(counts.samples, 0);
	cr_assert_eq(counts.cpu_ns, 0);
	waitpid(child, NULL, 0);
}

Test(work, who_is_not_wanted_leaves_no_files)
{
	struct work *work;
	int go;
	pid_t child = spin(1, &go);
	const struct work_settings settings = settings_for(child);

	cr_assert_eq(work_open(&work, &settings), 0);
	cr_assert_gt(count_files(), 1);
	work_abandon(work);
	cr_assert_eq(count_files(), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

Test(work, what_cannot_be_opened_is_told)
{
	struct work *work;
	int go;
	pid_t child = spin(1, &go);
	struct work_settings settings = settings_for(child);

	settings.name = "nothing";
	cr_assert_eq(work_open(&work, &settings), -ENOENT, "no directory");
	settings.name = "files";
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	cr_assert_eq(work_open(&work, &settings), -ESRCH, "no process");
	cr_assert_eq(count_files(), 0);
	settings.pid = getpid();
	cr_assert_eq(close(openat(directory, "files/cpu0.fxt", O_CREAT | O_WRONLY, 0644)), 0);
	cr_assert_eq(work_open(&work, &settings), -EEXIST, "a file is there already");
}

/* Threads that exist when it begins, and threads that these create. */
Test(work, the_whole_process_is_sampled)
{
	struct work_counts counts;
	struct work *work;
	int go, status;
	pid_t child = spin(150, &go);
	struct work_settings settings = settings_for(child);

	settings.ring.stack_bytes = 0;
	cr_assert_eq(work_open(&work, &settings), 0);
	work_enable(work);
	cr_assert_eq(write(go, "", 1), 1);
	work_run(work, &counts);
	work_close(work);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_gt(counts.samples, 2, "%lu, %lu bad", counts.samples, counts.ring.bad_stacks);
}
