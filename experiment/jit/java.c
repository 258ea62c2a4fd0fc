/* java.c: classes and methods of Java, and the lines and inlined calls that dyntext has of them.
 * Numbers and offsets in the files are checked where they are used. */
#include "experiment/jit/java.h"

#include "experiment/base/internal.h"
#include "experiment/base/xmlread.h"
#include "format/layout.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_ALIGNMENT = 8, LINES_MAX = 65536 };

/* ---- map.xml ---- */

int exp_java_method(struct exp_methods *methods, const struct exp_element *element)
{
	struct exp_method *added;

	if (exp_array_reserve(&methods->methods, &methods->capacity, methods->count,
	                      sizeof(*added)) != 0)
		return -ENOMEM;
	added = &methods->methods[methods->count++];
	*added = (struct exp_method){
		.id = (uint32_t)exp_element_number(element, "id", 0),
		.class_name = exp_element_get(element, "class", ""),
		.name = exp_element_get(element, "name", ""),
		.signature = exp_element_get(element, "signature", ""),
		.source = exp_element_get(element, "source", NULL),
		.lines_offset = exp_element_number(element, "offset", 0),
		.line_count = exp_element_number(element, "lines", 0),
	};
	return 0;
}

int exp_java_class(struct exp_methods *methods, const struct exp_element *element)
{
	enum { NUMBERS_MAX = 1 << 20 };
	uint64_t number = exp_element_number(element, "id", 0);

	/* Numbers are given in order, but writers may overtake each other. */
	if (number == 0 || number > NUMBERS_MAX || number > methods->class_count + 4096)
		return 0;
	while (methods->class_count < number) {
		if (exp_array_reserve(&methods->classes, &methods->class_capacity,
		                      methods->class_count, sizeof(*methods->classes)) != 0)
			return -ENOMEM;
		methods->classes[methods->class_count++] = NULL;
	}
	methods->classes[number - 1] = exp_element_get(element, "name", NULL);
	return 0;
}

const char *experiment_java_class(const struct experiment *experiment, uint32_t number)
{
	return number == 0 || number > experiment->methods.class_count
	               ? NULL
	               : experiment->methods.classes[number - 1];
}

size_t experiment_java_classes(const struct experiment *experiment)
{
	return experiment->methods.class_count;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = ((const struct exp_method *)a)->id, y = ((const struct exp_method *)b)->id;

	return (x > y) - (x < y);
}

void exp_java_finish(struct exp_methods *methods)
{
	static atomic_uint_fast64_t opened;

	methods->serial = atomic_fetch_add(&opened, 1) + 1;
	if (methods->count > 1)
		qsort(methods->methods, methods->count, sizeof(*methods->methods), compare_ids);
}

const struct exp_method *exp_java_find(const struct experiment *experiment, uint32_t id)
{
	const struct exp_method key = {.id = id};

	if (experiment->methods.count == 0)
		return NULL;
	return bsearch(&key, experiment->methods.methods, experiment->methods.count, sizeof(key),
	               compare_ids);
}

/* ---- dyntext ---- */

/* Read `size` bytes of it. Returns 0 or -EBADMSG. */
static int read_at(int fd, uint64_t at, void *to, size_t size)
{
	return fd >= 0 && at < INT64_MAX / 2 && pread(fd, to, size, (off_t)at) == (ssize_t)size
	               ? 0
	               : -EBADMSG;
}

struct line {
	uint32_t bci, line;
};

unsigned exp_java_line_of(int fd, const struct exp_method *method, uint32_t bci)
{
	enum { AT_ONCE = 128 };
	struct line lines[AT_ONCE], best = {0, 0};
	uint64_t count = method->line_count < LINES_MAX ? method->line_count : 0;

	for (uint64_t i = 0; i < count; i += AT_ONCE) {
		size_t some = count - i < AT_ONCE ? (size_t)(count - i) : AT_ONCE;

		if (method->lines_offset > INT64_MAX / 4 ||
		    read_at(fd, method->lines_offset + i * sizeof(*lines), lines,
		            some * sizeof(*lines)) != 0)
			break;
		for (size_t k = 0; k < some; k++)
			if (lines[k].bci <= bci && (best.line == 0 || lines[k].bci >= best.bci))
				best = lines[k];
	}
	return best.line;
}

struct place {
	uint32_t end, call;
};

/* The call that the code at `offset` is in: of the first place that ends behind it. 0: not known.
 */
static uint32_t find_call(int fd, uint64_t places, const struct exp_function *function,
                          uint64_t offset)
{
	uint64_t low = 0, high = function->place_count;
	struct place place = {0, 0};

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (read_at(fd, places + middle * sizeof(place), &place, sizeof(place)) != 0)
			return 0;
		if (place.end > offset)
			high = middle;
		else
			low = middle + 1;
	}
	if (low == function->place_count ||
	    read_at(fd, places + low * sizeof(place), &place, sizeof(place)) != 0)
		return 0;
	return place.call;
}

size_t exp_java_calls(int fd, const struct exp_function *function, uint64_t pc,
                      struct exp_java_call *calls)
{
	uint64_t places = (function->text_offset + function->size + TEXT_ALIGNMENT - 1) &
	                  ~(uint64_t)(TEXT_ALIGNMENT - 1);
	size_t count = 0;
	uint32_t call, last = UINT32_MAX;

	if (!function->has_text || function->place_count > UINT32_MAX ||
	    function->call_count > UINT32_MAX || places > INT64_MAX / 4)
		return 0;
	call = find_call(fd, places, function, pc - function->address);
	/* A call stands behind the one that it is inlined in. */
	while (call != 0 && call <= function->call_count && call < last &&
	       count < EXP_JAVA_DEPTH_MAX &&
	       read_at(fd,
	               places + function->place_count * sizeof(struct place) +
	                       (call - 1) * sizeof(struct exp_java_call),
	               &calls[count], sizeof(struct exp_java_call)) == 0) {
		last = call;
		call = calls[count++].outer;
	}
	return count;
}

unsigned exp_java_line(const struct experiment *experiment, const struct exp_function *function,
                       uint64_t pc)
{
	int fd = exp_own_file_open(experiment, FMT_FILE_DYNTEXT);
	struct exp_java_call calls[EXP_JAVA_DEPTH_MAX];
	size_t count = exp_java_calls(fd, function, pc, calls);
	const struct exp_method *method = count == 0 ? NULL
	                                             : exp_java_find(experiment,
	                                                             calls[count - 1].method);
	unsigned line = !method ? 0 : exp_java_line_of(fd, method, calls[count - 1].bci);

	if (fd >= 0)
		close(fd);
	return line;
}
