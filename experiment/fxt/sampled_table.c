/* sampled_table.c: the table of images: sorted, with the descriptions of one image by several
 * samplers merged. */
#include "experiment/fxt/sampled_table.h"

#include <errno.h>
#include <stdlib.h>

/* Helpers of several events describe an image, each with the time of its own record. No pid is
 * reused within that time. */
enum { SAME_NS = 10 * 1000 * 1000 };

static int compare_numbers(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

static int compare_images(const void *a, const void *b)
{
	const struct exp_sampled_image *left = a, *right = b;
	int order = compare_numbers(left->pid, right->pid);

	return order != 0 ? order : compare_numbers(left->began, right->began);
}

static int is_near(uint64_t left, uint64_t right)
{
	return (left > right ? left - right : right - left) < SAME_NS;
}

int exp_sampled_is_same_process(const struct exp_sampled_image *left,
                                const struct exp_sampled_image *right)
{
	return left->pid == right->pid && is_near(left->forked, right->forked);
}

static void join(struct exp_sampled_image *to, const struct exp_sampled_image *from)
{
#define IMAGE_NUMBER(field, meaning) \
	if (to->field == 0) \
		to->field = from->field;
#define IMAGE_TEXT(field, meaning) \
	if (to->field.size == 0) \
		to->field = from->field;
#include "format/image.def"
	if (to->name.size == 0)
		to->name = from->name;
}

/* A process that creates an archiver without having executed anything was created by the recorder
 * too: it waits for the archiver. */
static void mark_parent(const struct exp_sampled *sampled, const struct exp_sampled_image *archiver)
{
	struct exp_sampled_image *parent = exp_sampled_at(sampled, archiver->parent,
	                                                  archiver->forked);

	if (parent && parent->executed == 0)
		parent->archiver = 1;
}

void exp_sampled_settle(struct exp_sampled *sampled)
{
	size_t count = 0;

	if (sampled->count > 0)
		qsort(sampled->images, sampled->count, sizeof(*sampled->images), compare_images);
	for (size_t i = 0; i < sampled->count; i++) {
		struct exp_sampled_image *last = count == 0 ? NULL : &sampled->images[count - 1];

		if (last && exp_sampled_is_same_process(last, &sampled->images[i]) &&
		    last->executed == sampled->images[i].executed &&
		    is_near(last->began, sampled->images[i].began))
			join(last, &sampled->images[i]);
		else
			sampled->images[count++] = sampled->images[i];
	}
	sampled->count = count;
	for (size_t i = 0; i + 1 < count; i++) {
		struct exp_sampled_image *image = &sampled->images[i], *next = image + 1;

		if (image->pid == next->pid)
			image->until = next->began;
		/* A collector forks it out of the program. */
		if (image->executed == 0 && exp_sampled_is_same_process(image, next))
			image->archiver = next->archiver;
	}
	for (size_t i = 0; i < count; i++)
		if (sampled->images[i].archiver)
			mark_parent(sampled, &sampled->images[i]);
}

static int compare_times(const void *a, const void *b)
{
	const struct exp_sampled_image *left = *(struct exp_sampled_image *const *)a,
				       *right = *(struct exp_sampled_image *const *)b;
	int order = compare_numbers(left->began, right->began);

	return order != 0 ? order : compare_numbers(left->pid, right->pid);
}

int exp_sampled_order(struct exp_sampled *sampled)
{
	sampled->by_time = exp_zeroed(sampled->count, sizeof(struct exp_sampled_image *));
	if (!sampled->by_time)
		return -ENOMEM;
	for (size_t i = 0; i < sampled->count; i++)
		sampled->by_time[i] = &sampled->images[i];
	qsort(sampled->by_time, sampled->count, sizeof(struct exp_sampled_image *), compare_times);
	return 0;
}

struct exp_sampled_image *exp_sampled_at(const struct exp_sampled *sampled, uint64_t pid,
                                         uint64_t time_ns)
{
	size_t low = 0, high = sampled->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct exp_sampled_image *image = &sampled->images[middle];

		if (image->pid < pid || (image->pid == pid && image->began <= time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && sampled->images[low - 1].pid == pid ? &sampled->images[low - 1] : NULL;
}

struct exp_sampled_image *exp_sampled_before(const struct exp_sampled *sampled,
                                             const struct exp_sampled_image *image)
{
	size_t at = (size_t)(image - sampled->images);

	return at > 0 && exp_sampled_is_same_process(&sampled->images[at - 1], image)
	               ? &sampled->images[at - 1]
	               : NULL;
}
