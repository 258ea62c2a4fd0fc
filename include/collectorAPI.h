/* collectorAPI.h: control of the recording by the program itself: collectorAPI(3).
 *
 * No library need be linked: the recorder, if it is loaded, defines the one symbol to which this
 * header refers, weakly. Without it, a call is a load and a branch. C and C++, any thread, any
 * signal handler. For Fortran, one C file of the program defines COLLECTOR_FORTRAN before it
 * includes this header.
 *
 * The text of this header may be used in any program, whatever its license. */
#ifndef XER_COLLECTORAPI_H
#define XER_COLLECTORAPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A row of a function's line table: the code from `offset` bytes after its start on belongs to line
 * `lineno`. */
typedef struct {
	unsigned int offset;
	unsigned int lineno;
} Lineno;

/* What the recorder offers. `size` grows when functions are added; no function is ever removed or
 * changed. */
struct xer_collector_table {
	size_t size;
	void (*sample)(const char *name);
	void (*pause)(void);
	void (*resume)(void);
	void (*terminate)(void);
	void (*func_load)(const char *name, const char *alias, const char *source, const void *code,
	                  int size, int line_count, const Lineno *lines);
	void (*func_unload)(const void *code);
	int (*snapshot)(const char *name);
};

/* The recorder's table, or NULL. On x86 through the GOT, which works in programs with fixed
 * addresses too. */
static __inline__ const struct xer_collector_table *xer_collector_find(void)
{
#if defined(__x86_64__)
	const struct xer_collector_table *found;

	/* Each time: a recorder that attaches changes the word. */
	__asm__ __volatile__(".weak xer_collector\n\tmov xer_collector@GOTPCREL(%%rip), %0"
	                     : "=r"(found));
	return found;
#elif defined(__i386__) && !defined(__PIC__)
	const struct xer_collector_table *found;

	__asm__(".weak xer_collector\n\tmovl xer_collector@GOT, %0" : "=r"(found));
	return found;
#else
	extern struct xer_collector_table xer_collector __attribute__((__weak__));

	return &xer_collector;
#endif
}

/* Take a sample of the resource usage of the process, and give it this name (128 bytes of it). */
static __inline__ void collector_sample(const char *name)
{
	const struct xer_collector_table *table = xer_collector_find();

	if (table)
		table->sample(name);
}

/* Record no events, of any kind and thread, until collector_resume. */
static __inline__ void collector_pause(void)
{
	const struct xer_collector_table *table = xer_collector_find();

	if (table)
		table->pause();
}

static __inline__ void collector_resume(void)
{
	const struct xer_collector_table *table = xer_collector_find();

	if (table)
		table->resume();
}

/* Copy what is recorded of this process and its tree into the experiment `name`, "NAME.er", while
 * they go on; the calling thread waits for it. NULL: snapshot.N.er beside the experiment, with the
 * next free N. Returns 0, or -1: there is none. */
static __inline__ int collector_snapshot(const char *name)
{
	const struct xer_collector_table *table = xer_collector_find();

	/* A recorder may be older than this header. */
	if (!table || table->size <= offsetof(struct xer_collector_table, snapshot))
		return -1;
	return table->snapshot(name);
}

/* End the recording of this process for good. */
static __inline__ void collector_terminate_expt(void)
{
	const struct xer_collector_table *table = xer_collector_find();

	if (table)
		table->terminate();
}

/* `size` bytes of code at `vaddr` are a JIT function, `name`; `alias` is another name of it,
 * `sourcename` its source file, lntable[lntsize] its lines in order of their offsets; each of the
 * three may be missing (NULL, 0). */
static __inline__ void collector_func_load(const char *name, const char *alias,
                                           const char *sourcename, void *vaddr, int size,
                                           int lntsize, Lineno *lntable)
{
	const struct xer_collector_table *table = xer_collector_find();

	if (table)
		table->func_load(name, alias, sourcename, vaddr, size, lntsize, lntable);
}

/* The code at `vaddr` is about to be removed. */
static __inline__ void collector_func_unload(void *vaddr)
{
	const struct xer_collector_table *table = xer_collector_find();

	if (table)
		table->func_unload(vaddr);
}

#ifdef COLLECTOR_FORTRAN
/* The same for Fortran: names end in `_`; the length of a text comes last and by value. */
void collector_sample_(const char *name, size_t len);
void collector_pause_(void);
void collector_resume_(void);
void collector_terminate_expt_(void);

void collector_sample_(const char *name, size_t len)
{
	char text[129];
	size_t i;

	while (len > 0 && name[len - 1] == ' ')
		len--;
	len = len < sizeof(text) ? len : sizeof(text) - 1;
	for (i = 0; i < len; i++)
		text[i] = name[i];
	text[len] = '\0';
	collector_sample(text);
}

void collector_pause_(void)
{
	collector_pause();
}

void collector_resume_(void)
{
	collector_resume();
}

void collector_terminate_expt_(void)
{
	collector_terminate_expt();
}
#endif

#ifdef __cplusplus
}
#endif

#endif
