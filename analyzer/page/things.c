/* things.c: finds out what events of a report page were about: locks, files, user events, functions
 * of MPI and the ranks at their other sides; and writes what was done with them. */
#include "analyzer/page/walk.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/events/iofile.h"
#include "analyzer/views/events/javaheap.h"
#include "analyzer/views/events/locks.h"
#include "experiment/base/clock.h"
#include "experiment/events/usertrace.h"
#include "format/record.h"
#include "template/template.h"

#include <stdlib.h>

/* USES: of all experiments, for each kind of data. THINGS: of a kind in an experiment; others are
 * together. ALSO: a message that is not the call's own. PARTS: of an
 * estimated byte or object of Java, in which uses have them. */
enum {
	UNIT_NS = 1000000,
	USES = 1 << 15,
	USES_LEAST = 1 << 8,
	THINGS = 1 << 14,
	CLASS_BITS = 8,
	ALSO = 16,
	PARTS = 1024
};

static const uint64_t other_side = UINT64_C(1) << 40; /* of keys of MPI: a rank */

enum { SENT_TO = 1, RECEIVED_FROM };

/* What a thing is. */
struct thing {
	char *name; /* freed by add_thing */
	const char *sort;
	uint64_t number;
};

static uint32_t add_thing(struct walk *walk, const struct thing *thing)
{
	struct page *page = walk->page;

	column_number(page->sections[PAGE_THING_EXPERIMENT], page->experiment);
	column_number(page->sections[PAGE_THING_NAME], page_string(page, thing->name));
	column_number(page->sections[PAGE_THING_SORT], page_string(page, thing->sort));
	column_number(page->sections[PAGE_THING_NUMBER], thing->number);
	free(thing->name);
	return (uint32_t)page->thing_count++;
}

static const struct exp_io_file *find_file(struct walk *walk, uint32_t number)
{
	const struct exp_io *io = walk->at->whole->io;
	uint32_t at;

	if (walk->files.count == 0)
		for (size_t i = 0; i < io->file_count; i++)
			if (exp_index_find(&walk->files, io->files[i].number) == EXP_INDEX_NONE &&
			    exp_index_add(&walk->files, io->files[i].number, (uint32_t)i) != 0)
				memory_fail();
	at = exp_index_find(&walk->files, number);
	return at != EXP_INDEX_NONE ? &io->files[at] : NULL;
}

static struct thing file_of(struct walk *walk, const struct exp_fact *fact)
{
	const struct exp_io_file *file = find_file(walk, fact->file);
	const char *unnamed = fact->file == 0 ? "<Unknown>" : "<Not named>";

	return (struct thing){file && file->name ? memory_text(file->name, file->name_size)
	                                         : memory_format("%s", unnamed),
	                      file ? io_file_type(file) : NULL,
	                      fact->fd == UINT32_MAX ? 0 : (uint64_t)fact->fd + 1};
}

static struct thing lock_of(const struct walk *walk, const struct exp_fact *fact)
{
	const struct exp_sync_object object = {
		.address = fact->address, .object_class = (uint8_t)fact->class, .node = fact->node};

	return (struct thing){lock_name(walk->page->dataset, &(struct lock){walk->at, &object}),
	                      lock_class_name(fact->class), 0};
}

static struct thing hook_of(const struct exp_fact *fact)
{
	char id[5];

	template_hook_text(fact->user->hook, id);
	return (struct thing){memory_format("%s", id), NULL, (uint64_t)fact->user->subhook + 1};
}

static struct thing function_of(const struct exp_fact *fact)
{
	const char *name = fmt_enum_name("mpi_func", fact->type);

	return (struct thing){memory_format("%s", name ? name : "<Unknown>"),
	                      fmt_enum_name("mpi_state", fact->type >> 8), 0};
}

/* A class of Java. */
static struct thing class_of(const struct walk *walk, const struct exp_fact *fact)
{
	return (struct thing){javaheap_class(walk->at, fact->java->class_id), NULL, 0};
}

/* What an event is about is told by this number, in its experiment and kind of data. */
static uint64_t key_of(const struct exp_fact *fact)
{
	switch (fact->data) {
	case EXP_DATA_SYNC:
		return fact->address << CLASS_BITS | fact->class;
	case EXP_DATA_IO:
		return (uint64_t)fact->file << 32 | fact->fd;
	case EXP_DATA_HEAP:
		return fact->java->class_id;
	case EXP_DATA_USER:
		return (uint64_t)fact->user->hook << 16 | fact->user->subhook;
	default:
		return fact->type;
	}
}

static uint32_t number_of(struct walk *walk, const struct exp_fact *fact, uint64_t key)
{
	struct exp_index *known = &walk->things[__builtin_ctz((unsigned)fact->data)];
	uint32_t number = exp_index_find(known, key);
	struct thing thing;

	if (number != EXP_INDEX_NONE)
		return number;
	if (known->count >= THINGS)
		key = UINT64_MAX;
	number = exp_index_find(known, key);
	if (number != EXP_INDEX_NONE)
		return number;
	if (key == UINT64_MAX)
		thing = (struct thing){memory_format("<Others>"), NULL, 0};
	else if (fact->data == EXP_DATA_SYNC)
		thing = lock_of(walk, fact);
	else if (fact->data == EXP_DATA_HEAP)
		thing = class_of(walk, fact);
	else if (fact->data == EXP_DATA_IO)
		thing = file_of(walk, fact);
	else if (fact->data == EXP_DATA_USER)
		thing = hook_of(fact);
	else if (key >= other_side)
		thing = (struct thing){
			memory_format("rank %llu", (unsigned long long)(key - other_side)), NULL,
			key - other_side + 1};
	else
		thing = function_of(fact);
	number = add_thing(walk, &thing);
	if (exp_index_add(known, key, number) != 0)
		memory_fail();
	return number;
}

/* What a call of MPI sent to the other side, or received from it. */
static void use_other_side(struct walk *walk, const struct page_fact *seen, struct use use)
{
	const struct fmt_mpi *mpi = seen->fact->mpi;
	unsigned message = mpi->message & ~(unsigned)ALSO;

	if (mpi->peer == UINT32_MAX || walk->at->info->mpi_rank < 0)
		return;
	use.thing = number_of(walk, seen->fact, other_side + mpi->peer);
	use.class = message == FMT_mpi_message_SENT       ? SENT_TO
	            : message == FMT_mpi_message_RECEIVED ? RECEIVED_FROM
	                                                  : 0;
	use.count = 1;
	use.ns = use.longest_ns = 0;
	uses_add(&walk->uses[FMT_DATAKIND_MPI], seen->begin_ns, seen->end_ns, &use);
}

void walk_use(struct walk *walk, const struct page_fact *seen, uint32_t call)
{
	const struct exp_fact *fact = seen->fact;
	unsigned kind = (unsigned)__builtin_ctz((unsigned)fact->data);
	uint64_t ns = experiment_ticks_ns(walk->at->experiment, fact->wait_ticks);
	struct use use = {.thread = (uint32_t)walk->page->thread_base + seen->thread,
	                  .call = call,
	                  .count = 1,
	                  .ns = ns,
	                  .longest_ns = ns,
	                  .bytes = fact->bytes};

	if (page_is_base(walk->page, walk->at))
		return;
	use.thing = number_of(walk, fact, key_of(fact));
	if (fact->data == EXP_DATA_IO)
		use.class = fact->class;
	else
		use.class = fact->error != 0 && fact->error != EXP_SYNC_OPEN;
	if (fact->data == EXP_DATA_USER)
		use.bytes = (fact->user->is_32 ? 4u : 8u) * fact->user->word_count +
		            fact->user->byte_count;
	if (fact->data == EXP_DATA_MPI) {
		use.bytes = fmt_u48_get(&fact->mpi->sent);
		use.received = fmt_u48_get(&fact->mpi->received);
		use_other_side(walk, seen, use);
		if (fact->mpi->message & ALSO)
			use.count = use.ns = use.longest_ns = 0;
	}
	uses_add(&walk->uses[kind], seen->begin_ns, seen->end_ns, &use);
}

/* A sampled object stands for a number of them that is not whole. */
void walk_use_java(struct walk *walk, const struct page_fact *seen)
{
	const struct exp_java_alloc *java = seen->fact->java;
	struct page *page = walk->page;
	char *site;
	struct use use = {.thread = (uint32_t)page->thread_base + seen->thread,
	                  .count = java->samples,
	                  .bytes = exp_whole(java->bytes * PARTS),
	                  .received = exp_whole(java->objects * PARTS)};

	if (page_is_base(page, walk->at))
		return;
	site = stacks_name_place(page->dataset, page->choices, walk->at, java->node, 1);
	use.thing = number_of(walk, seen->fact, key_of(seen->fact));
	use.call = page_string(page, site);
	uses_add(&walk->uses[FMT_DATAKIND_HEAP], seen->begin_ns, seen->end_ns, &use);
	free(site);
}

void walk_begin_uses(struct walk *walk, double share)
{
	size_t wanted = (size_t)(share * USES);

	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		walk->uses[kind] = (struct uses){
			.width_ns = UNIT_NS, .wanted = wanted < USES_LEAST ? USES_LEAST : wanted};
}

static void put(struct page *page, const struct use *use)
{
	column_step(page->sections[PAGE_USE_TIME], use->end);
	column_number(page->sections[PAGE_USE_SPAN], use->end - use->begin);
	column_step(page->sections[PAGE_USE_THREAD], use->thread);
	column_number(page->sections[PAGE_USE_THING], use->thing);
	column_number(page->sections[PAGE_USE_CALL], use->call);
	column_number(page->sections[PAGE_USE_CLASS], use->class);
	column_number(page->sections[PAGE_USE_COUNT], use->count);
	column_number(page->sections[PAGE_USE_NS], use->ns);
	column_number(page->sections[PAGE_USE_SHORT], use->ns - use->longest_ns);
	column_number(page->sections[PAGE_USE_BYTES], use->bytes);
	column_number(page->sections[PAGE_USE_RECEIVED], use->received);
	page->use_count++;
}

void walk_put_uses(struct walk *walk)
{
	struct page *page = walk->page;

	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++) {
		struct uses *uses = &walk->uses[kind];

		if (uses->count != 0)
			fprintf(page->uses,
			        "%s\n  {\"experiment\": %zu, \"kind\": %u, \"width_ns\": %llu, "
			        "\"first\": %zu, \"count\": %zu}",
			        page->use_count ? "," : "", page->experiment, kind,
			        (unsigned long long)uses->width_ns, page->use_count, uses->count);
		uses_sort(uses);
		for (size_t i = 0; i < uses->count; i++)
			put(page, &uses->at[i]);
		uses_fini(uses);
		exp_index_fini(&walk->things[kind]);
	}
	exp_index_fini(&walk->files);
}
