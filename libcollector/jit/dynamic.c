/* dynamic.c: write JIT functions to map.xml and dyntext. See dynamic.h.
 *
 * Code at the address of unloaded code would get the wrong name, since nodes of call stacks have
 * only addresses: so all addresses of code that was unloaded get a new generation (generation.h).
 * The places of unloaded code are kept as a bit for each 16 bytes, by a hash: a false match begins
 * an unnecessary generation, which does no harm.
 *
 * The kernel reads what the program points to, so a wrong size is an error and not a crash.
 * See doc/decisions/37-jit-code.md. */
#include "libcollector/jit/dynamic.h"

#include "libcollector/object/generation.h"
#include "libcollector/thread/enter.h"
#include "libcollector/base/file.h"
#include "libcollector/base/lock.h"
#include "libcollector/write/log.h"

#include "format/retry.h"

#include <errno.h>

enum { GRANULE_BITS = 4, USED_BITS = 20, WORD_BITS = 64, NAME_SHOWN = 1000, ALIGNMENT = 8 };
enum { LOADED_BITS = 14, PROBES = 64, GONE = 1 };

static atomic_uint_fast64_t used[(1 << USED_BITS) / WORD_BITS]; /* places of unloaded code */
static atomic_uint_fast64_t used_start = UINT64_MAX, used_end;  /* all of them are in here */

/* Sizes of what is loaded, by address (0: free, GONE). If the table is full, the size is not known
 * at the unloading. */
static struct {
	atomic_uint_fast64_t address;
	atomic_uint size;
} loaded[1 << LOADED_BITS];
static atomic_uint unknown_unloaded; /* there is such code: the next load begins a generation */

static atomic_uint_fast64_t text_end;
static struct col_file text_file = {.fd = -1};
static struct col_lock text_lock; /* while the file is opened */

static unsigned place_of(uint64_t granule)
{
	return (unsigned)(granule * 0x9e3779b97f4a7c15u >> (WORD_BITS - USED_BITS));
}

static void widen_used(uint64_t start, uint64_t end)
{
	uint64_t low = atomic_load(&used_start), high = atomic_load(&used_end);

	while (start < low && !atomic_compare_exchange_weak(&used_start, &low, start))
		continue;
	while (end > high && !atomic_compare_exchange_weak(&used_end, &high, end))
		continue;
}

static void mark_used(uint64_t start, uint64_t end)
{
	widen_used(start, end);
	for (uint64_t at = start >> GRANULE_BITS; at <= (end - 1) >> GRANULE_BITS; at++) {
		unsigned place = place_of(at);

		atomic_fetch_or(&used[place / WORD_BITS], (uint64_t)1 << place % WORD_BITS);
	}
}

static int was_used(uint64_t start, uint64_t end)
{
	for (uint64_t at = start >> GRANULE_BITS; at <= (end - 1) >> GRANULE_BITS; at++) {
		unsigned place = place_of(at);

		if (atomic_load_explicit(&used[place / WORD_BITS], memory_order_relaxed) >>
		            place % WORD_BITS &
		    1)
			return 1;
	}
	return 0;
}

/* Of [start, end) and all places that were used; another thread may have taken note of the range
 * at the same time. */
static void begin_generation(uint64_t start, uint64_t end)
{
	uint64_t first = atomic_exchange(&used_start, UINT64_MAX),
		 last = atomic_exchange(&used_end, 0);

	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
		atomic_store_explicit(&used[i], 0, memory_order_relaxed);
	generation_renew(first < start ? first : start, last > end ? last : end);
}

/* Returns the size of what was loaded there before, 0: nothing. */
static unsigned remember(uint64_t address, unsigned size)
{
	uint64_t home = place_of(address) >> (USED_BITS - LOADED_BITS);
	unsigned before = 0;

	for (unsigned i = 0; i < PROBES; i++) {
		unsigned at = (unsigned)(home + i) & ((1 << LOADED_BITS) - 1);
		uint_fast64_t seen = atomic_load(&loaded[at].address);

		if (seen == address)
			before = atomic_exchange(&loaded[at].size, size);
		else if (seen <= GONE &&
		         atomic_compare_exchange_strong(&loaded[at].address, &seen, address))
			atomic_store(&loaded[at].size, size);
		else
			continue;
		break;
	}
	return before;
}

/* The size of what was loaded there, and is being unloaded. 0: not known. */
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

/* Code is loaded at [start, start + size). Returns its generation, of which no node has other code
 * there. */
static uint32_t claim(uint64_t start, unsigned size)
{
	unsigned before = remember(start, size), larger = before > size ? before : size;

	if (atomic_exchange(&unknown_unloaded, 0))
		widen_used(0, UINT64_MAX);
	else if (before || was_used(start, start + size))
		widen_used(start, start + larger);
	else
		return generation_unite(start, start + size);
	begin_generation(start, start + larger);
	return generation_unite(start, start + size);
}

uint64_t dynamic_text_reserve(uint64_t size)
{
	return atomic_fetch_add(&text_end, size);
}

static int open_text(void)
{
	if (text_file.fd < 0) {
		int directory = col_directory_get();
		long made = directory < 0
		                    ? directory
		                    : col_file_open(directory, FMT_FILE_DYNTEXT,
		                                    O_RDWR | O_CREAT | O_NOFOLLOW, FMT_FILE_MODE);

		col_place_done(directory);
		if (made >= 0)
			col_file_take(&text_file, FMT_FILE_DYNTEXT, (int)made);
	}
	return col_file_get(&text_file, FMT_FILE_DYNTEXT);
}

int dynamic_text_fd(void)
{
	sys_sigset old;
	int fd;

	sys_block_signals(&old);
	fd = col_lock_take(&text_lock);
	if (fd == 0) {
		fd = open_text();
		col_lock_give(&text_lock);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return fd;
}

/* Returns 0 or -errno. */
static int write_whole(int fd, const void *from, uint64_t size, uint64_t at)
{
	const char *bytes = from;
	unsigned tries = 0;

	while (size > 0) {
		long done = sys_pwrite(fd, bytes, size, at);

		if (retry(done == -EINTR, &tries))
			continue;
		if (done <= 0)
			return done < 0 ? (int)done : -ENOSPC;
		bytes += done;
		at += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return 0;
}

int dynamic_text_put(const void *from, uint64_t size, uint64_t at)
{
	int fd = dynamic_text_fd();
	int error = fd < 0 ? fd : col_file_may_grow(at + size);

	return error == 0 ? write_whole(fd, from, size, at) : error;
}

int dynamic_write(const void *first, uint64_t first_size, const void *second, uint64_t second_size,
                  uint64_t *at)
{
	uint64_t room = (first_size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
	uint64_t whole = room + ((second_size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1));
	int fd = dynamic_text_fd();
	int error = fd < 0 ? fd : 0;

	*at = dynamic_text_reserve(whole);
	if (error == 0)
		error = col_file_may_grow(*at + whole);
	if (error == 0)
		error = write_whole(fd, first, first_size, *at);
	if (error == 0)
		error = write_whole(fd, second, second_size, *at + room);
	return error;
}

int dynamic_text_write(const void *from, uint64_t size, uint64_t *at)
{
	return dynamic_write(from, size, NULL, 0, at);
}

static void put_name(struct xml_text *text, const char *key, const char *name)
{
	if (name)
		xml_put_attribute(text, key, name, strnlen(name, NAME_SHOWN));
}

/* What follows the code in dyntext: lines, or places and calls. */
static const void *tables_of(const struct dynamic_function *function, uint64_t *size)
{
	if (function->place_count) {
		*size = function->place_count * sizeof(*function->places) +
		        function->call_count * sizeof(struct dynamic_call);
		return function->places;
	}
	*size = function->line_count * sizeof(*function->lines);
	return function->lines;
}

static void put_function(struct xml_text *text, const struct dynamic_function *function,
                         uint32_t generation, dynamic_writer *write)
{
	uint64_t size, at;
	const void *tables = tables_of(function, &size);

	xml_put(text, " <function");
	put_name(text, "name", function->name);
	put_name(text, "alias", function->alias);
	put_name(text, "source", function->source);
	if (function->method)
		xml_put_number(text, "method", function->method);
	if (function->is_machine)
		xml_put_string(text, "kind", "jvm");
	xml_put_hex(text, "address", (uint64_t)function->code);
	xml_put_number(text, "size", (uint64_t)function->size);
	xml_put_number(text, "generation", generation);
	xml_put_number(text, "time", col_ticks());
	if (!function->is_machine &&
	    write(function->code, (uint64_t)function->size, tables, size, &at) == 0) {
		xml_put_number(text, "offset", at);
		xml_put_number(text, "lines", function->line_count);
		if (function->place_count) {
			xml_put_number(text, "places", function->place_count);
			xml_put_number(text, "calls", function->call_count);
		}
	}
	xml_put(text, "/>\n");
}

void dynamic_put(struct xml_text *text, const struct dynamic_function *function,
                 dynamic_writer *write)
{
	uint64_t code = (uint64_t)function->code;

	put_function(text, function, claim(code, (unsigned)function->size), write);
}

void dynamic_add(const struct dynamic_function *function)
{
	sys_sigset old;
	char *memory;
	struct xml_text text;

	if (function->size <= 0 || !function->code || !enter_recorder(&old))
		return;
	memory = col_text_borrow();
	if (memory) {
		text = (struct xml_text){.at = memory, .capacity = COL_TEXT_SIZE};
		dynamic_put(&text, function, dynamic_write);
		col_xml_append(COL_MAP, &text);
		col_text_return(memory);
	} else {
		col_count(&col.count.lost_log, 1);
	}
	enter_leave(&old);
}

void dynamic_load(const char *name, const char *alias, const char *source, const void *code,
                  int size, int line_count, const Lineno *lines)
{
	const struct dynamic_function function = {
		.name = name,
		.alias = alias,
		.source = source,
		.code = code,
		.size = size,
		.lines = lines,
		.line_count = lines && line_count > 0 ? (uint64_t)line_count : 0,
	};

	dynamic_add(&function);
}

void dynamic_unload(const void *code)
{
	char buffer[192];
	struct xml_text text = XML_TEXT(buffer);
	sys_sigset old;
	unsigned size;

	if (!code || !enter_recorder(&old))
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
	enter_leave(&old);
}

void dynamic_forget(void)
{
	atomic_store(&text_end, 0);
	col_lock_give(&text_lock);
	col_file_close(&text_file);
}
