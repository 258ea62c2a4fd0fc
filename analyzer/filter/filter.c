/* filter.c: the stack machine that runs expressions, and where it gets the values of words from.
 * See doc/decisions/32-filters.md. */
#include "analyzer/filter/filter.h"

#include "experiment/experiment.h"
#include "experiment/events/usertrace.h"
#include "format/layout.h"
#include "format/record.h"
#include "analyzer/base/memory.h"
#include "analyzer/filter/ompnodes.h"
#include "analyzer/filter/pattern.h"
#include "analyzer/filter/valuenames.h"

#include <stdlib.h>
#include <string.h>

#define FILTER_SECOND INT64_C(1000000000)
enum { FILTER_FILE_STEP = 16 /* files are numbered in such steps */, THREAD_CACHE = 256 };
enum filter_data {
	ALL = ((1 << FMT_DATAKINDS) - 1) | TOKEN_DATA_MAPS,
	MAPS = TOKEN_DATA_MAPS,
#define DATAKIND(id, number, ...) id = EXP_DATA_##id,
#include "format/datakind.def"
};

struct filter_run {
	const struct expression *expression;
	struct filter_place place;
	int64_t number, group, pid, start_real_ns;
	int64_t offset_ns;        /* from the founder's start to that of the experiment */
	struct value_set *sets;   /* by step: values that have the names asked for */
	struct pattern *patterns; /* of the expression */
	uint32_t *constructs[2]; /* of OpenMP, by node: parallel regions, tasks; NULL: not asked for
	                            yet */
	struct {
		uint32_t tid;
		uint64_t buffer_ticks;
		int64_t thread; /* index + 1, 0: unused */
	} threads[THREAD_CACHE];
};

/* ---- values of words ---- */

static int64_t filter_own_time(const struct filter_run *run, uint64_t ticks)
{
	return experiment_time_ns(run->place.experiment, ticks);
}

static int64_t filter_time(const struct filter_run *run, uint64_t ticks)
{
	return filter_own_time(run, ticks) + run->offset_ns;
}

static int64_t filter_duration(const struct filter_run *run, const struct exp_fact *fact)
{
	return (int64_t)(fact->data == EXP_DATA_PROFILE
	                         ? fact->cpu_ns
	                         : experiment_ticks_ns(run->place.experiment, fact->wait_ticks));
}

static int64_t filter_free_time(const struct filter_run *run, const struct exp_fact *fact)
{
	return fact->freed_ticks == UINT64_MAX ? INT64_MAX : filter_time(run, fact->freed_ticks);
}

static uint64_t filter_begin(const struct exp_fact *fact)
{
	return fact->begin_ticks != 0 ? fact->begin_ticks : fact->ticks - fact->wait_ticks;
}

/* The state of a thread: what remained of its CPU time at its end is not told apart. */
static uint32_t filter_state(const struct exp_fact *fact)
{
	if (fact->data != EXP_DATA_PROFILE)
		return fact->state;
	return fact->type == FMT_clock_state_SYSTEM ? FMT_wall_state_SYSTEM : FMT_wall_state_USER;
}

/* Number of the first usage sample that is not before the event; of the last one if all are. */
static int64_t filter_sample(const struct filter_run *run, const struct exp_fact *fact)
{
	const struct exp_data_set *whole = run->place.whole;
	double time_s = (double)filter_own_time(run, fact->ticks) / 1e9;
	size_t low = 1, high = whole->usage_count;

	if (high < 2)
		return 0;
	while (low < high - 1) {
		size_t middle = low + (high - 1 - low) / 2;

		if (whole->usage[middle].time_s < time_s)
			low = middle + 1;
		else
			high = middle + 1;
	}
	return whole->usage[low].number;
}

/* Index of the event's thread, -1 if it is not known. */
static int64_t filter_thread(struct filter_run *run, const struct exp_fact *fact)
{
	size_t slot = (fact->tid ^ fact->buffer_ticks >> 8) % THREAD_CACHE;
	uint32_t found;

	if (run->threads[slot].thread == 0 || run->threads[slot].tid != fact->tid ||
	    run->threads[slot].buffer_ticks != fact->buffer_ticks) {
		found = exp_thread_at(run->place.whole, fact->tid,
		                      (double)filter_own_time(run, fact->buffer_ticks) / 1e9);
		run->threads[slot].tid = fact->tid;
		run->threads[slot].buffer_ticks = fact->buffer_ticks;
		run->threads[slot].thread = found == EXP_NO_INDEX ? -1 : (int64_t)found + 1;
	}
	return run->threads[slot].thread < 0 ? -1 : run->threads[slot].thread - 1;
}

static int64_t filter_io_class(const struct exp_fact *fact)
{
	static const uint8_t classes[] = {EXP_IO_OTHER, EXP_IO_READ, EXP_IO_WRITE, EXP_IO_OTHER};

	return fact->error != 0
	               ? EXP_IO_ERROR
	               : classes[fact->type >> 6 & 3]; /* see io_func in format/enums.def */
}

/* A hook as it is printed: three digits if the fourth is 0. */
static int64_t filter_hook(const struct exp_fact *fact)
{
	return fact->user->hook & 15 ? fact->user->hook : fact->user->hook >> 4;
}

/* Number of the construct of OpenMP that the event's stack is in, 0: none. */
static int64_t filter_construct(struct filter_run *run, const struct exp_fact *fact,
                                enum fmt_pc_mark mark)
{
	const struct exp_nodes *nodes = &run->place.whole->nodes;
	uint32_t **constructs = &run->constructs[mark == FMT_PC_TASK];

	if (fact->node >= nodes->count)
		return 0;
	if (!*constructs)
		*constructs = omp_find_constructs(nodes, mark);
	return (*constructs)[fact->node];
}

/* Returns 0 if events of this kind have no such value. */
static int token_value(struct filter_run *run, const struct exp_fact *fact, uint32_t token,
                       int64_t *out)
{
	switch ((enum token_id)token) {
#define TOKEN(name, data_, kind, names, value, meaning) \
	case TOKEN_##name: \
		if (!((data_) & (fact->is_map ? MAPS : (unsigned)fact->data))) \
			return 0; \
		*out = (int64_t)(value); \
		return 1;
#define ALIAS(name, other)
#include "analyzer/filter/token.def"
	case TOKENS:
		break;
	}
	return 0;
}

/* ---- the machine ---- */

struct value {
	int64_t number;
	int is_there;
};

/* Overflow wraps, as in the two's complement that everybody expects. */
static struct value arithmetic(enum expression_op op, int64_t left, int64_t right)
{
	uint64_t a = (uint64_t)left, b = (uint64_t)right;

	switch (op) {
	case OP_MUL:
		return (struct value){(int64_t)(a * b), 1};
	case OP_ADD:
		return (struct value){(int64_t)(a + b), 1};
	case OP_SUB:
		return (struct value){(int64_t)(a - b), 1};
	case OP_SHL:
		return (struct value){b < 64 ? (int64_t)(a << b) : 0, 1};
	case OP_SHR:
		return (struct value){left >> (b < 64 ? b : 63), 1};
	case OP_BITAND:
		return (struct value){(int64_t)(a & b), 1};
	case OP_XOR:
		return (struct value){(int64_t)(a ^ b), 1};
	case OP_BITOR:
		return (struct value){(int64_t)(a | b), 1};
	default: /* DIV and MOD: by zero the result is missing */
		if (right == 0)
			return (struct value){0, 0};
		if (right == -1)
			return (struct value){op == OP_DIV ? (int64_t)(0 - a) : 0, 1};
		return (struct value){op == OP_DIV ? left / right : left % right, 1};
	}
}

static int64_t comparison(enum expression_op op, int64_t left, int64_t right)
{
	switch (op) {
	case OP_LT:
		return left < right;
	case OP_LE:
		return left <= right;
	case OP_GT:
		return left > right;
	case OP_GE:
		return left >= right;
	case OP_EQ:
		return left == right;
	default:
		return left != right;
	}
}

static struct value both(enum expression_op op, struct value left, struct value right)
{
	int decides = op == OP_OR; /* the truth value that one side can decide by */

	if (op == OP_COMMA)
		return right;
	if (op == OP_AND || op == OP_OR) {
		if ((left.is_there && (left.number != 0) == decides) ||
		    (right.is_there && (right.number != 0) == decides))
			return (struct value){decides, 1};
		return (struct value){!decides, left.is_there && right.is_there};
	}
	if (!left.is_there || !right.is_there)
		return (struct value){0, 0};
	if (op >= OP_LT && op <= OP_NE)
		return (struct value){comparison(op, left.number, right.number), 1};
	return arithmetic(op, left.number, right.number);
}

static int64_t floor_log(int64_t number, int64_t base)
{
	int64_t log = 0;

	while (number >= base) {
		number /= base;
		log++;
	}
	return log;
}

static struct value one(enum expression_op op, struct value value)
{
	if (!value.is_there)
		return value;
	switch (op) {
	case OP_NEG:
		return (struct value){(int64_t)(0 - (uint64_t)value.number), 1};
	case OP_NOT:
		return (struct value){value.number == 0, 1};
	case OP_COMPL:
		return (struct value){~value.number, 1};
	default: /* LOG2 and LOG10: of nothing they are missing */
		return (struct value){
			value.number > 0 ? floor_log(value.number, op == OP_LOG2 ? 2 : 10) : 0,
			value.number > 0};
	}
}

static struct value choose(const struct value *condition)
{
	if (!condition[0].is_there)
		return (struct value){0, 0};
	return condition[0].number != 0 ? condition[1] : condition[2];
}

/* A value that a step pushes. */
static struct value push(struct filter_run *run, const struct exp_fact *fact, size_t at)
{
	const struct expression_step *step = &run->expression->steps[at];
	struct value value = {step->value, 1};

	if (step->op == OP_TOKEN || step->op == OP_NAMED)
		value.is_there = token_value(run, fact, step->at, &value.number);
	if (step->op == OP_NAMED && value.is_there)
		value.number = value_set_has(&run->sets[at], value.number);
	if (step->op == OP_STACK)
		value.number = pattern_matches(&run->patterns[step->at], fact->node);
	return value;
}

int filter_run_value(struct filter_run *run, const struct exp_fact *fact, int64_t *out)
{
	const struct expression *expression = run->expression;
	struct value stack[EXPRESSION_DEPTH + 2], *top = stack;

	*top = (struct value){0, 0}; /* below the first: what an empty expression says */
	for (size_t at = 0; at < expression->count; at++) {
		const struct expression_step *step = &expression->steps[at];

		if (step->op <= OP_STACK) {
			*++top = push(run, fact, at);
		} else if (step->op <= OP_LOG10) {
			*top = one(step->op, *top);
		} else if (step->op == OP_CHOOSE) {
			top -= 2;
			*top = choose(top);
		} else if (step->op >= OP_IF_FALSE) {
			if (top->is_there && (top->number != 0) == (step->op == OP_IF_TRUE))
				at = step->at - 1;
		} else {
			top--;
			*top = both(step->op, top[0], top[1]);
		}
	}
	*out = top->number;
	return top->is_there;
}

/* ---- life ---- */

struct filter_run *filter_run_create(const struct expression *expression,
                                     const struct filter_place *place)
{
	struct filter_run *run = memory_take(1, sizeof(*run));

	run->expression = expression;
	run->place = *place;
	run->number = place->number;
	run->group = place->group;
	run->pid = place->info->pid;
	run->start_real_ns = place->info->start_real_ns;
	run->offset_ns = place->info->start_real_ns - place->founder_real_ns;
	run->sets = memory_take(expression->count, sizeof(*run->sets));
	for (size_t i = 0; i < expression->count; i++)
		if (expression->steps[i].op == OP_NAMED)
			run->sets[i] = value_set_find(&token_table[expression->steps[i].at],
			                              expression->texts[expression->steps[i].value],
			                              place->whole);
	run->patterns = memory_take(expression->pattern_count, sizeof(*run->patterns));
	for (size_t i = 0; i < expression->pattern_count; i++)
		pattern_init(&run->patterns[i], &expression->patterns[i], &run->place);
	return run;
}

void filter_run_destroy(struct filter_run *run)
{
	if (!run)
		return;
	for (size_t i = 0; i < run->expression->pattern_count; i++)
		pattern_fini(&run->patterns[i]);
	for (size_t i = 0; i < run->expression->count; i++)
		free(run->sets[i].values);
	free(run->constructs[0]);
	free(run->constructs[1]);
	free(run->patterns);
	free(run->sets);
	free(run);
}

int filter_run_begin(struct filter_run *run, const struct exp_nodes *nodes)
{
	int status = 0;

	for (size_t i = 0; i < run->expression->pattern_count && status == 0; i++)
		status = pattern_begin(&run->patterns[i], nodes);
	return status;
}

void filter_ask(const struct expression *expression, struct exp_selection *selection)
{
	selection->wants_leaks |= expression_has(expression, TOKEN_HLEAKED) ||
	                          expression_has(expression, TOKEN_HFREED) ||
	                          expression_has(expression, TOKEN_HCUR_LEAKS);
	selection->wants_frees |= expression_has(expression, TOKEN_HFREE_TSTAMP) != 0;
}
