/* fish.c: completions for fish. */
#include "completions/shells.h"

#include <string.h>

static void put_quoted(const char *text, size_t len, FILE *out)
{
	fputc('\'', out);
	for (size_t i = 0; i < len; i++) {
		if (strchr("'\\", text[i]))
			fputc('\\', out);
		fputc(text[i], out);
	}
	fputc('\'', out);
}

/* -x: nothing but these; -r: files too. */
static void put_argument(const char *argument, char joint, FILE *out)
{
	struct grammar_choice choice = {.text = NULL};
	int is_file = 0;

	fputs(" -a '", out);
	while (grammar_next(argument, 0, &choice)) {
		if (choice.is_word)
			fprintf(out, "%.*s ", (int)choice.len, choice.text);
		for (size_t i = 0; !choice.is_word && place_word(choice.place, i); i++)
			fprintf(out, "%s ", place_word(choice.place, i));
		is_file |= !choice.is_word &&
		           (choice.place == GRAMMAR_FILES || choice.place == GRAMMAR_EXPERIMENTS ||
		            choice.place == GRAMMAR_DIRECTORIES);
		if (!choice.is_word && choice.place == GRAMMAR_SIGNALS)
			fputs("(__fish_make_completion_signals; string replace -r \"\\\\d+ \" \"\" -- $__kill_signals) ",
			      out);
	}
	fprintf(out, "'%s",
	        is_file                              ? " -r -F"
	        : argument[0] == '[' && joint == '=' ? " -f"
	                                             : " -x");
}

/* -s: one letter; -l: --word; -o: -word. */
static void put_option(const struct program *program, const struct option *option, FILE *out)
{
	const char *name = option->name + strspn(option->name, "-");
	size_t dashes = strlen(option->dashes) + (size_t)(name - option->name);

	fprintf(out, "complete -c %s%s -%c %s", program->name,
	        program->operands == OPERANDS_COMMAND ? " -n 'not __xer_has_program'" : "",
	        dashes == 2       ? 'l'
	        : name[1] == '\0' ? 's'
	                          : 'o',
	        name);
	if (option->meaning) {
		fputs(" -d ", out);
		put_quoted(option->meaning, strlen(option->meaning), out);
	}
	if (option_takes(option))
		put_argument(option->argument, option->joint, out);
	fputc('\n', out);
}

/* Options whose argument is a word of its own, for the search of the program. */
static void put_takers(const struct program *program, FILE *out)
{
	fputs("\n# Is there a program behind the options?\nfunction __xer_has_program\n\tset -l skip 0\n"
	      "\tfor word in (commandline -opc)[2..-1]\n\t\tif test $skip = 1\n\t\t\tset skip 0\n\t\t\tcontinue\n\t\tend\n"
	      "\t\tswitch $word\n\t\t\tcase",
	      out);
	for (size_t i = 0; i < program->count; i++) {
		const struct option *option = &program->options[i];

		if (option_exists(option) && option_takes(option) && option->joint == ' ')
			fprintf(out, " %s%s", option->dashes, option->name);
	}
	fputs("\n\t\t\t\tset skip 1\n\t\t\tcase '-*'\n\t\t\tcase '*'\n\t\t\t\treturn 0\n\t\tend\n\tend\n\treturn 1\nend\n\n",
	      out);
}

void fish_put(const struct program *program, FILE *out)
{
	fprintf(out, "# Completions of %s for fish, made from its table of options.\n",
	        program->name);
	if (program->operands == OPERANDS_COMMAND)
		put_takers(program, out);
	for (size_t i = 0; i < program->count; i++)
		if (option_exists(&program->options[i]))
			put_option(program, &program->options[i], out);
	if (program->operands == OPERANDS_COMMAND)
		fprintf(out,
		        "complete -c %s -n 'not __xer_has_program' -x -a '(__fish_complete_command)'\n"
		        "complete -c %s -n __xer_has_program -x -a '(__fish_complete_subcommand)'\n",
		        program->name, program->name);
	else if (program->operands == OPERANDS_EXPERIMENTS)
		fprintf(out,
		        "complete -c %s -x -a '(__fish_complete_suffix .er; __fish_complete_suffix .erg)'\n",
		        program->name);
}
