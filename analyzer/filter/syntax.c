/* syntax.c: parses an expression by precedence climbing. The code generator decides what may be
 * compared with what. */
#include "analyzer/filter/syntax.h"

#include "experiment/base/regexwork.h"
#include "analyzer/filter/fault.h"
#include "analyzer/filter/lexer.h"
#include "analyzer/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 200, NO_IN = -1 };

struct parser {
	struct lexer lexer;
	struct expression *expression;
	struct syntax *all; /* every node */
	int depth;
};

static const struct {
	const char *sign;
	int rank; /* higher binds closer */
	enum expression_op op;
} binaries[] = {
	{"*", 10, OP_MUL}, {"/", 10, OP_DIV},   {"%", 10, OP_MOD}, {"+", 9, OP_ADD},
	{"-", 9, OP_SUB},  {"<<", 8, OP_SHL},   {">>", 8, OP_SHR}, {"<", 7, OP_LT},
	{"<=", 7, OP_LE},  {">", 7, OP_GT},     {">=", 7, OP_GE},  {"==", 6, OP_EQ},
	{"!=", 6, OP_NE},  {"&", 5, OP_BITAND}, {"^", 4, OP_XOR},  {"|", 3, OP_BITOR},
	{"&&", 2, OP_AND}, {"||", 1, OP_OR},
};
enum { RANK_IN = 7, RANK_UNARY = 11 };

static const struct {
	const char *sign;
	enum expression_op op;
} unaries[] = {{"-", OP_NEG}, {"!", OP_NOT}, {"~", OP_COMPL}};

static const struct {
	const char *name;
	enum expression_op op;
} functions[] = {{"LOG2", OP_LOG2}, {"LOG10", OP_LOG10}};

static void *fail(struct parser *parser, const char *what)
{
	if (parser->lexer.kind == LEXER_END)
		return fault_tell(parser->lexer.error, parser->lexer.column,
		                  "%s expected where the expression ends", what);
	return fault_tell(parser->lexer.error, parser->lexer.column,
	                  "%s expected instead of '%.*s'", what,
	                  (int)(parser->lexer.len < 40 ? parser->lexer.len : 40), parser->lexer.at);
}

static struct syntax *make(struct parser *parser, enum syntax_kind kind, size_t column)
{
	struct syntax *made = memory_take(1, sizeof(*made));

	made->kind = kind;
	made->column = column;
	made->made_before = parser->all;
	parser->all = made;
	return made;
}

/* Go on if the current word is this sign. */
static int pass(struct parser *parser, const char *sign)
{
	if (!lexer_is_sign(&parser->lexer, sign))
		return 0;
	return lexer_next(&parser->lexer) == 0;
}

static int expect(struct parser *parser, const char *sign)
{
	char what[8];

	if (pass(parser, sign))
		return 1;
	snprintf(what, sizeof(what), "'%s'", sign);
	fail(parser, what);
	return 0;
}

static struct syntax *parse_choice(struct parser *parser);
static struct syntax *parse_binary(struct parser *parser, int rank);

/* Keep the current word as a text; a regular expression is compiled, to match a name as a whole.
 * Returns its number, or SIZE_MAX. */
static size_t keep_text(struct parser *parser, int is_regex)
{
	struct expression *expression = parser->expression;
	struct expression_text *text = memory_take(1, sizeof(*text));
	char *whole = memory_format("^(%.*s)$", (int)parser->lexer.len, parser->lexer.at);
	char why[EXP_REGEX_WHY];
	int status = is_regex ? exp_regex_compile(&text->regex, whole, why) : 0;

	if (status == -ENOMEM)
		memory_fail();
	free(whole);
	text->text = memory_text(parser->lexer.at, parser->lexer.len);
	text->is_regex = is_regex && status == 0;
	expression->texts = memory_grow(expression->texts, expression->text_count,
	                                &expression->text_capacity,
	                                sizeof(struct expression_text *));
	expression->texts[expression->text_count++] = text;
	if (status == 0)
		return expression->text_count - 1;
	fault_tell(parser->lexer.error, parser->lexer.column, "%s", why);
	return SIZE_MAX;
}

/* FNAME("...") or REGEX("..."), behind its name. */
static struct syntax *parse_regex(struct parser *parser, enum syntax_kind kind, size_t column)
{
	struct syntax *made = make(parser, kind, column);

	if (!expect(parser, "("))
		return NULL;
	if (parser->lexer.kind != LEXER_TEXT)
		return fail(parser, "a regular expression in quotes");
	made->text = keep_text(parser, 1);
	if (made->text == SIZE_MAX || lexer_next(&parser->lexer) != 0)
		return NULL;
	return expect(parser, ")") ? made : NULL;
}

static struct syntax *parse_function(struct parser *parser, enum expression_op op, size_t column)
{
	struct syntax *made = make(parser, SYNTAX_UNARY, column);

	made->op = op;
	if (!expect(parser, "("))
		return NULL;
	made->first = parse_choice(parser);
	return made->first && expect(parser, ")") ? made : NULL;
}

static struct syntax *unknown_name(struct parser *parser)
{
	const struct lexer *lexer = &parser->lexer;
	int is_text;
	const char *near = token_nearest(lexer->at, lexer->len, &is_text);

	if (near)
		return fault_tell(lexer->error, lexer->column,
		                  is_text ? "unknown word '%.*s' (did you mean \"%s\", in quotes?)"
		                          : "unknown word '%.*s' (did you mean '%s'?)",
		                  (int)(lexer->len < 40 ? lexer->len : 40), lexer->at, near);
	return fault_tell(lexer->error, lexer->column,
	                  "unknown word '%.*s' (describe lists the words)",
	                  (int)(lexer->len < 40 ? lexer->len : 40), lexer->at);
}

static struct syntax *parse_name(struct parser *parser)
{
	struct lexer *lexer = &parser->lexer;
	size_t column = lexer->column;
	unsigned token = token_find(lexer->at, lexer->len);
	struct syntax *made;

	if (lexer_is_name(lexer, "FNAME"))
		return lexer_next(lexer) == 0 ? parse_regex(parser, SYNTAX_FUNCTIONS, column)
		                              : NULL;
	if (lexer_is_name(lexer, "REGEX"))
		return lexer_next(lexer) == 0 ? parse_regex(parser, SYNTAX_TEXT, column) : NULL;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (lexer_is_name(lexer, functions[i].name))
			return lexer_next(lexer) == 0
			               ? parse_function(parser, functions[i].op, column)
			               : NULL;
	if (token == TOKENS)
		return unknown_name(parser);
	made = make(parser,
	            token_table[token].kind == TOKEN_KIND_STACK ? SYNTAX_STACK : SYNTAX_TOKEN,
	            column);
	made->token = token;
	parser->expression->tokens[token / 64] |= (uint64_t)1 << token % 64;
	parser->expression->data |= token_table[token].data;
	return lexer_next(lexer) == 0 ? made : NULL;
}

/* Behind a `(`: one expression, which stays what it is, or several, a list. */
static struct syntax *parse_list(struct parser *parser, size_t column)
{
	struct syntax *first = parse_choice(parser), *last = first, *list;

	if (!first || !lexer_is_sign(&parser->lexer, ","))
		return first && expect(parser, ")") ? first : NULL;
	list = make(parser, SYNTAX_LIST, column);
	list->first = first;
	while (pass(parser, ",")) {
		last->next = parse_choice(parser);
		last = last->next;
		if (!last)
			return NULL;
	}
	return expect(parser, ")") ? list : NULL;
}

static struct syntax *parse_primary(struct parser *parser)
{
	struct lexer *lexer = &parser->lexer;
	size_t column = lexer->column;
	struct syntax *made;

	switch (lexer->kind) {
	case LEXER_NUMBER:
		made = make(parser, SYNTAX_NUMBER, column);
		made->value = lexer->value;
		return lexer_next(lexer) == 0 ? made : NULL;
	case LEXER_TEXT:
		made = make(parser, SYNTAX_TEXT, column);
		made->text = keep_text(parser, 0);
		return lexer_next(lexer) == 0 ? made : NULL;
	case LEXER_NAME:
		return parse_name(parser);
	case LEXER_SIGN:
		if (lexer_is_sign(lexer, "("))
			return lexer_next(lexer) == 0 ? parse_list(parser, column) : NULL;
		break;
	case LEXER_END:
		break;
	}
	return fail(parser, "a value");
}

static struct syntax *parse_unary(struct parser *parser)
{
	struct syntax *made;

	for (size_t i = 0; i < sizeof(unaries) / sizeof(unaries[0]); i++) {
		if (!lexer_is_sign(&parser->lexer, unaries[i].sign))
			continue;
		made = make(parser, SYNTAX_UNARY, parser->lexer.column);
		made->op = unaries[i].op;
		if (lexer_next(&parser->lexer) != 0)
			return NULL;
		made->first = parse_binary(parser, RANK_UNARY);
		return made->first ? made : NULL;
	}
	return parse_primary(parser);
}

/* The operator at the current word. Returns 0 if it is none. */
static int find_binary(const struct parser *parser, int *rank, enum expression_op *op)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++)
		if (lexer_is_sign(&parser->lexer, binaries[i].sign)) {
			*rank = binaries[i].rank;
			*op = binaries[i].op;
			return 1;
		}
	return 0;
}

/* IN, SOME IN or ORDERED IN at the current word, passed over. Returns an enum syntax_in, or NO_IN.
 */
static int pass_in(struct parser *parser)
{
	static const struct {
		const char *first;
		enum syntax_in how;
	} words[] = {{"SOME", SYNTAX_SOME_IN}, {"ORDERED", SYNTAX_ORDERED_IN}};
	int how = SYNTAX_IN_LIST;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (lexer_is_name(&parser->lexer, words[i].first)) {
			how = (int)words[i].how;
			if (lexer_next(&parser->lexer) != 0)
				return NO_IN;
		}
	if (!lexer_is_name(&parser->lexer, "IN")) {
		if (how != SYNTAX_IN_LIST)
			fail(parser, "IN");
		return NO_IN;
	}
	return lexer_next(&parser->lexer) == 0 ? how : NO_IN;
}

static struct syntax *join(struct syntax *made, struct syntax *left, struct syntax *right)
{
	if (!right)
		return NULL;
	made->first = left;
	left->next = right;
	return made;
}

static struct syntax *parse_binary(struct parser *parser, int rank)
{
	struct syntax *left;

	if (++parser->depth > DEPTH_MAX)
		return fault_tell(parser->lexer.error, parser->lexer.column,
		                  "the expression is nested too deep");
	left = parse_unary(parser);
	while (left) {
		size_t column = parser->lexer.column;
		enum expression_op op;
		struct syntax *made;
		int found = 0;

		if (parser->lexer.kind == LEXER_NAME && rank <= RANK_IN) {
			int how = pass_in(parser);

			if (how == NO_IN)
				break;
			made = make(parser, SYNTAX_IN, column);
			made->how = (enum syntax_in)how;
			left = join(made, left, parse_binary(parser, RANK_IN + 1));
			continue;
		}
		if (!find_binary(parser, &found, &op) || found < rank ||
		    lexer_next(&parser->lexer) != 0)
			break;
		made = make(parser, SYNTAX_BINARY, column);
		made->op = op;
		left = join(made, left, parse_binary(parser, found + 1));
	}
	parser->depth--;
	return left;
}

static struct syntax *parse_choice(struct parser *parser)
{
	struct syntax *condition = parse_binary(parser, 1), *made;
	size_t column = parser->lexer.column;

	if (!condition || !pass(parser, "?"))
		return condition;
	if (++parser->depth > DEPTH_MAX)
		return fault_tell(parser->lexer.error, column, "the expression is nested too deep");
	made = make(parser, SYNTAX_CHOICE, column);
	made->first = condition;
	condition->next = parse_choice(parser);
	if (!condition->next || !expect(parser, ":"))
		return NULL;
	condition->next->next = parse_choice(parser);
	parser->depth--;
	return condition->next->next ? made : NULL;
}

struct syntax *syntax_parse(struct expression *expression, struct expression_error *error,
                            struct syntax **all)
{
	struct parser parser = {.expression = expression};
	struct syntax *tree = NULL;

	if (lexer_begin(&parser.lexer, expression->source, error) == 0)
		tree = parse_choice(&parser);
	if (tree && parser.lexer.kind != LEXER_END)
		tree = fail(&parser, "an operator");
	*all = parser.all;
	return error->column == 0 ? tree : NULL;
}

void syntax_destroy(struct syntax *all)
{
	while (all) {
		struct syntax *before = all->made_before;

		free(all);
		all = before;
	}
}
