/* loader.c: look at all objects, now and whenever the loader has mapped some. See loader.h.
 *
 * Objects loaded later are noticed by a jump in the function of the loader that is there for debuggers to stop in. That
 * comes before they are relocated. */
#include "loader.h"

#include "code.h"
#include "elffile.h"
#include "functrace.h"
#include "log.h"
#include "sleds.h"

#include <link.h>

static atomic_uint busy;

static void see_object(const char *path, uint64_t bias)
{
	struct elffile file;

	if (elffile_map(path, &file) < 0)
		return;
	sleds_see(&file, bias);
	elffile_unmap(&file);
}

static void see_all(void)
{
	if (atomic_exchange(&busy, 1))
		return;
	if (code_begin() == 0) {
		for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
			see_object(map == _r_debug.r_map ? "/proc/self/exe" : map->l_name, map->l_addr);
		code_end();
	}
	atomic_store(&busy, 0);
}

/* The loader is there: it has loaded something, or is about to. */
static void on_load(void)
{
	if (functrace_is_wanted() && _r_debug.r_state == RT_CONSISTENT)
		see_all();
}

/* The function is empty: at most endbr64, then a return, and room until the next function begins. */
static void watch(void)
{
	static const uint8_t mark[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	static const uint8_t fillers[] = {0x0f, 0x2e, 0x66, 0x90, 0xcc};
	static int is_watched;
	const uint8_t *code = (const uint8_t *)_r_debug.r_brk;
	uint8_t jump[5] = {0xe9};
	int64_t distance;
	int32_t relative;

	if (is_watched || !code)
		return;
	code += memcmp(code, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
	distance = (int64_t)((uint64_t)(uintptr_t)on_load - ((uint64_t)(uintptr_t)code + sizeof(jump)));
	relative = (int32_t)distance;
	memcpy(jump + 1, &relative, sizeof(relative));
	if (code[0] != 0xc3 || !memchr(fillers, code[1], sizeof(fillers)) || ((uintptr_t)code & 15) > 11 || relative != distance || code_begin() < 0 ||
	    code_write((uint64_t)(uintptr_t)code + 1, jump + 1, 4) < 0 || code_write((uint64_t)(uintptr_t)code, jump, 1) < 0)
		col_log_warning("function tracing: objects that are loaded later are not seen");
	code_end();
	is_watched = 1;
}

void loader_start(void)
{
	see_all();
	watch();
}
