/* Reading x86-64 code, in this process itself; and where registers lead a thread. */
#include "attach/arch/arch.h"
#include "attach/memory.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Code and slots, near enough to each other for 32-bit distances. */
static struct {
	uint8_t code[64], stub[32];
	uint64_t slot;
} room;

static uint64_t put(const void *bytes, size_t size)
{
	memset(room.code, 0x90, sizeof(room.code));
	memcpy(room.code, bytes, size);
	return (uint64_t)room.code + size;
}

/* Write the distance from `end` to `target` into the four bytes before `end`. */
static void lay(uint8_t *end, const void *target)
{
	int32_t distance = (int32_t)((intptr_t)target - (intptr_t)end);

	memcpy(end - 4, &distance, sizeof(distance));
}

static void setup(void)
{
	cr_assert_eq(memory_open(getpid()), 0);
}

TestSuite(code, .init = setup);

Test(code, a_call_of_the_system_tells_its_number)
{
	uint8_t call[] = {0xb8, 0x0f, 0x01, 0, 0, 0x0f, 0x05};
	uint64_t pc = put(call, sizeof(call));

	cr_assert_eq(arch_call_before(pc), 0x10f);
	cr_assert_eq(arch_call_before(pc + 1), -1);
	cr_assert_eq(arch_call_before(pc - 1), -1);
	for (int i = 0; i < 7; i += i == 0 ? 5 : 1) {
		call[i] ^= 1;
		cr_assert_eq(arch_call_before(put(call, sizeof(call))), -1, "byte %d", i);
		call[i] ^= 1;
	}
	cr_assert_eq(arch_call_before(7), -1, "nothing is there");
}

Test(code, a_call_leads_to_its_function)
{
	uint64_t pc = put("\xe8\0\0\0\0", 5);

	lay((uint8_t *)pc, room.stub);
	memset(room.stub, 0x90, sizeof(room.stub));
	/* with a byte before it, as there always is */
	memmove(room.code + 1, room.code, 5);
	lay((uint8_t *)++pc, room.stub);
	cr_assert_eq(arch_called_before(pc), (uint64_t)room.stub);
	room.slot = 4711;
	pc = put("\xff\x15\0\0\0\0", 6);
	lay((uint8_t *)pc, &room.slot);
	cr_assert_eq(arch_called_before(pc), 4711, "by a slot");
	room.code[1] = 0x25;
	cr_assert_eq(arch_called_before(pc), 0, "a jump is none");
	cr_assert_eq(arch_called_before(3), 0, "nothing is there");
}

Test(code, a_call_leads_through_a_stub)
{
	static const struct {
		const char *bytes;
		size_t size;
	} stubs[] = {{"\xff\x25\0\0\0\0", 6},
	             {"\xf2\xff\x25\0\0\0\0", 7},
	             {"\xf3\x0f\x1e\xfa\xff\x25\0\0\0\0", 10},
	             {"\xf3\x0f\x1e\xfa\xf2\xff\x25\0\0\0\0", 11}};
	uint64_t pc = put("\x90\xe8\0\0\0\0", 6);

	lay((uint8_t *)pc, room.stub);
	room.slot = 4712;
	for (size_t i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++) {
		memset(room.stub, 0x90, sizeof(room.stub));
		memcpy(room.stub, stubs[i].bytes, stubs[i].size);
		lay(room.stub + stubs[i].size, &room.slot);
		cr_assert_eq(arch_called_before(pc), 4712, "stub %zu", i);
		room.stub[stubs[i].size - 5] = 0x15;
		cr_assert_eq(arch_called_before(pc), (uint64_t)room.stub, "%zu is no stub", i);
	}
}

Test(code, a_call_is_entered_with_its_arguments)
{
	const struct arch_call call = {0x1000, 0x2000, 0x7f00, 9, {1, 2, 3, 4}};
	struct arch_registers registers;
	struct user_regs_struct *user = &registers.user;

	memset(&registers, 0x55, sizeof(registers));
	user->eflags = 0x546;
	arch_enter_call(&registers, &call);
	cr_assert_eq(arch_pc(&registers), 0x1000);
	cr_assert_eq(arch_sp(&registers), 0x7ef8, "where the return address is");
	cr_assert_eq(arch_call(&registers), -1, "no call is to be begun again");
	cr_assert_eq(user->rax, 9);
	cr_assert(user->rdi == 1 && user->rsi == 2 && user->rdx == 3 && user->r10 == 4);
	cr_assert(user->r8 == (unsigned long long)-1 && user->r9 == 0);
	cr_assert_eq(user->eflags, 0x46);
	cr_assert_eq(user->rbx, UINT64_C(0x5555555555555555), "others stay");
}

Test(code, a_function_is_entered_with_its_arguments)
{
	const struct arch_start start = {0x1000, 0x2000, 1, 2, 0x3000, 0x8000};
	struct arch_registers registers;
	struct user_regs_struct *user = &registers.user;

	memset(&registers, 0x55, sizeof(registers));
	user->eflags = 0x500;
	arch_enter_function(&registers, &start);
	cr_assert(user->rip == 0x1000 && user->rax == 0x2000 && user->rdi == 1 && user->rsi == 2);
	cr_assert(user->rbx == 0x3000 && user->rsp == 0x8000 && user->rbp == 0);
	cr_assert_eq(arch_call(&registers), -1);
	cr_assert_eq(user->eflags, 0);
	cr_assert_eq(arch_result(&registers), 0x2000);
}

/* A frame has the registers of the state, and points the kernel to the vector registers in it. */
Test(code, a_frame_has_all_of_the_state)
{
	enum { RESTART = -516, RAX_AT = 40 + 13 * 8, RIP_AT = 40 + 16 * 8, FP_AT = 40 + 23 * 8 };
	static struct arch_state state;
	static unsigned char bytes[ARCH_FRAME_MAX];
	uint64_t address = 0x10000, vector_at, word;
	size_t size;

	memset(&state, 0, sizeof(state));
	state.vector_size = 832;
	memset(state.vector, 7, state.vector_size);
	memset(state.vector + 464, 0, 48);
	state.vector[464] = 7; /* the features */
	state.registers.user.rip = 0x401002;
	state.registers.user.rax = (unsigned long long)RESTART;
	state.registers.user.orig_rax = 35;
	state.call = 230;
	state.mask = 0x1234;
	size = arch_frame_build(&state, address, bytes);
	memcpy(&vector_at, bytes + FP_AT, 8);
	vector_at -= address;
	cr_assert_eq(vector_at % ARCH_FRAME_ALIGN, 0);
	cr_assert_eq(size, vector_at + state.vector_size + 4);
	cr_assert_eq(memcmp(bytes + vector_at, state.vector, 464), 0);
	cr_assert_eq(memcmp(bytes + vector_at + 512, state.vector + 512, 832 - 512), 0);
	memcpy(&word, bytes + RAX_AT, 8);
	cr_assert_eq(word, 230, "the call is begun again, by its own number");
	memcpy(&word, bytes + RIP_AT, 8);
	cr_assert_eq(word, 0x401000);
	memcpy(&word, bytes + FP_AT + 9 * 8, 8);
	cr_assert_eq(word, 0x1234);
	state.registers.user.rax = (unsigned long long)-4;
	arch_frame_build(&state, address, bytes);
	memcpy(&word, bytes + RIP_AT, 8);
	cr_assert_eq(word, 0x401002, "one that has failed is not");
	memcpy(&word, bytes + RAX_AT, 8);
	cr_assert_eq(word, (uint64_t)-4);
	state.registers.user.rax = (unsigned long long)RESTART;
	state.registers.user.orig_rax = (unsigned long long)-1;
	arch_frame_build(&state, address, bytes);
	memcpy(&word, bytes + RIP_AT, 8);
	cr_assert_eq(word, 0x401002, "nor what is no call");
}
