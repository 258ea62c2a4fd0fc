/* Tests that each row of the tables of other libraries' functions is right: they exist, are
 * wrapped, and are in the manual. */
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <glob.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYNC_TABLE "libcollector/events/sync.def"
#define GOMP_TABLE "libcollector/omp/gomp.def"
#define MPI_TABLE "libcollector/mpi/mpi.def"
#define OPERATOR_TABLE "libcollector/hook/operators.def"
#define JVMTI_TABLE "libcollector/java/jvmti.def"

static const char *const hooks[] = {
#define HOOK(name) #name,
#define HOOK_OLD(name, of, version) #name,
#include "libcollector/hook/hook.def"
};

static const char *const waits[] = {
#define WAIT(name, func, state, result, parameters, arguments, object, second, blocks) #name,
#define WAIT_CANCELLABLE(name, func, state, result, parameters, arguments, object, second, blocks) \
#name,
#define LOCK(name, func, is_free, blocks, type) #name,
#define INIT(name, func, parameters, arguments, object) #name,
#include "libcollector/events/sync.def"
#undef WAIT
#undef WAIT_CANCELLABLE
#undef LOCK
#undef INIT
};

static const char *const entries[] = {
#define REGION(result, name, parameters, ...) #name,
#define WAIT(result, name, event, parameters, arguments, object) #name,
#define LOOP(name, parameters, arguments) #name,
#define SHARE(result, name, event, parameters, arguments, counts) #name,
#include "libcollector/omp/gomp.def"
#undef WAIT
};

static const char *const calls[] = {
#define CALL(name, ...) "MPI_" #name,
#define COUNTED CALL
#include "libcollector/mpi/mpi.def"
};

static const struct {
	const char *name;
	int is_new;
} operators[] = {
#define NEW(name, parameters, arguments, alignment) {#name, 1},
#define DELETE(name, parameters, arguments) {#name, 0},
#include "libcollector/hook/operators.def"
};

static const struct {
	unsigned number;
	const char *name;
} functions[] = {
#define FUNCTION(number, name, parameters, arguments) {number, #name},
#include "libcollector/java/jvmti.def"
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static int is_hook(const char *name)
{
	for (size_t i = 0; i < COUNT(hooks); i++)
		if (strcmp(hooks[i], name) == 0)
			return 1;
	return 0;
}

Test(waits, each_is_wrapped_named_in_the_manual_and_tested)
{
	char plain[64];

	for (size_t i = 0; i < COUNT(waits); i++) {
		row_needs_own_name(SYNC_TABLE, waits[i], waits, i);
		row_needs(is_hook(waits[i]), SYNC_TABLE, waits[i], "its row in hook.def");
		/* The program calls an earlier version by the plain name. */
		snprintf(plain, sizeof(plain), "%s", waits[i]);
		if (strlen(plain) > 4 && strcmp(plain + strlen(plain) - 4, "_old") == 0)
			plain[strlen(plain) - 4] = '\0';
		row_needs_page(SYNC_TABLE, waits[i], plain, "experiment.5");
		row_needs_test(SYNC_TABLE, waits[i], plain);
	}
}

Test(entries, each_is_a_function_of_libgomp)
{
	void *library = dlopen("libgomp.so.1", RTLD_NOW);

	if (!library)
		cr_skip_test("libgomp is not installed");
	for (size_t i = 0; i < COUNT(entries); i++) {
		row_needs_own_name(GOMP_TABLE, entries[i], entries, i);
		row_needs(dlsym(library, entries[i]) != NULL, GOMP_TABLE, entries[i],
		          "a function of this name in libgomp.so.1");
	}
}

Test(calls, each_is_named_in_a_test)
{
	for (size_t i = 0; i < COUNT(calls); i++) {
		row_needs_own_name(MPI_TABLE, calls[i], calls, i);
		row_needs_test(MPI_TABLE, calls[i], calls[i]);
	}
}

Test(operators, each_is_the_linker_name_of_what_it_is_said_to_be)
{
	const char *earlier[COUNT(operators)];

	for (size_t i = 0; i < COUNT(operators); i++) {
		char *meaning = cplus_demangle(operators[i].name, DMGL_PARAMS);
		const char *wanted = operators[i].is_new ? "operator new" : "operator delete";

		row_needs_own_name(OPERATOR_TABLE, operators[i].name, earlier, i);
		earlier[i] = operators[i].name;
		row_needs(meaning && strncmp(meaning, wanted, strlen(wanted)) == 0, OPERATOR_TABLE,
		          operators[i].name, wanted);
		free(meaning);
	}
}

/* How jvmti.h of a JDK describes a function: " 64 : Get Method Name (and Signature)". */
static int says_jvmti(const char *header, unsigned number, const char *name)
{
	char line[128];
	int len = snprintf(line, sizeof(line), " %u : ", number);
	int begins = 1;

	for (; *name; name++) {
		line[len++] = *name == '_' ? ' ' : begins ? (char)(*name - 'a' + 'A') : *name;
		begins = *name == '_';
	}
	snprintf(line + len, sizeof(line) - (size_t)len, " ");
	return strstr(header, line) != NULL;
}

Test(functions, each_has_the_number_that_the_header_of_a_jdk_gives_it)
{
	glob_t found;

	if (glob("/usr/lib/jvm/*/include/jvmti.h", 0, NULL, &found) != 0)
		cr_skip_test("no JDK is installed");
	for (size_t i = 0; i < COUNT(functions); i++)
		row_needs(says_jvmti(text_of(found.gl_pathv[0], ".h"), functions[i].number,
		                     functions[i].name),
		          JVMTI_TABLE, functions[i].name, "its own number in jvmti.h");
	globfree(&found);
}
