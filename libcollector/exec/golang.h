/* golang.h: Go programs, which make system calls by instructions of their own: wrappers see neither
 * what they execute nor their end. */
#ifndef XER_COLLECTOR_EXEC_GOLANG_H
#define XER_COLLECTOR_EXEC_GOLANG_H

#include <elf.h>
#include <link.h>
#include <stddef.h>

/* Is this process running a Go program? Reads the headers in memory, before the program runs. */
int golang_is_program(void);

/* Is it, for a program with these headers in its memory: headers[count]? */
int golang_has_note(const ElfW(Phdr) * headers, size_t count);

#endif
