/* Functions of this program with space for a patch at their entries: their calls and exits are
 * traced, and their results stay the same. */
#include "libcollector/calls/entries.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/source.h"
#include "libcollector/calls/functrace.h"
#include "libcollector/calls/functrace_number.h"
#include "libcollector/object/code.h"
#include "libcollector/object/map.h"
#include "libcollector/unwind/shadow.h"

#include "format/fdr.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define ENTRY(...) __attribute__((noinline, patchable_function_entry(__VA_ARGS__)))
#else
#define ENTRY(...) __attribute__((noinline, noclone, patchable_function_entry(__VA_ARGS__)))
#endif

static volatile int sink;

/* Space at the entry; also in front of it; less than a call needs. */
static ENTRY(8) int entries_plain(int value)
{
	sink = value;
	return value + 1;
}

static ENTRY(9, 4) int entries_before(int value)
{
	return entries_plain(value) + entries_plain(2 * value);
}

static ENTRY(3) int entries_narrow(int value)
{
	sink = value;
	return value + 3;
}

static ENTRY(8) double entries_double(double a, int b, double c)
{
	sink = b;
	return a * b + c;
}

static ENTRY(8) int entries_deep(int depth)
{
	int result = depth > 0 ? entries_deep(depth - 1) + 1 : 0;

	__asm__ volatile("" : "+r"(result));
	return result;
}

static void setup(void)
{
	static const struct source source = {.thread_prepare = functrace_thread_begin};

	scratch_open();
	map_open_program();
	scratch_host(&source, 1);
	cr_assert_not_null(thread_current());
	col.is_recorded = 1;
	col.descriptor.functrace = col.descriptor.functrace_returns = 1;
}

TestSuite(entries, .init = setup, .fini = scratch_remove);

static void begin(void)
{
	functrace_open();
	if (scratch_count("log.xml", "entries alone are not traced") > 0)
		cr_skip_test("this processor does not let entries be traced alone");
	functrace_start();
}

/* The records in the order of the file: each as the function's address, negative at exits and
 * jumps. */
static int64_t calls[64];
static int call_count;
static int change_count; /* of the CPU, or a long time without a record */
static struct fmt_function names[32];
static int name_count;

static int64_t address_of(uint32_t id)
{
	for (int i = 0; i < name_count && i < 32; i++)
		if (names[i].id == id)
			return (int64_t)names[i].addr;
	return 1;
}

static void read_extent(const uint8_t *at, size_t len)
{
	struct fdr_record record;
	size_t done = 0;

	while (done < len && fdr_record_get(at + done, len - done, &record) > 0 &&
	       record.type != FDR_RECORD_END) {
		if (record.type == FDR_RECORD_FUNCTION && call_count < 64)
			calls[call_count++] = record.action == FDR_ENTER
			                              ? address_of(record.function)
			                              : -address_of(record.function);
		change_count += record.type == FDR_RECORD_CPU || record.type == FDR_RECORD_WRAP;
		change_count -= record.type == FDR_RECORD_NEW_BUFFER; /* begins with a CPU */
		done += record.size;
	}
}

static void end(void)
{
	struct fdr_prologue prologue;
	size_t len, at = FDR_HEADER_SIZE;
	uint8_t *bytes;

	atomic_store(&col.switches->on[SOURCE_FUNCTRACE], 0);
	name_count = scratch_records("functable", FMT_KIND_function, names, sizeof(names[0]), 32);
	bytes = (uint8_t *)scratch_read("functrace", &len);
	call_count = change_count = 0;
	while (bytes && at + FDR_PROLOGUE_SIZE <= len &&
	       fdr_prologue_get(bytes + at, &prologue) == 0) {
		read_extent(bytes + at, prologue.extent_left);
		at += prologue.extent_left;
	}
	free(bytes);
}

static int64_t in(void *function)
{
	return (int64_t)(intptr_t)function;
}

#define IN(function) in((void *)(uintptr_t)(function))
#define OUT(function) (-IN(function))

static void were_called(const int64_t *expected, int count)
{
	cr_assert_eq(call_count, count, "%d records", call_count);
	for (int i = 0; i < count; i++)
		cr_assert_eq(calls[i], expected[i], "record %d", i);
}

#define WERE_CALLED(...) \
	were_called((const int64_t[]){__VA_ARGS__}, \
	            sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

Test(entries, calls_are_recorded_with_their_exits)
{
	int before, plain;

	begin();
	before = entries_before(10);
	plain = entries_plain(5);
	end();
	cr_assert_eq(before, 32);
	cr_assert_eq(plain, 6);
	WERE_CALLED(IN(entries_before), IN(entries_plain), OUT(entries_plain), IN(entries_plain),
	            OUT(entries_plain), OUT(entries_before), IN(entries_plain), OUT(entries_plain));
	cr_assert_eq(name_count, 2);
	cr_assert_eq(names[0].source, FMT_function_source_ENTRIES);
	cr_assert_eq(atomic_load(&col.count.calls_unhooked), 0);
}

Test(entries, arguments_and_results_are_what_they_were)
{
	double result;

	begin();
	result = entries_double(1.5, 4, 0.25);
	end();
	cr_assert_eq(result, 6.25);
	WERE_CALLED(IN(entries_double), OUT(entries_double));
}

Test(entries, functions_without_room_are_told_of_and_left_alone)
{
	int result;

	begin();
	result = entries_narrow(1);
	end();
	cr_assert_eq(result, 4);
	cr_assert_eq(call_count, 0);
	cr_assert_eq(
		scratch_count("log.xml", "some functions have less than 5 bytes at their entries"),
		1);
}

Test(entries, nothing_is_recorded_before_and_behind)
{
	int depth;

	functrace_open();
	entries_plain(1);
	end();
	cr_assert_eq(call_count, 0);
	functrace_start();
	entries_plain(1);
	end();
	depth = entries_deep(30);
	end();
	cr_assert_eq(depth, 30);
	WERE_CALLED(IN(entries_plain), OUT(entries_plain));
}

Test(entries, only_chosen_functions_are_traced)
{
	strcpy(col.descriptor.functrace_names, "entries_*,!entries_plain");
	begin();
	entries_before(1);
	entries_plain(1);
	end();
	WERE_CALLED(IN(entries_before), OUT(entries_before));
}

Test(entries, calls_up_to_a_depth_are_traced)
{
	int depth;

	col.descriptor.functrace_depth = 2;
	begin();
	depth = entries_deep(5);
	end();
	cr_assert_eq(depth, 5);
	WERE_CALLED(IN(entries_deep), IN(entries_deep), OUT(entries_deep), OUT(entries_deep));
}

/* A call that takes a second must not look as short as that. */
Test(entries, short_calls_are_erased)
{
	col.descriptor.functrace_min_ns = 1000000000;
	col.descriptor.clock_hz = 5000000000;
	begin();
	for (int i = 0; i < 20; i++)
		entries_before(i);
	end();
	functrace_count();
	/* Calls that are open when the CPU changes stay: two, with two exits. */
	cr_assert_leq(call_count, 4 * change_count);
	cr_assert_eq(2 * atomic_load(&col.count.calls_erased) + (uint64_t)call_count, 2 * 60);
}

/* ---- the end of a section: what follows it is not the function's ---- */

/* What comes next in memory has nothing but nops. */
extern const uint8_t entries_behind_3[16], entries_behind_5[16];
__asm__(".pushsection entries_3_bytes, \"ax\", @progbits\n.popsection\n"
        ".pushsection entries_nops_3, \"ax\", @progbits\n"
        "entries_behind_3: .fill 16, 1, 0x90\n.popsection\n"
        ".pushsection entries_5_bytes, \"ax\", @progbits\n.popsection\n"
        ".pushsection entries_nops_5, \"ax\", @progbits\n"
        "entries_behind_5: .fill 16, 1, 0x90\n.popsection");

/* Never called. An optimizing compiler makes nothing but the space of them. */
static ENTRY(3) __attribute__((used, section("entries_3_bytes"))) void entries_cut(void)
{
	__builtin_unreachable();
}

static ENTRY(5) __attribute__((used, section("entries_5_bytes"))) void entries_exact(void)
{
	__builtin_unreachable();
}

Test(entries, space_ends_with_its_section)
{
	const uint8_t *const three = (const uint8_t *)(uintptr_t)entries_cut;
	const uint8_t *const five = (const uint8_t *)(uintptr_t)entries_exact;
	uint8_t cut[3], exact[9]; /* with an instruction that marks the entry */

	memcpy(cut, three, sizeof(cut));
	memcpy(exact, five, sizeof(exact));
	begin();
	cr_assert_eq(memcmp(cut, three, sizeof(cut)), 0);
	cr_assert_neq(memcmp(exact, five, sizeof(exact)), 0);
	for (int i = 0; i < 16; i++) {
		cr_assert_eq(entries_behind_3[i], 0x90, "byte %d", i);
		cr_assert_eq(entries_behind_5[i], 0x90, "byte %d", i);
	}
}

/* Space as of a patch, but the program does not list it. */
extern uint8_t entries_unlisted[8];
__asm__(".pushsection .text\n"
        ".globl entries_unlisted\n"
        "\t.type entries_unlisted, @function\n"
        "entries_unlisted:\n"
        "\t.cfi_startproc\n"
        "\t.fill 8, 1, 0x90\n"
        "\tret\n"
        "\t.cfi_endproc\n"
        ".popsection");

static int is_patched(const struct elffile *file, uint64_t bias)
{
	static const uint8_t nops[] = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90};
	uint8_t now[sizeof(nops)];

	cr_assert_eq(code_begin(), 0);
	entries_see(file, bias, 1);
	code_end();
	memcpy(now, entries_unlisted, sizeof(now));
	return memcmp(now, nops, sizeof(nops)) != 0;
}

/* In a copy of the program's file a relocation lists that space, in a place where relocations are,
 * or in one where bytes only look like it. */
Test(entries, relocations_are_read_where_they_are)
{
	const struct link_map *link = dlopen(NULL, RTLD_LAZY);
	const Elf64_Shdr *list, *relocations = NULL, *data, *sections;
	struct elffile mapped, file;
	unsigned count;
	Elf64_Rela made;
	uint8_t *copy;

	begin();
	cr_assert_eq(elffile_map("/proc/self/exe", &mapped), 0);
	copy = malloc(mapped.size);
	cr_assert_not_null(copy);
	memcpy(copy, mapped.at, mapped.size);
	file = (struct elffile){.at = copy, .size = mapped.size};
	list = elffile_find_section(&file, "__patchable_function_entries");
	data = elffile_find_section(&file, ".rodata");
	sections = elffile_sections(&file, &count);
	for (unsigned i = 0; i < count; i++)
		if (sections[i].sh_type == SHT_RELA && sections[i].sh_flags & SHF_ALLOC &&
		    sections[i].sh_size > sizeof(made) && !relocations)
			relocations = &sections[i];
	if (!list || !data || !relocations)
		cr_skip_test("this program has no relocations");
	made = (Elf64_Rela){.r_offset = list->sh_addr,
	                    .r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE),
	                    .r_addend = (int64_t)((uintptr_t)entries_unlisted - link->l_addr)};
	memcpy(copy + data->sh_offset, &made, sizeof(made));
	cr_expect(!is_patched(&file, link->l_addr), "what is no relocation");
	memcpy(copy + relocations->sh_offset + relocations->sh_size - sizeof(made), &made,
	       sizeof(made));
	cr_expect(is_patched(&file, link->l_addr), "what is one");
	elffile_unmap(&mapped);
	free(copy);
}

static jmp_buf out;

static ENTRY(8) int entries_jump(int value)
{
	sink = value;
	longjmp(out, 1);
}

static ENTRY(8) int entries_outside(int value)
{
	if (!setjmp(out))
		entries_jump(value);
	return entries_plain(value);
}

Test(entries, what_a_jump_leaves_has_no_exit)
{
	int result;

	begin();
	result = entries_outside(7);
	end();
	cr_assert_eq(result, 8);
	WERE_CALLED(IN(entries_outside), IN(entries_jump), IN(entries_plain), OUT(entries_plain),
	            OUT(entries_outside));
}

Test(entries, without_the_users_wish_nothing_is_patched)
{
	col.descriptor.functrace_returns = 0;
	begin();
	entries_plain(1);
	end();
	cr_assert_eq(call_count, 0);
}
