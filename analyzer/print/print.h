/* print.h: the output of a command, in the form that the user has chosen.
 *
 * Text is printed by the views directly. In the other forms (HTML, Markdown, JSON, delimited), the
 * output of a command is a document: tables of typed columns, notes, and hints what to run next,
 * which is printed when the command is done. What a view prints to output->out becomes notes then,
 * or lines of text in a document without tables, so that no form loses anything; views should put
 * their numbers into tables. */
#ifndef XER_ANALYZER_PRINT_PRINT_H
#define XER_ANALYZER_PRINT_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct output;

enum print_mode { PRINT_TEXT, PRINT_HTML, PRINT_MARKDOWN, PRINT_JSON, PRINT_DELIMITED };

/* The table about the quality of the data, which comes before most others. */
#define PRINT_QUALITY "quality"

/* What a column holds: PRINT_TYPE(id, kind, unit). Times are given in ns and printed as seconds. */
#define PRINT_TYPES(X) \
	X(WORD, "text", "") \
	X(LIST, "list", "") \
	X(COUNT, "number", "count") \
	X(BYTES, "number", "bytes") \
	X(NS, "number", "s") \
	X(SECONDS, "number", "s") \
	X(PERCENT, "number", "%") \
	X(RATIO, "number", "") \
	X(VALUE, "number", "") \
	X(COUNT_CHANGE, "number", "count") \
	X(BYTES_CHANGE, "number", "bytes") \
	X(HEX, "text", "address") \
	X(ID, "number", "") \
	X(MOMENT, "number", "s") \
	X(FIGURE, "number", "")

enum print_type {
#define X(id, kind, unit) PRINT_##id,
	PRINT_TYPES(X)
#undef X
};

struct print_column {
	enum print_type type;
	char *key;       /* "e.totalcpu", "file": never changes, for programs */
	char *heading;   /* "Exclusive Total CPU Time": for people */
	int has_digits;  /* for people; programs get all: */
	unsigned digits; /* behind the point, if it has_digits; else those of the type */
	int is_short;    /* of times: for people in microseconds */
};

/* LIST, WORD and FIGURE (a number as it is to be shown, for people) hold text, the parts of a list
 * ended by newlines; SECONDS, MOMENT, PERCENT, RATIO, VALUE and changes real; others number. Of IDs
 * and MOMENTs comparisons show no difference. */
struct print_cell {
	int is_none;
	uint64_t number;
	double real;
	char *text;
};

struct print_table {
	char *name;  /* "functions": for programs */
	char *title; /* "Functions, each with its variants": for people, where the name does not do;
	                NULL: none */
	int is_record;    /* one row, to be shown one value a line */
	size_t key_count; /* rows of compared groups are one if so many first cells are equal; 0: if
	                     their places are */
	struct print_column *columns; /* columns[column_count] */
	size_t column_count, column_capacity;
	struct print_cell *cells; /* cells[cell_count], row by row */
	size_t cell_count, cell_capacity;
};

/* A hint: a command and why to run it. */
struct print_next {
	char *command, *why;
};

struct print_document {
	const char *command;
	struct print_table **tables;
	size_t table_count, table_capacity;
	char **notes;
	size_t note_count, note_capacity;
	struct print_next *nexts;
	size_t next_count, next_capacity;
	char *text; /* NULL: none */
};

/* The form of what is printed. */
struct print {
	enum print_mode mode;
	char delimiter;                 /* of PRINT_DELIMITED */
	struct print_document document; /* of the command that runs */
	FILE *sink; /* where it goes; output->out gathers text meanwhile. NULL: none runs */
	char *text;
	size_t text_size;
	int page_is_open;    /* an HTML page was begun and not ended */
	int leaves_out_ends; /* tables for programs have no ends of intervals that nobody asked for
	                      */
};

/* True if output is a document: a view then makes tables. */
int print_is_data(const struct output *output);

/* Where output goes, even while a document is gathered: for what does not belong to it. */
FILE *print_sink(const struct output *output);

/* Change the form: text, html, markdown, json, or one character that separates columns ("csv" and
 * "tsv" mean , and tab). Returns 0 or -EINVAL. */
int print_set_mode(struct output *output, const char *mode);

/* Before and after a command whose output is a document. Nested calls are not allowed. */
void print_begin(struct output *output, const char *command);
void print_end(struct output *output);

/* End what was begun in the present output file (the HTML page); before the file or the form is
 * changed. */
void print_finish(struct output *output);

/* Gather what a view puts into tables, and give it to print_clear afterwards; text that it prints
 * besides is dropped. */
struct print_gathering {
	struct print saved;
	FILE *before, *beside;
	char *text;
	size_t size;
};
void print_gather_begin(struct output *output, struct print_gathering *gathering);
void print_gather_end(struct output *output, struct print_gathering *gathering,
                      struct print_document *out);

/* The same, and text that was printed besides becomes notes, or, where there is no table,
 * out->text, which the caller frees. */
void print_gather_all(struct output *output, struct print_gathering *gathering,
                      struct print_document *out);
void print_clear(struct print_document *document);

/* A line about the data, printf-like; text mode prints it after "# ". */
void print_note(struct output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A hint; text mode prints nothing. */
void print_next(struct output *output, const char *command, const char *reference, const char *why);

/* Begin a table, or a record. Give it to print_table_end. */
struct print_table *print_table_begin(const char *name);
struct print_table *print_record_begin(const char *name);

/* Set the title of a table for people, and which of its rows match where groups are compared. */
void print_describe(struct print_table *table, const char *title, size_t key_count);

/* Add a column; all of them before the first cell. A heading may have two lines. */
void print_column(struct print_table *table, enum print_type type, const char *key,
                  const char *heading);

/* How many digits behind the point the column that was added last has for people. */
void print_column_digits(struct print_table *table, unsigned digits);

/* Its times are for people in microseconds. Otherwise the table finds out: where all times are
 * below a millisecond, and no column has digits of its own. */
void print_column_short(struct print_table *table);

/* Add the next cell of the row. Text is copied; NULL: none. */
void print_number(struct print_table *table, uint64_t number);
void print_real(struct print_table *table, double real);
void print_word(struct print_table *table, const char *text);
void print_none(struct print_table *table);
void print_cell(struct print_table *table,
                const struct print_cell *cell); /* one without text, of another table */

/* Add a value to a record. */
void print_field(struct print_table *record, enum print_type type, const char *key,
                 const char *heading, uint64_t number);
void print_field_real(struct print_table *record, enum print_type type, const char *key,
                      const char *heading, double real);
void print_field_word(struct print_table *record, const char *key, const char *heading,
                      const char *text);

/* The table is complete: text mode prints it with aligned columns, at most `limit` rows (0: all);
 * otherwise it joins the document, whole or so many rows of it. Takes `table`. */
void print_table_end(struct output *output, struct print_table *table, size_t limit);

/* ---- for the forms ---- */

/* All cells of the table are there: find the unit of its times. print_table_end does it. */
void print_table_settle(struct print_table *table);

const char *print_type_kind(enum print_type type);
const char *print_type_unit(enum print_type type);
int print_type_is_number(enum print_type type);

/* What the difference of two such values is. */
enum print_type print_type_change(enum print_type type);

/* A cell as people read it, with fewer digits; text[PRINT_TEXT_MAX] may be used for it. */
enum { PRINT_TEXT_MAX = 64 };
const char *print_text_format(const struct print_column *column, const struct print_cell *cell,
                              char *text);

/* The same with thousands apart, where a form is for people alone. */
const char *print_people_format(const struct print_column *column, const struct print_cell *cell,
                                char *text);

/* The unit that is told beside such values, "" for none: "s", "us", "bytes", "%". */
const char *print_text_unit(const struct print_column *column);

/* A cell of a measured kind as text[64]: "1.250000000", "3", "0x401000", "" if there is none.
 * Returns text. */
char *print_cell_format(enum print_type type, const struct print_cell *cell, char *text);

/* Print one document. */
void print_text_table(const struct print_table *table, size_t columns,
                      FILE *out); /* of the terminal; 0: none */
void print_json(const struct print_document *document, FILE *out);
void print_delimited(const struct print_document *document, char delimiter, FILE *out);
void print_markdown(const struct print_document *document, FILE *out);
void print_html_begin(FILE *out);
void print_html(const struct print_document *document, FILE *out);
void print_html_end(FILE *out);

/* A JSON string of text[len] with its quotes; bytes that are no printable UTF-8 become \xNN as in
 * text. */
void print_json_string(FILE *out, const char *text, size_t len);

/* Text for XML and HTML, escaped likewise. */
void print_html_text(FILE *out, const char *text, size_t len);

#endif
