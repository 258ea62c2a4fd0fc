/* What is written about sampled processes: the whole file, record by record. The records of the
 * kernel are made up here; some processes are there, others are not. */
#include "perf/mapfile.h"

#include "format/fxt.h"
#include "format/layout.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PID = 2000000000 /* no process has it */, TRAILER = 3, WORDS = 1 << 14 };

/* Names of arguments, in the order of the file's strings. */
enum { BEGAN = 1, FORKED, PARENT, INNER, EXECUTED, SAMPLED, ARCHIVER, ENDED, PROGRAM, COMMAND };
static const char *const strings[] = {"began",   "forked",   "parent", "inner",   "executed",
                                      "sampled", "archiver", "ended",  "program", "command"};

static char path[64], own[PATH_MAX];
static int directory = -1;
static struct stat own_file;
static uint64_t text_offset, text_address, text_size; /* the code of this program in its file */
static uint64_t expected[WORDS];
static size_t expected_count;

static void set_up(void)
{
	const Elf64_Phdr *header = (const Elf64_Phdr *)getauxval(AT_PHDR); /* NOLINT */

	strcpy(path, "/tmp/xer-mapfile-XXXXXX");
	cr_assert_not_null(mkdtemp(path));
	cr_assert_eq(chdir(path), 0);
	cr_assert_eq(mkdir(FMT_DIR_SAMPLER, 0700), 0);
	directory = open(FMT_DIR_SAMPLER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(directory, 0);
	cr_assert_gt(readlink("/proc/self/exe", own, sizeof(own) - 1), 0);
	cr_assert_eq(stat(own, &own_file), 0);
	for (size_t i = 0; i < getauxval(AT_PHNUM); i++)
		if (header[i].p_type == PT_LOAD && header[i].p_flags & PF_X) {
			text_offset = header[i].p_offset;
			text_address = header[i].p_vaddr;
			text_size = header[i].p_filesz;
		}
	cr_assert_gt(text_size, 0x1000);
}

static void tear_down(void)
{
	char command[128];

	close(directory);
	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	cr_assert_eq(system(command), 0);
}

TestSuite(mapfile, .init = set_up, .fini = tear_down, .timeout = 60);

/* ---- records of the kernel */

static void give(uint16_t type, uint16_t misc, const uint64_t *words, size_t count)
{
	space_take(
		&(struct ring_record){.type = type, .misc = misc, .words = words, .count = count});
}

static uint64_t pair(int low, int high)
{
	return (uint32_t)low | (uint64_t)(uint32_t)high << 32;
}

static void fork_at(uint64_t time, int child, int parent)
{
	const uint64_t words[] = {pair(child, parent), 0, 0, 0, time, 0};

	give(PERF_RECORD_FORK, 0, words, 6);
}

static void execute_at(uint64_t time, int pid, const char *name)
{
	uint64_t words[] = {pair(pid, pid), 0, 0, 0, time, 0};

	memcpy(&words[1], name, strlen(name) + 1);
	give(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, words, 6);
}

static void map_file(int pid, uint64_t start, uint64_t size, uint64_t offset, const char *name,
                     const struct stat *file)
{
	uint64_t words[8 + (PATH_MAX + 8) / 8 + TRAILER] = {(uint32_t)pid, start, size, offset};

	words[4] = pair((int)major(file->st_dev), (int)minor(file->st_dev));
	words[5] = file->st_ino;
	words[7] = PROT_READ | PROT_EXEC;
	strcpy((char *)&words[8], name);
	give(PERF_RECORD_MMAP2, 0, words, 8 + strlen(name) / 8 + 1 + TRAILER);
}

static void map_absent(int pid, uint64_t start, const char *name)
{
	map_file(pid, start, 0x1000, 0, name, &(struct stat){.st_ino = 77});
}

/* ---- what the file must be */

static void begin(const char *experiment, const char *archiver)
{
	cr_assert_eq(mapfile_begin(directory, experiment, archiver), 0);
	expected_count = fxt_put_file_header(expected, 65537, "map", 3, 1000000000);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		expected_count += fxt_put_string(expected + expected_count, (uint16_t)(i + 1),
		                                 strings[i], strlen(strings[i]));
}

/* A record of a process: numbers by their names, 0: it is left out. */
struct told {
	int pid;
	const char *name;
	uint64_t numbers[ENDED + 1];
	const char *program, *command;
	size_t command_size;
};

static void expect(const struct told *told)
{
	uint64_t *words = expected + expected_count;
	size_t size = told->name ? strlen(told->name) : 0, count = 2;
	unsigned arguments = 0;

	count += fxt_put_bytes(words + count, told->name, size);
	for (unsigned i = BEGAN; i <= ENDED; i++)
		if (told->numbers[i] != 0) {
			count += fxt_put_number(words + count, FXT_ARGUMENT_UINT64, (uint16_t)i,
			                        told->numbers[i]);
			arguments++;
		}
	if (told->program) {
		count += fxt_put_text(words + count, PROGRAM, told->program, strlen(told->program));
		arguments++;
	}
	if (told->command) {
		count += fxt_put_text(words + count, COMMAND, told->command, told->command_size);
		arguments++;
	}
	words[0] = FXT_HEAD(kernel_object, count) |
	           FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) |
	           FXT_BITS(kernel_object, arguments, arguments) |
	           FXT_BITS(kernel_object, name, size > 0 ? 0x8000 | size : 0);
	words[1] = (uint64_t)told->pid;
	expected_count += count;
}

/* Code of this program in a process: `into` bytes behind its beginning. */
static void expect_code(uint16_t number, int pid, uint64_t time, uint64_t start, uint64_t into)
{
	struct fxt_module module = {.id = number, .name = own, .name_size = strlen(own)};
	const struct fxt_mapping mapping = {.module = number,
	                                    .flags = 5,
	                                    .start = start,
	                                    .size = 0x1000,
	                                    .address = text_address + into};

	module.build_id = object_build_id(
		object_of(own, own_file.st_dev, own_file.st_ino, getpid()), &module.build_id_size);
	expected_count += fxt_put_module(expected + expected_count, time, (uint64_t)pid,
	                                 (uint64_t)pid, &module);
	expected_count += fxt_put_mapping(expected + expected_count, time, (uint64_t)pid,
	                                  (uint64_t)pid, &mapping);
}

static void check(uint64_t lost)
{
	static uint64_t words[WORDS];
	int fd = openat(directory, "map.fxt", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	cr_assert_eq(mapfile_end(), lost);
	got = read(fd, words, sizeof(words));
	close(fd);
	for (size_t i = 0; i < expected_count && i < (size_t)got / 8; i++)
		cr_assert_eq(words[i], expected[i], "word %zu: %llx for %llx", i,
		             (unsigned long long)words[i], (unsigned long long)expected[i]);
	cr_assert_eq(got, (ssize_t)(expected_count * 8));
}

/* ---- processes that are not there */

Test(mapfile, a_sampled_process_is_told_with_its_ancestors_and_its_code)
{
	struct space *space;

	begin("/x/test.1.er", "/x/xer_archive");
	execute_at(500, PID, "first");
	fork_at(700, PID + 1, PID);
	execute_at(800, PID + 1, "name");
	map_file(PID + 1, 0x10000, 0x1000, text_offset, own, &own_file);
	map_absent(PID + 1, 0x20000, "/no/such");
	map_file(PID + 1, 0x30000, 0x1000, text_offset + 0x800, own, &own_file);
	cr_assert_not(mapfile_has_outsiders());
	mapfile_tell(space_of(PID + 1), PID + 1, 1000);
	expect(&(struct told){PID, "first", {[BEGAN] = 500, [EXECUTED] = 1}, NULL, NULL, 0});
	expect(&(struct told){
		PID + 1,
		"name",
		{[BEGAN] = 800, [FORKED] = 700, [PARENT] = PID, [EXECUTED] = 1, [SAMPLED] = 1},
		own,
		NULL,
		0});
	expect_code(0, PID + 1, 1000, 0x10000, 0);
	expect_code(2, PID + 1, 1000, 0x30000, 0x800);
	cr_assert(mapfile_has_outsiders());
	/* Nothing new. */
	mapfile_tell(space_of(PID + 1), PID + 1, 2000);
	mapfile_tell_program(space_of(PID + 1));
	/* What is new, by a number of its own turn. */
	map_file(PID + 1, 0x40000, 0x1000, text_offset, own, &own_file);
	space = space_of(PID + 1);
	mapfile_tell(space, PID + 1, 3000);
	expect_code(0, PID + 1, 3000, 0x40000, 0);
	mapfile_tell_end(space, 4000);
	expect(&(struct told){PID + 1,
	                      NULL,
	                      {[BEGAN] = 800, [FORKED] = 700, [EXECUTED] = 1, [ENDED] = 4000},
	                      NULL,
	                      NULL,
	                      0});
	mapfile_tell_end(space_of(PID), 5000);
	check(0);
}

Test(mapfile, a_program_alone_is_told_once)
{
	begin("/x/test.1.er", NULL);
	fork_at(700, PID + 1, PID);
	mapfile_tell_program(space_of(PID + 1));
	mapfile_tell_program(space_of(PID + 1));
	mapfile_tell_program(space_of(PID));
	expect(&(struct told){PID, NULL, {0}, NULL, NULL, 0});
	expect(&(struct told){
		PID + 1, NULL, {[BEGAN] = 700, [FORKED] = 700, [PARENT] = PID}, NULL, NULL, 0});
	cr_assert_not(mapfile_has_outsiders());
	check(0);
}

/* Of 200 generations, those are told of which it is known who made them. */
Test(mapfile, the_oldest_ancestors_come_first)
{
	begin("/x/test.1.er", NULL);
	for (int i = 1; i < 200; i++)
		fork_at((uint64_t)i, PID + i, PID + i - 1);
	mapfile_tell_program(space_of(PID + 100));
	for (int i = 0; i <= 100; i++) {
		uint64_t at = (uint64_t)i, parent = i > 0 ? (uint64_t)(PID + i - 1) : 0;

		expect(&(struct told){PID + i,
		                      NULL,
		                      {[BEGAN] = at, [FORKED] = at, [PARENT] = parent},
		                      NULL,
		                      NULL,
		                      0});
	}
	check(0);
}

Test(mapfile, a_program_with_the_collectors_library_is_no_outsider)
{
	begin("/x/test.1.er", NULL);
	map_absent(PID, 0x10000, "/bin/program");
	map_absent(PID, 0x20000, "libcollector.so");
	map_absent(PID, 0x30000, "/x/notlibcollector.so");
	map_absent(PID, 0x40000, "/libcollector.so/x");
	mapfile_tell(space_of(PID), PID, 10);
	cr_assert(mapfile_has_outsiders());
	map_absent(PID, 0x50000, "/x/libcollector.so");
	mapfile_tell(space_of(PID), PID, 20);
	cr_assert_not(mapfile_has_outsiders());
	/* A second one, as of another library's path, is not counted twice. */
	map_absent(PID, 0x60000, "/y/libcollector.so");
	mapfile_tell(space_of(PID), PID, 30);
	cr_assert_not(mapfile_has_outsiders());
	map_absent(PID + 5, 0x10000, "/bin/other");
	mapfile_tell(space_of(PID + 5), PID + 5, 40);
	cr_assert(mapfile_has_outsiders());
	expect(&(struct told){PID, NULL, {[SAMPLED] = 1}, "/bin/program", NULL, 0});
	expect(&(struct told){PID + 5, NULL, {[SAMPLED] = 1}, "/bin/other", NULL, 0});
	check(0);
}

/* A module's name has 255 bytes. */
Test(mapfile, code_with_a_name_that_is_too_long_is_counted_as_lost)
{
	char name[300], here[PATH_MAX];
	struct stat file;
	int fd;

	begin("/x/test.1.er", NULL);
	cr_assert_not_null(getcwd(here, sizeof(here)));
	for (size_t size = 255; size <= 256; size++) {
		/* "/./././own" is the same file. */
		memset(name, '/', size);
		cr_assert_lt(strlen(here) + 4, 100);
		memcpy(name + size - strlen(here) - 4, here, strlen(here));
		memcpy(name + size - 4, "/own", 5);
		if (size == 255) {
			int from = open(own, O_RDONLY | O_CLOEXEC);
			char bytes[4096];
			ssize_t got;

			fd = open("own", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
			while ((got = read(from, bytes, sizeof(bytes))) > 0)
				cr_assert_eq(write(fd, bytes, (size_t)got), got);
			close(from);
			close(fd);
			cr_assert_eq(stat("own", &file), 0);
		}
		map_file(PID, 0x10000 * size, 0x1000, text_offset, name, &file);
		if (size == 255) {
			mapfile_tell(space_of(PID), PID, 10);
			expect(&(struct told){PID, NULL, {[SAMPLED] = 1}, name, NULL, 0});
			strcpy(own, name);
			own_file = file;
			expect_code(0, PID, 10, 0x10000 * 255, 0);
		}
	}
	mapfile_tell(space_of(PID), PID, 20);
	check(1);
}

Test(mapfile, the_file_is_new)
{
	begin("/x/test.1.er", NULL);
	cr_assert_eq(mapfile_begin(directory, "/x/test.1.er", NULL), -EEXIST);
	cr_assert_eq(mapfile_begin(-1, "/x/test.1.er", NULL), -EBADF);
	check(0);
}

/* ---- processes that are there */

/* Starts a shell that waits for the end of its input; its words are `words`. */
static pid_t start(char *const *words, int *input)
{
	char byte;
	int fds[2], ready[2];
	pid_t child;

	cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
	cr_assert_eq(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(fds[0], STDIN_FILENO);
		execv("/bin/sh", words);
		_exit(1);
	}
	cr_assert_gt(child, 0);
	close(fds[0]);
	close(ready[1]);
	cr_assert_eq(read(ready[0], &byte, 1), 0, "it executes the shell");
	close(ready[0]);
	*input = fds[1];
	return child;
}

static void end(pid_t child, int input)
{
	close(input);
	waitpid(child, NULL, 0);
}

static char *program_of(pid_t pid)
{
	static char program[PATH_MAX];
	char link[48];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	len = readlink(link, program, sizeof(program) - 1);
	cr_assert_gt(len, 0);
	program[len] = '\0';
	return program;
}

/* The innermost number of "NSpid:", if there are two or more. */
static uint64_t number_inside(pid_t pid)
{
	char name[48], line[256];
	uint64_t inner = 0;
	FILE *status;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	status = fopen(name, "re");
	cr_assert_not_null(status);
	while (fgets(line, sizeof(line), status)) {
		int outer, in;

		if (sscanf(line, "NSpid: %d %d", &outer, &in) == 2)
			inner = strtoull(strrchr(line, '\t') + 1, NULL, 10);
	}
	fclose(status);
	return inner;
}

/* Only the process with this program and this experiment archives. */
static void check_archiver(const char *experiment, int is_other_program, uint64_t archives)
{
	static const char command[] = "sh\0-c\0read x\0/x/test.1.er";
	char *words[] = {"sh", "-c", "read x", "/x/test.1.er", NULL};
	int input;
	pid_t child = start(words, &input);
	struct told told = {
		.pid = (int)child,
		.name = "sh",
		.numbers = {[INNER] = number_inside(child), [SAMPLED] = 1, [ARCHIVER] = archives},
		.command = command,
		.command_size = sizeof(command) - 1};
	const struct mapping *at;

	told.program = program_of(child);
	begin(experiment, is_other_program ? "/bin/other" : told.program);
	while ((at = space_tell(space_of(child)))) /* that is another test's */
		cr_assert_not_null(at->object);
	mapfile_tell(space_of(child), (uint32_t)child, 10);
	expect(&told);
	cr_assert_eq(mapfile_has_outsiders(), archives == 0);
	check(0);
	end(child, input);
}

Test(mapfile, the_process_that_archives_is_told_as_such)
{
	check_archiver("/x/test.1.er", 0, 1);
}

Test(mapfile, who_archives_another_experiment_is_a_program)
{
	check_archiver("/x/test.2.er", 0, 0);
}

Test(mapfile, another_program_with_the_same_arguments_is_a_program)
{
	check_archiver("/x/test.1.er", 1, 0);
}

/* The records say that the process has executed another program than it does by now. */
Test(mapfile, arguments_of_a_later_program_are_not_taken)
{
	char *words[] = {"sh", "-c", "read x", NULL};
	int input;
	pid_t child = start(words, &input);

	begin("/x/test.1.er", NULL);
	execute_at(800, (int)child, "early");
	map_absent((int)child, 0x10000, "/no/such");
	mapfile_tell(space_of(child), (uint32_t)child, 10);
	expect(&(struct told){
		(int)child,
		"early",
		{[BEGAN] = 800, [INNER] = number_inside(child), [EXECUTED] = 1, [SAMPLED] = 1},
		"/no/such",
		NULL,
		0});
	check(0);
	end(child, input);
}

Test(mapfile, long_arguments_are_cut)
{
	static char word[3000], command[2048] = "sh\0-c\0read x";
	char *words[] = {"sh", "-c", "read x", word, NULL};
	const struct mapping *at;
	struct told told = {.name = "sh", .command = command, .command_size = 2048};
	int input;
	pid_t child;

	memset(word, 'w', sizeof(word) - 1);
	memset(command + 13, 'w', sizeof(command) - 13);
	child = start(words, &input);
	told.pid = (int)child;
	told.program = program_of(child);
	told.numbers[INNER] = number_inside(child);
	told.numbers[SAMPLED] = 1;
	begin("/x/test.1.er", NULL);
	while ((at = space_tell(space_of(child))))
		cr_assert_not_null(at->object);
	mapfile_tell(space_of(child), (uint32_t)child, 10);
	expect(&told);
	check(0);
	end(child, input);
}

Test(mapfile, a_process_in_a_namespace_has_another_number_there)
{
	char name[IMAGE_NAME + 1] = "";
	pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	if (child < 0)
		cr_skip_test("this system does not let namespaces be made");
	prctl(PR_GET_NAME, name, 0, 0, 0);
	begin("/x/test.1.er", NULL);
	mapfile_tell_program(space_of(child));
	expect(&(struct told){(int)child, name, {[INNER] = 1}, NULL, NULL, 0});
	check(0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}
