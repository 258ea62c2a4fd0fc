/* objects.h: the load objects of the target, the role of each for us, and call stacks through them
 * (elfutils' libdwfl). */
#ifndef XER_ATTACH_OBJECTS_H
#define XER_ATTACH_OBJECTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum object_role {
	OBJECT_NONE, /* no object: generated code, or nothing */
	OBJECT_OTHER,
	OBJECT_LOADER, /* ld.so */
	OBJECT_LIBC,
	OBJECT_ALLOCATOR,         /* a library that defines malloc */
	OBJECT_PROGRAM_ALLOCATOR, /* the program, if it defines malloc */
	OBJECT_COLLECTOR
};

struct objects;

/* Read the objects of process `pid`, whose memory is open (memory.h). `library` is the path of
 * libcollector.so. Returns 0 with *out, to be closed, or -errno. This takes tens of milliseconds:
 * no thread should be stopped during it. */
int objects_open(pid_t pid, const char *library, struct objects **out);
void objects_close(struct objects *objects);

/* The role of the object that holds `pc`. */
enum object_role objects_role(struct objects *objects, uint64_t pc);

/* The path of the object that holds `pc`. */
const char *objects_name(struct objects *objects, uint64_t pc);

/* The address of function `name` in the first object of `role`; 0 if it has none. */
uint64_t objects_symbol(struct objects *objects, enum object_role role, const char *name);

/* The same with the function's size in bytes. */
uint64_t objects_extent(struct objects *objects, enum object_role role, const char *name,
                        uint64_t *size);

/* The address of the first place in the code of the C library where the bytes code[len] stand; 0 if
 * there is none. */
uint64_t objects_find_code(struct objects *objects, const void *code, size_t len);

/* A frame of a stopped thread's stack, innermost first. */
struct object_frame {
	uint64_t pc;
	int is_exact; /* pc is the next instruction; else it is a return address */
	enum object_role role;
};

/* Unwind the stopped thread `tid`: up to `max` frames into frames[]. *is_whole is 1 if the
 * outermost frame was reached. Returns the number of frames, or -errno. */
int objects_unwind(struct objects *objects, pid_t tid, struct object_frame *frames, int max,
                   int *is_whole);

#endif
