/* usertrace_plan.c: the plan of user events, which xcollect has checked, as tables that are cheap
 * to look up.
 *
 * user_hooks is a list, in which later entries override earlier ones:
 *     *           all hooks go to the system trace
 *     N+HHHH      hook HHHH, hexadecimal, goes to trace N
 *     N+HHHH:SSSS only its events with the sub-id SSSS; its others as before
 *     N-HHHH, N-HHHH:SSSS   it is dropped */
#include "libcollector/events/usertrace_plan.h"

#include "libcollector/write/log.h"
#include "libcollector/write/stream.h"

/* A route is the number of a trace plus 1, 0: nowhere. */
enum { HOOKS = 1 << 16, ROUTE_NUMBER = 0x7f, ROUTE_HAS_RULES = 0x80, RULES = 1024 };

struct rule {
	uint16_t hook, subhook;
	uint8_t route;
};

uint8_t *plan_routes;
static uint8_t *routes;    /* its memory. It stays: a thread may be reading there */
static struct rule *rules; /* rules[rule_count] */
static unsigned rule_count;
static uint32_t traces; /* bits of those that are chosen by hooks */

int plan_route_slowly(unsigned word)
{
	unsigned route = plan_routes[word >> 16];

	if (unlikely(route & ROUTE_HAS_RULES))
		for (unsigned i = rule_count; i-- > 0;)
			if (rules[i].hook == word >> 16 && rules[i].subhook == (uint16_t)word)
				return rules[i].route - 1;
	return (int)(route & ROUTE_NUMBER) - 1;
}

static unsigned read_number(const char **text, unsigned base)
{
	unsigned value = 0;

	for (;; (*text)++) {
		unsigned digit = (unsigned char)**text - '0';

		if (digit > 9)
			digit = (unsigned)((**text | 0x20) - 'a' + 10);
		if (digit >= base)
			return value;
		value = value * base + digit;
	}
}

static void add_entry(unsigned hook, int subhook, unsigned route)
{
	if (subhook < 0) {
		plan_routes[hook] = (uint8_t)route;
		for (unsigned i = 0; i < rule_count; i++)
			if (rules[i].hook == hook)
				rules[i].route = (uint8_t)route;
		return;
	}
	if (rule_count == RULES)
		return;
	rules[rule_count++] = (struct rule){
		.hook = (uint16_t)hook, .subhook = (uint16_t)subhook, .route = (uint8_t)route};
	plan_routes[hook] |= ROUTE_HAS_RULES;
}

static void read_routes(const char *at)
{
	while (*at) {
		unsigned trace = read_number(&at, 10);

		if (*at == '*') {
			memset(plan_routes, PLAN_SYSTEM + 1, HOOKS);
			traces |= 1u << PLAN_SYSTEM;
		}
		if (*at == '+' || *at == '-') {
			unsigned route = *at++ == '+' ? trace + 1 : 0;
			unsigned hook = read_number(&at, 16) % HOOKS;
			int subhook = -1;

			if (*at == ':') {
				at++;
				subhook = (int)(read_number(&at, 16) % HOOKS);
			}
			if (route)
				traces |= 1u << (trace % FMT_USER_TRACES);
			add_entry(hook, subhook, route);
		}
		at += strcspn(at, ",");
		at += *at == ',';
	}
}

static void read_modes(const char *at)
{
	while (*at) {
		unsigned trace = read_number(&at, 10) % FMT_USER_TRACES;
		uint64_t bytes = 0;
		int is_ring = at[0] == ':' && at[1] == 'c';

		if (at[0] == ':' && at[1] && at[2] == ':')
			for (at += 3; *at >= '0' && *at <= '9'; at++)
				bytes = bytes * 10 + (uint64_t)(*at - '0');
		if (bytes && col_stream_limit(FMT_STREAM_USERTRACE + trace, bytes, is_ring) < 0)
			col_log_warning("a trace of user events cannot be kept to its size");
		at += strcspn(at, ",");
		at += *at == ',';
	}
}

uint32_t plan_streams(void)
{
	return (plan_routes ? traces : 1u << PLAN_SYSTEM) << FMT_STREAM_USERTRACE;
}

void plan_open(void)
{
	read_modes(col.descriptor.user_modes);
	if (!col.descriptor.user_hooks[0])
		return;
	rules = rules ? rules : sys_mmap_anonymous(RULES * sizeof(*rules));
	routes = routes ? routes : sys_mmap_anonymous(HOOKS);
	if (rules && routes) {
		plan_routes = routes;
		read_routes(col.descriptor.user_hooks);
		return;
	}
	col_log_warning("no memory to select hooks: all user events are recorded");
}

void plan_forget(void)
{
	plan_routes = NULL;
	rule_count = 0;
	traces = 0;
	if (routes)
		memset(routes, 0, HOOKS);
}

int plan_component(const char *name)
{
	const char *at = col.descriptor.user_names;

	for (int trace = 1; *at && trace < FMT_USER_TRACES; trace++) {
		size_t len = strcspn(at, ",");

		if (strlen(name) == len && memcmp(at, name, len) == 0)
			return trace;
		at += len;
		at += *at == ',';
	}
	return PLAN_NOWHERE;
}
