/* fxt_tables.c: the strings and threads that the records of an FXT file name by numbers, provider
 * by provider. */
#include "experiment/fxt/fxt_internal.h"
#include "experiment/table/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY_BYTES = 64 }; /* what an entry takes beside its text, about */

static uint64_t key_of(const struct exp_fxt *fxt, unsigned index)
{
	return (uint64_t)fxt->provider << 16 | index;
}

/* Account for memory. Returns 0 or -EBADMSG. */
static int charge(struct exp_fxt *fxt, uint64_t bytes)
{
	if (fxt->tables.bytes + bytes > FXT_TABLE_BYTES_MAX)
		return fxt_fault(fxt, "the tables of strings and threads are too large");
	fxt->tables.bytes += bytes;
	return 0;
}

int fxt_tables_put_text(struct exp_fxt *fxt, unsigned index, const char *bytes, size_t size)
{
	struct fxt_tables *tables = &fxt->tables;
	uint64_t key = key_of(fxt, index);
	uint32_t known = exp_index_find(&tables->index, key);
	char *copy;
	int rc;

	if (known != EXP_INDEX_NONE)
		tables->bytes -= tables->texts[known].size;
	rc = charge(fxt, size + (known == EXP_INDEX_NONE ? ENTRY_BYTES : 0));
	if (rc != 0)
		return rc;
	copy = malloc(size + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, bytes, size);
	if (known == EXP_INDEX_NONE) {
		known = (uint32_t)tables->text_count;
		if (exp_array_reserve(&tables->texts, &tables->text_capacity, tables->text_count,
		                      sizeof(*tables->texts)) != 0 ||
		    exp_index_add(&tables->index, key, known) != 0) {
			free(copy);
			return -ENOMEM;
		}
		tables->text_count++;
	} else {
		free(tables->texts[known].bytes);
	}
	tables->texts[known] = (struct fxt_text){.bytes = copy, .size = (uint32_t)size};
	return 0;
}

int fxt_tables_put_thread(struct exp_fxt *fxt, unsigned index, uint64_t process, uint64_t thread)
{
	struct fxt_tables *tables = &fxt->tables;
	uint64_t key = key_of(fxt, 0x8000 | index);
	uint32_t known = exp_index_find(&tables->index, key);

	if (known == EXP_INDEX_NONE) {
		int rc = charge(fxt, ENTRY_BYTES);

		if (rc != 0)
			return rc;
		known = (uint32_t)tables->thread_count;
		if (exp_array_reserve(&tables->threads, &tables->thread_capacity,
		                      tables->thread_count, sizeof(*tables->threads)) != 0 ||
		    exp_index_add(&tables->index, key, known) != 0)
			return -ENOMEM;
		tables->thread_count++;
	}
	tables->threads[known] = (struct fxt_thread_ids){process, thread};
	return 0;
}

const struct fxt_text *fxt_tables_text(const struct exp_fxt *fxt, unsigned index)
{
	uint32_t known = exp_index_find(&fxt->tables.index, key_of(fxt, index));

	return known == EXP_INDEX_NONE ? NULL : &fxt->tables.texts[known];
}

const struct fxt_thread_ids *fxt_tables_thread(const struct exp_fxt *fxt, unsigned index)
{
	uint32_t known = exp_index_find(&fxt->tables.index, key_of(fxt, 0x8000 | index));

	return known == EXP_INDEX_NONE ? NULL : &fxt->tables.threads[known];
}

int fxt_tables_knows_provider(const struct exp_fxt *fxt, uint32_t id)
{
	return exp_index_find(&fxt->by_id, id) != EXP_INDEX_NONE;
}

int fxt_tables_select_provider(struct exp_fxt *fxt, uint32_t id)
{
	uint32_t known = exp_index_find(&fxt->by_id, id);

	if (known == EXP_INDEX_NONE)
		return fxt_fault(fxt, "no provider of this id");
	fxt->provider = known;
	return 0;
}

/* A provider that says again who it is goes on with its tables. */
int fxt_tables_add_provider(struct exp_fxt *fxt, uint32_t id)
{
	if (fxt_tables_knows_provider(fxt, id))
		return fxt_tables_select_provider(fxt, id);
	if (fxt->provider_count == FXT_PROVIDERS_MAX)
		return fxt_fault(fxt, "too many providers");
	if (exp_array_reserve(&fxt->providers, &fxt->provider_capacity, fxt->provider_count,
	                      sizeof(*fxt->providers)) != 0 ||
	    exp_index_add(&fxt->by_id, id, (uint32_t)fxt->provider_count) != 0)
		return -ENOMEM;
	fxt->providers[fxt->provider_count] = (struct fxt_provider){.id = id, .hz = 1000000000};
	fxt->provider = fxt->provider_count++;
	return 0;
}

void fxt_tables_fini(struct exp_fxt *fxt)
{
	struct fxt_tables *tables = &fxt->tables;

	for (size_t i = 0; i < tables->text_count; i++)
		free(tables->texts[i].bytes);
	free(tables->texts);
	free(tables->threads);
	free(fxt->providers);
	exp_index_fini(&tables->index);
	exp_index_fini(&fxt->by_id);
}
