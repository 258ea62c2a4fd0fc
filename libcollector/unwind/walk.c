/* walk.c: walk a stack by packed rules and the memo of the last one. See walk.h.
 * See doc/decisions/07-unwinder.md. */
#include "libcollector/unwind/walk_step.h"

#include "libcollector/base/object.h"
#include "libcollector/unwind/rule.h"
#include "libcollector/unwind/tree.h"
#include "libcollector/write/log.h"

#include <errno.h>

enum { NO_PAGE = 1 };

/* The range may belong to a coroutine that is gone. If it is close to the thread's own stack, the
 * two are joined. */
static __attribute__((noinline)) int is_mapped_still(struct walk_memo *memo)
{
	if (SYS3(SYS_msync, memo->low, memo->high - memo->low, MS_ASYNC) < 0)
		return 0;
	walk_cover(memo, memo->home);
	return 1;
}

/* Are the known pages still mapped? Those of the thread's own stack are. */
static inline int is_mapped(struct walk_memo *memo)
{
	return likely(memo->home - memo->low < memo->high - memo->low) || is_mapped_still(memo);
}

/* A stack elsewhere: forget what is known of the old one. */
static void begin_on(struct walk_memo *memo, uint64_t sp)
{
	uint64_t page = sp & ~(uint64_t)(WALK_PAGE - 1);

	memo->page = NO_PAGE;
	memo->is_used = 1;
	if (memo->generation != atomic_load_explicit(&col.generation, memory_order_relaxed)) {
		memo->generation = atomic_load_explicit(&col.generation, memory_order_relaxed);
		memo->count = 0;
	}
	if (likely(page >= memo->low && page < memo->high) && is_mapped(memo))
		return;
	if (page < memo->low && memo->low - page <= WALK_GROW_PAGES * WALK_PAGE &&
	    is_mapped(memo) && walk_grow_down(memo, page) == 0)
		return;
	memo->low = memo->high = page;
	memo->count = 0;
}

/* The address of the CFA by a packed rule. Returns 0 or -EFAULT. */
static int find_cfa(struct walk *walk, uint32_t rule, uint64_t *cfa)
{
	uint64_t offset = (uint64_t)rule_cfa_offset(rule);

	switch (rule_kind(rule)) {
	case RULE_SP:
	case RULE_RETURNING:
		*cfa = walk->sp + offset;
		return 0;
	case RULE_BP:
		*cfa = walk->bp + offset;
		return 0;
	case RULE_SP_DEREF:
		return walk_read(walk->memo, walk->sp + offset, cfa);
	case RULE_BP_DEREF:
		return walk_read(walk->memo, walk->bp + offset, cfa);
	default: /* RULE_PLT */
		*cfa = arch_plt_cfa(walk->pc, walk->sp, offset / 8);
		return 0;
	}
}

/* From the frame at walk->pc to its caller. Returns 0, or -EFAULT if that is impossible. */
static inline __attribute__((always_inline)) int step(struct walk *walk, uint32_t rule,
                                                      uint64_t *bp_slot)
{
	struct walk_memo *memo = walk->memo;
	uint64_t cfa;

	if (likely(rule_kind(rule) == RULE_SP))
		cfa = walk->sp + (uint64_t)rule_cfa_offset(rule);
	else if (find_cfa(walk, rule, &cfa) < 0)
		return -EFAULT;
	if (unlikely(cfa <= walk->sp || cfa & 7) &&
	    !(cfa == walk->sp && rule_kind(rule) == RULE_RETURNING))
		return -EFAULT;
	*bp_slot = 0;
	if (rule_bp(rule) != RULE_BP_SAME) {
		*bp_slot = (rule_bp(rule) == RULE_BP_AT_CFA ? cfa : walk->bp) +
		           (uint64_t)rule_bp_offset(rule);
		if (walk_read(memo, *bp_slot, &walk->bp) < 0)
			return -EFAULT;
	}
	if (walk_read(memo, cfa - 8, &walk->pc) < 0)
		return -EFAULT;
	if (unlikely(rule_kind(rule) == RULE_RETURNING))
		walk->pc = shadow_trampoline; /* it may have been corrected already */
	walk_correct(walk, cfa);
	if (unlikely(walk->pc == shadow_trampoline))
		return -EFAULT;
	walk->sp = cfa;
	walk->is_leaf = 0;
	return 0;
}

static int step_signal(struct walk *walk)
{
	uint64_t frame = walk->sp, sp;

	if (walk_read(walk->memo, arch_signal_slot(frame, ARCH_SP), &sp) < 0 ||
	    walk_read(walk->memo, arch_signal_slot(frame, ARCH_RA), &walk->pc) < 0 ||
	    walk_read(walk->memo, arch_signal_slot(frame, ARCH_FP), &walk->bp) < 0)
		return -EFAULT;
	walk->sp = sp;
	walk->is_leaf = walk->is_interrupted = 1;
	walk->plain = 0;
	walk->context = NULL;
	return 0;
}

/* Number of memo checks, from the outermost, that still hold. */
static uint32_t count_unchanged(const struct walk_memo *memo, uint32_t count)
{
	const struct walk_check *check = memo->check;
	uint32_t i = 0;

	for (; i + 4 <= count; i += 4) {
		uint64_t changed = (*(const uint64_t *)check[i].slot ^ check[i].value) |
		                   (*(const uint64_t *)check[i + 1].slot ^ check[i + 1].value) |
		                   (*(const uint64_t *)check[i + 2].slot ^ check[i + 2].value) |
		                   (*(const uint64_t *)check[i + 3].slot ^ check[i + 3].value);

		if (unlikely(changed))
			break;
	}
	while (i < count && *(const uint64_t *)check[i].slot == check[i].value)
		i++;
	return i;
}

struct match {
	int64_t at;         /* the next memo frame to compare with, -1: none left */
	uint32_t unchanged; /* checks that hold; UINT32_MAX: not looked at yet */
};

/* Is the frame at walk->pc one of the memo, and are all frames outside it unchanged? */
static inline int meets_memo(const struct walk *walk, struct match *match)
{
	const struct walk_memo *memo = walk->memo;
	const struct walk_frame *frame;

	while (match->at >= 0 && memo->frame[match->at].sp < walk->sp)
		match->at--;
	if (match->at < 0)
		return 0;
	frame = &memo->frame[match->at];
	if (frame->sp != walk->sp || frame->pc != walk->pc ||
	    (frame->needs_bp && frame->bp != walk->bp) || (frame->has_mark && walk->guessed))
		return 0; /* a stack has one mark, the innermost */
	if (match->unchanged == UINT32_MAX)
		match->unchanged = count_unchanged(memo, frame->checks);
	return frame->checks <= match->unchanged;
}

static enum walk_end walk_fast(struct walk *walk, struct match *match)
{
	uint64_t bp_slot = 0;

	for (;;) {
		uint32_t rule;
		int failed;

		if (meets_memo(walk, match))
			return WALK_MEMO;
		if (unlikely(walk->sp >= walk->base))
			return WALK_BASE;
		if (unlikely(walk->pc == 0))
			return WALK_COMPLETE;
		if (unlikely(walk_push(walk, bp_slot) < 0))
			return WALK_TRUNCATED;
		rule = rule_find(walk->memo->machine, walk->pc - !walk->is_leaf);
		walk->fresh->rule = rule;
		switch (rule_kind(rule)) {
		case RULE_END:
			return WALK_COMPLETE;
		case RULE_COMPLEX:
			return WALK_NEEDS_REGISTERS;
		case RULE_SIGNAL:
			bp_slot = 0;
			failed = step_signal(walk);
			match->at = -1;
			break;
		case RULE_UNKNOWN:
			walk->is_forgotten = 0;
			failed = walk_guess(walk);
			bp_slot = walk->guess_bp;
			if (walk->is_forgotten)
				match->at = -1;
			break;
		default:
			failed = step(walk, rule, &bp_slot);
		}
		if (unlikely(failed))
			return WALK_TRUNCATED;
	}
}

static int needs_bp(uint32_t rule, int outer_needs)
{
	enum rule_kind kind = rule_kind(rule);

	if (kind == RULE_UNKNOWN) /* a guess goes by it */
		return 1;
	if (kind == RULE_BP || kind == RULE_BP_DEREF || rule_bp(rule) == RULE_BP_AT_BP)
		return 1;
	return rule_bp(rule) == RULE_BP_SAME && outer_needs;
}

static uint32_t own_checks(const struct walk_frame *frame)
{
	return 1u + (frame->needs_bp && frame->bp_slot) + frame->is_exchanged;
}

static void put_checks(struct walk_memo *memo, const struct walk_frame *frame)
{
	static const uint64_t none; /* a mark is nowhere */
	struct walk_check *check = &memo->check[frame->checks];

	if (unlikely(frame->is_mark)) {
		*check = (struct walk_check){(uint64_t)&none, 0};
		return;
	}
	*check++ = (struct walk_check){frame->sp - 8, frame->is_exchanged
	                                                      ? *(const uint64_t *)(frame->sp - 8)
	                                                      : frame->pc};
	if (unlikely(frame->is_exchanged))
		*check++ = (struct walk_check){(uint64_t)&shadow_find(frame->sp - 8)->address,
		                               frame->pc};
	if (frame->needs_bp && frame->bp_slot)
		*check = (struct walk_check){frame->bp_slot, frame->bp};
}

/* Remember what shows that the frame is unchanged. Returns 0 if that cannot be read yet: of the
 * innermost frame, it may be in a page that nothing else is in. */
static int remember_checks(struct walk_memo *memo, const struct walk_frame *frame)
{
	if (unlikely(!walk_knows(memo, frame->sp - 8)))
		return 0;
	put_checks(memo, frame);
	return 1;
}

/* Create nodes for the new frames, which are inside memo frames [0, keep), and remember them. */
static uint32_t remember(struct walk *walk, uint32_t keep, uint32_t node)
{
	struct walk_memo *memo = walk->memo;
	struct walk_frame *to = memo->frame + keep;
	struct walk_frame *end = memo->frame + memo->capacity;
	uint32_t checks = keep ? to[-1].checks + own_checks(&to[-1]) : 0;
	int outer_needs = keep ? (int)to[-1].needs_bp : 0;
	int has_mark = keep ? (int)to[-1].has_mark : 0;
	int plain = walk->plain;

	/* It may have been the innermost one until now. */
	if (keep && walk->fresh < end)
		plain &= remember_checks(memo, &to[-1]);
	for (struct walk_frame *from = walk->fresh; from < end; from++, to++) {
		node = tree_node(node, from->pc);
		if (unlikely(node == 0))
			break;
		*to = *from;
		to->node = node;
		to->has_mark = (uint8_t)(has_mark |= from->is_mark);
		to->needs_bp = (uint8_t)(outer_needs = from == walk->fresh && keep == 0
		                                               ? 0
		                                               : needs_bp(from->rule, outer_needs));
		to->checks = checks;
		checks += own_checks(to);
		if (unlikely(!remember_checks(memo, to)) && from + 1 < end)
			plain = 0;
	}
	memo->count = plain && node ? (uint32_t)(to - memo->frame) : 0;
	if (unlikely(has_mark))
		col_count(&col.count.stacks_guessed, 1);
	return node;
}

/* ---- what an event may cost
 *
 * A stack of which the memo knows nothing costs some 20 ns a frame. Whoever meets many deep ones
 * one after the other gets the inner frames only, with the mark of a cut stack. The memo knows
 * those, and so their outermost frames are not walked again. */

enum {
	FREE_FRAMES = 256,  /* an event may walk them at any time */
	DEBT_MAX = 1 << 20, /* some 20 ms of walking */
	SHORT_FRAMES = 2048 /* of a walk while the debt is higher */
};

/* Count what a walk has cost. */
static inline void count_cost(struct walk *walk)
{
	struct walk_memo *memo = walk->memo;
	uint32_t frames = (uint32_t)(memo->frame + memo->capacity - walk->fresh);

	if (likely(frames <= FREE_FRAMES && !memo->debt))
		return;
	memo->debt += frames;
	memo->debt -= memo->debt < FREE_FRAMES ? memo->debt : FREE_FRAMES;
}

/* How far a walk may go. */
static inline void set_bounds(struct walk *walk)
{
	struct walk_memo *memo = walk->memo;

	walk->least = memo->frame + memo->count + 1;
	if (unlikely(memo->debt > DEBT_MAX) && walk->fresh - walk->least > SHORT_FRAMES) {
		walk->least = walk->fresh - SHORT_FRAMES;
		walk->is_short = 1;
	}
	if (unlikely(walk->fresh - walk->least > (ptrdiff_t)tree_depth())) {
		walk->least = walk->fresh - tree_depth();
		walk->is_short = 1;
	}
}

/* Does the stack of a context begin at the outermost frame? makecontext and libraries for fibers
 * put an address in a function below the first frame of a stack, to be reached when that returns.
 * Other return addresses have a call before them. */
static int begins_context(struct walk *walk)
{
	const struct walk_memo *memo = walk->memo;
	const struct walk_frame *outermost = walk->fresh;
	struct object_found found;
	uint64_t before;

	return !walk->is_leaf && !walk->guessed && outermost > memo->frame + memo->count + 1 &&
	       outermost + 1 < memo->frame + memo->capacity &&
	       object_find((uintptr_t)outermost->pc, &found) == 0 &&
	       walk_read(walk->memo, outermost->pc - 8, &before) == 0 &&
	       !arch_follows_call((const uint8_t *)&before);
}

static __attribute__((noinline)) void tell_of_cuts(void)
{
	static atomic_uint is_told;

	if (!atomic_exchange(&is_told, 1))
		col_log_warning(
			"some stacks are so deep that to walk them as a whole would cost too much: their outer frames are missing");
}

static uint32_t finish(struct walk *walk, enum walk_end end, const struct match *match)
{
	struct walk_memo *memo = walk->memo;
	uint64_t mark = walk->fresh + 1 >= memo->frame + memo->capacity ? FMT_PC_FAILED
	                                                                : FMT_PC_TRUNCATED;

	count_cost(walk);
	if (unlikely(memo->is_too_small)) {
		if (!memo->is_final)
			return 0;
		memo->is_too_small = 0;
	}
	if (end == WALK_MEMO)
		return remember(walk, (uint32_t)match->at + 1, memo->frame[match->at].node);
	if (end == WALK_COMPLETE)
		return remember(walk, 0, 0);
	if (end == WALK_BASE) {
		walk->fresh += memo->base_drops && walk->fresh < memo->frame + memo->capacity;
		return remember(walk, 0, memo->base_node);
	}
	walk->plain &= walk->is_cut;
	if (walk->is_cut)
		tell_of_cuts();
	col_count(mark == FMT_PC_FAILED ? &col.count.stacks_failed : &col.count.stacks_truncated,
	          1);
	return remember(walk, 0, tree_node(0, mark));
}

uint32_t walk_stack(struct walk_memo *memo, uint64_t pc, uint64_t sp, uint64_t bp,
                    const ucontext_t *context)
{
	struct walk walk = {
		.memo = memo,
		.fresh = memo->frame + memo->capacity,
		.pc = pc,
		.sp = sp,
		.bp = bp,
		.is_leaf = context != NULL,
		.plain = 1,
		.context = context,
		.base = memo->base_node && sp < memo->base_sp ? memo->base_sp : UINT64_MAX,
	};
	struct match match;
	enum walk_end end;

	if (!context)
		walk_correct(&walk, sp);
	begin_on(memo, sp);
	set_bounds(&walk);
	match = (struct match){(int64_t)memo->count - 1, UINT32_MAX};
	end = walk_fast(&walk, &match);
	if (unlikely(end == WALK_TRUNCATED) && begins_context(&walk))
		end = WALK_COMPLETE;
	if (unlikely(end == WALK_NEEDS_REGISTERS)) {
		col_count(&col.count.stacks_slow, 1);
		memo->count = 0;
		walk.fresh = memo->frame + memo->capacity;
		set_bounds(&walk);
		walk.guessed = 0;
		walk.is_exchanged = walk.is_interrupted = 0;
		end = walk_slowly(&walk, context ? pc : shadow_true_address(pc, sp), sp, context);
		walk.plain = 0;
	}
	return finish(&walk, end, &match);
}
