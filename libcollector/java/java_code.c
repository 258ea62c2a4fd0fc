/* java_code.c: record the code that the Java machine reports. See java_code.h.
 *
 * The inlined calls of a compiled method are a tree: a place in the code belongs to a call, which
 * is inlined in another one, and so on. So that the places of a loop do not repeat the calls around
 * it, each call is written once (struct dynamic_call). The functions are callbacks of several
 * threads, in normal context.
 * See doc/decisions/42-java-cost.md. */
#include "libcollector/java/java_code.h"

#include "libcollector/base/collector.h"
#include "libcollector/jit/dynamic.h"
#include "libcollector/java/java_batch.h"
#include "libcollector/java/java_method.h"
#include "libcollector/write/log.h"
#include "libcollector/base/budget.h"

#include <string.h>

enum {
	TABLE_BITS = 17,
	PROBES = 64,
	PLACES_MAX = 1 << 20,
	DEPTH_MAX = 1000,
	LINES_MAX = 65535 /* of a class file */
};

/* Numbers of methods by their jmethodID, which is never reused. */
struct known {
	atomic_uint_fast64_t method;
	atomic_uint id;
};
static _Atomic(void *) table; /* struct known, 1 << TABLE_BITS */

static struct java_machine *machine;

void java_code_open(struct java_machine *of)
{
	machine = of;
}

void java_code_forget(void)
{
	struct known *known = atomic_load(&table);

	for (unsigned i = 0; known && i < 1 << TABLE_BITS; i++)
		if (atomic_load_explicit(&known[i].method, memory_order_relaxed))
			atomic_store_explicit(&known[i].method, 0, memory_order_relaxed);
}

/* ---- methods ---- */

static void let_go(void *reference)
{
	struct java_env *env = NULL;
	int (*get_env)(struct java_machine *, struct java_env **,
	               int32_t) = (int (*)(struct java_machine *, struct java_env **,
	                                   int32_t))machine->functions[JAVA_MACHINE_GET_ENV];

	if (get_env(machine, &env, 0x00010006) == 0 && env)
		java_delete_local_ref(env, reference);
}

/* What JVMTI returns for a method, to be deallocated. */
struct texts {
	char *class_name, *source, *name, *signature;
	struct jvmti_line *lines;
	int32_t line_count;
};

static int get_texts(struct jvmti *env, void *id, struct texts *out)
{
	void *class = NULL;

	*out = (struct texts){.name = NULL};
	if (jvmti_get_method_name(env, id, &out->name, &out->signature, NULL) != 0 ||
	    jvmti_get_method_declaring_class(env, id, &class) != 0)
		return -1;
	if (jvmti_get_class_signature(env, class, &out->class_name, NULL) != 0)
		out->class_name = NULL;
	if (jvmti_get_source_file_name(env, class, &out->source) != 0)
		out->source = NULL;
	if (jvmti_get_line_number_table(env, id, &out->line_count, &out->lines) != 0)
		out->lines = NULL;
	let_go(class);
	return out->class_name ? 0 : -1;
}

static void free_texts(struct jvmti *env, const struct texts *texts)
{
	void *const all[] = {texts->class_name, texts->source, texts->name, texts->signature,
	                     texts->lines};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i])
			jvmti_deallocate(env, all[i]);
}

/* "Ljava/lang/String;" without its ends, in place. */
static const char *bare_class(char *signature)
{
	size_t size = strlen(signature);

	if (size < 3 || signature[0] != 'L' || signature[size - 1] != ';')
		return signature;
	signature[size - 1] = '\0';
	return signature + 1;
}

/* Converts the line table to our form in place: our rows are smaller. */
static const struct java_line *bare_lines(const struct texts *texts, uint32_t *count)
{
	char *at = (char *)texts->lines;

	for (*count = 0; at && (int64_t)*count < texts->line_count && *count < LINES_MAX;
	     ++*count) {
		const struct jvmti_line *from = &texts->lines[*count];
		const struct java_line line = {(uint32_t)from->bci, (uint32_t)from->line};

		memcpy(at + *count * sizeof(line), &line, sizeof(line));
	}
	return (const struct java_line *)(const void *)at;
}

static uint32_t write_texts(const struct texts *texts)
{
	struct java_method method = {
		.class_name = bare_class(texts->class_name),
		.name = texts->name,
		.signature = texts->signature,
		.source = texts->source,
	};

	_Static_assert(sizeof(struct java_line) <= sizeof(struct jvmti_line), "rows are smaller");
	method.lines = bare_lines(texts, &method.line_count);
	return java_method_tell(&method);
}

static uint32_t write_method(struct jvmti *env, void *method)
{
	struct texts texts;
	uint32_t id = get_texts(env, method, &texts) == 0 ? write_texts(&texts) : 0;

	free_texts(env, &texts);
	return id;
}

/* The number of a method, 0 if its name is not known. */
static uint32_t id_of(struct jvmti *env, void *method)
{
	uint64_t home = (uint64_t)method * 0x9e3779b97f4a7c15u >> (64 - TABLE_BITS);
	struct known *known = budget_table(&table, sizeof(*known) << TABLE_BITS);
	uint32_t id;

	if (!known)
		return 0;
	for (unsigned i = 0; i < PROBES; i++) {
		unsigned at = (unsigned)(home + i) & ((1 << TABLE_BITS) - 1);
		uint_fast64_t seen = atomic_load_explicit(&known[at].method, memory_order_acquire);

		if (seen == (uint64_t)method &&
		    atomic_load_explicit(&known[at].id, memory_order_acquire))
			return atomic_load_explicit(&known[at].id, memory_order_relaxed);
		if (seen != 0 && seen != (uint64_t)method)
			continue;
		id = write_method(env, method);
		if (id && (seen || atomic_compare_exchange_strong(&known[at].method, &seen,
		                                                  (uint64_t)method)))
			atomic_store_explicit(&known[at].id, id, memory_order_release);
		return id;
	}
	return write_method(env, method);
}

/* ---- compiled methods ---- */

/* Memory for the tables of one compiled method, kept for the next one: mapping and unmapping memory
 * each time would interrupt all processors that run threads of the process. Taken by an atomic
 * exchange. */
struct memory {
	size_t size; /* of all of it */
	uint64_t bytes[];
};

static _Atomic(struct memory *) spare;

static struct memory *take_memory(size_t size)
{
	struct memory *memory = atomic_exchange(&spare, NULL);
	size_t whole = 1 << 16;

	size += sizeof(*memory);
	if (memory && memory->size >= size)
		return memory;
	if (memory)
		sys_munmap(memory, memory->size);
	while (whole < size)
		whole *= 2;
	memory = sys_mmap_anonymous(whole);
	if (memory)
		memory->size = whole;
	return memory;
}

static void give_memory(struct memory *memory)
{
	memory = atomic_exchange(&spare, memory);
	if (memory)
		sys_munmap(memory, memory->size);
}

/* The tables of one compiled method. */
struct tables {
	struct dynamic_place *places;
	struct dynamic_call *calls;
	uint32_t place_count, call_count;
	struct {
		const void *method;
		uint32_t id, call;
	} last[DEPTH_MAX]; /* calls of the last place, outermost first */
	int32_t last_depth;
};

static int is_call(const struct tables *tables, uint32_t call, const struct dynamic_call *wanted)
{
	return memcmp(&tables->calls[call - 1], wanted, sizeof(*wanted)) == 0;
}

/* The number of a call, from 1, at this depth: that of the place before, or one of the last calls,
 * or else a new one. Equal calls are close to each other. */
static uint32_t find_call(struct tables *tables, int32_t depth, const struct dynamic_call *wanted)
{
	enum { LOOK_BACK = 32 };
	uint32_t first = tables->call_count > LOOK_BACK ? tables->call_count - LOOK_BACK : 0;

	if (depth < tables->last_depth && is_call(tables, tables->last[depth].call, wanted))
		return tables->last[depth].call;
	for (uint32_t i = tables->call_count; i > first; i--)
		if (is_call(tables, i, wanted))
			return i;
	tables->calls[tables->call_count++] = *wanted;
	return tables->call_count;
}

/* Most places are in the same methods as the one before. */
static uint32_t id_at(const struct tables *tables, struct jvmti *env, int32_t depth, void *method)
{
	if (depth < tables->last_depth && tables->last[depth].method == method &&
	    tables->last[depth].id)
		return tables->last[depth].id;
	return id_of(env, method);
}

static void add_place(struct tables *tables, struct jvmti *env, const struct jvmti_place *place,
                      uint64_t begin)
{
	uint32_t call = 0;

	for (int32_t i = 0; i < place->count; i++) {
		int32_t inner = place->count - 1 - i;
		uint32_t id = id_at(tables, env, i, place->methods[inner]);
		struct dynamic_call wanted = {call, id, (uint32_t)place->bcis[inner]};

		call = find_call(tables, i, &wanted);
		tables->last[i].method = place->methods[inner];
		tables->last[i].id = id;
		tables->last[i].call = call;
	}
	tables->last_depth = place->count;
	tables->places[tables->place_count++] = (struct dynamic_place){
		(uint32_t)((uint64_t)place->pc - begin), call};
}

static const struct jvmti_inline_record *find_inlines(const struct jvmti_record *record)
{
	for (int i = 0; record && i < 16; i++, record = record->next)
		if (record->kind == JVMTI_RECORD_INLINE)
			return (const struct jvmti_inline_record *)record;
	return NULL;
}

/* The largest number of calls; 0: there are none, or too many. */
static size_t count_calls(const struct jvmti_inline_record *inlines)
{
	size_t count = 0;

	if (inlines->count <= 0 || inlines->count > PLACES_MAX)
		return 0;
	for (int32_t i = 0; i < inlines->count; i++) {
		if (inlines->places[i].count < 0 || inlines->places[i].count > DEPTH_MAX)
			return 0;
		count += (size_t)inlines->places[i].count;
	}
	return count;
}

static void add(const struct dynamic_function *function)
{
	struct xml_text *together = java_batch(
		function->name ? strnlen(function->name, JAVA_BATCH_NAME_MAX) : 0);

	if (together)
		dynamic_put(together, function, java_batch_bytes);
	else
		dynamic_add(function);
}

static void load(struct jvmti *env, struct dynamic_function *function,
                 const struct jvmti_inline_record *inlines)
{
	size_t calls = inlines ? count_calls(inlines) : 0;
	size_t places = calls ? (size_t)inlines->count : 0;
	struct memory *memory = calls ? take_memory(sizeof(struct tables) +
	                                            places * sizeof(struct dynamic_place) +
	                                            calls * sizeof(struct dynamic_call))
	                              : NULL;
	struct tables *tables;

	if (memory) {
		tables = (struct tables *)memory->bytes;
		tables->place_count = tables->call_count = 0;
		tables->last_depth = 0;
		tables->places = (struct dynamic_place *)(tables + 1);
		tables->calls = (struct dynamic_call *)(tables->places + places);
		for (size_t i = 0; i < places; i++)
			add_place(tables, env, &inlines->places[i], (uint64_t)function->code);
		function->places = tables->places;
		function->place_count = tables->place_count;
		function->call_count = tables->call_count;
	}
	add(function);
	if (memory)
		give_memory(memory);
}

void java_code_compiled(struct jvmti *env, void *method, int32_t size, const void *code,
                        int32_t count, const void *locations, const void *records)
{
	struct dynamic_function function = {.code = code, .size = size};

	(void)count;
	(void)locations;
	if (!col_is_recording() || size <= 0)
		return;
	java_batch_begin();
	function.method = id_of(env, method);
	load(env, &function, find_inlines(records));
	java_batch_end();
}

void java_code_unloaded(struct jvmti *env, void *method, const void *code)
{
	(void)env;
	(void)method;
	dynamic_unload(code);
}

/* ---- the machine's own code ---- */

void java_code_generated(struct jvmti *env, const char *name, const void *code, int32_t size)
{
	const struct dynamic_function function = {
		.name = name, .code = code, .size = size, .is_machine = 1};

	(void)env;
	if (size > 0 && code && col_is_recording())
		add(&function);
}
