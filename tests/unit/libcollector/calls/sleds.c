/* Sleds that are patched, with a made-up map of functions of this program. */
#include "libcollector/calls/sleds.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/calls/sled.h"
#include "libcollector/calls/sled_entry.h"
#include "libcollector/object/code.h"
#include "libcollector/object/map.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

/* As clang writes them: a jump over 9 bytes at the entry; at the exit a return with 10 bytes after
 * it. Each is 11 bytes long. */
int sleds_five(void), sleds_six(void);
extern const uint8_t sleds_five_exit[], sleds_six_exit[];
__asm__(".pushsection .text\n"
        ".macro sleds_function name, value\n"
        ".globl \\name, \\name\\()_exit\n"
        ".type \\name,@function\n"
        ".p2align 4\n"
        "\\name:\n"
        "\t.byte 0xeb, 0x09\n\tnopw 512(%rax,%rax,1)\n"
        "\tmov $\\value, %eax\n"
        ".p2align 1\n"
        "\\name\\()_exit:\n"
        "\tret\n\t.byte 0x2e, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0\n"
        ".size \\name, .-\\name\n"
        ".endm\n"
        "sleds_function sleds_five, 5\n"
        "sleds_function sleds_six, 6\n"
        ".popsection");

static const uint8_t entry_head[] = {0xeb, 0x09}, exit_head[] = {0xc3, 0x2e};

/* A file with a map of both functions. */
static uint8_t map[4][SLED_ENTRY_SIZE];
static struct {
	Elf64_Ehdr header;
	Elf64_Shdr section[2];
	char names[32];
} bytes;
static const struct elffile file = {(const uint8_t *)&bytes, sizeof(bytes)};

static void put_entry(int index, const void *sled, int (*function)(void), uint8_t kind)
{
	uint64_t words[2] = {(uint64_t)sled, (uint64_t)function};

	memset(map[index], 0, SLED_ENTRY_SIZE);
	memcpy(map[index], words, sizeof(words));
	map[index][16] = kind;
}

static void setup(void)
{
	scratch_open();
	map_open_program();
	if (!sled_entry_is_possible())
		cr_skip_test("this processor has not what patched sleds need");
	put_entry(0, (const void *)(uintptr_t)sleds_five, sleds_five, SLED_ENTER);
	put_entry(1, sleds_five_exit, sleds_five, SLED_EXIT);
	put_entry(2, (const void *)(uintptr_t)sleds_six, sleds_six, SLED_ENTER);
	put_entry(3, sleds_six_exit, sleds_six, SLED_EXIT);
	memcpy(bytes.header.e_ident, ELFMAG, SELFMAG);
	bytes.header.e_ident[EI_CLASS] = ELFCLASS64;
	bytes.header.e_shentsize = sizeof(Elf64_Shdr);
	bytes.header.e_shoff = sizeof(Elf64_Ehdr);
	bytes.header.e_shnum = 2;
	bytes.section[0] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
	                                .sh_name = 20,
	                                .sh_offset = offsetof(typeof(bytes), names),
	                                .sh_size = sizeof(bytes.names)};
	bytes.section[1] = (Elf64_Shdr){.sh_name = 1,
	                                .sh_flags = SHF_ALLOC,
	                                .sh_addr = (uint64_t)map - 0x1000,
	                                .sh_size = sizeof(map)};
	memcpy(bytes.names + 1, "xray_instr_map", 15);
}

TestSuite(sleds, .init = setup, .fini = scratch_remove);

static void see(void)
{
	cr_assert_eq(code_begin(), 0);
	sleds_see(&file, 0x1000);
	code_end();
}

/* What a patched sled contains: its number goes to r10, and it calls, or jumps to, a stub that
 * jumps to `target`. */
static void is_patched(const void *sled, uint32_t number, int is_exit, void (*target)(void))
{
	const uint8_t *code = sled;
	uint32_t got_number;
	int32_t distance;
	uint64_t got_target;

	cr_assert(code[0] == 0x41 && code[1] == 0xba);
	memcpy(&got_number, code + 2, 4);
	cr_assert_eq(got_number, number);
	cr_assert_eq(code[6], is_exit ? 0xe9 : 0xe8);
	memcpy(&distance, code + 7, 4);
	code += 11 + distance;
	cr_assert(code[0] == 0xff && code[1] == 0x25, "jmp *0(%%rip)");
	memcpy(&got_target, code + 6, 8);
	cr_assert_eq(got_target, (uint64_t)target);
}

static int is_original(const void *sled, const uint8_t *head)
{
	return memcmp(sled, head, 2) == 0;
}

static struct fmt_function names[8];

static int count_names(void)
{
	return scratch_records("functable", FMT_KIND_function, names, sizeof(names[0]), 8);
}

Test(sleds, they_lead_to_the_recorder_and_have_numbers_in_order)
{
	see();
	is_patched((const void *)(uintptr_t)sleds_five, 1, 0, sled_enter);
	is_patched(sleds_five_exit, 1, 1, sled_exit);
	is_patched((const void *)(uintptr_t)sleds_six, 2, 0, sled_enter);
	is_patched(sleds_six_exit, 2, 1, sled_exit);
	cr_assert(sleds_five() == 5 && sleds_six() == 6);
	cr_assert_eq(count_names(), 2);
	cr_assert_eq(names[0].id, 1);
	cr_assert_eq(names[0].addr, (uint64_t)sleds_five);
	cr_assert_eq(names[0].source, FMT_function_source_SLEDS);
	cr_assert_eq(names[1].id, 2);
	cr_assert_eq(names[1].addr, (uint64_t)sleds_six);
	see();
	cr_assert_eq(count_names(), 2, "once");
	sleds_name_all();
	cr_assert_eq(count_names(), 4);
	cr_assert_eq(names[3].id, 2);
	cr_assert_eq(scratch_count("log.xml", "kind=\"warning\""), 0);
}

Test(sleds, they_are_restored_and_patched_again)
{
	see();
	sleds_restore();
	cr_assert(is_original((const void *)(uintptr_t)sleds_five, entry_head));
	cr_assert(is_original(sleds_five_exit, exit_head));
	cr_assert(is_original((const void *)(uintptr_t)sleds_six, entry_head));
	cr_assert(sleds_five() == 5 && sleds_six() == 6);
	see();
	is_patched((const void *)(uintptr_t)sleds_five, 1, 0, sled_enter);
	is_patched(sleds_six_exit, 2, 1, sled_exit);
	cr_assert(sleds_five() == 5 && sleds_six() == 6);
	sleds_forget();
	sleds_restore();
	cr_assert(is_original(sleds_six_exit, exit_head), "the program is not gone");
}

Test(sleds, only_those_of_chosen_functions_are_patched)
{
	strcpy(col.descriptor.functrace_names, "sleds_six");
	see();
	cr_assert(is_original((const void *)(uintptr_t)sleds_five, entry_head));
	cr_assert(is_original(sleds_five_exit, exit_head));
	is_patched((const void *)(uintptr_t)sleds_six, 2, 0, sled_enter);
	cr_assert_eq(count_names(), 1);
	cr_assert_eq(names[0].id, 2);
	sleds_restore();
	cr_assert(is_original((const void *)(uintptr_t)sleds_six, entry_head));
	cr_assert(sleds_five() == 5 && sleds_six() == 6);
}

/* The words of the map are addresses in its first version, and distances from the second one on;
 * sleds of unknown kinds are left alone. */
Test(sleds, what_nobody_knows_is_left_alone)
{
	put_entry(2, (const void *)(uintptr_t)sleds_six, sleds_six, SLED_KINDS);
	put_entry(3, sleds_six_exit, sleds_six, 200);
	see();
	is_patched((const void *)(uintptr_t)sleds_five, 1, 0, sled_enter);
	cr_assert(is_original((const void *)(uintptr_t)sleds_six, entry_head));
	cr_assert(is_original(sleds_six_exit, exit_head));
	sleds_restore();
	cr_assert(is_original((const void *)(uintptr_t)sleds_five, entry_head));
}

Test(sleds, code_that_another_one_has_patched_is_left_alone)
{
	static const uint8_t others[] = {0x41, 0xba, 9, 0, 0, 0, 0xe8};

	cr_assert_eq(code_begin(), 0);
	cr_assert_eq(code_write((uint64_t)sleds_six_exit, others, sizeof(others)), 0);
	sleds_see(&file, 0x1000);
	cr_assert(is_original((const void *)(uintptr_t)sleds_five, entry_head));
	cr_assert_eq(memcmp(sleds_six_exit, others, sizeof(others)), 0);
	cr_assert_eq(scratch_count("log.xml", "sleds that others have patched are left alone"), 1);
	cr_assert_eq(count_names(), 0);
	cr_assert_eq(code_write((uint64_t)sleds_six_exit,
	                        (const uint8_t *)"\xc3\x2e\x66\x0f\x1f\x84\x00", 7),
	             0);
	code_end();
}

Test(sleds, a_map_that_is_cut_is_read_as_far_as_it_goes)
{
	bytes.section[1].sh_size = 3 * SLED_ENTRY_SIZE - 1;
	see();
	is_patched(sleds_five_exit, 1, 1, sled_exit);
	cr_assert(is_original((const void *)(uintptr_t)sleds_six, entry_head));
	cr_assert_eq(count_names(), 1);
	sleds_restore();
}

Test(sleds, a_map_that_is_not_in_memory_is_none)
{
	bytes.section[1].sh_flags = 0;
	see();
	bytes.section[1].sh_flags = SHF_ALLOC;
	bytes.names[1] = 'y';
	see();
	cr_assert(is_original((const void *)(uintptr_t)sleds_five, entry_head));
	cr_assert_eq(count_names(), 0);
}
