/* java_batch.c: see java_batch.h. */
#include "java_batch.h"

#include "collector.h"
#include "log.h"

enum { ELEMENT_MAX = 400 + 6 * JAVA_BATCH_NAME_MAX /* a byte may become six */ };

static struct {
	atomic_uint tid; /* whose it is, 0: there is none */
	struct xml_text text;
	char buffer[XML_ELEMENT_MAX];
} batch;

static void flush(void)
{
	if (batch.text.len)
		col_xml_append(COL_MAP, &batch.text);
	batch.text = (struct xml_text)XML_TEXT(batch.buffer);
}

void java_batch_begin(void)
{
	batch.text = (struct xml_text)XML_TEXT(batch.buffer);
	atomic_store(&batch.tid, (unsigned)sys_gettid());
}

void java_batch_end(void)
{
	atomic_store(&batch.tid, 0);
	flush();
}

struct xml_text *java_batch(size_t size)
{
	if (size >= JAVA_BATCH_NAME_MAX || atomic_load(&batch.tid) != (unsigned)sys_gettid())
		return NULL;
	if (batch.text.len > sizeof(batch.buffer) - ELEMENT_MAX)
		flush();
	return &batch.text;
}
