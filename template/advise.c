/* advise.c: a warning about what means something else here than on the machines that templates come
 * from. A number of less than 8 bytes inside a data word is another part of the word on a machine
 * with the other byte order.
 *
 * The data pointer is followed through the items as far as it does not depend on the event. Entries
 * are assumed to have words of 8 bytes, except in the case of $HOOKENV for words of 4. */
#include "template/internal.h"

#include <stdio.h>
#include <string.h>

enum {
	UNKNOWN = -1,
	WORD_BITS = 64,
	START = 6 * 8,
	FIRST_WORD = 8 * 8,
	SECOND_WORD = 16 * 8,
	FAR = 1 << 30
};

/* What is known about the entry: words (a fixed one), or bytes after D1 (a generic one). */
enum entry { ENTRY_ANY, ENTRY_WORDS, ENTRY_BYTES };

struct advice {
	struct template_set *set;
	const struct template *template;
	enum entry entry;
	int is_moved; /* BASEPOINTER: targets of G are not known */
	long at;      /* bit, or UNKNOWN */
};

static void visit_items(struct advice *advice, uint32_t first);

/* Is the code one of a number, smaller than a word, whose bytes are taken in the order of the
 * machine? */
static int is_part(const struct code *code)
{
	if (code->letter == 'B')
		return code->fraction == 0 && (code->size == 2 || code->size == 4);
	return strchr("XDUoFETP", code->letter) && code->size < 8;
}

static void check(struct advice *advice, const struct code *code, unsigned line)
{
	long byte = (advice->at + 7) / 8;
	char name[24];

	if (advice->at == UNKNOWN || !is_part(code) || byte * 8 <= FIRST_WORD || byte % 8 == 0 ||
	    advice->entry == ENTRY_BYTES)
		return;
	/* The bytes of a generic entry may be any structure. */
	if (byte * 8 >= SECOND_WORD && advice->entry != ENTRY_WORDS)
		return;
	snprintf(name, sizeof(name), "%c%u", code->letter, code->size);
	template_complain(
		advice->set, 1, advice->template->file, line, name, strlen(name),
		"at byte %ld, inside a data word: which part this is depends on the byte order; $D%ld%%%s does not",
		byte, byte / 8, name);
}

static long round_up(long at)
{
	return (at + 7) / 8 * 8;
}

/* Where the pointer is behind a code. */
static long behind(const struct advice *advice, const struct code *code)
{
	long size = code->size * 8L;
	long at = advice->at;

	switch (code->letter) {
	case 'G':
		return advice->is_moved ? UNKNOWN : size + code->fraction;
	case 'W':
		return size * 8;
	case 'S':
		return UNKNOWN;
	default:
		break;
	}
	if (at == UNKNOWN)
		return UNKNOWN;
	switch (code->letter) {
	case 'O':
	case 'B':
		return at + size + code->fraction;
	case 'R':
		return size == 0 ? round_up(at) : at > size ? at - size : 0;
	case 'A':
		return code->size == 0 && code->has_fraction ? at
		                                             : round_up(at) + (size ? size : 8);
	default:
		return round_up(at) + (size ? size : 8);
	}
}

static void visit_value(struct advice *advice, const struct value *value, unsigned line)
{
	if (value->source != VALUE_CODE)
		return;
	check(advice, &value->code, line);
	advice->at = behind(advice, &value->code);
	if (advice->at > FAR)
		advice->at = UNKNOWN;
}

/* What a case says of the entry; the same as before if nothing. */
static enum entry entry_of_case(const struct advice *advice, const struct node *node,
                                const struct value *selector)
{
	if (selector->source != VALUE_MACRO || selector->macro != MACRO_GENERIC || node->is_any)
		return advice->entry;
	return node->value.number == 0 ? ENTRY_WORDS : ENTRY_BYTES;
}

static int is_of_32_bits(const struct node *node, const struct value *selector)
{
	return selector->source == VALUE_MACRO && selector->macro == MACRO_HOOKENV &&
	       !node->is_any && node->value.number == 32;
}

/* Behind it the pointer is known if all ways lead to the same place. */
static void visit_switch(struct advice *advice, const struct node *node)
{
	const struct advice before = *advice;
	long end = before.at;

	for (uint32_t at = node->body; at != 0; at = advice->set->nodes[at].next) {
		const struct node *match = &advice->set->nodes[at];

		advice->at = before.at;
		advice->entry = entry_of_case(&before, match, &node->value);
		if (!is_of_32_bits(match, &node->value))
			visit_items(advice, match->body);
		advice->entry = before.entry;
		if (advice->at != end)
			end = UNKNOWN;
	}
	advice->at = end;
}

static void visit_assign(struct advice *advice, const struct node *node)
{
	const struct node *first = &advice->set->nodes[node->body];

	for (uint32_t at = node->body; at != 0; at = advice->set->nodes[at].next)
		visit_value(advice, &advice->set->nodes[at].value, advice->set->nodes[at].line);
	if (node->value.source != VALUE_MACRO || node->body == 0)
		return;
	if (node->value.macro == MACRO_BASEPOINTER)
		advice->is_moved = 1;
	else if (first->next == 0 && first->sign == '+' && first->value.source == VALUE_NUMBER &&
	         first->value.number < FAR / 8)
		advice->at = (long)first->value.number * 8;
	else
		advice->at = UNKNOWN;
}

static void visit_loop(struct advice *advice, const struct node *node)
{
	long before = advice->at;

	visit_items(advice, node->body);
	if (advice->at != before)
		advice->at = UNKNOWN;
}

static void visit_item(struct advice *advice, const struct node *node)
{
	switch ((enum node_kind)node->kind) {
	case NODE_VALUE:
	case NODE_BITFLAGS:
		visit_value(advice, &node->value, node->line);
		break;
	case NODE_SWITCH:
		visit_value(advice, &node->value, node->line);
		visit_switch(advice, node);
		break;
	case NODE_LOOP:
		visit_value(advice, &node->value, node->line);
		visit_loop(advice, node);
		break;
	case NODE_ASSIGN:
		visit_assign(advice, node);
		break;
	case NODE_CALL:
	case NODE_TIMER_START:
	case NODE_TIMER_END:
		advice->at = UNKNOWN;
		break;
	case NODE_TEXT:
	case NODE_WORD:
	case NODE_NEWLINE:
	case NODE_TAB:
	case NODE_CASE:
	case NODE_FLAG:
	case NODE_OPERAND:
		break;
	}
}

static void visit_items(struct advice *advice, uint32_t first)
{
	for (uint32_t at = first; at != 0; at = advice->set->nodes[at].next)
		visit_item(advice, &advice->set->nodes[at]);
}

/* Only entries of words have more data words than one. */
static int mentions_words(const struct template_set *set, const struct template *template)
{
	for (uint32_t i = template->nodes_from; i < template->nodes_to; i++) {
		const struct value *value = &set->nodes[i].value;

		if (value->source == VALUE_MACRO &&
		    ((value->macro >= MACRO_D2 && value->macro <= MACRO_D5) ||
		     (value->macro >= MACRO_L2 && value->macro <= MACRO_L5)))
			return 1;
	}
	return 0;
}

void template_advise(struct template_set *set, const struct template *template)
{
	struct advice advice = {.set = set, .template = template, .at = START};

	if (mentions_words(set, template))
		advice.entry = ENTRY_WORDS;
	visit_items(&advice, template->items);
}
