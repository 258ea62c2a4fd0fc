/* parser.h: the state of the parser of one stanza, and the part of it that reads values. */
#ifndef XER_TEMPLATE_PARSER_H
#define XER_TEMPLATE_PARSER_H

#include "template/internal.h"
#include "template/lexer.h"

/* A user macro of the stanza, in the order in which they are first mentioned. */
struct parser_name {
	const char *text;
	size_t len;
	unsigned line;
	uint16_t slot; /* SLOT_NONE until it is defined */
};

struct parser {
	struct template_set *set;
	const char *file;
	struct lexer lexer;
	struct token token, ahead; /* the current one and the next */
	unsigned depth;            /* of braces */
	int failed;                /* an error was told: the rest of the stanza is given up */
	struct parser_name names[SLOTS_MAX];
	unsigned name_count, slot_count;
};

/* Go to the next token. */
void parser_next(struct parser *parser);

/* Tell an error at a token, the first one of a stanza only. */
void parser_fail(struct parser *parser, const struct token *token, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int parser_is_sign(const struct token *token, char sign);

/* Take the sign if it is the current token. Returns whether it was. */
int parser_take_sign(struct parser *parser, char sign);

/* A new node; 0 with parser->failed if there is no memory. */
uint32_t parser_node(struct parser *parser, enum node_kind kind);

static inline struct node *parser_at(struct parser *parser, uint32_t index)
{
	return &parser->set->nodes[index];
}

/* Give a node the text of the current token. */
void parser_set_text(struct parser *parser, uint32_t index);

/* Nodes in the order of the text. */
struct parser_chain {
	uint32_t first, last;
};

/* Append a node; 0 is none. */
void parser_chain(struct parser *parser, struct parser_chain *chain, uint32_t index);

/* Take a sign that must be there. `opening`: the line of the construct that it closes, 0: none. */
void parser_expect_sign(struct parser *parser, char sign, const char *what, unsigned opening);

/* "{" items "}"; the opening brace is the current token. Returns the first item, 0: none. */
uint32_t parser_body(struct parser *parser, const char *what);

/* Statements; each returns its node. The current token is: behind the selector, the comma; the
 * keyword; the same; the same; the second brace of "{{". (parse_statement.c) */
uint32_t parser_switch(struct parser *parser, const struct value *selector);
uint32_t parser_loop(struct parser *parser);
uint32_t parser_bitflags(struct parser *parser);
uint32_t parser_timer(struct parser *parser, enum node_kind kind);
uint32_t parser_assign(struct parser *parser, unsigned line);

/* Fail unless a value, which began at `token`, is a whole number. (parse_statement.c) */
void parser_check_number(struct parser *parser, const struct token *token,
                         const struct value *value, const char *what);

/* Take a format code or a macro, with what stands behind %. Returns 1, or 0 if the current token
 * begins none, perhaps with parser->failed. (parse_value.c) */
int parser_value(struct parser *parser, struct value *out);

/* The same, or a number. */
int parser_operand(struct parser *parser, struct value *out);

/* Take "& number" behind a value, if it is there. */
void parser_mask(struct parser *parser, struct value *value);

/* Take what can be assigned to. */
void parser_target(struct parser *parser, struct value *out);

/* Give the user macros of a whole stanza their numbers: until then values have that of their name.
 */
void parser_name_macros(struct parser *parser, struct template *made);

#endif
