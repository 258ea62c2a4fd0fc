/* target.c: tests of finding programs and of refusing programs that cannot be recorded. */
#include "collect/target/target.h"

#include "tests/unit/collect/scratch.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static struct target target;
static struct cause cause;

/* The target points into argv, which must outlive the expression that finds it. */
static int find(char *const *argv)
{
	static char *kept[8];

	for (size_t i = 0; i < 7; i++) {
		kept[i] = argv[i];
		if (!argv[i])
			break;
	}
	return target_find(kept, &target, &cause);
}

#define FIND(...) find((char *[]){__VA_ARGS__, NULL})
#define PUT_TEXT(name, text, mode) scratch_put(name, text, strlen(text), mode)

TestSuite(target, .init = scratch_enter, .fini = scratch_leave);

Test(target, programs_are_found_in_path_as_execvp_does)
{
	char cwd[PATH_MAX];

	cr_assert(FIND("true", "x") == 0, "%s", cause.text);
	cr_assert(target.path[0] == '/' && strcmp(strrchr(target.path, '/'), "/true") == 0);
	cr_assert(strcmp(target.argv[1], "x") == 0 && !target.own_argv);

	PUT_TEXT("here", "#!/bin/sh\n", 0755);
	cr_assert(FIND("here") == 127);
	setenv("PATH", "/nonexistent::/bin", 1);
	cr_assert(FIND("here") == 0, "an empty entry is the current directory");
	cr_assert_str_eq(target.file, "here");
	cr_assert(target.path[0] == '/' &&
	          strcmp(target.path + strlen(getcwd(cwd, sizeof(cwd))), "/here") == 0);
	cr_assert(FIND("./here") == 0);
	cr_assert_str_eq(target.file, "./here", "a script sees the name as it was given");
	unsetenv("PATH");
	cr_assert(FIND("true") == 0, "without PATH there is a default");
}

Test(target, a_directory_of_the_path_may_end_with_a_slash)
{
	static const char *const paths[] = {"%s/bin", "%s/bin/", "/nonexistent:%s/bin/:/bin",
	                                    "%s/bin:%s/other"};
	char cwd[PATH_MAX], path[3 * PATH_MAX], expected[PATH_MAX + 16];

	cr_assert_not_null(getcwd(cwd, sizeof(cwd)));
	mkdir("bin", 0755);
	mkdir("other", 0755);
	PUT_TEXT("bin/tool", "#!/bin/sh\n", 0755);
	PUT_TEXT("other/tool", "#!/bin/sh\n", 0755);
	snprintf(expected, sizeof(expected), "%s/bin/tool", cwd);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		snprintf(path, sizeof(path), paths[i], cwd, cwd);
		setenv("PATH", path, 1);
		cr_assert_eq(FIND("tool"), 0, "%s: %s", path, cause.text);
		cr_expect_str_eq(target.path, expected);
	}
	setenv("PATH", "bin/", 1);
	cr_assert_eq(FIND("tool"), 0, "%s", cause.text);
	cr_expect_str_eq(target.file, "bin/tool");
	cr_expect_str_eq(target.path, expected);
}

Test(target, what_cannot_be_executed_says_why)
{
	PUT_TEXT("text", "hello\n", 0644);
	mkdir("directory", 0755);
	cr_assert(FIND("./text") == 126);
	cr_assert(strstr(cause.text, "ermission") != NULL);
	cr_assert(FIND("./directory") == 126);
	cr_assert(FIND("./nothing") == 127);
	cr_assert(FIND("") == 127);
	cr_assert(FIND("no-such-program") == 127);
	setenv("PATH", ".:/bin", 1);
	cr_assert(FIND("text") == 126, "found, but not executable");
	cr_assert(FIND("directory") == 127);
	cr_assert(FIND("directory/nothing") == 127);
}

Test(target, scripts_are_followed)
{
	PUT_TEXT("plain", "#!/bin/sh\necho\n", 0755);
	PUT_TEXT("two", "#! ./plain  arg \n", 0755);
	PUT_TEXT("lost", "#!/no/such/interpreter\n", 0755);
	PUT_TEXT("loop", "#!./loop\n", 0755);
	PUT_TEXT("bare", "echo no first line\n", 0755);
	PUT_TEXT("empty", "", 0755);
	cr_assert(FIND("./plain") == 0);
	cr_assert(FIND("./two") == 0, "%s", cause.text);
	cr_assert(FIND("./lost") == 126);
	cr_assert(FIND("./loop") == 126);
	cr_assert(FIND("./bare", "1") == 0);
	cr_assert_str_eq(target.file, "/bin/sh");
	cr_assert(strcmp(target.argv[1], "./bare") == 0 && strcmp(target.argv[2], "1") == 0 &&
	          !target.argv[3]);
	target_fini(&target);
	cr_assert(FIND("./empty") == 0);
	target_fini(&target);
}

Test(target, scripts_of_env_run_their_interpreter)
{
	PUT_TEXT("script", "#!/usr/bin/env sh\n", 0755);
	PUT_TEXT("split", "#!/usr/bin/env -S sh -x\n", 0755);
	PUT_TEXT("gone", "#!/usr/bin/env no-such-interpreter\n", 0755);
	cr_assert(FIND("./script", "a", "b") == 0, "%s", cause.text);
	cr_assert(strcmp(strrchr(target.path, '/'), "/sh") == 0);
	cr_assert(strcmp(target.argv[0], "sh") == 0 && strcmp(target.argv[1], "./script") == 0 &&
	          strcmp(target.argv[3], "b") == 0 && !target.argv[4]);
	target_fini(&target);
	cr_assert(FIND("./split") == 0);
	cr_assert_str_eq(target.file, "./split");
	cr_assert(FIND("./gone") == 127);
}

/* The kernel leaves them out, too. */
Test(target, blanks_at_the_end_of_the_first_line_do_not_matter)
{
	PUT_TEXT("script", "#!/usr/bin/env sh \t \n", 0755);
	PUT_TEXT("plain", "#! \t/bin/sh\t \n", 0755);
	PUT_TEXT("option", "#!/bin/sh  -x  \n", 0755);
	PUT_TEXT("only", "#! \t \n", 0755);
	cr_assert(FIND("./script") == 0, "%s", cause.text);
	cr_assert_not_null(target.own_argv, "its interpreter is run");
	cr_assert_str_eq(target.argv[0], "sh");
	target_fini(&target);
	cr_assert(FIND("./plain") == 0, "%s", cause.text);
	cr_assert(FIND("./option") == 0, "%s", cause.text);
	cr_assert(FIND("./only") != 0);
}

/* An ELF file with one segment of type `segment`; for PT_INTERP it names `loader`. */
static void put_elf(const char *name, int class, unsigned machine, unsigned segment,
                    const char *loader, unsigned mode)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		char loader[64];
	} file = {0};

	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = (unsigned char)class;
	file.header.e_ident[EI_DATA] = ELFDATA2LSB;
	file.header.e_machine = (Elf64_Half)machine;
	file.header.e_type = ET_DYN;
	file.header.e_phoff = sizeof(file.header);
	file.header.e_phentsize = sizeof(file.segment);
	file.header.e_phnum = 1;
	file.segment.p_type = segment;
	file.segment.p_offset = sizeof(file.header) + sizeof(file.segment);
	file.segment.p_filesz = strlen(loader) + 1;
	strcpy(file.loader, loader);
	scratch_put(name, &file, sizeof(file), mode);
}

#define GLIBC "/lib64/ld-linux-x86-64.so.2"

Test(target, elf_files_that_cannot_be_entered_are_refused)
{
	put_elf("good", ELFCLASS64, EM_X86_64, PT_INTERP, GLIBC, 0755);
	cr_assert(FIND("./good") == 0, "%s", cause.text);
	put_elf("static", ELFCLASS64, EM_X86_64, PT_LOAD, "", 0755);
	cr_assert(FIND("./static") == 0 && strcmp(target.outside, "it is statically linked") == 0);
	put_elf("arm", ELFCLASS64, EM_AARCH64, PT_INTERP, GLIBC, 0755);
	cr_assert(FIND("./arm") == 126);
	put_elf("musl", ELFCLASS64, EM_X86_64, PT_INTERP, "/lib/ld-musl-x86_64.so.1", 0755);
	cr_assert(FIND("./musl") == 0 && strstr(target.outside, "musl"));
	scratch_put("cut", ELFMAG "\2\1\1", 7, 0755);
	cr_assert(FIND("./cut") == 126);
}

Test(target, programs_of_32_bits_are_told_from_others)
{
	struct {
		Elf32_Ehdr header;
		Elf32_Phdr segment;
		char loader[64];
	} file = {
		.header = {.e_machine = EM_386,
	                   .e_type = ET_DYN,
	                   .e_phoff = sizeof(Elf32_Ehdr),
	                   .e_phentsize = sizeof(Elf32_Phdr),
	                   .e_phnum = 1},
		.segment = {.p_type = PT_INTERP,
	                    .p_offset = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
	                    .p_filesz = 20},
		.loader = "/lib/ld-linux.so.2",
	};

	memcpy(file.header.e_ident, ELFMAG "\1\1\1", 7);
	scratch_put("small", &file, sizeof(file), 0755);
	cr_assert(FIND("./small") == 0, "%s", cause.text);
	cr_assert_eq(target.bits, 32);
	put_elf("large", ELFCLASS64, EM_X86_64, PT_INTERP, GLIBC, 0755);
	cr_assert(FIND("./large") == 0 && target.bits == 64);
	file.header.e_machine = EM_X86_64; /* the x32 ABI */
	scratch_put("x32", &file, sizeof(file), 0755);
	cr_assert(FIND("./x32") == 126);
	file.header.e_machine = EM_386;
	file.segment.p_type = PT_LOAD;
	scratch_put("static", &file, sizeof(file), 0755);
	cr_assert(FIND("./static") == 126);
	cr_assert(strstr(cause.text, "statically linked") != NULL);
	scratch_put("cut", &file, sizeof(file.header) - 1, 0755);
	cr_assert(FIND("./cut") == 126);
}

Test(target, setuid_programs_of_others_are_refused)
{
	if (getuid() != 0)
		cr_skip("needs root to make one");
	put_elf("own", ELFCLASS64, EM_X86_64, PT_INTERP, GLIBC, 04755);
	cr_assert(FIND("./own") == 0, "set-user-id to oneself changes nothing");
	put_elf("other", ELFCLASS64, EM_X86_64, PT_INTERP, GLIBC, 0755);
	cr_assert(chown("other", 65534, 65534) == 0 && chmod("other", 04755) == 0);
	cr_assert(FIND("./other") == 126);
	cr_assert(strstr(cause.text, "set-user-id") != NULL);
	cr_assert(chmod("other", 02755) == 0);
	cr_assert(FIND("./other") == 126);
	cr_assert(strstr(cause.text, "set-group-id") != NULL);
}

/* Root has all capabilities already; what an execve gives to others changes their rights. */
Test(target, programs_with_file_capabilities_are_refused_but_for_root)
{
	static const uint32_t value[] = {0x02000000, 1 << 13, 0, 0, 0}; /* CAP_NET_RAW */

	if (getuid() != 0)
		cr_skip("needs root to make one");
	put_elf("able", ELFCLASS64, EM_X86_64, PT_INTERP, GLIBC, 0755);
	if (setxattr("able", "security.capability", value, sizeof(value), 0) != 0)
		cr_skip("no file can have capabilities here");
	cr_assert(FIND("./able") == 0, "%s", cause.text);
	cr_assert(chmod(".", 0755) == 0 && seteuid(65534) == 0);
	cr_assert(FIND("./able") == 126);
	cr_assert_not_null(strstr(cause.text, "a program with file capabilities"));
	cr_assert(seteuid(0) == 0);
}
