/* arch.h: all that the collector knows of the processor. Nothing outside of this folder names a
 * register or an instruction (`make lint` looks).
 *
 * A new processor (aarch64, say) brings
 *  - a header beside this one with the constants, the types and the inline functions below: they
 * are inline because every event and every sample goes through some of them;
 *  - a folder with the functions that other rooms declare and that are its instructions alone:
 *      signal_return.c   arch_signal_return, below
 *      on_stack.c        arch_on_stack, below
 *      prologue.c        arch_bytes_at_call, arch_bytes_to_return and arch_frame_bytes, below
 *      buserror_entry.c  buserror_entries   thread/buserror.h  entries before the program's
 * handlers java_walk.c       java_walk_step     java/java_walk.h   frames of HotSpot's code nops.c
 * nops.h             in calls/          code that does nothing, for patches sled.c sled.h in calls/
 * sleds of clang's -fxray-instrument sled_entry.c      sled_entry.h       in calls/          where
 * patched sleds lead to returns_entry.c   returns.h          in calls/          entries and
 * exchanged return addresses
 *  - rows of rule.h for what its compilers write of frames most often. The walk takes it that a
 * call puts the return address ARCH_RA_OFFSET from the CFA; where that is not so, rule_pack makes
 * all rules RULE_COMPLEX (right, but slow) until there is a rule that says where it is. A processor
 * whose stacks are not walked has ARCH_WALKS_STACKS 0 and brings the parts marked "all"; a
 * lacking.c in its folder answers what the modules that it leaves out would be asked.
 *
 * All functions here are signal-safe, set no errno, and cannot fail unless said otherwise.
 * Addresses are uint64_t; `context` is what a handler gets as its third argument.
 *
 * ---- constants, for all
 *   ARCH_BITS             of an address: 64 or 32
 *   ARCH_WALKS_STACKS     are there call stacks, and all kinds of events that have them?
 *   ARCH_MACHINE_64, ARCH_MACHINE_32   e_machine of programs that such a kernel runs; EM_NONE: none
 *   ARCH_AUDIT            AUDIT_ARCH_* of its system calls (linux/audit.h)
 *   ARCH_SYS_FSTAT, ARCH_SYS_TRUNCATE, ARCH_SYS_CLOCK_GETTIME, ARCH_SYS_MMAP   numbers of the calls
 *                         with 64 bits for times and sizes of files, as the C library has them
 *   ARCH_WIDE(value)      an argument of 64 bits, as system calls take it: one long or more
 *   ARCH_MMAP_OFFSET(at)  the offset of a mapping, as ARCH_SYS_MMAP counts it
 *   ARCH_ADDRESS_BITS     of an address of user space
 *   ARCH_REGISTERS        how many registers unwinding tables know, by DWARF numbers from 0 on
 *
 * ---- constants, where stacks are walked
 *   ARCH_SP, ARCH_FP, ARCH_RA   numbers of the stack pointer, of the frame pointer, and of the
 *                         return address or program counter
 *   ARCH_RA_OFFSET        bytes from the CFA to the return address that a call has stored
 *   ARCH_RELOC_ADDRESS, _SLOT, _GOT, _RELATIVE   relocation types: a symbol's address in data, in
 * the table for calls, in the table for data; an address of the object itself ARCH_CALL_SIZE bytes
 * of a call instruction that reaches 2 GiB ARCH_JUMP_SIZE        and of such a jump ARCH_STUB_SIZE
 * bytes of arch_put_stub, a power of 2 ARCH_SLED_SIZE, ARCH_SLED_HEAD   bytes of a sled of a
 * function; of what is stored at once */
#ifndef XER_COLLECTOR_ARCH_H
#define XER_COLLECTOR_ARCH_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* See arch_fault_of. */
enum arch_fault {
	ARCH_FAULT_NONE,
	ARCH_FAULT_SURE,
	ARCH_FAULT_DOUBTFUL /* or an interrupt has come into the middle of it */
};
enum { ARCH_STRINGS = 2 }; /* see arch_string_next */

#if defined(__x86_64__)
#include "libcollector/arch/x86_64.h"
#elif defined(__i386__)
#include "libcollector/arch/i386.h"
#else
#error "libcollector knows x86-64 and, for user events, i386"
#endif

/* ---- for all ---- */

/* A raw system call: returns the kernel's value, -errno on failure. It neither touches errno nor is
 * a cancellation point nor can it be interposed, which is why the collector uses nothing else. */
static inline long arch_syscall(long number, long a, long b, long c, long d, long e, long f);

/* The processor's clock, the same on all CPUs; its rate is in the descriptor. Used only if xcollect
 * found that it can be trusted. */
static inline uint64_t arch_ticks(void);

/* The current stack pointer. */
static inline uintptr_t arch_sp(void);

/* The thread pointer that the C library gave the calling thread, as compiled code reads it. In a
 * handler it may be wrong: see arch_thread_pointer. */
static inline uintptr_t arch_libc_pointer(void);

/* The code that handlers return to: the call of rt_sigreturn, in a form that unwinders recognize.
 * Not a C function. */
void arch_signal_return(void) __attribute__((visibility("hidden")));

/* All registers, by DWARF numbers; [ARCH_RA] is the program counter. Where stacks are not walked it
 * is only declared. */
struct arch_registers; /* { uint64_t value[ARCH_REGISTERS]; } */

#if ARCH_WALKS_STACKS

/* ---- where stacks are walked ---- */

/* Call `function` on the stack that ends before `top`, a multiple of 16. */
void arch_on_stack(void *top, void (*function)(void *argument), void *argument)
	__attribute__((visibility("hidden")));

/* arch_ticks, together with a word that differs between CPUs and has the CPU number in its lowest
 * 12 bits. Does this processor have it? */
static inline uint64_t arch_ticks_cpu(uint32_t *cpu);
static inline int arch_has_ticks_cpu(void);

/* May programs read and set the thread pointer without a system call? Only then call the others. */
static inline int arch_has_thread_pointer(void);
static inline uintptr_t arch_thread_pointer(void);
static inline void arch_set_thread_pointer(uintptr_t pointer);

/* Zeroed memory around `at`: let the place be one that a thread pointer may point to. */
static inline void arch_make_thread_block(char *at);

/* Does the processor compare return addresses with a shadow stack of its own? Then none may be
 * replaced. */
static inline int arch_has_shadow_stack(void);

/* The registers of an interrupted context, and three of them. */
static inline void arch_registers_load(struct arch_registers *to, const ucontext_t *context);
static inline uint64_t arch_context_pc(const ucontext_t *context);
static inline uint64_t arch_context_sp(const ucontext_t *context);
static inline uint64_t arch_context_fp(const ucontext_t *context);

/* The registers that calls preserve, with the stack pointer and program counter of the calling
 * function, at this place; the others are 0. */
static inline void arch_registers_here(struct arch_registers *to);

/* The address at which a signal frame keeps the register of that number; `sp` is the stack pointer
 * in the frame's trampoline. Reads nothing. */
static inline uint64_t arch_signal_slot(uint64_t sp, int number);

/* Allow unaligned reads until the handler returns to the interrupted code, whose own setting is
 * restored then. */
static inline void arch_allow_unaligned(const ucontext_t *context);

/* In a function: ARCH_UNWOUND(name): when a thread that is cancelled leaves it, the unwinder calls
 * `name`, a personality routine (int version, int actions, ...) that is not static. The frames
 * outside are still there. */

/* ---- code, which must be readable around pc unless said otherwise ---- */

/* True if the code at pc is what handlers return to, in any libc. */
static inline int arch_is_sigreturn(uint64_t pc);

/* True if an interrupted pc is right after a system call, or before one that will be restarted.
 * Reads nothing of the page before. */
static inline int arch_is_in_call(uint64_t pc);

/* Whether the interrupted instruction had just raised an exception, which is a page fault where it
 * is executed again. Its code need not be readable: is_readable(from, size) tells. */
static inline enum arch_fault arch_fault_of(const ucontext_t *context,
                                            int (*is_readable)(const void *, size_t));

/* Addresses in the pages that the interrupted instruction, of which arch_fault_of is in doubt, will
 * come to next, if it goes upwards. Returns how many they are. */
static inline int arch_string_next(const ucontext_t *context, uint64_t next[ARCH_STRINGS]);

/* The number of the system call that ends behind code[ARCH_CALL_CODE], -1: the code does not show
 * it. */
static inline int64_t arch_call_of(const uint8_t *code);

/* The number of the system call that has just failed with EINTR in the interrupted code, as the
 * code before pc shows; -1: there is none, or the code does not show it. Reads nothing of the page
 * before. */
static inline int64_t arch_failed_call(const ucontext_t *context);

/* The same, of a call that the C library made as a cancellation point with the number from memory
 * (glibc from 2.41 on): -1: there is none, or it is not known where that memory is.
 * is_readable(from, size) tells what may be read. */
static inline int64_t arch_cancellable_call(const ucontext_t *context,
                                            int (*is_readable)(const void *, size_t));

/* Restart system call `number`, which one of those two returned, when the handler returns. */
static inline void arch_begin_call(ucontext_t *context, int64_t number);

/* The number of the system call that a signal has interrupted, and that the kernel makes again when
 * the handler returns; -1: there is none. (Code that makes the same call over and over is taken for
 * that just before a call.) */
static inline int64_t arch_restarted_call(const ucontext_t *context);

/* Let this call fail with EINTR instead. */
static inline void arch_fail_call(ucontext_t *context);

/* An argument, from 0 to 5, of a call for which one of those told a number. */
static inline uint64_t arch_call_argument(const ucontext_t *context, int number);

/* True if the 8 bytes before a return address end in a call instruction. */
static inline int arch_follows_call(const uint8_t *before);

/* True if code[1] begins a call instruction. */
static inline int arch_begins_call(const uint8_t *code);

/* The length of the mark at code[size] by which a function allows indirect jumps to it; 0: there is
 * none. */
static inline size_t arch_mark_length(const uint8_t *code, size_t size);

/* If an empty function is at `code`, with space after it: the bytes of a jump to `target`, and
 * where to put them; the first byte is to be written last. Returns 0, or -1: it is not empty, or
 * target is too far. */
struct arch_jump; /* { uint64_t at; uint8_t code[ARCH_JUMP_SIZE]; } */
static inline int arch_jump_of_empty(const uint8_t *code, uint64_t target, struct arch_jump *out);

/* Write a jump to any address: ARCH_STUB_SIZE bytes at most, not executable yet. */
static inline void arch_put_stub(uint8_t *at, uint64_t target);

/* Bytes from the stack pointer up to the return address, if the 8 bytes at `code` give them back
 * and return at once, as the end of _init does. -1: they do something else. */
int arch_bytes_to_return(const uint8_t *code) __attribute__((visibility("hidden")));

/* Bytes from the stack pointer up to the frame pointer in the function at code[size], after its
 * first instructions, which set the frame pointer, save registers and make room. size: up to where
 * the function is. -1: it does not begin so. */
int arch_frame_bytes(const uint8_t *code, size_t size) __attribute__((visibility("hidden")));

/* Bytes from the CFA down to the stack pointer before the call whose return address is `site`, if
 * that call is the first instruction of the function at `code` (instructions that are known to come
 * before it do not count). -1: there are other instructions. */
int arch_bytes_at_call(const uint8_t *code, const uint8_t *site)
	__attribute__((visibility("hidden")));

/* ---- tables ---- */

/* Linkers describe all stubs of a procedure linkage table by one expression: from a certain byte of
 * each stub on, one more word is on the stack. Returns that byte if expression[size] is of this
 * kind, else -1. The CFA is then arch_plt_cfa. */
static inline int arch_plt_byte(const uint8_t *expression, uint64_t size);
static inline uint64_t arch_plt_cfa(uint64_t pc, uint64_t sp, uint64_t byte);

#endif

#endif
