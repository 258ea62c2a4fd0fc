/* replay: run targets on kept inputs, without a fuzzing engine.
 *
 * usage: replay [-l | TARGET FILE... | CORPUS]
 *
 * -l lists the targets. CORPUS is a directory with one directory for each target, which gets all
 * files in it. Each input may take SECONDS of CPU time; a sanitizer ends the program. The last line
 * says how many inputs there were; the exit status is 1 if a target has none. */
#include "tests/fuzz/targets/target.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 10, INPUT_MAX = 1 << 20 };

static char current[1024];

static void replay(const struct fuzz_target *target, const char *path)
{
	static uint8_t buffer[INPUT_MAX];
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;
	size_t size;

	if (!file) {
		perror(path);
		exit(2);
	}
	size = fread(buffer, 1, sizeof(buffer), file);
	fclose(file);
	snprintf(current, sizeof(current), "%s", path);
	/* Memory of exactly this size, so that a sanitizer sees reads beyond it. */
	bytes = malloc(size + (size == 0));
	if (!bytes)
		exit(2);
	memcpy(bytes, buffer, size);
	fuzz_limit(current, SECONDS);
	fuzz_give(target, bytes, size);
	fuzz_limit(current, 0);
	free(bytes);
}

static size_t replay_corpus(const struct fuzz_target *target, const char *corpus)
{
	char path[1024];
	struct dirent **entries;
	size_t count = 0;
	int found;

	snprintf(path, sizeof(path), "%s/%s", corpus, target->name);
	found = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < found; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s/%s", corpus, target->name,
			         entries[i]->d_name);
			replay(target, path);
			count++;
		}
		free(entries[i]);
	}
	if (found >= 0)
		free(entries);
	return count;
}

int main(int argc, char **argv)
{
	const struct fuzz_target *target = argc > 2 ? fuzz_find(argv[1]) : NULL;
	size_t all = 0, empty = 0;

	if (argc < 2 || (argc > 2 && !target)) {
		fprintf(stderr, "usage: replay [-l | TARGET FILE... | CORPUS]\n");
		return 2;
	}
	if (strcmp(argv[1], "-l") == 0) {
		for (size_t i = 0; i < fuzz_target_count; i++)
			printf("%-12s%s\n", fuzz_targets[i].name, fuzz_targets[i].what);
		return 0;
	}
	for (int i = 2; i < argc; i++)
		replay(target, argv[i]);
	for (size_t i = 0; argc == 2 && i < fuzz_target_count; i++) {
		size_t count = replay_corpus(&fuzz_targets[i], argv[1]);

		if (count == 0)
			printf("%s: no inputs\n", fuzz_targets[i].name);
		empty += count == 0;
		all += count;
	}
	printf("%zu inputs of %zu targets end well\n", argc == 2 ? all : (size_t)argc - 2,
	       argc == 2 ? fuzz_target_count - empty : 1);
	return empty > 0;
}
