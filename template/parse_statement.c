/* parse_statement.c: the statements of templates: SWITCH, LOOP, BITFLAGS, timers and assignments.
 */
#include "template/parser.h"

#include <errno.h>
#include <string.h>

/* ---- SWITCH ---- */

static unsigned base_of(unsigned kind)
{
	switch (kind) {
	case KIND_DECIMAL:
		return 10;
	case KIND_OCTAL:
		return 8;
	case KIND_BINARY:
		return 2;
	default:
		return 16;
	}
}

static void parse_match(struct parser *parser, uint32_t index, unsigned kind)
{
	int is_negative = 0;
	uint64_t number = 0;

	if (parser->token.kind == TOKEN_ANY || parser_is_sign(&parser->token, '*')) {
		parser_at(parser, index)->is_any = 1;
		parser_next(parser);
		return;
	}
	if (kind == KIND_TEXT) {
		if (parser->token.kind != TOKEN_STRING) {
			parser_fail(parser, &parser->token,
			            "a quoted text is expected: the selector is text");
			return;
		}
		parser_set_text(parser, index);
		parser_next(parser);
		return;
	}
	if (kind == KIND_DECIMAL)
		is_negative = parser_take_sign(parser, '-');
	if (parser->token.kind != TOKEN_WORD ||
	    template_number_parse(parser->token.text, parser->token.len, base_of(kind), &number) <
	            0) {
		parser_fail(parser, &parser->token,
		            "a match value is expected, a number of base %u", base_of(kind));
		return;
	}
	parser_at(parser, index)->value.number = is_negative ? -number : number;
	parser_next(parser);
}

static uint32_t parse_case(struct parser *parser, unsigned kind)
{
	uint32_t index = parser_node(parser, NODE_CASE);
	uint32_t body = 0;

	parse_match(parser, index, kind);
	if (parser->failed)
		return index;
	if (parser->token.kind == TOKEN_STRING) {
		body = parser_node(parser, NODE_TEXT);
		parser_set_text(parser, body);
		parser_next(parser);
	} else if (parser_is_sign(&parser->token, '{')) {
		body = parser_body(parser, "the case");
	} else {
		parser_fail(parser, &parser->token,
		            "the case has no body: a string or { is expected");
	}
	parser_at(parser, index)->body = body;
	return index;
}

uint32_t parser_switch(struct parser *parser, const struct value *selector)
{
	uint32_t index = parser_node(parser, NODE_SWITCH);
	struct parser_chain cases = {0, 0};

	parser_at(parser, index)->value = *selector;
	while (!parser->failed && parser_take_sign(parser, ','))
		parser_chain(parser, &cases, parse_case(parser, selector->kind));
	parser_at(parser, index)->body = cases.first;
	return index;
}

/* ---- LOOP, BITFLAGS, timers, assignments ---- */

void parser_check_number(struct parser *parser, const struct token *token,
                         const struct value *value, const char *what)
{
	if (value->kind == KIND_MOVES)
		parser_fail(parser, token, "%s: this code has no value", what);
	else if (value->kind == KIND_TEXT || value->kind == KIND_REAL)
		parser_fail(parser, token, "%s needs a whole number", what);
	else if (value->source == VALUE_CODE && value->code.letter == 'X' && value->code.size > 8)
		parser_fail(parser, token, "%s: a number has 8 bytes at most", what);
}

static void parse_selector(struct parser *parser, struct value *out, const char *what)
{
	struct token token = parser->token;

	if (!parser_value(parser, out))
		parser_fail(parser, &token, "%s needs a format code or a macro", what);
	parser_mask(parser, out);
	parser_check_number(parser, &token, out, what);
}

uint32_t parser_loop(struct parser *parser)
{
	uint32_t index = parser_node(parser, NODE_LOOP);
	struct value selector = {0};
	uint32_t body = 0;

	parser_next(parser);
	parse_selector(parser, &selector, "LOOP");
	if (!parser->failed && !parser_is_sign(&parser->token, '{'))
		parser_fail(parser, &parser->token, "LOOP has no body: { is expected");
	if (!parser->failed)
		body = parser_body(parser, "the body of LOOP");
	parser_at(parser, index)->value = selector;
	parser_at(parser, index)->body = body;
	return index;
}

static void parse_flag_number(struct parser *parser, unsigned base, uint64_t *out)
{
	const struct token *token = &parser->token;
	int status = -EINVAL;

	if (token->kind == TOKEN_WORD) {
		status = template_number_parse(token->text, token->len, base, out);
		if (status < 0 && base == 8) {
			status = template_number_parse(token->text, token->len, 16, out);
			if (status == 0)
				template_complain(
					parser->set, 1, parser->file, token->line, token->at,
					token->size,
					"not an octal number: taken as a hexadecimal one");
		}
	}
	if (status < 0)
		parser_fail(parser, token, "a flag is expected, a number of base %u", base);
	else
		parser_next(parser);
}

static void parse_flag_text(struct parser *parser, uint32_t index)
{
	if (parser->token.kind != TOKEN_STRING) {
		parser_fail(parser, &parser->token, "the flag has no text");
		return;
	}
	parser_set_text(parser, index);
	parser_next(parser);
}

/* Does a flag begin here? A format code before a string does not look like a flag, though B1 and D4
 * are hexadecimal. */
static int is_flag(const struct parser *parser)
{
	const struct token *token = &parser->token;
	struct code code;
	uint64_t number;

	if (parser_is_sign(token, '&'))
		return 1;
	if (token->kind != TOKEN_WORD || parser->ahead.kind != TOKEN_STRING ||
	    template_code_parse(token->text, token->len, &code) == 1)
		return 0;
	return template_number_parse(token->text, token->len, 16, &number) == 0;
}

static uint32_t parse_flag(struct parser *parser, unsigned base)
{
	uint32_t index = parser_node(parser, NODE_FLAG);
	int is_field = parser_take_sign(parser, '&');
	uint64_t mask = 0, field = 0;

	parse_flag_number(parser, base, &mask);
	field = mask;
	if (!parser->failed && is_field)
		parse_flag_number(parser, base, &field);
	if (parser->failed)
		return index;
	parse_flag_text(parser, index);
	parser_at(parser, index)->value.mask = mask;
	parser_at(parser, index)->value.number = field;
	if (!is_field && parser->token.kind == TOKEN_STRING) {
		parser_at(parser, index)->other = parser->token.text;
		parser_at(parser, index)->other_len = (uint32_t)parser->token.len;
		parser_next(parser);
	}
	return index;
}

uint32_t parser_bitflags(struct parser *parser)
{
	uint32_t index = parser_node(parser, NODE_BITFLAGS);
	struct parser_chain flags = {0, 0};
	struct value selector = {0};
	unsigned base;

	parser_next(parser);
	parse_selector(parser, &selector, "BITFLAGS");
	if (!parser->failed)
		parser_expect_sign(parser, ',', "BITFLAGS, behind the selector", 0);
	base = selector.kind == KIND_OCTAL ? 8 : 16;
	while (!parser->failed && is_flag(parser)) {
		parser_chain(parser, &flags, parse_flag(parser, base));
		parser_take_sign(parser, ',');
	}
	if (!parser->failed && flags.first == 0)
		parser_fail(parser, &parser->token, "BITFLAGS has no flags");
	parser_at(parser, index)->value = selector;
	parser_at(parser, index)->body = flags.first;
	return index;
}

static uint32_t parse_operand(struct parser *parser, char sign)
{
	uint32_t index = parser_node(parser, NODE_OPERAND);
	struct token token = parser->token;
	struct value value = {0};

	if (!parser_operand(parser, &value))
		parser_fail(parser, &token, "a number, a macro or a format code is expected");
	parser_check_number(parser, &token, &value, "arithmetic");
	parser_at(parser, index)->value = value;
	parser_at(parser, index)->sign = sign;
	return index;
}

uint32_t parser_timer(struct parser *parser, enum node_kind kind)
{
	uint32_t index = parser_node(parser, kind);
	struct parser_chain key = {0, 0};

	parser_next(parser);
	parser_expect_sign(parser, '(', "the timer", 0);
	if (!parser->failed)
		parser_chain(parser, &key, parse_operand(parser, '+'));
	if (!parser->failed)
		parser_expect_sign(parser, ',', "the timer", 0);
	if (!parser->failed)
		parser_chain(parser, &key, parse_operand(parser, '+'));
	if (!parser->failed)
		parser_expect_sign(parser, ')', "the timer", 0);
	parser_at(parser, index)->body = key.first;
	return index;
}

static uint32_t parse_sum(struct parser *parser)
{
	struct parser_chain chain = {0, 0};
	char sign = '+';

	while (!parser->failed) {
		parser_chain(parser, &chain, parse_operand(parser, sign));
		if (parser->token.kind != TOKEN_SIGN || !strchr("+-*/", parser->token.sign))
			break;
		sign = parser->token.sign;
		parser_next(parser);
	}
	if (!parser->failed && !parser_is_sign(&parser->token, '}'))
		parser_fail(parser, &parser->token, "an operator (+ - * /) or }} is expected");
	return chain.first;
}

uint32_t parser_assign(struct parser *parser, unsigned line)
{
	uint32_t index = parser_node(parser, NODE_ASSIGN);
	struct value target = {0};
	uint32_t sum = 0;

	parser_next(parser);
	parser_target(parser, &target);
	if (!parser->failed && parser_take_sign(parser, '='))
		sum = parse_sum(parser);
	if (!parser->failed)
		parser_expect_sign(parser, '}', "{{", line);
	if (!parser->failed && !parser->token.is_glued)
		parser_fail(parser, &parser->token, "}} is expected");
	if (!parser->failed)
		parser_expect_sign(parser, '}', "{{", line);
	parser_at(parser, index)->value = target;
	parser_at(parser, index)->body = sum;
	return index;
}
