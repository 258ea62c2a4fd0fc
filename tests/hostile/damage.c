/* damage.c: the ways to damage an experiment: a file is cut, its bits, numbers, XML or names are
 * changed, or something else takes its place. See attack.h. */
#include "tests/hostile/attack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { FILES_MAX = 200, PATH_SIZE = 1024, BYTES_MAX = 8 << 20, DEEP = 20000, LONG = 1 << 20 };

static uint64_t state;

void attack_seed(uint64_t seed, uint64_t number)
{
	state = (seed + 1) * 0x9e3779b97f4a7c15u ^ (number + 1) * 0xbf58476d1ce4e5b9u;
	for (int i = 0; i < 8; i++)
		attack_below(2);
}

uint64_t attack_below(uint64_t limit)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return limit == 0 ? 0 : ((state * 2685821657736338717u) >> 11) % limit;
}

/* ---- the files, in a fixed order ---- */

static char files[FILES_MAX][PATH_SIZE];
static size_t file_count;

static int take(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)walk;
	if (type == FTW_F && file_count < FILES_MAX)
		snprintf(files[file_count++], PATH_SIZE, "%s", path);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int fails(int failed, const char *what)
{
	if (failed) {
		perror(what);
		exit(2);
	}
	return 0;
}

static char bytes[BYTES_MAX];
static size_t size;

static void read_file(const char *path)
{
	FILE *file = fopen(path, "rbe");

	fails(!file, path);
	size = fread(bytes, 1, sizeof(bytes) - 2 * LONG, file);
	fclose(file);
}

static void write_file(const char *path)
{
	FILE *file = fopen(path, "wbe");

	fails(!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0, path);
}

static void replace(size_t at, size_t old, const char *text, size_t len)
{
	memmove(bytes + at + len, bytes + at + old, size - at - old);
	memcpy(bytes + at, text, len);
	size += len - old;
}

static int is_xml(void)
{
	return size > 5 && memcmp(bytes, "<?xml", 5) == 0;
}

/* ---- ways to change the content of a file. Returns 1 if a reader must report it, 0 if not, -1:
 * not possible with this file ---- */

static int cut(void)
{
	static const char *const ends[] = {"</experiment>", "</map>"};
	size_t whole = size;
	const char *end = NULL;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && !end && is_xml(); i++)
		end = memmem(bytes, size, ends[i], strlen(ends[i]));
	size = attack_below(4) == 0 ? attack_below(64) : attack_below(size);
	if (size > whole)
		size = whole;
	return end && (size_t)(end - bytes) > size;
}

static int flip(void)
{
	for (uint64_t bits = 1 + attack_below(8); bits > 0 && size > 0; bits--)
		bytes[attack_below(size)] ^= (char)(1u << attack_below(8));
	return 0;
}

/* A length, offset or count becomes huge, or changes a little. */
static int count(void)
{
	static const uint64_t numbers[] = {0,
	                                   1,
	                                   0x7f,
	                                   0xff,
	                                   0x7fff,
	                                   0xffff,
	                                   0x7fffffff,
	                                   0x80000000,
	                                   0xfffffff0,
	                                   0xffffffff,
	                                   0x100000000,
	                                   0x7fffffffffffffff,
	                                   0x8000000000000000,
	                                   0xfffffffffffffff8,
	                                   UINT64_MAX};
	static const size_t sizes[] = {1, 2, 4, 4, 8, 8};

	if (is_xml() || size < 16)
		return -1;
	for (uint64_t times = 1 + attack_below(3); times > 0; times--) {
		size_t width = sizes[attack_below(6)], at = attack_below(size / width) * width;
		uint64_t number = numbers[attack_below(sizeof(numbers) / sizeof(numbers[0]))];

		if (at + width <= size)
			memcpy(bytes + at, &number, width);
	}
	return 0;
}

/* A number in XML is changed. */
static int xml_count(void)
{
	static const char *const numbers[] = {"18446744073709551615",
	                                      "18446744073709551616",
	                                      "-1",
	                                      "0",
	                                      "0xffffffffffffffff",
	                                      "4294967296",
	                                      "99999999999999999999999999",
	                                      "1e308",
	                                      "nan",
	                                      ""};
	size_t at = attack_below(size), len = 0;

	if (!is_xml())
		return -1;
	while (at < size && (bytes[at] < '0' || bytes[at] > '9'))
		at++;
	while (at + len < size && bytes[at + len] >= '0' && bytes[at + len] <= '9')
		len++;
	if (len > 0) {
		const char *number = numbers[attack_below(sizeof(numbers) / sizeof(numbers[0]))];

		replace(at, len, number, strlen(number));
	}
	return 0;
}

/* Where the children of the root element begin; 0: nowhere. */
static size_t inside(void)
{
	const char *root = is_xml() ? memmem(bytes, size, "?>", 2) : NULL;
	const char *end = NULL;

	if (root)
		root = memchr(root, '\n', (size_t)(bytes + size - root));
	if (root)
		end = memchr(root, '>', (size_t)(bytes + size - root));
	return !end ? 0 : (size_t)(end - bytes) + 1;
}

static int deep_xml(void)
{
	static const char *const tags[] = {"<a>", "<event kind=\"x\">", "<process>", "<object>",
	                                   "<setting name=\"x\">"};
	const char *tag = tags[attack_below(5)];
	size_t at = inside();

	if (at == 0)
		return -1;
	for (int i = 0; i < DEEP; i++)
		replace(at, 0, tag, strlen(tag));
	return 1;
}

static int entities(void)
{
	static const char *const types[] = {
		"<!DOCTYPE experiment [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">"
		"<!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;\"><!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;\"><!ENTITY x \"&e;&e;&e;&e;&e;&e;&e;&e;\">]>\n",
		"<!DOCTYPE experiment [<!ENTITY x SYSTEM \"guard/secret\">]>\n",
		"<!DOCTYPE experiment [<!ENTITY x SYSTEM \"guard/pipe\">]>\n",
		"<!DOCTYPE experiment [<!ENTITY x \"&y;\"><!ENTITY y \"&x;\">]>\n",
		"<!DOCTYPE experiment SYSTEM \"guard/pipe\">\n",
		"<!DOCTYPE experiment [<!ENTITY % p SYSTEM \"guard/pipe\"> %p;]>\n",
	};
	const char *type = types[attack_below(sizeof(types) / sizeof(types[0]))];
	size_t at = inside();

	if (at == 0)
		return -1;
	replace(at, 0, "<!-- --> &x; ", 13);
	at = (size_t)((char *)memmem(bytes, size, "?>", 2) - bytes) + 3;
	replace(at, 0, type, strlen(type));
	return 1;
}

/* Insert the file's text into itself again and again: equal numbers, nested roots. */
static int repeat_xml(void)
{
	size_t at = inside(), len = size > LONG / 8 ? LONG / 8 : size - at;
	static char copy[LONG];

	if (at == 0)
		return -1;
	memcpy(copy, bytes + at, len);
	for (int i = 0; i < 7 && size + len < BYTES_MAX - LONG; i++)
		replace(at, 0, copy, len);
	return 0;
}

/* An attribute gets a value that no recorder writes. */
static int names(void)
{
	static const char *const values[] = {
		"\\x1b[31mred",
		"\\x1b]0;title\\x07",
		"&#155;31m",
		"\xc2\x9b"
		"31m",
		"&#10;&#13;line",
		"\\x00\\x0a\\x7f",
		"\xe2\x80\xae"
		"txt",
		"\xff\xfe",
		"../../guard/secret",
		"../guard",
		"..",
		".",
		"/",
		"",
		"guard/secret",
		"guard/pipe",
		"/dev/zero",
		"/dev/full",
		"/dev/tty",
		"/proc/self/mem",
		"/proc/self/fd/0",
		"/proc/kmsg",
		"%n%n%s%s",
		"-rf",
		"; touch guard/made",
		"$(touch guard/made)",
		"&lt;/experiment&gt;",
		"\\",
		"\\x",
		"common",
		"../common",
		"log.xml",
		".tmp.1.1",
	};
	size_t at = attack_below(size), end;
	static char many[LONG / 4];

	if (!is_xml())
		return -1;
	while (at + 1 < size && (bytes[at] != '=' || bytes[at + 1] != '"'))
		at++;
	at += 2;
	end = at;
	while (end < size && bytes[end] != '"')
		end++;
	if (end >= size)
		return 0;
	if (attack_below(12) == 0) {
		memset(many, 'A', sizeof(many));
		replace(at, end - at, many, sizeof(many));
	} else {
		const char *value = values[attack_below(sizeof(values) / sizeof(values[0]))];

		replace(at, end - at, value, strlen(value));
	}
	return 0;
}

/* Every path of a load object becomes one of a file that must not be written, read without end, or
 * waited for. */
static int paths(void)
{
	static const char *const values[] = {"guard/secret",   "guard/pipe",      "/dev/zero",
	                                     "guard/inner",    "case.er/map.xml", "/proc/self/mem",
	                                     "../guard/secret"};
	char whole[2 * PATH_SIZE], directory[PATH_SIZE];
	const char *value = values[attack_below(sizeof(values) / sizeof(values[0]))];
	size_t from = 0, changed = 0;

	if (!is_xml() || !getcwd(directory, sizeof(directory)))
		return -1;
	snprintf(whole, sizeof(whole), "%s%s%s",
	         value[0] == '/' || value[0] == '.' ? "" : directory,
	         value[0] == '/' || value[0] == '.' ? "" : "/", value);
	for (;;) {
		char *at = memmem(bytes + from, size - from, " path=\"", 7), *end;

		if (!at)
			break;
		from = (size_t)(at - bytes) + 7;
		end = memchr(bytes + from, '"', size - from);
		if (!end)
			break;
		replace(from, (size_t)(end - bytes) - from, whole, strlen(whole));
		changed++;
	}
	return changed > 0 ? 0 : -1;
}

static const struct {
	const char *what;
	int (*change)(void);
} changes[] = {{"a cut", cut},
               {"bits flipped", flip},
               {"numbers", count},
               {"numbers of XML", xml_count},
               {"deep XML", deep_xml},
               {"entities", entities},
               {"repeated XML", repeat_xml},
               {"a name", names},
               {"names", names},
               {"paths", paths}};

/* ---- other things instead of files ---- */

static int make_missing(const char *path)
{
	return !path;
}
static int make_fifo(const char *path)
{
	return mkfifo(path, 0600);
}
static int make_zeros(const char *path)
{
	return symlink("/dev/zero", path);
}
static int make_directory(const char *path)
{
	return mkdir(path, 0700);
}
static int make_loop(const char *path)
{
	return symlink(strrchr(path, '/') + 1, path);
}
static int make_upward(const char *path)
{
	return symlink("..", path);
}
static int make_dangling(const char *path)
{
	return symlink("nowhere", path);
}

/* A device that reads as zeros, which needs privileges to make. */
static int make_device(const char *path)
{
	return mknod(path, S_IFCHR | 0600, 0x0105) == 0 ? 0 : make_zeros(path);
}

static int link_to(const char *path, const char *to)
{
	char whole[2 * PATH_SIZE], directory[PATH_SIZE];

	if (!getcwd(directory, sizeof(directory)))
		return -1;
	snprintf(whole, sizeof(whole), "%s/%s", directory, to);
	return symlink(whole, path);
}

static int make_secret(const char *path)
{
	return link_to(path, "guard/secret");
}
static int make_guard(const char *path)
{
	return link_to(path, "guard");
}
static int make_pipe_link(const char *path)
{
	return link_to(path, "guard/pipe");
}

static int make_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int rc;

	snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", path);
	rc = bind(fd, (struct sockaddr *)&address, sizeof(address));
	close(fd);
	return rc == 0 ? 0 : make_fifo(path);
}

static int make_sparse(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc = fd < 0 ? -1 : ftruncate(fd, (off_t)1 << 40);

	/* It begins with what it was. */
	if (rc == 0 && size > 0 && attack_below(2) == 0)
		rc = pwrite(fd, bytes, size, 0) == (ssize_t)size ? 0 : -1;
	if (fd >= 0)
		close(fd);
	return rc == 0 ? 0 : make_directory(path); /* no such file system */
}

static const struct {
	const char *what;
	int (*make)(const char *path);
	int is_file; /* a regular file, or missing */
} things[] = {{"a FIFO", make_fifo, 0},
              {"a device", make_device, 0},
              {"a link to /dev/zero", make_zeros, 0},
              {"a directory", make_directory, 0},
              {"a link to itself", make_loop, 0},
              {"a link to a file", make_secret, 0},
              {"a link to a directory", make_guard, 0},
              {"a link to a FIFO", make_pipe_link, 0},
              {"a link upwards", make_upward, 0},
              {"a link to nothing", make_dangling, 1},
              {"a socket", make_socket, 0},
              {"nothing", make_missing, 1},
              {"a sparse file of 1 TiB", make_sparse, 1}};

/* Every command reads these when it opens an experiment. Others are only read when they are needed,
 * so a change in them may go unnoticed. */
static int is_always_read(const char *experiment, const char *path)
{
	static const char *const always[] = {"log.xml", "map.xml"};
	size_t len = strlen(experiment);

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		if (strncmp(path, experiment, len) == 0 && path[len] == '/' &&
		    strcmp(path + len + 1, always[i]) == 0)
			return 1;
	return 0;
}

static void put_thing(const char *experiment, const char *path, struct attack *out)
{
	size_t thing = attack_below(sizeof(things) / sizeof(things[0]));
	char command[PATH_SIZE + 32];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	fails(system(command) != 0 || things[thing].make(path) != 0, path);
	snprintf(out->what, sizeof(out->what), "%.150s that is %s", path, things[thing].what);
	out->must_tell = !things[thing].is_file && is_always_read(experiment, path);
}

/* ---- other things in an experiment ---- */

static void add_things(const char *experiment, struct attack *out)
{
	static const char *const named[] = {"_f1.er",
	                                    "_f9.er",
	                                    "_x\x1b[31m.er",
	                                    "_f1_f1.er",
	                                    "archives",
	                                    "archives/common",
	                                    "archives/libc.so.6_00",
	                                    "sampler",
	                                    "sampler/cpu0.fxt",
	                                    "counter0",
	                                    "_..er",
	                                    "dyntext",
	                                    "perf.map",
	                                    "jit1.dump",
	                                    "notes",
	                                    "functrace",
	                                    "omptrace",
	                                    "mpitrace",
	                                    "synctrace",
	                                    ".tmp.1.1"};
	const char *name = named[attack_below(sizeof(named) / sizeof(named[0]))];
	char path[PATH_SIZE], above[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", experiment, name);
	snprintf(above, sizeof(above), "%.*s", (int)(strrchr(path, '/') - path), path);
	mkdir(above, 0755);
	size = 0;
	put_thing(experiment, path, out);
}

/* A common archive outside the experiment: nothing may be written there. */
static void lead_away(const char *experiment, struct attack *out)
{
	static const char *const places[] = {"guard",      "..",        "/",
	                                     "guard/pipe", "/dev/full", "../../guard"};
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/archives", experiment);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/archives/common", experiment);
	size = (size_t)sprintf(bytes, "%s",
	                       places[attack_below(sizeof(places) / sizeof(places[0]))]);
	unlink(path);
	write_file(path);
	snprintf(out->what, sizeof(out->what), "a common archive that leads away");
}

static void change_file(const char *experiment, const char *path, struct attack *out)
{
	int told = -1;
	size_t change = 0;

	read_file(path);
	for (int tries = 0; told < 0 && tries < 20; tries++) {
		change = attack_below(sizeof(changes) / sizeof(changes[0]));
		told = changes[change].change();
	}
	write_file(path);
	snprintf(out->what, sizeof(out->what), "%.150s with %s", path, changes[change].what);
	out->must_tell = told > 0 && is_always_read(experiment, path);
}

void attack_make(const char *experiment, struct attack *out)
{
	const char *path;

	*out = (struct attack){.must_tell = 0};
	file_count = 0;
	nftw(experiment, take, 16, FTW_PHYS);
	fails(file_count == 0, experiment);
	qsort(files, file_count, sizeof(files[0]), by_name);
	path = files[attack_below(file_count)];
	switch (attack_below(10)) {
	case 0:
		add_things(experiment, out);
		break;
	case 1:
		lead_away(experiment, out);
		break;
	case 2:
	case 3:
		read_file(path);
		put_thing(experiment, path, out);
		break;
	default:
		change_file(experiment, path, out);
		break;
	}
}
