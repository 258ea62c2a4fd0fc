/* jitdump.c: reads a jitdump file: functions with times, code and lines. See jitfunctions.h. The
 * format is described in the sources of Linux, tools/perf/Documentation/jitdump-specification.txt.
 *
 * Lines of a function come in a record before it. Two habits of writers are met: V8 counts code
 * addresses of lines from an ELF header that perf puts before the code; and some versions of it
 * write names of files that are no text, without the NUL behind them, which are then all of the
 * length that fits the record's size.
 * See doc/decisions/37-jit-code.md and doc/decisions/39-address-reuse.md. */
#include "experiment/jit/jitfunctions.h"
#include "experiment/table/index.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC UINT32_C(0x4a695444) /* "JiTD" */
#define FLAG_ARCH_TIME UINT64_C(1) /* times are of the TSC */

enum { RECORD_LOAD, RECORD_MOVE, RECORD_LINES };
enum { VERSION = 1, NAME_MAX_READ = 4096, LINES_SIZE_MAX = 16 << 20, ELF_HEADER = 0x40 };

struct file_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct record_header {
	uint32_t id, size;
	uint64_t time;
};

struct load_record {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move_record {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

struct lines_record {
	uint64_t address, count;
};

struct line_entry {
	uint64_t address;
	uint32_t line, discriminator;
};

struct jitdump {
	struct exp_jit_reader *reader;
	struct exp_arena *arena;
	int is_tsc;
	uint64_t
		lines_for; /* address of the function that the last lines are for, which may be 0 */
	const struct exp_function_line *lines;
	size_t line_count; /* 0: there are none */
	const char *source;
};

static int read_at(const struct jitdump *dump, void *to, size_t size, uint64_t at)
{
	return pread(dump->reader->fd, to, size, (off_t)at) == (ssize_t)size ? 0 : -ENODATA;
}

static uint64_t ticks_of(const struct jitdump *dump, uint64_t time)
{
	const struct exp_clock *clock = &dump->reader->dynamic->experiment->clock;

	if (dump->is_tsc)
		return clock->is_tsc ? time : 0;
	return exp_clock_ticks(clock, time);
}

/* ---- lines ---- */

static int is_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] >= 0x7f)
			return 0;
	return len > 0;
}

/* Entries of names that end with a NUL, or, with a stride, all have the same size. Returns 0, or
 * -EBADMSG: they make no sense. */
static int parse_lines(struct jitdump *dump, const char *at, const char *end,
                       const struct lines_record *header, struct exp_function_line *out,
                       size_t stride)
{
	static const char same[] = "\xff";
	const char *file = NULL, *file_text = NULL;
	size_t file_len = 0;

	for (uint64_t i = 0; i < header->count; i++) {
		struct line_entry entry;
		const char *name = at + sizeof(entry);
		size_t len;

		if ((size_t)(end - at) <= sizeof(entry))
			return -EBADMSG;
		memcpy(&entry, at, sizeof(entry));
		len = stride != 0 ? stride - sizeof(entry) - 1
		                  : strnlen(name, (size_t)(end - name));
		if (entry.address < header->address ||
		    entry.address - header->address > UINT32_MAX || len >= (size_t)(end - name))
			return -EBADMSG;
		if (strncmp(name, same, sizeof(same)) != 0 &&
		    (!file_text || len != file_len || memcmp(name, file_text, len) != 0)) {
			file = is_text(name, len) ? exp_arena_text(dump->arena, name, len) : NULL;
			file_text = name;
			file_len = len;
		}
		out[i] = (struct exp_function_line){
			file, (uint32_t)(entry.address - header->address), entry.line};
		at = name + len + 1;
	}
	return 0;
}

static int by_offset(const void *left, const void *right)
{
	const struct exp_function_line *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a > b) - (a < b);
}

static void take_parsed(struct jitdump *dump, const struct lines_record *header,
                        struct exp_function_line *lines)
{
	qsort(lines, header->count, sizeof(*lines), by_offset);
	if (lines[0].offset == ELF_HEADER)
		for (uint64_t i = 0; i < header->count; i++)
			lines[i].offset -= ELF_HEADER;
	dump->lines_for = header->address;
	dump->lines = lines;
	dump->line_count = header->count;
	dump->source = lines[0].file;
}

static int take_lines(struct jitdump *dump, uint64_t at, uint64_t size)
{
	struct lines_record header;
	struct exp_function_line *lines = NULL;
	size_t rest = size - sizeof(struct record_header) - sizeof(header);
	char *bytes;
	int rc;

	dump->line_count = 0;
	if (size < sizeof(struct record_header) + sizeof(header) || size > LINES_SIZE_MAX ||
	    read_at(dump, &header, sizeof(header), at) != 0 || header.count == 0 ||
	    header.count > rest / (sizeof(struct line_entry) + 1)) {
		dump->reader->skipped++;
		return 0;
	}
	bytes = malloc(rest);
	lines = exp_arena_alloc(dump->arena, header.count * sizeof(*lines));
	rc = !bytes || !lines ? -ENOMEM : read_at(dump, bytes, rest, at + sizeof(header));
	if (rc == 0) {
		rc = parse_lines(dump, bytes, bytes + rest, &header, lines, 0);
		if (rc != 0 && rest % header.count == 0)
			rc = parse_lines(dump, bytes, bytes + rest, &header, lines,
			                 rest / header.count);
	}
	if (rc == 0)
		take_parsed(dump, &header, lines);
	else if (rc != -ENOMEM)
		dump->reader->skipped++;
	free(bytes);
	return rc == -ENOMEM ? rc : 0;
}

/* ---- functions ---- */

static void give_lines(struct jitdump *dump, struct exp_function *function)
{
	if (dump->line_count == 0 || dump->lines_for != function->address ||
	    dump->lines[dump->line_count - 1].offset > function->size + ELF_HEADER)
		return;
	function->lines = dump->lines;
	function->line_count = dump->line_count;
	function->line = dump->lines[0].line;
	if (dump->source)
		function->source = dump->source;
	dump->line_count = 0;
}

static int take_load(struct jitdump *dump, const struct record_header *record, uint64_t at)
{
	struct load_record load;
	char name[NAME_MAX_READ];
	size_t room = record->size - sizeof(*record) - sizeof(load), len;
	struct exp_function function = {
		.origin = EXP_ORIGIN_JITDUMP, .generation_to = UINT32_MAX, .ticks_to = UINT64_MAX};
	const struct exp_clock *clock = &dump->reader->dynamic->experiment->clock;

	if (record->size <= sizeof(*record) + sizeof(load) ||
	    read_at(dump, &load, sizeof(load), at) != 0 || load.size > room - 1) {
		dump->reader->skipped++;
		return 0;
	}
	len = room - load.size < sizeof(name) ? room - load.size : sizeof(name);
	if (read_at(dump, name, len, at + sizeof(load)) != 0 || strnlen(name, len) == len) {
		dump->reader->skipped++;
		return 0;
	}
	function.name = exp_arena_string(dump->arena, name);
	function.address = load.address;
	function.size = load.size;
	function.ticks_from = ticks_of(dump, record->time);
	function.time_s = exp_clock_seconds(clock, function.ticks_from);
	function.has_text = 1;
	function.text_offset = at + sizeof(load) + strlen(name) + 1;
	function.text_file = dump->reader->file;
	if (!function.name || exp_jit_find_source(dump->arena, &function) != 0)
		return -ENOMEM;
	give_lines(dump, &function);
	return exp_jit_add(dump->reader, &function);
}

/* The last function at an address goes elsewhere. Only the last ones are looked at: a file may have
 * any number of moves. */
static int take_move(struct jitdump *dump, const struct record_header *record, uint64_t at)
{
	enum { LOOKED_AT_MAX = 1 << 16 };
	struct exp_dynamic *dynamic = dump->reader->dynamic;
	struct move_record move;
	struct exp_function moved;

	if (record->size < sizeof(*record) + sizeof(move) ||
	    read_at(dump, &move, sizeof(move), at) != 0) {
		dump->reader->skipped++;
		return 0;
	}
	for (size_t i = dynamic->count, n = 0; i > 0 && n < LOOKED_AT_MAX; i--, n++) {
		struct exp_function *function = &dynamic->functions[i - 1];

		if (function->origin != EXP_ORIGIN_JITDUMP || function->address != move.from ||
		    function->ticks_to != UINT64_MAX)
			continue;
		moved = *function;
		moved.ticks_from = ticks_of(dump, record->time);
		moved.address = move.to;
		function->ticks_to = moved.ticks_from;
		dump->reader->functions--;
		return exp_jit_add(dump->reader, &moved);
	}
	dump->reader->skipped++;
	return 0;
}

static int take_record(struct jitdump *dump, const struct record_header *record, uint64_t at)
{
	switch (record->id) {
	case RECORD_LOAD:
		return take_load(dump, record, at);
	case RECORD_MOVE:
		return take_move(dump, record, at);
	case RECORD_LINES:
		return take_lines(dump, at, record->size);
	default: /* unwinding information, the end, and what is to come */
		return 0;
	}
}

/* Is it a file of this process, and from a machine like this? Returns where the records begin, or
 * 0. */
static uint64_t read_header(struct jitdump *dump)
{
	struct exp_jit_reader *reader = dump->reader;
	struct file_header header;

	if (read_at(dump, &header, sizeof(header), 0) != 0)
		reader->fault = "no header";
	else if (header.magic != MAGIC || header.version != VERSION || header.size < sizeof(header))
		reader->fault = "no jitdump of version 1";
	else if (header.machine != EM_X86_64)
		reader->fault = "code of another machine";
	else if ((int64_t)header.pid != reader->dynamic->experiment->info.pid)
		reader->fault = "of another process";
	dump->is_tsc = (header.flags & FLAG_ARCH_TIME) != 0;
	return !reader->fault ? header.size : 0;
}

int exp_jitdump_read(struct exp_jit_reader *reader)
{
	struct jitdump dump = {.reader = reader, .arena = &reader->dynamic->experiment->arena};
	struct record_header record;
	uint64_t at = read_header(&dump);
	int rc = 0;

	while (rc == 0 && !reader->fault && at < reader->size) {
		if (read_at(&dump, &record, sizeof(record), at) != 0 ||
		    record.size > reader->size - at)
			reader->fault = "it is cut off";
		else if (record.size < sizeof(record))
			reader->fault = "a record without a length";
		else
			rc = take_record(&dump, &record, at + sizeof(record));
		at += record.size;
	}
	return rc;
}
