/* executed.h: a recorded process whose programs are shells, which write down what they got: their
 * environment to the file `out`, the descriptor to `step`. */
#ifndef XER_TESTS_UNIT_LIBCOLLECTOR_PROCESS_EXECUTED_H
#define XER_TESTS_UNIT_LIBCOLLECTOR_PROCESS_EXECUTED_H

#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/exec/environment.h"

#include "format/descriptor.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRITE_STEP "printf %s \"$" DESCRIPTOR_VARIABLE "\" >\"$D/step\""

static char library[PATH_MAX], folder[PATH_MAX + 2];
/* An environment that is given to a program, instead of the process' own. */
static char *given[] = {"OWN=mine", folder, NULL};

/* Any library that can be preloaded stands for the recorder's. */
static void set_up_executed(const char *path)
{
	void *handle = dlopen("libm.so.6", RTLD_NOW);
	struct link_map *map;

	scratch_open();
	cr_assert(handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0);
	cr_assert_not_null(realpath(map->l_name, library));
	snprintf(folder, sizeof(folder), "D=%s", col.descriptor.directory);
	col.is_recorded = col.is_followed = 1;
	col.descriptor.version = DESCRIPTOR_VERSION;
	strcpy(col.descriptor.follow, "on");
	strcpy(col.descriptor.preload, library);
	environment_set(&col.descriptor);
	clearenv();
	setenv("PATH", path, 1);
	setenv("OWN", "environ", 1);
	setenv("D", col.descriptor.directory, 1);
}

/* The program has written this to a file. */
static void wrote(const char *name, const char *expected)
{
	size_t len;
	char *text = scratch_read(name, &len);

	cr_assert_not_null(text);
	cr_expect_str_eq(text, expected);
	free(text);
}

/* The descriptor that the program got; its step is that of `lineage`. */
static void steps_to(const char *lineage, pid_t pid, pid_t parent)
{
	static struct descriptor descriptor;
	size_t len;
	char *text = scratch_read("step", &len);

	cr_assert_not_null(text);
	cr_assert_eq(descriptor_get(text, &descriptor), 0, "%s", text);
	cr_expect_str_eq(descriptor.step.lineage, lineage);
	cr_expect_eq(descriptor.step.pid, (uint64_t)pid);
	cr_expect_eq(descriptor.step.parent, (uint64_t)parent);
	cr_expect_eq(descriptor.step.leads, 0);
	cr_expect_str_eq(descriptor.preload, library);
	cr_expect_str_eq(descriptor.directory, col.descriptor.directory);
	free(text);
}

static int logged(const char *kind)
{
	char text[64];

	snprintf(text, sizeof(text), "<event kind=\"%s\"", kind);
	return scratch_count("log.xml", text);
}

#endif
