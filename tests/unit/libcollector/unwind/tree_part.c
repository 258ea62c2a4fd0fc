/* Tests of the parts of the tree: small tables, which are soon full. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/unwind/tree.h"
#include "libcollector/object/generation.h"
#include "libcollector/unwind/tree_part.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Node i of a chain. */
static uint32_t chain(uint32_t parent, int i)
{
	return tree_node(parent, 0x10000 + (uint64_t)i * 16);
}

enum { SMALL_BITS = 12, PART_NODES = 1 << (SMALL_BITS - 1) };

static void open_small(void)
{
	scratch_open();
	tree_close();
	cr_assert_eq(tree_open_with(SMALL_BITS), 0);
}

TestSuite(tree_parts, .init = open_small, .fini = scratch_remove, .timeout = 60);

static const struct fmt_node *node_in(const struct fmt_node *nodes, uint32_t id)
{
	return &nodes[fmt_node_place(id)];
}

Test(tree_parts, names_and_places_belong_to_each_other)
{
	cr_assert_eq(fmt_node_id(7), 7 * 16, "below 4 GB, the name is the offset");
	cr_assert_eq(fmt_node_id(0x10000000), 1, "then its bits 32 to 35 are the low ones");
	cr_assert_eq(fmt_node_id(UINT32_MAX), UINT32_MAX);
	for (uint32_t place = 1; place; place <<= 1)
		cr_assert_eq(fmt_node_place(fmt_node_id(place + 5)), place + 5);
}

/* A full table is followed by another one; nodes of a part refer to nodes of the same part. */
Test(tree_parts, a_new_part_begins_when_the_table_is_full)
{
	enum { NODES = 10 * PART_NODES };
	static uint32_t id[NODES];
	const struct fmt_node *nodes;
	uint32_t outer = tree_node(0, 0x1000), last = outer;
	size_t len;

	for (int i = 0; i < NODES; i++) {
		id[i] = tree_node(outer, 0x10000 + (uint64_t)i * 16);
		cr_assert_gt(id[i], last);
		last = id[i];
	}
	cr_assert_geq(atomic_load(&tree_number), 10);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_FRAMEINFO]), 0);
	nodes = (const struct fmt_node *)scratch_read("frameinfo", &len);
	for (int i = 0; i < NODES; i++) {
		const struct fmt_node *node = node_in(nodes, id[i]);

		cr_assert_eq(node->pc, 0x10000 + (uint64_t)i * 16);
		cr_assert_lt(node->parent, id[i]);
		cr_assert_gt(node->parent + PART_NODES * sizeof(*node), id[i],
		             "the caller is in the same part");
		cr_assert_eq(node_in(nodes, node->parent)->pc, 0x1000);
	}
	free((void *)(uintptr_t)nodes);
}

Test(tree_parts, old_stacks_are_made_again)
{
	uint32_t outer = tree_node(0, 0x1000), middle, renewed;
	const struct fmt_node *nodes;
	size_t len;

	atomic_store(&col.generation, 2);
	generation_renew(0x2000, 0x3000);
	middle = tree_node(outer, 0x2000);
	cr_assert_eq(tree_renew(0), 0);
	cr_assert_eq(tree_renew(middle), middle, "it is new enough");
	generation_renew(0x2000, 0x3000);
	for (int i = 0; atomic_load(&tree_number) < 9; i++)
		chain(0, i);
	renewed = tree_renew(middle);
	cr_assert_gt(renewed, middle);
	cr_assert_eq(tree_renew(middle), renewed, "once");
	cr_assert_eq(tree_outward(middle, 0x1000), outer, "also where no memory has it");
	nodes = (const struct fmt_node *)scratch_read("frameinfo", &len);
	cr_assert_eq(node_in(nodes, renewed)->pc, 0x2000);
	cr_assert_eq(node_in(nodes, renewed)->generation, 3, "of its time");
	cr_assert_neq(node_in(nodes, renewed)->parent, outer);
	cr_assert_eq(node_in(nodes, node_in(nodes, renewed)->parent)->pc, 0x1000);
	free((void *)(uintptr_t)nodes);
}

/* A stack that is deeper than a part has room for goes on without its outer frames. */
Test(tree_parts, a_stack_deeper_than_a_part_is_cut)
{
	enum { DEEP = 3 * PART_NODES };
	const struct fmt_node *nodes;
	uint32_t node = 0, depth = 0;
	size_t len;

	for (int i = 0; i < DEEP; i++) {
		node = chain(node, i);
		cr_assert_neq(node, 0);
	}
	cr_assert_leq(atomic_load(&tree_number), 4);
	nodes = (const struct fmt_node *)scratch_read("frameinfo", &len);
	for (; node_in(nodes, node)->parent; depth++) {
		cr_assert_eq(node_in(nodes, node)->pc, 0x10000 + (uint64_t)(DEEP - 1 - depth) * 16);
		node = node_in(nodes, node)->parent;
	}
	cr_assert_eq(node_in(nodes, node)->pc, FMT_PC_TRUNCATED);
	cr_assert_gt(depth, tree_depth() / 2);
	free((void *)(uintptr_t)nodes);
}

static int count_maps(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[5000];
	int count = 0;

	while (fgets(line, sizeof(line), maps))
		count += strstr(line, name) != NULL;
	fclose(maps);
	return count;
}

static uint32_t walked; /* the part that a user is in; 0: there is none */

static int is_walked(uint32_t number)
{
	return walked && walked <= number;
}

Test(tree_parts, memory_does_not_grow_with_the_number_of_parts)
{
	int few;

	for (int i = 0; atomic_load(&tree_number) < 4; i++)
		chain(0, i);
	few = count_maps("/frameinfo");
	for (int i = 0; atomic_load(&tree_number) < 100; i++)
		chain(0, i);
	cr_assert_leq(count_maps("/frameinfo"), few);
}

/* A thread that stays in the tree keeps the memory of its part; others go on, as long as there are
 * descriptions of parts, and then nothing is lost for good. */
Test(tree_parts, a_part_with_users_stays)
{
	uint32_t kept = tree_node(0, 0x1000), number;
	const struct fmt_node *at = tree_node_at(tree_part(), fmt_node_place(kept));
	int i = 0;

	atomic_store(&tree_watch, is_walked);
	walked = 1;
	while (chain(0, i))
		i++;
	cr_assert_gt(i, 15 * PART_NODES);
	cr_assert_lt(i, 16 * PART_NODES);
	cr_assert_eq(at->pc, 0x1000);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_FRAMEINFO]), 1);
	number = atomic_load(&tree_number);
	walked = 0;
	usleep(200000);
	for (; i < 30 * PART_NODES; i++)
		cr_assert_neq(chain(0, i), 0);
	cr_assert_gt(atomic_load(&tree_number), number);
}

/* ---- threads, and handlers that interrupt them ---- */

enum { USERS = 6, STACKS_EACH = 150000, MIDDLE_BITS = 16 };

static struct user {
	atomic_uint inside[2], number[2];
	uint32_t last[2];
	uint32_t id[2][STACKS_EACH];
	uint32_t count[2];
	int index;
} users[USERS];
static __thread struct user *self;

static int is_used(uint32_t number)
{
	for (int i = 0; i < USERS; i++)
		for (int context = 0; context < 2; context++)
			if (atomic_load(&users[i].inside[context]) &&
			    atomic_load(&users[i].number[context]) <= number)
				return 1;
	return 0;
}

static uint64_t pc_by(const struct user *user, int context, uint32_t i)
{
	return 0x100000 + ((uint64_t)user->index * 2 + (uint64_t)context) * 0x10000000 +
	       (uint64_t)i * 16;
}

static void make_one(struct user *user, int context)
{
	uint32_t i = user->count[context];

	if (i == STACKS_EACH)
		return;
	atomic_store(&user->inside[context], 1);
	atomic_store(&user->number[context], atomic_load(&tree_number));
	user->last[context] = i % 8 ? tree_node(user->last[context], pc_by(user, context, i))
	                            : tree_node(0, pc_by(user, context, i));
	user->id[context][i] = user->last[context];
	user->count[context] = i + 1;
	atomic_store(&user->inside[context], 0);
}

static void on_signal(int signal)
{
	(void)signal;
	if (self)
		make_one(self, 1);
}

static void *make_all(void *user)
{
	timer_t timer;
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec often = {{0, 50000}, {0, 50000}};

	self = user;
	event._sigev_un._tid = (int)syscall(SYS_gettid);
	cr_assert_eq(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	timer_settime(timer, 0, &often, NULL);
	while (self->count[0] < STACKS_EACH)
		make_one(self, 0);
	timer_delete(timer);
	return NULL;
}

/* Each node has the address that it was made with, and so have its callers. */
static uint32_t count_wrong(const struct fmt_node *nodes, const struct user *user, int context)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < user->count[context]; i++) {
		uint32_t id = user->id[context][i];

		for (uint32_t back = 0; back <= i % 8; back++) {
			wrong += node_in(nodes, id)->pc != pc_by(user, context, i - back);
			id = node_in(nodes, id)->parent;
		}
		wrong += id != 0;
	}
	return wrong;
}

Test(tree_parts, threads_and_their_handlers_go_from_part_to_part)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	const struct fmt_node *nodes;
	pthread_t threads[USERS];
	uint32_t handled = 0;
	size_t len;

	tree_close();
	cr_assert_eq(tree_open_with(MIDDLE_BITS), 0);
	atomic_store(&tree_watch, is_used);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < USERS; i++) {
		users[i].index = i;
		cr_assert_eq(pthread_create(&threads[i], NULL, make_all, &users[i]), 0);
	}
	for (int i = 0; i < USERS; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_FRAMEINFO]), 0);
	nodes = (const struct fmt_node *)scratch_read("frameinfo", &len);
	for (int i = 0; i < USERS; i++) {
		cr_assert_eq(count_wrong(nodes, &users[i], 0), 0, "thread %d", i);
		cr_assert_eq(count_wrong(nodes, &users[i], 1), 0, "handlers of thread %d", i);
		handled += users[i].count[1];
	}
	cr_assert_gt(handled, 0);
	cr_assert_gt(atomic_load(&tree_number), USERS * STACKS_EACH >> (MIDDLE_BITS - 1));
	free((void *)(uintptr_t)nodes);
}
