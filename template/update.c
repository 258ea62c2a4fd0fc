/* update.c: applies update files. The target is a list of pieces, stanzas and what stands between
 * them, that are replaced, appended and deleted. See update.h. */
#include "template/update.h"

#include "template/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A stanza, or text between stanzas. */
struct piece {
	const char *text;
	size_t len;
	int hook;       /* -1: no stanza */
	int is_another; /* in undo: there was one more of its id */
	uint32_t version[2];
};

struct pieces {
	struct piece *list;
	size_t count, capacity;
};

struct work {
	struct template_update *out;
	struct template_set *set;
	struct pieces target;
	struct pieces undo; /* in order of the changes: is read from its end */
};

static int add(struct pieces *pieces, const struct piece *piece)
{
	if (template_reserve(&pieces->list, &pieces->capacity, pieces->count,
	                     sizeof(*pieces->list)) < 0)
		return -ENOMEM;
	pieces->list[pieces->count++] = *piece;
	return 0;
}

static int put_newline(struct pieces *pieces, size_t at)
{
	const struct piece newline = {.text = "\n", .len = 1, .hook = -1};
	int status = add(pieces, &newline);

	if (status == 0) {
		memmove(&pieces->list[at + 1], &pieces->list[at],
		        (pieces->count - 1 - at) * sizeof(*pieces->list));
		pieces->list[at] = newline;
	}
	return status;
}

static void drop(struct pieces *pieces, size_t at)
{
	memmove(&pieces->list[at], &pieces->list[at + 1],
	        (pieces->count - at - 1) * sizeof(*pieces->list));
	pieces->count--;
}

static struct piece piece_of(const struct template *template)
{
	const struct template_header *header = &template->header;

	return (struct piece){.text = header->text,
	                      .len = header->text_len,
	                      .hook = header->hook,
	                      .version = {template->version[0], template->version[1]}};
}

/* The target as pieces; newlines stand between stanzas. */
static int cut(struct work *work, const char *text, size_t len)
{
	const char *at = text;
	int status = 0;

	for (size_t i = 0; i < work->set->template_count && status == 0; i++) {
		struct piece piece = piece_of(&work->set->templates[i]);

		if (piece.text > at)
			status = add(&work->target,
			             &(struct piece){.text = at,
			                             .len = (size_t)(piece.text - at),
			                             .hook = -1});
		if (status == 0)
			status = add(&work->target, &piece);
		at = piece.text + piece.len;
	}
	if (status == 0 && at < text + len)
		status = add(
			&work->target,
			&(struct piece){.text = at, .len = (size_t)(text + len - at), .hook = -1});
	return status;
}

static size_t find(const struct work *work, int hook)
{
	size_t at = work->target.count;

	while (at > 0 && work->target.list[at - 1].hook != hook)
		at--;
	return at - 1; /* SIZE_MAX: there is none */
}

static size_t count_of(const struct work *work, int hook)
{
	size_t count = 0;

	for (size_t i = 0; i < work->target.count; i++)
		count += work->target.list[i].hook == hook;
	return count;
}

/* To undo what is done to the stanza at `at`: add it, also where there is another of its id. */
static int keep_for_undo(struct work *work, size_t at)
{
	struct piece piece = work->target.list[at];

	piece.is_another = count_of(work, piece.hook) > 1;
	return add(&work->undo, &piece);
}

static int is_older(const struct piece *piece, const struct piece *than)
{
	if (piece->version[0] != than->version[0])
		return piece->version[0] < than->version[0];
	return piece->version[1] < than->version[1];
}

/* ---- changes ---- */

/* Would a stanza take the line behind it too? Its last line, comments apart, ends with a backslash.
 */
static int goes_on(const struct piece *piece)
{
	const char *at = piece->text, *end = at + piece->len;
	int is_open = 0;

	while (piece->hook >= 0 && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)),
			   *last = newline ? newline : end;

		while (last > at && strchr(" \t\r\f\v", last[-1]) && last[-1] != '\0')
			last--;
		if (!is_open || *at != '#')
			is_open = last > at && last[-1] == '\\';
		at = newline ? newline + 1 : end;
	}
	return is_open;
}

/* How many newlines the target's end lacks before a stanza can stand there. */
static unsigned lacking_newlines(const struct pieces *target)
{
	const struct piece *last = target->count > 0 ? &target->list[target->count - 1] : NULL;

	if (!last)
		return 0;
	if (last->hook >= 0)
		return 1 + (unsigned)goes_on(last);
	if (last->text[last->len - 1] != '\n')
		return 1;
	return target->count > 1 && goes_on(last - 1) && !memchr(last->text, '\n', last->len - 1);
}

static int append(struct work *work, const struct piece *piece)
{
	int status = 0;

	for (unsigned lacking = lacking_newlines(&work->target); lacking > 0 && status == 0;
	     lacking--)
		status = put_newline(&work->target, work->target.count);
	if (status == 0)
		status = add(&work->target, piece);
	for (int newlines = 1 + goes_on(piece); newlines > 0 && status == 0; newlines--)
		status = put_newline(&work->target, work->target.count);
	/* To undo: delete it. */
	if (status == 0)
		status = add(&work->undo, &(struct piece){.hook = piece->hook});
	work->out->added++;
	return status;
}

static int replace(struct work *work, size_t at, const struct piece *piece)
{
	int status;

	if (is_older(piece, &work->target.list[at])) {
		work->out->left++;
		return 0;
	}
	/* To undo: delete the new one, whose version is higher, then add the old one. */
	status = keep_for_undo(work, at);
	if (status == 0)
		status = add(&work->undo, &(struct piece){.hook = piece->hook});
	work->target.list[at] = *piece;
	if (status == 0 && goes_on(piece))
		status = put_newline(&work->target, at + 1);
	work->out->replaced++;
	return status;
}

static int take_stanza(struct work *work, const char *file, const char **at, const char *end,
                       unsigned *line)
{
	size_t before = work->set->template_count;
	int is_another = end - *at > 1 && (*at)[1] == '+';
	struct piece piece;
	size_t found;

	*at += 1 + is_another;
	template_parse(work->set, file, at, end, line);
	if (work->set->failed || work->set->template_count == before)
		return work->set->failed;
	piece = piece_of(&work->set->templates[before]);
	while (piece.len > 0 && strchr(" \t", piece.text[0])) {
		piece.text++;
		piece.len--;
	}
	found = is_another ? SIZE_MAX : find(work, piece.hook);
	return found == SIZE_MAX ? append(work, &piece) : replace(work, found, &piece);
}

static int take_delete(struct work *work, const char *file, const char *text, size_t len,
                       unsigned line)
{
	const char *whole = text;
	size_t whole_len = len;
	uint16_t hook;
	size_t found;
	int status;

	for (text++, len--; len > 0 && strchr(" \t", *text) && *text != '\0'; text++)
		len--;
	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t' || text[len - 1] == '\r'))
		len--;
	if (template_hook_parse(text, len, &hook) != 0) {
		template_complain(work->set, 0, file, line, whole, whole_len,
		                  "a hook id is expected behind -");
		return 0;
	}
	found = find(work, hook);
	if (found == SIZE_MAX) {
		template_complain(work->set, 0, file, line, whole, whole_len,
		                  "there is no template to delete");
		return 0;
	}
	status = keep_for_undo(work, found);
	drop(&work->target, found);
	/* With the rest of its line. */
	if (found < work->target.count && work->target.list[found].hook < 0 &&
	    work->target.list[found].text[0] == '\n') {
		work->target.list[found].text++;
		if (--work->target.list[found].len == 0)
			drop(&work->target, found);
	}
	work->out->deleted++;
	return status;
}

static int is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\0' || !strchr(" \t\r", text[i]))
			return 0;
	return 1;
}

static int apply(struct work *work, const char *file, const char *text, size_t len)
{
	const char *end = text + len, *at = template_behind_mark(text, end);
	unsigned line = 1;
	int status = 0;

	while (at < end && status == 0) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((newline ? newline : end) - at);

		if (*at == '+') {
			status = take_stanza(work, file, &at, end, &line);
			continue;
		}
		if (*at == '-')
			status = take_delete(work, file, at, size, line);
		else if (*at != '#' && *at != '*' && !is_blank(at, size))
			template_complain(work->set, 0, file, line, at, size,
			                  "+ or - is expected at the beginning of the line");
		at += size + (newline != NULL);
		line++;
	}
	return status;
}

/* ---- texts ---- */

static char *join(const struct pieces *pieces, size_t *len)
{
	char *text, *to;

	*len = 0;
	for (size_t i = 0; i < pieces->count; i++)
		*len += pieces->list[i].len;
	text = to = malloc(*len + 1);
	for (size_t i = 0; text && i < pieces->count; i++) {
		memcpy(to, pieces->list[i].text, pieces->list[i].len);
		to += pieces->list[i].len;
	}
	return text;
}

/* The changes backwards: "-hook" lines, "+stanza" and "++stanza". */
static char *undo_text(const struct pieces *pieces, size_t *len)
{
	size_t size = 1;
	char *text, *to;

	for (size_t i = 0; i < pieces->count; i++)
		size += pieces->list[i].len + 9;
	text = to = malloc(size);
	for (size_t i = pieces->count; text && i-- > 0;) {
		const struct piece *piece = &pieces->list[i];

		*to++ = piece->text ? '+' : '-';
		if (piece->is_another)
			*to++ = '+';
		if (!piece->text) {
			template_hook_text((uint16_t)piece->hook, to);
			to += strlen(to);
		} else {
			memcpy(to, piece->text, piece->len);
			to += piece->len;
			if (goes_on(piece))
				*to++ = '\n';
		}
		*to++ = '\n';
	}
	*len = text ? (size_t)(to - text) : 0;
	return text;
}

int template_update_make(struct template_update *out, const char *target_name, const char *target,
                         size_t target_len, const char *update_name, const char *update,
                         size_t update_len)
{
	struct work work = {.out = out, .set = template_set_create()};
	int status;

	*out = (struct template_update){.messages = work.set};
	if (!work.set)
		return -ENOMEM;
	status = template_set_add(work.set, target_name, target, target_len);
	/* The set's copies of the names and texts stay as long as the set. */
	if (status == 0)
		status = cut(&work, work.set->texts[1], target_len);
	if (status == 0)
		status = apply(&work, update_name, update, update_len);
	if (status == 0 && work.set->errors == 0) {
		out->text = join(&work.target, &out->text_len);
		out->undo = undo_text(&work.undo, &out->undo_len);
		status = !out->text || !out->undo ? -ENOMEM : 0;
	}
	free(work.target.list);
	free(work.undo.list);
	return status < 0 ? status : (int)work.set->errors;
}

void template_update_fini(struct template_update *update)
{
	free(update->text);
	free(update->undo);
	template_set_destroy(update->messages);
}
