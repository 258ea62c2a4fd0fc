/* fxt_internal.h: the reader of FXT files as its modules share it. */
#ifndef XER_EXPERIMENT_FXT_FXT_INTERNAL_H
#define XER_EXPERIMENT_FXT_FXT_INTERNAL_H

#include "experiment/fxt/fxt.h"
#include "experiment/table/index.h"

/* A string or thread of a provider's tables. */
struct fxt_text {
	char *bytes;
	uint32_t size;
};
struct fxt_thread_ids {
	uint64_t process, thread;
};

/* The tables of all providers; a key is the provider's number << 16 | index, << 16 | 0x8000 | index
 * for threads. */
struct fxt_tables {
	struct exp_index index;
	struct fxt_text *texts;
	size_t text_count, text_capacity;
	struct fxt_thread_ids *threads;
	size_t thread_count, thread_capacity;
	uint64_t bytes; /* of memory */
};

/* A provider. Number 0 is what stands before the first one. */
struct fxt_provider {
	uint32_t id;
	uint64_t hz;
};

struct exp_fxt {
	int fd;
	uint64_t *chunk;
	size_t at, filled; /* in words of the chunk: the record, and how many there are */
	size_t tail;       /* bytes of a last word that is not whole */
	size_t ahead;      /* words that are read at once */
	uint64_t offset;   /* in the file, of the record */
	int is_end, has_magic;
	uint64_t unused;
	struct fxt_tables tables;
	struct exp_index by_id; /* provider's id -> its number */
	struct fxt_provider *providers;
	size_t provider_count, provider_capacity, provider;
	struct exp_fxt_record record;
	char fault[160];
	int rc; /* of the last call if that failed */
};

enum {
	FXT_CHUNK_WORDS = 1 << 17,
	FXT_TABLE_BYTES_MAX = 256 << 20, /* of all tables together */
	FXT_PROVIDERS_MAX = 1 << 20
};

/* Set the fault of the present record. Returns -EBADMSG. (fxt_fault.c) */
int fxt_fault(struct exp_fxt *fxt, const char *what);

/* ---- tables (fxt_tables.c) */

/* Register. Return 0, -EBADMSG (fault set) or -ENOMEM. */
int fxt_tables_put_text(struct exp_fxt *fxt, unsigned index, const char *bytes, size_t size);
int fxt_tables_put_thread(struct exp_fxt *fxt, unsigned index, uint64_t process, uint64_t thread);
int fxt_tables_add_provider(struct exp_fxt *fxt, uint32_t id);
int fxt_tables_select_provider(struct exp_fxt *fxt, uint32_t id);

/* Look up in the present provider's tables; NULL if there is no such entry. */
const struct fxt_text *fxt_tables_text(const struct exp_fxt *fxt, unsigned index);
const struct fxt_thread_ids *fxt_tables_thread(const struct exp_fxt *fxt, unsigned index);

int fxt_tables_knows_provider(const struct exp_fxt *fxt, uint32_t id);
void fxt_tables_fini(struct exp_fxt *fxt);

/* ---- records (fxt_parts.c) */

/* Decode and check fxt->record, of which `held` words are in the chunk, and do what it tells
 * (tables, providers). Returns 0, -EBADMSG (fault set) or -ENOMEM. */
int fxt_parts_decode(struct exp_fxt *fxt, uint64_t held);

#endif
