/* complete.c: gives the experiment of a process that had nothing to record until its end the files
 * that every finished experiment has: map.xml, without objects, and overview, with the usage at its
 * start and its end. The process has written log.xml alone, which costs it least. Java experiments
 * get JAVA_CLASSES, the classes of the methods in map.xml. */
#include "experiment/archive/complete.h"

#include "experiment/archive/copy.h"
#include "experiment/base/internal.h"
#include "experiment/jit/java.h"
#include "format/fdr.h"
#include "format/layout.h"
#include "format/memstream.h"
#include "format/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ORDINAL = 1, SAMPLES = 2, FILE_SIZE = FDR_PAGE };

/* The file gets its name when it is whole. One that is there stays. */
static int make_file(int directory, const char *name, const char *temporary, const void *bytes,
                     size_t size)
{
	int fd, status = 0;

	if (faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	            FMT_FILE_MODE | exp_copy_mode(directory));
	if (fd < 0)
		return -errno;
	exp_copy_give(fd, directory);
	if (write(fd, bytes, size) != (ssize_t)size)
		status = -EIO;
	close(fd);
	if (status == 0 && linkat(directory, temporary, directory, name, 0) != 0 && errno != EEXIST)
		status = -errno;
	unlinkat(directory, temporary, 0);
	return status;
}

/* At the start, nothing had been used. */
static uint8_t *put_usage(uint8_t *at, const struct experiment *experiment, unsigned number)
{
	static const struct exp_usage none = {.threads = 1};
	const struct exp_clock *clock = &experiment->clock;
	int is_end = number == SAMPLES;
	const struct exp_usage *usage = is_end ? &experiment->end_usage : &none;
	uint64_t ticks = is_end ? experiment->end_ticks : clock->start.ticks;
	uint64_t passed_ns = (uint64_t)((double)(ticks - clock->start.ticks) / clock->hz * 1e9);
	struct fmt_usage record = {
		.kind = FMT_KIND_usage,
		.reason = is_end ? FMT_sample_reason_END : FMT_sample_reason_START,
		.number = number,
		.raw_ns = clock->start.raw_ns + passed_ns,
		.real_ns = experiment->info.start_real_ns + passed_ns,
	};

#define PUT(field) record.field = usage->field
	PUT(user_ns);
	PUT(system_ns);
	PUT(cpu_ns);
	PUT(maxrss_kib);
	PUT(minflt);
	PUT(majflt);
	PUT(inblock);
	PUT(oublock);
	PUT(nvcsw);
	PUT(nivcsw);
	PUT(threads);
#undef PUT
	fdr_event_put(at, sizeof(record), ticks, 0);
	fdr_payload_put(at + FDR_METADATA_SIZE, &record, sizeof(record));
	return at + FDR_METADATA_SIZE + sizeof(record);
}

/* Its only thread. */
static uint8_t *put_thread(uint8_t *at, const struct experiment *experiment)
{
	const struct fmt_thread record = {.kind = FMT_KIND_thread,
	                                  .origin = FMT_thread_origin_MAIN,
	                                  .tid = (uint32_t)experiment->info.pid,
	                                  .start_ns = experiment->clock.start_mono_ns};

	fdr_event_put(at, sizeof(record), experiment->clock.start.ticks, 0);
	fdr_payload_put(at + FDR_METADATA_SIZE, &record, sizeof(record));
	return at + FDR_METADATA_SIZE + sizeof(record);
}

static int make_overview(const struct experiment *experiment)
{
	static uint64_t words[FILE_SIZE / sizeof(uint64_t)];
	uint8_t *file = (uint8_t *)words, *at = file + FDR_HEADER_SIZE;
	const struct fdr_header header = {.version = FDR_VERSION,
	                                  .type = FDR_TYPE,
	                                  .constant_tsc = 1,
	                                  .nonstop_tsc = 1,
	                                  .cycle_frequency = (uint64_t)experiment->clock.hz,
	                                  .buffer_size = FILE_SIZE - FDR_HEADER_SIZE};
	const struct fdr_prologue prologue = {
		.tid = (uint32_t)experiment->info.pid,
		.ordinal = ORDINAL,
		.extent_left = FILE_SIZE - FDR_HEADER_SIZE,
		.tsc = experiment->clock.start.ticks,
		.wall_ns = (uint64_t)((double)experiment->clock.start.ticks / experiment->clock.hz *
	                              1e9)};

	memset(words, 0, sizeof(words));
	fdr_header_put(file, &header);
	fdr_prologue_put(at, &prologue);
	at = put_thread(at + FDR_PROLOGUE_SIZE, experiment);
	for (unsigned number = 1; number <= SAMPLES; number++)
		at = put_usage(at, experiment, number);
	return make_file(experiment->directory, "overview", ".overview.new", file, FILE_SIZE);
}

static int by_class(const void *left, const void *right)
{
	const struct exp_method *const *a = left, *const *b = right;

	return strcmp((*a)->class_name, (*b)->class_name);
}

/* What would break a line is left out. */
static void put_word(FILE *out, const char *word)
{
	for (; *word; word++)
		if ((unsigned char)*word >= ' ')
			fputc(*word, out);
}

/* A line for each class of a method that was called: its name and, if it is known, its source file.
 */
static void put_classes(FILE *out, const struct exp_method **methods, size_t count)
{
	qsort(methods, count, sizeof(const struct exp_method *), by_class);
	for (size_t i = 0; i < count; i++) {
		if (i != 0 && by_class(&methods[i - 1], &methods[i]) == 0)
			continue;
		put_word(out, methods[i]->class_name);
		if (methods[i]->source) {
			fputc('\t', out);
			put_word(out, methods[i]->source);
		}
		fputc('\n', out);
	}
}

static int make_classes(const struct experiment *experiment)
{
	size_t count = experiment->methods.count, size = 0;
	const struct exp_method **methods = calloc(count, sizeof(const struct exp_method *));
	char *text = NULL;
	FILE *out = methods ? memstream_open(&text, &size) : NULL;
	int status = -ENOMEM;

	for (size_t i = 0; out && i < count; i++)
		methods[i] = &experiment->methods.methods[i];
	if (out) {
		put_classes(out, methods, count);
		status = ferror(out) ? -ENOMEM : 0;
		if (fclose(out) != 0)
			status = -ENOMEM;
	}
	if (status == 0)
		status = make_file(experiment->directory, "JAVA_CLASSES", ".classes.new", text,
		                   size);
	free(text);
	free(methods);
	return status;
}

int exp_complete(struct experiment *experiment)
{
	static const char map[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<" FMT_MAP_ROOT
				  " version=\"1.0\">\n</" FMT_MAP_ROOT ">\n";
	int status = 0;

	if (experiment->directory >= 0 && experiment->methods.count != 0)
		status = make_classes(experiment);
	if (status != 0 || experiment->end_usage.cpu_ns == 0 || experiment->directory < 0 ||
	    experiment->end_ticks < experiment->clock.start.ticks || experiment->clock.hz < 1 ||
	    experiment->info.damaged)
		return status;
	status = make_overview(experiment);
	if (status == 0)
		status = make_file(experiment->directory, FMT_FILE_MAP, ".map.new", map,
		                   sizeof(map) - 1);
	return status;
}
