/* waitowner.c: see waitowner.h. */
#include "analyzer/views/events/waitowner.h"

#include "analyzer/base/text.h"
#include "analyzer/report/axis.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/events/waitname.h"
#include "format/record.h"

#include <math.h>
#include <stdlib.h>

/* How many owners of locks that owners wait for are shown, and frames of each. */
enum { CHAIN = 8, FRAMES = 4 };

/* The experiment of wait->owner: of the same process; else of another one that had such a thread
 * then. */
static const struct dataset_experiment *owner_of(const struct dataset *dataset,
                                                 const struct writers *writers,
                                                 const struct dataset_experiment *at,
                                                 const struct exp_wait *wait)
{
	struct tids_thread found;
	int64_t end_ns;

	if (exp_thread_at(at->whole, wait->owner, wait->time_s) != EXP_NO_INDEX)
		return at;
	end_ns = axis_time_ns(dataset, at, wait->time_s);
	found = tids_find(writers_tids(writers), at, wait->owner, end_ns - (int64_t)wait->span_ns,
	                  end_ns);
	return found.at ? found.at : at;
}

struct wait_waker wait_find_waker(const struct dataset *dataset, const struct writers *writers,
                                  const struct dataset_experiment *at, const struct exp_wait *wait)
{
	const struct writers_wait *written;

	if (wait->owner != 0)
		return (struct wait_waker){wait_owner_kind(wait),
		                           owner_of(dataset, writers, at, wait), wait->owner,
		                           wait->site};
	written = writers_of(writers, wait);
	if (!written || !written->writer)
		return (struct wait_waker){.at = NULL};
	return (struct wait_waker){WAIT_WRITER, written->writer, written->tid, written->node};
}

/* The time that both waits have in common, ns; a wait in which others of its thread were counts in
 * proportion. apart_s: how much later the other one's experiment began. */
static uint64_t common_ns(const struct exp_wait *wait, const struct exp_wait *other, double apart_s)
{
	double end_s = other->time_s + apart_s;
	double begin_s = fmax(wait->time_s - report_seconds(wait->span_ns),
	                      end_s - report_seconds(other->span_ns));
	double seconds = fmin(wait->time_s, end_s) - begin_s;

	if (seconds <= 0 || other->span_ns == 0)
		return 0;
	return (uint64_t)(seconds * 1e9 * (double)other->wait_ns / (double)other->span_ns);
}

struct wait_meanwhile wait_meanwhile(const struct dataset *dataset,
                                     const struct dataset_experiment *at,
                                     const struct exp_wait *wait, const struct wait_waker *waker)
{
	struct wait_meanwhile result = {.ns = 0};
	const struct exp_wall *wall;
	double apart_s;

	if (!waker->at)
		return result;
	wall = &waker->at->whole->wall;
	apart_s = (double)(axis_offset_ns(dataset, waker->at) - axis_offset_ns(dataset, at)) / 1e9;
	for (size_t i = 0; i < wall->longest_count; i++) {
		const struct exp_wait *other = &wall->longest[i];
		uint64_t ns = other->tid == waker->tid ? common_ns(wait, other, apart_s) : 0;

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

char *wait_name_site(const struct dataset *dataset, const struct choices *choices,
                     const struct wait_waker *waker)
{
	return !waker->at || waker->site == EXP_NO_INDEX
	               ? NULL
	               : stacks_name_node(dataset, choices, waker->at, waker->site);
}

/* How it is called, and what stands before the place. */
static const struct {
	const char *who, *where;
} words[] = {[WAIT_HOLDER] = {"held when that began by", ", locked at "},
             [WAIT_JOINED] = {"which is the end of", ", "},
             [WAIT_SIGNALLER] = {"signalled by", " at "},
             [WAIT_RELEASER] = {"until the last one came,", " at "},
             [WAIT_WRITER] = {"written by", " at "}};

/* "  held when that began by thread 4711 (flusher), locked at flush_log, line 15 in "server.c"". */
static void put_who(const struct dataset *dataset, const struct choices *choices, FILE *out,
                    const struct dataset_experiment *at, const struct exp_wait *wait,
                    const struct wait_waker *waker)
{
	int is_begin = waker->kind == WAIT_HOLDER || waker->kind == WAIT_JOINED;
	char *site = wait_name_site(dataset, choices, waker);
	double apart_s = (double)(axis_offset_ns(dataset, waker->at) -
	                          axis_offset_ns(dataset, at)) /
	                 1e9;

	fprintf(out, "  %s ", words[waker->kind].who);
	if (waker->at != at)
		fprintf(out, "experiment %u, ", waker->at->id);
	wait_put_thread(out, waker->at->whole, waker->tid,
	                wait->time_s - apart_s - (is_begin ? report_seconds(wait->span_ns) : 0));
	if (site) {
		fputs(words[waker->kind].where, out);
		text_put(out, site);
	}
	free(site);
}

/* Does the longest wait of the waker say why `wait` lasted? A thread that is joined, or that gives
 * signals, has many. */
static int is_telling(const struct exp_wait *wait, const struct wait_waker *waker,
                      const struct wait_meanwhile *meanwhile)
{
	return meanwhile->wait &&
	       (waker->kind == WAIT_HOLDER || meanwhile->most_ns >= wait->wait_ns / 2);
}

/* Print the waker of `wait`. Returns the wait that it was in for the most of that time, NULL: none
 * is known. */
static const struct exp_wait *put_owner(const struct dataset *dataset,
                                        const struct choices *choices, struct output *output,
                                        const struct dataset_experiment *at,
                                        const struct exp_wait *wait, const struct wait_waker *waker)
{
	struct wait_meanwhile meanwhile = wait_meanwhile(dataset, at, wait, waker);
	int is_same = waker->at == at && waker->tid == wait->tid;
	int tells = !is_same && is_telling(wait, waker, &meanwhile);
	FILE *out = output->out;

	put_who(dataset, choices, out, at, wait, waker);
	if (is_same)
		fputs(", which is the same thread", out);
	else if (meanwhile.wait)
		fprintf(out, ",\n  which meanwhile waited for %.6f (secs.)%s",
		        report_seconds(meanwhile.ns), tells ? ", most in" : "");
	fputc('\n', out);
	if (!tells)
		return NULL;
	fputs("  ", out);
	wait_put_call(dataset, out, waker->at, meanwhile.wait);
	stacks_put_node(dataset, choices, output, waker->at, meanwhile.wait->node, FRAMES,
	                "      ");
	return meanwhile.wait;
}

static void put_circle(FILE *out, const struct wait_waker *waker, int is_deadlock)
{
	fprintf(out, "  %s the first of these threads%s\n",
	        waker->kind == WAIT_HOLDER ? "held by" : words[waker->kind].who,
	        is_deadlock ? ": a deadlock" : "");
}

void wait_put_owner(const struct dataset *dataset, const struct choices *choices,
                    struct output *output, const struct writers *writers,
                    const struct dataset_experiment *at, const struct exp_wait *wait)
{
	const struct dataset_experiment *each_at = at;
	const struct exp_wait *each = wait;

	for (int i = 0; i < CHAIN && each; i++) {
		struct wait_waker waker = wait_find_waker(dataset, writers, each_at, each);

		if (!waker.at && i == 0 && writers_of(writers, each))
			fputs("  written by no recorded process: the other end was closed, or is "
			      "elsewhere\n",
			      output->out);
		if (!waker.at)
			return;
		if (i > 0 && waker.at == at && waker.tid == wait->tid) {
			put_circle(output->out, &waker, is_open(each) && is_open(wait));
			return;
		}
		each = put_owner(dataset, choices, output, each_at, each, &waker);
		each_at = waker.at;
	}
}
