/* frames.h: the frames of an address in the view mode: user, expert or machine.
 *
 * The user mode shows the program: not the recorder, and of Java only its methods. What the Java
 * machine does in between, and what is outside the first Java frame, is left out. At the inner end
 * of a stack, the recorder and the Java machine are shown as one function each. */
#ifndef XER_ANALYZER_MODEL_FRAMES_H
#define XER_ANALYZER_MODEL_FRAMES_H

#include "experiment/experiment.h"

enum frames_mode { FRAMES_USER, FRAMES_EXPERT, FRAMES_MACHINE };

/* The kind of an address for the user. */
enum frames_kind {
	FRAMES_SHOWN,
	FRAMES_RECORDER, /* of the recording library */
	FRAMES_JVM,      /* of the Java machine */
	FRAMES_STUB,     /* the interpreter and stubs: what they do is done by the method that calls
	                    them */
	FRAMES_KINDS
};

/* The names at the inner end of a stack, by kind; NULL: the caller is shown there. */
extern const char *const frames_names[FRAMES_KINDS];

/* The frames of `pc` as symbols_frames gives them, 0 if there are none in this mode, and their
 * kind. Out of memory, the program ends. */
int frames_find(struct symbols *symbols, const struct experiment *experiment, uint64_t pc,
                uint32_t generation, int is_leaf, enum frames_mode mode,
                const struct sym_frame **out, enum frames_kind *kind);

/* The same for callers that need functions only: file and line of the innermost frame may be
 * missing. */
int frames_find_functions(struct symbols *symbols, const struct experiment *experiment, uint64_t pc,
                          uint32_t generation, int is_leaf, enum frames_mode mode,
                          const struct sym_frame **out, enum frames_kind *kind);

/* Does the frame belong to Java, its machine included? What is outside of the outermost such frame
 * is not shown to the user. */
int frames_is_java(const struct sym_frame *frame);

#endif
