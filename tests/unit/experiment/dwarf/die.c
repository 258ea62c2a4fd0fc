/* Entries of debug information, read by Xer's own reader: it finds the same functions, inlined
 * calls, files and lines as libdw, for this test program and for a small one that is compiled in
 * every way; and damaged files do no harm. */
#include "experiment/dwarf/abbrev.h"
#include "experiment/dwarf/dwarf_unit.h"
#include "experiment/elf/binary.h"
#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A binary with its debug information. */
struct opened {
	struct exp_binary *binary; /* NULL: it cannot be read */
	struct exp_dwarf *dwarf;
};

static struct opened open_binary(const char *path)
{
	struct opened opened = {NULL, NULL};
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	cr_assert_geq(fd, 0, "%s", path);
	elf_version(EV_CURRENT);
	if (exp_binary_open(NULL, fd, path, path, "", &opened.binary) == 0)
		cr_assert_eq(exp_dwarf_open(opened.binary, &opened.dwarf), 0);
	return opened;
}

static void close_image(struct opened *opened)
{
	exp_dwarf_close(opened->dwarf);
	exp_binary_close(opened->binary);
}

/* Leave everything to libdw. */
static void use_libdw(struct exp_dwarf *dwarf)
{
	exp_dwarf_die_close(dwarf);
	dwarf->dies = NULL;
	memset(&dwarf->debug_sections, 0, sizeof(dwarf->debug_sections));
	cr_assert_not_null(exp_dwarf_libdw(dwarf));
	exp_line_sections_find(dwarf_getelf(dwarf->dwarf), &dwarf->sections);
}

static int same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

#define text_or(text) ((text) ? (text) : "(null)")

static void compare_frame(const struct exp_dwarf_frame *ours, const struct exp_dwarf_frame *theirs,
                          uint64_t address)
{
	cr_assert(same(ours->linkage_name, theirs->linkage_name), "0x%lx: %s, libdw %s", address,
	          text_or(ours->linkage_name), text_or(theirs->linkage_name));
	cr_assert(same(ours->name, theirs->name), "0x%lx: %s, libdw %s", address,
	          text_or(ours->name), text_or(theirs->name));
	cr_assert(same(ours->directory, theirs->directory), "0x%lx", address);
	cr_assert(same(ours->decl_file, theirs->decl_file), "0x%lx: %s, libdw %s", address,
	          text_or(ours->decl_file), text_or(theirs->decl_file));
	cr_assert_eq(ours->decl_line, theirs->decl_line, "0x%lx: %u, libdw %u", address,
	             ours->decl_line, theirs->decl_line);
	cr_assert(same(ours->file, theirs->file), "0x%lx: %s, libdw %s", address,
	          text_or(ours->file), text_or(theirs->file));
	cr_assert_eq(ours->line, theirs->line, "0x%lx: %u, libdw %u", address, ours->line,
	             theirs->line);
	cr_assert_eq(ours->start, theirs->start, "0x%lx", address);
	cr_assert_eq(ours->end, theirs->end, "0x%lx", address);
}

static void compare_line(struct exp_dwarf *ours, struct exp_dwarf *theirs, uint64_t address)
{
	struct exp_dwarf_frame my = {.name = NULL}, its = {.name = NULL};
	int found = exp_dwarf_line(ours, address, &my.directory, &my.file, &my.line);

	cr_assert_eq(found, exp_dwarf_line(theirs, address, &its.directory, &its.file, &its.line),
	             "0x%lx", address);
	compare_frame(&my, &its, address);
}

/* Compare at one address. Returns the number of frames. */
static int compare_at(struct exp_dwarf *ours, struct exp_dwarf *theirs, uint64_t address)
{
	struct exp_dwarf_frame mine[EXP_DWARF_FRAMES], its[EXP_DWARF_FRAMES];
	struct exp_dwarf_compilation my, its_own;
	int count = exp_dwarf_lookup(ours, address, mine), known;

	cr_assert_eq(count, exp_dwarf_lookup(theirs, address, its), "0x%lx: %d frames", address,
	             count);
	compare_line(ours, theirs, address);
	for (int i = 0; i < count; i++)
		compare_frame(&mine[i], &its[i], address);
	known = exp_dwarf_compilation(ours, address, &my) == 0;
	cr_assert_eq(known, exp_dwarf_compilation(theirs, address, &its_own) == 0);
	if (known) {
		cr_assert(same(my.name, its_own.name) && same(my.producer, its_own.producer) &&
		          same(my.missing, its_own.missing));
		cr_assert_eq(my.version, its_own.version);
	}
	return count;
}

/* What was compared in a file. */
struct compared {
	size_t functions, inlined;
};

/* Compare in the section of code that contains a function. */
static struct compared compare_file(const char *path, const char *function, uint64_t step,
                                    int is_ours)
{
	struct opened ours = open_binary(path), theirs = open_binary(path);
	struct compared compared = {0, 0};
	struct exp_range text;
	const uint8_t *code;

	cr_assert(ours.dwarf && theirs.dwarf, "%s", path);
	cr_assert_eq(ours.dwarf->dies != NULL, is_ours, "%s", path);
	if (theirs.dwarf->dies)
		use_libdw(theirs.dwarf);
	cr_assert_eq(exp_binary_section_range(
			     ours.binary, exp_binary_symbol_named(ours.binary, function)->address,
			     &text),
	             0);
	cr_assert_gt(exp_binary_code_at(ours.binary, text.start, &code), 0);
	for (uint64_t address = text.start; address < text.end; address += step) {
		int count = compare_at(ours.dwarf, theirs.dwarf, address);

		compared.functions += count > 0;
		compared.inlined += count > 1;
	}
	close_image(&ours);
	close_image(&theirs);
	return compared;
}

Test(die, finds_what_libdw_finds)
{
	struct compared compared = compare_file("/proc/self/exe", "exp_dwarf_lookup", 11, 1);

	cr_assert_gt(compared.functions, 10000);
	cr_assert_gt(compared.inlined, 100);
}

/* The abbreviations say of which entries the values have always the same size, and of which of
 * those nobody asks for any. */
Test(die, knows_which_entries_can_be_passed_over)
{
	struct opened opened = open_binary("/proc/self/exe");
	struct exp_dies *dies = opened.dwarf ? opened.dwarf->dies : NULL;
	size_t passed = 0, fixed = 0, other = 0;

	cr_assert_not_null(dies);
	for (struct exp_die_unit *unit = exp_dies_unit_next(dies, NULL); unit && passed < 100;
	     unit = exp_dies_unit_next(dies, unit)) {
		cr_assert_eq(exp_dies_unit_at(dies, unit->first), unit);
		for (size_t i = 0; i < unit->abbrevs->count; i++) {
			const struct exp_abbrev *abbrev = &unit->abbrevs->of[i];
			uint32_t size = 0;
			int is_fixed = abbrev->specs != NULL;

			for (uint32_t k = 0; k < abbrev->count && is_fixed; k++) {
				is_fixed = abbrev->specs[k].size >= 0;
				size += (uint32_t)abbrev->specs[k].size;
			}
			cr_assert_eq(abbrev->is_fixed, is_fixed);
			cr_assert(!is_fixed || abbrev->size == size);
			cr_assert(!abbrev->is_passed || (is_fixed && !abbrev->has_children));
			if (is_fixed && abbrev->tag == DW_TAG_member)
				cr_assert(abbrev->is_passed);
			if (abbrev->tag == DW_TAG_subprogram || abbrev->tag == DW_TAG_lexical_block)
				cr_assert_not(abbrev->is_passed);
			passed += abbrev->is_passed;
			fixed += is_fixed && !abbrev->is_passed;
			other += !is_fixed;
		}
	}
	cr_expect(passed > 0 && fixed > 0 && other > 0, "%zu, %zu, %zu", passed, fixed, other);
	close_image(&opened);
}

static const char source[] =
	"struct sum { int of; void add(int n); static int twice(int n) { return n * 2; } };\n"
	"namespace outer { namespace { inline int deep(int n) { return n ^ sum::twice(n); } } }\n"
	"template <int K> static inline int scale(int n) { int s = 0; for (int i = 0; i < n; i++) { int t = outer::deep(i); s += t * K; } return s; }\n"
	"void sum::add(int n) { of += scale<3>(n) + scale<5>(n + 1); }\n"
	"__attribute__((noinline)) static int rare(int n) { if (n > 100) __builtin_abort(); return scale<7>(n); }\n"
	"__attribute__((cold, noinline)) int cold(int n) { return n ? rare(n - 1) : 0; }\n"
	"int main(int argc, char **) { sum s = {argc}; s.add(argc); return rare(argc) + cold(argc) + s.of > 1000; }\n";

static char directory[] = "/tmp/xer-die-XXXXXX";

static void enter(void)
{
	FILE *file;

	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
	file = fopen("program.cc", "w");
	cr_assert_not_null(file);
	fputs(source, file);
	fclose(file);
}

static void leave(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(system(command), 0);
}

/* Returns 0 if this compiler can do it. */
static int compile(const char *compiler, const char *options)
{
	char command[512];

	snprintf(command, sizeof(command), "%s -O2 %s -o program program.cc 2>errors", compiler,
	         options);
	return system(command) == 0 ? 0 : -1;
}

/* Newer binutils produce the standard form of compressed sections instead of the old one. */
static int is_old_compressed(void)
{
	return system("grep -q zdebug_info program") == 0;
}

Test(die, reads_what_compilers_write, .init = enter, .fini = leave)
{
	static const struct {
		const char *options;
		int is_ours; /* otherwise it is for libdw */
	} kinds[] = {
		{"-gdwarf-2", 1},
		{"-gdwarf-3", 1},
		{"-gdwarf-4", 1},
		{"-gdwarf-5", 1},
		{"-gdwarf-5 -gdwarf64", 1},
		{"-gdwarf-4 -fdebug-types-section", 1},
		{"-gdwarf-5 -fdebug-types-section", 1},
		{"-gdwarf-5 -ffunction-sections -Wl,--gc-sections", 1},
		{"-gdwarf-5 -flto", 1},
		{"-gdwarf-4 -gz=zlib", 1},
		{"-gdwarf-5 -gz=zlib", 1},
		{"-gdwarf-5 -static-libstdc++ -no-pie", 1},
		{"-gdwarf-4 -gsplit-dwarf", 1}, /* finds the unit, leaves it to libdw */
		{"-gdwarf-5 -gsplit-dwarf", 1},
		{"-gdwarf-4 -gz=zlib-gnu", 0},
	};
	static const char *const compilers[] = {"g++", "clang++"};

	for (size_t c = 0; c < sizeof(compilers) / sizeof(compilers[0]); c++) {
		size_t done = 0;

		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			struct compared compared;

			if (compile(compilers[c], kinds[i].options) != 0)
				continue;
			compared = compare_file("program", "main", 1,
			                        kinds[i].is_ours || !is_old_compressed());
			cr_assert_gt(compared.inlined, 20, "%s %s", compilers[c], kinds[i].options);
			done++;
		}
		/* There is a C++ compiler wherever Xer is built; clang may be missing. */
		cr_assert(done >= 8 || c > 0, "%s compiled only %zu ways", compilers[c], done);
	}
}

/* Look up everything in a file with any bytes. */
static void use(const char *path)
{
	struct opened opened = open_binary(path);
	struct exp_dwarf_frame frames[EXP_DWARF_FRAMES], line;

	if (!opened.binary)
		return;
	for (uint64_t address = 0x1000; opened.dwarf && address < 0x1800; address += 3) {
		struct exp_dwarf_compilation compilation;

		exp_dwarf_lookup(opened.dwarf, address, frames);
		exp_dwarf_line(opened.dwarf, address, &line.directory, &line.file, &line.line);
		exp_dwarf_compilation(opened.dwarf, address, &compilation);
	}
	close_image(&opened);
}

static size_t read_file(const char *path, uint8_t **out)
{
	FILE *file = fopen(path, "r");
	size_t len;

	cr_assert_not_null(file);
	*out = malloc(1 << 20);
	len = fread(*out, 1, 1 << 20, file);
	cr_assert(len > 1000 && len < 1 << 20);
	fclose(file);
	return len;
}

static void write_file(const char *path, const uint8_t *bytes, size_t len)
{
	FILE *file = fopen(path, "w");

	cr_assert_not_null(file);
	cr_assert_eq(fwrite(bytes, 1, len, file), len);
	fclose(file);
}

/* Where the sections with debug information are in a file. */
static void find_debug(const char *path, size_t *start, size_t *end)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *section = NULL;
	size_t names;

	*start = SIZE_MAX;
	*end = 0;
	cr_assert_eq(elf_getshdrstrndx(elf, &names), 0);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		gelf_getshdr(section, &header);
		if (strncmp(elf_strptr(elf, names, header.sh_name), ".debug_", 7) != 0)
			continue;
		*start = header.sh_offset < *start ? header.sh_offset : *start;
		*end = header.sh_offset + header.sh_size > *end ? header.sh_offset + header.sh_size
		                                                : *end;
	}
	elf_end(elf);
	close(fd);
}

static void damage(const char *options, int rounds)
{
	uint64_t random = seed_start();
	size_t len, start, end;
	uint8_t *bytes, *copy;

	cr_assert_eq(compile("g++", options), 0);
	elf_version(EV_CURRENT);
	find_debug("program", &start, &end);
	len = read_file("program", &bytes);
	copy = malloc(len);
	for (int round = 0; round < rounds; round++) {
		memcpy(copy, bytes, len);
		for (int i = 0; i < 1 + round % 16; i++)
			copy[start + seed_below(&random, end - start)] = (uint8_t)seed_next(
				&random);
		write_file("damaged", copy, len);
		use("damaged");
	}
	free(copy);
	free(bytes);
}

Test(die, survives_any_bytes, .init = enter, .fini = leave)
{
	damage("-gdwarf-4 -nostartfiles -Wl,-emain", 500);
	damage("-gdwarf-5 -nostartfiles -Wl,-emain", 500);
}

Test(die, survives_damaged_compression, .init = enter, .fini = leave)
{
	damage("-gdwarf-5 -gz=zlib -nostartfiles -Wl,-emain", 300);
}

/* Write a copy of "program" as "moved", in which segments of a type begin `by` bytes further. */
static void move_segments(uint32_t type, uint64_t by)
{
	uint8_t *bytes;
	size_t len = read_file("program", &bytes);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	Elf64_Phdr *segment = (Elf64_Phdr *)(bytes + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == type)
			segment[i].p_vaddr += by;
	write_file("moved", bytes, len);
	free(bytes);
}

/* Is "moved", as the debug file of "program", read here? Otherwise libdw reads it. */
static int is_read_here(void)
{
	int fd = open("program", O_RDONLY | O_CLOEXEC), moved = open("moved", O_RDONLY | O_CLOEXEC);
	struct exp_binary binary = {.fd = -1, .debug_fd = moved};
	struct exp_dwarf dwarf = {.binary = &binary};
	int rc;

	binary.elf = elf_begin(fd, ELF_C_READ, NULL);
	rc = exp_dwarf_die_open(&dwarf);
	cr_assert(rc == 0 || rc == -ENOTSUP, "%d", rc);
	exp_dwarf_die_close(&dwarf);
	elf_end(binary.elf);
	close(fd);
	close(moved);
	return rc == 0;
}

/* As after prelink(8). Only what is loaded has addresses in the process. */
Test(die, leaves_a_debug_file_with_other_addresses_to_libdw, .init = enter, .fini = leave)
{
	cr_assert_eq(compile("g++", "-gdwarf-5"), 0);
	elf_version(EV_CURRENT);
	move_segments(PT_LOAD, 0);
	cr_expect(is_read_here());
	move_segments(PT_LOAD, 0x1000);
	cr_expect_not(is_read_here());
	move_segments(PT_PHDR, 0x1000);
	cr_expect(is_read_here());
	move_segments(PT_GNU_STACK, 0x1000);
	cr_expect(is_read_here());
}

Test(die, inflates_as_far_as_asked, .init = enter, .fini = leave)
{
	struct exp_debug_section *info;
	struct opened opened;
	size_t size;

	/* More than is inflated at once. */
	cr_assert_eq(
		compile("g++",
	                "-gdwarf-5 -gz=zlib -fno-eliminate-unused-debug-types -include bits/stdc++.h"),
		0);
	opened = open_binary("program");
	cr_assert(opened.dwarf && opened.dwarf->dies);
	info = &opened.dwarf->debug_sections.of[EXP_DEBUG_INFO];
	size = info->size;
	cr_assert_gt(size, 128 << 10);
	cr_assert_eq(info->ready, 0);
	cr_assert_eq(exp_debug_want(info, 1), 0);
	cr_assert(info->ready >= 1 && info->ready < size);
	cr_assert_eq(exp_debug_want(info, size + 1), -EBADMSG);
	cr_assert_eq(exp_debug_want(info, size), 0);
	cr_assert_eq(info->ready, size);
	close_image(&opened);
}
