/* directory.c: create the directory of a descendant. See directory.h.
 *
 * Its log.xml is like that which xcollect writes for a founder, without what is the same in the
 * whole tree: host, settings, schema. The name of the directory is taken by mkdir, which is
 * exclusive; log.xml comes last and whole, by a rename. */
#include "libcollector/process/directory.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/write/account.h"
#include "libcollector/write/log.h"
#include "libcollector/object/map.h"

#include "format/layout.h"
#include "format/lineage.h"

#include <errno.h>

#define DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define NEW_LOG ".log.new"
#define NEW_MAP ".map.new"

enum { NAMES_MAX = 1 << 24, TRIES = 10000, CHUNK = 512, LINK_MAX_LEN = 4096 };

/* A file under construction: text that goes out when it is half full. */
struct sink {
	struct xml_text text;
	int fd;
	uint64_t at;
	int error;
};

static void flush(struct sink *sink)
{
	if (sink->error == 0 && sink->text.overflow)
		sink->error = -E2BIG;
	if (sink->error == 0)
		sink->error = col_file_may_grow(sink->at + sink->text.len);
	if (sink->error == 0 &&
	    sys_pwrite(sink->fd, sink->text.at, sink->text.len, sink->at) != (long)sink->text.len)
		sink->error = -ENOSPC;
	sink->at += sink->text.len;
	sink->text.len = 0;
}

static void put_some(struct sink *sink, const char *bytes, size_t len)
{
	xml_put_content(&sink->text, bytes, len);
	if (sink->text.len > sink->text.capacity / 2)
		flush(sink);
}

/* The arguments are separated by NULs; an argument may span several chunks. */
static void put_chunk(struct sink *sink, const char *bytes, size_t len, int *is_open)
{
	while (len > 0) {
		size_t part = strnlen(bytes, len);

		if (!*is_open)
			xml_put(&sink->text, "<arg>");
		put_some(sink, bytes, part);
		*is_open = part == len;
		if (*is_open)
			return;
		xml_put(&sink->text, "</arg>\n");
		bytes += part + 1;
		len -= part + 1;
	}
}

static void put_arguments(struct sink *sink)
{
	char chunk[CHUNK];
	int is_open = 0;
	long fd = sys_openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY, 0);
	long len;

	if (fd < 0)
		return;
	while ((len = SYS3(SYS_read, fd, chunk, sizeof(chunk))) > 0)
		put_chunk(sink, chunk, (size_t)len, &is_open);
	if (is_open)
		xml_put(&sink->text, "</arg>\n");
	sys_close((int)fd);
}

static void put_cwd(struct sink *sink)
{
	char *cwd = col_text_borrow();
	long len = cwd ? SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/cwd", cwd, LINK_MAX_LEN) : 0;

	xml_put(&sink->text, " cwd=\"");
	if (len > 0)
		put_some(sink, cwd, (size_t)len);
	xml_put(&sink->text, "\"");
	if (cwd)
		col_text_return(cwd);
}

static void put_process(struct sink *sink)
{
	xml_put(&sink->text, "<process");
	xml_put_number(&sink->text, "pid", (uint64_t)col.pid);
	xml_put_number(&sink->text, "ppid", (uint64_t)SYS0(SYS_getppid));
	put_cwd(sink);
	xml_put(&sink->text, " program=\"");
	put_some(sink, map_program(), strlen(map_program()));
	xml_put(&sink->text, "\"");
	xml_put_string(&sink->text, "lineage", col.descriptor.step.lineage);
	xml_put(&sink->text, ">\n");
	put_arguments(sink);
	xml_put(&sink->text, "</process>\n");
}

static void put_clock(struct xml_text *text, const struct process_moment *start)
{
	xml_put(text, "<clock");
	xml_put_string(text, "source", col.descriptor.clock_is_tsc ? "tsc" : "raw");
	xml_put_number(text, "hz", col.descriptor.clock_hz);
	xml_put_number(text, "ticks", start->ticks);
	xml_put_number(text, "raw_ns", start->raw_ns);
	xml_put_number(text, "real_ns", start->real_ns);
	xml_put_number(text, "mono_ns", start->mono_ns);
	xml_put(text, "/>\n");
}

static void put_log(struct sink *sink, const struct process_moment *start)
{
	xml_put(&sink->text, DECLARATION "<" FMT_LOG_ROOT " version=\"" FMT_VERSION_TEXT "\">\n");
	xml_put(&sink->text, "<collector version=\"" XER_VERSION "\"/>\n");
	put_process(sink);
	put_clock(&sink->text, start);
	while (!xml_end_is_appendable(sink->at + sink->text.len, FMT_LOG_CLOSE) &&
	       !sink->text.overflow)
		xml_put(&sink->text, " ");
	xml_put(&sink->text, FMT_LOG_CLOSE);
}

static int write_log(const struct process_moment *start)
{
	char *memory = col_text_borrow();
	struct sink sink = {.text = {.at = memory, .capacity = COL_TEXT_SIZE}};
	int directory;

	if (!memory)
		return -EBUSY;
	directory = col_directory_get();
	sink.fd = (int)col_file_open(directory, NEW_LOG, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
	                             FMT_FILE_MODE);
	if (sink.fd < 0) {
		sink.error = sink.fd;
	} else {
		col_file_make_usable(sink.fd);
		put_log(&sink, start);
		flush(&sink);
		sys_close(sink.fd);
		account_add(sink.at);
	}
	col_text_return(memory);
	if (sink.error == 0)
		sink.error = (int)SYS4(SYS_renameat, directory, NEW_LOG, directory, FMT_FILE_LOG);
	col_place_done(directory);
	return sink.error;
}

static int make_map(void *unused)
{
	static const char text[] = DECLARATION "<" FMT_MAP_ROOT " version=\"" FMT_VERSION_TEXT
					       "\">\n" FMT_MAP_CLOSE;
	int directory = col_directory_get();
	long fd = col_file_open(directory, NEW_MAP, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
	                        FMT_FILE_MODE);
	int error = fd < 0 ? (int)fd : col_file_may_grow(sizeof(text));

	(void)unused;
	if (error == 0)
		col_file_make_usable((int)fd);
	if (error == 0 && sys_pwrite((int)fd, text, sizeof(text) - 1, 0) != sizeof(text) - 1)
		error = -ENOSPC;
	if (fd >= 0)
		sys_close((int)fd);
	if (error == 0)
		error = (int)SYS4(SYS_renameat, directory, NEW_MAP, directory, FMT_FILE_MAP);
	col_place_done(directory);
	return error;
}

int directory_make_map(void)
{
	return col_file_with_free(make_map, NULL);
}

/* The name that is `more` numbers after the one that the process was given, as
 * name[LINEAGE_MAX + 4]. Returns 0 or -errno. */
static int directory_name(char *name, uint32_t more)
{
	int error;

	strcpy(name, col.descriptor.step.lineage);
	error = more ? lineage_count_on(name, more) : 0;
	strcat(name, FMT_EXPERIMENT_SUFFIX);
	return error;
}

static int is_taken(int founder, uint32_t more)
{
	char name[LINEAGE_MAX + sizeof(FMT_EXPERIMENT_SUFFIX)];

	return directory_name(name, more) == 0 && SYS3(SYS_faccessat, founder, name, F_OK) == 0;
}

/* A number behind `taken` that is free, and the one before it is not. Mostly there are no gaps: so
 * of thousands of names, some twenty are looked at. */
static uint32_t find_free(int founder, uint32_t taken)
{
	uint32_t step = 1, free;

	while (step < NAMES_MAX && is_taken(founder, taken + step)) {
		taken += step;
		step *= 2;
	}
	free = taken + step;
	while (free - taken > 1) {
		uint32_t middle = taken + (free - taken) / 2;

		if (is_taken(founder, middle))
			taken = middle;
		else
			free = middle;
	}
	return free;
}

/* Returns 0 with the directory's name in name[LINEAGE_MAX + 4], or -errno. Others may take what was
 * free a moment ago. */
static int take_name(char *name, int founder)
{
	uint32_t more = 0;

	for (int i = 0; i < TRIES; i++) {
		int error = directory_name(name, more);

		if (error == 0)
			error = (int)SYS3(SYS_mkdirat, founder, name, FMT_DIRECTORY_MODE);
		if (error == 0 && more)
			error = lineage_count_on(col.descriptor.step.lineage, more);
		if (error != -EEXIST)
			return error;
		more = find_free(founder, more);
	}
	return -EEXIST;
}

int directory_make(const struct process_moment *start)
{
	char name[LINEAGE_MAX + sizeof(FMT_EXPERIMENT_SUFFIX)];
	int founder = col_founder_get();
	int error = founder < 0 ? founder : take_name(name, founder);

	if (error == 0)
		error = col_directory_open(name);
	if (error == -EACCES &&
	    SYS4(SYS_fchmodat, founder, name, FMT_DIRECTORY_MODE, 0) == 0) /* a umask as above */
		error = col_directory_open(name);
	if (error == 0)
		error = write_log(start);
	if (error == -EMFILE && founder >= 0) /* it is tried again */
		SYS3(SYS_unlinkat, founder, name, AT_REMOVEDIR);
	col_place_done(founder);
	return error;
}

void directory_log_open(const struct process_moment *start)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	xml_put(&text, " <event kind=\"open\"");
	xml_put_number(&text, "time", start->ticks);
	xml_put_number(&text, "tid", (uint64_t)sys_gettid());
	xml_put_number(&text, "raw_ns", start->raw_ns);
	xml_put_number(&text, "real_ns", start->real_ns);
	col_event_end(&text);
}
