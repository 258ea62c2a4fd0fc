/* Contexts of makecontext(3), and one that is made by hand as libraries for fibers do: the address
 * at which it would end stands on its stack, and no call is before that.
 *
 * usage: contexts      (no arguments)
 *
 * Facts: 100 contexts and 1 made by hand call leaf(), which allocates and frees 10 times. x86-64
 * only. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { CONTEXTS = 100, CALLS = 10, STACK = 65536 };

static ucontext_t back;

__attribute__((noinline)) static void leaf(void)
{
	for (int i = 0; i < CALLS; i++) {
		void *volatile block = malloc(30);

		free(block);
	}
}

static void in_context(void)
{
	leaf();
	__asm__ volatile(""); /* no tail call */
}

void switch_to(void (*function)(void), void *top);
/* Calls function on the stack below top, by a jump: it returns to `ended`, which has no unwinding
 * table, and where the stack of the caller comes back. */
__asm__(".globl switch_to\n"
        "switch_to:\n"
        "	push %rbx\n"
        "	mov %rsp, %rbx\n"
        "	lea -8(%rsi), %rsp\n"
        "	lea ended(%rip), %rax\n"
        "	mov %rax, (%rsp)\n"
        "	jmp *%rdi\n"
        "	nop\n"
        "	nop\n"
        "	nop\n"
        "ended:\n"
        "	mov %rbx, %rsp\n"
        "	pop %rbx\n"
        "	ret\n");

int main(void)
{
	char *stack = malloc(STACK);
	ucontext_t context;

	if (!stack)
		return 1;
	for (int i = 0; i < CONTEXTS; i++) {
		getcontext(&context);
		context.uc_stack.ss_sp = stack;
		context.uc_stack.ss_size = STACK;
		context.uc_link = &back;
		makecontext(&context, in_context, 0);
		swapcontext(&back, &context);
	}
	/* Nothing above the address looks like another frame. */
	for (int i = 1; i <= 64; i++)
		((uint64_t *)(uintptr_t)(stack + STACK))[-i] = 1;
	switch_to(in_context, stack + STACK - 64);
	puts("ok");
	return 0;
}
