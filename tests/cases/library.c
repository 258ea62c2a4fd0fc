/* library.c: cases of what libc does behind one call: it loads libraries, asks servers, sorts,
 * walks directories, ends the program. */
#include "case.h"

#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <link.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

extern char **environ;

int case_text_converted(void)
{
	char from[] = "gr\xfc\xdf", to[32] = "", *in = from, *out = to;
	size_t in_left = 4, out_left = sizeof(to);
	iconv_t way = iconv_open("UTF-8", "ISO-8859-1"); /* loads a module */

	if (way == (iconv_t)-1)
		return CASE_SKIP;
	say("iconv %d\n", (int)iconv(way, &in, &in_left, &out, &out_left));
	say("%s\n", to);
	iconv_close(way);
	mark();
	return 0;
}

int case_names_looked_up(void)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	                         .ai_socktype = SOCK_STREAM},
			*found = NULL;
	struct passwd *user = getpwuid(0);
	struct group *group = getgrgid(0);

	say("user %s group %s\n", user ? user->pw_name : "?", group ? group->gr_name : "?");
	say("none %d\n", !getpwnam("no such user"));
	say("address %d\n", getaddrinfo("127.0.0.1", "80", &hints, &found));
	say("family %d\n", found ? found->ai_family : -1);
	freeaddrinfo(found);
	say("bad %s\n", gai_strerror(getaddrinfo("127.0.0.256", "80", &hints, &found)));
	mark();
	return 0;
}

int case_locale_and_time(void)
{
	time_t moment = 1000000000;
	char text[100];
	wchar_t wide[20];

	say("locale %s\n", setlocale(LC_ALL, "C.UTF-8"));
	setenv("TZ", "XYZ-3:30", 1);
	tzset();
	strftime(text, sizeof(text), "%c %Z", localtime(&moment));
	say("%s, %ld\n", text, timezone);
	say("wide %d\n", (int)mbstowcs(wide, "gr\xc3\xbc\xc3\x9f", 20));
	say("%s\n", strerror(EAGAIN));
	mark();
	return 0;
}

static int seen;

static int see(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)path;
	(void)status;
	seen += type * 100 + place->level;
	return 0;
}

int case_trees_of_files(void)
{
	struct dirent **entries;
	glob_t found;
	char *path;

	mkdir("tree", 0755);
	mkdir("tree/branch", 0755);
	close(open("tree/branch/leaf", O_CREAT, 0644));
	if (symlink("branch/leaf", "tree/link") != 0)
		return 1;
	say("nftw %d", nftw("tree", see, 5, FTW_PHYS));
	say(" seen %d\n", seen);
	say("scandir %d\n", scandir("tree", &entries, NULL, alphasort));
	say("glob %d", glob("tree/*/l*", 0, NULL, &found));
	say(" %s\n", found.gl_pathc ? found.gl_pathv[0] : "nothing");
	path = realpath("tree/link", NULL);
	say("realpath %s\n", path ? strrchr(path, '/') : "none");
	mark();
	return 0;
}

int case_files_of_odd_kinds(void)
{
	char name[] = "made-XXXXXX", value[10] = "";
	struct statx status;
	int fd = open(".", O_TMPFILE | O_RDWR, 0600), memory;

	say("without a name %d\n", fd >= 0 || errno == EOPNOTSUPP);
	say("path %d ", read(open("/etc/passwd", O_PATH), value, 1) < 0);
	say("%d\n", errno);
	fd = mkstemp(name);
	say("hole %d", (int)lseek(fd, 1 << 20, SEEK_SET) + (int)write(fd, "x", 1));
	say(" data at %d", (int)lseek(fd, 0, SEEK_DATA));
	say(" hole at %d\n", (int)lseek(fd, 0, SEEK_HOLE));
	say("allocate %d\n", fallocate(fd, 0, 0, 4096));
	say("punch %d\n", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
	say("attribute %d\n",
	    fsetxattr(fd, "user.case", "1", 1, 0) == 0 || errno == EOPNOTSUPP || errno == EPERM);
	say("statx %d", statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &status));
	say(" size %d\n", (int)status.stx_size);
	say("exchange %d\n",
	    rename(name, "renamed") + linkat(AT_FDCWD, "renamed", AT_FDCWD, "linked", 0));
	memory = memfd_create("m", 0);
	say("memory %d", (int)pwrite(memory, "abc", 3, 5));
	say(" %d\n", (int)pread(memory, value, 9, 0));
	mark();
	return 0;
}

static int compare(const void *a, const void *b)
{
	free(malloc(16));
	return *(const int *)a - *(const int *)b;
}

static void keep(void *number)
{
	(void)number;
}

int case_called_back(void)
{
	static int numbers[1000];
	int key = 500, *found;
	void *root = NULL;
	regex_t pattern;

	for (int i = 0; i < 1000; i++)
		numbers[i] = i * 7919 % 1000;
	qsort(numbers, 1000, sizeof(int), compare);
	found = bsearch(&key, numbers, 1000, sizeof(int), compare);
	say("found at %d\n", (int)(found - numbers));
	for (int i = 0; i < 100; i++)
		tsearch(&numbers[i], &root, compare);
	say("in the tree %d\n", tfind(&numbers[50], &root, compare) != NULL);
	tdestroy(root, keep);
	say("regcomp %d", regcomp(&pattern, "^a(b*)c$", REG_EXTENDED));
	say(" match %d\n", regexec(&pattern, "abbbc", 0, NULL, 0));
	regfree(&pattern);
	mark();
	return 0;
}

static int objects;

static int object(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	objects += info->dlpi_name[0] == '\0' || strstr(info->dlpi_name, "libc.so") != NULL;
	free(malloc(100));
	return 0;
}

int case_the_loader_asked(void)
{
	Dl_info about;
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

	dl_iterate_phdr(object, NULL);
	say("objects %d\n", objects);
	say("malloc %d\n", libc && dlsym(libc, "malloc") && dlvsym(libc, "malloc", "GLIBC_2.2.5"));
	say("next %d\n", dlsym(RTLD_NEXT, "read") != NULL);
	say("mark in %d\n", dladdr((void *)mark, &about) != 0 && about.dli_sname &&
	                            strcmp(about.dli_sname, "mark") == 0);
	say("none %d", !dlsym(libc, "no such function"));
	say(" %d\n", dlerror() != NULL);
	say("error %d\n", !dlerror());
	mark();
	return 0;
}

/* A program that does not link with the library checks whether it is loaded. */
extern int MPI_Init(int *argc, char ***argv) __attribute__((weak));
extern void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
	__attribute__((weak));
extern void *operator_new(size_t size) __asm__("_Znwm") __attribute__((weak));

int case_libraries_not_there(void)
{
	static const char *const names[] = {
		"MPI_Init",         "PMPI_Send", "GOMP_parallel", "omp_set_lock",
		"JNI_CreateJavaVM", "_Znwm",     "malloc",        "fork"};
	static int (*volatile init)(int *, char ***) = MPI_Init;
	void *program = dlopen(NULL, RTLD_NOW);

	say("weak %d %d %d %d\n", MPI_Init != NULL, init != NULL, GOMP_parallel != NULL,
	    operator_new != NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		say("%s %d %d", names[i], dlsym(RTLD_DEFAULT, names[i]) != NULL,
		    dlsym(program, names[i]) != NULL);
		say(" %d", dlsym(RTLD_NEXT, names[i]) != NULL);
		say(" %d\n", dlerror() != NULL);
	}
	mark();
	return 0;
}

int case_what_the_kernel_gave(void)
{
	char text[4096] = "";
	ssize_t len;
	int fd = open("/proc/self/cmdline", O_RDONLY), variables = 0;

	say("secure %lu, page %lu, program %d\n", getauxval(AT_SECURE), getauxval(AT_PAGESZ),
	    strcmp((const char *)getauxval(AT_EXECFN), case_self) == 0);
	len = read(fd, text, sizeof(text));
	say("arguments %d bytes\n", (int)len - (int)strlen(text));
	say("name %s\n", program_invocation_short_name);
	for (char **at = environ; *at; at++)
		variables += strncmp(*at, "LD_PRELOAD", 10) == 0 || strstr(*at, "XER") == *at;
	say("variables of ours %d\n", variables);
	fd = open("/proc/self/environ", O_RDONLY);
	variables = 0;
	while (fd >= 0 && (len = read(fd, text, sizeof(text) - 1)) > 0)
		variables += memmem(text, (size_t)len, "XER_RECORD", 10) ||
		             memmem(text, (size_t)len, "libcollector", 12) != NULL;
	say("told by the kernel %d\n", variables);
	mark();
	return 0;
}

/* Servers overwrite their arguments and environment with a status text, as far as these lie next to
 * each other. */
int case_title_written(void)
{
	char *begin = program_invocation_name, *end, text[200] = "", **copy;
	size_t count = 0;
	ssize_t len;

	while (environ[count])
		count++;
	copy = calloc(count + 1, sizeof(*copy));
	end = begin + strlen(begin) + 1 + strlen("title_written") + 1;
	for (size_t i = 0; i < count; i++) {
		if (environ[i] == end)
			end += strlen(end) + 1;
		copy[i] = strdup(environ[i]);
	}
	environ = copy;
	memset(begin, 0, (size_t)(end - begin));
	snprintf(begin, (size_t)(end - begin), "cases: working on %d", 42);
	len = read(open("/proc/self/cmdline", O_RDONLY), text, sizeof(text) - 1);
	say("title %d '%s'\n", len > 0, text);
	mark();
	return WEXITSTATUS(system("test -n \"$PATH\" && exit 6"));
}

static int in_line(void)
{
	FILE *tasks = fopen("/proc/self/status", "r");
	char line[200];
	int threads = 0;

	while (tasks && fgets(line, sizeof(line), tasks))
		sscanf(line, "Threads: %d", &threads);
	if (tasks)
		fclose(tasks);
	return threads;
}

int case_no_threads_of_ours(void)
{
	mark();
	burn(120);
	say("threads %d\n", in_line());
	return 0;
}

int case_random(void)
{
	unsigned a = 0, b = 0;

	srandom(5);
	say("%ld\n", random());
	srand48(5);
	say("%ld\n", lrand48());
	say("bytes %d\n", (int)getrandom(&a, sizeof(a), 0));
	say("entropy %d\n", getentropy(&b, sizeof(b)));
	mark();
	return a == b;
}

/* ---- ends */

int case_end_err(void)
{
	mark();
	errno = ENOENT;
	err(33, "at the end");
}

int case_end_buffer_overflow(void)
{
	char text[8];
	volatile size_t size = 20;

	mark();
	__builtin___memset_chk(text, 1, size,
	                       sizeof(text)); /* what memset becomes with -D_FORTIFY_SOURCE */
	return text[0];
}

void __stack_chk_fail(void);

int case_end_stack_smashed(void)
{
	mark();
	__stack_chk_fail();
	return 0;
}

static pthread_t last_thread;

static void *works_on(void *unused)
{
	for (;;)
		free(malloc(64));
	return unused;
}

static void made_late(void)
{
	pthread_create(&last_thread, NULL, mark_thread, NULL);
	pthread_join(last_thread, NULL);
	pthread_create(&last_thread, NULL, works_on, NULL);
}

int case_end_threads_made_late(void)
{
	atexit(made_late);
	mark();
	return 0;
}

static void exit_again(void)
{
	mark();
	exit(17);
}

int case_end_exit_in_exit(void)
{
	atexit(exit_again);
	exit(16);
}

static __attribute__((destructor(101))) void last_of_all(void)
{
	if (getenv("LAST_OF_ALL"))
		mark();
}

int case_end_last_destructor(void)
{
	setenv("LAST_OF_ALL", "1", 1);
	return 0;
}

static pthread_key_t ending;

static void thread_ends(void *value)
{
	(void)value;
	mark();
	_exit(18);
}

static void *sets_key(void *unused)
{
	pthread_setspecific(ending, &ending);
	return unused;
}

int case_end_in_key_destructor(void)
{
	pthread_t thread;

	pthread_key_create(&ending, thread_ends);
	pthread_create(&thread, NULL, sets_key, NULL);
	pthread_join(thread, NULL);
	pause();
	return 0;
}
