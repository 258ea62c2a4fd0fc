/* internal.h: templates in memory, as the modules of this folder share them. */
#ifndef XER_TEMPLATE_INTERNAL_H
#define XER_TEMPLATE_INTERNAL_H

#include "template/template.h"

enum { CODE_SIZE_MAX = 65535, CODE_WIDTH_MAX = 512, SLOTS_MAX = 256, SLOT_NONE = 0xffff };

/* How a value is compared and printed. */
enum value_kind {
	KIND_HEX,
	KIND_DECIMAL,
	KIND_OCTAL,
	KIND_BINARY,
	KIND_TEXT,
	KIND_REAL,
	KIND_MOVES
};

enum macro {
#define MACRO(name, kind) MACRO_##name,
#include "template/macro.def"
	MACROS
};
enum macro_kind { MACRO_KIND_NUMBER, MACRO_KIND_SETTABLE, MACRO_KIND_TEXT, MACRO_KIND_ACTION };

/* A format code: letter, m, and n behind a point. The letter N stands behind % only: a name for an
 * address. */
struct code {
	char letter;
	uint8_t has_fraction;
	uint16_t size, fraction;
};

enum value_source { VALUE_NUMBER, VALUE_CODE, VALUE_MACRO, VALUE_USER };

/* A code, a macro or a number: what is printed, selected by, or calculated with. */
struct value {
	uint8_t source;
	uint8_t kind; /* enum value_kind */
	uint8_t has_format, has_mask;
	uint8_t macro;    /* of VALUE_MACRO */
	uint16_t slot;    /* of VALUE_USER: the macro's number in its template, in the order of
	                     definitions */
	struct code code; /* of VALUE_CODE; of a macro: the one behind % */
	uint64_t number;  /* of VALUE_NUMBER */
	uint64_t mask;
};

enum node_kind {
	NODE_TEXT, /* text[len] */
	NODE_WORD, /* the same and a blank */
	NODE_NEWLINE,
	NODE_TAB,
	NODE_VALUE,    /* prints `value` */
	NODE_SWITCH,   /* by `value`; `body`: the first NODE_CASE */
	NODE_CASE,     /* `is_any`, `value.number`, or text[len]; `body`: items */
	NODE_LOOP,     /* `value` times `body` */
	NODE_BITFLAGS, /* of `value`; `body`: the first NODE_FLAG */
	NODE_FLAG,     /* text[len] if (v & value.mask) == value.number, else other[other_len] */
	NODE_CALL, /* the template of hook value.number, whose index is `body` (in set->templates),
	              CALL_NONE: none */
	NODE_ASSIGN,  /* `value` gets the sum of `body`, a list of NODE_OPERAND; without one it is
	                 only declared */
	NODE_OPERAND, /* `sign` (one of + - * /) `value` */
	NODE_TIMER_START, /* of the key of two NODE_OPERANDs in `body` */
	NODE_TIMER_END
};

#define CALL_NONE UINT32_MAX

/* Nodes are named by their index in set->nodes; 0 is none. */
struct node {
	uint8_t kind; /* enum node_kind */
	uint8_t is_any;
	char sign;
	uint32_t next, body;
	const char *text, *other;
	uint32_t len, other_len;
	unsigned line;
	struct value value;
};

struct template
{
	struct template_header header;
	uint32_t items; /* first node */
	uint32_t nodes_from, nodes_to;
	uint32_t order;      /* in which it was added */
	uint32_t version[2]; /* as numbers */
	const char *file;
};

struct template_set {
	char **texts; /* of files and their names, owned */
	size_t text_count, text_capacity;
	struct node *nodes;
	size_t node_count, node_capacity;
	struct template *templates; /* after finish: in order of ids, one for each */
	size_t template_count, template_capacity;
	struct template_message *messages;
	size_t message_count, message_capacity;
	unsigned errors;
	int has_high_bytes; /* in any file */
	int failed;         /* -ENOMEM */
};

/* Make room for one more in an array of `count`. Returns 0 or -ENOMEM. (set.c) */
int template_reserve(void *array, size_t *capacity, size_t count, size_t size);

/* Behind the byte order mark that some editors put before UTF-8. (set.c) */
const char *template_behind_mark(const char *at, const char *end);

/* Add a message. near[near_len]: the token, cut if long; NULL: none. (set.c) */
void template_complain(struct template_set *set, int is_warning, const char *file, unsigned line,
                       const char *near, size_t near_len, const char *format, ...)
	__attribute__((format(printf, 7, 8)));

/* The properties of a code's letter, NULL if it is none. (code.c) */
struct code_rule {
	char letter;
	uint8_t kind;
	uint32_t sizes;
	uint16_t bits;
	uint8_t formats;
};
const struct code_rule *template_code_rule(char letter);

/* Is word[len] shaped like a code: a known letter, digits, perhaps a point and digits? Returns 1,
 * 0, or -EINVAL: it is, but with a size that the code does not have. (code.c) */
int template_code_parse(const char *word, size_t len, struct code *out);

/* The same behind %: what is not allowed there becomes X2, and 2 is returned. Else 1 or 0. (code.c)
 */
int template_format_parse(const char *word, size_t len, struct code *out);

/* The bytes that a code reads as a number, 8 at most; of B also begun ones. (code.c) */
unsigned template_code_bytes(const struct code *code);

/* The predefined macro name[len], or MACROS. (code.c) */
unsigned template_macro_find(const char *name, size_t len);
enum macro_kind template_macro_kind(unsigned macro);

/* Read a number: a base of 2, 8, 10 or 16, and hexadecimal behind 0x in any. Returns 0 or -EINVAL.
 * (code.c) */
int template_number_parse(const char *text, size_t len, unsigned base, uint64_t *out);

/* Parse the stanza at *at (before `end`) of the physical line *line; both are moved behind its last
 * line. (parse.c) */
void template_parse(struct template_set *set, const char *file, const char **at, const char *end,
                    unsigned *line);

/* Warn of numbers inside of data words, which depend on the byte order. (advise.c) */
void template_advise(struct template_set *set, const struct template *template);

#endif
