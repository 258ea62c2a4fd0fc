/* The ring of extents: which one is the oldest, and who may take it. */
#include "libcollector/write/keep_ring.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 8192, MIB = 1 << 20 };

static struct keep_ring ring;

static void open_ring(uint64_t bytes)
{
	ring.bytes = bytes;
	ring.keep = mmap(NULL, fmt_keep_file_size(bytes), PROT_READ | PROT_WRITE,
	                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(ring.keep, MAP_FAILED);
	cr_assert(keep_ring_register(&ring, "."));
}

static void setup(void)
{
	scratch_open();
	open_ring(MIB);
}

TestSuite(keep_ring, .init = setup, .fini = scratch_remove);

static uint32_t enter(uint64_t at)
{
	return keep_ring_enter(&ring, FMT_STREAM_PROFILE, SIZE, at);
}

/* Its offset; 0: there is none. */
static uint64_t take_oldest(void)
{
	struct keep_victim victim;

	if (!keep_ring_oldest(&ring, UINT64_MAX, &victim) && !keep_ring_sweep(&ring, &victim))
		return 0;
	keep_ring_leave(&ring, victim.extent);
	return victim.at;
}

/* ---- the order */

Test(keep_ring, what_came_first_goes_first_if_it_is_full)
{
	uint32_t number[3] = {enter(100), enter(200), enter(300)};

	cr_assert_eq(take_oldest(), 0, "all are in use");
	keep_ring_give(&ring, number[1]);
	keep_ring_give(&ring, number[2]);
	cr_assert_eq(take_oldest(), 200);
	cr_assert_eq(take_oldest(), 300);
	cr_assert_eq(take_oldest(), 0);
	keep_ring_give(&ring, number[0]);
	cr_assert_eq(take_oldest(), 100, "it had its turn, and got another one");
	cr_assert_eq(take_oldest(), 0);
}

/* A ring has so many places; positions go on for ever. */
static void goes_round(uint64_t bytes)
{
	uint32_t most, held;

	open_ring(bytes);
	most = fmt_keep_extents(bytes);
	held = enter(1);
	for (uint64_t at = 2; at <= 5u * most; at++) {
		keep_ring_give(&ring, enter(at));
		if (at > most / 2)
			cr_assert_eq(take_oldest(), at - most / 2 + 1, "at %lu", (unsigned long)at);
	}
	cr_assert_eq(atomic_load(&keep_ring_at(&ring, held)->at), 1, "who writes is left alone");
}

Test(keep_ring, it_goes_round)
{
	goes_round(4 * MIB);
}

Test(keep_ring, a_larger_one_goes_round)
{
	goes_round(32 * MIB);
}

/* What leaves does not move the hand; what enters does, where the ring has come round to it. */
Test(keep_ring, the_hand_is_never_more_than_a_ring_behind)
{
	uint64_t most = fmt_keep_extents(MIB);

	for (uint64_t i = 1; i <= 3 * most; i++) {
		uint64_t next, hand;

		keep_ring_leave(&ring, keep_ring_at(&ring, enter(i)));
		next = atomic_load(&ring.keep->next);
		hand = atomic_load(&ring.keep->hand);
		cr_assert_eq(hand, next > most ? next - most : 0, "%lu of %lu", hand, next);
	}
}

Test(keep_ring, when_it_is_full_nothing_enters)
{
	uint32_t most = fmt_keep_extents(MIB);

	for (uint32_t i = 1; i <= most; i++)
		cr_assert_neq(enter(i), 0);
	cr_assert_eq(enter(9999), 0);
	keep_ring_give(&ring, 7);
	cr_assert_neq(take_oldest(), 0);
	cr_assert_neq(enter(9999), 0);
}

Test(keep_ring, only_what_is_older_than_a_time_is_taken)
{
	struct keep_victim victim;
	uint64_t middle;

	keep_ring_give(&ring, enter(100));
	usleep(1000);
	middle = col_ticks();
	keep_ring_give(&ring, enter(200));
	cr_assert_eq(keep_ring_oldest(&ring, 1, &victim), 0);
	cr_assert_eq(keep_ring_oldest(&ring, middle, &victim), 1);
	cr_assert_eq(victim.at, 100);
	cr_assert_lt(victim.ticks, middle);
	keep_ring_leave(&ring, victim.extent);
	cr_assert_eq(keep_ring_oldest(&ring, middle, &victim), 0);
	cr_assert_eq(take_oldest(), 200);
}

Test(keep_ring, writers_are_counted)
{
	uint32_t number = enter(100);

	enter(200);
	cr_assert_eq(atomic_load(&ring.keep->writers), 2);
	keep_ring_give(&ring, number);
	cr_assert_eq(atomic_load(&ring.keep->writers), 1);
	take_oldest();
	cr_assert_eq(atomic_load(&ring.keep->writers), 1);
}

Test(keep_ring, usage_samples_stay_while_they_are_few)
{
	uint32_t size = SIZE, number = keep_ring_enter(&ring, FMT_STREAM_OVERVIEW, size, 100);

	keep_ring_give(&ring, number);
	cr_assert_eq(take_oldest(), 0);
	number = keep_ring_enter(&ring, FMT_STREAM_OVERVIEW, MIB / 8, 200);
	cr_assert_eq(take_oldest(), 100);
	keep_ring_give(&ring, number);
	cr_assert_eq(take_oldest(), 0);
}

/* Where nothing can go, each extent is asked a few times, however far the hand has come. */
Test(keep_ring, a_search_in_vain_ends_soon)
{
	enum { FEW = 3, ROUNDS = 20, TURNS = 2 * FEW + 16 };
	struct keep_victim victim;

	for (uint64_t i = 1; i <= FEW; i++)
		keep_ring_give(&ring, keep_ring_enter(&ring, FMT_STREAM_OVERVIEW, SIZE, i * SIZE));
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t hand = atomic_load(&ring.keep->hand);

		cr_assert_not(keep_ring_oldest(&ring, UINT64_MAX, &victim));
		cr_assert_eq(atomic_load(&ring.keep->hand) - hand, TURNS, "round %d", round);
	}
	cr_assert_eq(atomic_load(&ring.keep->next) - atomic_load(&ring.keep->hand), FEW);
}

Test(keep_ring, what_cannot_be_dropped_lets_the_next_one_have_its_turn)
{
	struct keep_victim victim;

	keep_ring_give(&ring, enter(100));
	keep_ring_give(&ring, enter(200));
	for (uint64_t at = 100; at <= 200; at += 100) {
		cr_assert_eq(keep_ring_oldest(&ring, UINT64_MAX, &victim), 1);
		cr_assert_eq(victim.at, at);
		keep_ring_return(&ring, &victim);
	}
	cr_assert_eq(take_oldest(), 100, "neither is lost");
	cr_assert_eq(take_oldest(), 200);
	cr_assert_eq(take_oldest(), 0);
	cr_assert_eq(atomic_load(&fmt_keep_process_at(ring.keep, ring.me)->count), 1);
}

Test(keep_ring, what_is_full_already_or_of_another_process_is_not_given)
{
	uint32_t number = enter(100);
	struct keep_ring other = ring;

	cr_assert(keep_ring_is_held(&ring, number));
	other.me = ring.me + 1;
	cr_assert_not(keep_ring_is_held(&other, number));
	keep_ring_give(&other, number);
	cr_assert_eq(take_oldest(), 0);
	keep_ring_give(&ring, number);
	cr_assert_not(keep_ring_is_held(&ring, number));
	keep_ring_give(&ring, number);
	cr_assert_eq(atomic_load(&ring.keep->writers), 0);
	cr_assert_eq(take_oldest(), 100);
	keep_ring_give(&ring, number);
	cr_assert_eq(take_oldest(), 0);
}

Test(keep_ring, stacks_without_a_place_stay_where_they_are)
{
	uint32_t number = keep_ring_enter(&ring, FMT_STREAM_FRAMEINFO, SIZE, 0);

	atomic_store(&fmt_keep_process_at(ring.keep, ring.me)->stacks, 1000);
	keep_ring_give(&ring, enter(200));
	for (int i = 0; i < 3; i++)
		cr_assert_eq(take_oldest(), i == 0 ? 200 : 0);
	cr_assert(keep_ring_is_held(&ring, number));
	atomic_store(&keep_ring_at(&ring, number)->at, 100);
	cr_assert_eq(take_oldest(), 100, "they are of an older part");
}

/* ---- processes */

/* Another process registers, enters what is at 100, and ends. Returns its number. */
static unsigned by_another(const char *name)
{
	struct keep_ring mine = ring;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		col.pid = getpid();
		if (!keep_ring_register(&mine, name))
			_exit(255);
		keep_ring_enter(&mine, FMT_STREAM_PROFILE, SIZE, 100);
		_exit((int)mine.me);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_neq(WEXITSTATUS(status), 255);
	return (unsigned)WEXITSTATUS(status);
}

Test(keep_ring, what_a_process_leaves_behind_goes_after_what_is_there)
{
	struct keep_victim victim;
	unsigned other = by_another("_f1.er");

	cr_assert_neq(other, ring.me);
	keep_ring_give(&ring, enter(200));
	cr_assert_eq(take_oldest(), 200, "when it ended is not known");
	cr_assert_eq(keep_ring_oldest(&ring, UINT64_MAX, &victim), 1);
	cr_assert_eq(victim.at, 100);
	cr_assert_eq(victim.process, other);
	cr_assert_str_eq(fmt_keep_process_at(ring.keep, other)->name, "_f1.er");
	keep_ring_leave(&ring, victim.extent);
	cr_assert_eq(atomic_load(&fmt_keep_process_at(ring.keep, other)->count), 0);
	cr_assert_eq(atomic_load(&ring.keep->writers), 0);
}

/* Its number may be that of another process here, or of none. */
static void not_known_to_have_ended(uint64_t space)
{
	unsigned other = by_another("_f1.er");
	struct keep_victim victim;

	atomic_store(&fmt_keep_process_at(ring.keep, other)->space, space);
	cr_assert_eq(take_oldest(), 0);
	cr_assert_eq(keep_ring_sweep(&ring, &victim), 0);
	cr_assert_neq(atomic_load(&fmt_keep_process_at(ring.keep, other)->pid), 0);
	cr_assert_neq(by_another("_f2.er"), other, "its row is its own");
}

Test(keep_ring, a_process_elsewhere_is_not_known_to_have_ended)
{
	not_known_to_have_ended(12345);
}

Test(keep_ring, a_process_of_which_nothing_is_known_is_not_known_to_have_ended)
{
	not_known_to_have_ended(0);
	atomic_store(&fmt_keep_process_at(ring.keep, ring.me)->space, 0);
	cr_assert_eq(take_oldest(), 0);
}

Test(keep_ring, rows_of_processes_elsewhere_are_not_taken)
{
	for (unsigned i = 0; i < fmt_keep_processes(MIB); i++) {
		struct fmt_keep_process *row = fmt_keep_process_at(ring.keep, i);

		atomic_store(&row->pid, 0x7ffffff0);
		atomic_store(&row->count, 1);
		atomic_store(&row->space, 12345);
	}
	cr_assert_eq(keep_ring_register(&ring, "_x1.er"), 0);
}

Test(keep_ring, rows_of_processes_that_have_ended_are_used_again)
{
	unsigned first = by_another("_f1.er");

	cr_assert_eq(take_oldest(), 100);
	cr_assert_eq(by_another("_f2.er"), first);
}

Test(keep_ring, a_program_that_is_executed_is_another_process)
{
	unsigned before = ring.me;

	enter(100);
	cr_assert(keep_ring_register(&ring, "_x1.er"));
	cr_assert_neq(ring.me, before);
	cr_assert_eq(atomic_load(&fmt_keep_process_at(ring.keep, before)->pid), 0);
	keep_ring_give(&ring, enter(200));
	cr_assert_eq(take_oldest(), 200);
	cr_assert_eq(take_oldest(), 100);
}

Test(keep_ring, what_a_killed_process_had_no_place_for_is_nothing)
{
	enter(0);
	cr_assert(keep_ring_register(&ring, "_x1.er"));
	cr_assert_eq(take_oldest(), 0);
	cr_assert_eq(atomic_load(&ring.keep->writers), 0);
}

/* Many processes at once: each extent is taken once. */
Test(keep_ring, nothing_is_taken_twice)
{
	enum { WORKERS = 4, ROUNDS = 20000 };
	_Atomic uint32_t *taken = mmap(NULL, (WORKERS + 1) * ROUNDS * sizeof(*taken),
	                               PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	for (int worker = 0; worker < WORKERS; worker++)
		if (fork() == 0) {
			for (uint64_t i = 1; i <= ROUNDS; i++) {
				uint32_t number = enter((uint64_t)worker * ROUNDS + i);
				uint64_t at;

				if (!number)
					_exit(1);
				keep_ring_give(&ring, number);
				at = take_oldest();
				atomic_fetch_add(&taken[at], at != 0);
			}
			_exit(0);
		}
	while (wait(&status) > 0)
		cr_assert_eq(status, 0);
	for (uint64_t at; (at = take_oldest()) != 0;)
		atomic_fetch_add(&taken[at], 1);
	for (uint32_t at = 1; at <= WORKERS * ROUNDS; at++)
		cr_assert_eq(atomic_load(&taken[at]), 1, "%u: %u times", at,
		             atomic_load(&taken[at]));
}
