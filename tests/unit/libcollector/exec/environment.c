/* environment.c: tests of the environments that executed programs get. */
#include "libcollector/exec/environment.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

static char record[DESCRIPTOR_TEXT_MAX];
static const struct descriptor_step step = {.lineage = "_f1_x1", .pid = 7, .parent = 8};

/* As the constructor leaves it: a descriptor was found, of a library at /x/lib.so. */
static void take(const char *preload)
{
	static struct descriptor descriptor;

	descriptor = (struct descriptor){
		.version = DESCRIPTOR_VERSION, .preload = "/x/lib.so", .follow = "on"};
	cr_assert(descriptor_put(&descriptor, record, sizeof(record)) > 0);
	clearenv();
	setenv("A", "1", 1);
	setenv("LD_PRELOAD", preload, 1);
	setenv(DESCRIPTOR_VARIABLE, record, 1);
	setenv("B", "2", 1);
	cr_assert_eq(environment_take(&col.descriptor), 0);
}

static const char *find(char **list, const char *name)
{
	size_t len = strlen(name);

	for (; *list; list++)
		if (strncmp(*list, name, len) == 0 && (*list)[len] == '=')
			return *list + len + 1;
	return NULL;
}

Test(environment, the_program_sees_neither_variable)
{
	take("/x/lib.so");
	cr_assert_null(getenv("LD_PRELOAD"));
	cr_assert_null(getenv(DESCRIPTOR_VARIABLE));
	cr_assert_str_eq(getenv("A"), "1");
	cr_assert_str_eq(getenv("B"), "2");
	cr_assert_str_eq(col.descriptor.preload, "/x/lib.so");
}

/* The kernel still shows the memory that it has put there. */
Test(environment, nothing_is_left_in_memory_either)
{
	static char own[] = "LD_PRELOAD=/x/lib.so", others[] = "LD_PRELOAD=/x/lib.so:/y/other.so",
		    text[DESCRIPTOR_TEXT_MAX + 20];
	static const char zeros[sizeof(text)], kept[sizeof(others)] = "LD_PRELOAD=/y/other.so";
	char *list[3] = {own, text, NULL};

	take("/x/lib.so");
	snprintf(text, sizeof(text), DESCRIPTOR_VARIABLE "=%s", record);
	environ = list;
	cr_assert_eq(environment_take(&col.descriptor), 0);
	cr_assert_arr_eq(own, zeros, sizeof(own));
	cr_assert_arr_eq(text, zeros, sizeof(text));
	snprintf(text, sizeof(text), DESCRIPTOR_VARIABLE "=%s", record);
	list[0] = others;
	list[1] = text;
	environ = list;
	cr_assert_eq(environment_take(&col.descriptor), 0);
	cr_assert_arr_eq(others, kept, sizeof(others));
}

Test(environment, what_the_user_preloads_stays)
{
	take("/x/lib.so:/y/other.so");
	cr_assert_str_eq(getenv("LD_PRELOAD"), "/y/other.so");
}

Test(environment, without_a_descriptor_there_is_nothing_to_take)
{
	clearenv();
	setenv("LD_PRELOAD", "/x/lib.so", 1);
	cr_assert_eq(environment_take(&col.descriptor), -ENOENT);
	cr_assert_str_eq(getenv("LD_PRELOAD"), "/x/lib.so");
}

static char **give(char *const *envp)
{
	struct environment_room room = environment_room(envp);
	char **list = calloc(room.entries, sizeof(*list));

	environment_give(list, malloc(room.text), envp, &step, 64);
	return list;
}

Test(environment, an_image_gets_both_and_keeps_the_rest)
{
	static struct descriptor got;
	char *envp[] = {"P=1", "LD_PRELOAD=/y/other.so", DESCRIPTOR_VARIABLE "=stale", "Q=", NULL};
	char **list;

	take("/x/lib.so");
	list = give(envp);
	cr_assert_str_eq(find(list, "P"), "1");
	cr_assert_str_eq(find(list, "Q"), "");
	cr_assert_str_eq(find(list, "LD_PRELOAD"), "/x/lib.so:/y/other.so");
	cr_assert_eq(descriptor_get(find(list, DESCRIPTOR_VARIABLE), &got), 0);
	cr_assert_eq(memcmp(&got.step, &step, sizeof(step)), 0);
	cr_assert_str_eq(got.preload, "/x/lib.so");
}

Test(environment, an_image_of_32_bits_gets_the_library_for_it)
{
	char *envp[] = {"LD_PRELOAD=/y/other.so", NULL};
	struct environment_room room;
	char *list[8];

	take("/x/lib.so");
	cr_assert_null(environment_library(32));
	cr_assert(!environment_has_library(32));
	strcpy(col.descriptor.preload32, "/longer/than/that/of/64/bits/lib.so");
	room = environment_room(envp);
	environment_give(list, malloc(room.text), envp, &step, 32);
	cr_assert_str_eq(find(list, "LD_PRELOAD"),
	                 "/longer/than/that/of/64/bits/lib.so:/y/other.so");
}

Test(environment, an_empty_environment_gets_them_too)
{
	char **list;

	take("/x/lib.so");
	list = give(NULL);
	cr_assert_str_eq(find(list, "LD_PRELOAD"), "/x/lib.so");
	cr_assert_not_null(find(list, DESCRIPTOR_VARIABLE));
	cr_assert_null(list[2]);
}

Test(environment, a_loan_leaves_no_trace)
{
	char **before;

	take("/x/lib.so:/y/other.so");
	before = environ;
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(environment_lend(&step, 64), 0);
		cr_assert_str_eq(getenv("LD_PRELOAD"), "/x/lib.so:/y/other.so");
		cr_assert_str_eq(environment_own(getenv("LD_PRELOAD")), "/y/other.so");
		cr_assert_null(environment_own(getenv(DESCRIPTOR_VARIABLE)));
		environment_take_back();
		cr_assert(environ == before);
		cr_assert_str_eq(getenv("LD_PRELOAD"), "/y/other.so");
		cr_assert_null(getenv(DESCRIPTOR_VARIABLE));
	}
}

Test(environment, what_the_program_changes_during_a_loan_is_kept)
{
	take("/x/lib.so");
	cr_assert_eq(environment_lend(&step, 64), 0);
	cr_assert_eq(environment_lend(&step, 64), 0);
	setenv("A", "changed", 1);
	unsetenv("B");
	environment_take_back();
	setenv("C", "new", 1);
	environment_take_back();
	cr_assert_str_eq(getenv("A"), "changed");
	cr_assert_null(getenv("B"));
	cr_assert_str_eq(getenv("C"), "new");
	cr_assert_null(getenv("LD_PRELOAD"));
	cr_assert_null(getenv(DESCRIPTOR_VARIABLE));
}

Test(environment, a_program_may_clear_it_during_a_loan)
{
	take("/x/lib.so");
	cr_assert_eq(environment_lend(&step, 64), 0);
	clearenv();
	environment_take_back();
	cr_assert_null(getenv("A"));
	cr_assert_eq(environment_lend(&step, 64), 0);
	setenv("D", "4", 1);
	environment_take_back();
	cr_assert_str_eq(getenv("D"), "4");
	cr_assert_null(getenv("LD_PRELOAD"));
}

/* Another thread executes a program with the lent environment. */
Test(environment, what_is_lent_is_not_given_twice)
{
	char *list[64];
	struct environment_room room;

	take("/x/lib.so:/y/other.so");
	cr_assert_eq(environment_lend(&step, 64), 0);
	room = environment_room(environ);
	environment_give(list, malloc(room.text), environ, &step, 64);
	environ = list;
	cr_assert_str_eq(getenv("LD_PRELOAD"), "/x/lib.so:/y/other.so");
}

Test(environment, an_empty_preload_stays)
{
	char *envp[] = {"LD_PRELOAD=", NULL};
	struct descriptor out;
	char *list[64];
	struct environment_room room;

	take("/x/lib.so");
	room = environment_room(envp);
	environment_give(list, malloc(room.text), envp, &step, 64);
	environ = list;
	cr_assert_eq(environment_take(&out), 0);
	cr_assert_str_eq(getenv("LD_PRELOAD"), "");
}

/* As if another thread had forked in the middle of it. */
Test(environment, a_loan_that_was_not_finished_is_forgotten)
{
	take("/x/lib.so:/y/other.so");
	cr_assert_eq(environment_lend(&step, 64), 0);
	environment_forget();
	cr_assert_str_eq(getenv("LD_PRELOAD"), "/y/other.so");
	cr_assert_null(getenv(DESCRIPTOR_VARIABLE));
}

Test(environment, who_looks_at_libraries_and_memory_is_not_to_see_ours)
{
	char *listing[] = {"A=1", "LD_TRACE_LOADED_OBJECTS=1", NULL},
	     *valgrind[] = {"VALGRIND_LAUNCHER=/usr/bin/valgrind", NULL};

	take("/x/lib.so");
	cr_assert(environment_refuses(listing));
	cr_assert(environment_refuses(valgrind));
	cr_assert(!environment_refuses(NULL));
}

Test(environment, anothers_recording_is_known)
{
	char *envp[] = {DESCRIPTOR_VARIABLE "=x", NULL};

	take("/x/lib.so");
	cr_assert(environment_refuses(envp));
	cr_assert(!environment_refuses(environ));
	cr_assert_eq(environment_lend(&step, 64), 0);
	cr_assert(!environment_refuses(environ));
	environment_take_back();
}

/* A program may give exec any pointer, and then the kernel's answer is to be EFAULT, not a signal.
 */
Test(environment, what_cannot_be_read_is_known)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                   0);
	char *end = pages + 2 * page, **last = (char **)(void *)end;
	char *list[] = {"A=1", NULL, NULL};
	uintptr_t odd[] = {(uintptr_t)list[0], 0};

	cr_assert(pages != MAP_FAILED && mprotect(end, page, PROT_NONE) == 0);
	cr_expect_eq(environment_is_readable(NULL), 1);
	cr_expect_eq(environment_is_readable(environ), 1);
	cr_expect_eq(environment_is_readable(list), 1);
	cr_expect_eq(environment_is_readable((char **)(void *)end), 0);
	cr_expect_eq(environment_is_readable((char **)(uintptr_t)16), 0);
	/* A list that ends with the last page, and one that goes on. */
	last[-2] = list[0];
	last[-1] = NULL;
	cr_expect_eq(environment_is_readable(last - 2), 1);
	last[-1] = list[0];
	cr_expect_eq(environment_is_readable(last - 2), 0);
	/* The end of one lies on both pages. */
	memcpy(end - sizeof(char *) - 4, odd, sizeof(odd) - 4);
	cr_expect_eq(environment_is_readable((char **)(void *)(end - sizeof(char *) - 4)), 0);
	/* Texts: on two pages; up to the last byte; and behind it. */
	list[1] = pages + page - 3;
	memset(pages, 'x', 2 * page);
	end[-1] = '\0';
	cr_expect_eq(environment_is_readable(list), 1);
	list[1] = end - 1;
	cr_expect_eq(environment_is_readable(list), 1);
	end[-1] = 'x';
	cr_expect_eq(environment_is_readable(list), 0);
	list[1] = pages + page - 3;
	cr_expect_eq(environment_is_readable(list), 0);
	list[1] = end;
	cr_expect_eq(environment_is_readable(list), 0);
	list[0] = end;
	cr_expect_eq(environment_is_readable(list), 0);
	munmap(pages, 3 * page);
}

Test(environment, a_library_must_be_there)
{
	take("/x/lib.so");
	cr_expect_eq(environment_has_library(64), 0, "there is no such file");
	cr_expect_eq(environment_has_library(32), 0, "there is none for 32 bits");
	strcpy(col.descriptor.preload, "/proc/self/exe");
	cr_expect_eq(environment_has_library(64), 1);
	cr_expect_eq(environment_has_library(32), 0);
	strcpy(col.descriptor.preload32, "/proc/self/exe");
	cr_expect_eq(environment_has_library(32), 1);
	col.descriptor.preload[0] = '\0';
	cr_expect_eq(environment_has_library(64), 0);
}
