/* expression.c: makes programs of syntax trees, and checks what may be compared with what. IN is
 * spelled out as comparisons of each with each. */
#include "analyzer/filter/expression.h"

#include "analyzer/base/memory.h"
#include "format/nearest.h"
#include "analyzer/filter/fault.h"
#include "analyzer/filter/syntax.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { STEPS_MAX = 20000 };

struct generator {
	struct expression *expression;
	struct expression_error *error;
	int depth; /* values on the stack */
};

static int fail(struct generator *generator, const struct syntax *at, const char *what)
{
	fault_tell(generator->error, at->column, "%s", what);
	return -1;
}

/* Append a step that changes the number of values by `grows`. Returns 0 or -1. */
static int put(struct generator *generator, const struct syntax *at, struct expression_step step,
               int grows)
{
	struct expression *expression = generator->expression;

	generator->depth += grows;
	if (generator->depth > EXPRESSION_DEPTH || expression->count == STEPS_MAX)
		return fail(generator, at, "the expression is too long");
	expression->steps = memory_grow(expression->steps, expression->count, &expression->capacity,
	                                sizeof(step));
	expression->steps[expression->count++] = step;
	return 0;
}

static int put_op(struct generator *generator, const struct syntax *at, enum expression_op op,
                  int grows)
{
	return put(generator, at, (struct expression_step){.op = op}, grows);
}

static int generate(struct generator *generator, const struct syntax *at);

int expression_text_matches(const struct expression_text *text, const char *name)
{
	return text->is_regex ? memory_matches(&text->regex, name) : strcmp(text->text, name) == 0;
}

/* Names that are the same everywhere are checked here, so that a misspelled one is not taken for
 * "never". */
static int check_name(struct generator *generator, const struct token *token,
                      const struct syntax *at)
{
	const struct expression_text *text = generator->expression->texts[at->text];
	struct nearest near = {.word = text->text, .limit = NEAREST_SLIP};

	for (int value = -1; (value = token_value_next(token, value)) >= 0;) {
		const char *name = token_value_name(token, value);

		if (expression_text_matches(text, name))
			return 0;
		nearest_try(&near, name);
	}
	if (!token_has_fixed_names(token))
		return 0;
	fault_tell(generator->error, at->column,
	           near.name ? "%s is never '%.40s' (did you mean '%s'?)" : "%s is never '%.40s'",
	           token->name, text->text, near.name);
	return -1;
}

static int put_named(struct generator *generator, const struct syntax *token,
                     const struct syntax *text)
{
	if (token->kind != SYNTAX_TOKEN || !token_has_names(&token_table[token->token]))
		return fail(
			generator, text,
			"a text is compared with words that have names, such as IOFNAME or HTYPE");
	if (check_name(generator, &token_table[token->token], text) != 0)
		return -1;
	return put(generator, text,
	           (struct expression_step){
			   .op = OP_NAMED, .at = token->token, .value = (int64_t)text->text},
	           1);
}

/* Are two single things equal? */
static int generate_equal(struct generator *generator, const struct syntax *left,
                          const struct syntax *right)
{
	if (left->kind == SYNTAX_TEXT)
		return put_named(generator, right, left);
	if (right->kind == SYNTAX_TEXT)
		return put_named(generator, left, right);
	if (generate(generator, left) != 0 || generate(generator, right) != 0)
		return -1;
	return put_op(generator, right, OP_EQ, -1);
}

/* The elements of a list; of anything else it is the only one. */
static const struct syntax *first_of(const struct syntax *at)
{
	return at->kind == SYNTAX_LIST ? at->first : at;
}

static const struct syntax *next_of(const struct syntax *list, const struct syntax *at)
{
	return list->kind == SYNTAX_LIST ? at->next : NULL;
}

static int has_kind(const struct syntax *list, enum syntax_kind kind)
{
	for (const struct syntax *at = first_of(list); at; at = next_of(list, at))
		if (at->kind == kind)
			return 1;
	return 0;
}

/* Functions in a stack, one of them or all in their order. */
static int generate_stack(struct generator *generator, const struct syntax *stack,
                          const struct syntax *list, int is_any)
{
	struct expression *expression = generator->expression;
	struct expression_pattern pattern = {.token = stack->token, .is_any = is_any};

	if (stack->kind != SYNTAX_STACK)
		return fail(generator, stack,
		            "one stack expected: LEAF, STACK, USTACK, XSTACK or MSTACK");
	for (const struct syntax *at = first_of(list); at; at = next_of(list, at)) {
		if (at->kind != SYNTAX_FUNCTIONS)
			return fail(generator, at,
			            "a stack is compared with functions: FNAME(\"name\") IN STACK");
		if (pattern.count == EXPRESSION_SETS)
			return fail(generator, at, "too many functions");
		pattern.sets[pattern.count++] = expression->texts[at->text];
	}
	expression->patterns = memory_grow(expression->patterns, expression->pattern_count,
	                                   &expression->pattern_capacity, sizeof(pattern));
	expression->patterns[expression->pattern_count++] = pattern;
	return put(generator, stack,
	           (struct expression_step){.op = OP_STACK,
	                                    .at = (uint32_t)expression->pattern_count - 1},
	           1);
}

/* Is one of these equal to one of those? */
static int generate_some(struct generator *generator, const struct syntax *left,
                         const struct syntax *right)
{
	int count = 0;

	for (const struct syntax *one = first_of(left); one; one = next_of(left, one))
		for (const struct syntax *other = first_of(right); other != NULL;
		     other = next_of(right, other))
			if (generate_equal(generator, one, other) != 0 ||
			    (count++ > 0 && put_op(generator, other, OP_OR, -1) != 0))
				return -1;
	return 0;
}

/* Do all of these begin at `from` in those? */
static int generate_from(struct generator *generator, const struct syntax *left,
                         const struct syntax *right, const struct syntax *from)
{
	int count = 0;

	for (const struct syntax *one = first_of(left); one; one = next_of(left, one)) {
		if (!from)
			return put(generator, right, (struct expression_step){.op = OP_CONST},
			           1) != 0 || (count > 0 &&
			                       put_op(generator, right, OP_AND, -1) != 0)
			               ? -1
			               : 0;
		if (generate_equal(generator, one, from) != 0 ||
		    (count++ > 0 && put_op(generator, right, OP_AND, -1) != 0))
			return -1;
		from = next_of(right, from);
	}
	return 0;
}

static int generate_ordered(struct generator *generator, const struct syntax *left,
                            const struct syntax *right)
{
	int count = 0;

	for (const struct syntax *from = first_of(right); from; from = next_of(right, from))
		if (generate_from(generator, left, right, from) != 0 ||
		    (count++ > 0 && put_op(generator, from, OP_OR, -1) != 0))
			return -1;
	return 0;
}

static int generate_in(struct generator *generator, const struct syntax *at)
{
	const struct syntax *left = at->first, *right = left->next;
	int is_any = at->how != SYNTAX_ORDERED_IN;

	if (has_kind(right, SYNTAX_STACK))
		return generate_stack(generator, right, left, is_any);
	if (has_kind(left, SYNTAX_STACK) && !is_any)
		return fail(
			generator, left,
			"the stack stands on the right: (FNAME(\"caller\"), FNAME(\"callee\")) ORDERED IN STACK");
	if (has_kind(left, SYNTAX_STACK))
		return generate_stack(generator, left, right, 1);
	if (at->how == SYNTAX_ORDERED_IN)
		return generate_ordered(generator, left, right);
	if (at->how == SYNTAX_IN_LIST && left->kind == SYNTAX_LIST)
		return fail(generator, left,
		            "IN has one value on its left; SOME IN and ORDERED IN have lists");
	return generate_some(generator, left, right);
}

static int generate_binary(struct generator *generator, const struct syntax *at)
{
	struct expression *expression = generator->expression;
	const struct syntax *left = at->first, *right = left->next;
	size_t jump;

	if (at->op == OP_EQ || at->op == OP_NE) {
		int is_stack = left->kind == SYNTAX_STACK || right->kind == SYNTAX_STACK;
		int status = !is_stack ? generate_equal(generator, left, right)
		             : right->kind == SYNTAX_STACK
		                     ? generate_stack(generator, right, left, 1)
		                     : generate_stack(generator, left, right, 1);

		return status == 0 && at->op == OP_NE ? put_op(generator, at, OP_NOT, 0) : status;
	}
	if (generate(generator, left) != 0)
		return -1;
	if (at->op != OP_AND && at->op != OP_OR)
		return generate(generator, right) != 0 ? -1 : put_op(generator, at, at->op, -1);
	/* The second half is passed over where the first decides. */
	jump = expression->count;
	if (put_op(generator, at, at->op == OP_AND ? OP_IF_FALSE : OP_IF_TRUE, 0) != 0 ||
	    generate(generator, right) != 0 || put_op(generator, at, at->op, -1) != 0)
		return -1;
	expression->steps[jump].at = (uint32_t)expression->count;
	return 0;
}

static int generate_choice(struct generator *generator, const struct syntax *at)
{
	for (const struct syntax *part = at->first; part; part = part->next)
		if (generate(generator, part) != 0)
			return -1;
	return put_op(generator, at, OP_CHOOSE, -2);
}

/* A list that stands beside no IN is the comma of C: its last element. */
static int generate_list(struct generator *generator, const struct syntax *at)
{
	for (const struct syntax *part = at->first; part; part = part->next)
		if (generate(generator, part) != 0 ||
		    (part != at->first && put_op(generator, part, OP_COMMA, -1) != 0))
			return -1;
	return 0;
}

/* Steps that leave one value more. Returns 0 or -1. */
static int generate(struct generator *generator, const struct syntax *at)
{
	switch (at->kind) {
	case SYNTAX_NUMBER:
		return put(generator, at,
		           (struct expression_step){.op = OP_CONST, .value = at->value}, 1);
	case SYNTAX_TOKEN:
		return put(generator, at, (struct expression_step){.op = OP_TOKEN, .at = at->token},
		           1);
	case SYNTAX_TEXT:
		return fail(generator, at,
		            "a text can only be compared with a word that has names");
	case SYNTAX_FUNCTIONS:
	case SYNTAX_STACK:
		return fail(
			generator, at,
			"functions can only be compared with a stack: FNAME(\"name\") IN STACK");
	case SYNTAX_LIST:
		return generate_list(generator, at);
	case SYNTAX_UNARY:
		return generate(generator, at->first) != 0 ? -1 : put_op(generator, at, at->op, 0);
	case SYNTAX_BINARY:
		return generate_binary(generator, at);
	case SYNTAX_CHOICE:
		return generate_choice(generator, at);
	case SYNTAX_IN:
		return generate_in(generator, at);
	}
	return -1;
}

struct expression *expression_compile(const char *text, struct expression_error *error)
{
	struct expression *expression = memory_take(1, sizeof(*expression));
	struct generator generator = {.expression = expression, .error = error};
	struct syntax *all, *tree;

	*error = (struct expression_error){.column = 0};
	expression->source = memory_text(text, strlen(text));
	tree = syntax_parse(expression, error, &all);
	if (!tree || generate(&generator, tree) != 0) {
		expression_destroy(expression);
		expression = NULL;
	}
	syntax_destroy(all);
	return expression;
}

void expression_destroy(struct expression *expression)
{
	if (!expression)
		return;
	for (size_t i = 0; i < expression->text_count; i++) {
		if (expression->texts[i]->is_regex)
			regfree(&expression->texts[i]->regex);
		free(expression->texts[i]->text);
		free(expression->texts[i]);
	}
	free(expression->texts);
	free(expression->patterns);
	free(expression->steps);
	free(expression->source);
	free(expression);
}
