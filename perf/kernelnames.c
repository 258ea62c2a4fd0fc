/* kernelnames.c: see kernelnames.h. The table of the running kernel is read at the beginning, and
 * again when an address is met that it does not have: a module may have been loaded since. See
 * doc/decisions/106-kernel-frames.md. */
#include "perf/kernelnames.h"

#include "format/layout.h"
#include "format/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KALLSYMS "/proc/kallsyms"

enum { SLOTS_MIN = 1024, TEXT_STEP = 1 << 20, TEXT_MAX = 256 << 20, LINE_MAX_BYTES = 640 };
enum { REREAD_S = 1 };

/* ---- the table */

/* The next hexadecimal number of a line. */
static uint64_t read_hex(const char **at)
{
	uint64_t value = 0;

	for (;; ++*at) {
		char c = **at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			return value;
	}
}

static int is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Of several names of one address, the one that programmers know: without underscores, one that
 * other files see; and a system call of 64 bits, where those of 32 bits are the same code. */
static int rank(const struct kernel_name *name, char type)
{
	static const char system_call[] = "__x64_";
	size_t underscores = 0;
	int is_usual;

	while (underscores < name->name_size && name->name[underscores] == '_')
		underscores++;
	is_usual = name->name_size > strlen(system_call) &&
	           memcmp(name->name, system_call, strlen(system_call)) == 0;
	return (int)underscores * 8 + (type == 't') * 4 + (type == 'w' || type == 'W') * 2 +
	       !is_usual;
}

/* A line "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME\t[MODULE]" up to `end`. */
static int read_line(const char *at, const char *end, struct kernel_name *out, char *type)
{
	const char *tab;

	*out = (struct kernel_name){.start = read_hex(&at)};
	if (end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return 0;
	*type = at[1];
	at += 3;
	tab = memchr(at, '\t', (size_t)(end - at));
	out->name = at;
	out->name_size = (size_t)((tab ? tab : end) - at);
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		out->module = tab + 2;
		out->module_size = (size_t)(end - 1 - out->module);
	}
	return out->name_size > 0;
}

struct ranked {
	struct kernel_name name;
	int rank; /* < 0: no code, but where the code before it ends */
};

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->name.start != y->name.start)
		return x->name.start < y->name.start ? -1 : 1;
	if ((x->rank < 0) != (y->rank < 0))
		return x->rank < 0 ? 1 : -1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static size_t count_lines(const char *text, size_t size)
{
	size_t lines = 1;

	for (const char *at = text; (at = memchr(at, '\n', size - (size_t)(at - text))); at++)
		lines++;
	return lines;
}

/* Names by address, the preferred one of each. Returns their number. */
static size_t unite(struct ranked *all, size_t count, struct kernel_name *names)
{
	size_t kept = 0;

	qsort(all, count, sizeof(*all), compare);
	for (size_t i = 0; i < count; i++) {
		size_t next = i + 1;

		while (next < count && all[next].name.start == all[i].name.start)
			next++;
		if (all[i].rank >= 0) {
			names[kept] = all[i].name;
			names[kept++].end = next < count ? all[next].name.start : UINT64_MAX;
		}
		i = next - 1;
	}
	return kept;
}

int kernel_table_read(struct kernel_table *table, char *text, size_t text_size)
{
	size_t lines = count_lines(text, text_size), count = 0;
	struct ranked *all = calloc(lines, sizeof(*all));
	const char *end = text + text_size, *line_end;
	char type = 0;

	*table = (struct kernel_table){.text = text};
	table->names = calloc(lines, sizeof(*table->names));
	if (!all || !table->names) {
		free(all);
		kernel_table_free(table);
		return -ENOMEM;
	}
	for (const char *at = text; (line_end = memchr(at, '\n', (size_t)(end - at)));
	     at = line_end + 1) {
		struct ranked *one = &all[count];

		if (!read_line(at, line_end, &one->name, &type) || one->name.start == 0)
			continue;
		one->rank = is_text(type) ? rank(&one->name, type) : -1;
		count++;
	}
	table->count = unite(all, count, table->names);
	free(all);
	return table->count > 0 ? 0 : -EACCES;
}

void kernel_table_free(struct kernel_table *table)
{
	free(table->text);
	free(table->names);
	*table = (struct kernel_table){0};
}

const struct kernel_name *kernel_table_find(const struct kernel_table *table, uint64_t pc)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->names[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && pc < table->names[low - 1].end ? &table->names[low - 1] : NULL;
}

/* ---- the file */

static struct {
	int fd; /* 0: there is none */
	struct kernel_table table;
	time_t read_s;   /* when it was read, of CLOCK_MONOTONIC */
	uint64_t *known; /* known[slots], by hash: starts of names that are written, and addresses
	                    that have none */
	size_t slots, used;
	char waiting[1 << 14];
	size_t size;
} file;

static size_t slot_of(const uint64_t *known, size_t slots, uint64_t value)
{
	size_t slot = (size_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (slots - 1);

	while (known[slot] != 0 && known[slot] != value)
		slot = (slot + 1) & (slots - 1);
	return slot;
}

/* Returns 1 if the value was not known before. Without memory nothing is, and names are missing. */
static int is_new(uint64_t value)
{
	size_t slots = file.slots > 0 ? file.slots * 2 : SLOTS_MIN, slot;

	if (file.used * 2 >= file.slots) {
		uint64_t *grown = calloc(slots, sizeof(*grown));

		for (size_t i = 0; grown && i < file.slots; i++)
			if (file.known[i] != 0)
				grown[slot_of(grown, slots, file.known[i])] = file.known[i];
		if (!grown)
			return 0;
		free(file.known);
		file.known = grown;
		file.slots = slots;
	}
	slot = slot_of(file.known, file.slots, value);
	if (file.known[slot] == value)
		return 0;
	file.known[slot] = value;
	file.used++;
	return 1;
}

/* The whole file, whose size nobody knows. NULL: it cannot be read. */
static char *read_all(size_t *size)
{
	int fd = open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	size_t capacity = 0;
	char *text = NULL;
	ssize_t got = fd < 0 ? -1 : 1;

	*size = 0;
	while (got > 0 && *size < TEXT_MAX) {
		if (capacity - *size < TEXT_STEP) {
			char *grown = realloc(text, capacity += 8 * TEXT_STEP);

			if (!grown)
				break;
			text = grown;
		}
		got = read(fd, text + *size, capacity - *size);
		*size += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (got == 0)
		return text;
	free(text);
	return NULL;
}

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void read_table(void)
{
	size_t size;
	char *text = read_all(&size);

	file.read_s = now_s();
	if (!text)
		return;
	kernel_table_free(&file.table);
	if (kernel_table_read(&file.table, text, size) < 0)
		kernel_table_free(&file.table);
}

/* The table takes longer to read than rings of short periods can wait. */
int kernelnames_begin(int directory)
{
	int fd = openat(directory, FMT_FILE_SAMPLER_KERNEL,
	                O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, FMT_FILE_MODE);

	if (fd < 0)
		return -errno;
	file.fd = fd;
	read_table();
	return 0;
}

static const struct kernel_name *find(uint64_t pc)
{
	const struct kernel_name *name = kernel_table_find(&file.table, pc);

	if (name || now_s() - file.read_s < REREAD_S)
		return name;
	read_table();
	return kernel_table_find(&file.table, pc);
}

static void put(const struct kernel_name *name)
{
	if (name->name_size + name->module_size + 64 > LINE_MAX_BYTES)
		return;
	if (sizeof(file.waiting) - file.size < LINE_MAX_BYTES)
		kernelnames_flush();
	file.size += (size_t)snprintf(file.waiting + file.size, LINE_MAX_BYTES, "%llx %llx %.*s",
	                              (unsigned long long)name->start,
	                              (unsigned long long)name->end, (int)name->name_size,
	                              name->name);
	file.size += (size_t)snprintf(file.waiting + file.size, LINE_MAX_BYTES,
	                              name->module_size > 0 ? " %.*s\n" : "\n",
	                              (int)name->module_size, name->module);
}

void kernelnames_tell(const uint64_t *pcs, size_t count)
{
	for (size_t i = 0; i < count && file.fd > 0; i++) {
		const struct kernel_name *name;

		if (!is_new(pcs[i]))
			continue;
		name = find(pcs[i]);
		if (name && (name->start == pcs[i] || is_new(name->start)))
			put(name);
	}
}

/* A line is written whole, as far as the disk has room. */
void kernelnames_flush(void)
{
	unsigned tries = 0;
	ssize_t written;

	if (file.fd <= 0 || file.size == 0)
		return;
	do
		written = write(file.fd, file.waiting, file.size);
	while (retry_call(written, &tries));
	file.size = 0;
}

void kernelnames_end(void)
{
	kernelnames_flush();
	if (file.fd > 0)
		close(file.fd);
	free(file.known);
	kernel_table_free(&file.table);
	memset(&file, 0, sizeof(file));
}
