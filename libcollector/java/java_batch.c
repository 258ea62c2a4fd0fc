/* java_batch.c: see java_batch.h.
 *
 * An element names a place in dyntext before the bytes are there. So that no reader finds nothing
 * there, the bytes are written first; if they cannot be written, the elements are dropped too. From
 * then on everything is written one by one, as the disk may be full.
 * See doc/decisions/42-java-cost.md. */
#include "libcollector/java/java_batch.h"

#include "libcollector/base/collector.h"
#include "libcollector/thread/enter.h"
#include "libcollector/jit/dynamic.h"
#include "libcollector/write/log.h"
#include "libcollector/base/budget.h"
#include "libcollector/thread/thread.h"

#include <string.h>

enum {
	MARKUP_MAX = 400,
	ENCODED_MAX = 6 /* a byte may become six */,
	BYTES_MAX = 32 << 10,
	RESERVED = 1 << 20,
	ALIGNMENT = 8
};

static struct {
	_Atomic(struct col_thread *) owner; /* NULL: there is none */
	struct xml_text text;
	char buffer[XML_ELEMENT_MAX];
	uint64_t at,
		room;  /* where bytes[0] goes in dyntext, and how many are reserved from there on */
	uint64_t size; /* of what waits in bytes */
	int is_broken; /* bytes could not be written */
} batch;
static _Atomic(void *) bytes; /* BYTES_MAX */

_Static_assert(MARKUP_MAX + ENCODED_MAX * (int)JAVA_BATCH_NAME_MAX <= (int)XML_ELEMENT_MAX,
               "an element fits");

static int write_bytes(void)
{
	int error = batch.size ? dynamic_text_put(atomic_load(&bytes), batch.size, batch.at) : 0;

	batch.at += batch.size;
	batch.room -= batch.size;
	batch.size = 0;
	return error;
}

static void flush(void)
{
	sys_sigset old;

	if (batch.text.len && enter_recorder(&old)) {
		if (write_bytes() < 0) {
			batch.is_broken = 1;
			col_count(&col.count.lost_log, 1);
		} else {
			col_xml_append(COL_MAP, &batch.text);
		}
		enter_leave(&old);
	}
	batch.size = 0;
	batch.text = (struct xml_text)XML_TEXT(batch.buffer);
}

static int is_mine(void)
{
	struct col_thread *owner = atomic_load(&batch.owner);

	return owner && owner == col_self;
}

void java_batch_begin(void)
{
	struct col_thread *nobody = NULL, *self = thread_current();

	if (self && atomic_compare_exchange_strong(&batch.owner, &nobody, self))
		batch.text = (struct xml_text)XML_TEXT(batch.buffer);
}

void java_batch_end(void)
{
	if (!is_mine())
		return;
	flush();
	atomic_store(&batch.owner, NULL);
}

struct xml_text *java_batch(size_t size)
{
	if (size >= JAVA_BATCH_NAME_MAX || !is_mine() || batch.is_broken)
		return NULL;
	if (batch.text.len + MARKUP_MAX + ENCODED_MAX * size > sizeof(batch.buffer))
		flush();
	return batch.is_broken ? NULL : &batch.text;
}

int java_batch_bytes(const void *first, uint64_t first_size, const void *second,
                     uint64_t second_size, uint64_t *at)
{
	uint64_t room = (first_size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
	uint64_t whole = room + ((second_size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1));
	char *to = budget_table(&bytes, BYTES_MAX);
	sys_sigset old;
	int error;

	if (!batch.size && batch.room < BYTES_MAX) {
		batch.at = dynamic_text_reserve(RESERVED);
		batch.room = RESERVED;
	}
	if (!to || whole > BYTES_MAX - batch.size) {
		sys_block_signals(&old);
		error = dynamic_write(first, first_size, second, second_size, at);
		sys_sigmask(SIG_SETMASK, &old, NULL);
		return error;
	}
	if (first_size)
		memcpy(to + batch.size, first, first_size);
	if (second_size)
		memcpy(to + batch.size + room, second, second_size);
	*at = batch.at + batch.size;
	batch.size += whole;
	return 0;
}

void java_batch_forget(void)
{
	batch.room = batch.size = 0;
	batch.is_broken = 0;
	atomic_store(&batch.owner, NULL);
}
