/* golang.h: programs in Go, which make system calls by instructions of their own: no wrapper sees
 * what they execute, nor their end. */
#ifndef XER_COLLECTOR_GOLANG_H
#define XER_COLLECTOR_GOLANG_H

#include <elf.h>
#include <link.h>
#include <stddef.h>

/* Is the program of this process one? Looks at its headers in memory: before the program runs. */
int golang_is_program(void);

/* Of a program with these headers, which lie in its memory: headers[count]. */
int golang_has_note(const ElfW(Phdr) * headers, size_t count);

#endif
