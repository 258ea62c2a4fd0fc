/* allocator.c: find out which code allocates. See allocator.h.
 *
 * A symbol is looked up in the program first, then in preloaded libraries, of which the recorder is
 * the first, then in the others. So an allocator in a library comes after the recorder; one in the
 * program itself comes before it, and its calls are never seen.
 * See doc/decisions/22-operator-new.md. */
#include "libcollector/events/allocator.h"

#include "libcollector/base/object.h"
#include "libcollector/hook/hook.h"
#include "libcollector/hook/dlsym.h"
#include "libcollector/write/log.h"

#include <link.h>

/* The object that an address lies in, NULL if in none. */
static struct link_map *object_of(const void *address)
{
	struct object_found found;

	return address && object_find((uintptr_t)address, &found) == 0 ? found.link : NULL;
}

/* In a program that is linked at a fixed address, a function of a library also has an address in
 * the program: that of a jump to it. */
static int is_definition(const void *address)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info unused;

	return address && dladdr1(address, &unused, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
	       symbol->st_shndx != SHN_UNDEF;
}

static void warn(const char *what, const struct link_map *object, const char *why)
{
	char buffer[2048], message[512]; /* a longer path is cut */
	struct xml_text text = XML_TEXT(buffer);
	const char *parts[] = {
		what, object && *object->l_name ? object->l_name : "the program itself", why};
	size_t len = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (const char *at = parts[i]; *at && len < sizeof(message) - 1; at++)
			message[len++] = *at;
	message[len] = '\0';
	col_event_begin(&text, "warning");
	xml_put_string(&text, "text", message);
	col_event_end(&text);
}

void allocator_check(void)
{
	struct link_map *ours = object_of(&col);
	void *malloc_used = dlsym(RTLD_DEFAULT, "malloc");
	struct link_map *first = is_definition(malloc_used) ? object_of(malloc_used) : NULL;
	struct link_map *behind = object_of((const void *)hook_real.malloc);
	struct link_map *operator_new = object_of((const void *)hook_real._Znwm);

	/* If we attached to the process, the first one is the next one after ours (got.h), unless
	 * it is that of the program. */
	if (first && first != ours && (first != behind || !*first->l_name))
		warn("malloc is that of ", first,
		     ", which comes before the recorder: its blocks are not recorded");
	/* The allocator's own operator, which may not call malloc. */
	operators_allocate = behind && operator_new == behind;
}
