/* parse.c: stanzas to templates: the header of a stanza, its items and statements. Values, of which
 * items are made, are in parse_value.c. A stanza is given up at its first error; the next ones are
 * still parsed. */
#include "template/parser.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

void parser_fail(struct parser *parser, const struct token *token, const char *format, ...)
{
	char reason[160];
	va_list arguments;

	if (parser->failed)
		return;
	parser->failed = 1;
	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	template_complain(parser->set, 0, parser->file, token->line, token->size ? token->at : NULL,
	                  token->size, "%s", reason);
}

void parser_next(struct parser *parser)
{
	parser->token = parser->ahead;
	template_lexer_next(&parser->lexer, &parser->ahead);
	if (parser->token.kind == TOKEN_BAD)
		parser_fail(parser, &parser->token, "%s", parser->token.text);
}

int parser_is_sign(const struct token *token, char sign)
{
	return token->kind == TOKEN_SIGN && token->sign == sign;
}

int parser_take_sign(struct parser *parser, char sign)
{
	if (!parser_is_sign(&parser->token, sign))
		return 0;
	parser_next(parser);
	return 1;
}

void parser_expect_sign(struct parser *parser, char sign, const char *what, unsigned opening)
{
	if (parser_take_sign(parser, sign))
		return;
	if (opening)
		parser_fail(parser, &parser->token, "'%c' is missing: %s of line %u is not closed",
		            sign, what, opening);
	else
		parser_fail(parser, &parser->token, "'%c' is missing in %s", sign, what);
}

uint32_t parser_node(struct parser *parser, enum node_kind kind)
{
	struct template_set *set = parser->set;

	if (template_reserve(&set->nodes, &set->node_capacity, set->node_count,
	                     sizeof(*set->nodes)) < 0) {
		set->failed = -ENOMEM;
		parser->failed = 1;
		return 0; /* the node that stands for none may be written to */
	}
	set->nodes[set->node_count] = (struct node){.kind = (uint8_t)kind,
	                                            .line = parser->token.line};
	return (uint32_t)set->node_count++;
}

void parser_set_text(struct parser *parser, uint32_t index)
{
	parser_at(parser, index)->text = parser->token.text;
	parser_at(parser, index)->len = (uint32_t)parser->token.len;
}

void parser_chain(struct parser *parser, struct parser_chain *chain, uint32_t index)
{
	if (index == 0)
		return;
	if (chain->first == 0)
		chain->first = index;
	else
		parser_at(parser, chain->last)->next = index;
	chain->last = index;
}

static uint32_t parse_items(struct parser *parser, int is_body);

uint32_t parser_body(struct parser *parser, const char *what)
{
	unsigned line = parser->token.line;
	uint32_t first;

	if (parser->depth == DEPTH_MAX) {
		parser_fail(parser, &parser->token, "braces are nested deeper than %d", DEPTH_MAX);
		return 0;
	}
	parser->depth++;
	parser_next(parser);
	parser_take_sign(parser, ',');
	first = parse_items(parser, 1);
	parser_expect_sign(parser, '}', what, line);
	parser->depth--;
	return first;
}

/* ---- items ---- */

static uint32_t parse_text(struct parser *parser, enum node_kind kind)
{
	uint32_t index = parser_node(parser, kind);

	parser_set_text(parser, index);
	parser_next(parser);
	return index;
}

static int is_word(const struct token *token, const char *word)
{
	return token->kind == TOKEN_WORD && token->len == strlen(word) &&
	       memcmp(token->text, word, token->len) == 0;
}

static uint32_t parse_bareword(struct parser *parser)
{
	const struct token *token = &parser->token;

	if (isdigit((unsigned char)token->text[0])) {
		parser_fail(parser, token,
		            "a number has no meaning here (is a comma missing before a case?)");
		return 0;
	}
	template_complain(parser->set, 1, parser->file, token->line, token->at, token->size,
	                  "a word without quotes is printed as text");
	return parse_text(parser, NODE_WORD);
}

/* A value alone is printed, one before a comma selects. */
static uint32_t parse_value_item(struct parser *parser, const struct token *token,
                                 struct value *value)
{
	uint32_t index;

	parser_mask(parser, value);
	if (parser_is_sign(&parser->token, ',') && !parser->failed) {
		if (value->kind == KIND_MOVES || value->kind == KIND_REAL)
			parser_fail(parser, token, "nothing can be selected by this code");
		else if (value->kind == KIND_TEXT && value->has_mask)
			parser_fail(parser, token, "a text has no mask");
		else if (value->kind != KIND_TEXT)
			parser_check_number(parser, token, value, "the selector");
		return parser_switch(parser, value);
	}
	if (value->has_mask && !parser->failed)
		parser_fail(parser, &parser->token,
		            "a value with a mask selects: a comma is expected");
	index = parser_node(parser, NODE_VALUE);
	parser_at(parser, index)->value = *value;
	parser_at(parser, index)->line = token->line;
	return index;
}

static uint32_t parse_word(struct parser *parser)
{
	struct token token = parser->token;
	struct value value = {0};

	if (is_word(&token, "LOOP"))
		return parser_loop(parser);
	if (is_word(&token, "BITFLAGS"))
		return parser_bitflags(parser);
	if (is_word(&token, "starttimer"))
		return parser_timer(parser, NODE_TIMER_START);
	if (is_word(&token, "endtimer"))
		return parser_timer(parser, NODE_TIMER_END);
	if (parser_value(parser, &value))
		return parse_value_item(parser, &token, &value);
	return parser->failed ? 0 : parse_bareword(parser);
}

static uint32_t parse_macro(struct parser *parser)
{
	struct token token = parser->token;
	struct value value = {0};
	uint16_t hook;

	if (template_hook_parse(token.text, token.len, &hook) == 0) {
		uint32_t index = parser_node(parser, NODE_CALL);

		parser_at(parser, index)->value.number = hook;
		parser_at(parser, index)->body = CALL_NONE;
		parser_next(parser);
		return index;
	}
	parser_value(parser, &value);
	return parser->failed ? 0 : parse_value_item(parser, &token, &value);
}

static uint32_t parse_sign(struct parser *parser)
{
	unsigned line = parser->token.line;

	if (parser_is_sign(&parser->token, '{') && parser_is_sign(&parser->ahead, '{') &&
	    parser->ahead.is_glued) {
		parser_next(parser);
		return parser_assign(parser, line);
	}
	parser_fail(parser, &parser->token, "'%c' has no meaning here", parser->token.sign);
	return 0;
}

static uint32_t parse_item(struct parser *parser)
{
	switch (parser->token.kind) {
	case TOKEN_STRING:
		return parse_text(parser, NODE_TEXT);
	case TOKEN_NEWLINE:
		return parse_text(parser, NODE_NEWLINE);
	case TOKEN_TAB:
		return parse_text(parser, NODE_TAB);
	case TOKEN_WORD:
		return parse_word(parser);
	case TOKEN_MACRO:
		return parse_macro(parser);
	case TOKEN_SIGN:
		return parse_sign(parser);
	case TOKEN_ANY:
		parser_fail(parser, &parser->token,
		            "\\* has no meaning here (is a comma missing before the case?)");
		return 0;
	case TOKEN_END:
	case TOKEN_BAD:
		break;
	}
	return 0;
}

/* Items up to the end of the stanza, or, in a body, to its closing brace. */
static uint32_t parse_items(struct parser *parser, int is_body)
{
	struct parser_chain chain = {0, 0};

	while (!parser->failed && parser->token.kind != TOKEN_END) {
		if (is_body && parser_is_sign(&parser->token, '}'))
			break;
		parser_chain(parser, &chain, parse_item(parser));
	}
	return chain.first;
}

/* ---- stanzas ---- */

static int parse_version(const struct token *token, uint32_t version[2])
{
	const char *point = token->kind == TOKEN_WORD ? memchr(token->text, '.', token->len) : NULL;
	uint64_t numbers[2];
	size_t len;

	if (!point)
		return -EINVAL;
	len = (size_t)(point - token->text);
	if (template_number_parse(token->text, len, 10, &numbers[0]) < 0 ||
	    template_number_parse(point + 1, token->len - len - 1, 10, &numbers[1]) < 0 ||
	    numbers[0] > UINT32_MAX || numbers[1] > UINT32_MAX)
		return -EINVAL;
	version[0] = (uint32_t)numbers[0];
	version[1] = (uint32_t)numbers[1];
	return 0;
}

static void parse_level(struct parser *parser, struct template_header *header)
{
	static const struct {
		const char *name;
		enum template_level level;
	} levels[] = {{"APPL", TEMPLATE_APPL},
	              {"SVC", TEMPLATE_SVC},
	              {"SYS", TEMPLATE_SVC},
	              {"KERN", TEMPLATE_KERN},
	              {"INT", TEMPLATE_INT}};

	header->level = TEMPLATE_KERN;
	if (!is_word(&parser->token, "L") || !parser_is_sign(&parser->ahead, '='))
		return;
	parser_next(parser);
	parser_next(parser);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (is_word(&parser->token, levels[i].name)) {
			header->level = levels[i].level;
			parser_next(parser);
			return;
		}
	parser_fail(parser, &parser->token,
	            "an unknown level: APPL, SVC, SYS, KERN or INT is expected");
}

static void parse_header(struct parser *parser, struct template *out)
{
	struct template_header *header = &out->header;

	parser_take_sign(parser, '+');
	if (parser->token.kind != TOKEN_WORD ||
	    template_hook_parse(parser->token.text, parser->token.len, &header->hook) < 0) {
		parser_fail(parser, &parser->token,
		            "a hook id is expected: three or four hexadecimal digits");
		return;
	}
	if (header->hook < 0x1000 && header->hook & 15) {
		parser_fail(parser, &parser->token,
		            "a hook id below 1000 has three digits, or a fourth that is 0");
		return;
	}
	parser_next(parser);
	if (parse_version(&parser->token, out->version) < 0) {
		parser_fail(parser, &parser->token, "a version is expected, as 1.0");
		return;
	}
	header->version = parser->token.text;
	header->version_len = parser->token.len;
	parser_next(parser);
	parse_level(parser, header);
	if (!parser->failed && parser->token.kind != TOKEN_STRING)
		parser_fail(parser, &parser->token, "a label is expected, a string");
	header->label = parser->token.text;
	header->label_len = parser->token.len;
	parser_next(parser);
}

static void add_template(struct parser *parser, struct template *made)
{
	struct template_set *set = parser->set;

	if (template_reserve(&set->templates, &set->template_capacity, set->template_count,
	                     sizeof(*set->templates)) < 0) {
		set->failed = -ENOMEM;
		return;
	}
	made->order = (uint32_t)set->template_count;
	set->templates[set->template_count++] = *made;
}

void template_parse(struct template_set *set, const char *file, const char **at, const char *end,
                    unsigned *line)
{
	struct parser parser = {
		.set = set, .file = file, .lexer = {.at = *at, .end = end, .line = *line}};
	struct lexer whole = parser.lexer;
	struct template made = {.file = file,
	                        .header = {.text = *at, .line = *line},
	                        .nodes_from = (uint32_t)set->node_count};

	template_lexer_skip(&whole);
	template_lexer_next(&parser.lexer, &parser.ahead);
	parser_next(&parser);
	parse_header(&parser, &made);
	if (!parser.failed)
		made.items = parse_items(&parser, 0);
	made.nodes_to = (uint32_t)set->node_count;
	parser_name_macros(&parser, &made);
	made.header.text_len = (size_t)(whole.at - *at);
	while (made.header.text_len > 0 &&
	       strchr("\n\r", made.header.text[made.header.text_len - 1]))
		made.header.text_len--;
	if (!parser.failed)
		add_template(&parser, &made);
	*at = whole.at;
	*line = whole.line;
}
