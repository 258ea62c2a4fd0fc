/* run.c: walks the items of a template for one event. Whatever the template, an event takes a
 * bounded number of steps and gives a bounded text.
 * See doc/decisions/49-template-limits.md. */
#include "template/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct template_run *template_run_create(const struct template_set *set,
                                         const struct template_context *context)
{
	struct template_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->set = set;
	run->context = *context;
	return run;
}

void template_run_destroy(struct template_run *run)
{
	if (!run)
		return;
	free(run->timers);
	free(run->text);
	free(run);
}

static enum run_end run_items(struct template_run *run, uint32_t first);
static enum run_end run_template(struct template_run *run, const struct template *template);

/* False, with a note, if the template has had its share of work. */
static int may_go_on(struct template_run *run, unsigned steps)
{
	if (run->steps >= RUN_STEPS_MAX) {
		run_note(run, "template too long");
		return 0;
	}
	run->steps += steps;
	return 1;
}

/* ---- SWITCH ---- */

static int matches_text(const struct node *node, const uint8_t *text, size_t len)
{
	return node->is_any || (node->len == len && memcmp(node->text, text, len) == 0);
}

/* A signed value of a few bytes may be given as the unsigned number of the same bits. */
static int matches_number(const struct node *node, const struct value *selector, uint64_t number)
{
	unsigned bytes = 8;
	uint64_t difference = node->value.number ^ number;

	if (node->is_any || difference == 0)
		return 1;
	if ((selector->source == VALUE_CODE || selector->has_format) &&
	    selector->kind == KIND_DECIMAL)
		bytes = template_code_bytes(&selector->code);
	return bytes < 8 && (difference << (64 - 8 * bytes)) == 0 &&
	       (node->value.number >> 8 * bytes) == 0;
}

static enum run_end run_switch(struct template_run *run, const struct node *node)
{
	const struct value *selector = &node->value;
	const uint8_t *text = NULL;
	uint64_t number = 0;
	size_t len = 0;

	if (selector->kind == KIND_TEXT)
		text = run_bytes(run, selector, &len);
	else if (run_number(run, selector, &number) != RUN_ON)
		return RUN_ENDED;
	for (uint32_t at = node->body; at != 0; at = run->set->nodes[at].next) {
		const struct node *match = &run->set->nodes[at];

		if (!may_go_on(run, 1))
			return RUN_ENDED;
		if (text ? matches_text(match, text, len) : matches_number(match, selector, number))
			return run_items(run, match->body);
	}
	return RUN_ON;
}

/* ---- LOOP, BITFLAGS, macros, timers, subroutines ---- */

static enum run_end run_loop(struct template_run *run, const struct node *node)
{
	unsigned still = 0;
	uint64_t rounds;
	enum run_end end = run_number(run, &node->value, &rounds);

	if (end == RUN_ON && node->value.kind == KIND_DECIMAL && (int64_t)rounds < 0)
		return RUN_ON;
	for (; end == RUN_ON && rounds > 0; rounds--) {
		uint64_t before = run->at;

		if (!may_go_on(run, 1))
			return RUN_ENDED;
		run->ran_out = 0;
		end = run_items(run, node->body);
		if (run->ran_out) {
			run_move(run, (uint64_t)run->event->size * 8 + 1);
			break;
		}
		if (run->at == before && ++still > RUN_STILL_MAX) {
			run_note(run, "loop too long");
			return RUN_ENDED;
		}
	}
	return end;
}

static enum run_end run_bitflags(struct template_run *run, const struct node *node)
{
	uint64_t number;

	if (run_number(run, &node->value, &number) != RUN_ON)
		return RUN_ENDED;
	for (uint32_t at = node->body; at != 0; at = run->set->nodes[at].next) {
		const struct node *flag = &run->set->nodes[at];
		int is_set = (number & flag->value.mask) == flag->value.number;

		if (!may_go_on(run, 1))
			return RUN_ENDED;
		run_put(run, is_set ? flag->text : flag->other,
		        is_set ? flag->len : flag->other_len);
	}
	return RUN_ON;
}

static void calculate(struct template_run *run, uint64_t *term, char sign, uint64_t number)
{
	if (sign == '*') {
		*term *= number;
	} else if (number == 0) {
		*term = 0;
		run_note(run, "division by zero");
	} else if (number == UINT64_MAX) {
		*term = -*term; /* the one quotient that could overflow */
	} else {
		*term = (uint64_t)((int64_t)*term / (int64_t)number);
	}
}

/* The sum of a list of operands; * and / go before + and -. */
static enum run_end run_sum(struct template_run *run, uint32_t first, uint64_t *out)
{
	uint64_t sum = 0, term = 0;

	for (uint32_t at = first; at != 0; at = run->set->nodes[at].next) {
		const struct node *operand = &run->set->nodes[at];
		uint64_t number;

		if (!may_go_on(run, 1) || run_number(run, &operand->value, &number) != RUN_ON)
			return RUN_ENDED;
		if (operand->sign == '+' || operand->sign == '-') {
			sum += term;
			term = operand->sign == '+' ? number : -number;
		} else {
			calculate(run, &term, operand->sign, number);
		}
	}
	*out = sum + term;
	return RUN_ON;
}

static enum run_end run_assign(struct template_run *run, const struct node *node)
{
	uint64_t number;

	if (node->body == 0)
		return RUN_ON;
	if (run_sum(run, node->body, &number) != RUN_ON)
		return RUN_ENDED;
	if (node->value.source == VALUE_USER) {
		run->slots[node->value.slot] = number;
		if (node->value.slot >= run->slots_used)
			run->slots_used = node->value.slot + 1u;
	} else if (node->value.macro == MACRO_DATAPOINTER) {
		run_move(run, number > UINT32_MAX ? UINT64_MAX : number * 8);
	} else {
		run->base = number > run->event->size ? run->event->size : number;
	}
	return RUN_ON;
}

static enum run_end run_timer(struct template_run *run, const struct node *node)
{
	const struct node *second = &run->set->nodes[run->set->nodes[node->body].next];
	uint64_t key[2];

	if (run_number(run, &run->set->nodes[node->body].value, &key[0]) != RUN_ON ||
	    run_number(run, &second->value, &key[1]) != RUN_ON)
		return RUN_ENDED;
	if (node->kind == NODE_TIMER_START)
		run_timer_start(run, key);
	else
		run_timer_end(run, key);
	return RUN_ON;
}

static enum run_end run_call(struct template_run *run, const struct node *node)
{
	enum run_end end;

	if (node->body == CALL_NONE)
		return RUN_ON;
	if (run->calls == RUN_CALLS_MAX) {
		run_note(run, "templates called too deep");
		return RUN_ENDED;
	}
	run->calls++;
	end = run_template(run, &run->set->templates[node->body]);
	run->calls--;
	return end;
}

static enum run_end run_item(struct template_run *run, const struct node *node)
{
	switch ((enum node_kind)node->kind) {
	case NODE_TEXT:
		run_put(run, node->text, node->len);
		break;
	case NODE_WORD:
		run_put(run, node->text, node->len);
		run_put_char(run, ' ');
		break;
	case NODE_NEWLINE:
		run_put_newline(run);
		break;
	case NODE_TAB:
		run_put_tab(run);
		break;
	case NODE_VALUE:
		return run_print(run, &node->value);
	case NODE_SWITCH:
		return run_switch(run, node);
	case NODE_LOOP:
		return run_loop(run, node);
	case NODE_BITFLAGS:
		return run_bitflags(run, node);
	case NODE_CALL:
		return run_call(run, node);
	case NODE_ASSIGN:
		return run_assign(run, node);
	case NODE_TIMER_START:
	case NODE_TIMER_END:
		return run_timer(run, node);
	case NODE_CASE:
	case NODE_FLAG:
	case NODE_OPERAND:
		break;
	}
	return RUN_ON;
}

static enum run_end run_items(struct template_run *run, uint32_t first)
{
	enum run_end end = RUN_ON;

	for (uint32_t at = first; at != 0 && end == RUN_ON; at = run->set->nodes[at].next) {
		if (!may_go_on(run, RUN_ITEM_STEPS))
			return RUN_ENDED;
		end = run_item(run, &run->set->nodes[at]);
	}
	return end;
}

static enum run_end run_template(struct template_run *run, const struct template *template)
{
	if (template->header.label_len > 0) {
		run_put(run, template->header.label, template->header.label_len);
		run_put_char(run, ' ');
	}
	return run_items(run, template->items);
}

/* ---- one event ---- */

static void begin(struct template_run *run, const struct template_event *event)
{
	unsigned start_32 = event->is_generic ? 4 : 2;

	run->event = event;
	run->at = (event->is_32 ? start_32 : 6) * 8u;
	run->base = 0;
	run->steps = run->calls = 0;
	run->ran_out = 0;
	run->note = NULL;
	memset(run->slots, 0, run->slots_used * sizeof(run->slots[0]));
	run->slots_used = 0;
	run->len = run->line_start = run->counted = run->column = 0;
	run->newlines = 0;
	run->has_high_bytes = run->set->has_high_bytes;
	if (run->at > (uint64_t)event->size * 8)
		run->at = (uint64_t)event->size * 8;
}

/* The note is printed in any case: some space is kept for it. */
static void put_note(struct template_run *run)
{
	char text[96];
	int len;

	if (strcmp(run->note, "end of data") == 0)
		len = snprintf(text, sizeof(text), "*** end of data at %llu ***",
		               (unsigned long long)run->note_at);
	else
		len = snprintf(text, sizeof(text), "*** %s ***", run->note);
	if (run->len + sizeof(text) > RUN_TEXT_MAX)
		run->len = RUN_TEXT_MAX - sizeof(text);
	if (run->len > run->line_start && run->text[run->len - 1] != ' ')
		run_put_char(run, ' ');
	run_put(run, text, (size_t)len);
}

enum template_outcome template_format(struct template_run *run, const struct template *template,
                                      const struct template_event *event, const char **text,
                                      size_t *len)
{
	enum run_end end;

	begin(run, event);
	end = run_template(run, template);
	if (run->note)
		put_note(run);
	run_trim_line(run);
	while (run->len > 0 && (run->text[run->len - 1] == '\n' || run->text[run->len - 1] == ' '))
		run->len--;
	run_clean(run);
	*text = run->text ? run->text : "";
	*len = run->len;
	if (end == RUN_SKIPPED)
		return TEMPLATE_SKIPPED;
	if (end == RUN_UNKNOWN)
		return TEMPLATE_UNKNOWN;
	return end == RUN_STOPPED ? TEMPLATE_STOPPED : TEMPLATE_PRINTED;
}
