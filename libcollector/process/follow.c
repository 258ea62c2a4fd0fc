/* follow.c: match a descendant against -F =REGEX. See follow.h.
 *
 * Regular expressions of libc allocate: during that, malloc is our own pool, and the heap of the
 * program is left alone. */
#include "libcollector/process/follow.h"

#include "libcollector/base/collector.h"
#include "libcollector/hook/hook.h"
#include "libcollector/object/map.h"

#include <regex.h>

static regex_t pattern;
static int is_compiled; /* 1: yes, -1: it cannot be */

static int matches(const char *text)
{
	return regexec(&pattern, text, 0, NULL, 0) == 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int follow_wants(const char *lineage)
{
	const char *follow = col.descriptor.follow;
	int wanted;

	if (!*lineage || *follow != '=')
		return 1;
	hook_pool_begin();
	if (!is_compiled)
		is_compiled = regcomp(&pattern, follow + 1, REG_EXTENDED | REG_NOSUB) == 0 ? 1 : -1;
	wanted = is_compiled > 0 && (matches(lineage) || matches(base_name(map_program())));
	hook_pool_end();
	return wanted;
}
