/* The table of the kernel's functions, and the file of those that were met. */
#include "perf/kernelnames.h"

#include "format/layout.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct kernel_table table;

static int read_text(const char *text)
{
	char *copy = strdup(text);

	cr_assert(copy != NULL);
	return kernel_table_read(&table, copy, strlen(text));
}

static void expect(uint64_t pc, const char *name, const char *module)
{
	const struct kernel_name *found = kernel_table_find(&table, pc);

	cr_assert(found != NULL, "%s", name);
	cr_expect_eq(found->name_size, strlen(name), "%.*s", (int)found->name_size, found->name);
	cr_expect_eq(strncmp(found->name, name, found->name_size), 0, "%s", name);
	cr_expect_eq(found->module_size, strlen(module));
	cr_expect_eq(
		strncmp(found->module_size > 0 ? found->module : "", module, found->module_size),
		0);
}

Test(kernelnames, functions_are_found_by_their_addresses)
{
	cr_assert_eq(read_text("ffffffff81000000 T first\n"
	                       "ffffffff81000100 t second\n"
	                       "ffffffff81000180 d data\n"
	                       "ffffffffc0000000 t init_it\t[module]\n"),
	             0);
	cr_assert_eq(table.count, 3);
	expect(0xffffffff81000000, "first", "");
	expect(0xffffffff810000ff, "first", "");
	expect(0xffffffff81000100, "second", "");
	expect(0xffffffffc0000010, "init_it", "module");
	cr_assert(!kernel_table_find(&table, 0xffffffff80ffffff), "before the first");
	cr_assert(!kernel_table_find(&table, 0xffffffff81000180), "data are no code");
	kernel_table_free(&table);
}

Test(kernelnames, lines_in_any_order_are_sorted)
{
	cr_assert_eq(
		read_text("ffffffff81000200 T c\nffffffff81000000 T a\nffffffff81000100 T b\n"), 0);
	expect(0xffffffff81000010, "a", "");
	expect(0xffffffff81000110, "b", "");
	expect(0xffffffff81000210, "c", "");
	kernel_table_free(&table);
}

Test(kernelnames, of_several_names_the_usual_one_is_taken)
{
	cr_assert_eq(read_text("ffffffff81000000 T __pi_copy\nffffffff81000000 T copy\n"
	                       "ffffffff81000000 W alias\n"
	                       "ffffffff81000100 T __ia32_sys_getppid\n"
	                       "ffffffff81000100 T __x64_sys_getppid\n"
	                       "ffffffff81000200 t local\nffffffff81000200 T global\n"
	                       "ffffffff81000300 D table\nffffffff81000300 t code\n"),
	             0);
	expect(0xffffffff81000000, "copy", "");
	expect(0xffffffff81000100, "__x64_sys_getppid", "");
	expect(0xffffffff81000200, "global", "");
	expect(0xffffffff81000300, "code", "");
	kernel_table_free(&table);
}

Test(kernelnames, what_is_no_line_is_passed_over)
{
	cr_assert_eq(read_text("\n\nxyz\nffffffff81000000\nffffffff81000000 \nffffffff81000000 T\n"
	                       "ffffffff81000000 T \n zz\nffffffff81000100 T good\nffffffff8100"),
	             0);
	cr_assert_eq(table.count, 1);
	expect(0xffffffff81000100, "good", "");
	kernel_table_free(&table);
	cr_assert_eq(read_text("ffffffff81000000 T name\t[\n"), 0);
	expect(0xffffffff81000000, "name", "");
	kernel_table_free(&table);
}

Test(kernelnames, hidden_addresses_are_none)
{
	cr_assert_eq(read_text("0000000000000000 T first\n0000000000000000 t second\n"), -EACCES);
	kernel_table_free(&table);
	cr_assert_eq(read_text(""), -EACCES);
	kernel_table_free(&table);
}

/* Needs the addresses of the running kernel: root has them. */
Test(kernelnames, a_function_is_written_when_it_is_met)
{
	char path[] = "/tmp/xer-kernel-XXXXXX", file[64], line[256] = "", command[80];
	unsigned long long address = 0, start, end;
	FILE *symbols = fopen("/proc/kallsyms", "r");
	uint64_t pcs[3];
	int directory;
	FILE *in;

	while (symbols && fgets(line, sizeof(line), symbols))
		if (strstr(line, " T vfs_read\n"))
			address = strtoull(line, NULL, 16);
	if (symbols)
		fclose(symbols);
	if (address == 0)
		cr_skip_test("the kernel does not tell where its functions are");
	cr_assert(mkdtemp(path) != NULL);
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_eq(kernelnames_begin(directory), 0);
	cr_assert_eq(kernelnames_begin(directory), -EEXIST);
	pcs[0] = address + 16;
	pcs[1] = address;
	pcs[2] = 0xff00000000000010;
	kernelnames_tell(pcs, 3);
	kernelnames_tell(pcs, 3);
	/* Nor is it new where many others have been met. */
	for (uint64_t i = 0; i < 5000; i++)
		kernelnames_tell(&(uint64_t){0xff00000000000020 + 16 * i}, 1);
	kernelnames_tell(pcs, 3);
	kernelnames_flush();
	snprintf(file, sizeof(file), "%s/" FMT_FILE_SAMPLER_KERNEL, path);
	in = fopen(file, "r");
	cr_assert(in != NULL);
	cr_assert(fgets(line, sizeof(line), in) != NULL);
	cr_expect_eq(sscanf(line, "%llx %llx", &start, &end), 2);
	cr_expect_eq(start, address);
	cr_expect_gt(end, address + 16);
	cr_expect(strstr(line, " vfs_read\n") != NULL);
	cr_expect(!fgets(line, sizeof(line), in), "once");
	fclose(in);
	kernelnames_end();
	close(directory);
	snprintf(command, sizeof(command), "rm -rf %s", path);
	cr_assert_eq(system(command), 0);
}
