/* Changed bindings, with a small recorder that is loaded late (tests/programs/late). */
#include "libcollector/hook/got.h"

#include "tests/programs/late/late.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *recorder;
static const struct late *late;

static void setup(void)
{
	recorder = scratch_load("recorder.so", RTLD_NOW | RTLD_LOCAL);
	late = dlsym(recorder, "late");
	cr_assert_not_null(late);
}

TestSuite(got, .init = setup);

typedef char *text_function(const char *text);

/* What a function of a library returns for a text; "" means nothing. */
static const char *say(void *library, const char *function, const char *text)
{
	text_function *call = (text_function *)(uintptr_t)dlsym(library, function);
	const char *said;

	cr_assert(call != NULL, "%s", function);
	said = call(text);
	return said ? said : "";
}

static int number(void *library, const char *function)
{
	return ((int (*)(void))(uintptr_t)dlsym(library, function))();
}

Test(got, nobody_calls_a_library_that_is_loaded_late)
{
	cr_assert_eq(late->is_preloaded(), 0);
	cr_assert_null(getenv("LATE"));
	cr_assert_eq(late->exports("getenv"), 0, "it has not looked at itself yet");
	cr_assert_eq(late->restore(), 0, "nothing is changed");
}

Test(got, the_program_calls_the_wrappers_until_it_gets_the_functions_back)
{
	unsigned words = late->patch();

	cr_assert_gt(words, 0);
	cr_assert_str_eq(getenv("LATE"), "wrapped");
	cr_assert_str_eq(getenv("PATH"),
	                 ((text_function *)(uintptr_t)dlsym(RTLD_DEFAULT, "getenv"))("PATH"));
	cr_assert_eq(late->patch(), 0, "they do already");
	cr_assert_eq(late->restore(), words);
	cr_assert_null(getenv("LATE"));
	cr_assert_eq(late->restore(), 0);
	cr_assert_eq(late->patch(), words);
	late->restore();
}

/* As if the library were preloaded. */
Test(got, the_c_library_calls_the_wrappers_too)
{
	char copier[PATH_MAX], library[PATH_MAX];
	int status;
	pid_t child;

	scratch_path("copier", copier);
	scratch_path("recorder.so", library);
	child = fork();
	if (child == 0) {
		execl(copier, copier, library, NULL);
		_exit(9);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
}

Test(got, a_library_calls_the_wrappers_before_it_has_bound_a_word)
{
	void *library = scratch_load("callers.so", RTLD_LAZY | RTLD_LOCAL);
	unsigned words = late->patch();

	cr_assert_str_eq(say(library, "call_getenv", "LATE"), "wrapped");
	cr_assert_str_eq(say(library, "call_kept", "LATE"), "wrapped");
	cr_assert_str_eq(say(library, "call_realpath", "LATE"), "wrapped");
	cr_assert_str_eq(say(library, "call_realpath_old", "LATE"), "");
	cr_assert_str_eq(say(library, "call_realpath_old", "/"), "/");
	cr_assert_str_eq(say(library, "call_table", NULL), "the recorder's table");
	/* Except for the table, which did not exist before and is kept. */
	cr_assert_eq(late->restore(), words - 1);
	cr_assert_str_eq(say(library, "call_getenv", "LATE"), "");
	cr_assert_str_eq(say(library, "call_kept", "LATE"), "");
	cr_assert_str_eq(say(library, "call_realpath", "LATE"), "");
	cr_assert_str_eq(say(library, "call_realpath_old", "/"), "/");
	cr_assert_str_eq(say(library, "call_table", NULL), "the recorder's table");
}

/* As functions of the program, whose names lead to nothing else. */
Test(got, a_function_that_a_library_has_of_its_own_stays_its_own)
{
	void *lazy = scratch_load("callers.so", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND),
	     *bound = scratch_load("sealed.so", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

	late->patch();
	cr_assert_eq(number(lazy, "call_setenv"), 5);
	cr_assert_eq(number(bound, "call_setenv"), 5);
	late->restore();
	cr_assert_eq(number(lazy, "call_setenv"), 5);
	cr_assert_eq(number(bound, "call_setenv"), 5);
}

/* The permissions of the library's mappings, one a line. */
static void read_rights(const char *name, char rights[1024])
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[PATH_MAX + 100], right[8];

	rights[0] = '\0';
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, name) && sscanf(line, "%*s %7s", right) == 1 &&
		    strlen(rights) < 1000)
			strcat(strcat(rights, right), " ");
	fclose(maps);
}

Test(got, pages_that_are_read_only_since_words_were_bound_are_so_again)
{
	void *library = scratch_load("sealed.so", RTLD_NOW | RTLD_LOCAL);
	char before[1024], after[1024];

	read_rights("sealed.so", before);
	cr_assert_not_null(strstr(before, "r-xp"));
	cr_assert_null(dlsym(RTLD_DEFAULT, "call_getenv"));
	late->patch();
	cr_assert_str_eq(say(library, "call_getenv", "LATE"), "wrapped");
	read_rights("sealed.so", after);
	cr_assert_str_eq(after, before);
	late->restore();
	cr_assert_str_eq(say(library, "call_getenv", "LATE"), "");
	read_rights("sealed.so", after);
	cr_assert_str_eq(after, before);
}

/* Its dlsym must be the C library's: this program has one from the recorder, too. */
Test(got, a_library_that_comes_later_is_seen_when_a_symbol_is_looked_for)
{
	typedef void *finder(void *handle, const char *name);
	void *first = scratch_load("callers.so", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND), *library;
	finder *find = (finder *)(uintptr_t)dlsym(first, "call_dlsym");
	text_function *call, *of_dlsym;

	of_dlsym = (text_function *)(uintptr_t)find(first, "call_getenv");
	late->patch();
	library = scratch_load("sealed.so", RTLD_NOW | RTLD_LOCAL);
	call = (text_function *)(uintptr_t)find(library, "call_getenv");
	cr_assert(call && call != of_dlsym);
	cr_assert_str_eq(call("LATE"), "wrapped");
	late->restore();
	cr_assert_null(call("LATE"));
	cr_assert_eq((text_function *)(uintptr_t)find(first, "call_getenv"), of_dlsym);
	cr_assert_null(call("LATE"), "nothing is looked for any more");
}

Test(got, tells_which_functions_are_its_own)
{
	late->patch();
	late->restore();
	cr_assert_eq(late->exports("getenv"), 1);
	cr_assert_eq(late->exports("realpath"), 1);
	cr_assert_eq(late->exports("late_only"), 1);
	cr_assert_eq(late->exports("late_table"), 0, "no function");
	cr_assert_eq(late->exports("late_realpath"), 0, "not under this name");
	cr_assert_eq(late->exports("strdup"), 0);
	cr_assert_eq(late->exports("dlsym"), 0, "needed, not exported");
}

static int is_asked;
static const void *asked_from;

static int only_is_alone(const char *name, const void *object)
{
	if (strcmp(name, "late_only") != 0)
		return 0;
	is_asked++;
	asked_from = object;
	return 1;
}

static int nothing_is_alone(const char *name, const void *object)
{
	(void)name;
	(void)object;
	return 0;
}

Test(got, weak_references_to_what_nobody_else_has_are_cleared)
{
	void *library;
	Dl_info info;

	scratch_load("recorder.so", RTLD_NOW | RTLD_GLOBAL);
	library = scratch_load("sealed.so", RTLD_NOW | RTLD_LOCAL);
	cr_assert_eq(number(library, "call_only"), 77, "bound to the recorder");
	cr_assert_eq(late->clear_weak(nothing_is_alone), 0);
	cr_assert_eq(number(library, "call_only"), 77);
	cr_assert_eq(late->clear_weak(only_is_alone), 1);
	cr_assert_eq(is_asked, 1);
	cr_assert_neq(dladdr(dlsym(library, "call_only"), &info), 0);
	cr_assert_eq(asked_from, info.dli_fbase);
	cr_assert_eq(number(library, "call_only"), -1);
	cr_assert_eq(late->clear_weak(only_is_alone), 0);
}
