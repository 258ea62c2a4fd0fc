/* kernelnames.h: the file `kernel` beside samples: the functions of the kernel that are in them.
 * Only these are kept, a line for each, which is written with the first sample that has it. So the
 * file is small, and whole at any time. */
#ifndef XER_PERF_KERNELNAMES_H
#define XER_PERF_KERNELNAMES_H

#include <stddef.h>
#include <stdint.h>

/* A function of the kernel or of a module. */
struct kernel_name {
	uint64_t start, end;       /* of its code; end: where the next symbol begins */
	const char *name, *module; /* name[name_size]; module[module_size], 0: the kernel itself */
	size_t name_size, module_size;
};

struct kernel_table {
	char *text;                /* of /proc/kallsyms */
	struct kernel_name *names; /* names[count] by address, one for each */
	size_t count;
};

/* Read such a text of text_size bytes, which is taken (malloc). Returns 0, -ENOMEM, or -EACCES: it
 * has no addresses. */
int kernel_table_read(struct kernel_table *table, char *text, size_t text_size);
void kernel_table_free(struct kernel_table *table);

/* The function at an address; NULL: not known. */
const struct kernel_name *kernel_table_find(const struct kernel_table *table, uint64_t pc);

/* Make the file in the directory; one a process. Returns 0 or -errno. */
int kernelnames_begin(int directory);

/* Samples have these frames. Afterwards, what is new waits for kernelnames_flush. */
void kernelnames_tell(const uint64_t *pcs, size_t count);

/* Write what waits; end the file. */
void kernelnames_flush(void);
void kernelnames_end(void);

#endif
