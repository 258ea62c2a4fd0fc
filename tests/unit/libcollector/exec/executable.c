/* executable.c: tests of the report on files that are about to be executed. */
#include "libcollector/exec/executable.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/xer-image-XXXXXX";
static char path[100];

static const char *put(const char *name, const void *bytes, size_t size)
{
	FILE *file;

	if (path[0] == '\0') /* the first file; a generated name may end in X, too */
		cr_assert_not_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	cr_assert_not_null(file);
	cr_assert_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
	chmod(path, 0755);
	return path;
}

static void remove_all(void)
{
	char command[200];

	snprintf(command, sizeof(command), "/bin/rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
}

static const char *put_elf32(const char *name, unsigned machine, unsigned segment)
{
	struct {
		Elf32_Ehdr header;
		Elf32_Phdr segment;
	} file = {
		.header = {.e_machine = (uint16_t)machine,
	                   .e_phoff = sizeof(Elf32_Ehdr),
	                   .e_phnum = 1,
	                   .e_phentsize = sizeof(Elf32_Phdr)},
		.segment = {.p_type = segment},
	};

	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = ELFCLASS32;
	return put(name, &file, sizeof(file));
}

static const char *put_elf(const char *name, unsigned char class, unsigned machine,
                           unsigned segment)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
	} file = {
		.header = {.e_machine = (uint16_t)machine,
	                   .e_phoff = sizeof(Elf64_Ehdr),
	                   .e_phnum = 1,
	                   .e_phentsize = sizeof(Elf64_Phdr)},
		.segment = {.p_type = segment},
	};

	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = class;
	return put(name, &file, sizeof(file));
}

static int bits; /* of the last file that was checked */

static const char *reason(const char *name)
{
	const struct executable_obstacle *obstacle = executable_obstacle(AT_FDCWD, name, &bits);

	return obstacle ? obstacle->reason : "none";
}

Test(image, dynamic_programs_can_be_recorded, .fini = remove_all)
{
	cr_assert_str_eq(reason(put_elf("a", ELFCLASS64, EM_X86_64, PT_INTERP)), "none");
	cr_assert_eq(bits, 64);
	cr_assert_str_eq(reason("/bin/sh"), "none");
}

Test(image, static_programs_cannot_but_pass_our_variables_on, .fini = remove_all)
{
	const struct executable_obstacle *obstacle = executable_obstacle(
		AT_FDCWD, put_elf("a", ELFCLASS64, EM_X86_64, PT_LOAD), &bits);

	cr_assert_not_null(obstacle);
	cr_assert(strstr(obstacle->reason, "static") && obstacle->passes);
}

Test(image, the_loader_itself_is_no_static_program, .fini = remove_all)
{
	cr_assert_str_eq(reason(put_elf("ld-linux-x86-64.so.2", ELFCLASS64, EM_X86_64, PT_LOAD)),
	                 "none");
}

Test(image, other_architectures_get_nothing, .fini = remove_all)
{
	strcpy(col.descriptor.preload32, "/x/32/lib.so");
	cr_assert(strstr(reason(put_elf32("a", EM_X86_64, PT_INTERP)),
	                 "architecture")); /* the x32 ABI */
	cr_assert(strstr(reason(put_elf("b", ELFCLASS64, EM_AARCH64, PT_INTERP)), "architecture"));
	cr_assert(!executable_obstacle(AT_FDCWD, path, &bits)->passes);
}

Test(image, programs_of_32_bits_need_a_library_of_theirs, .fini = remove_all)
{
	cr_assert(strstr(reason(put_elf32("a", EM_386, PT_INTERP)), "32-bit"));
	cr_assert(!executable_obstacle(AT_FDCWD, path, &bits)->passes);
	strcpy(col.descriptor.preload32, "/x/32/lib.so");
	cr_assert_str_eq(reason(path), "none");
	cr_assert_eq(bits, 32);
	cr_assert(strstr(reason(put_elf32("b", EM_386, PT_LOAD)), "static"));
	cr_assert_eq(bits, 32);
	cr_assert_str_eq(reason(put("script", "#!/bin/sh\n", 10)), "none");
	cr_assert_eq(bits, 64);
}

Test(image, a_cut_header_of_32_bits_is_let_through, .fini = remove_all)
{
	char bytes[sizeof(Elf32_Ehdr) - 1] = ELFMAG "\1";

	cr_assert_str_eq(reason(put("cut", bytes, sizeof(bytes))), "none");
}

Test(image, scripts_are_what_their_interpreters_are, .fini = remove_all)
{
	char line[200];

	snprintf(line, sizeof(line), "#! %s -x\n", put_elf("a", ELFCLASS64, EM_X86_64, PT_LOAD));
	cr_assert(strstr(reason(put("script", line, strlen(line))), "static"));
	cr_assert_str_eq(reason(put("shell", "#!/bin/sh\n", 10)), "none");
	cr_assert_str_eq(reason(put("empty", "#!", 2)), "none");
}

Test(image, a_script_that_runs_itself_ends, .fini = remove_all)
{
	char line[200];

	put("loop", "", 0);
	snprintf(line, sizeof(line), "#!%s\n", path);
	cr_assert_str_eq(reason(put("loop", line, strlen(line))), "none");
}

Test(image, cut_and_missing_files_are_let_through, .fini = remove_all)
{
	cr_assert_str_eq(reason(put("cut", "\177ELF\2\1", 6)), "none");
	cr_assert_str_eq(reason("/no/such/file"), "none");
}

Test(image, the_search_takes_the_first_that_can_be_executed, .fini = remove_all)
{
	char found[200], short_of_room[4];

	put("tool", "#!/bin/sh\n", 10);
	setenv("PATH", "/nowhere:", 1);
	cr_assert_eq(chdir(directory), 0);
	cr_assert_eq(image_search("tool", found, sizeof(found)), 0);
	cr_assert_str_eq(found, "tool");
	setenv("PATH", directory, 1);
	cr_assert_eq(image_search("tool", found, sizeof(found)), 0);
	cr_assert_str_eq(found, path);
	cr_assert_eq(image_search("absent", found, sizeof(found)), -ENOENT);
	memset(found, 'x', sizeof(found));
	cr_assert_eq(image_search("a/b", found, sizeof(found)), 0);
	cr_assert_str_eq(found, "a/b");
	cr_assert_eq(image_search("a/b", found, 4), 0);
	cr_assert_eq(image_search("a/b", found, 3), -ENAMETOOLONG);
	cr_assert_eq(image_search("/usr/bin/x", short_of_room, sizeof(short_of_room)),
	             -ENAMETOOLONG);
}
