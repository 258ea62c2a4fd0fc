/* late.h: what recorder.so offers to the unit tests of libcollector/hook/got.c. */
#ifndef XER_TESTS_LATE_H
#define XER_TESTS_LATE_H

/* As in hook/got.h, of a library that is loaded late. */
struct late {
	unsigned (*patch)(void);
	unsigned (*restore)(void);
	int (*is_preloaded)(void);
	int (*exports)(const char *name);
	unsigned (*clear_weak)(int (*is_alone)(const char *name, const void *object));
};

#endif
