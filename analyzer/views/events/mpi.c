/* mpi.c: calls of MPI functions, by function and by rank, and the messages between ranks. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/print/print.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "experiment/base/clock.h"
#include "experiment/events/mpi.h"
#include "format/record.h"

#include <stdlib.h>

static const struct exp_mpi *mpi_of(const struct dataset_experiment *at)
{
	static const struct exp_mpi none;

	return at->data->mpi ? at->data->mpi : &none;
}

/* ---- by function ---- */

static int by_time(const void *left, const void *right)
{
	const struct exp_mpi_function *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	return (int)a->func - (int)b->func;
}

static void add_function(struct exp_mpi_function *to, const struct exp_mpi_function *from)
{
	to->calls += from->calls;
	to->failed += from->failed;
	to->time_ns += from->time_ns;
	to->sent += from->sent;
	to->received += from->received;
	if (from->longest_ns > to->longest_ns)
		to->longest_ns = from->longest_ns;
}

/* The functions of all selected experiments, each once. The caller frees. */
static struct exp_mpi_function *find_functions(const struct dataset *dataset, size_t *count)
{
	enum { NUMBERS = 1 << 16 };
	struct exp_mpi_function *functions = memory_take(NUMBERS, sizeof(*functions));
	const struct dataset_experiment *at = NULL;

	*count = 0;
	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < mpi_of(at)->function_count; i++) {
			const struct exp_mpi_function *function = &mpi_of(at)->functions[i];

			functions[function->func].func = function->func;
			add_function(&functions[function->func], function);
		}
	for (size_t i = 0; i < NUMBERS; i++)
		if (functions[i].func != 0)
			functions[(*count)++] = functions[i];
	qsort(functions, *count, sizeof(*functions), by_time);
	return functions;
}

void view_mpifunctions(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const struct command_argument *argument)
{
	struct print_table *table = print_table_begin("mpifunctions");
	struct exp_mpi_function *functions;
	size_t count;

	(void)argument;
	functions = find_functions(dataset, &count);
	quality_put(dataset, output);
	print_describe(table, "MPI functions, of all ranks", 2);
	print_column(table, PRINT_WORD, "function", "Function");
	print_column(table, PRINT_WORD, "class", "Class");
	print_column(table, PRINT_COUNT, "calls", "Calls");
	print_column(table, PRINT_COUNT, "failed", "Failed");
	print_column(table, PRINT_NS, "time", "Time\nsec.");
	print_column(table, PRINT_NS, "longest", "Longest\nsec.");
	print_column(table, PRINT_BYTES, "sent", "Bytes\nsent");
	print_column(table, PRINT_BYTES, "received", "Bytes\nreceived");
	for (size_t i = 0; i < count; i++) {
		const struct exp_mpi_function *function = &functions[i];
		const char *name = fmt_enum_name("mpi_func", function->func),
			   *class = fmt_enum_name("mpi_state", function->func >> 8);

		print_word(table, name ? name : "<Unknown>");
		print_word(table, class ? class : "<Unknown>");
		print_number(table, function->calls);
		print_number(table, function->failed);
		print_number(table, function->time_ns);
		print_number(table, function->longest_ns);
		print_number(table, function->sent);
		print_number(table, function->received);
	}
	print_table_end(output, table, choices->limit);
	if (count != 0)
		report_put_next(dataset, choices, output, "mpiranks", NULL,
		                "how even the ranks are");
	free(functions);
}

/* ---- by rank ---- */

#define RANK_COLUMNS(COLUMN) \
	COLUMN(WALL, PRINT_NS, "wall", "Wall\nsec.") \
	COLUMN(TIME, PRINT_NS, "mpi", "MPI\nsec.") \
	COLUMN(CPU, PRINT_NS, "mpi_cpu", "CPU in\nMPI sec.") \
	COLUMN(CALLS, PRINT_COUNT, "calls", "Calls") \
	COLUMN(SENDS, PRINT_COUNT, "sends", "Sends") \
	COLUMN(SENT, PRINT_BYTES, "sent", "Bytes\nsent") \
	COLUMN(RECEIVES, PRINT_COUNT, "receives", "Receives") \
	COLUMN(RECEIVED, PRINT_BYTES, "received", "Bytes\nreceived")
enum rank_column {
#define COLUMN(id, type, key, heading) RANK_##id,
	RANK_COLUMNS(COLUMN)
#undef COLUMN
		RANK_COUNT
};

struct rank {
	const struct dataset_experiment *at;
	uint64_t value[RANK_COUNT];
};

/* Of all events, including those without a stack. */
static uint64_t sum(const struct exp_nodes *nodes, enum exp_metric metric)
{
	uint64_t result = nodes->no_stack[metric];

	for (size_t i = 0; nodes->value[metric] && i < nodes->row_count; i++)
		result += nodes->value[metric][i];
	return result;
}

static void read_rank(struct rank *rank)
{
	const struct exp_nodes *nodes = &rank->at->data->nodes;

	rank->value[RANK_WALL] = exp_whole(rank->at->info->duration_s * 1e9);
	rank->value[RANK_TIME] = sum(nodes, EXP_MPI_TIME);
	rank->value[RANK_CPU] = sum(nodes, EXP_MPI_WORK) + sum(nodes, EXP_MPI_WAIT);
	rank->value[RANK_CALLS] = rank->at->data->quality.mpi_events;
	rank->value[RANK_SENDS] = sum(nodes, EXP_MPI_SENDS);
	rank->value[RANK_SENT] = sum(nodes, EXP_MPI_BYTES_SENT);
	rank->value[RANK_RECEIVES] = sum(nodes, EXP_MPI_RECEIVES);
	rank->value[RANK_RECEIVED] = sum(nodes, EXP_MPI_BYTES_RECEIVED);
}

static int by_rank(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;
	int64_t a_rank = a->at->info->mpi_rank, b_rank = b->at->info->mpi_rank;

	if (a_rank != b_rank)
		return a_rank < b_rank ? -1 : 1;
	return (int)a->at->id - (int)b->at->id;
}

/* The processes that told a rank. The caller frees. */
static struct rank *find_ranks(const struct dataset *dataset, size_t *count)
{
	struct rank *ranks = memory_take(dataset->count, sizeof(*ranks));
	const struct dataset_experiment *at = NULL;

	*count = 0;
	while ((at = dataset_next(dataset, at)))
		if (at->info->mpi_rank >= 0) {
			ranks[*count].at = at;
			read_rank(&ranks[(*count)++]);
		}
	qsort(ranks, *count, sizeof(*ranks), by_rank);
	return ranks;
}

/* A line of what the ranks have in common. */
static void put_summary(struct print_table *table, const char *name, const struct rank *ranks,
                        size_t count,
                        uint64_t (*of)(const struct rank *ranks, size_t count,
                                       enum rank_column column))
{
	print_word(table, name);
	for (enum rank_column column = 0; column < RANK_COUNT; column++)
		print_number(table, of(ranks, count, column));
	print_word(table, "");
}

static uint64_t least(const struct rank *ranks, size_t count, enum rank_column column)
{
	uint64_t result = ranks[0].value[column];

	for (size_t i = 1; i < count; i++)
		result = ranks[i].value[column] < result ? ranks[i].value[column] : result;
	return result;
}

static uint64_t most(const struct rank *ranks, size_t count, enum rank_column column)
{
	uint64_t result = 0;

	for (size_t i = 0; i < count; i++)
		result = ranks[i].value[column] > result ? ranks[i].value[column] : result;
	return result;
}

static uint64_t mean(const struct rank *ranks, size_t count, enum rank_column column)
{
	double all = 0;

	for (size_t i = 0; i < count; i++)
		all += (double)ranks[i].value[column];
	return exp_whole(all / (double)count);
}

/* How much the highest one has above the mean. */
static uint64_t imbalance(const struct rank *ranks, size_t count, enum rank_column column)
{
	uint64_t top = most(ranks, count, column), middle = mean(ranks, count, column);

	return top > middle ? top - middle : 0;
}

static void put_status(struct print_table *table, const struct dataset_experiment *at)
{
	char text[64];

	print_word(table, report_status(at, text, sizeof(text)));
}

void view_mpiranks(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	struct print_table *table = print_table_begin("mpiranks");
	size_t count;
	struct rank *ranks = find_ranks(dataset, &count);

	(void)argument;
	quality_put(dataset, output);
	print_describe(
		table,
		"Ranks: time in MPI functions, messages and their bytes; imbalance is the most less the mean",
		1);
	print_column(table, PRINT_WORD, "rank", "Rank");
#define COLUMN(id, type, key, heading) print_column(table, type, key, heading);
	RANK_COLUMNS(COLUMN)
#undef COLUMN
	print_column(table, PRINT_WORD, "status", "Status");
	for (size_t i = 0; i < count; i++) {
		char name[24];

		snprintf(name, sizeof(name), "%lld", (long long)ranks[i].at->info->mpi_rank);
		print_word(table, name);
		for (enum rank_column column = 0; column < RANK_COUNT; column++)
			print_number(table, ranks[i].value[column]);
		put_status(table, ranks[i].at);
	}
	if (count != 0) {
		put_summary(table, "least", ranks, count, least);
		put_summary(table, "mean", ranks, count, mean);
		put_summary(table, "most", ranks, count, most);
		put_summary(table, "imbalance", ranks, count, imbalance);
	}
	print_table_end(output, table, 0);
	if (count != 0)
		report_put_next(dataset, choices, output, "mpimessages", NULL, "who sends to whom");
	free(ranks);
}

/* ---- from rank to rank ---- */

/* What one rank recorded as sent to the other, and the other as received from it. */
struct message {
	uint32_t from, to;
	uint64_t sends, sent, receives, received, put, got;
};

static int by_place(const void *left, const void *right)
{
	const struct message *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static size_t join(struct message *messages, size_t count)
{
	size_t out = 0;

	for (size_t i = 1; i < count; i++) {
		struct message *last = &messages[out];

		if (by_place(last, &messages[i]) != 0) {
			messages[++out] = messages[i];
			continue;
		}
		last->sends += messages[i].sends;
		last->sent += messages[i].sent;
		last->receives += messages[i].receives;
		last->received += messages[i].received;
		last->put += messages[i].put;
		last->got += messages[i].got;
	}
	return count == 0 ? 0 : out + 1;
}

/* The caller frees. */
static struct message *find_messages(const struct dataset *dataset, size_t *count)
{
	struct message *messages = NULL;
	const struct dataset_experiment *at = NULL;
	size_t capacity = 0;

	*count = 0;
	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < mpi_of(at)->peer_count && at->info->mpi_rank >= 0; i++) {
			const struct exp_mpi_peer *peer = &mpi_of(at)->peers[i];
			uint32_t own = (uint32_t)at->info->mpi_rank;
			const struct message both[] = {
				{.from = own,
			         .to = peer->rank,
			         .sends = peer->sends,
			         .sent = peer->sent,
			         .put = peer->put},
				{.from = peer->rank,
			         .to = own,
			         .receives = peer->receives,
			         .received = peer->received,
			         .got = peer->got},
			};

			for (size_t j = 0; j < 2; j++) {
				if (!(both[j].sends | both[j].receives | both[j].put | both[j].got))
					continue;
				messages = memory_grow(messages, *count, &capacity,
				                       sizeof(*messages));
				messages[(*count)++] = both[j];
			}
		}
	if (*count > 1)
		qsort(messages, *count, sizeof(*messages), by_place);
	*count = join(messages, *count);
	return messages;
}

void view_mpimessages(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct command_argument *argument)
{
	struct print_table *table = print_table_begin("mpimessages");
	size_t count;
	struct message *messages = find_messages(dataset, &count);

	(void)argument;
	quality_put(dataset, output);
	print_describe(
		table,
		"Messages, as senders and receivers tell; one-sided bytes, put by the one or got by the other",
		2);
	print_column(table, PRINT_ID, "from", "From");
	print_column(table, PRINT_ID, "to", "To");
	print_column(table, PRINT_COUNT, "sends", "Sent");
	print_column(table, PRINT_BYTES, "sent", "Bytes");
	print_column(table, PRINT_COUNT, "receives", "Received");
	print_column(table, PRINT_BYTES, "received", "Bytes\nreceived");
	print_column(table, PRINT_BYTES, "put", "Bytes\nput");
	print_column(table, PRINT_BYTES, "got", "Bytes\ngot");
	for (size_t i = 0; i < count; i++) {
		const struct message *message = &messages[i];

		print_number(table, message->from);
		print_number(table, message->to);
		print_number(table, message->sends);
		print_number(table, message->sent);
		print_number(table, message->receives);
		print_number(table, message->received);
		print_number(table, message->put);
		print_number(table, message->got);
	}
	print_table_end(output, table, choices->limit);
	if (count != 0)
		report_put_next(dataset, choices, output, "mpifunctions", NULL,
		                "the functions that took the time");
	free(messages);
}
