/* walk_guess.c: step over code without unwinding tables. See walk.h.
 *
 * Most JIT compilers keep frame pointers. If they do not (LuaJIT), the words of the stack are
 * searched for one that must be a return address: it follows a call in code that has tables. It may
 * be left over from an earlier call; so the mark of a guess is put into the stack.
 * See doc/decisions/38-frames-without-tables.md. */
#include "libcollector/unwind/walk_step.h"

#include "libcollector/base/object.h"
#include "libcollector/unwind/rule.h"

#include <errno.h>

struct walk_machine walk_machine;
static void (*_Atomic tell)(uint64_t pc);

enum {
	SCAN_WORDS = 512,   /* of one frame */
	SCANS_MAX = 16,     /* of one stack */
	GUESSES_MAX = 4096, /* the same: what is deeper is cut off, or an event would cost 1 ms */
	SAVED_BP_FAR = 1 << 20,
	KNOWN_BITS = 9, /* sets of */
	KNOWN_WAYS = 4 /* addresses: one alone would be read at each event if two hot ones shared it
	                */
};

/* Addresses behind calls, as they were when a walk met them first. To read the code before an
 * address costs a system call, as nobody says whether it is still mapped; so it is read once. Where
 * other code has come since, a word of the stack that is equal to such an address is a return
 * address all the same, or left over: a guess, as without. All threads share them. */
static _Atomic uintptr_t known[1 << KNOWN_BITS][KNOWN_WAYS];

static _Atomic uintptr_t *set_of(uint64_t pc)
{
	return known[(uint32_t)((uint32_t)(pc ^ pc >> 32) * 0x9e3779b1u) >> (32 - KNOWN_BITS)];
}

static int is_known(uint64_t pc)
{
	_Atomic uintptr_t *set = set_of(pc);

	for (int way = 0; way < KNOWN_WAYS; way++)
		if (atomic_load_explicit(&set[way], memory_order_relaxed) == pc)
			return 1;
	return 0;
}

/* The oldest of the set goes. Threads that do so at once lose an address, which is read again. */
static void remember(uint64_t pc)
{
	_Atomic uintptr_t *set = set_of(pc);
	uintptr_t next = (uintptr_t)pc;

	for (int way = 0; next && way < KNOWN_WAYS; way++)
		next = atomic_exchange_explicit(&set[way], next, memory_order_relaxed);
}

/* JIT code is in no object. */
int walk_is_return_address(struct walk *walk, uint64_t pc)
{
	uint64_t before;

	if (pc <= 4096)
		return 0;
	if (is_known(pc))
		return 1;
	if (walk_read(walk->memo, pc - 8, &before) < 0 ||
	    !arch_follows_call((const uint8_t *)&before))
		return 0;
	remember(pc);
	return 1;
}

/* Read a word that must be a return address. Returns 0, or -EFAULT if it is not one. */
static int read_return(struct walk *walk, uint64_t slot, uint64_t *ra)
{
	if (walk_read(walk->memo, slot, ra) < 0)
		return -EFAULT;
	*ra = shadow_true_address(*ra, slot + 8);
	return walk_is_return_address(walk, *ra) ? 0 : -EFAULT;
}

static int go_by_return(struct walk *walk)
{
	uint64_t ra;

	if (!walk->is_leaf || read_return(walk, walk->sp, &ra) < 0)
		return -EFAULT;
	walk->pc = ra;
	walk->sp += 8;
	return 0;
}

static int go_by_bp(struct walk *walk)
{
	uint64_t ra, bp;

	if (walk->bp < walk->sp || walk->bp & 7 || walk_read(walk->memo, walk->bp, &bp) < 0 ||
	    read_return(walk, walk->bp + 8, &ra) < 0)
		return -EFAULT;
	walk->guess_bp = walk->bp;
	walk->pc = ra;
	walk->sp = walk->bp + 16;
	walk->bp = bp;
	return 0;
}

static int is_in_object(uint64_t address)
{
	struct object_found found;

	return address >= 4096 && !(address >> ARCH_ADDRESS_BITS) &&
	       object_find((uintptr_t)address, &found) == 0;
}

/* _init and _fini of the C library's start files have no tables, and call what takes long:
 * __gmon_start__ of programs that are compiled with -pg. */
static int go_by_end(struct walk *walk)
{
	uint64_t code, ra;
	int bytes;

	if (walk->is_leaf || !is_in_object(walk->pc) || walk_read(walk->memo, walk->pc, &code) < 0)
		return -EFAULT;
	bytes = arch_bytes_to_return((const uint8_t *)&code);
	if (bytes < 0 || read_return(walk, walk->sp + (unsigned)bytes, &ra) < 0)
		return -EFAULT;
	walk->pc = ra;
	walk->sp += (unsigned)bytes + 8;
	return 0;
}

/* Functions that save the frame pointer do so first of all, so it is below the return address. */
static uint64_t saved_bp(struct walk *walk, uint64_t slot)
{
	uint64_t bp;

	return walk_read(walk->memo, slot - 8, &bp) == 0 && bp > slot && bp - slot < SAVED_BP_FAR
	               ? bp
	               : walk->bp;
}

static int go_by_scan(struct walk *walk)
{
	uint64_t word, ra;

	if (walk->sp & 7 || is_in_object(walk->pc - !walk->is_leaf) || walk->scans++ == SCANS_MAX)
		return -EFAULT;
	for (uint64_t slot = walk->sp; slot < walk->sp + 8 * SCAN_WORDS; slot += 8) {
		if (walk_read(walk->memo, slot, &word) < 0)
			return -EFAULT;
		ra = shadow_true_address(word, slot + 8);
		if (!is_in_object(ra) || !walk_is_return_address(walk, ra) ||
		    rule_find(walk->memo->machine, ra - 1) == RULE_UNKNOWN)
			continue;
		walk->bp = saved_bp(walk, slot);
		walk->pc = ra;
		walk->sp = slot + 8;
		return 0;
	}
	return -EFAULT;
}

void walk_tell_unmapped(void (*see)(uint64_t pc))
{
	atomic_store_explicit(&tell, see, memory_order_release);
}

static int is_of_machine(uint64_t pc)
{
	const uint64_t *low = __atomic_load_n(&walk_machine.low, __ATOMIC_ACQUIRE);

	return low && pc >= *low && pc < *walk_machine.high;
}

/* Put the mark outside of the frame at `inner`. */
static int push_mark(struct walk *walk, uint64_t inner)
{
	uint64_t pc = walk->pc, sp = walk->sp;

	walk->pc = FMT_PC_GUESSED;
	walk->sp = inner;
	if (walk_push(walk, 0) < 0)
		return -1;
	walk->fresh->is_mark = 1;
	walk->pc = pc;
	walk->sp = sp;
	return 0;
}

int walk_guess(struct walk *walk)
{
	void (*see)(uint64_t pc) = atomic_load_explicit(&tell, memory_order_acquire);
	uint64_t inner = walk->sp;

	walk->guess_bp = 0;
	if (is_of_machine(walk->pc)) {
		walk->is_forgotten = 1;
		return walk_machine.step(walk);
	}
	if (go_by_end(walk) == 0) /* which is no guess */
		return 0;
	if (see)
		see(walk->pc - !walk->is_leaf);
	if (walk->guessed == GUESSES_MAX) {
		walk->is_cut = 1;
		return -1;
	}
	if (go_by_return(walk) < 0 && go_by_bp(walk) < 0) {
		if (go_by_scan(walk) < 0)
			return -1;
		walk->is_forgotten = 1; /* other words than the memo checks decide */
		walk->plain = 0;
	}
	walk->is_leaf = 0;
	return walk->guessed++ ? 0 : push_mark(walk, inner);
}
