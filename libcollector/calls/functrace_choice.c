/* functrace_choice.c: which functions are traced. See functrace_choice.h.
 *
 * What was found out about an object is published once, complete, at the head of a list that only
 * grows. So threads and handlers that ask at the same time need no lock: each may read the same
 * file, and later look-ups find one of their answers.
 * See doc/decisions/27-traced-functions.md. */
#include "libcollector/calls/functrace_choice.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/object.h"
#include "libcollector/object/elffile.h"
#include "libcollector/object/map.h"
#include "libcollector/write/log.h"

#include <link.h>

struct object {
	struct object *next;
	uint64_t start, end;
	int is_chosen; /* 1: functions are traced unless they have a bit set; 0: only functions with
	                * a bit set are traced */
	uint8_t *bits; /* one for each byte of the object; NULL: no function is an exception */
	atomic_int is_gone;
};

static struct object *_Atomic objects;

/* ---- patterns ---- */

int choice_glob(const char *pattern, size_t pattern_len, const char *text, size_t len)
{
	size_t at = 0, i = 0, star = SIZE_MAX, resume = 0;

	while (i < len) {
		if (at < pattern_len && pattern[at] == '*') {
			star = ++at;
			resume = i;
		} else if (at < pattern_len && (pattern[at] == '?' || pattern[at] == text[i])) {
			at++;
			i++;
		} else if (star != SIZE_MAX) {
			at = star;
			i = ++resume;
		} else {
			return 0;
		}
	}
	while (at < pattern_len && pattern[at] == '*')
		at++;
	return at == pattern_len;
}

/* Compare text[len] with the patterns of a kind, names or objects. Patterns without / are compared
 * with the part of the path after the last /, at `base`. */
static enum choice compare(const char *patterns, int is_object, const char *text, size_t len,
                           size_t base)
{
	enum choice choice = CHOICE_OPEN;

	for (size_t size; *patterns; patterns += size + (patterns[size] == ',')) {
		const char *pattern = patterns, *end;
		int is_refusal = *pattern == '!', is_match;
		size_t from;

		size = strcspn(patterns, ",");
		end = patterns + size;
		pattern += is_refusal;
		if (pattern == end || (*pattern == '@') != is_object)
			continue;
		pattern += is_object;
		from = memchr(pattern, '/', (size_t)(end - pattern)) ? 0 : base;
		is_match = choice_glob(pattern, (size_t)(end - pattern), text + from, len - from);
		if (is_refusal && is_match)
			return CHOICE_REFUSED;
		if (!is_refusal && choice != CHOICE_YES)
			choice = is_match ? CHOICE_YES : CHOICE_NO;
	}
	return choice;
}

enum choice choice_by_name(const char *patterns, const char *text, size_t len)
{
	return compare(patterns, 0, text, len, 0);
}

enum choice choice_by_object(const char *patterns, const char *path)
{
	const char *slash = strrchr(path, '/');

	return compare(patterns, 1, path, strlen(path), slash ? (size_t)(slash + 1 - path) : 0);
}

/* Is there a pattern that chooses functions by name? */
static int wants_names(const char *patterns)
{
	for (; *patterns; patterns += strcspn(patterns, ","), patterns += *patterns == ',')
		if (!strchr("!@,", *patterns))
			return 1;
	return 0;
}

/* ---- symbols ---- */

static enum choice choice_of(const struct elffile_symbols *symbols, const Elf64_Sym *symbol)
{
	const char *name = symbols->names + symbol->st_name;

	return choice_by_name(col.descriptor.functrace_names, name,
	                      strnlen(name, symbols->names_size - symbol->st_name));
}

/* Set or clear the bits of all functions with a name for which the patterns say `choice`. */
static void mark(struct object *object, const struct elffile_symbols *symbols, uint64_t bias,
                 enum choice choice, int is_set)
{
	for (const Elf64_Sym *symbol = symbols->at; symbol < symbols->end; symbol++) {
		uint64_t place = bias + symbol->st_value - object->start;
		uint8_t bit = (uint8_t)(1 << place % 8);

		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
		    place >= object->end - object->start ||
		    symbol->st_name >= symbols->names_size || choice_of(symbols, symbol) != choice)
			continue;
		if (is_set)
			object->bits[place / 8] |= bit;
		else
			object->bits[place / 8] &= (uint8_t)~bit;
	}
}

/* ---- objects ---- */

/* If one name of a function is refused, the function is left out, whatever its other names: so
 * refusals come last. */
static void read_names(struct object *object, const char *path, uint64_t bias)
{
	struct elffile file;
	struct elffile_symbols symbols;

	if (elffile_map(path, &file) < 0) {
		col_log_warning(
			"function tracing: an object whose functions' names could not be read");
		return;
	}
	if (elffile_symbols_find(&file, &symbols)) {
		if (!object->is_chosen)
			mark(object, &symbols, bias, CHOICE_YES, 1);
		mark(object, &symbols, bias, CHOICE_REFUSED, !!object->is_chosen);
	}
	elffile_unmap(&file);
}

/* Fill in what the patterns say about an object that is not published yet. */
static void judge(struct object *object, const struct link_map *map)
{
	const char *patterns = col.descriptor.functrace_names;
	int is_program = map->l_name[0] == '\0';
	enum choice choice = choice_by_object(patterns, is_program ? map_program() : map->l_name);

	if (choice == CHOICE_NO || choice == CHOICE_REFUSED)
		return;
	object->is_chosen = !wants_names(patterns);
	object->bits = sys_mmap_anonymous((object->end - object->start) / 8 + 1);
	if (object->bits)
		read_names(object, is_program ? "/proc/self/exe" : map->l_name, map->l_addr);
	else
		col_log_warning("function tracing: no memory to choose functions");
}

static struct object *find(uint64_t address)
{
	struct object *object = atomic_load(&objects);

	while (object &&
	       (atomic_load(&object->is_gone) || address < object->start || address >= object->end))
		object = object->next;
	return object;
}

static struct object *make(const struct link_map *map, uint64_t start, uint64_t end)
{
	struct object *object = sys_mmap_anonymous(sizeof(*object));

	if (!object)
		return NULL;
	object->start = start;
	object->end = end;
	judge(object, map);
	object->next = atomic_load(&objects);
	while (!atomic_compare_exchange_weak(&objects, &object->next, object))
		continue;
	return object;
}

static struct object *make_around(uint64_t address)
{
	struct object_found found;

	if (object_find((uintptr_t)address, &found) != 0)
		return NULL;
	return make(found.link, found.start, found.end);
}

void choice_see(const struct link_map *map, uint64_t start, uint64_t end)
{
	if (col.descriptor.functrace_names[0] && !find(start))
		make(map, start, end);
}

int choice_has(uint64_t address)
{
	const struct object *object;
	uint64_t place;
	int bit;

	if (!col.descriptor.functrace_names[0])
		return 1;
	object = find(address);
	if (!object)
		object = make_around(address);
	if (!object)
		return 0;
	place = address - object->start;
	bit = object->bits ? object->bits[place / 8] >> place % 8 & 1 : 0;
	return bit != object->is_chosen;
}

void choice_restart(void)
{
	for (struct object *object = atomic_load(&objects); object; object = object->next)
		atomic_store(&object->is_gone, 1);
}

void choice_forget(void)
{
	for (struct object *object = atomic_load(&objects); object; object = object->next) {
		struct object_found found;

		if (!atomic_load(&object->is_gone) &&
		    object_find((uintptr_t)object->start, &found) != 0)
			atomic_store(&object->is_gone, 1);
	}
}
