/* Packages of split units give the same answers as the separate files, for several units; a package
 * that is damaged, or belongs to another program, gives none, and does no harm. */
#include "experiment/dwarf/dwarf_unit.h"
#include "experiment/elf/binary.h"
#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNITS = 5, TEXT_MAX = 1 << 20 };

static char directory[] = "/tmp/xer-package-XXXXXX";

static void run(const char *command)
{
	cr_assert_eq(system(command), 0, "%s", command);
}

/* Units of one function with an inlined call in several ranges, and a main. */
static void enter(void)
{
	FILE *file;

	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
	for (int i = 0; i < UNITS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "unit%d.cc", i);
		file = fopen(name, "w");
		cr_assert_not_null(file);
		fprintf(file,
		        "static inline int mix%d(int n, int k) { int s = 0; for (int i = 0; i < n; i++) s += i * k ^ %d; return s; }\n"
		        "struct held%d { __attribute__((noinline)) static int work(int n) { if (n > 1000) __builtin_abort(); return mix%d(n, 3) + mix%d(n + 1, 5); } };\n"
		        "__attribute__((cold, noinline)) int cold%d(int n) { return n ? held%d::work(n - 1) : 7; }\n"
		        "int unit%d(int n) { return held%d::work(n) + cold%d(n); }\n",
		        i, i, i, i, i, i, i, i, i, i);
		fclose(file);
	}
	file = fopen("main.cc", "w");
	cr_assert_not_null(file);
	for (int i = 0; i < UNITS; i++)
		fprintf(file, "int unit%d(int n);\n", i);
	fprintf(file, "int main(int argc, char **) { int sum = 0;");
	for (int i = 0; i < UNITS; i++)
		fprintf(file, " sum += unit%d(argc);", i);
	fprintf(file, " return sum > 100000; }\n");
	fclose(file);
}

static void leave(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(system(command), 0);
}

TestSuite(dwarf_package, .init = enter, .fini = leave);

static int have(const char *program)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", program);
	return system(command) == 0;
}

static void add(char *text, const char *word)
{
	size_t len = strlen(text);

	snprintf(text + len, TEXT_MAX - len, "%s ", word ? word : "-");
}

/* The names and lines of the functions in the program's own units at all addresses, as text.
 * Returns how many addresses had an inlined call. */
static unsigned describe(char *text)
{
	struct exp_binary *binary;
	struct exp_dwarf *dwarf;
	struct exp_range range;
	unsigned inlined = 0;
	int fd = open("program", O_RDONLY | O_CLOEXEC);

	text[0] = '\0';
	elf_version(EV_CURRENT);
	cr_assert_geq(fd, 0);
	cr_assert_eq(exp_binary_open(NULL, fd, "program", "program", "", &binary), 0);
	cr_assert_eq(exp_dwarf_open(binary, &dwarf), 0);
	cr_assert_eq(exp_binary_section_range(
			     binary, exp_binary_symbol_named(binary, "main")->address, &range),
	             0);
	for (uint64_t address = range.start; dwarf && address < range.end; address += 3) {
		struct exp_dwarf_frame frames[EXP_DWARF_FRAMES];
		const char *where, *file;
		unsigned line;
		int count = exp_dwarf_lookup(dwarf, address, frames);

		if (count == 0)
			continue;
		inlined += count > 1;
		for (int i = 0; i < count; i++) {
			char numbers[64];

			add(text, frames[i].linkage_name);
			add(text, frames[i].name);
			add(text, frames[i].decl_file);
			add(text, frames[i].file);
			snprintf(numbers, sizeof(numbers), "%u:%u:%lx-%lx", frames[i].decl_line,
			         frames[i].line, frames[i].start, frames[i].end);
			add(text, numbers);
		}
		if (exp_dwarf_line(dwarf, address, &where, &file, &line) == 0)
			add(text, file);
		add(text, "\n");
	}
	exp_dwarf_close(dwarf);
	exp_binary_close(binary);
	return inlined;
}

static const struct {
	const char *compiler, *version, *tool, *package;
} kinds[] = {
	{"g++", "-gdwarf-4", "dwp", "timeout 30 dwp -e program -o program.dwp"},
	{"clang++", "-gdwarf-4", "llvm-dwp", "timeout 30 llvm-dwp -e program -o program.dwp"},
	{"clang++", "-gdwarf-5", "llvm-dwp", "timeout 30 llvm-dwp -e program -o program.dwp"},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void build(size_t kind)
{
	char command[512];

	snprintf(command, sizeof(command),
	         "rm -f *.dwo *.dwp && %s -O2 %s -gsplit-dwarf -c *.cc && %s -o program *.o",
	         kinds[kind].compiler, kinds[kind].version, kinds[kind].compiler);
	run(command);
}

Test(dwarf_package, tells_what_the_single_files_told, .timeout = 120)
{
	static char single[TEXT_MAX], packaged[TEXT_MAX], none[TEXT_MAX];
	unsigned done = 0;

	for (size_t i = 0; i < KINDS; i++) {
		if (!have(kinds[i].compiler) || !have(kinds[i].tool))
			continue;
		build(i);
		cr_assert_gt(describe(single), 10, "%s %s", kinds[i].compiler, kinds[i].version);
		run(kinds[i].package);
		run("rm *.dwo");
		describe(packaged);
		cr_expect_str_eq(packaged, single, "%s %s by %s", kinds[i].compiler,
		                 kinds[i].version, kinds[i].tool);
		for (int unit = 0; unit < UNITS; unit++) {
			char name[32];

			snprintf(name, sizeof(name), "mix%d", unit);
			cr_expect(strstr(packaged, name), "%s %s: no %s", kinds[i].compiler,
			          kinds[i].version, name);
		}
		run("rm program.dwp");
		cr_expect_eq(describe(none), 0, "nothing tells of inlined calls");
		done++;
	}
	cr_assert_gt(done, 0, "neither dwp nor llvm-dwp is installed");
}

/* The first kind of package that this machine can make. */
static void build_any(void)
{
	size_t i = 0;

	while (i < KINDS && (!have(kinds[i].compiler) || !have(kinds[i].tool)))
		i++;
	cr_assert_lt(i, (size_t)KINDS);
	build(i);
	run(kinds[i].package);
	run("rm *.dwo");
}

Test(dwarf_package, the_package_of_another_program_tells_nothing, .timeout = 60)
{
	static char text[TEXT_MAX];

	build_any();
	run("mv program.dwp other.kept");
	run("sed -i s/mix/mox/g *.cc");
	build_any();
	run("mv other.kept program.dwp");
	cr_expect_eq(describe(text), 0);
	cr_expect_null(strstr(text, "mix"));
}

/* Change a number in the header of the index: version, columns, units, slots. */
Test(dwarf_package, an_index_of_a_form_that_cannot_be_is_refused, .timeout = 60)
{
	static const struct {
		int word;
		uint32_t value;
	} rows[] = {{0, 3},       {0, 0}, {1, 0}, {1, 17},     {1, 1000000},
	            {2, 1 << 30}, {3, 0}, {3, 3}, {3, 1 << 20}};
	static char text[TEXT_MAX], whole[1 << 20];
	FILE *file;
	size_t size, at;
	unsigned good;

	build_any();
	good = describe(text);
	cr_assert_gt(good, 10);
	file = fopen("program.dwp", "r");
	size = fread(whole, 1, sizeof(whole), file);
	fclose(file);
	{
		struct exp_line_section index;
		int fd = open("program.dwp", O_RDONLY | O_CLOEXEC);
		Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);

		index = exp_line_section_find(elf, ".debug_cu_index");
		cr_assert_gt(index.size, 16);
		at = (size_t)((char *)memmem(whole, size, index.bytes, index.size) - whole);
		elf_end(elf);
		close(fd);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t old;

		memcpy(&old, whole + at + 4 * (size_t)rows[i].word, sizeof(old));
		memcpy(whole + at + 4 * (size_t)rows[i].word, &rows[i].value, sizeof(old));
		file = fopen("program.dwp", "w");
		cr_assert_eq(fwrite(whole, 1, size, file), size);
		fclose(file);
		cr_expect_eq(describe(text), 0, "word %d as %u", rows[i].word, rows[i].value);
		memcpy(whole + at + 4 * (size_t)rows[i].word, &old, sizeof(old));
	}
}

Test(dwarf_package, damage_does_no_harm, .timeout = 120)
{
	static char text[TEXT_MAX], whole[1 << 20];
	uint64_t seed = seed_start();
	size_t size;
	FILE *file;

	build_any();
	file = fopen("program.dwp", "r");
	size = fread(whole, 1, sizeof(whole), file);
	fclose(file);
	for (int i = 0; i < 60; i++) {
		size_t at = 64 + seed_below(&seed, size - 64);
		char old = whole[at];

		whole[at] = (char)(old ^ (1 << seed_below(&seed, 8)));
		file = fopen("program.dwp", "w");
		cr_assert_eq(fwrite(whole, 1, i % 8 == 7 ? at : size, file),
		             i % 8 == 7 ? at : size);
		fclose(file);
		describe(text);
		whole[at] = old;
	}
}
