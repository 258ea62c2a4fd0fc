/* words_sink.h: a sink for a walk along a function trace that writes what it gets as text:
 * "[thread@time]" for a buffer, "+function@time" for an entry, "*" for one with arguments, "-" for
 * an exit, "~" for a tail exit, "a" for an argument, "ekind:size@time" for an event. */
#ifndef XER_TESTS_UNIT_EXPERIMENT_XRAY_WORDS_SINK_H
#define XER_TESTS_UNIT_EXPERIMENT_XRAY_WORDS_SINK_H

#include "experiment/xray/functrace.h"
#include "format/fdr.h"
#include "tests/unit/experiment/make_experiment.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What the sink has got, as text. */
static char told[8192];
static int stop_at; /* the number of the call that ends the walk; 0: none does */
static int calls;
static uint64_t told_since = MAKER_START_TICKS; /* the time that is written as 0 */

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...)
{
	size_t used = strlen(told);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(told + used, sizeof(told) - used, format, arguments);
	va_end(arguments);
}

static int on_buffer(void *context, uint32_t tid, uint64_t tsc)
{
	(void)context;
	tell("[%u@%lu]", tid, tsc - told_since);
	return ++calls == stop_at ? -EINTR : 0;
}

static const uint8_t *on_functions(void *context, const uint8_t *at, const uint8_t *end,
                                   uint64_t *tsc)
{
	(void)context;
	for (; at < end; at += 8) {
		static const char *const signs[8] = {"+", "-", "~", "*", "?", "?", "?", "?"};
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		if ((word & 1) != 0 || word == 0)
			break;
		*tsc += word >> 32;
		tell(" %s%u@%lu", signs[word >> 1 & 7], (unsigned)((uint32_t)word >> 4),
		     *tsc - told_since);
		if (++calls == stop_at)
			return NULL;
	}
	return at;
}

static int on_argument(void *context, uint64_t value)
{
	(void)context;
	tell(" a%lu", value);
	return ++calls == stop_at ? -EINTR : 0;
}

static int on_event(void *context, const uint8_t *payload, uint32_t size, uint64_t tsc)
{
	(void)context;
	tell(" e%u:%u@%lu", payload[0], size, tsc - told_since);
	return ++calls == stop_at ? -EINTR : 0;
}

static const struct functrace_sink sink = {on_buffer, on_functions, on_argument, on_event, NULL};

#endif
