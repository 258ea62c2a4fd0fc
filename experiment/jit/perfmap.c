/* perfmap.c: reads a perf map: a function a line, "START SIZE NAME" with hexadecimal numbers. See
 * jitfunctions.h.
 *
 * It has no times. But it only grows, and log.xml has its length at different times: a line that
 * was not there yet counts from that moment on. So, of two functions at one address, the later line
 * counts from the last moment at which it was certainly not there; if both came between the same
 * two moments, only the later one counts.
 * See doc/decisions/37-jit-code.md. */
#include "experiment/base/xmlread.h"
#include "experiment/jit/jitfunctions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 16, NAME_SIZE_MAX = 4096 };

/* What is behind so many bytes was not there at that time. */
struct moment {
	uint64_t ticks, bytes;
};

struct perfmap {
	struct exp_jit_reader *reader;
	struct moment *moments;
	size_t moment_count, moment_capacity, next;
	uint64_t since; /* ticks from which the current line counts */
};

static uint64_t number_of(const struct exp_event *event, const char *name)
{
	uint64_t number = 0;

	for (size_t i = 0; i < event->attribute_count; i++)
		if (strcmp(event->attributes[i].name, name) == 0 &&
		    exp_number_parse(event->attributes[i].value, &number) == 0)
			return number;
	return 0;
}

static int add_moment(struct perfmap *map, uint64_t ticks, uint64_t bytes)
{
	if (exp_array_reserve(&map->moments, &map->moment_capacity, map->moment_count,
	                      sizeof(*map->moments)) != 0)
		return -ENOMEM;
	map->moments[map->moment_count++] = (struct moment){ticks, bytes};
	return 0;
}

/* Each time that it had grown, log.xml also has the time before at which it had not. */
static int find_moments(struct perfmap *map)
{
	const struct experiment *experiment = map->reader->dynamic->experiment;
	const struct exp_info *info = &experiment->info;
	uint64_t bytes = 0;
	int rc = 0;

	for (size_t i = 0; i < info->event_count && rc == 0; i++) {
		const struct exp_event *event = &info->events[i];

		if (strcmp(event->kind, "perf_map") != 0 || number_of(event, "bytes") <= bytes)
			continue;
		rc = add_moment(map, number_of(event, "before"), bytes);
		bytes = number_of(event, "bytes");
		if (rc == 0)
			rc = add_moment(map, experiment->event_ticks[i], bytes);
	}
	return rc;
}

/* A hexadecimal number and the blanks behind it. Returns the rest, or NULL. */
static const char *parse_number(const char *text, uint64_t *out)
{
	char *end;

	if (!strchr("0123456789abcdefABCDEF", text[0]) || text[0] == '\0')
		return NULL;
	errno = 0;
	*out = strtoull(text, &end, 16);
	if (errno != 0 || end == text || (*end != ' ' && *end != '\t'))
		return NULL;
	return end + strspn(end, " \t");
}

static int take_line(struct perfmap *map, char *line, uint64_t offset)
{
	struct exp_arena *arena = &map->reader->dynamic->experiment->arena;
	struct exp_function function = {
		.origin = EXP_ORIGIN_PERF_MAP, .generation_to = UINT32_MAX, .ticks_to = UINT64_MAX};
	const char *rest = parse_number(line, &function.address);

	rest = !rest ? NULL : parse_number(rest, &function.size);
	if (!rest || *rest == '\0') {
		map->reader->skipped++;
		return 0;
	}
	while (map->next < map->moment_count && map->moments[map->next].bytes <= offset)
		map->since = map->moments[map->next++].ticks;
	function.ticks_from = map->since;
	function.name = exp_arena_string(arena, rest);
	if (!function.name || exp_jit_find_source(arena, &function) != 0)
		return -ENOMEM;
	return exp_jit_add(map->reader, &function);
}

/* The lines of the file. What is longer than a line can sensibly be is cut. */
static int read_lines(struct perfmap *map, char *buffer)
{
	struct exp_jit_reader *reader = map->reader;
	char line[NAME_SIZE_MAX + 1];
	size_t len = 0;
	uint64_t at = 0, line_at = 0;
	int rc = 0;

	while (rc == 0 && at < reader->size && !reader->fault) {
		ssize_t got = pread(reader->fd, buffer, BUFFER_SIZE, (off_t)at);

		if (got <= 0)
			break;
		for (ssize_t i = 0; i < got && rc == 0 && !reader->fault; i++) {
			if (buffer[i] != '\n') {
				if (len < NAME_SIZE_MAX)
					line[len++] = buffer[i];
				continue;
			}
			line[len] = '\0';
			if (len > 0)
				rc = take_line(map, line, line_at);
			len = 0;
			line_at = at + (uint64_t)i + 1;
		}
		at += (uint64_t)got;
	}
	if (len > 0 && rc == 0 && !reader->fault)
		reader->skipped++; /* half a line: who knows what the name would have been */
	return rc;
}

int exp_perfmap_read(struct exp_jit_reader *reader)
{
	struct perfmap map = {.reader = reader};
	char *buffer = malloc(BUFFER_SIZE);
	int rc = !buffer ? -ENOMEM : find_moments(&map);

	if (rc == 0)
		rc = read_lines(&map, buffer);
	free(map.moments);
	free(buffer);
	return rc;
}
