/* regexwork.c: see regexwork.h. An expression is read once; of each group that is open, what stands
 * in it is kept as a sum.
 *
 * The pieces of an expression are a graph of which glibc (2.36, calc_eclosure_iter in regcomp.c)
 * walks the edges that take no letter, from each piece on. It keeps what it found unless a loop led
 * back, and then finds it again as often as there are ways to come there.
 * See doc/decisions/67-regular-expressions.md. */
#include "experiment/base/regexwork.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 64,
	COPIES_MAX = 1 << 15, /* RE_DUP_MAX; more is refused by regcomp */
	MAKING = 32,          /* a piece */
	ANCHORED = 64 /* all that follows an anchor is copied once more: how much more work that is
	                 if it is repeated, by trial */
};

/* Walks that take no letter. Numbers end at EXP_REGEX_WORK_MAX, so that no product of two
 * overflows. */
struct walks {
	uint64_t ways;  /* that lead to the end of the part */
	uint64_t steps; /* of them all, and of those that end before a letter */
};

/* A part of an expression. */
struct part {
	uint64_t pieces;
	struct walks whole; /* from its beginning */
	struct walks
		worst; /* from the piece in it from which there are the most that lead out of it */
	uint64_t inside; /* the most steps of walks of which none leads out */
	int has_anchor;
};

/* A group that is open: the alternatives that have ended, what of the current one is before `last`,
 * and its latest part, which may yet be repeated. */
struct group {
	struct part ended, before, last;
};

static const struct part nothing = {.pieces = 1, .whole = {.ways = 1}, .worst = {.ways = 1}};
static const struct part letter = {.pieces = 1,
                                   .whole = {.ways = 0, .steps = 1},
                                   /* behind it: */ .worst = {.ways = 1, .steps = 1}};
static const struct part anchor = {.pieces = 1,
                                   .whole = {.ways = 1, .steps = 1},
                                   .worst = {.ways = 1, .steps = 1},
                                   .has_anchor = 1};

static uint64_t at_most(uint64_t number)
{
	return number < EXP_REGEX_WORK_MAX ? number : EXP_REGEX_WORK_MAX;
}

static uint64_t more_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Every way of the first goes on with the second. */
static struct walks on(struct walks first, struct walks second)
{
	return (struct walks){.ways = at_most(first.ways * second.ways),
	                      .steps = at_most(first.steps + at_most(first.ways * second.steps))};
}

static struct walks either(struct walks a, struct walks b)
{
	return (struct walks){.ways = at_most(a.ways + b.ways),
	                      .steps = at_most(1 + a.steps + b.steps)};
}

static void add_walks(struct part *part, struct walks walks)
{
	if (walks.ways == 0) {
		part->inside = more_of(part->inside, walks.steps);
		return;
	}
	part->worst.ways = more_of(part->worst.ways, walks.ways);
	part->worst.steps = more_of(part->worst.steps, walks.steps);
}

static struct part beside(struct part a, struct part b)
{
	return (struct part){.pieces = at_most(a.pieces + b.pieces),
	                     .inside = more_of(a.inside, b.inside),
	                     .has_anchor = a.has_anchor | b.has_anchor};
}

static struct part one_after_the_other(struct part a, struct part b)
{
	struct part both = beside(a, b);

	both.whole = on(a.whole, b.whole);
	both.worst = b.worst;
	add_walks(&both, on(a.worst, b.whole));
	return both;
}

static struct part one_of(struct part a, struct part b)
{
	struct part one = beside(a, b);

	one.pieces = at_most(1 + one.pieces);
	one.whole = either(a.whole, b.whole);
	one.worst = a.worst;
	add_walks(&one, b.worst);
	add_walks(&one, one.whole);
	return one;
}

static struct part to_be_repeated(struct part part)
{
	if (part.has_anchor) {
		part.whole = on((struct walks){.ways = ANCHORED}, part.whole);
		part.worst = on((struct walks){.ways = ANCHORED}, part.worst);
	}
	return part;
}

/* "*": from the loop's head one way leads out. Those around lead back to it and, in the copies
 * behind an anchor, out again. */
static struct part loop(struct part once)
{
	struct part part = to_be_repeated(once);
	struct walks head = {.ways = at_most(1 + part.whole.ways),
	                     .steps = at_most(1 + part.whole.steps)};
	struct part around = {.pieces = at_most(1 + part.pieces),
	                      .whole = head,
	                      .worst = head,
	                      .inside = part.inside,
	                      .has_anchor = part.has_anchor};

	add_walks(&around, on(part.worst, head));
	return around;
}

/* "{LEAST,MOST}"; MOST is COPIES_MAX + 1 if there is no end to it. The copies that may be left out
 * are (((a)?a)?a)?. Of "{0}" nothing is left, but what it stands behind has been made. */
static struct part copies_of(struct part once, uint64_t least, uint64_t most)
{
	struct part part = to_be_repeated(once), all = nothing, rest = nothing;

	all.pieces = part.pieces;
	for (uint64_t i = 0; i < least; i++)
		all = one_after_the_other(all, part);
	if (most > COPIES_MAX)
		return one_after_the_other(all, loop(part));
	for (uint64_t i = least; i < most; i++)
		rest = one_of(one_after_the_other(rest, part), nothing);
	return one_after_the_other(all, rest);
}

static uint64_t copies(const char *at, char **end)
{
	uint64_t count = strtoull(at, end, 10);

	return count < COPIES_MAX ? count : COPIES_MAX;
}

/* Repeat by what is behind a brace. Returns the closing brace, or what stands before `at` if that
 * is not to be understood. */
static const char *repeat(struct part *part, const char *at)
{
	char *end;
	uint64_t least = copies(at, &end), most = least;

	if (end == at && *end != ',')
		return at - 1;
	if (*end == ',')
		most = end[1] == '}' ? COPIES_MAX + 1 : copies(end + 1, &end);
	end += *end == ',';
	if (*end != '}')
		return at - 1;
	*part = copies_of(*part, least, most);
	return end;
}

static void put(struct group *group, struct part next)
{
	group->before = one_after_the_other(group->before, group->last);
	group->last = next;
}

static void end_alternative(struct group *group)
{
	put(group, nothing);
	group->ended = one_of(group->ended, group->before);
	group->before = nothing;
}

static void open_group(struct group *group)
{
	static const struct part none = {0};

	*group = (struct group){.ended = none, .before = nothing, .last = nothing};
}

/* Returns the group that this one stands in. The outermost has none: what closes it is a letter. */
static struct group *close_group(struct group *outermost, struct group *group)
{
	if (group == outermost) {
		put(group, letter);
		return group;
	}
	end_alternative(group);
	put(group - 1, group->ended);
	return group - 1;
}

/* The end of "[...]", of which `at` is behind the bracket: the closing one, or what ends the text.
 */
static const char *end_of_bracket(const char *at)
{
	at += *at == '^';
	at += *at == ']';
	for (; *at != '\0' && *at != ']'; at++)
		if (at[0] == '[' && at[1] != '\0' && strchr(":.=", at[1])) {
			const char end[] = {at[1], ']', '\0'}, *found = strstr(at + 2, end);

			if (!found) /* no expression */
				return at + strlen(at) - 1;
			at = found + 1;
		}
	return *at != '\0' ? at : at - 1;
}

uint64_t exp_regex_work(const char *pattern)
{
	struct group groups[DEPTH_MAX], *group = groups;
	uint64_t copied = 0;

	open_group(group);
	for (const char *at = pattern; *at != '\0'; at++)
		switch (*at) {
		case '(':
			if (++group == groups + DEPTH_MAX)
				return EXP_REGEX_WORK_MAX;
			open_group(group);
			break;
		case ')':
			group = close_group(groups, group);
			break;
		case '|':
			end_alternative(group);
			break;
		case '?':
			group->last = one_of(group->last, nothing);
			break;
		case '*':
			group->last = loop(group->last);
			break;
		case '+':
			group->last = one_after_the_other(group->last, loop(group->last));
			break;
		case '{':
			at = repeat(&group->last, at + 1);
			copied += group->last.pieces;
			if (copied > EXP_REGEX_MODEST) /* nor shall the estimate take long */
				return EXP_REGEX_WORK_MAX;
			break;
		case '[':
			at = end_of_bracket(at + 1);
			put(group, letter);
			break;
		case '^':
		case '$':
			put(group, anchor);
			break;
		case '\\': /* some of them take no letter */
			at += at[1] != '\0';
			if (*at >= '1' && *at <= '9')
				return EXP_REGEX_WORK_MAX;
			put(group, strchr("bB<>`'", *at) ? anchor : letter);
			break;
		default:
			put(group, letter);
		}
	while (group > groups)
		group = close_group(groups, group);
	end_alternative(group);
	return at_most((1 + group->ended.pieces) *
	               (MAKING + more_of(group->ended.worst.steps, group->ended.inside)));
}

int exp_regex_compile(regex_t *out, const char *pattern, char *why)
{
	char text[EXP_REGEX_WHY / 2];
	int status;

	if (exp_regex_work(pattern) > EXP_REGEX_MODEST) {
		snprintf(
			why, EXP_REGEX_WHY,
			"a regular expression with too many repetitions or parentheses, or a reference back");
		return -EINVAL;
	}
	status = regcomp(out, pattern, REG_EXTENDED | REG_NOSUB);
	if (status == 0 || status == REG_ESPACE)
		return status == 0 ? 0 : -ENOMEM;
	regerror(status, out, text, sizeof(text));
	snprintf(why, EXP_REGEX_WHY, "not a regular expression: %s", text);
	return -EINVAL;
}
