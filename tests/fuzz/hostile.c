/* hostile: damage files of golden experiments in large numbers, and read each.
 *
 * usage: hostile FLIPS SEED CORPUS
 *
 * For each target that is a file of an experiment, and for logs that are read as one: its largest
 * kept input is cut at every 8 bytes, then read FLIPS times with one to four bits flipped. Then
 * other things take the place of the file: a FIFO, devices, a directory, links, a sparse file of 1
 * TiB. An experiment whose XML is cut, or whose file is no regular file, must be refused or warned
 * about. Each reading may take SECONDS of CPU time. A sanitizer, or the limit of memory, ends the
 * program. */
#include "tests/fuzz/targets/target.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS = 20, INPUT_MAX = 8192, ASKED = 4 };

static char current[256];
static uint64_t state;
static unsigned failed;

static uint64_t below(uint64_t limit)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((state * 2685821657736338717u) >> 11) % limit;
}

static void fail(const char *what)
{
	printf("%s: %s\n", current, what);
	failed++;
}

/* The input in memory of exactly this size, so that a sanitizer sees reads beyond it. */
static void give(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size + (size == 0));

	if (!copy)
		exit(2);
	memcpy(copy, bytes, size);
	fuzz_limit(current, SECONDS);
	fuzz_give(target, copy, size);
	fuzz_limit(current, 0);
	free(copy);
}

/* Where the last tag of an XML file begins; 0: it is not XML. */
static size_t last_tag(const uint8_t *bytes, size_t size)
{
	static const char *const tags[] = {"</experiment>", "</map>"};

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		const uint8_t *at = memmem(bytes, size, tags[i], strlen(tags[i]));

		if (at)
			return (size_t)(at - bytes);
	}
	return 0;
}

static size_t cut(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
	size_t tag = last_tag(bytes, size), count = 0;

	for (size_t len = 0; len < size; len += 8, count++) {
		unsigned before = fuzz_complaints;

		snprintf(current, sizeof(current), "%s cut to %zu bytes", target->name, len);
		give(target, bytes, len);
		if (len < tag && fuzz_complaints == before)
			fail("no word about it");
	}
	return count;
}

static void flip(const struct fuzz_target *target, const uint8_t *bytes, size_t size,
                 unsigned long count)
{
	static uint8_t changed[INPUT_MAX];

	for (unsigned long i = 0; i < count; i++) {
		snprintf(current, sizeof(current), "%s with flip %lu", target->name, i);
		memcpy(changed, bytes, size);
		for (uint64_t bits = 1 + below(4); bits > 0; bits--)
			changed[below(size)] ^= (uint8_t)(1u << below(8));
		give(target, changed, size);
	}
}

/* The largest kept input, which is a whole file, or the golden file itself. */
static size_t sound_input(const struct fuzz_target *target, const char *corpus, uint8_t *bytes)
{
	char path[1024], best[1024] = "";
	off_t best_size = -1;
	struct dirent *entry;
	struct stat st;
	DIR *directory;
	FILE *file;
	size_t size;

	if (target->file)
		snprintf(best, sizeof(best), "tests/golden/%s.er/%s", target->base,
		         fuzz_base_file(target));
	snprintf(path, sizeof(path), "%s/%s", corpus, target->name);
	directory = access(best, R_OK) == 0 ? NULL : opendir(path);
	while (directory && (entry = readdir(directory)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s/%s", corpus, target->name, entry->d_name);
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > best_size) {
			best_size = st.st_size;
			snprintf(best, sizeof(best), "%s", path);
		}
	}
	if (directory)
		closedir(directory);
	file = fopen(best, "rb");
	if (!file)
		return 0;
	size = fread(bytes, 1, INPUT_MAX, file);
	fclose(file);
	return size;
}

static int make_fifo(const char *path)
{
	return mkfifo(path, 0600);
}
static int make_zeros(const char *path)
{
	return symlink("/dev/zero", path);
}
static int make_terminal(const char *path)
{
	return mknod(path, S_IFCHR | 0600, 0x0105); /* as /dev/zero */
}
static int make_directory(const char *path)
{
	return mkdir(path, 0700);
}
static int make_loop(const char *path)
{
	return symlink(path, path);
}
static int make_secret(const char *path)
{
	return symlink("/etc/passwd", path);
}

static int make_sparse(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	int rc = fd < 0 ? -1 : ftruncate(fd, (off_t)1 << 40);

	if (fd >= 0)
		close(fd);
	return rc;
}

static const struct {
	const char *name;
	int (*make)(const char *path);
	int is_file; /* a regular file */
} things[] = {{"a FIFO", make_fifo, 0},
              {"a link to /dev/zero", make_zeros, 0},
              {"a device", make_terminal, 0},
              {"a directory", make_directory, 0},
              {"a link to itself", make_loop, 0},
              {"a link to a file", make_secret, 0},
              {"a sparse file of 1 TiB", make_sparse, 1}};

/* Other files are opened when code is looked at, and faults in them are reported
 * then. */
static int is_loaded(const struct fuzz_target *target)
{
	return strcmp(target->file, "dyntext") != 0 && strncmp(target->file, "archives/", 9) != 0;
}

static size_t replace(const struct fuzz_target *target)
{
	char path[256], file[512], command[2048];
	size_t count = 0;

	snprintf(path, sizeof(path), "%s/things.er", fuzz_directory());
	snprintf(file, sizeof(file), "%s/%s", path, fuzz_base_file(target));
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		unsigned before = fuzz_complaints;

		snprintf(command, sizeof(command),
		         "rm -rf '%s' && cp -r tests/golden/%s.er '%s' && rm -f '%s'", path,
		         target->base, path, file);
		snprintf(current, sizeof(current), "%s that is %s", target->file, things[i].name);
		if (system(command) != 0 || things[i].make(file) != 0) {
			perror(current); /* a device needs privileges, and not every file system has
			                    such large files */
			continue;
		}
		fuzz_limit(current, SECONDS);
		fuzz_read_experiment(path, (unsigned)i * ASKED);
		fuzz_limit(current, 0);
		if (fuzz_complaints == before && !things[i].is_file && is_loaded(target))
			fail("no word about it");
		count++;
	}
	return count;
}

static int is_log(const struct fuzz_target *target)
{
	return strcmp(target->name, "xraylog") == 0 || strcmp(target->name, "fxt") == 0 ||
	       strcmp(target->name, "jitdump") == 0 || strcmp(target->name, "perfmap") == 0;
}

int main(int argc, char **argv)
{
	static uint8_t bytes[INPUT_MAX];
	size_t cuts = 0, flips = 0, replaced = 0;

	if (argc != 4)
		return 2;
	state = (strtoull(argv[2], NULL, 10) + 1) * 0x9e3779b97f4a7c15u;
	fuzz_asked = ASKED;
	for (size_t i = 0; i < fuzz_target_count; i++) {
		const struct fuzz_target *target = &fuzz_targets[i];
		size_t size = target->file || is_log(target) ? sound_input(target, argv[3], bytes)
		                                             : 0;

		if (size == 0)
			continue;
		cuts += cut(target, bytes, size);
		flip(target, bytes, size, strtoul(argv[1], NULL, 10));
		flips += strtoul(argv[1], NULL, 10);
		if (target->file)
			replaced += replace(target);
	}
	printf("seed %s: %zu cuts, %zu flips, %zu other things than files: %u without a word\n",
	       argv[2], cuts, flips, replaced, failed);
	return failed > 0;
}
