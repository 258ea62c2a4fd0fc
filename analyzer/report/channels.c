/* channels.c: see channels.h. */
#include "analyzer/report/channels.h"

#include "analyzer/base/memory.h"
#include "experiment/table/index.h"
#include "format/record.h"

#include <stdlib.h>
#include <string.h>

/* f_type of the file system of POSIX message queues (Linux, ipc/mqueue.c). */
enum { MQUEUE_MAGIC = 0x19800202 };

/* A text, and what is known by it. */
struct entry {
	char *key;
	const char *end; /* of a pair, borrowed */
	uint32_t number; /* of a channel */
};

struct channels_files {
	const struct dataset_experiment *at;
	struct exp_index read, written; /* the number of a file -> channel */
};

static int is_key(const void *item, const void *key)
{
	return strcmp(((const struct entry *)item)->key, key) == 0;
}

static struct entry *find(const struct exp_hash *table, const char *key)
{
	return exp_hash_find(table, exp_hash_text(EXP_HASH_START, key), is_key, key);
}

/* The entry of a key, which is taken over, made if it is new. */
static struct entry *enter(struct exp_hash *table, char *key)
{
	struct entry *entry = find(table, key);

	if (entry) {
		free(key);
		return entry;
	}
	entry = memory_take(1, sizeof(*entry));
	entry->key = key;
	entry->number = (uint32_t)table->count;
	if (exp_hash_add(table, exp_hash_text(EXP_HASH_START, key), entry) != 0)
		memory_fail();
	return entry;
}

static void free_entry(void *item)
{
	free(((struct entry *)item)->key);
	free(item);
}

static uint32_t channel_of(struct channels *channels, char *key)
{
	return key ? enter(&channels->by_name, key)->number : (uint32_t)CHANNELS_NONE;
}

/* ---- names */

static int begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The names of pairs are known to the process that made them. */
static void note_pair(struct channels *channels, const struct exp_io_file *file)
{
	if (file->type == FMT_file_type_SOCKET && file->name &&
	    begins_with(file->name, "socket:") && file->end && file->end[0] != '\0')
		enter(&channels->pairs, memory_text(file->name, file->name_size))->end = file->end;
}

/* The name of the own end, NULL: unknown. */
static const char *end_of(const struct channels *channels, const struct exp_io_file *file)
{
	const struct entry *pair;

	if (file->end && file->end[0] != '\0')
		return file->end;
	pair = find(&channels->pairs, file->name);
	return pair ? pair->end : NULL;
}

/* What flows from the end `from` to the end `to`. A UNIX socket with a path has the same name at
 * both ends, and says who connected. */
static char *key_between(const char *name, const char *end, int is_read)
{
	static const char client[] = "client ", server[] = "server of ";

	if (begins_with(end, client))
		return memory_format("%s %s %s", name, is_read ? "to" : "from",
		                     end + sizeof(client) - 1);
	if (begins_with(end, server))
		return memory_format("%s %s %s", name, is_read ? "from" : "to",
		                     end + sizeof(server) - 1);
	return is_read ? memory_format("%s > %s", name, end) : memory_format("%s > %s", end, name);
}

/* The caller frees; NULL: nothing has that file as its other end. */
static char *key_of(const struct channels *channels, const struct exp_io_file *file, int is_read)
{
	const char *end;

	if (!file->name)
		return NULL;
	if (file->type == FMT_file_type_PIPE || file->file_system == MQUEUE_MAGIC)
		return memory_text(file->name, file->name_size);
	if (file->type != FMT_file_type_SOCKET)
		return NULL;
	end = end_of(channels, file);
	return end ? key_between(file->name, end, is_read) : NULL;
}

/* ---- experiments */

static void add_file(struct channels *channels, struct channels_files *files,
                     const struct exp_io_file *file)
{
	uint32_t read = channel_of(channels, key_of(channels, file, 1));
	uint32_t written = channel_of(channels, key_of(channels, file, 0));

	if (read == CHANNELS_NONE || exp_index_find(&files->read, file->number) != EXP_INDEX_NONE)
		return;
	if (exp_index_add(&files->read, file->number, read) != 0 ||
	    exp_index_add(&files->written, file->number, written) != 0)
		memory_fail();
}

void channels_make(const struct dataset *dataset, struct channels *channels)
{
	const struct dataset_experiment *at = NULL;

	*channels = (struct channels){.count = 0};
	channels->files = memory_take(dataset->count, sizeof(*channels->files));
	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < at->whole->io->file_count; i++)
			note_pair(channels, &at->whole->io->files[i]);
	at = NULL;
	while ((at = dataset_next(dataset, at))) {
		struct channels_files *files = &channels->files[channels->file_count++];

		files->at = at;
		for (size_t i = 0; i < at->whole->io->file_count; i++)
			add_file(channels, files, &at->whole->io->files[i]);
	}
}

void channels_free(struct channels *channels)
{
	for (size_t i = 0; i < channels->file_count; i++) {
		exp_index_fini(&channels->files[i].read);
		exp_index_fini(&channels->files[i].written);
	}
	free(channels->files);
	exp_hash_each(&channels->by_name, free_entry);
	exp_hash_each(&channels->pairs, free_entry);
	exp_hash_fini(&channels->by_name);
	exp_hash_fini(&channels->pairs);
}

const struct channels_files *channels_of(const struct channels *channels,
                                         const struct dataset_experiment *at)
{
	for (size_t i = 0; i < channels->file_count; i++)
		if (channels->files[i].at == at)
			return &channels->files[i];
	return NULL;
}

static uint32_t look_up(struct channels *channels, const struct exp_index *index, unsigned family,
                        unsigned func, uint64_t object)
{
	uint32_t found;

	/* A System V message queue has no file. */
	if (family == FMT_wait_family_CALL &&
	    (func == FMT_wait_func_MSGRCV || func == FMT_wait_func_MSGSND))
		return channel_of(channels,
		                  memory_format("queue %llu", (unsigned long long)object));
	found = exp_index_find(index, object);
	return found == EXP_INDEX_NONE ? (uint32_t)CHANNELS_NONE : found;
}

uint32_t channels_read(struct channels *channels, const struct channels_files *files,
                       unsigned family, unsigned func, uint64_t object)
{
	return look_up(channels, &files->read, family, func, object);
}

uint32_t channels_written(struct channels *channels, const struct channels_files *files,
                          unsigned family, unsigned func, uint64_t object)
{
	return look_up(channels, &files->written, family, func, object);
}
