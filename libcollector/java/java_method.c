/* java_method.c: number methods, and write them. See java_method.h.
 *
 * Names of interpreted methods are read from HotSpot's structures when a method is first seen in a
 * stack: a signal handler can do that, and classes that are never seen cost nothing. The memory of
 * a Method may be reused when its class is unloaded; then it has another ConstMethod.
 * See doc/decisions/41-java-frames.md. */
#include "libcollector/java/java_method.h"

#include "libcollector/base/collector.h"
#include "libcollector/jit/dynamic.h"
#include "libcollector/java/java_batch.h"
#include "libcollector/java/java_vm.h"
#include "libcollector/write/log.h"
#include "libcollector/base/budget.h"
#include "libcollector/unwind/walk_step.h"

#include "format/record.h"

#include <errno.h>

enum {
	TABLE_BITS = 15,
	PROBES = 32,
	NAME_MAX_BYTES = 800,
	LINES_MAX = COL_TEXT_SIZE / sizeof(struct java_line)
};
#define NO_METHOD UINT32_MAX

enum { HAS_LINES = 1 /* of a ConstMethod's flags */, RELEASE_OF_BIASED_BYTES = 20 };

/* Methods by address, and what they are. `constant` is set last; 0: not written. */
struct known {
	atomic_uint_fast64_t method, constant;
	atomic_uint id;
};
static _Atomic(void *) table; /* struct known, 1 << TABLE_BITS */

static atomic_uint last_id;

/* ---- writing ---- */

static void put_name(struct xml_text *text, const char *key, const char *name)
{
	if (name)
		xml_put_attribute(text, key, name, strnlen(name, NAME_MAX_BYTES));
}

static void put_method(struct xml_text *text, const struct java_method *method, uint32_t id,
                       dynamic_writer *write)
{
	uint64_t at;

	xml_put(text, " <method");
	xml_put_number(text, "id", id);
	put_name(text, "class", method->class_name);
	put_name(text, "name", method->name);
	put_name(text, "signature", method->signature);
	put_name(text, "source", method->source);
	if (method->line_count &&
	    write(NULL, 0, method->lines, method->line_count * sizeof(*method->lines), &at) == 0) {
		xml_put_number(text, "offset", at);
		xml_put_number(text, "lines", method->line_count);
	}
	xml_put(text, "/>\n");
}

static uint32_t next_id(void)
{
	return atomic_fetch_add(&last_id, 1) + 1;
}

/* Returns the method's number, or 0. Signal-safe. */
static uint32_t write_method(const struct java_method *method)
{
	uint32_t id = next_id();
	char *memory = col_text_borrow();
	struct xml_text text = {.at = memory, .capacity = COL_TEXT_SIZE};
	int error;

	if (!memory)
		return 0;
	put_method(&text, method, id, dynamic_write);
	error = col_xml_append(COL_MAP, &text);
	col_text_return(memory);
	return error == 0 ? id : 0;
}

static size_t size_of_names(const struct java_method *method)
{
	const char *const names[] = {method->class_name, method->name, method->signature,
	                             method->source};
	size_t size = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		size += names[i] ? strnlen(names[i], NAME_MAX_BYTES) : 0;
	return size;
}

uint32_t java_method_tell(const struct java_method *method)
{
	struct xml_text *together = java_batch(size_of_names(method));
	uint32_t id;

	if (!together)
		return write_method(method);
	id = next_id();
	put_method(together, method, id, java_batch_bytes);
	return id;
}

/* ---- reading HotSpot ---- */

static int read_bytes(struct walk_memo *memo, uint64_t address, void *to, size_t size)
{
	char *out = to;
	uint64_t word;

	for (; size > 8; address += 8, out += 8, size -= 8) {
		if (walk_read(memo, address, &word) < 0)
			return -EFAULT;
		memcpy(out, &word, 8);
	}
	/* Does not read beyond the requested end: the page after it may not exist. */
	if (walk_read(memo, address + size - 8, &word) < 0)
		return -EFAULT;
	memcpy(out, (const char *)&word + 8 - size, size);
	return 0;
}

static uint64_t read_number(struct walk_memo *memo, uint64_t address, size_t size)
{
	uint64_t value = 0;

	return read_bytes(memo, address, &value, size) < 0 ? 0 : value;
}

/* The text of a Symbol, in name[NAME_MAX_BYTES + 1]. Returns 0 or -errno. */
static int read_symbol(struct walk_memo *memo, uint64_t symbol, char *name)
{
	size_t size = read_number(memo, symbol + java_vm.symbol_length, 2);

	if (size > NAME_MAX_BYTES)
		size = NAME_MAX_BYTES;
	name[size] = '\0';
	return size == 0 ? -ENOENT : read_bytes(memo, symbol + java_vm.symbol_body, name, size);
}

/* The same of the entry `index` of a ConstantPool. */
static int read_entry(struct walk_memo *memo, uint64_t pool, uint64_t index, char *name)
{
	uint64_t symbol;

	if (index == 0 || index >= read_number(memo, pool + java_vm.pool_length, 4) ||
	    walk_read(memo, pool + java_vm.pool_bytes + 8 * index, &symbol) < 0)
		return -ENOENT;
	return read_symbol(memo, symbol, name);
}

/* A number of 1 to 5 bytes, of which all but the last are 192 or more; since release 20 no byte is
 * 0. */
static uint32_t read_unsigned(struct walk_memo *memo, uint64_t *at, uint32_t bias)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < 5; i++) {
		uint32_t byte = (uint32_t)read_number(memo, (*at)++, 1);

		sum += (byte - bias) << 6 * i;
		if (byte < 192)
			break;
	}
	return sum;
}

static int32_t read_signed(struct walk_memo *memo, uint64_t *at, uint32_t bias)
{
	uint32_t value = read_unsigned(memo, at, bias);

	return (int32_t)(value >> 1 ^ (0 - (value & 1)));
}

/* The line table behind the bytecodes of a ConstMethod: bytes of 5 bits of bci and 3 bits of line,
 * differences both; 0xff: two numbers instead; 0: the end. Returns the number of rows. */
static uint32_t read_lines(struct walk_memo *memo, uint64_t constant, struct java_line *lines)
{
	uint64_t at = constant + java_vm.const_method_bytes +
	              read_number(memo, constant + java_vm.const_code_size, 2);
	uint64_t flags = java_vm.const_flags != JAVA_VM_NONE ? java_vm.const_flags
	                                                     : java_vm.const_flags_new;
	uint32_t bias = *(const uint32_t *)java_vm.release >= RELEASE_OF_BIASED_BYTES, count = 0;
	struct java_line row = {0, 0};

	if (flags == JAVA_VM_NONE || !(read_number(memo, constant + flags, 2) & HAS_LINES))
		return 0;
	while (count < LINES_MAX) {
		uint32_t byte = (uint32_t)read_number(memo, at++, 1);

		if (byte == 0)
			break;
		row.bci += byte == 0xff ? (uint32_t)read_signed(memo, &at, bias) : byte >> 3;
		row.line += byte == 0xff ? (uint32_t)read_signed(memo, &at, bias) : byte & 7;
		lines[count++] = row;
	}
	return count;
}

struct names {
	char class_name[NAME_MAX_BYTES + 1], name[NAME_MAX_BYTES + 1],
		signature[NAME_MAX_BYTES + 1], source[NAME_MAX_BYTES + 1];
};

/* Read and write a method that is seen for the first time. Returns its number, 0 if it cannot be
 * written now, or NO_METHOD. */
static uint32_t write_new(struct walk_memo *memo, uint64_t constant)
{
	struct java_method method = {.name = NULL};
	struct names *names = (struct names *)col_text_borrow();
	struct java_line *lines = (struct java_line *)col_text_borrow();
	uint64_t pool, holder, symbol;
	uint32_t id = names && lines ? NO_METHOD : 0;

	_Static_assert(sizeof(struct names) <= COL_TEXT_SIZE, "names fit");
	if (names && lines && walk_read(memo, constant + java_vm.const_constants, &pool) == 0 &&
	    walk_read(memo, pool + java_vm.pool_holder, &holder) == 0 &&
	    walk_read(memo, holder + java_vm.class_name, &symbol) == 0 &&
	    read_symbol(memo, symbol, names->class_name) == 0 &&
	    read_entry(memo, pool, read_number(memo, constant + java_vm.const_name, 2),
	               names->name) == 0 &&
	    read_entry(memo, pool, read_number(memo, constant + java_vm.const_signature, 2),
	               names->signature) == 0 &&
	    names->signature[0] == '(') {
		method = (struct java_method){
			names->class_name, names->name, names->signature, NULL, lines, 0};
		if (java_vm.pool_source != JAVA_VM_NONE &&
		    read_entry(memo, pool, read_number(memo, pool + java_vm.pool_source, 2),
		               names->source) == 0)
			method.source = names->source;
		method.line_count = read_lines(memo, constant, lines);
		id = write_method(&method);
	}
	if (lines)
		col_text_return((char *)lines);
	if (names)
		col_text_return((char *)names);
	return id;
}

static uint32_t id_of(struct walk_memo *memo, uint64_t method, uint64_t constant)
{
	uint64_t home = method * 0x9e3779b97f4a7c15u >> (64 - TABLE_BITS);
	struct known *known = budget_table(&table, sizeof(*known) << TABLE_BITS);
	uint32_t id;

	if (!known)
		return NO_METHOD;
	for (unsigned i = 0; i < PROBES; i++) {
		unsigned at = (unsigned)(home + i) & ((1 << TABLE_BITS) - 1);
		uint_fast64_t seen = atomic_load_explicit(&known[at].method, memory_order_relaxed);

		if (seen == method &&
		    atomic_load_explicit(&known[at].constant, memory_order_acquire) == constant)
			return atomic_load_explicit(&known[at].id, memory_order_relaxed);
		if (seen != 0 && seen != method)
			continue;
		id = write_new(memo, constant);
		/* Another thread at the same time has written it too, under another number: readers
		 * see one method. */
		if (id != 0 && id != NO_METHOD &&
		    (seen == method ||
		     atomic_compare_exchange_strong(&known[at].method, &seen, method))) {
			atomic_store_explicit(&known[at].constant, 0, memory_order_relaxed);
			atomic_store_explicit(&known[at].id, id, memory_order_release);
			atomic_store_explicit(&known[at].constant, constant, memory_order_release);
		}
		return id;
	}
	return write_new(memo, constant);
}

uint64_t java_method_mark(struct walk_memo *memo, uint64_t method, uint64_t bcp)
{
	uint64_t constant, bci;
	uint32_t id;

	if (method & 7 || walk_read(memo, method + java_vm.method_const, &constant) < 0 ||
	    constant & 7 || constant < 4096)
		return 0;
	id = id_of(memo, method, constant);
	if (id == NO_METHOD)
		return 0;
	bci = bcp - (constant + java_vm.const_method_bytes);
	return fmt_pc_java(id, bci < FMT_BCI_NONE ? (uint32_t)bci : FMT_BCI_NONE);
}

void java_method_forget(void)
{
	struct known *known = atomic_load(&table);

	for (unsigned i = 0; known && i < 1 << TABLE_BITS; i++)
		atomic_store_explicit(&known[i].method, 0, memory_order_relaxed);
	atomic_store(&last_id, 0);
}
