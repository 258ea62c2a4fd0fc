/* Shadows of stack memory: where they are, and what a return address stands for. */
#include "libcollector/unwind/shadow.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 1 << SHADOW_CHUNK_BITS };

Test(shadow, there_is_none_until_it_is_made)
{
	uint64_t slot = 0x7ffe12345678;

	cr_assert_null(shadow_find(slot));
	cr_assert_not_null(shadow_make(slot));
	cr_assert_eq(shadow_find(slot), shadow_make(slot));
	cr_assert_null(shadow_find(slot + CHUNK));
}

Test(shadow, every_word_has_its_own)
{
	uint64_t first = 0x5555aaa00000; /* begins a chunk */

	shadow_make(first);
	for (uint64_t slot = first; slot < first + CHUNK; slot += 8)
		*shadow_find(slot) = (struct shadow_call){slot, ~slot};
	for (uint64_t slot = first; slot < first + CHUNK; slot += 8) {
		cr_assert_eq(shadow_find(slot)->address, slot);
		cr_assert_eq(shadow_find(slot)->word, ~slot);
	}
}

Test(shadow, addresses_that_no_program_has_get_none)
{
	cr_assert_null(shadow_make((uint64_t)1 << SHADOW_ADDRESS_BITS));
	cr_assert_null(shadow_make(UINT64_MAX - 7));
	cr_assert_null(shadow_find(UINT64_MAX - 7));
	cr_assert_not_null(shadow_make(((uint64_t)1 << SHADOW_ADDRESS_BITS) - 8));
	cr_assert_not_null(shadow_make(0));
}

Test(shadow, only_the_exchanged_address_stands_for_another)
{
	uint64_t sp = 0x7f0000001000;

	cr_assert_eq(shadow_true_address(0, sp), 0);
	cr_assert_eq(shadow_true_address(0x401000, sp), 0x401000);
	shadow_trampoline = 0x401000;
	cr_assert_eq(shadow_true_address(0x401000, sp), 0x401000, "nothing is known of that word");
	shadow_make(sp - 8)->address = 0x402000;
	cr_assert_eq(shadow_true_address(0x401000, sp), 0x402000);
	cr_assert_eq(shadow_true_address(0x401001, sp), 0x401001);
}

static void *make_all(void *result)
{
	struct shadow_call **to = result;

	for (uint64_t i = 0; i < 64; i++)
		to[i] = shadow_make(0x600000000000 + i * CHUNK);
	return NULL;
}

Test(shadow, threads_that_come_at_the_same_time_get_the_same)
{
	struct shadow_call *made[4][64];
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, make_all, made[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < 4; i++)
		cr_assert_eq(memcmp(made[0], made[i], sizeof(made[0])), 0);
}

Test(shadow, without_memory_there_is_none)
{
	struct rlimit none = {0, 0};
	int status = 0;

	shadow_make(0x7f0000000000);
	if (fork() == 0) {
		setrlimit(RLIMIT_AS, &none);
		_exit(!shadow_make(0x7f0000000000 + CHUNK) && !shadow_make(0x100000000000) &&
		                      shadow_find(0x7f0000000000)
		              ? 7
		              : 1);
	}
	wait(&status);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}
