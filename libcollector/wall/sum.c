/* sum.c: add short waits up, in the file. See sum.h.
 *
 * The record of the first wait is completed in place by those that follow within SUM_MS. Its
 * extent may be mapped no more by then, and another one may be at the same address: so the record
 * must lie in the thread's extent, and must begin with the same word, which has the state, the
 * function and the stack. */
#include "libcollector/wall/sum.h"

enum { SUM_MS = 10, STEP = 16, STACK_SHIFT = 36 };

static uint64_t key_of(const struct fmt_wait_sum *wait)
{
	uint64_t key;

	memcpy(&key, wait, sizeof(key));
	return key;
}

static struct wall_sum *sum_of(struct col_thread *thread, uint64_t key)
{
	return &thread->wall.sums[(key >> STACK_SHIFT ^ key >> 24) % WALL_SUMS];
}

/* Did the wait begin after those that were added up? Not if contexts take turns in the thread, and
 * one of them does while another one waits. */
static int is_behind(const struct wall_sum *sum, const struct fmt_wait_sum *wait, uint64_t after)
{
	const struct fmt_wait_sum *record = (const struct fmt_wait_sum *)sum->record;

	return after - sum->begun >= record->until + wait->wait;
}

static int goes_on(const struct wall_sum *sum, const struct col_slot *slot, uint64_t key,
                   uint64_t after)
{
	return sum->record && sum->key == key &&
	       after - sum->begun < col.descriptor.clock_hz / 1000 * SUM_MS &&
	       col_slot_is_open(slot) && sum->record > slot->end - slot->size &&
	       sum->record < slot->at && *(const uint64_t *)sum->record == key;
}

static void add(const struct wall_sum *sum, const struct fmt_wait_sum *wait, uint64_t after)
{
	struct fmt_wait_sum *record = (struct fmt_wait_sum *)sum->record;
	uint64_t total = record->wait + wait->wait;

	fdr_word_put(&record->wait, total);
	fdr_word_put(&record->until, (after - sum->begun) & ~(uint64_t)(STEP - 1));
	__atomic_store_n(&record->count, record->count + 1, __ATOMIC_RELEASE);
	if (unlikely(memcmp(&record->object, &wait->object, sizeof(wait->object)) != 0))
		memset(&record->object, 0, sizeof(record->object));
}

int wall_sum_add(struct col_thread *thread, const struct fmt_wait_sum *wait, uint64_t after)
{
	struct col_slot *slot = &thread->slot[COL_NORMAL][FMT_STREAM_WALLTRACE];
	uint64_t key = key_of(wait);
	struct wall_sum *sum = sum_of(thread, key);
	uint8_t *payload;

	if (likely(goes_on(sum, slot, key, after) && is_behind(sum, wait, after))) {
		add(sum, wait, after);
		return 0;
	}
	payload = col_slot_event(slot, FMT_STREAM_WALLTRACE, atomic_load(&thread->tid),
	                         sizeof(*wait), after);
	*sum = (struct wall_sum){payload, key, after};
	if (!payload)
		return -1;
	fdr_payload_put(payload, wait, sizeof(*wait));
	return 0;
}
