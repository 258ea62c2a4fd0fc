/* dynamic.c: write functions that the program makes to map.xml and dyntext. See dynamic.h.
 *
 * Code that lies where unloaded code was would be misnamed, as nodes of call stacks know addresses only: it begins a new
 * generation of the address map. Which places those are is kept as a bit for each 16 bytes, by a hash: a bit too
 * many begins a generation too many, which does no harm.
 *
 * The kernel reads what the program points to, so a wrong size is an error and no crash. */
#include "dynamic.h"

#include "control.h"
#include "file.h"
#include "log.h"

#include <errno.h>

enum { GRANULE_BITS = 4, USED_BITS = 20, WORD_BITS = 64, NAME_SHOWN = 1000, ALIGNMENT = 8 };
enum { LOADED_BITS = 14, PROBES = 64, GONE = 1 };

static atomic_uint_fast64_t used[(1 << USED_BITS) / WORD_BITS]; /* places of unloaded code */

/* Sizes of what is loaded, by address (0: free, GONE). Of what finds no room the size is not known when it is unloaded. */
static struct {
	atomic_uint_fast64_t address;
	atomic_uint size;
} loaded[1 << LOADED_BITS];
static atomic_uint unknown_unloaded; /* such a one: the next load begins a generation */

static atomic_uint_fast64_t text_end;
static struct col_file text_file = {.fd = -1};
static atomic_uint text_locked; /* while the file is opened */

static unsigned place_of(uint64_t granule)
{
	return (unsigned)(granule * 0x9e3779b97f4a7c15u >> (WORD_BITS - USED_BITS));
}

static void mark_used(uint64_t start, uint64_t end)
{
	for (uint64_t at = start >> GRANULE_BITS; at <= (end - 1) >> GRANULE_BITS; at++) {
		unsigned place = place_of(at);

		atomic_fetch_or(&used[place / WORD_BITS], (uint64_t)1 << place % WORD_BITS);
	}
}

static int was_used(uint64_t start, uint64_t end)
{
	for (uint64_t at = start >> GRANULE_BITS; at <= (end - 1) >> GRANULE_BITS; at++) {
		unsigned place = place_of(at);

		if (atomic_load_explicit(&used[place / WORD_BITS], memory_order_relaxed) >> place % WORD_BITS & 1)
			return 1;
	}
	return 0;
}

static void begin_generation(void)
{
	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
		atomic_store_explicit(&used[i], 0, memory_order_relaxed);
	atomic_fetch_add(&col.generation, 1);
}

/* Returns 1 if something else is loaded there. */
static int remember(uint64_t address, unsigned size)
{
	uint64_t home = place_of(address) >> (USED_BITS - LOADED_BITS);
	int is_there = 0;

	for (unsigned i = 0; i < PROBES; i++) {
		unsigned at = (unsigned)(home + i) & ((1 << LOADED_BITS) - 1);
		uint_fast64_t seen = atomic_load(&loaded[at].address);

		is_there |= seen == address;
		if (seen != address && (seen > GONE || !atomic_compare_exchange_strong(&loaded[at].address, &seen, address)))
			continue;
		atomic_store(&loaded[at].size, size);
		break;
	}
	return is_there;
}

/* The size of what was loaded there, and is not any more. 0: not known. */
static unsigned forget(uint64_t address)
{
	uint64_t home = place_of(address) >> (USED_BITS - LOADED_BITS);

	for (unsigned i = 0; i < PROBES; i++) {
		unsigned at = (unsigned)(home + i) & ((1 << LOADED_BITS) - 1);
		unsigned size = atomic_load(&loaded[at].size);
		uint_fast64_t seen = address;

		if (atomic_compare_exchange_strong(&loaded[at].address, &seen, GONE))
			return size;
	}
	return 0;
}

/* Code comes to lie at [start, start + size): is the place free of what the current generation knows? */
static void claim(uint64_t start, unsigned size)
{
	int is_replaced = remember(start, size);

	if (is_replaced || atomic_exchange(&unknown_unloaded, 0) || was_used(start, start + size))
		begin_generation();
}

uint64_t dynamic_text_reserve(uint64_t size)
{
	return atomic_fetch_add(&text_end, size);
}

/* One thread at a time; who comes meanwhile does without. */
int dynamic_text_fd(void)
{
	int fd;

	if (atomic_exchange(&text_locked, 1))
		return -EBUSY;
	if (text_file.fd < 0) {
		long made = sys_openat(col_directory_get(), FMT_FILE_DYNTEXT, O_RDWR | O_CREAT | O_NOFOLLOW, 0644);

		fd = made < 0 ? (int)made : col_file_take(&text_file, (int)made);
	}
	fd = col_file_get(&text_file, FMT_FILE_DYNTEXT);
	atomic_store(&text_locked, 0);
	return fd;
}

/* Returns 0 or -errno. */
static int write_whole(int fd, const void *from, uint64_t size, uint64_t at)
{
	const char *bytes = from;

	while (size > 0) {
		long done = sys_pwrite(fd, bytes, size, at);

		if (done == -EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? (int)done : -ENOSPC;
		bytes += done;
		at += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return 0;
}

/* Write code[size] and, behind it, lines[line_count]. Returns 0 and the offset of the code, or -errno. */
static int write_text(const void *code, uint64_t size, const Lineno *lines, uint64_t line_count, uint64_t *at)
{
	uint64_t room = (size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
	uint64_t whole = room + line_count * sizeof(*lines);
	int fd = dynamic_text_fd();
	int error = fd < 0 ? fd : 0;

	*at = dynamic_text_reserve(whole);
	if (error == 0)
		error = col_file_may_grow(*at + whole);
	if (error == 0)
		error = write_whole(fd, code, size, *at);
	if (error == 0 && line_count > 0)
		error = write_whole(fd, lines, line_count * sizeof(*lines), *at + room);
	return error;
}

int dynamic_text_write(const void *from, uint64_t size, uint64_t *at)
{
	return write_text(from, size, NULL, 0, at);
}

static void put_name(struct xml_text *text, const char *key, const char *name)
{
	if (name)
		xml_put_attribute(text, key, name, strnlen(name, NAME_SHOWN));
}

void dynamic_load(const char *name, const char *alias, const char *source, const void *code, int size, int line_count,
                  const Lineno *lines)
{
	uint64_t count = lines && line_count > 0 ? (uint64_t)line_count : 0, at;
	sys_sigset old;
	char *memory;
	struct xml_text text;

	if (size <= 0 || !code || !control_enter(&old))
		return;
	memory = col_text_borrow();
	if (memory) {
		text = (struct xml_text){.at = memory, .capacity = COL_TEXT_SIZE};
		claim((uint64_t)code, (unsigned)size);
		xml_put(&text, " <function");
		put_name(&text, "name", name);
		put_name(&text, "alias", alias);
		put_name(&text, "source", source);
		xml_put_hex(&text, "address", (uint64_t)code);
		xml_put_number(&text, "size", (uint64_t)size);
		xml_put_number(&text, "generation", atomic_load(&col.generation));
		xml_put_number(&text, "time", col_ticks());
		if (write_text(code, (uint64_t)size, lines, count, &at) == 0) {
			xml_put_number(&text, "offset", at);
			xml_put_number(&text, "lines", count);
		}
		xml_put(&text, "/>\n");
		col_xml_append(COL_MAP, &text);
		col_text_return(memory);
	} else {
		col_count(&col.count.lost_log, 1);
	}
	control_leave(&old);
}

void dynamic_unload(const void *code)
{
	char buffer[192];
	struct xml_text text = XML_TEXT(buffer);
	sys_sigset old;
	unsigned size;

	if (!code || !control_enter(&old))
		return;
	xml_put(&text, " <function_unload");
	xml_put_hex(&text, "address", (uint64_t)code);
	xml_put_number(&text, "generation", atomic_load(&col.generation) + 1);
	xml_put_number(&text, "time", col_ticks());
	xml_put(&text, "/>\n");
	col_xml_append(COL_MAP, &text);
	size = forget((uint64_t)code);
	if (size)
		mark_used((uint64_t)code, (uint64_t)code + size);
	else
		atomic_store(&unknown_unloaded, 1);
	control_leave(&old);
}

void dynamic_forget(void)
{
	atomic_store(&text_end, 0);
	atomic_store(&text_locked, 0);
	col_file_close(&text_file);
}
