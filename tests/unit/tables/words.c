/* Tests that each word of filters, each index object and each wrapped function has what it
 * needs. */
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define TOKEN_TABLE "analyzer/filter/token.def"
#define INDEX_TABLE "analyzer/data/indexobj.def"
#define COMMENT_TABLE "analyzer/model/comment.def"
#define MACRO_TABLE "template/macro.def"
#define HOOK_TABLE "libcollector/hook/hook.def"

static const struct {
	const char *name, *meaning;
} tokens[] = {
#define TOKEN(name, data, kind, names, value, meaning) {#name, meaning},
#define ALIAS(name, other) {#name, #other},
#include "analyzer/filter/token.def"
};
enum { TOKENS = sizeof(tokens) / sizeof(tokens[0]) };

static const struct {
	const char *name, *heading, *meaning;
} indexes[] = {
#define INDEX(name, group, expression, label, shift, order, token, heading, meaning) \
	{#name, heading, meaning},
#include "analyzer/data/indexobj.def"
};

static const struct {
	const char *word, *meaning;
} comments[] = {
#define COMMENT(id, word, there, meaning) {word, meaning},
#include "analyzer/model/comment.def"
};

static const char *const hooks[] = {
#define HOOK(name) #name,
#define HOOK_OLD(name, of, version) #of,
#include "libcollector/hook/hook.def"
};

static const char *const macros[] = {
#define MACRO(name, kind) #name,
#include "template/macro.def"
};

Test(tokens, every_word_has_a_meaning_a_manual_entry_and_a_test)
{
	const char *earlier[TOKENS];

	for (size_t i = 0; i < TOKENS; i++) {
		row_needs_own_name(TOKEN_TABLE, tokens[i].name, earlier, i);
		earlier[i] = tokens[i].name;
		row_needs(*tokens[i].meaning != '\0', TOKEN_TABLE, tokens[i].name, "a meaning");
		row_needs_page(TOKEN_TABLE, tokens[i].name, tokens[i].name, "xer_print.1");
		row_needs_test(TOKEN_TABLE, tokens[i].name, tokens[i].name);
	}
}

Test(indexes, every_index_object_has_its_texts_a_manual_entry_and_a_test)
{
	for (size_t i = 0; i < sizeof(indexes) / sizeof(indexes[0]); i++) {
		row_needs(*indexes[i].heading && *indexes[i].meaning, INDEX_TABLE, indexes[i].name,
		          "a heading and a meaning");
		row_needs_page(INDEX_TABLE, indexes[i].name, indexes[i].name, "xer_print.1");
		row_needs_test(INDEX_TABLE, indexes[i].name, indexes[i].name);
	}
}

Test(comments, every_class_has_a_meaning_and_a_manual_entry)
{
	for (size_t i = 0; i < sizeof(comments) / sizeof(comments[0]); i++) {
		row_needs(*comments[i].meaning != '\0', COMMENT_TABLE, comments[i].word,
		          "a meaning");
		row_needs_page(COMMENT_TABLE, comments[i].word, comments[i].word, "xer_print.1");
	}
}

Test(macros, every_macro_has_a_test)
{
	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++)
		row_needs_test(MACRO_TABLE, macros[i], macros[i]);
}

/* The other forms of a function, for large files and with checks, share its wrapper. */
static void plain_form(const char *name, char out[64])
{
	static const char *const tails[] = {"_chk", "_unlocked", "_2", "v2", "64"};
	size_t len;

	while (*name == '_')
		name++;
	snprintf(out, 64, "%s", name);
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		len = strlen(out);
		if (len > strlen(tails[i]) && strcmp(out + len - strlen(tails[i]), tails[i]) == 0)
			out[len - strlen(tails[i])] = '\0';
	}
}

Test(hooks, every_wrapped_function_has_a_wrapper_and_a_test)
{
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		char plain[64];

		row_needs(text_has(text_of("libcollector", ".c"), hooks[i]) ||
		                  text_has(text_of("libcollector/events", ".def"), hooks[i]) ||
		                  text_has(text_of("libcollector", ".h"), hooks[i]),
		          HOOK_TABLE, hooks[i], "its wrapper in libcollector/");
		plain_form(hooks[i], plain);
		row_needs_test(HOOK_TABLE, hooks[i], is_tested(hooks[i]) ? hooks[i] : plain);
	}
}
