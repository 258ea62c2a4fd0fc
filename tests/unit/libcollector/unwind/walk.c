/* The unwinder in this process: its stacks are compared with glibc's and with its own. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/thread/signals.h"
#include "libcollector/unwind/walk.h"
#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>

enum { DEPTH = 200, FRAMES = 2048 };

static struct walk_memo *memo, *fresh;
static struct fmt_node *nodes;

static void setup(void)
{
	scratch_open();
	memo = walk_memo_create(FRAMES);
	fresh = walk_memo_create(FRAMES);
}

/* The frameinfo file as it is now; nodes are named by their offset in it. */
static void load_nodes(void)
{
	size_t len;

	free(nodes);
	nodes = (struct fmt_node *)scratch_read("frameinfo", &len);
	cr_assert(nodes != NULL);
}

static uint32_t walk_caller(struct walk_memo *with) __attribute__((noinline));
static uint32_t walk_caller(struct walk_memo *with)
{
	uint64_t *frame = __builtin_frame_address(0);

	return walk_stack(with, frame[1], (uint64_t)frame + 16, frame[0], NULL);
}

static int compare_with_backtrace(void) __attribute__((noinline));
static int compare_with_backtrace(void)
{
	void *pcs[2 * DEPTH];
	uint32_t node = walk_caller(memo);
	int count = backtrace(pcs, 2 * DEPTH);
	int depth = 0;

	load_nodes();
	for (; node; node = nodes[node / sizeof(struct fmt_node)].parent, depth++)
		if (depth > 0 && depth < count)
			cr_assert_eq(nodes[node / sizeof(struct fmt_node)].pc, (uint64_t)pcs[depth],
			             "frame %d", depth);
	return depth;
}

static int recurse(int depth, int (*leaf)(void)) __attribute__((noinline));
static int recurse(int depth, int (*leaf)(void))
{
	int result = depth > 0 ? recurse(depth - 1, leaf) : leaf();

	__asm__ volatile("" : "+r"(result)); /* otherwise it becomes a loop */
	return result;
}

Test(walk, finds_the_frames_that_glibc_finds, .init = setup, .fini = scratch_remove)
{
	int shallow = recurse(0, compare_with_backtrace);

	cr_assert(shallow > 4);
	cr_assert_eq(recurse(DEPTH, compare_with_backtrace), shallow + DEPTH);
	cr_assert_eq(atomic_load(&col.count.stacks_truncated) +
	                     atomic_load(&col.count.stacks_guessed),
	             0);
}

static int has_no_node(void)
{
	cr_assert_eq(walk_caller(memo), 0);
	return 0;
}

Test(walk, a_stack_too_deep_for_the_memo_is_marked_and_asks_for_a_larger_one, .init = setup,
     .fini = scratch_remove)
{
	recurse(FRAMES + 10, has_no_node);
	cr_assert(memo->is_too_small);
	cr_assert_eq(atomic_load(&col.count.stacks_truncated), 0);
	memo->is_final = 1; /* there is no larger one */
	recurse(FRAMES + 10, compare_with_backtrace);
	cr_assert(!memo->is_too_small);
	cr_assert_eq(atomic_load(&col.count.stacks_truncated), 1);
	walk_memo_destroy(memo);
	memo = walk_memo_create(16 * FRAMES);
	cr_assert(recurse(FRAMES + 10, compare_with_backtrace) > FRAMES + 10);
	cr_assert(!memo->is_too_small);
}

/* ---- the memo must never change an answer ---- */

static uint64_t seed;
static int walks;

static uint32_t __attribute__((noinline)) both(uint32_t *with_memo)
{
	uint64_t *frame = __builtin_frame_address(0);

	fresh->count = 0;
	*with_memo = walk_stack(memo, frame[1], (uint64_t)frame + 16, frame[0], NULL);
	return walk_stack(fresh, frame[1], (uint64_t)frame + 16, frame[0], NULL);
}

static void __attribute__((noinline)) roam(int depth)
{
	volatile char *frame = __builtin_alloca(16 + 16 * seed_below(&seed, 4));
	uint32_t with_memo;

	frame[0] = 1;
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(both(&with_memo), with_memo);
		walks++;
		if (depth < 30 && walks < 50000 && seed_below(&seed, 5) < 3)
			roam(depth + frame[0]);
	}
}

Test(walk, memo_gives_what_a_full_walk_gives, .init = setup, .fini = scratch_remove)
{
	seed = seed_start();
	while (walks < 50000)
		roam(0);
}

/* Functions with the same frame that call each other, and the walk, from one place each: then all
 * but return addresses is the same in different stacks. */
static void __attribute__((noinline)) walk_here(int depth)
{
	uint64_t *frame = __builtin_frame_address(0);
	uint32_t node;

	fresh->count = 0;
	node = walk_stack(memo, frame[1], (uint64_t)frame + 16, frame[0], NULL);
	cr_assert_eq(node, walk_stack(fresh, frame[1], (uint64_t)frame + 16, frame[0], NULL),
	             "%d calls", depth);
	walks++;
}

static void (*pick(int depth))(int);

#define ALIKE(name) \
	static void __attribute__((noinline)) name(int depth) \
	{ \
		for (int i = 0; i < 3; i++) { \
			pick(depth)(depth + 1); \
			__asm__ volatile("# " #name); /* so that they are not made one */ \
		} \
	}
ALIKE(alike_1)
ALIKE(alike_2)
ALIKE(alike_3)

static void (*pick(int depth))(int)
{
	static void (*const all[])(int) = {alike_1, alike_2, alike_3, walk_here, walk_here};

	return depth < 30 && walks < 50000 ? all[seed_below(&seed, 5)] : walk_here;
}

Test(walk, memo_tells_functions_with_one_frame_apart, .init = setup, .fini = scratch_remove)
{
	seed = seed_start();
	while (walks < 50000)
		alike_1(0);
}

static void (*volatile next)(int depth);

static void __attribute__((noinline)) call_next(void)
{
	next(0);
	__asm__ volatile("" ::: "memory"); /* so that it is a call */
}

static void __attribute__((noinline)) further(int depth)
{
	walk_here(depth);
	__asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) below(size_t size)
{
	volatile char *space = __builtin_alloca(size);

	for (space[0] = 0; space[0] < 3; space[0]++) { /* volatile, so that it is one call */
		next = space[0] == 0 ? walk_here : further;
		call_next();
	}
}

/* Where a frame begins at a page, the address that shows that it is unchanged is in the page below,
 * of which nothing is known while the frame is the innermost one. */
Test(walk, memo_knows_frames_at_the_end_of_a_page, .init = setup, .fini = scratch_remove)
{
	for (size_t size = 16; size <= 4096 + 16; size += 16) {
		walk_memo_destroy(memo);
		memo = walk_memo_create(FRAMES);
		below(size);
	}
	cr_assert_eq(walks, 3 * 257);
}

/* ---- stacks that end at a base, as those of OpenMP's threads do ---- */

static uint32_t plain_node, joined_node;

static int walk_both(void)
{
	plain_node = both(&joined_node);
	return 0;
}

static uint32_t parent_of(uint32_t node)
{
	return nodes[node / sizeof(struct fmt_node)].parent;
}

static uint64_t pc_of(uint32_t node)
{
	return nodes[node / sizeof(struct fmt_node)].pc;
}

/* The stack with the base has the frames of the plain one; the outermost one inside of the base, if
 * that is dropped, is left out. */
static void compare_at_base(uint32_t base, int drops)
{
	uint32_t plain = plain_node, joined = joined_node;

	load_nodes();
	for (; plain && parent_of(plain) != base; plain = parent_of(plain)) {
		cr_assert_eq(pc_of(joined), pc_of(plain));
		joined = parent_of(joined);
	}
	cr_assert_neq(plain, 0);
	cr_assert_eq(joined, drops ? base : plain);
}

/* The base is where this function was called. */
static void __attribute__((noinline)) join_here(int depth, int drops)
{
	uint64_t *frame = __builtin_frame_address(0);
	uint32_t base = walk_stack(fresh, frame[1], (uint64_t)frame + 16, frame[0], NULL);

	walk_memo_join(memo, (uint64_t)frame + 16, base, drops);
	plain_node = both(&joined_node); /* one frame */
	compare_at_base(base, drops);
	for (int i = 0; i < 2; i++) { /* with and without the memo of the last one */
		recurse(depth, walk_both);
		compare_at_base(base, drops);
	}
	walk_memo_join(memo, 0, 0, 0);
	recurse(depth, walk_both);
	cr_assert_eq(joined_node, plain_node, "no base any more");
}

Test(walk, goes_on_with_the_stack_of_its_base, .init = setup, .fini = scratch_remove)
{
	for (int drops = 0; drops < 2; drops++)
		for (int depth = 0; depth < 20; depth += 1 + depth / 4)
			join_here(depth, drops);
}

/* ---- return addresses that were replaced, as function tracing does it ---- */

static void exchange(volatile uint64_t *slot)
{
	shadow_make((uint64_t)slot)->address = *slot;
	*slot = shadow_trampoline;
}

static void put_back(volatile uint64_t *slot)
{
	*slot = shadow_find((uint64_t)slot)->address;
}

/* The node is the same before, while and after the return address is replaced; those of outer
 * frames may be replaced all the time. */
static void __attribute__((noinline)) wander(int depth)
{
	volatile char *room = __builtin_alloca(16 + 16 * seed_below(&seed, 4));
	volatile uint64_t *slot = (uint64_t *)__builtin_frame_address(0) + 1;
	uint32_t nodes_met[3], with_memo;
	int is_kept = (int)seed_below(&seed, 2);

	room[0] = 1;
	if (is_kept)
		exchange(slot);
	for (size_t i = 0; i < 3; i++) {
		if (!is_kept && i == 1)
			exchange(slot);
		nodes_met[i] = both(&with_memo);
		cr_assert_eq(nodes_met[i], with_memo);
		cr_assert_eq(nodes_met[i], nodes_met[0]);
		walks++;
		if (depth < 30 && walks < 50000 && seed_below(&seed, 5) < 3)
			wander(depth + room[0]);
		if (!is_kept && i == 1)
			put_back(slot);
	}
	if (is_kept)
		put_back(slot);
}

Test(walk, exchanged_return_addresses_are_the_true_ones, .init = setup, .fini = scratch_remove)
{
	static char trampoline[512];

	seed = seed_start();
	shadow_trampoline = (uint64_t)trampoline;
	while (walks < 50000)
		wander(0);
	cr_assert(memo->count > 0, "the memo keeps such stacks");
	cr_assert_eq(atomic_load(&col.count.stacks_truncated) +
	                     atomic_load(&col.count.stacks_guessed),
	             0);
}

/* ---- signals, other stacks, broken stacks ---- */

static int signal_depth;
static uint32_t signal_node;

static void on_signal(int number, siginfo_t *info, void *context)
{

	(void)number;
	(void)info;
	signal_node = walk_stack(memo, arch_context_pc(context), arch_context_sp(context),
	                         arch_context_fp(context), context);
}

static void on_outer_signal(int number)
{
	(void)number;
	raise(SIGUSR2);
}

static int raise_both(void)
{
	return raise(SIGUSR1);
}

static int depth_of(uint32_t node)
{
	int depth = 0;

	load_nodes();
	for (; node; node = nodes[node / sizeof(struct fmt_node)].parent) {
		cr_assert_geq(nodes[node / sizeof(struct fmt_node)].pc, FMT_PC_MARKS);
		depth++;
	}
	return depth;
}

static void interrupt_at(int depth, int flags)
{
	struct sigaction inner = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	struct sigaction outer = {.sa_handler = on_outer_signal, .sa_flags = flags};

	sigaction(SIGUSR2, &inner, NULL);
	sigaction(SIGUSR1, &outer, NULL);
	recurse(depth, raise_both);
	signal_depth = depth_of(signal_node);
}

Test(walk, goes_through_signal_frames_and_alternate_stacks, .init = setup, .fini = scratch_remove)
{
	stack_t alternate = {.ss_sp = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
	                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	                     .ss_size = 65536};
	int base;

	interrupt_at(10, 0);
	base = signal_depth;
	interrupt_at(110, 0);
	cr_assert_eq(signal_depth, base + 100);
	sigaltstack(&alternate, NULL);
	interrupt_at(110, SA_ONSTACK);
	cr_assert_eq(signal_depth, base + 100);
	cr_assert_eq(atomic_load(&col.count.stacks_truncated), 0);
}

/* Its first instruction raises SIGILL. */
void walk_traps(void);
__asm__(".pushsection .text\n"
        ".globl walk_traps\n"
        "walk_traps:\n\t.cfi_startproc\n\tud2\n\tret\n\t.cfi_endproc\n"
        ".popsection");

static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	signal_node = walk_caller(memo);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

/* Calls `leaf`. Its frame is known by rbx alone, as code that aligns the stack may have it. */
int walk_by_rbx(int (*leaf)(void));
__asm__(".pushsection .text\n"
        ".globl walk_by_rbx\n"
        "walk_by_rbx:\n\t.cfi_startproc\n"
        "\tpush %rbx\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_offset rbx, -16\n"
        "\tmov %rsp, %rbx\n\t.cfi_def_cfa_register rbx\n"
        "\tsub $8, %rsp\n\tand $-64, %rsp\n\tcall *%rdi\n"
        "\tmov %rbx, %rsp\n\t.cfi_def_cfa_register rsp\n"
        "\tpop %rbx\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rbx\n"
        "\tret\n\t.cfi_endproc\n"
        ".popsection");

/* Such stacks take longer, so they are counted. */
Test(walk, frames_on_any_register_are_found_and_counted, .init = setup, .fini = scratch_remove)
{
	int depth = recurse(3, compare_with_backtrace);

	cr_assert_eq(atomic_load(&col.count.stacks_slow), 0);
	cr_assert_eq(walk_by_rbx(compare_with_backtrace), depth - 3);
	cr_assert_eq(atomic_load(&col.count.stacks_slow), 1);
	cr_assert_eq(walk_by_rbx(compare_with_backtrace), depth - 3);
	cr_assert_eq(atomic_load(&col.count.stacks_slow), 2);
	cr_assert_eq(recurse(3, compare_with_backtrace), depth);
	cr_assert_eq(atomic_load(&col.count.stacks_slow), 2);
	cr_assert_eq(atomic_load(&col.count.stacks_truncated) +
	                     atomic_load(&col.count.stacks_guessed),
	             0);
}

/* ---- debuggers and samplers that do not recognize signal frames by their code can unwind through
 * the recorder's handlers by their unwind table ---- */

extern const void *_Unwind_Find_FDE(void *pc, void *bases[3]);
static void *inside[64], *outside[64];
static int inside_count, has_table;

static void on_own_signal(int number, siginfo_t *info, void *context)
{
	void *bases[3];

	(void)number;
	(void)info;
	(void)context;
	inside_count = backtrace(inside, 64);
	/* A function that the kernel calls returns into the trampoline. */
	has_table = _Unwind_Find_FDE((char *)__builtin_return_address(0) - 1, bases) != NULL;
}

Test(walk, others_find_the_way_out_of_the_recorders_handlers)
{
	int outside_count;

	backtrace(outside, 64); /* loads what it needs */
	cr_assert_eq(signals_install(SIGUSR1, on_own_signal), 0);
	outside_count = backtrace(outside, 64);
	raise(SIGUSR1);
	cr_assert(has_table);
	cr_assert_gt(inside_count, outside_count);
	/* Except for the address in this function they are the same. */
	for (int i = 1; i < outside_count; i++)
		cr_assert_eq(inside[inside_count - i], outside[outside_count - i],
		             "frame %d from the outermost", i);
}

Test(walk, a_frame_that_a_signal_interrupted_reads_like_a_call, .init = setup,
     .fini = scratch_remove)
{
	struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	int found = 0;

	sigaction(SIGILL, &trap, NULL);
	walk_traps();
	load_nodes();
	for (uint32_t node = signal_node; node; node = nodes[node / sizeof(struct fmt_node)].parent)
		found += nodes[node / sizeof(struct fmt_node)].pc == (uint64_t)&walk_traps + 1;
	cr_assert_eq(found, 1);
}

/* ---- JIT code ---- */

static uint32_t node_in_made;

static void called_by_made(void)
{
	node_in_made = walk_caller(memo);
}

static __attribute__((noinline)) uint32_t call_made(void (*made)(void (*callee)(void)))
{
	uint32_t node = walk_caller(memo); /* of the caller of this function */

	made(called_by_made);
	__asm__ volatile("" ::: "memory"); /* no tail call */
	return node;
}

/* As LuaJIT's traces: no table, no frame pointer, and rbp used for other data. */
Test(walk, leaves_code_without_tables_and_frame_pointers_by_a_return_address, .init = setup,
     .fini = scratch_remove)
{
	static const uint8_t code[] = {0x55, 0x53, 0xb9, 33,   0,    0, 0, 0x6a, 0,    0xe2,
	                               0xfc, /* push rbp; push rbx; mov ecx, 33; push 0; loop */
	                               0x31, 0xed, 0xff, 0xd7, /* xor ebp, ebp; call rdi */
	                               0x48, 0x81, 0xc4, 0x08, 0x01, 0, 0, 0x5b, 0x5d, 0xc3};
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t outer, node;
	int depth = 0;

	cr_assert(page != MAP_FAILED);
	memcpy(page, code, sizeof(code));
	outer = call_made((void (*)(void (*)(void)))(uintptr_t)page);
	load_nodes();
	cr_assert(node_in_made != 0 && outer != 0);
	for (node = node_in_made; node && parent_of(node) != parent_of(outer);
	     node = parent_of(node))
		depth++;
	cr_assert(node != 0, "the frames outside of the code are those of its caller");
	cr_assert_leq(depth, 5);
	cr_assert_eq(atomic_load(&col.count.stacks_guessed), 1);
}

Test(walk, survives_registers_that_point_nowhere, .init = setup, .fini = scratch_remove)
{
	ucontext_t context = {.uc_flags = 0};
	greg_t *gregs = context.uc_mcontext.gregs;

	seed = seed_start();
	for (int i = 0; i < 20000; i++) {
		uint64_t pc = seed_below(&seed, 2) ? (uint64_t)&recurse + seed_below(&seed, 64)
		                                   : seed_next(&seed) >> seed_below(&seed, 64);
		uint64_t sp = seed_below(&seed, 2) ? (uint64_t)__builtin_frame_address(0) & ~7ul
		                                   : seed_next(&seed) >> seed_below(&seed, 64);

		gregs[REG_RIP] = (greg_t)pc;
		gregs[REG_RSP] = (greg_t)sp;
		gregs[REG_RBP] = (greg_t)(seed_next(&seed) >> seed_below(&seed, 64));
		walk_stack(memo, pc, sp, arch_context_fp(&context), &context);
	}
}
