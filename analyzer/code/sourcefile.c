/* sourcefile.c: source files as lines, each read once for a listing. */
#include "analyzer/code/sourcefile.h"
#include "experiment/symbols/sourcename.h"

#include "experiment/base/md5.h"
#include "experiment/archive/sources.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TAB = 8 };

static void note_place(void *context, enum exp_source_origin origin, const char *place)
{
	struct source_file *file = context;
	char *longer;

	if (origin == EXP_SOURCE_SEARCHED) {
		file->searched++;
		return;
	}
	longer = memory_format("%s%s%s", !file->tried ? "" : file->tried, !file->tried ? "" : ", ",
	                       place);
	free(file->tried);
	file->tried = longer;
}

static void split_lines(struct source_file *file)
{
	size_t capacity = 0;

	for (size_t at = 0; at < file->source.size;) {
		const char *end = memchr(file->source.text + at, '\n', file->source.size - at);

		file->lines = memory_grow(file->lines, file->count, &capacity,
		                          sizeof(*file->lines));
		file->lines[file->count++] = at;
		at = !end ? file->source.size : (size_t)(end - file->source.text) + 1;
	}
}

static struct source_file *open_file(const struct dataset *dataset, const char *name,
                                     const char *build_id)
{
	struct source_file *file = memory_take(1, sizeof(*file));
	const struct experiment **experiments = memory_take(dataset->count, sizeof(*experiments));
	struct exp_source_query query = {.paths = symbols_paths(dataset->symbols),
	                                 .experiments = experiments,
	                                 .experiment_count = dataset->count,
	                                 .path = name,
	                                 .build_id = build_id,
	                                 .tried = note_place,
	                                 .context = file};

	for (size_t i = 0; i < dataset->count; i++)
		experiments[i] = dataset->experiments[i].experiment;
	file->name = name;
	file->status = exp_source_open(&query, &file->source);
	if (file->status == -ENOMEM)
		memory_fail();
	if (file->status == 0)
		split_lines(file);
	free(experiments);
	return file;
}

const struct source_file *source_files_get(struct source_files *files, const char *name,
                                           const char *build_id)
{
	for (size_t i = 0; i < files->count; i++)
		if (strcmp(files->files[i]->name, name) == 0)
			return files->files[i];
	files->files = memory_grow(files->files, files->count, &files->capacity,
	                           sizeof(*files->files));
	files->files[files->count] = open_file(files->dataset, name, build_id);
	return files->files[files->count++];
}

void source_files_fini(struct source_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		struct source_file *file = files->files[i];

		exp_source_fini(&file->source);
		free(file->tried);
		free(file->lines);
		free(file);
	}
	free(files->files);
}

char *source_file_line(const struct source_file *file, size_t line)
{
	const char *text, *end;
	char *copy;
	size_t len = 0;

	if (file->status != 0 || line < 1 || line > file->count)
		return NULL;
	text = file->source.text + file->lines[line - 1];
	end = line < file->count ? file->source.text + file->lines[line]
	                         : file->source.text + file->source.size;
	while (end > text && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	copy = memory_take((size_t)(end - text) * TAB + 1, 1);
	for (; text < end && *text != '\0'; text++) {
		size_t stop = *text == '\t' ? (len / TAB + 1) * TAB : len + 1;

		memset(copy + len, *text == '\t' ? ' ' : *text, stop - len);
		len = stop;
	}
	return copy;
}

void source_file_explain(const struct dataset *dataset, struct output *output, const char *command,
                         const struct source_file *file)
{
	if (file->status == -EFBIG)
		output_fail(output, EXIT_TROUBLE, "%s: %s is too long", command, file->name);
	else
		output_fail(
			output, EXIT_TROUBLE,
			"%s: no source file %s (tried: %s%s%zu places of the search path %s); say where it is now with "
			"pathmap OLD-PREFIX NEW-PREFIX or setpath DIRECTORY (xcollect -A src keeps sources in the experiment)",
			command, file->name, !file->tried ? "" : file->tried,
			!file->tried ? "" : ", ", file->searched,
			exp_paths_list(symbols_paths(dataset->symbols)));
}

const char *source_file_origin(const struct source_file *file)
{
	switch (file->source.origin) {
	case EXP_SOURCE_MAPPED:
		return "by pathmap";
	case EXP_SOURCE_ARCHIVED:
		return "from the archive";
	case EXP_SOURCE_RECORDED:
		return "where it was compiled";
	case EXP_SOURCE_SEARCHED:
		return "by setpath";
	case EXP_SOURCE_SERVED:
		return "from a debuginfod server";
	}
	return "";
}

void source_file_check(const struct dataset *dataset, struct output *output,
                       const struct source_file *file, const uint8_t *sum)
{
	int64_t start_s = INT64_MAX;
	uint8_t own[EXP_MD5_SIZE];

	if (sum) {
		exp_md5(file->source.text, file->source.size, own);
		if (memcmp(own, sum, sizeof(own)) != 0)
			print_note(output,
			           "warning: %s is not what was compiled: lines may not fit",
			           file->source.path);
		return;
	}

	for (size_t i = 0; i < dataset->count; i++) {
		int64_t at_s = dataset->experiments[i].info->start_real_ns / 1000000000;

		if (at_s < start_s)
			start_s = at_s;
	}
	if (file->source.origin != EXP_SOURCE_ARCHIVED &&
	    file->source.origin != EXP_SOURCE_SERVED && file->source.modified_s > start_s)
		print_note(output,
		           "warning: %s was changed after the recording began: lines may not fit",
		           file->source.path);
}

int source_is_same(const char *left, const char *right)
{
	char one[PATH_MAX], other[PATH_MAX];

	if (left == right || strcmp(left, right) == 0)
		return 1;
	/* Names that differ in their last component need no resolving. */
	if (strcmp(text_base(left), text_base(right)) != 0)
		return 0;
	return exp_source_name(one, sizeof(one), left) == 0 &&
	       exp_source_name(other, sizeof(other), right) == 0 && strcmp(one, other) == 0;
}

int source_is_called(const char *file, const char *name)
{
	size_t len = strlen(file), name_len = strlen(name);

	if (source_is_same(file, name))
		return 1;
	return name_len != 0 && name_len < len && file[len - name_len - 1] == '/' &&
	       strcmp(file + len - name_len, name) == 0;
}
