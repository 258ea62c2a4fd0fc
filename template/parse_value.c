/* parse_value.c: format codes, macros and numbers, and the numbers of user macros: the i-th that a
 * template defines is its i-th, whatever its name, so that a template and its subroutines share
 * them. */
#include "template/parser.h"

#include <errno.h>
#include <string.h>

static int is_macro_word(const struct token *token)
{
	return token->len == 2 && token->text[0] == 'H' &&
	       memchr("BDLT", token->text[1], 4) != NULL;
}

static unsigned kind_of_macro(unsigned macro)
{
	return template_macro_kind(macro) == MACRO_KIND_TEXT ? KIND_TEXT : KIND_HEX;
}

/* The name of a user macro: its index, made if it is new; SLOT_NONE with an error if there are too
 * many. */
static unsigned find_name(struct parser *parser, const struct token *token)
{
	for (unsigned i = 0; i < parser->name_count; i++)
		if (parser->names[i].len == token->len &&
		    memcmp(parser->names[i].text, token->text, token->len) == 0)
			return i;
	if (parser->name_count == SLOTS_MAX) {
		parser_fail(parser, token, "a template has at most %d macros", SLOTS_MAX);
		return SLOT_NONE;
	}
	parser->names[parser->name_count] = (struct parser_name){
		.text = token->text, .len = token->len, .line = token->line, .slot = SLOT_NONE};
	return parser->name_count++;
}

static int is_subroutine(const struct token *token)
{
	uint16_t hook;

	return template_hook_parse(token->text, token->len, &hook) == 0;
}

static int is_name(const struct token *token)
{
	return token->text[0] < '0' || token->text[0] > '9' ? !memchr(token->text, '.', token->len)
	                                                    : 0;
}

static void take_macro(struct parser *parser, struct value *out)
{
	const struct token *token = &parser->token;
	unsigned macro = template_macro_find(token->text, token->len);

	if (macro != MACROS) {
		*out = (struct value){.source = VALUE_MACRO,
		                      .macro = (uint8_t)macro,
		                      .kind = (uint8_t)kind_of_macro(macro)};
	} else if (is_subroutine(token)) {
		parser_fail(
			parser, token,
			"a name of three or four hexadecimal digits calls a template, and has no value");
	} else if (!is_name(token)) {
		parser_fail(parser, token, "not a name of a macro");
	} else {
		*out = (struct value){.source = VALUE_USER,
		                      .slot = (uint16_t)find_name(parser, token),
		                      .kind = KIND_HEX};
	}
	parser_next(parser);
}

/* Take "%code" behind a macro, if it is there. */
static void take_format(struct parser *parser, struct value *value)
{
	const struct token *token = &parser->token;
	const struct code_rule *rule;
	int status;

	if (!parser_take_sign(parser, '%'))
		return;
	status = token->kind != TOKEN_WORD
	                 ? 0
	                 : template_format_parse(token->text, token->len, &value->code);
	if (status == 2)
		template_complain(parser->set, 1, parser->file, token->line, token->at, token->size,
		                  "no code for a macro: it prints like X2");
	if (status == 0) {
		parser_fail(parser, &parser->token, "a format code is expected behind %%");
		return;
	}
	rule = template_code_rule(value->code.letter);
	value->has_format = 1;
	value->kind = rule ? rule->kind : KIND_HEX;
	parser_next(parser);
}

static int take_code(struct parser *parser, struct value *out)
{
	struct code code;
	int status = template_code_parse(parser->token.text, parser->token.len, &code);

	if (status < 0) {
		parser_fail(parser, &parser->token, "the format code has no such size");
		return 0;
	}
	if (status == 0)
		return 0;
	if (code.letter == 'O' && !code.has_fraction)
		template_complain(parser->set, 1, parser->file, parser->token.line,
		                  parser->token.at, parser->token.size,
		                  "O goes forward; an octal number is o");
	*out = (struct value){
		.source = VALUE_CODE, .code = code, .kind = template_code_rule(code.letter)->kind};
	parser_next(parser);
	return 1;
}

int parser_value(struct parser *parser, struct value *out)
{
	if (parser->failed)
		return 0;
	if (parser->token.kind == TOKEN_MACRO ||
	    (parser->token.kind == TOKEN_WORD && is_macro_word(&parser->token))) {
		take_macro(parser, out);
		take_format(parser, out);
		return !parser->failed;
	}
	return parser->token.kind == TOKEN_WORD && take_code(parser, out);
}

int parser_operand(struct parser *parser, struct value *out)
{
	const struct token *token = &parser->token;

	if (!parser->failed && token->kind == TOKEN_WORD &&
	    template_number_parse(token->text, token->len, 10, &out->number) == 0) {
		out->source = VALUE_NUMBER;
		out->kind = KIND_DECIMAL;
		parser_next(parser);
		return 1;
	}
	return parser_value(parser, out);
}

void parser_mask(struct parser *parser, struct value *value)
{
	if (parser->failed || !parser_take_sign(parser, '&'))
		return;
	if (parser->token.kind != TOKEN_WORD ||
	    template_number_parse(parser->token.text, parser->token.len, 10, &value->mask) < 0) {
		parser_fail(parser, &parser->token, "a number is expected behind &");
		return;
	}
	value->has_mask = 1;
	parser_next(parser);
}

void parser_target(struct parser *parser, struct value *out)
{
	const struct token *token = &parser->token;
	unsigned macro = token->kind == TOKEN_MACRO || token->kind == TOKEN_WORD
	                         ? template_macro_find(token->text, token->len)
	                         : MACROS;

	if (token->kind == TOKEN_WORD &&
	    (macro == MACROS || template_macro_kind(macro) != MACRO_KIND_SETTABLE)) {
		parser_fail(parser, token, "a macro is expected, with its $");
		return;
	}
	if (token->kind != TOKEN_MACRO && token->kind != TOKEN_WORD) {
		parser_fail(parser, token, "a macro is expected");
		return;
	}
	if (macro != MACROS && template_macro_kind(macro) != MACRO_KIND_SETTABLE) {
		parser_fail(parser, token, "this predefined macro cannot be assigned to");
		return;
	}
	if (macro == MACROS && is_subroutine(token)) {
		parser_fail(
			parser, token,
			"a name of three or four hexadecimal digits calls a template, and cannot be assigned to");
		return;
	}
	take_macro(parser, out);
	if (!parser->failed && out->source == VALUE_USER &&
	    parser->names[out->slot].slot == SLOT_NONE)
		parser->names[out->slot].slot = (uint16_t)parser->slot_count++;
}

void parser_name_macros(struct parser *parser, struct template *made)
{
	if (parser->failed)
		return;
	for (uint32_t i = made->nodes_from; i < made->nodes_to; i++) {
		struct value *value = &parser->set->nodes[i].value;

		if (value->source == VALUE_USER)
			value->slot = parser->names[value->slot].slot;
	}
	for (unsigned i = 0; i < parser->name_count; i++)
		if (parser->names[i].slot == SLOT_NONE)
			template_complain(parser->set, 1, parser->file, parser->names[i].line,
			                  parser->names[i].text, parser->names[i].len,
			                  "a macro that the template does not define is 0");
}
