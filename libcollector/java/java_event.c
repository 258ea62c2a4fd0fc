/* java_event.c: record what the Java machine reports. See java_event.h.
 *
 * An object that is a monitor has no fixed address: it is identified by its identity hash, and the
 * number of its class. Classes are numbered by the hash of their names.
 * See doc/decisions/43-java-events.md. */
#include "libcollector/java/java_event.h"

#include "libcollector/base/collector.h"
#include "libcollector/java/java_api.h"
#include "libcollector/java/java_batch.h"
#include "libcollector/write/log.h"
#include "libcollector/events/mapping.h"
#include "libcollector/base/budget.h"
#include "libcollector/thread/scope.h"
#include "libcollector/events/sync.h"

#include <string.h>

enum { CLASS_BITS = 16, PROBES = 64, NAME_MAX_BYTES = 800, THREAD_NAME_MAX = 240 };
enum { ENTERING, WAITING };

/* Classes by the hash of their signatures. The number is set last. */
struct class
{
	atomic_uint_fast64_t hash;
	atomic_uint number;
};
static _Atomic(void *) table; /* struct class, 1 << CLASS_BITS */
static atomic_uint class_count;

/* ---- classes ---- */

static void put_class(struct xml_text *text, uint32_t number, const char *name, size_t size)
{
	xml_put(text, " <class");
	xml_put_number(text, "id", number);
	xml_put_attribute(text, "name", name, size);
	xml_put_number(text, "time", col_ticks());
	xml_put(text, "/>\n");
}

/* "Ljava/lang/String;" is java/lang/String; arrays stay as they are. */
static void write_class(uint32_t number, const char *signature)
{
	size_t size = strnlen(signature, NAME_MAX_BYTES);
	int is_class = size > 2 && signature[0] == 'L' && signature[size - 1] == ';';
	const char *name = is_class ? signature + 1 : signature;
	char buffer[400]; /* most names are short, and borrowing memory takes two system calls */
	struct xml_text small = XML_TEXT(buffer);
	struct xml_text *together;
	char *memory;

	size -= is_class ? 2 : 0;
	together = java_batch(size);
	put_class(together ? together : &small, number, name, size);
	if (together)
		return;
	if (!small.overflow) {
		col_xml_append(COL_MAP, &small);
		return;
	}
	memory = col_text_borrow();
	if (memory) {
		struct xml_text text = {.at = memory, .capacity = COL_TEXT_SIZE};

		put_class(&text, number, name, size);
		col_xml_append(COL_MAP, &text);
		col_text_return(memory);
	}
}

/* The number of a class, written if it is new; 0: there are too many. */
static uint32_t number_of(const char *signature)
{
	struct class *classes = budget_table(&table, sizeof(*classes) << CLASS_BITS);
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

	for (const char *at = signature; *at; at++)
		hash = (hash ^ (uint8_t)*at) * 0x100000001b3u;
	hash |= 1;
	for (unsigned i = 0; classes && i < PROBES; i++) {
		unsigned at = (unsigned)((hash >> (64 - CLASS_BITS)) + i) & ((1 << CLASS_BITS) - 1);
		uint_fast64_t seen = atomic_load_explicit(&classes[at].hash, memory_order_relaxed);

		if (seen == 0 && atomic_compare_exchange_strong(&classes[at].hash, &seen, hash)) {
			uint32_t number = atomic_fetch_add(&class_count, 1) + 1;

			write_class(number, signature);
			atomic_store_explicit(&classes[at].number, number, memory_order_release);
			return number;
		}
		if (seen == hash)
			return atomic_load_explicit(&classes[at].number, memory_order_acquire);
	}
	return 0;
}

static uint32_t number_of_class(struct jvmti *env, struct java_env *java, void *class, int is_new)
{
	char *signature = NULL;
	uint32_t number = 0;

	if (jvmti_get_class_signature(env, class, &signature, NULL) == 0 && signature) {
		number = number_of(signature);
		if (is_new && strcmp(signature, JAVA_API_CLASS) == 0)
			java_api_bind(java, class);
		jvmti_deallocate(env, signature);
	}
	return number;
}

void java_event_class(struct jvmti *env, struct java_env *java, void *thread, void *class)
{
	(void)thread;
	if (col_is_recording())
		number_of_class(env, java, class, 1);
}

/* There are hundreds of references at once. A machine that checks its callers (-Xcheck:jni) prints
 * a message on stdout if one of them is released while there are more than were announced: so all
 * are released together. */
void java_event_open(struct jvmti *env, struct java_env *java)
{
	enum { ANNOUNCED = 16 };
	int32_t count = 0;
	void **loaded = NULL;

	if (java_push_local_frame(java, ANNOUNCED) != 0) {
		java_clear_exception(java);
		return;
	}
	java_event_thread(env, java, NULL); /* the one that has made the machine */
	if (jvmti_get_loaded_classes(env, &count, &loaded) == 0) {
		for (int32_t i = 0; i < count; i++)
			number_of_class(env, java, loaded[i], 0);
		jvmti_deallocate(env, loaded);
	}
	java_pop_local_frame(java);
}

void java_event_forget(void)
{
	struct class *classes = atomic_load(&table);

	for (unsigned i = 0; classes && i < 1 << CLASS_BITS; i++)
		if (atomic_load_explicit(&classes[i].hash, memory_order_relaxed))
			atomic_store_explicit(&classes[i].hash, 0, memory_order_relaxed);
	atomic_store(&class_count, 0);
}

/* ---- threads ---- */

/* The kernel's name of a thread has room for 15 bytes. */
static void write_name(struct col_thread *thread, const char *name)
{
	uint8_t bytes[sizeof(struct fmt_java_thread) + THREAD_NAME_MAX + 16]
		__attribute__((aligned(8))) = {0};
	uint16_t size = (uint16_t)strnlen(name, THREAD_NAME_MAX);
	struct fmt_java_thread record = {
		.kind = FMT_KIND_java_thread, .name_size = size, .tid = atomic_load(&thread->tid)};

	memcpy(bytes, &record, sizeof(record));
	memcpy(bytes + sizeof(record), name, size);
	col_slot_write(&thread->slot[COL_NORMAL][FMT_STREAM_OVERVIEW], FMT_STREAM_OVERVIEW,
	               record.tid, bytes, (uint32_t)(sizeof(record) + ((size + 15u) & ~15u)),
	               col_ticks());
}

void java_event_thread(struct jvmti *env, struct java_env *java, void *thread)
{
	struct jvmti_thread_info info = {.name = NULL};
	struct col_thread *self;

	(void)java;
	if (!col_is_recording() || jvmti_get_thread_info(env, thread, &info) != 0)
		return;
	self = info.name ? scope_enter() : NULL;
	if (self) {
		write_name(self, info.name);
		scope_leave(self);
	}
	if (info.name)
		jvmti_deallocate(env, info.name);
}

/* ---- monitors ---- */

static uint64_t name_of(struct jvmti *env, struct java_env *java, void *object)
{
	void *class = java_get_object_class(java, object);
	int32_t hash = 0;
	uint32_t number = 0;

	if (class) {
		number = number_of_class(env, java, class, 0);
		java_delete_local_ref(java, class);
	}
	jvmti_get_object_hash_code(env, object, &hash);
	return (uint64_t)(number & 0xffff) << 32 | (uint32_t)hash;
}

static const enum fmt_sync_func funcs[] = {
	[ENTERING] = FMT_sync_func_MONITOR_ENTER, [WAITING] = FMT_sync_func_MONITOR_WAIT};

static void begin(struct jvmti *env, struct java_env *java, void *object, unsigned what,
                  const struct caller *caller)
{
	struct col_thread *self = col_is_recording() && sync_wants_monitors() ? thread_current()
	                                                                      : NULL;

	if (!self)
		return;
	self->java_since[what] = col_ticks();
	/* The machine's own locks during the look-up of the name do not count either. */
	self->java_waits |= 1u << what;
	self->java_object[what] = name_of(env, java, object);
	sync_monitor_begin(funcs[what], self->java_object[what], self->java_since[what], caller);
}

static void end(unsigned what, const struct caller *caller)
{
	struct col_thread *self = col_is_recording() ? thread_current() : NULL;

	if (!self || !(self->java_waits & 1u << what))
		return;
	sync_monitor(funcs[what], self->java_object[what], self->java_since[what], caller);
	self->java_waits &= ~(1u << what);
}

void java_event_enter(struct jvmti *env, struct java_env *java, void *thread, void *object)
{
	const struct caller caller = CALLER;

	(void)thread;
	begin(env, java, object, ENTERING, &caller);
}

void java_event_entered(struct jvmti *env, struct java_env *java, void *thread, void *object)
{
	const struct caller caller = CALLER;

	(void)env;
	(void)java;
	(void)thread;
	(void)object;
	end(ENTERING, &caller);
}

void java_event_wait(struct jvmti *env, struct java_env *java, void *thread, void *object,
                     int64_t timeout_ms)
{
	const struct caller caller = CALLER;

	(void)thread;
	(void)timeout_ms;
	begin(env, java, object, WAITING, &caller);
}

void java_event_waited(struct jvmti *env, struct java_env *java, void *thread, void *object,
                       uint8_t is_timed_out)
{
	const struct caller caller = CALLER;

	(void)env;
	(void)java;
	(void)thread;
	(void)object;
	(void)is_timed_out;
	end(WAITING, &caller);
}

/* ---- objects ---- */

void java_event_alloc(struct jvmti *env, struct java_env *java, void *thread, void *object,
                      void *class, int64_t size)
{
	const struct caller caller = CALLER;
	struct fmt_java_alloc record = {.kind = FMT_KIND_java_alloc,
	                                .interval = JAVA_EVENT_ALLOC_INTERVAL,
	                                .size = (uint64_t)size};
	struct col_thread *self;

	(void)thread;
	(void)object;
	if (!(heap_mode() & HEAP_NEW) || !col_is_recording())
		return;
	record.class = number_of_class(env, java, class, 0);
	self = scope_enter();
	if (!self)
		return;
	record.stack = stack_of(self, &caller);
	col_slot_write(&self->slot[COL_NORMAL][FMT_STREAM_HEAPTRACE], FMT_STREAM_HEAPTRACE,
	               atomic_load(&self->tid), &record, sizeof(record), col_ticks());
	scope_leave(self);
}

/* ---- garbage collections: one thread reports them, while all others are stopped ---- */

static uint64_t gc_start;
static uint32_t gc_count;

void java_event_gc_start(struct jvmti *env)
{
	(void)env;
	gc_start = col_ticks();
}

void java_event_gc_finish(struct jvmti *env)
{
	uint64_t now = col_ticks();
	struct fmt_java_gc record = {
		.kind = FMT_KIND_java_gc, .number = gc_count + 1, .duration = now - gc_start};
	struct col_thread *self = gc_start ? scope_enter() : NULL;

	(void)env;
	if (!self)
		return;
	gc_count++;
	col_slot_write(&self->slot[COL_NORMAL][FMT_STREAM_OVERVIEW], FMT_STREAM_OVERVIEW,
	               atomic_load(&self->tid), &record, sizeof(record), now);
	scope_leave(self);
}
