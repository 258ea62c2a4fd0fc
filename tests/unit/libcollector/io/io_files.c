/* Tests of the numbers and names of files. */
#include "tests/unit/libcollector/scratch.h"
#include "tests/unit/refused.h"

#include "libcollector/io/io_files.h"
#include "libcollector/io/io_kinds.h"

#include "format/fdr.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { NAMES = 200, THREADS = 4, TOO_MANY = 40000 };

static struct col_thread thread;

static void open_files(void)
{
	scratch_open();
	cr_assert_eq(io_files_open(), 0);
	atomic_store(&thread.tid, 42);
}

TestSuite(io_files, .init = open_files, .fini = scratch_remove);

static char end_text[200]; /* of the latest name that was found: its own end */

/* The name that the file has for a number, and how many times it is there; NULL if there is none.
 * The caller frees it. */
static char *written(uint32_t number, unsigned *type, unsigned *times)
{
	size_t len;
	uint8_t *bytes = (uint8_t *)scratch_read("iotrace", &len);
	char *name = NULL;

	*times = 0;
	for (size_t at = FDR_HEADER_SIZE; bytes && at < len;) {
		struct fdr_prologue prologue;
		struct fdr_record record;
		size_t done = at + FDR_PROLOGUE_SIZE;

		cr_assert_eq(fdr_prologue_get(bytes + at, &prologue), 0);
		while (fdr_record_get(bytes + done, len - done, &record) > 0 &&
		       record.type == FDR_RECORD_EVENT) {
			struct fmt_io_file file;

			memcpy(&file, record.payload, sizeof(file));
			done += record.size;
			cr_assert_eq(file.kind, FMT_KIND_io_file);
			if (file.file != number)
				continue;
			(*times)++;
			*type = file.type;
			free(name);
			name = strndup((const char *)record.payload + sizeof(file), file.name_size);
			snprintf(end_text, sizeof(end_text), "%.*s", (int)file.end_size,
			         (const char *)record.payload + sizeof(file) + file.name_size);
		}
		at += prologue.extent_left;
	}
	free(bytes);
	return name;
}

static void expect(uint32_t number, const char *name, enum fmt_file_type type)
{
	unsigned found = 99, times;
	char *text = written(number, &found, &times);

	cr_assert(text != NULL, "%u has no name", number);
	cr_assert_str_eq(text, name);
	cr_assert_eq(found, type);
	cr_assert_eq(times, 1);
	free(text);
}

Test(io_files, a_path_has_one_number_and_is_written_once)
{
	uint32_t one = io_file_named(&thread, "/some/where", 1),
		 other = io_file_named(&thread, "/some/wher", 2);

	cr_assert_neq(one, 0);
	cr_assert_eq(one % 16, 0);
	cr_assert_neq(one, other);
	cr_assert_eq(io_file_named(&thread, "/some/where", 3), one);
	expect(one, "/some/where", FMT_file_type_UNKNOWN);
	expect(other, "/some/wher", FMT_file_type_UNKNOWN);
}

Test(io_files, long_paths_are_cut)
{
	char path[3000];
	unsigned type, times;
	char *text;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	text = written(io_file_named(&thread, path, 1), &type, &times);
	cr_assert_eq(strlen(text), 1024);
	free(text);
}

Test(io_files, descriptors_are_looked_up_once_until_they_change)
{
	char path[4200];
	int fd;
	uint32_t file;

	snprintf(path, sizeof(path), "%s/data", col.descriptor.directory);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	cr_assert_eq(io_file_known(fd), 0);
	file = io_file_of(&thread, fd, 1);
	cr_assert_neq(file, 0);
	cr_assert_eq(io_file_known(fd), file);
	expect(file, path, FMT_file_type_REGULAR);
	dup2(open("/dev/null", O_RDWR), fd);
	cr_assert_eq(io_file_of(&thread, fd, 2), file, "nobody has told");
	io_file_forget(fd);
	cr_assert_eq(io_file_known(fd), 0);
	expect(io_file_of(&thread, fd, 3), "/dev/null", FMT_file_type_DEVICE);
	io_files_forget((unsigned)fd, UINT32_MAX);
	cr_assert_eq(io_file_known(fd), 0);
	cr_assert_eq(io_file_of(&thread, 64000, 4), 0, "no such descriptor");
	cr_assert_eq(io_file_of(&thread, 1 << 20, 5), 0, "beyond the table");
}

/* Programs close all numbers that there could be, before each program that they execute. */
Test(io_files, to_forget_all_numbers_takes_no_longer_than_to_close_them)
{
	struct timespec before, after;

	io_file_of(&thread, 100, 1);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	for (int i = 0; i < 1000; i++)
		io_files_forget(3, UINT32_MAX);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	cr_assert_lt((after.tv_sec - before.tv_sec) * 1e6 +
	                     (double)(after.tv_nsec - before.tv_nsec) / 1e3,
	             1000 * 20.0, "us for 1000");
}

Test(io_files, sockets_have_addresses_and_pipes_their_inodes)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0xer-test"};
	socklen_t size = offsetof(struct sockaddr_un, sun_path) + 9;
	int fds[2], fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	unsigned type, times;
	char *text;

	cr_assert_eq(bind(fd, (struct sockaddr *)&address, size), 0);
	expect(io_file_of(&thread, fd, 1), "unix @xer-test", FMT_file_type_SOCKET);
	cr_assert_eq(pipe(fds), 0);
	text = written(io_file_of(&thread, fds[0], 2), &type, &times);
	cr_assert_eq(strncmp(text, "pipe:[", 6), 0);
	cr_assert_eq(type, FMT_file_type_PIPE);
	free(text);
}

/* The address of the other end, or else the own one. */
Test(io_files, addresses_of_the_internet_are_written_as_usual)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(0x7f000001)}};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = {{{[15] = 1}}}};
	socklen_t size = sizeof(in), size6 = sizeof(in6);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), fd6 = socket(AF_INET6, SOCK_DGRAM, 0);
	char name[80];

	cr_assert_eq(bind(fd, (struct sockaddr *)&in, size), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&in, &size), 0);
	snprintf(name, sizeof(name), "udp 127.0.0.1:%u", ntohs(in.sin_port));
	expect(io_file_of(&thread, fd, 1), name, FMT_file_type_SOCKET);
	if (fd6 < 0 || bind(fd6, (struct sockaddr *)&in6, size6) != 0)
		cr_skip_test("this system has no IPv6");
	cr_assert_eq(getsockname(fd6, (struct sockaddr *)&in6, &size6), 0);
	snprintf(name, sizeof(name), "udp [0:0:0:0:0:0:0:1]:%u", ntohs(in6.sin6_port));
	expect(io_file_of(&thread, fd6, 2), name, FMT_file_type_SOCKET);
}

/* No protocol may be known, as of a raw socket, which only root may have. */
Test(io_files, an_address_of_another_protocol_is_one_of_the_internet)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(0x7f000001)}};
	socklen_t size = sizeof(in);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char name[80];

	cr_assert_eq(bind(fd, (struct sockaddr *)&in, size), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&in, &size), 0);
	refuse_call(SYS_getsockopt, EPERM);
	snprintf(name, sizeof(name), "ip 127.0.0.1:%u", ntohs(in.sin_port));
	expect(io_file_of(&thread, fd, 1), name, FMT_file_type_SOCKET);
}

static void *name_all(void *numbers)
{
	struct col_thread self = {.number = 1};

	atomic_store(&self.tid, 43);
	for (int i = 0; i < NAMES; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/file/%d", i);
		((uint32_t *)numbers)[i] = io_file_named(&self, path, 1);
	}
	return NULL;
}

Test(io_files, threads_agree_on_numbers)
{
	static uint32_t numbers[THREADS][NAMES];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, name_all, numbers[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < NAMES; i++) {
		unsigned type, times;
		char path[32];
		char *text = written(numbers[0][i], &type, &times);

		for (int k = 1; k < THREADS; k++)
			cr_assert_eq(numbers[k][i], numbers[0][i]);
		snprintf(path, sizeof(path), "/file/%d", i);
		cr_assert(text != NULL, "%s, number %u, has no name", path, numbers[0][i]);
		cr_assert_str_eq(text, path);
		cr_assert(times >= 1 && times <= THREADS);
		free(text);
	}
}

/* The numbers of `count` names from the first on: none is 0, and no other name has it. */
static void number_many(int first, int count, uint8_t *is_used, size_t size)
{
	for (int i = first; i < first + count; i++) {
		char path[32];
		uint32_t number;

		snprintf(path, sizeof(path), "/many/%d", i);
		number = io_file_named(&thread, path, 1);
		cr_assert_neq(number, 0, "%s has none", path);
		cr_assert_eq(number % 16, 0);
		cr_assert_lt(number / 16, size);
		cr_assert_eq(is_used[number / 16], 0, "%s has a number twice", path);
		is_used[number / 16] = 1;
	}
}

static long resident_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long all, pages = 0;

	cr_assert_eq(fscanf(file, "%ld %ld", &all, &pages), 2);
	fclose(file);
	return pages;
}

/* A server has new connections for ever. */
Test(io_files, there_may_be_any_number_of_names)
{
	enum { PARTS = 20, SIZE = 2 * PARTS * TOO_MANY };
	uint8_t *is_used = calloc(SIZE, 1);
	uint32_t again, before = io_file_named(&thread, "/again", 1);
	unsigned type, times;
	long first, last;
	char *text;

	number_many(0, 2 * TOO_MANY, is_used, SIZE);
	first = resident_pages();
	number_many(2 * TOO_MANY, (PARTS - 2) * TOO_MANY, is_used, SIZE);
	last = resident_pages();
	cr_assert_lt(last - first, 1024, "%ld pages became %ld", first, last);
	cr_assert_eq(atomic_load(&col.count.lost_files), 0);
	again = io_file_named(&thread, "/again", 1);
	cr_assert_neq(again, before, "of another part");
	cr_assert_eq(io_file_named(&thread, "/again", 1), again);
	text = written(again, &type, &times);
	cr_assert_str_eq(text, "/again");
	free(text);
	free(is_used);
}

/* ---- a number that becomes another file while two threads look it up ----
 *
 * The last system call of a look-up is trapped. There the first thread replaces the file and lets
 * the second one begin; and the second one waits until the first has ended. */

enum { TRAPPED = 700 };

struct looker {
	uint64_t (*look)(int fd);
	int fd, other;
	atomic_int replaced, second_begins, first_ended;
};
static struct looker looker;
static __thread int is_second;

static void wait_until(atomic_int *what)
{
	while (!atomic_load(what))
		usleep(100);
}

static void in_the_middle(int signal, siginfo_t *info, void *context)
{
	ucontext_t *machine = context;

	(void)signal, (void)info;
	machine->uc_mcontext.gregs[REG_RAX] = 0;
	if (atomic_load(&looker.first_ended))
		return;
	if (is_second) {
		atomic_store(&looker.second_begins, 1);
		wait_until(&looker.first_ended);
		return;
	}
	dup2(looker.other, looker.fd);
	io_file_forget(looker.fd);
	atomic_store(&looker.replaced, 1);
	wait_until(&looker.second_begins);
}

static void *look_second(void *unused)
{
	(void)unused;
	is_second = 1;
	wait_until(&looker.replaced);
	looker.look(looker.fd);
	return NULL;
}

/* For that descriptor alone: programs that the test executes have the filter too. */
static void trap(unsigned call, unsigned fd)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, fd, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(steps) / sizeof(steps[0]), steps};
	struct sigaction action = {.sa_sigaction = in_the_middle, .sa_flags = SA_SIGINFO};

	sigaction(SIGSYS, &action, NULL);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		cr_skip_test("no filters of system calls here");
}

/* What is known of the number afterwards. */
static uint64_t replaced_in_the_middle(uint64_t (*look)(int fd), int fd, int other, unsigned call,
                                       int by_two)
{
	pthread_t second;

	memset(&looker, 0, sizeof(looker));
	atomic_store(&looker.second_begins, !by_two);
	looker.look = look;
	looker.fd = dup2(fd, TRAPPED);
	io_file_forget(TRAPPED);
	looker.other = other;
	fd = looker.fd;
	trap(call, TRAPPED);
	if (by_two)
		cr_assert_eq(pthread_create(&second, NULL, look_second, NULL), 0);
	look(fd);
	cr_assert(atomic_load(&looker.replaced));
	atomic_store(&looker.first_ended, 1);
	if (by_two)
		pthread_join(second, NULL);
	return look(fd);
}

static uint64_t file_now(int fd)
{
	struct col_thread self = {.number = 1 + (unsigned)is_second};

	atomic_store(&self.tid, 44);
	return io_file_of(&self, fd, 1);
}

static uint64_t kind_now(int fd)
{
	return io_kind_state(fd);
}

Test(io_files, a_number_that_becomes_another_file_is_not_taken_for_the_former)
{
	for (int by_two = 0; by_two < 2; by_two++) {
		int fd = open("/dev/null", O_RDWR), other = open("/dev/zero", O_RDWR);
		uint64_t file = replaced_in_the_middle(file_now, fd, other, SYS_fstatfs, by_two);

		expect((uint32_t)file, "/dev/zero", FMT_file_type_DEVICE);
	}
}

Test(io_files, nor_for_one_of_its_kind)
{
	for (int by_two = 0; by_two < 2; by_two++) {
		int ends[2], fd = socket(AF_UNIX, SOCK_STREAM, 0);

		cr_assert_eq(pipe(ends), 0);
		cr_assert_eq(replaced_in_the_middle(kind_now, fd, ends[0], SYS_fcntl, by_two),
		             FMT_wall_state_PIPE);
	}
}

static void expect_end(uint32_t number, const char *end)
{
	unsigned type, times;
	char *text = written(number, &type, &times);

	cr_assert(text != NULL, "%u has no name", number);
	cr_expect_str_eq(end_text, end);
	free(text);
}

Test(io_files, a_pair_of_sockets_names_both)
{
	char names[2][40];
	struct stat status;
	int fds[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	for (int i = 0; i < 2; i++) {
		fstat(fds[i], &status);
		snprintf(names[i], sizeof(names[i]), "socket:[%llu]",
		         (unsigned long long)status.st_ino);
	}
	io_files_pair(&thread, fds, 1);
	for (int i = 0; i < 2; i++) {
		uint32_t number = io_file_known(fds[i]);

		cr_assert_neq(number, 0);
		cr_expect_eq(io_file_of(&thread, fds[i], 2), number);
		expect(number, names[i], FMT_file_type_SOCKET);
		expect_end(number, names[1 - i]);
	}
	close(fds[0]);
	close(fds[1]);
}

/* The kernel says of a socket that listens that its other end is the process itself. */
Test(io_files, a_unix_socket_has_an_end_only_if_it_is_connected)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0xer-listens"};
	socklen_t size = offsetof(struct sockaddr_un, sun_path) + 12;
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char end[60];

	cr_assert_eq(bind(listener, (struct sockaddr *)&address, size), 0);
	expect_end(io_file_of(&thread, listener, 1), "");
	cr_assert_eq(listen(listener, 1), 0);
	io_file_forget(listener);
	expect_end(io_file_of(&thread, listener, 2), "");
	cr_assert_eq(connect(fd, (struct sockaddr *)&address, size), 0);
	snprintf(end, sizeof(end), "client %d", getpid());
	expect_end(io_file_of(&thread, fd, 3), end);
	snprintf(end, sizeof(end), "server of %d", getpid());
	expect_end(io_file_of(&thread, accept(listener, NULL, NULL), 4), end);
}

Test(io_files, a_connection_on_this_machine_names_both_ends)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
			   own;
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fds[2];
	char names[2][60];
	uint32_t one, other;

	cr_assert_eq(bind(listener, (struct sockaddr *)&address, size), 0);
	cr_assert_eq(listen(listener, 2), 0);
	cr_assert_eq(getsockname(listener, (struct sockaddr *)&address, &size), 0);
	for (int i = 0; i < 2; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		cr_assert_eq(connect(fds[i], (struct sockaddr *)&address, sizeof(address)), 0);
		size = sizeof(own);
		getsockname(fds[i], (struct sockaddr *)&own, &size);
		snprintf(names[i], sizeof(names[i]), "tcp 127.0.0.1:%u", ntohs(own.sin_port));
	}
	one = io_file_of(&thread, fds[0], 1);
	other = io_file_of(&thread, fds[1], 2);
	cr_expect_neq(one, other, "each connection has a number of its own");
	expect_end(one, names[0]);
	expect_end(other, names[1]);
	expect_end(io_file_of(&thread, listener, 3), "");
	close(fds[0]);
	close(fds[1]);
	close(listener);
}
