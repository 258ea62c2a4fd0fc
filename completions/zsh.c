/* zsh.c: completions for zsh, by its function _arguments. */
#include "completions/shells.h"

#include <string.h>

/* Text inside single quotes and of a specification: neither quotes nor colons nor brackets. */
static void put_quoted(const char *text, size_t len, FILE *out)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", text[i]))
			fprintf(out, "\\%c", text[i]);
		else
			fputc(text[i], out);
	}
}

static const char *action_of(enum grammar_place place)
{
	switch (place) {
	case GRAMMAR_EXPERIMENTS:
		return "_xer_experiments";
	case GRAMMAR_FILES:
		return "_files";
	case GRAMMAR_DIRECTORIES:
		return "_directories";
	case GRAMMAR_SIGNALS:
		return "_signals -s";
	default:
		return NULL;
	}
}

/* ":message:action"; of several, words come first. */
static void put_argument(const char *argument, size_t index, FILE *out)
{
	struct grammar_choice choice = {.text = NULL};
	const char *action = NULL;
	int words = 0, is_list = 0;

	fputs(argument[0] == '[' ? "::" : ":", out);
	put_quoted(argument, strlen(argument), out);
	fputc(':', out);
	while (grammar_next(argument, index, &choice)) {
		if (choice.is_word) {
			fprintf(out, words++ == 0 ? "(%.*s" : " %.*s", (int)choice.len,
			        choice.text);
			continue;
		}
		action = action ? action : action_of(choice.place);
		for (size_t i = 0; place_word(choice.place, i); i++) {
			if (words++ == 0)
				fputs(choice.place == GRAMMAR_METRICS
				              ? "_sequence -s \\: compadd - "
				              : "(",
				      out);
			else
				fputc(' ', out);
			is_list |= choice.place == GRAMMAR_METRICS;
			fputs(place_word(choice.place, i), out);
		}
	}
	if (words > 0 && !is_list)
		fputc(')', out);
	else if (words == 0 && action)
		fputs(action, out);
	else if (words == 0)
		fputc(' ', out);
}

static void put_option(const struct option *option, FILE *out)
{
	fprintf(out, "\t'*%s%s%s", option->dashes, option->name,
	        option->joint == '=' && option_takes(option) ? "=-" : "");
	if (option->meaning) {
		fputc('[', out);
		put_quoted(option->meaning, strlen(option->meaning), out);
		fputc(']', out);
	}
	for (size_t i = 0; option_takes(option) && i < grammar_count(option->argument) && i < 2;
	     i++)
		put_argument(option->argument, i, out);
	fputs("' \\\n", out);
}

static const char *const operands[] = {
	[OPERANDS_EXPERIMENTS] = "\t'*:experiment:_xer_experiments'\n",
	[OPERANDS_COMMAND] = "\t'(-)1:program: _command_names -e' \\\n\t'*::arguments: _normal'\n",
	[OPERANDS_FILES] = "\t'*:file:_files'\n",
};

void zsh_put(const struct program *program, FILE *out)
{
	fprintf(out,
	        "#compdef %s\n# Completions of %s for zsh, made from its table of options.\n\n"
	        "_xer_experiments() { _files -g '*.er(-/) *.erg(-.)' }\n\n_arguments%s \\\n",
	        program->name, program->name,
	        program->operands == OPERANDS_COMMAND ? " -S -A '-*'" : "");
	for (size_t i = 0; i < program->count; i++)
		if (option_exists(&program->options[i]))
			put_option(&program->options[i], out);
	fputs(operands[program->operands], out);
}
