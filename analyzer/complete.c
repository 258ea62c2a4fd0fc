/* complete.c: see complete.h. What the argument of a command may be is told by the table of
 * commands. */
#include "analyzer/complete.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/command.h"
#include "analyzer/data/names.h"
#include "analyzer/filter/token.h"
#include "analyzer/model/name.h"
#include "analyzer/prompt/grammar.h"
#include "analyzer/prompt/paths.h"
#include "analyzer/views/view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {
#define FORMAT(name, function) name,
#define FILE_FORMAT(name, function) name,
#define DIRECTORY_FORMAT(name) name,
#include "analyzer/export/format.def"
};

/* What is typed of an argument, up to the cursor. */
struct typed {
	struct analysis *analysis;
	const char *text;
	size_t len;
};

static void offer(struct words *out, const struct typed *typed, const char *word)
{
	out->typed = typed->len;
	words_add(out, typed->text, typed->len, word, strlen(word));
}

/* The end of what is typed, from the first byte of which all later ones are letters, digits or in
 * `also`. */
static struct typed last_word(const struct typed *typed, const char *also)
{
	struct typed last = {.analysis = typed->analysis, .text = typed->text + typed->len};

	while (last.text > typed->text &&
	       (isalnum((unsigned char)last.text[-1]) || strchr(also, last.text[-1])) &&
	       last.text[-1] != '\0') {
		last.text--;
		last.len++;
	}
	return last;
}

static void offer_commands(const struct typed *typed, struct words *out)
{
	const char *alias, *name;

	for (size_t i = 0; (name = command_name(i, &alias)); i++) {
		offer(out, typed, name);
		if (alias && typed->len > 0)
			offer(out, typed, alias);
	}
}

/* Functions as tables name them, and without their arguments. */
static void offer_functions(const struct typed *typed, struct words *out)
{
	struct analysis *analysis = typed->analysis;
	const struct tree *tree = dataset_tree(&analysis->dataset, TREE_FUNCTIONS);

	for (size_t i = 0; i < tree->item_count; i++) {
		const struct sym_function *function = tree->items[i].function;
		char *name = name_function(&analysis->choices, function),
		     *brief = name_shorten(function->name);

		offer(out, typed, strncmp(brief, name, strlen(brief)) == 0 ? brief : name);
		if (typed->len > strlen(brief))
			offer(out, typed, name);
		free(name);
		free(brief);
	}
}

static void offer_sources(const struct typed *typed, struct words *out)
{
	const struct tree *tree = dataset_tree(&typed->analysis->dataset, TREE_FUNCTIONS);

	for (size_t i = 0; i < tree->item_count; i++) {
		const char *file = tree->items[i].function->file;

		if (file)
			offer(out, typed,
			      memchr(typed->text, '/', typed->len) ? file : text_base(file));
	}
}

/* A keyword behind the signs that are typed, or with the two flavors that are asked for most. */
static void offer_metrics(const struct typed *all, struct words *out)
{
	struct typed typed = last_word(all, "_" METRIC_SIGNS);
	size_t flavor = 0;
	unsigned have = all->analysis->dataset.have;

	out->after = '\0';
	for (size_t i = 0; i < typed.len; i++)
		if (strchr(METRIC_SIGNS, typed.text[i]))
			flavor = i + 1;
	for (unsigned id = 0; id < METRICS; id++) {
		unsigned data = metric_data_of(id);
		char *word;

		if (data != METRIC_DATA_STATIC && (data & have) == 0)
			continue;
		if (flavor > 0 || data == METRIC_DATA_STATIC) {
			word = memory_format("%.*s%s", (int)flavor, typed.text, metric_keyword(id));
			offer(out, &typed, word);
			free(word);
			continue;
		}
		for (const char *letter = "ei"; *letter != '\0'; letter++) {
			word = memory_format("%c.%s", *letter, metric_keyword(id));
			offer(out, &typed, word);
			free(word);
		}
		offer(out, &typed, typed.len > 0 ? metric_keyword(id) : "");
	}
}

struct offered {
	const struct typed *typed;
	struct words *out;
};

static void offer_alias(void *context, const char *name)
{
	struct offered *offered = context;

	offer(offered->out, offered->typed, name);
}

static int is_recorded(const struct token *token, unsigned have)
{
	return (token->data & have) != 0 || have == 0;
}

/* Inside of quotes: the names of the values of every word that has such. */
static void offer_values(const struct typed *typed, struct words *out)
{
	for (unsigned id = 0; id < TOKENS; id++) {
		const struct token *token = &token_table[id];

		if (!token_has_fixed_names(token) ||
		    !is_recorded(token, typed->analysis->dataset.have))
			continue;
		for (int value = -1; (value = token_value_next(token, value)) >= 0;)
			offer(out, typed, token_value_name(token, value));
	}
}

static void offer_filter(const struct typed *all, struct words *out)
{
	struct typed typed = last_word(all, "_");
	struct offered offered = {&typed, out};
	size_t quotes = 0;

	out->after = '\0';
	for (size_t i = 0; i < all->len; i++)
		quotes += all->text[i] == '"';
	if (quotes % 2 != 0) {
		offer_values(&typed, out);
		return;
	}
	for (unsigned id = 0; id < TOKENS; id++)
		if (is_recorded(&token_table[id], all->analysis->dataset.have)) {
			offer(out, &typed, token_table[id].name);
			if (typed.len > 0)
				token_aliases(id, offer_alias, &offered);
		}
	offer(out, &typed, "FNAME");
}

static void offer_place(enum grammar_place place, const struct typed *typed, struct words *out)
{
	switch (place) {
	case GRAMMAR_FUNCTIONS:
		offer_functions(typed, out);
		return;
	case GRAMMAR_FILES:
		paths_complete(PATHS_FILES, typed->text, typed->len, out);
		return;
	case GRAMMAR_DIRECTORIES:
		paths_complete(PATHS_DIRECTORIES, typed->text, typed->len, out);
		return;
	case GRAMMAR_EXPERIMENTS:
		paths_complete(PATHS_EXPERIMENTS, typed->text, typed->len, out);
		return;
	case GRAMMAR_METRICS:
		offer_metrics(typed, out);
		return;
	case GRAMMAR_FILTER:
		offer_filter(typed, out);
		return;
	case GRAMMAR_COMMANDS:
		offer_commands(typed, out);
		return;
	case GRAMMAR_FORMATS:
		for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
			offer(out, typed, formats[i]);
		return;
	case GRAMMAR_SIGNALS:
	case GRAMMAR_EVENTS:
	case GRAMMAR_ARCHIVE:
	case GRAMMAR_NOTHING:
		return;
	}
}

/* The index-th argument of a command. Of one that takes functions, files are source files. */
static void offer_argument(const struct command *command, size_t index, const struct typed *typed,
                           struct words *out)
{
	struct grammar_choice choice = {.text = NULL};

	if (command->kind == ARGUMENT_NAME && typed->analysis->dataset.count == 0)
		return;
	if (command->kind == ARGUMENT_NAME)
		dataset_load(&typed->analysis->dataset, &typed->analysis->output);
	while (grammar_next(command->argument_text, index, &choice)) {
		if (choice.is_word) {
			char *word = memory_text(choice.text, choice.len);

			offer(out, typed, word);
			free(word);
		} else if (choice.place == GRAMMAR_FILES && command->kind == ARGUMENT_NAME) {
			offer_sources(typed, out);
		} else {
			offer_place(choice.place, typed, out);
		}
	}
}

/* Skip blanks, and the quote that an argument may begin with. */
static void skip(struct typed *typed, const char *bytes)
{
	size_t len = 0;

	while (len < typed->len && strchr(bytes, typed->text[len]))
		len++;
	typed->text += len;
	typed->len -= len;
}

/* Of two arguments, the one that is being typed. */
static size_t skip_to_argument(const struct command *command, struct typed *typed)
{
	const char *blank;

	if (command->kind != ARGUMENT_PAIR)
		return 0;
	blank = memchr(typed->text, ' ', typed->len);
	if (!blank)
		return 0;
	typed->len -= (size_t)(blank - typed->text);
	typed->text = blank;
	skip(typed, " \t");
	return 1;
}

void complete_line(struct analysis *analysis, const char *text, size_t len, struct words *out)
{
	struct typed typed = {.analysis = analysis, .text = text, .len = len};
	const struct command *command;
	char error[512], name[64];
	size_t size = 0;

	skip(&typed, " \t");
	if (typed.len > 0 && typed.text[0] == '-')
		skip(&typed, "-");
	while (size < typed.len && !isblank((unsigned char)typed.text[size]))
		size++;
	if (size == typed.len) {
		offer_commands(&typed, out);
		return;
	}
	if (size >= sizeof(name))
		return;
	memcpy(name, typed.text, size);
	name[size] = '\0';
	command = command_find(name, error, sizeof(error));
	if (!command)
		return;
	typed.text += size;
	typed.len -= size;
	skip(&typed, " \t");
	if (typed.len > 0 && strchr("'\"", typed.text[0]) && command->kind != ARGUMENT_PAIR) {
		typed.text++;
		typed.len--;
	}
	offer_argument(command, skip_to_argument(command, &typed), &typed, out);
}
