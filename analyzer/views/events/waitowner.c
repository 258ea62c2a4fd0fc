/* waitowner.c: see waitowner.h. */
#include "analyzer/views/events/waitowner.h"

#include "analyzer/base/text.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/events/waitname.h"
#include "format/record.h"

#include <math.h>
#include <stdlib.h>

/* How many owners of locks that owners wait for are shown, and frames of each. */
enum { CHAIN = 8, FRAMES = 4 };

/* The time that both waits have in common; a wait in which others of its thread were counts in
 * proportion. */
static uint64_t common_ns(const struct exp_wait *wait, const struct exp_wait *other)
{
	double begin_s = fmax(wait->time_s - report_seconds(wait->span_ns),
	                      other->time_s - report_seconds(other->span_ns));
	double seconds = fmin(wait->time_s, other->time_s) - begin_s;

	if (seconds <= 0 || other->span_ns == 0)
		return 0;
	return (uint64_t)(seconds * 1e9 * (double)other->wait_ns / (double)other->span_ns);
}

struct wait_meanwhile wait_meanwhile(const struct dataset_experiment *at,
                                     const struct exp_wait *wait)
{
	const struct exp_wall *wall = &at->whole->wall;
	struct wait_meanwhile result = {.ns = 0};

	for (size_t i = 0; i < wall->longest_count; i++) {
		const struct exp_wait *other = &wall->longest[i];
		uint64_t ns = other->tid == wait->owner ? common_ns(wait, other) : 0;

		result.ns += ns;
		if (ns > result.most_ns) {
			result.most_ns = ns;
			result.wait = other;
		}
	}
	return result;
}

static int is_open(const struct exp_wait *wait)
{
	return wait->error == EXP_SYNC_OPEN;
}

/* Where it took the lock, or gave the signal. The caller frees; NULL: that is not known. */
char *wait_name_site(const struct dataset *dataset, const struct choices *choices,
                     const struct dataset_experiment *at, const struct exp_wait *wait)
{
	return wait->site == EXP_NO_INDEX ? NULL
	                                  : stacks_name_node(dataset, choices, at, wait->site);
}

/* "  held when that began by thread 4711 (flusher), locked at flush_log, line 15 in "server.c"". */
static void put_who(const struct dataset *dataset, const struct choices *choices, FILE *out,
                    const struct dataset_experiment *at, const struct exp_wait *wait)
{
	static const char *const words[] = {[WAIT_HOLDER] = "  held when that began by ",
	                                    [WAIT_JOINED] = "  which is the end of ",
	                                    [WAIT_SIGNALLER] = "  signalled by "};
	enum wait_owner kind = wait_owner_kind(wait);
	char *site = wait_name_site(dataset, choices, at, wait);

	fputs(words[kind], out);
	wait_put_thread(out, at->whole, wait->owner,
	                kind == WAIT_SIGNALLER ? wait->time_s
	                                       : wait->time_s - report_seconds(wait->span_ns));
	if (site) {
		fputs(kind == WAIT_SIGNALLER ? " at " : ", locked at ", out);
		text_put(out, site);
	}
	free(site);
}

/* Does the longest wait of the owner say why `wait` lasted? A thread that is joined, or that gives
 * signals, has many. */
static int is_telling(const struct exp_wait *wait, const struct wait_meanwhile *meanwhile)
{
	return meanwhile->wait &&
	       (wait_owner_kind(wait) == WAIT_HOLDER || meanwhile->most_ns >= wait->wait_ns / 2);
}

/* Print the owner of the lock that `wait` is for, or the thread that is joined. Returns the wait
 * that it was in for the most of that time, NULL: none is known. */
static const struct exp_wait *put_owner(const struct dataset *dataset,
                                        const struct choices *choices, struct output *output,
                                        const struct dataset_experiment *at,
                                        const struct exp_wait *wait)
{
	struct wait_meanwhile meanwhile = wait_meanwhile(at, wait);
	int tells = wait->owner != wait->tid && is_telling(wait, &meanwhile);
	FILE *out = output->out;

	put_who(dataset, choices, out, at, wait);
	if (wait->owner == wait->tid)
		fputs(", which is the same thread", out);
	else if (meanwhile.wait)
		fprintf(out, ",\n  which meanwhile waited for %.6f (secs.)%s",
		        report_seconds(meanwhile.ns), tells ? ", most in" : "");
	fputc('\n', out);
	if (!tells)
		return NULL;
	fputs("  ", out);
	wait_put_call(dataset, out, at, meanwhile.wait);
	stacks_put_node(dataset, choices, output, at, meanwhile.wait->node, FRAMES, "      ");
	return meanwhile.wait;
}

void wait_put_owner(const struct dataset *dataset, const struct choices *choices,
                    struct output *output, const struct dataset_experiment *at,
                    const struct exp_wait *wait)
{
	const struct exp_wait *each = wait;

	for (int i = 0; i < CHAIN && each && each->owner != 0; i++) {
		if (i > 0 && each->owner == wait->tid) {
			fprintf(output->out, "  %s the first of these threads%s\n",
			        wait_owner_kind(each) == WAIT_JOINED   ? "which is the end of"
			        : wait_owner_kind(each) == WAIT_HOLDER ? "held by"
			                                               : "signalled by",
			        is_open(each) && is_open(wait) ? ": a deadlock" : "");
			return;
		}
		each = put_owner(dataset, choices, output, at, each);
	}
}
