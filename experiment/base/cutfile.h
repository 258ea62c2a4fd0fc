/* cutfile.h: files that are truncated while they are read.
 *
 * Event data are read by pread, and a truncation is found like any other damage. Load objects and
 * debug information are mapped by libelf and libdw, and accessing the missing part raises SIGBUS. A
 * library cannot do anything about that; a program can end with a message. */
#ifndef XER_EXPERIMENT_BASE_CUTFILE_H
#define XER_EXPERIMENT_BASE_CUTFILE_H

/* From now on such a signal ends the program with a message that begins with its name (borrowed)
 * and tells the file, and with exit status 1. at_end, if not NULL, is called before; it must be
 * signal-safe. Any other SIGBUS does what it did. */
void exp_cut_file_watch(const char *program, void (*at_end)(void));

#endif
