/* method.c: methods of Java as the symbols show them: names, and frames of interpreted and
 * compiled code. What was found out is kept. */
#include "experiment/symbols/method.h"

#include "experiment/base/internal.h"
#include "experiment/jit/java.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TITLE_MAX = 4096 };

static const char *with_dots(struct exp_arena *arena, const char *class_name)
{
	char *text = (char *)exp_arena_string(arena, class_name);

	/* HotSpot itself puts a plus before the address in names of hidden classes, where JVMTI has
	 * a dot. */
	for (char *at = text; at && *at != '\0'; at++)
		if (*at == '/' || (at[0] == '+' && at[1] == '0' && at[2] == 'x'))
			*at = '.';
	return text;
}

const char *exp_sym_method_name(struct symbols *symbols, const struct exp_method *method)
{
	const char *class_name = with_dots(&symbols->arena, method->class_name);

	return !class_name ? NULL
	                   : exp_arena_printf(&symbols->arena, "%s.%s%s", class_name, method->name,
	                                      method->signature);
}

/* One type of a signature, as it is written in Java but without its package, to out[size]; *at goes
 * behind it. */
static void put_type(const char **at, char *out, size_t size)
{
	static const struct {
		char letter;
		const char *name;
	} types[] = {{'B', "byte"}, {'C', "char"},  {'D', "double"},  {'F', "float"}, {'I', "int"},
	             {'J', "long"}, {'S', "short"}, {'Z', "boolean"}, {'V', "void"}};
	const char *name = "?";
	int len = 1, dimensions = 0;

	for (; **at == '['; ++*at)
		dimensions++;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].letter == **at)
			len = (int)strlen(name = types[i].name);
	if (**at == 'L') {
		const char *end = strchr(*at, ';'), *from = *at + 1;

		end = !end ? *at + strlen(*at) : end;
		for (const char *slash = from; slash < end; slash++)
			if (*slash == '/')
				name = NULL, from = slash + 1;
		name = from;
		len = (int)(end - from);
		*at = *end == '\0' ? end - 1 : end;
	}
	*at += **at != '\0';
	snprintf(out, size, "%.*s%.*s", len, name, dimensions < 8 ? 2 * dimensions : 16,
	         "[][][][][][][][]");
}

const char *exp_sym_method_title(struct symbols *symbols, const struct exp_method *method)
{
	const char *class_name = with_dots(&symbols->arena, method->class_name);
	const char *at = method->signature[0] == '(' ? method->signature + 1 : ")";
	char title[TITLE_MAX];
	size_t used;

	if (!class_name)
		return NULL;
	used = (size_t)snprintf(title, sizeof(title), "%.1000s.%.1000s(", class_name, method->name);
	while (*at != ')' && *at != '\0' && used < sizeof(title) - 1024) {
		if (title[used - 1] != '(')
			used += (size_t)snprintf(title + used, sizeof(title) - used, ", ");
		put_type(&at, title + used, 900);
		used += strlen(title + used);
	}
	snprintf(title + used, sizeof(title) - used, ")");
	return exp_arena_string(&symbols->arena, title);
}

const char *exp_sym_method_source(struct symbols *symbols, const struct exp_method *method)
{
	const char *slash = strrchr(method->class_name, '/');
	int len = !slash ? 0 : (int)(slash + 1 - method->class_name);

	return !method->source ? NULL
	                       : exp_arena_printf(&symbols->arena, "%.*s%s", len,
	                                          method->class_name, method->source);
}

/* What was found out once, as frames name the same methods again and again, and damaged ones might
 * do nothing else. */
struct known {
	uint64_t serial; /* of the experiment's methods, which may be closed, and its memory another
	                    one's */
	const struct exp_sym_object *object; /* NULL: of a line */
	uint32_t method;                     /* its index in them */
	uint32_t bci;
	unsigned line;
	struct sym_function *function;
};

static uint64_t hash_of(const struct known *known)
{
	uint64_t hash = exp_hash_number(exp_hash_number(EXP_HASH_START, known->serial),
	                                (uintptr_t)known->object);

	return exp_hash_number(hash, (uint64_t)known->method << 32 | known->bci);
}

static int is_same(const void *item, const void *key)
{
	const struct known *a = item, *b = key;

	return a->serial == b->serial && a->object == b->object && a->method == b->method &&
	       a->bci == b->bci;
}

static int keep(struct symbols *symbols, struct exp_hash *table, const struct known *known)
{
	struct known *kept = exp_arena_alloc(&symbols->arena, sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	*kept = *known;
	return exp_hash_add(table, hash_of(kept), kept);
}

/* Returns 0 or -ENOMEM. */
static int find_line(struct symbols *symbols, const struct exp_methods *methods, int fd,
                     const struct exp_method *method, uint32_t bci, unsigned *line)
{
	struct known key = {.serial = methods->serial,
	                    .method = (uint32_t)(method - methods->methods),
	                    .bci = bci};
	const struct known *known = exp_hash_find(&symbols->line_table, hash_of(&key), is_same,
	                                          &key);

	*line = known ? known->line : exp_java_line_of(fd, method, bci);
	key.line = *line;
	return known ? 0 : keep(symbols, &symbols->line_table, &key);
}

static struct sym_function *new_function(struct symbols *symbols, struct exp_sym_object *object,
                                         int fd, const struct exp_method *method)
{
	struct exp_sym_function_key key = {.object = object,
	                                   .mangled = exp_sym_method_name(symbols, method)};
	struct sym_function *found;

	key.file = exp_sym_method_source(symbols, method);
	key.line = key.file ? exp_java_line_of(fd, method, 0) : 0;
	found = !key.mangled ? NULL : exp_sym_function(symbols, &key);
	if (!found || found->is_titled)
		return found;
	found->is_titled = 1;
	found->name = exp_sym_method_title(symbols, method);
	return !found->name ? NULL : found;
}

/* NULL: out of memory. */
static struct sym_function *function_of(struct symbols *symbols, struct exp_sym_object *object,
                                        const struct exp_methods *methods, int fd,
                                        const struct exp_method *method)
{
	const struct exp_sym_function_key nameless = {.object = object, .mangled = "<Java method>"};
	struct known key = {.serial = methods->serial, .object = object};
	const struct known *known;

	if (!method)
		return exp_sym_function(symbols, &nameless);
	key.method = (uint32_t)(method - methods->methods);
	known = exp_hash_find(&symbols->method_table, hash_of(&key), is_same, &key);
	if (known)
		return known->function;
	key.function = new_function(symbols, object, fd, method);
	return !key.function || keep(symbols, &symbols->method_table, &key) != 0 ? NULL
	                                                                         : key.function;
}

/* Fill in the frame of a method at a bytecode. Returns 0 or -ENOMEM. */
static int put_frame(struct symbols *symbols, struct exp_sym_object *object,
                     const struct exp_methods *methods, int fd, const struct exp_method *method,
                     uint32_t bci, struct sym_frame *frame)
{
	struct sym_function *function = function_of(symbols, object, methods, fd, method);
	unsigned line = 0;

	if (!function || (method && bci < FMT_BCI_NONE &&
	                  find_line(symbols, methods, fd, method, bci, &line) != 0))
		return -ENOMEM;
	*frame = (struct sym_frame){.function = function, .line = line};
	frame->file = frame->line != 0 ? function->file : NULL;
	return 0;
}

int exp_sym_resolve_interpreted(struct symbols *symbols, struct exp_sym_object *object,
                                const struct experiment *experiment, uint64_t mark,
                                const struct sym_frame **out)
{
	struct sym_frame *frame = exp_arena_alloc(&symbols->arena, sizeof(*frame));
	int fd = exp_own_file_open(experiment, FMT_FILE_DYNTEXT);
	int rc = !frame ? -ENOMEM
	                : put_frame(symbols, object, &experiment->methods, fd,
	                            exp_java_find(experiment, fmt_pc_java_method(mark)),
	                            fmt_pc_java_bci(mark), frame);

	if (fd >= 0)
		close(fd);
	*out = frame;
	return rc < 0 ? rc : 1;
}

int exp_sym_resolve_compiled(struct symbols *symbols, struct exp_sym_object *object,
                             const struct experiment *experiment,
                             const struct exp_function *function, uint64_t pc,
                             const struct sym_frame **out)
{
	int fd = exp_own_file_open(experiment, FMT_FILE_DYNTEXT);
	struct exp_java_call calls[EXP_JAVA_DEPTH_MAX] = {{0, function->method, FMT_BCI_NONE}};
	size_t count = exp_java_calls(fd, function, pc, calls);
	struct sym_frame *frames;
	int rc = 0;

	count = count == 0 ? 1 : count;
	frames = exp_arena_alloc(&symbols->arena, count * sizeof(*frames));
	if (!frames)
		rc = -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++) {
		rc = put_frame(symbols, object, &experiment->methods, fd,
		               exp_java_find(experiment, calls[i].method), calls[i].bci,
		               &frames[i]);
		frames[i].inlined = i + 1 < count;
	}
	if (fd >= 0)
		close(fd);
	*out = frames;
	return rc < 0 ? rc : (int)count;
}
