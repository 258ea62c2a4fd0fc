/* attack: the programs read damaged experiments, in the ways that users run them.
 *
 * usage: attack READERS SEED FIRST COUNT SECONDS BASE...
 *
 * READERS is the directory of xer_print, xer_trcrpt and xer_archive; each BASE is a sound
 * experiment. Attack number n of a seed takes a base, damages files of a copy (case.er) in a way of
 * the table `ways`, and runs a command of the table `commands`; SEED, n and the bases decide all.
 * COUNT attacks are made, from number FIRST on, for at most SECONDS; after a single one the copy is
 * kept. Everything is in the current directory, which must be empty: home, guard, out.
 *
 * Every run must
 *   - end by itself, with a status of at most 3, within its time and memory, and without a
 * sanitizer's report;
 * say why, if its status is not 0, and print something at all, if a file was replaced by something
 * else or XML was cut;
 *   - print no control characters;
 * change nothing but `out` and, in case.er, the archives: all other files are listed before and
 * after.
 * See doc/decisions/63-hostile-tests.md. */
#include "tests/hostile/attack.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	WORDS_MAX = 24,
	CPU_SECONDS = 30,
	WALL_SECONDS = 300,
	RSS_MAX_KB = 1500 << 10,
	FILE_MAX = 64 << 20,
	WRONG_MAX = 5
};

/* What is run: the program, and its arguments, to which case.er, or a file of it, is appended. */
static const struct {
	const char *words[WORDS_MAX];
	int base_twice;   /* a sound copy comes before it */
	const char *file; /* NULL: the experiment itself */
} commands[] = {
#define COMMAND(...) {{__VA_ARGS__}, 0, NULL},
#define COMMAND2(...) {{__VA_ARGS__}, 1, NULL},
#define COMMAND_OF(file, ...) {{__VA_ARGS__}, 0, "case.er/" file},
#include "tests/hostile/attack.def"
#undef COMMAND
#undef COMMAND2
#undef COMMAND_OF
};

static const char *readers, *base;
static char why[4096];

static int run_tool(const char *const *words)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(words[0], (char *const *)words);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static void must(int failed, const char *what)
{
	if (!failed)
		return;
	perror(what);
	exit(2);
}

/* ---- other settings ---- */

static FILE *listing;

static int is_free(const char *path)
{
	static const char *const changed[] = {
		"./out/",        "./case.er/archives", "./case.er/log.xml", "./case.er/perf.map",
		"./case.er/jit", "./stdout",           "./stderr",          "./before",
		"./after"};

	if (strcmp(path, ".") == 0 || strcmp(path, "./out") == 0 || strcmp(path, "./case.er") == 0)
		return 1;
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		if (strncmp(path, changed[i], strlen(changed[i])) == 0)
			return 1;
	/* The same for descendants, which are damaged instead of their founder. */
	return strncmp(path, "./case.er/_", 11) == 0 &&
	       (strstr(path, ".er/log.xml") || strstr(path, ".er/perf.map") ||
	        strstr(path, ".er/jit"));
}

static int list(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)type;
	(void)walk;
	if (!is_free(path))
		fprintf(listing, "%s %o %lld %ld.%09ld %ld.%09ld %lu\n", path, st->st_mode,
		        (long long)(S_ISDIR(st->st_mode) ? 0 : st->st_size), st->st_mtim.tv_sec,
		        st->st_mtim.tv_nsec, S_ISDIR(st->st_mode) ? 0 : st->st_ctim.tv_sec,
		        S_ISDIR(st->st_mode) ? 0 : st->st_ctim.tv_nsec, (unsigned long)st->st_ino);
	return 0;
}

static void list_all(const char *to)
{
	listing = fopen(to, "we");
	must(!listing || nftw(".", list, 16, FTW_PHYS) != 0 || fclose(listing) != 0, to);
}

static void make_surroundings(void)
{
	static const char *const directories[] = {"home", "guard", "guard/inner", "tmp"};

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		must(mkdir(directories[i], 0755) != 0 && errno != EEXIST, directories[i]);
	must(run_tool((const char *[]){
		     "sh", "-c",
		     "echo secret >guard/secret; echo other >guard/inner/other; rm -f guard/pipe; mkfifo guard/pipe",
		     NULL}) != 0,
	     "guard");
}

/* ---- a run, and checks of it ---- */

static char *read_all(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text;
	ssize_t got;

	must(fd < 0 || fstat(fd, &st) != 0, path);
	text = malloc((size_t)st.st_size + 1);
	must(!text, path);
	got = read(fd, text, (size_t)st.st_size);
	*size = got < 0 ? 0 : (size_t)got;
	text[*size] = '\0';
	close(fd);
	return text;
}

/* ASCII's control characters, and U+0080 to U+009F. */
static int has_controls(const char *path)
{
	size_t size;
	unsigned char *text = (unsigned char *)read_all(path, &size);
	int found = 0;

	for (size_t i = 0; i < size && !found; i++)
		found = (text[i] < ' ' && text[i] != '\n' && text[i] != '\t') || text[i] == 0x7f ||
		        (text[i] == 0xc2 && i + 1 < size && text[i + 1] >= 0x80 &&
		         text[i + 1] < 0xa0);
	free(text);
	return found;
}

static void wrong(const char *what)
{
	size_t len = strlen(why);

	snprintf(why + len, sizeof(why) - len, "%s%s", len > 0 ? "; " : "", what);
}

static void limit(int resource, rlim_t most)
{
	const struct rlimit value = {most, most};

	setrlimit(resource, &value);
}

static void exec_command(size_t command)
{
	const char *words[WORDS_MAX + 4];
	char program[4096];
	int output = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0644),
	    errors = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	size_t count = 0;

	snprintf(program, sizeof(program), "%s/%s", readers, commands[command].words[0]);
	for (; commands[command].words[count]; count++)
		words[count] = commands[command].words[count];
	if (commands[command].base_twice)
		words[count++] = base;
	words[count++] = commands[command].file ? commands[command].file : "case.er";
	words[count] = NULL;
	dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_FSIZE, FILE_MAX);
	limit(RLIMIT_CORE, 0);
	setenv("HOME", "home", 1);
	setenv("TMPDIR", "tmp", 1);
	setenv("LC_ALL", "C", 1);
	setenv("ASAN_OPTIONS", "detect_leaks=0:hard_rss_limit_mb=1400:allocator_may_return_null=1",
	       1);
	setenv("UBSAN_OPTIONS", "print_stacktrace=1", 1);
	alarm(WALL_SECONDS);
	execv(program, (char *const *)words);
	_exit(127);
}

static void judge(int status, const struct rusage *usage, int must_tell)
{
	size_t size, output_size;
	char *errors = read_all("stderr", &size), *output = read_all("stdout", &output_size);

	if (WIFSIGNALED(status))
		wrong(WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU ? "it does not end"
		      : WTERMSIG(status) == SIGXFSZ ? "it writes without end"
		                                    : strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) > 3)
		wrong("its exit status");
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && size == 0 && output_size == 0)
		wrong("it fails without a word");
	if (must_tell && status == 0 && size == 0)
		wrong("success without a word");
	/* The sanitizer also warns when malloc refuses a size, such as that of a sparse file. */
	if (strstr(errors, "ERROR: AddressSanitizer") || strstr(errors, "runtime error:"))
		wrong("a sanitizer's report");
	else if (has_controls("stderr") || has_controls("stdout"))
		wrong("control characters");
	if (usage->ru_maxrss > RSS_MAX_KB)
		wrong("too much memory");
	free(errors);
	free(output);
}

static void run(size_t command, int must_tell)
{
	struct rusage usage;
	int status;
	pid_t pid;

	list_all("before");
	pid = fork();
	if (pid == 0)
		exec_command(command);
	must(pid < 0 || wait4(pid, &status, 0, &usage) != pid, "wait4");
	list_all("after");
	why[0] = '\0';
	judge(status, &usage, must_tell);
	if (run_tool((const char *[]){"cmp", "-s", "before", "after", NULL}) != 0)
		wrong("something else has changed (diff before after)");
}

/* ---- one attack ---- */

static void copy_base(void)
{
	must(run_tool((const char *[]){"rm", "-rf", "case.er", "out", NULL}) != 0, "rm");
	must(run_tool((const char *[]){"cp", "-r", base, "case.er", NULL}) != 0 ||
	             mkdir("out", 0755) != 0,
	     base);
}

static void say(uint64_t number, size_t command, const char *what)
{
	printf("attack %llu, %s of %s, read by", (unsigned long long)number, what, base);
	for (size_t i = 0; commands[command].words[i]; i++)
		printf(" %s", commands[command].words[i]);
	printf(": %s\n", why);
	fflush(stdout);
	if (run_tool((const char *[]){"head", "-c", "1500", "stderr", NULL}) != 0)
		printf("no stderr\n");
}

int main(int argc, char **argv)
{
	uint64_t first, count, made = 0, told = 0, wrongs = 0;
	time_t end;

	if (argc < 7)
		return 2;
	readers = argv[1];
	first = strtoull(argv[3], NULL, 10);
	count = strtoull(argv[4], NULL, 10);
	end = time(NULL) + atol(argv[5]);
	make_surroundings();
	for (uint64_t number = first;
	     number < first + count && time(NULL) < end && wrongs < WRONG_MAX; number++) {
		struct attack attack;
		size_t command;

		attack_seed(strtoull(argv[2], NULL, 10), number);
		base = argv[6 + attack_below((uint64_t)argc - 6)];
		command = attack_below(sizeof(commands) / sizeof(commands[0]));
		copy_base();
		attack_make("case.er", &attack);
		run(command, attack.must_tell && !commands[command].file);
		made++;
		told += attack.must_tell;
		if (why[0] != '\0')
			say(number, command, attack.what);
		wrongs += why[0] != '\0';
	}
	printf("%llu attacks of seed %s, %llu of them that must be told: %llu wrong\n",
	       (unsigned long long)made, argv[2], (unsigned long long)told,
	       (unsigned long long)wrongs);
	return wrongs > 0;
}
