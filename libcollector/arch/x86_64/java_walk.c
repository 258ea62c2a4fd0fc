/* java_walk.c: frames of HotSpot's code on x86-64. See java_walk.h.
 *
 * Compiled code has frames of a fixed size, with the caller's rbp below the return address, and
 * uses rbp as it likes. The innermost frame may not exist yet, or no longer; the instructions of a
 * prologue and an epilogue show that. The interpreter has frames by rbp. Stubs have one or the
 * other, or no frame: if the top of the stack can be a return address, there is none.
 * See doc/decisions/41-java-frames.md. */
#include "libcollector/java/java_walk.h"

#include "libcollector/base/collector.h"
#include "libcollector/java/java_method.h"
#include "libcollector/unwind/walk_step.h"

#include <errno.h>
#include <string.h>

/* In the frame of an interpreted method, from rbp (frame_x86.hpp says so, and it has been so since
 * JDK 8). */
enum { SENDER_SP = -8, METHOD = -24, BYTECODE = -64 };
enum { STUB_FRAME_MAX = 1 << 16 };

/* Where the caller goes on. */
struct caller {
	uint64_t pc, sp, bp;
};

/* The interpreter pushes return addresses without call instructions, and HotSpot replaces those of
 * frames that are to be deoptimized. */
static int can_be_caller(struct walk *walk, uint64_t pc)
{
	struct java_code code;

	return java_vm_is_code(pc) ? java_vm_code_at(pc, &code) == 0
	                           : walk_is_return_address(walk, pc);
}

static int go(struct walk *walk, const struct caller *caller)
{
	if (caller->sp <= walk->sp || caller->sp & 7 || !can_be_caller(walk, caller->pc))
		return -EFAULT;
	walk->pc = caller->pc;
	walk->sp = caller->sp;
	walk->bp = caller->bp;
	walk->is_leaf = 0;
	return 0;
}

/* The return address is `bytes` above the stack pointer. with_bp: the word below it is the caller's
 * rbp. */
static int go_over(struct walk *walk, uint64_t bytes, int with_bp)
{
	struct caller caller = {.sp = walk->sp + bytes + 8, .bp = walk->bp};

	if (walk_read(walk->memo, walk->sp + bytes, &caller.pc) < 0 ||
	    (with_bp && walk_read(walk->memo, walk->sp + bytes - 8, &caller.bp) < 0))
		return -EFAULT;
	return go(walk, &caller);
}

static int go_by_bp(struct walk *walk)
{
	struct caller caller = {.sp = walk->bp + 16};

	if (walk->bp < walk->sp || walk->bp & 7 ||
	    walk_read(walk->memo, walk->bp, &caller.bp) < 0 ||
	    walk_read(walk->memo, walk->bp + 8, &caller.pc) < 0)
		return -EFAULT;
	return go(walk, &caller);
}

/* ---- compiled code ---- */

static int starts_with(const uint8_t *at, const uint8_t *end, const char *bytes, size_t size)
{
	return (size_t)(end - at) >= size && memcmp(at, bytes, size) == 0;
}

#define IS(at, end, bytes) starts_with(at, end, bytes, sizeof(bytes) - 1)

/* How much of the frame is there at an instruction, innermost frames only. */
enum extent {
	WHOLE,
	WHOLE_BUT_BP /* rbp is not saved yet */,
	BP_ONLY /* the saved rbp is at the top */,
	NOTHING
};

/* Behind the frame's end come: cmp rsp, [r15 + n] (a poll of the safepoint), ja, ret. */
static enum extent extent_at_end(const struct java_code *code, const uint8_t *at)
{
	const uint8_t *end = (const uint8_t *)code->end, *begin = (const uint8_t *)code->begin;

	if (*at == 0x5d) /* pop rbp */
		return BP_ONLY;
	if (*at == 0xc3 || *at == 0xc2 || IS(at, end, "\x49\x3b\xa7") ||
	    IS(at, end, "\x49\x3b\x67"))
		return NOTHING;
	if (IS(at, end, "\x0f\x87") && ((at - begin >= 7 && IS(at - 7, end, "\x49\x3b\xa7")) ||
	                                (at - begin >= 4 && IS(at - 4, end, "\x49\x3b\x67"))))
		return NOTHING;
	return WHOLE;
}

/* Before it: push rbp, perhaps mov rbp, rsp, then sub rsp, n; or sub rsp, n, and a store of rbp. */
static enum extent extent_at_begin(const struct java_code *code, const uint8_t *at)
{
	const uint8_t *begin = (const uint8_t *)code->begin, *end = begin + code->complete;
	const uint8_t *made = at, *saved = at;

	while (made < end && !IS(made, end, "\x48\x83\xec") && !IS(made, end, "\x48\x81\xec"))
		made++;
	while (saved < end && !IS(saved, end, "\x48\x89\x6c\x24") &&
	       !IS(saved, end, "\x48\x89\xac\x24"))
		saved++;
	if (made == end)
		return saved == end ? WHOLE : WHOLE_BUT_BP;
	if (IS(at, end, "\x48\x8b\xec") || (at - begin >= 1 && at[-1] == 0x55) ||
	    (at - begin >= 3 && IS(at - 3, end, "\x48\x8b\xec")))
		return BP_ONLY;
	return NOTHING;
}

static int step_compiled(struct walk *walk, const struct java_code *code)
{
	const uint8_t *at = (const uint8_t *)walk->pc;
	enum extent extent = WHOLE;
	int result = -EFAULT;

	if (walk->is_leaf)
		extent = walk->pc - code->begin < code->complete ? extent_at_begin(code, at)
		                                                 : extent_at_end(code, at);
	if (extent == NOTHING)
		result = go_over(walk, 0, 0);
	if (extent == BP_ONLY)
		result = go_over(walk, 8, 1);
	if (result < 0)
		result = go_over(walk, code->frame_bytes - 8, extent != WHOLE_BUT_BP);
	if (result < 0 && walk->is_leaf)
		result = go_over(walk, 0, 0);
	if (result < 0 && walk->is_leaf)
		result = go_over(walk, 8, 1);
	/* While stubs replace compiled frames by interpreted ones, they have another frame. */
	return result < 0 && walk->bp - walk->sp < STUB_FRAME_MAX ? go_by_bp(walk) : result;
}

/* ---- the interpreter ---- */

/* The mark of the method whose frame rbp points to; 0: it does not point to one. */
static uint64_t find_mark(struct walk *walk)
{
	uint64_t method, bytecode, mark;

	if (walk->bp < walk->sp || walk->bp & 7 ||
	    walk_read(walk->memo, walk->bp + METHOD, &method) < 0 ||
	    walk_read(walk->memo, walk->bp + BYTECODE, &bytecode) < 0)
		return 0;
	if (walk->is_leaf && walk->context) { /* in the interpreter it is in a register, and saved
		                               before calls alone */
		mark = java_method_mark(walk->memo, method,
		                        (uint64_t)walk->context->uc_mcontext.gregs[REG_R13]);
		if (fmt_pc_java_bci(mark) != FMT_BCI_NONE)
			return mark;
	}
	return java_method_mark(walk->memo, method, bytecode);
}

static int push_mark(struct walk *walk, uint64_t mark)
{
	uint64_t pc = walk->pc;
	int error;

	walk->pc = mark;
	error = walk_push(walk, 0);
	walk->pc = pc;
	return error;
}

static int step_interpreted(struct walk *walk)
{
	struct caller caller;
	uint64_t mark = find_mark(walk);

	if (mark && walk_read(walk->memo, walk->bp, &caller.bp) == 0 &&
	    walk_read(walk->memo, walk->bp + 8, &caller.pc) == 0 &&
	    walk_read(walk->memo, walk->bp + SENDER_SP, &caller.sp) == 0)
		return push_mark(walk, mark) < 0 || caller.sp <= walk->bp ? -1 : go(walk, &caller);
	/* A method is being entered: it has no frame yet, and rbx has the method. */
	if (!walk->is_leaf || !walk->context)
		return -1;
	mark = java_method_mark(walk->memo, (uint64_t)walk->context->uc_mcontext.gregs[REG_RBX], 0);
	if (mark && push_mark(walk, mark) < 0)
		return -1;
	return go_over(walk, 0, 0) < 0 && go_over(walk, 8, 0) < 0 ? -1 : 0;
}

/* ---- stubs ---- */

static int step_stub(struct walk *walk)
{
	if (walk->is_leaf && go_over(walk, 0, 0) == 0)
		return 0;
	if (walk->bp - walk->sp < STUB_FRAME_MAX && go_by_bp(walk) == 0)
		return 0;
	return walk->is_leaf && go_over(walk, 8, 1) == 0 ? 0 : -1;
}

int java_walk_step(struct walk *walk)
{
	struct java_code code;

	walk->plain = 0; /* the memo knows nothing of bytecodes */
	if (java_vm_code_at(walk->pc - !walk->is_leaf, &code) < 0)
		return -1;
	switch (code.kind) {
	case JAVA_CODE_COMPILED:
		return step_compiled(walk, &code) < 0 ? -1 : 0;
	case JAVA_CODE_INTERPRETER:
		return step_interpreted(walk);
	case JAVA_CODE_STUB:
		return step_stub(walk);
	}
	return -1;
}
