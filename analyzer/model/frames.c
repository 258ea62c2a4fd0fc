/* frames.c: see frames.h. */
#include "analyzer/model/frames.h"

#include "experiment/base/internal.h"
#include "experiment/symbols/code.h"
#include "format/record.h"
#include "analyzer/base/memory.h"
#include "analyzer/model/tree.h"

#include <string.h>

const char *const frames_names[FRAMES_KINDS] = {
	[FRAMES_RECORDER] = "<Recorder>", [FRAMES_JVM] = "<JVM-System>"};

static int is_jvm(const struct sym_object *object)
{
	return strcmp(object->name, "libjvm.so") == 0;
}

int frames_is_java(const struct sym_frame *frame)
{
	const struct sym_object *object = frame->function->object;

	return object->is_java || object->is_machine || is_jvm(object);
}

/* Is it a function of the library that xcollect put into the process? */
static int is_recorder(const struct sym_function *function)
{
	return exp_path_is_recorder(function->object->path);
}

static enum frames_kind kind_of(const struct sym_frame *frame)
{
	const struct sym_object *object = frame->function->object;

	if (is_recorder(frame->function))
		return FRAMES_RECORDER;
	if (object->is_machine)
		return FRAMES_STUB;
	return is_jvm(object) ? FRAMES_JVM : FRAMES_SHOWN;
}

/* What the frames are to the user. */
static enum frames_kind kind_in(enum frames_mode mode, const struct sym_frame *const *frames,
                                int count)
{
	return count > 0 && mode == FRAMES_USER ? kind_of(&(*frames)[0]) : FRAMES_SHOWN;
}

/* Marks in stacks, which do not stand for code. */
static int is_hidden(uint64_t pc, enum frames_mode mode)
{
	return pc == FMT_PC_GUESSED || (mode == FRAMES_USER && fmt_pc_is_inner_mark(pc));
}

int frames_find(struct symbols *symbols, const struct experiment *experiment, uint64_t pc,
                uint32_t generation, int is_leaf, enum frames_mode mode,
                const struct sym_frame **out, enum frames_kind *kind)
{
	int count = 0;

	if (!is_hidden(pc, mode))
		count = mode == FRAMES_MACHINE
		                ? symbols_machine_frames(symbols, experiment, pc, generation,
		                                         is_leaf, out)
		                : symbols_frames(symbols, experiment, pc, generation, is_leaf, out);
	if (count < 0)
		memory_fail();
	*kind = kind_in(mode, out, count);
	return count;
}

int frames_find_functions(struct symbols *symbols, const struct experiment *experiment, uint64_t pc,
                          uint32_t generation, int is_leaf, enum frames_mode mode,
                          const struct sym_frame **out, enum frames_kind *kind)
{
	int count = 0;

	if (!is_hidden(pc, mode))
		count = symbols_functions_at(symbols, experiment, pc, generation, is_leaf,
		                             mode == FRAMES_MACHINE, out);
	if (count < 0)
		memory_fail();
	*kind = kind_in(mode, out, count);
	return count;
}
