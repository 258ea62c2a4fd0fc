/* xrayaccount.c: the command that accounts for the functions of foreign logs: how often each was
 * called, and how long that took. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/sorter.h"
#include "analyzer/base/text.h"
#include "analyzer/views/foreign/xraylogs.h"

#include <math.h>
#include <stdlib.h>

struct call {
	uint32_t function;
	uint64_t begin;
};

/* The calls of one thread that are open, and those that have ended, by function and time. */
struct accounts {
	struct call *open;
	size_t depth, capacity;
	uint32_t tid;
	struct sorter *sorter;
};

/* Calls without an exit have no duration. */
static int count_call(void *context, const struct xraylog_record *record)
{
	struct accounts *accounts = context;
	size_t at;

	if (record->tid != accounts->tid)
		accounts->depth = 0;
	accounts->tid = record->tid;
	if (record->kind == XRAYLOG_ENTER || record->kind == XRAYLOG_ENTER_ARGUMENT) {
		accounts->open = memory_grow(accounts->open, accounts->depth, &accounts->capacity,
		                             sizeof(*accounts->open));
		accounts->open[accounts->depth++] = (struct call){record->function, record->tsc};
	}
	if (record->kind != XRAYLOG_EXIT && record->kind != XRAYLOG_TAIL_EXIT)
		return 0;
	for (at = accounts->depth; at > 0 && accounts->open[at - 1].function != record->function;)
		at--;
	if (at == 0)
		return 0;
	accounts->depth = at - 1;
	sorter_add(accounts->sorter, record->function, record->tsc - accounts->open[at - 1].begin,
	           NULL, 0);
	return 0;
}

/* How many calls each function has, in order of their numbers: counts[*functions]. The caller
 * frees. */
static uint64_t *count_functions(struct sorter *sorter, size_t *functions)
{
	uint64_t *counts = NULL, last = UINT64_MAX;
	size_t capacity = 0;
	struct sorter_item item;

	*functions = 0;
	sorter_begin(sorter);
	while (sorter_next(sorter, &item)) {
		if (item.major != last) {
			counts = memory_grow(counts, *functions, &capacity, sizeof(*counts));
			counts[(*functions)++] = 0;
		}
		counts[*functions - 1]++;
		last = item.major;
	}
	return counts;
}

/* llvm-xray has a column behind the line, which our reader does not keep. */
static void put_place(FILE *out, const struct xraylogs_source *source, uint32_t id)
{
	const struct sym_function *function = xraylogs_function(source, id);
	char number[XRAYLOGS_NUMBER];

	if (function && function->file) {
		text_put(out, text_base(function->file));
		fprintf(out, ":%u: ", function->line);
	} else {
		fputs("(unknown): ", out);
	}
	text_put(out, xraylogs_name(source, id, "#", number));
	fputc('\n', out);
}

/* The next `count` calls of the sorter are those of one function. */
static void put_account(FILE *out, const struct xraylogs_source *source, struct sorter *sorter,
                        uint64_t count, double hz)
{
	uint64_t places[] = {0, count / 2, (uint64_t)floor((double)count * 0.9),
	                     (uint64_t)floor((double)count * 0.99), count - 1};
	enum { PLACES = sizeof(places) / sizeof(places[0]) };
	double values[PLACES] = {0}, sum = 0;
	struct sorter_item item = {.major = 0};

	for (uint64_t i = 0; i < count && sorter_next(sorter, &item); i++) {
		sum += (double)item.minor;
		for (size_t k = 0; k < PLACES; k++)
			if (places[k] == i)
				values[k] = (double)item.minor;
	}
	fprintf(out, "%9u %10llu [%9.6f, %9.6f, %9.6f, %9.6f, %9.6f] %9.6f  ", (uint32_t)item.major,
	        (unsigned long long)count, values[0] / hz, values[1] / hz, values[2] / hz,
	        values[3] / hz, values[4] / hz, sum / hz);
	put_place(out, source, (uint32_t)item.major);
}

static void put_accounts(FILE *out, const struct xraylogs_source *source)
{
	const struct xraylog *log = source->log;
	double hz = log->cycle_frequency != 0 ? (double)log->cycle_frequency : 1;
	struct accounts accounts = {.sorter = sorter_new(XRAYLOGS_SORT_MEMORY)};
	uint64_t *counts;
	size_t functions;

	xraylogs_each(log, count_call, &accounts);
	free(accounts.open);
	counts = count_functions(accounts.sorter, &functions);
	fprintf(out,
	        "Functions with latencies: %zu\n   funcid      count [      min,       med,       90p,       99p,       "
	        "max]       sum  function    \n",
	        functions);
	sorter_begin(accounts.sorter);
	for (size_t i = 0; i < functions; i++)
		put_account(out, source, accounts.sorter, counts[i], hz);
	free(counts);
	sorter_free(accounts.sorter);
}

void view_account(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	(void)choices;
	(void)argument;
	xraylogs_put(dataset, output, "account", put_accounts);
}
