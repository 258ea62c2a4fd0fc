/* bash.c: completions for bash. A function looks up what an option's argument may be: words, or
 * @KIND for what the shell knows. */
#include "completions/shells.h"

static const char *kind_of(enum grammar_place place)
{
	switch (place) {
	case GRAMMAR_EXPERIMENTS:
		return "@experiments";
	case GRAMMAR_FILES:
		return "@files";
	case GRAMMAR_DIRECTORIES:
		return "@directories";
	case GRAMMAR_SIGNALS:
		return "@signals";
	default:
		return NULL;
	}
}

static void put_choices(const char *argument, size_t index, FILE *out)
{
	struct grammar_choice choice = {.text = NULL};

	while (grammar_next(argument, index, &choice)) {
		if (choice.is_word)
			fprintf(out, " %.*s", (int)choice.len, choice.text);
		else if (kind_of(choice.place))
			fprintf(out, " %s", kind_of(choice.place));
		for (size_t i = 0; !choice.is_word && place_word(choice.place, i); i++)
			fprintf(out, " %s", place_word(choice.place, i));
	}
}

/* A branch for each option with an argument, and for its second one. */
static void put_branches(const struct program *program, FILE *out)
{
	for (size_t i = 0; i < program->count; i++) {
		const struct option *option = &program->options[i];

		if (!option_exists(option) || !option_takes(option))
			continue;
		for (size_t j = 0; j < grammar_count(option->argument) && j < 2; j++) {
			fprintf(out, "\t%s%s%s) words='", option->dashes, option->name,
			        j == 0 ? "" : ":2");
			put_choices(option->argument, j, out);
			fprintf(out, "'; optional=%s ;;\n",
			        option->argument[0] == '[' ? "yes" : "");
		}
	}
}

/* An option whose argument is optional is offered with its = and without. */
static void put_options(const struct program *program, FILE *out)
{
	for (size_t i = 0; i < program->count; i++) {
		const struct option *option = &program->options[i];
		int joins = option->joint == '=' && option_takes(option);

		if (!option_exists(option))
			continue;
		if (!joins || option->argument[0] == '[')
			fprintf(out, " %s%s", option->dashes, option->name);
		if (joins)
			fprintf(out, " %s%s=", option->dashes, option->name);
	}
}

static const char helpers[] =
	"# Offer those of $words that go on from $1.\n"
	"_xer_offer()\n"
	"{\n"
	"	local current=$1 word\n"
	"	for word in $words; do\n"
	"		case $word in\n"
	"		@files) COMPREPLY+=($(compgen -f -- \"$current\")); compopt -o filenames ;;\n"
	"		@directories) COMPREPLY+=($(compgen -d -- \"$current\")); compopt -o filenames ;;\n"
	"		@experiments) COMPREPLY+=($(compgen -d -- \"$current\") $(compgen -f -X '!*.erg' -- \"$current\")); compopt -o filenames ;;\n"
	"		@signals) COMPREPLY+=($(compgen -A signal -P '' -- \"SIG${current#SIG}\")) ;;\n"
	"		*) [[ $word != \"$current\"* ]] || COMPREPLY+=(\"$word\") ;;\n"
	"		esac\n"
	"	done\n"
	"}\n\n";

static const char body[] =
	"	local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words optional= i=1 word\n"
	"	COMPREPLY=()\n"
	"	# The shell takes = and : for words of their own.\n"
	"	if [ \"$current\" = = ]; then current=; before==; fi\n"
	"	if [ \"$before\" = = ] && ((COMP_CWORD > 1)); then\n"
	"		word=${COMP_WORDS[COMP_CWORD-2]}\n"
	"		[ \"${COMP_WORDS[COMP_CWORD]}\" != = ] || word=${COMP_WORDS[COMP_CWORD-1]}\n"
	"		$look_up \"$word\"\n"
	"		_xer_offer \"$current\"\n"
	"		return\n"
	"	fi\n"
	"	[ \"$current\" != : ] || current=\n"
	"	while ((COMP_CWORD > 1)) && [[ $before == : || ${COMP_WORDS[COMP_CWORD-2]} == : && $before != -* ]]; do\n"
	"		i=$((COMP_CWORD - 1))\n"
	"		while ((i > 0)) && [[ ${COMP_WORDS[i]} != -* ]]; do i=$((i - 1)); done\n"
	"		$look_up \"${COMP_WORDS[i]}\"\n"
	"		_xer_offer \"$current\"\n"
	"		return\n"
	"	done\n";

/* What completes a word that is no option. */
static const char *const operands[] = {
	[OPERANDS_EXPERIMENTS] = "\t\twords=@experiments\n\t\t_xer_offer \"$current\"\n",
	[OPERANDS_COMMAND] =
		"\t\tCOMPREPLY+=($(compgen -c -- \"$current\"))\n\t\tcompopt -o default\n",
	[OPERANDS_FILES] = "\t\twords=@files\n\t\t_xer_offer \"$current\"\n",
};

void bash_put(const struct program *program, FILE *out)
{
	fprintf(out, "# Completions of %s for bash, made from its table of options.\n\n",
	        program->name);
	fputs(helpers, out);
	fprintf(out,
	        "# Set $words to what the argument of the option $1 may be.\n_%s_argument()\n{\n"
	        "\twords= optional=\n\tcase $1 in\n",
	        program->name);
	put_branches(program, out);
	fprintf(out, "\tesac\n}\n\n_%s()\n{\n\tlocal look_up=_%s_argument\n", program->name,
	        program->name);
	fputs(body, out);
	if (program->operands == OPERANDS_COMMAND)
		fputs("	# Behind the first word that is neither an option nor an argument, everything is the program's.\n"
		      "	while ((i < COMP_CWORD)); do\n"
		      "		word=${COMP_WORDS[i]}\n"
		      "		if [[ $word != -* ]]; then compopt -o default; return; fi\n"
		      "		$look_up \"$word\"\n"
		      "		[[ $word == --* || -z $words || ${COMP_WORDS[i+1]} == = ]] || i=$((i + 1))\n"
		      "		[[ ${COMP_WORDS[i+1]} != = ]] || i=$((i + 2))\n"
		      "		i=$((i + 1))\n"
		      "	done\n",
		      out);
	fputs("	$look_up \"$before\"\n"
	      "	if [ -z \"$words\" ] && ((COMP_CWORD > 1)); then $look_up \"${COMP_WORDS[COMP_CWORD-2]}:2\"; fi\n"
	      "	if [ -n \"$words\" ] && [[ $before != --* ]]; then\n"
	      "		_xer_offer \"$current\"\n"
	      "		[ -n \"$optional\" ] || return\n"
	      "	fi\n"
	      "	if [[ $current == -* ]]; then\n"
	      "		words='",
	      out);
	put_options(program, out);
	fprintf(out,
	        "'\n\t\t_xer_offer \"$current\"\n"
	        "\t\t[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace\n\telse\n%s\tfi\n}\n\ncomplete -F _%s %s\n",
	        operands[program->operands], program->name, program->name);
}
