/* demangle.c: owns the use of libiberty. Names come from untrusted files, and a short mangled name
 * can expand to gigabytes, so input and output are bounded: the output by leaving the demangler
 * with longjmp, which is safe since its callback form allocates nothing. */
#include "experiment/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { MANGLED_MAX = 4096, DEMANGLED_MAX = 16384, CALLS_MAX = 65536 };

struct output {
	char text[DEMANGLED_MAX];
	size_t len;
	unsigned calls;
	jmp_buf too_long;
};

static void put(const char *text, size_t len, void *context)
{
	struct output *output = context;

	if (len >= sizeof(output->text) - output->len || ++output->calls > CALLS_MAX)
		longjmp(output->too_long, 1);
	memcpy(output->text + output->len, text, len);
	output->len += len;
	output->text[output->len] = '\0';
}

/* Where "_MOD_" stands in gfortran's "__module_MOD_procedure", NULL if it is no such name. */
static const char *fortran_mark(const char *name)
{
	const char *mark = strncmp(name, "__", 2) == 0 ? strstr(name + 2, "_MOD_") : NULL;

	return mark && mark > name + 2 && mark[strlen("_MOD_")] != '\0' ? mark : NULL;
}

/* Returns 1 and output->text, or 0 if `mangled` cannot be demangled. */
static int demangle(const char *mangled, struct output *output)
{
	int options = DMGL_PARAMS | DMGL_ANSI;
	const char *mark = fortran_mark(mangled);

	if (mark) /* as gdb writes it */
		return snprintf(output->text, sizeof(output->text), "%.*s::%s",
		                (int)(mark - mangled - 2), mangled + 2, mark + strlen("_MOD_")) > 0;
	output->len = 0;
	output->calls = 0;
	if (setjmp(output->too_long) != 0)
		return 0;
	if (rust_demangle_callback(mangled, options, put, output) && output->len > 0)
		return 1;
	output->len = 0;
	return strncmp(mangled, "_Z", 2) == 0 &&
	       cplus_demangle_v3_callback(mangled, options, put, output) && output->len > 0;
}

static int is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || fortran_mark(name));
}

/* Length of what Rust's older scheme makes, which has dots of its own and ends with a hash: "17h",
 * 16 digits, "E". 0: the name is no such one. */
static size_t rust_length(const char *name, size_t len)
{
	enum { MARK = 3, DIGITS = 16 };

	for (size_t at = 2; at + MARK + DIGITS < len; at++)
		if (memcmp(name + at, "17h", MARK) == 0 && name[at + MARK + DIGITS] == 'E' &&
		    strspn(name + at + MARK, "0123456789abcdef") == DIGITS)
			return at + MARK + DIGITS + 1;
	return 0;
}

/* Length of the name without version and compiler suffix. */
static size_t core_length(const char *name, size_t len)
{
	size_t rust = is_mangled(name) ? rust_length(name, len) : 0;
	const char *dot = memchr(name, '.', len);

	if (rust != 0)
		return rust;

	return dot && dot != name && is_mangled(name) ? (size_t)(dot - name) : len;
}

/* Length of the name without "@VERSION" or "@@VERSION". */
static size_t unversioned_length(const char *name)
{
	const char *at = strchr(name, '@');

	if (!at || at == name || strcmp(at, "@plt") == 0)
		return strlen(name);
	return (size_t)(at - name);
}

const char *exp_demangle(struct exp_arena *arena, const char *mangled)
{
	size_t len = unversioned_length(mangled);
	size_t stem = len > 4 && strcmp(mangled + len - 4, "@plt") == 0 ? len - 4 : len;
	size_t core = core_length(mangled, stem);
	struct output output;
	char name[MANGLED_MAX];

	if (len == strlen(mangled) && !is_mangled(mangled))
		return mangled;
	if (!is_mangled(mangled) || core >= sizeof(name))
		return exp_arena_text(arena, mangled, len);
	memcpy(name, mangled, core);
	name[core] = '\0';
	if (!demangle(name, &output))
		return exp_arena_text(arena, mangled, len);
	if (core < stem)
		return exp_arena_printf(arena, "%s [clone %.*s]%s", output.text, (int)(stem - core),
		                        mangled + core, stem < len ? "@plt" : "");
	return exp_arena_printf(arena, "%s%s", output.text, stem < len ? "@plt" : "");
}
