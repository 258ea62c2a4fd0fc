/* set.c: sets of templates: files, messages, duplicates, subroutines. */
#include "template/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_MAX = 32, MESSAGES_MAX = 1000 };

int template_reserve(void *array, size_t *capacity, size_t count, size_t size)
{
	size_t more = *capacity ? *capacity * 2 : 64;
	void *moved;

	if (count < *capacity)
		return 0;
	memcpy(&moved, array, sizeof(moved));
	moved = realloc(moved, more * size);
	if (!moved)
		return -ENOMEM;
	memcpy(array, &moved, sizeof(moved));
	*capacity = more;
	return 0;
}

struct template_set *template_set_create(void)
{
	struct template_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	/* The node that stands for none. */
	if (template_reserve(&set->nodes, &set->node_capacity, 0, sizeof(*set->nodes)) < 0) {
		free(set);
		return NULL;
	}
	set->nodes[0] = (struct node){0};
	set->node_count = 1;
	return set;
}

void template_set_destroy(struct template_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->text_count; i++)
		free(set->texts[i]);
	free(set->texts);
	free(set->nodes);
	free(set->templates);
	free(set->messages);
	free(set);
}

static void copy_near(char *to, const char *near, size_t len)
{
	size_t shown = len < NEAR_MAX ? len : NEAR_MAX;

	for (size_t i = 0; i < shown; i++)
		to[i] = near[i] < ' ' || near[i] > '~' ? '?' : near[i];
	strcpy(to + shown, shown < len ? "..." : "");
}

void template_complain(struct template_set *set, int is_warning, const char *file, unsigned line,
                       const char *near, size_t near_len, const char *format, ...)
{
	struct template_message *message;
	char token[NEAR_MAX + 4], reason[160];
	va_list arguments;

	set->errors += !is_warning;
	if (set->message_count == MESSAGES_MAX)
		return;
	if (template_reserve(&set->messages, &set->message_capacity, set->message_count,
	                     sizeof(*set->messages)) < 0) {
		set->failed = -ENOMEM;
		return;
	}
	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	copy_near(token, near ? near : "", near ? near_len : 0);
	message = &set->messages[set->message_count++];
	message->is_warning = is_warning;
	snprintf(message->text, sizeof(message->text), "%.250s:%u: %s%s (near '%s')", file, line,
	         is_warning ? "warning: " : "", reason, near ? token : "end of the template");
}

/* A copy with a NUL behind, owned by the set. NULL: no memory. */
static char *keep(struct template_set *set, const char *text, size_t len)
{
	char *copy;

	if (template_reserve(&set->texts, &set->text_capacity, set->text_count,
	                     sizeof(*set->texts)) < 0)
		return NULL;
	copy = malloc(len + 1);
	if (!copy)
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	set->texts[set->text_count++] = copy;
	return copy;
}

static const char *skip_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

static int is_blank_line(const char *at, const char *end)
{
	while (at < end && strchr(" \t\r\f\v", *at) && *at != '\0')
		at++;
	return at == end || *at == '\n';
}

const char *template_behind_mark(const char *at, const char *end)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t size = sizeof(mark) - 1;

	return (size_t)(end - at) >= size && memcmp(at, mark, size) == 0 ? at + size : at;
}

int template_set_add(struct template_set *set, const char *file, const char *text, size_t len)
{
	const char *name = keep(set, file, strlen(file));
	const char *at = name ? keep(set, text, len) : NULL;
	const char *end;
	unsigned line = 1;

	if (!at)
		return -ENOMEM;
	end = at + len;
	at = template_behind_mark(at, end);
	for (const char *byte = at; byte < end && !set->has_high_bytes; byte++)
		set->has_high_bytes = (unsigned char)*byte >= 0x80;
	while (at < end && !set->failed) {
		if (*at == '#' || *at == '*' || is_blank_line(at, end)) {
			at = skip_line(at, end);
			line++;
			continue;
		}
		template_parse(set, name, &at, end, &line);
	}
	return set->failed;
}

/* By id, the one that counts first: the highest version, of equal ones the latest. */
static int compare(const void *left, const void *right)
{
	const struct template *a = left;
	const struct template *b = right;

	if (a->header.hook != b->header.hook)
		return a->header.hook < b->header.hook ? -1 : 1;
	for (int i = 0; i < 2; i++)
		if (a->version[i] != b->version[i])
			return a->version[i] > b->version[i] ? -1 : 1;
	return a->order > b->order ? -1 : 1;
}

static void drop_duplicates(struct template_set *set)
{
	size_t kept = 0;

	qsort(set->templates, set->template_count, sizeof(*set->templates), compare);
	for (size_t i = 0; i < set->template_count; i++) {
		const struct template *at = &set->templates[i];

		if (kept == 0 || set->templates[kept - 1].header.hook != at->header.hook) {
			set->templates[kept++] = *at;
			continue;
		}
		template_complain(
			set, 1, at->file, at->header.line, at->header.version,
			at->header.version_len,
			"another template of this hook counts, of version %.*s in line %u",
			(int)set->templates[kept - 1].header.version_len,
			set->templates[kept - 1].header.version,
			set->templates[kept - 1].header.line);
	}
	set->template_count = kept;
}

static size_t find(const struct template_set *set, uint16_t hook)
{
	size_t low = 0, high = set->template_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (set->templates[middle].header.hook < hook)
			low = middle + 1;
		else
			high = middle;
	}
	return low < set->template_count && set->templates[low].header.hook == hook ? low
	                                                                            : SIZE_MAX;
}

static void resolve_calls(struct template_set *set, const struct template *template)
{
	for (uint32_t i = template->nodes_from; i < template->nodes_to; i++) {
		struct node *node = &set->nodes[i];
		char hook[5];
		size_t found;

		if (node->kind != NODE_CALL)
			continue;
		found = find(set, (uint16_t)node->value.number);
		if (found != SIZE_MAX) {
			node->body = (uint32_t)found;
			continue;
		}
		template_hook_text((uint16_t)node->value.number, hook);
		template_complain(set, 1, template->file, node->line, hook, strlen(hook),
		                  "there is no template to call");
	}
}

int template_set_finish(struct template_set *set)
{
	if (set->template_count > 0)
		drop_duplicates(set);
	for (size_t i = 0; i < set->template_count; i++)
		resolve_calls(set, &set->templates[i]);
	for (size_t i = 0; i < set->template_count; i++)
		template_advise(set, &set->templates[i]);
	return set->failed ? set->failed : (int)(set->errors > INT32_MAX ? INT32_MAX : set->errors);
}

size_t template_set_messages(const struct template_set *set, const struct template_message **out)
{
	*out = set->messages;
	return set->message_count;
}

const struct template *template_find(const struct template_set *set, uint16_t hook)
{
	size_t found = find(set, hook);

	return found == SIZE_MAX ? NULL : &set->templates[found];
}

size_t template_set_count(const struct template_set *set)
{
	return set->template_count;
}

const struct template *template_at(const struct template_set *set, size_t index)
{
	return &set->templates[index];
}

const struct template_header *template_header(const struct template *template)
{
	return &template->header;
}
