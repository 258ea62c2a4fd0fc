/* hooks.c: tables of user events: how often each hook was logged, and how much time lies
 * between the events of pairs. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/data/userevents.h"
#include "analyzer/print/print.h"
#include "analyzer/report/quality/quality.h"
#include "template/template.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ANY_SUBHOOK = -1, TABLE_MIN = 256, OPEN_MAX_PAIRS = 1 << 20 };

/* What is known of a series of times, in ns. */
struct spread {
	uint64_t count, sum, least, most;
};

static void add_to(struct spread *spread, uint64_t ns)
{
	if (spread->count == 0 || ns < spread->least)
		spread->least = ns;
	if (ns > spread->most)
		spread->most = ns;
	spread->sum += ns;
	spread->count++;
}

static void put_spread(struct print_table *table, const struct spread *spread)
{
	if (spread->count == 0) {
		for (int i = 0; i < 4; i++)
			print_none(table);
		return;
	}
	print_number(table, spread->sum);
	print_number(table, spread->least);
	print_number(table, spread->sum / spread->count);
	print_number(table, spread->most);
}

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t mixed = (a * 0x9e3779b97f4a7c15u) ^ (b + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu ^
	                 c * 0x165667b19e3779f9u;

	return mixed ^ mixed >> 29;
}

/* ---- hooks ---- */

struct hook_row {
	uint32_t word; /* hook and sub-id */
	uint64_t count, bytes;
	double first_s, last_s;
	struct spread between; /* events of the row, whatever their threads */
	int64_t last_ns;
};

struct hook_rows {
	struct hook_row *rows; /* a hash table of `capacity`, a power of two; count 0: unused */
	size_t count, capacity;
};

static struct hook_row *find_row(struct hook_row *rows, size_t capacity, uint32_t word)
{
	size_t at = mix(word, 0, 0) & (capacity - 1);

	while (rows[at].count != 0 && rows[at].word != word)
		at = (at + 1) & (capacity - 1);
	return &rows[at];
}

static void grow_rows(struct hook_rows *table)
{
	size_t capacity = table->capacity ? table->capacity * 2 : TABLE_MIN;
	struct hook_row *rows;

	if (table->count * 2 < table->capacity)
		return;
	rows = memory_take(capacity, sizeof(*rows));
	for (size_t i = 0; i < table->capacity; i++)
		if (table->rows[i].count != 0)
			*find_row(rows, capacity, table->rows[i].word) = table->rows[i];
	free(table->rows);
	table->rows = rows;
	table->capacity = capacity;
}

static int count_event(void *context, const struct exp_user_event *event)
{
	struct hook_rows *table = context;
	uint32_t word = (uint32_t)event->hook << 16 | event->subhook;
	struct hook_row *row;

	grow_rows(table);
	row = find_row(table->rows, table->capacity, word);
	if (row->count == 0) {
		table->count++;
		row->word = word;
		row->first_s = (double)event->time_ns * 1e-9;
	} else if (event->time_ns >= row->last_ns) {
		add_to(&row->between, (uint64_t)(event->time_ns - row->last_ns));
	}
	row->count++;
	row->bytes += (event->is_32 ? 4u : 8u) * event->word_count + event->byte_count;
	row->last_ns = event->time_ns;
	row->last_s = (double)event->time_ns * 1e-9;
	return 0;
}

/* Unused rows last. */
static int by_word(const void *left, const void *right)
{
	const struct hook_row *a = left, *b = right;

	if ((a->count == 0) != (b->count == 0))
		return a->count == 0 ? 1 : -1;
	return (a->word > b->word) - (a->word < b->word);
}

static void put_rows(const struct choices *choices, struct output *output,
                     const struct hook_rows *found)
{
	struct print_table *table = print_table_begin("hooks");

	print_describe(table, "User events by hook", 2);
	print_column(table, PRINT_WORD, "hook", "Hook");
	print_column(table, PRINT_WORD, "subhook", "Subhook");
	print_column(table, PRINT_COUNT, "count", "Events");
	print_column(table, PRINT_BYTES, "bytes", "Bytes");
	print_column(table, PRINT_MOMENT, "first", "First\nsec.");
	print_column(table, PRINT_MOMENT, "last", "Last\nsec.");
	print_column(table, PRINT_NS, "between.sum", "Sum Between\nsec.");
	print_column(table, PRINT_NS, "between.min", "Least\nsec.");
	print_column(table, PRINT_NS, "between.avg", "Average\nsec.");
	print_column(table, PRINT_NS, "between.max", "Most\nsec.");
	for (size_t i = 0; i < found->count; i++) {
		const struct hook_row *row = &found->rows[i];
		char id[5], subhook[8];

		template_hook_text((uint16_t)(row->word >> 16), id);
		snprintf(subhook, sizeof(subhook), "%04X", row->word & 0xffff);
		print_word(table, id);
		print_word(table, subhook);
		print_number(table, row->count);
		print_number(table, row->bytes);
		print_real(table, row->first_s);
		print_real(table, row->last_s);
		put_spread(table, &row->between);
	}
	print_table_end(output, table, choices->limit);
}

void view_hooks(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct command_argument *argument)
{
	struct user_family family = {.dataset = dataset, .output = output};
	struct hook_rows table = {.count = 0};

	(void)argument;
	while (user_family_next(&family)) {
		/* Times of different recordings have nothing between them. */
		for (size_t i = 0; i < table.capacity; i++)
			table.rows[i].last_ns = INT64_MAX;
		user_family_walk(&family, count_event, &table);
	}
	if (table.count > 0)
		qsort(table.rows, table.capacity, sizeof(*table.rows), by_word);
	quality_put(dataset, output);
	put_rows(choices, output, &table);
	free(table.rows);
}

/* ---- pairs ---- */

struct end {
	uint16_t hook;
	int subhook;
};

/* A begun pair. */
struct begun {
	uint64_t key, process;
	int64_t time_ns;
	int is_used, is_open;
};

struct pairs {
	struct end first, second;
	int word;            /* of the key, from 1; 0: the thread is the key */
	struct begun *begun; /* a hash table of `capacity` */
	size_t count, capacity;
	struct spread times;
	uint64_t firsts, seconds, again; /* again: begun a second time without an end */
	uint64_t without_first, too_many;
};

/* "020", "0200" or "020:1" at *text, which is moved behind it. */
static int read_end(const char **text, struct end *out)
{
	size_t len;

	*text += strspn(*text, " \t");
	len = strspn(*text, "0123456789abcdefABCDEF");
	if (template_hook_parse(*text, len, &out->hook) != 0)
		return -EINVAL;
	*text += len;
	out->subhook = ANY_SUBHOOK;
	if (**text == ':') {
		char *end;

		if (!isxdigit((unsigned char)(*text)[1]))
			return -EINVAL;
		out->subhook = (int)strtoul(*text + 1, &end, 16);
		*text = end;
	}
	return **text == '\0' || **text == ' ' || **text == '\t' ? 0 : -EINVAL;
}

/* "FIRST SECOND [Dn]". */
static int read_pair(const char *text, struct pairs *out)
{
	if (read_end(&text, &out->first) != 0 || read_end(&text, &out->second) != 0)
		return -EINVAL;
	text += strspn(text, " \t");
	if (*text == '\0')
		return 0;
	if ((text[0] != 'D' && text[0] != 'd') || text[1] < '1' || text[1] > '0' + FMT_USER_WORDS ||
	    text[2] != '\0')
		return -EINVAL;
	out->word = text[1] - '0';
	return 0;
}

static int is_end(const struct end *end, const struct exp_user_event *event)
{
	return end->hook == event->hook &&
	       (end->subhook == ANY_SUBHOOK || end->subhook == event->subhook);
}

static struct begun *find_begun(struct begun *begun, size_t capacity, uint64_t key,
                                uint64_t process)
{
	size_t at = mix(key, process, 1) & (capacity - 1);

	while (begun[at].is_used && (begun[at].key != key || begun[at].process != process))
		at = (at + 1) & (capacity - 1);
	return &begun[at];
}

static void grow_begun(struct pairs *pairs)
{
	size_t capacity = pairs->capacity ? pairs->capacity * 2 : TABLE_MIN;
	struct begun *begun;

	if (pairs->count * 2 < pairs->capacity)
		return;
	begun = memory_take(capacity, sizeof(*begun));
	pairs->count = 0;
	/* What has ended is left out. */
	for (size_t i = 0; i < pairs->capacity; i++)
		if (pairs->begun[i].is_open) {
			*find_begun(begun, capacity, pairs->begun[i].key,
			            pairs->begun[i].process) = pairs->begun[i];
			pairs->count++;
		}
	free(pairs->begun);
	pairs->begun = begun;
	pairs->capacity = capacity;
}

static int pair_event(void *context, const struct exp_user_event *event)
{
	struct pairs *pairs = context;
	int is_second = is_end(&pairs->second, event);
	int is_first = is_end(&pairs->first, event);
	uint64_t key = pairs->word ? event->words[pairs->word - 1] : event->tid;
	struct begun *begun;

	if (!is_first && !is_second)
		return 0;
	grow_begun(pairs);
	begun = find_begun(pairs->begun, pairs->capacity, key, event->process);
	if (is_second) {
		pairs->seconds++;
		if (begun->is_open)
			add_to(&pairs->times, event->time_ns > begun->time_ns
			                              ? (uint64_t)(event->time_ns - begun->time_ns)
			                              : 0);
		else
			pairs->without_first++;
		begun->is_open = 0;
	}
	if (is_first) {
		pairs->firsts++;
		pairs->again += begun->is_open != 0;
		if (!begun->is_used && pairs->count >= OPEN_MAX_PAIRS) {
			pairs->too_many++;
			return 0;
		}
		pairs->count += !begun->is_used;
		*begun = (struct begun){.key = key,
		                        .process = event->process,
		                        .time_ns = event->time_ns,
		                        .is_used = 1,
		                        .is_open = 1};
	}
	return 0;
}

static uint64_t count_open(const struct pairs *pairs)
{
	uint64_t open = 0;

	for (size_t i = 0; i < pairs->capacity; i++)
		open += pairs->begun[i].is_open != 0;
	return open;
}

static void put_pairs(struct output *output, const struct pairs *pairs, uint64_t open)
{
	struct print_table *record = print_record_begin("hookpairs");

	print_describe(record, "Pairs of user events", 0);
	print_field(record, PRINT_COUNT, "pairs", "Pairs", pairs->times.count);
	print_field(record, PRINT_NS, "sum", "Time between, all together", pairs->times.sum);
	print_field(record, PRINT_NS, "min", "Least", pairs->times.least);
	print_field(record, PRINT_NS, "avg", "Average",
	            pairs->times.count ? pairs->times.sum / pairs->times.count : 0);
	print_field(record, PRINT_NS, "max", "Most", pairs->times.most);
	print_field(record, PRINT_COUNT, "firsts", "First events", pairs->firsts);
	print_field(record, PRINT_COUNT, "seconds", "Second events", pairs->seconds);
	print_field(record, PRINT_COUNT, "again",
	            "First events without a second one before the next", pairs->again);
	print_field(record, PRINT_COUNT, "open", "First events without a second one at the end",
	            open);
	print_field(record, PRINT_COUNT, "without_first", "Second events without a first one",
	            pairs->without_first);
	if (pairs->too_many > 0)
		print_field(record, PRINT_COUNT, "too_many",
		            "First events not looked at: too many were open", pairs->too_many);
	print_table_end(output, record, 0);
}

void view_hookpairs(const struct dataset *dataset, const struct choices *choices,
                    struct output *output, const struct command_argument *argument)
{
	struct user_family family = {.dataset = dataset, .output = output};
	struct pairs pairs = {.count = 0};
	uint64_t open = 0;

	(void)choices;
	if (read_pair(argument->text, &pairs) != 0) {
		output_fail(
			output, EXIT_USAGE,
			"hookpairs: needs \"FIRST SECOND [Dn]\": ID or ID:SUBID, and the data word that pairs have in common");
		return;
	}
	while (user_family_next(&family)) {
		user_family_walk(&family, pair_event, &pairs);
		open += count_open(&pairs);
		free(pairs.begun);
		pairs.begun = NULL;
		pairs.count = pairs.capacity = 0;
	}
	quality_put(dataset, output);
	put_pairs(output, &pairs, open);
}
