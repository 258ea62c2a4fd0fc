/* Tests of libcollector/unwind/walk_guess.c: one step over code without tables, on a made stack. */
#include "libcollector/unwind/walk_step.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

enum { WORDS = 1024, PLACES = 512, FIRST = 16, EACH = 16 };

static struct walk_memo *memo;
static struct walk walk;
static uint64_t *stack;   /* WORDS, with nothing mapped behind */
static uint8_t *made;     /* code in no object: calls, each with its return address behind */
static uint64_t returned; /* in an object with tables */

/* The return address behind call i of the JIT code. */
static uint64_t return_of(size_t i)
{
	return (uint64_t)made + FIRST + EACH * i + 5;
}

static uint64_t __attribute__((noinline)) here(void)
{
	return (uint64_t)__builtin_return_address(0);
}

static void setup(void)
{
	size_t size = WORDS * sizeof(uint64_t);
	uint8_t *pages = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                      -1, 0);

	made = mmap(NULL, FIRST + PLACES * EACH, PROT_READ | PROT_WRITE,
	            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert(pages != MAP_FAILED && made != MAP_FAILED);
	cr_assert_eq(munmap(pages + size, size), 0);
	stack = (uint64_t *)pages;
	for (size_t i = 0; i < PLACES; i++)
		made[FIRST + EACH * i] = 0xe8; /* call */
	returned = here();
	memo = walk_memo_create(2048);
	cr_assert_not_null(memo);
	memo->page = ~(uint64_t)0;
	walk = (struct walk){.memo = memo,
	                     .fresh = memo->frame + memo->capacity,
	                     .pc = (uint64_t)made + 1,
	                     .sp = (uint64_t)stack,
	                     .plain = 1};
}

static void teardown(void)
{
	walk_memo_destroy(memo);
	munmap(stack, WORDS * sizeof(uint64_t));
	munmap(made, FIRST + PLACES * EACH);
	walk_tell_unmapped(NULL);
}

TestSuite(walk_guess, .init = setup, .fini = teardown);

static void expect_at(uint64_t pc, size_t word, uint64_t bp)
{
	cr_expect_eq(walk.pc, pc, "pc %#llx", (unsigned long long)walk.pc);
	cr_expect_eq(walk.sp, (uint64_t)(stack + word), "sp is word %lld",
	             (long long)((int64_t)(walk.sp - (uint64_t)stack) / 8));
	cr_expect_eq(walk.bp, bp, "bp %#llx", (unsigned long long)walk.bp);
}

Test(walk_guess, a_leaf_returns_to_the_first_word)
{
	walk.is_leaf = 1;
	walk.bp = 77;
	stack[0] = return_of(0);
	cr_assert_eq(walk_guess(&walk), 0);
	expect_at(return_of(0), 1, 77);
	cr_expect_eq(walk.is_leaf, 0);
	cr_expect_eq(walk.scans, 0);
}

/* The word is one only where a leaf may be. */
Test(walk_guess, what_is_no_leaf_does_not_return_to_the_first_word)
{
	stack[0] = return_of(0);
	cr_assert_eq(walk_guess(&walk), -1);
	cr_expect_eq(walk.guessed, 0);
}

Test(walk_guess, the_frame_pointer_leads_to_the_caller)
{
	walk.bp = (uint64_t)(stack + 4);
	stack[4] = 4711;
	stack[5] = return_of(1);
	cr_assert_eq(walk_guess(&walk), 0);
	expect_at(return_of(1), 6, 4711);
	walk.bp = walk.sp; /* a frame of nothing but the two words */
	stack[6] = 4712;
	stack[7] = return_of(2);
	cr_assert_eq(walk_guess(&walk), 0);
	expect_at(return_of(2), 8, 4712);
	cr_expect_eq(walk.scans, 0);
}

Test(walk_guess, a_frame_pointer_below_the_stack_or_astray_is_none)
{
	walk.sp = (uint64_t)(stack + 2);
	walk.bp = (uint64_t)stack;
	stack[1] = return_of(0);
	cr_expect_eq(walk_guess(&walk), -1);
	stack[4] = stack[5] = return_of(0);
	for (uint64_t astray = 1; astray < 8; astray++) {
		walk.bp = (uint64_t)(stack + 4) + astray;
		cr_expect_eq(walk_guess(&walk), -1, "%llu", (unsigned long long)astray);
	}
	walk.bp = (uint64_t)(stack + WORDS); /* not mapped */
	cr_expect_eq(walk_guess(&walk), -1);
	walk.bp = (uint64_t)(stack + WORDS - 1); /* half of it */
	cr_expect_eq(walk_guess(&walk), -1);
	walk.bp = (uint64_t)(stack + 8); /* the word behind it follows no call */
	stack[9] = (uint64_t)made + 9;
	cr_expect_eq(walk_guess(&walk), -1);
}

/* A mark of the guess is put before the first guessed frame, and only there. */
Test(walk_guess, the_first_guess_leaves_a_mark)
{
	stack[1] = return_of(0);
	walk.bp = (uint64_t)stack;
	cr_assert_eq(walk_guess(&walk), 0);
	cr_assert_eq(memo->frame + memo->capacity - walk.fresh, 1);
	cr_expect_eq(walk.fresh->pc, FMT_PC_GUESSED);
	cr_expect_eq(walk.fresh->is_mark, 1);
	cr_expect_eq(walk.fresh->bp_slot, 0);
	cr_expect_eq(walk.guessed, 1);
	stack[3] = return_of(1);
	walk.bp = (uint64_t)(stack + 2);
	cr_assert_eq(walk_guess(&walk), 0);
	cr_expect_eq(memo->frame + memo->capacity - walk.fresh, 1);
	cr_expect_eq(walk.guessed, 2);
}

Test(walk_guess, a_mark_that_does_not_fit_ends_the_walk)
{
	stack[1] = return_of(0);
	walk.bp = (uint64_t)stack;
	walk.least = walk.fresh;
	cr_expect_eq(walk_guess(&walk), -1);
	cr_expect_eq(memo->is_too_small, 1);
}

Test(walk_guess, there_are_4096_guesses_a_stack)
{
	stack[1] = return_of(0);
	walk.bp = (uint64_t)stack;
	walk.guessed = 4095;
	cr_expect_eq(walk_guess(&walk), 0);
	cr_expect_eq(walk.guessed, 4096);
	walk.bp = (uint64_t)(stack + 2);
	stack[3] = return_of(0);
	cr_expect_eq(walk_guess(&walk), -1);
}

/* ---- the search of the stack ---- */

Test(walk_guess, the_stack_is_searched_for_a_return_into_code_with_tables)
{
	stack[3] = return_of(0); /* in no object */
	stack[4] = returned - 1; /* follows no call */
	stack[5] = 4095;
	stack[6] = (uint64_t)1 << 63 | returned;
	stack[7] = returned;
	walk.bp = 78;
	cr_assert_eq(walk_guess(&walk), 0);
	expect_at(returned, 8, 78);
	cr_expect_eq(walk.scans, 1);
}

/* It is below the return address, and not far above it. */
Test(walk_guess, a_search_takes_the_saved_frame_pointer)
{
	const struct {
		uint64_t saved;
		int is_taken;
	} cases[] = {{(uint64_t)(stack + 7), 0},
	             {(uint64_t)(stack + 7) + 1, 1},
	             {(uint64_t)(stack + 7) + (1 << 20) - 1, 1},
	             {(uint64_t)(stack + 7) + (1 << 20), 0},
	             {0, 0}};

	stack[7] = returned;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		stack[6] = cases[i].saved;
		walk.pc = (uint64_t)made + 1;
		walk.sp = (uint64_t)stack;
		walk.bp = 79;
		cr_assert_eq(walk_guess(&walk), 0);
		expect_at(returned, 8, cases[i].is_taken ? cases[i].saved : 79);
	}
}

Test(walk_guess, a_search_ends_after_512_words)
{
	stack[511] = returned;
	cr_expect_eq(walk_guess(&walk), 0);
	expect_at(returned, 512, 0);
	walk.pc = (uint64_t)made + 1;
	walk.sp = (uint64_t)stack;
	stack[511] = 0;
	stack[512] = returned;
	cr_expect_eq(walk_guess(&walk), -1);
	walk.sp = (uint64_t)(stack + WORDS - 1); /* at the end of what is mapped */
	cr_expect_eq(walk_guess(&walk), -1);
}

Test(walk_guess, a_stack_is_searched_16_times)
{
	stack[0] = returned;
	for (int i = 0; i < 17; i++) {
		walk.pc = (uint64_t)made + 1;
		walk.sp = (uint64_t)stack;
		cr_expect_eq(walk_guess(&walk), i < 16 ? 0 : -1, "search %d", i);
	}
}

Test(walk_guess, it_is_not_searched_from_an_object_or_astray)
{
	stack[0] = stack[1] = returned;
	walk.pc = returned;
	cr_expect_eq(walk_guess(&walk), -1);
	walk.pc = (uint64_t)made + 1;
	for (uint64_t astray = 1; astray < 8; astray++) {
		walk.sp = (uint64_t)stack + astray;
		cr_expect_eq(walk_guess(&walk), -1);
	}
	cr_expect_eq(walk.scans, 0);
}

/* ---- return addresses ---- */

Test(walk_guess, a_return_address_follows_a_call)
{
	cr_expect(walk_is_return_address(&walk, return_of(3)));
	cr_expect(!walk_is_return_address(&walk, return_of(3) + 1));
	cr_expect(!walk_is_return_address(&walk, return_of(3) - 1));
	cr_expect(!walk_is_return_address(&walk, 4096));
	cr_expect(!walk_is_return_address(&walk, 0));
	cr_expect(!walk_is_return_address(&walk, (uint64_t)(stack + WORDS) + 9));
}

/* The code before an address is read once. It is forgotten when four others of its set came. */
Test(walk_guess, return_addresses_are_kept_four_to_a_set)
{
	size_t kept = 0;

	for (size_t i = 0; i < PLACES; i++)
		cr_assert(walk_is_return_address(&walk, return_of(i)));
	memset(made, 0, FIRST + PLACES * EACH);
	for (size_t i = 0; i < PLACES; i++)
		kept += (size_t)walk_is_return_address(&walk, return_of(i));
	/* 512 in 512 sets of four: nearly all; in sets of one, some two thirds. */
	cr_expect_geq(kept, PLACES * 95 / 100, "%zu are kept", kept);
	cr_expect(walk_is_return_address(&walk, return_of(PLACES - 1)), "the last is kept");
}

/* ---- those who are told, and virtual machines ---- */

static uint64_t seen;

static void see(uint64_t pc)
{
	seen = pc;
}

Test(walk_guess, the_address_of_the_call_is_told)
{
	walk_tell_unmapped(see);
	walk.pc = return_of(0);
	walk_guess(&walk);
	cr_expect_eq(seen, return_of(0) - 1);
	walk.pc = return_of(1);
	walk.sp = (uint64_t)stack;
	walk.is_leaf = 1;
	walk_guess(&walk);
	cr_expect_eq(seen, return_of(1), "an instruction is told as it is");
	walk_tell_unmapped(NULL);
	seen = 0;
	walk.pc = return_of(2);
	walk_guess(&walk);
	cr_expect_eq(seen, 0);
}

static int step_of_machine(struct walk *at)
{
	at->sp = 4713;
	return 0;
}

Test(walk_guess, a_machine_steps_over_its_own_code)
{
	const uint64_t low = return_of(1), high = return_of(3);
	const struct {
		uint64_t pc;
		int is_machine;
	} cases[] = {{low - 1, 0}, {low, 1}, {high - 1, 1}, {high, 0}};

	walk_tell_unmapped(see);
	walk_machine = (struct walk_machine){.low = &low, .high = &high, .step = step_of_machine};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		seen = 0;
		walk.pc = cases[i].pc;
		walk.sp = (uint64_t)stack;
		cr_expect_eq(walk_guess(&walk), cases[i].is_machine ? 0 : -1, "case %zu", i);
		cr_expect_eq(walk.sp == 4713, cases[i].is_machine, "case %zu", i);
		cr_expect_eq(seen != 0, !cases[i].is_machine, "case %zu", i);
	}
	walk_machine = (struct walk_machine){.low = NULL};
}

/* ---- code of an object that gives back its frame and returns behind a call, as _init does */

__asm__(".text\n"
        "ends_at_once: call *%rdi\n"
        "behind_call: add $40, %rsp\n"
        "\tret\n"
        "goes_on: call *%rdi\n"
        "behind_another: add $40, %rsp\n"
        "\tnop\n"
        "\tret\n");
extern const char behind_call[], behind_another[];

Test(walk_guess, an_end_behind_the_call_tells_the_frame)
{
	walk.pc = (uint64_t)behind_call;
	walk.bp = 77;
	stack[5] = returned;
	cr_assert_eq(walk_guess(&walk), 0);
	expect_at(returned, 6, 77);
	cr_expect_eq(walk.guessed, 0, "it is no guess");
	cr_expect_eq(walk.plain, 1);
}

Test(walk_guess, an_end_counts_only_behind_a_call_and_with_a_return_address)
{
	walk.pc = (uint64_t)behind_another;
	stack[5] = returned;
	cr_expect_eq(walk_guess(&walk), -1);
	walk.pc = (uint64_t)behind_call;
	stack[5] = (uint64_t)made + 9; /* follows no call */
	cr_expect_eq(walk_guess(&walk), -1);
	stack[5] = returned;
	walk.is_leaf = 1;
	cr_expect_eq(walk_guess(&walk), -1);
	walk.is_leaf = 0;
	memcpy(made + 64, behind_call, 8); /* the same in JIT code: it is not looked at */
	walk.pc = (uint64_t)made + 64;
	cr_assert_eq(walk_guess(&walk), 0);
	cr_expect_eq(walk.guessed, 1);
}
