/* kin_table.c: the table of images: in order, and one image of all that several samplers tell of
 * it. */
#include "experiment/fxt/kin_table.h"

#include <errno.h>
#include <stdlib.h>

/* Helpers of several events tell of an image, each with the time of its own record. No pid comes
 * again within that time. */
enum { SAME_NS = 10 * 1000 * 1000 };

static int compare_numbers(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

static int compare_images(const void *a, const void *b)
{
	const struct exp_kin_image *left = a, *right = b;
	int order = compare_numbers(left->pid, right->pid);

	return order != 0 ? order : compare_numbers(left->began, right->began);
}

static int is_near(uint64_t left, uint64_t right)
{
	return (left > right ? left - right : right - left) < SAME_NS;
}

int exp_kin_is_same_process(const struct exp_kin_image *left, const struct exp_kin_image *right)
{
	return left->pid == right->pid && is_near(left->forked, right->forked);
}

static void join(struct exp_kin_image *to, const struct exp_kin_image *from)
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

/* Who makes an archiver without having executed anything is of the collector's making too: it waits
 * for it. */
static void mark_maker(const struct exp_kin *kin, const struct exp_kin_image *archiver)
{
	struct exp_kin_image *maker = exp_kin_at(kin, archiver->parent, archiver->forked);

	if (maker && maker->executed == 0)
		maker->archiver = 1;
}

void exp_kin_settle(struct exp_kin *kin)
{
	size_t count = 0;

	if (kin->count > 0)
		qsort(kin->images, kin->count, sizeof(*kin->images), compare_images);
	for (size_t i = 0; i < kin->count; i++) {
		struct exp_kin_image *last = count == 0 ? NULL : &kin->images[count - 1];

		if (last && exp_kin_is_same_process(last, &kin->images[i]) &&
		    last->executed == kin->images[i].executed &&
		    is_near(last->began, kin->images[i].began))
			join(last, &kin->images[i]);
		else
			kin->images[count++] = kin->images[i];
	}
	kin->count = count;
	for (size_t i = 0; i + 1 < count; i++) {
		struct exp_kin_image *image = &kin->images[i], *next = image + 1;

		if (image->pid == next->pid)
			image->until = next->began;
		/* A collector forks it out of the program. */
		if (image->executed == 0 && exp_kin_is_same_process(image, next))
			image->archiver = next->archiver;
	}
	for (size_t i = 0; i < count; i++)
		if (kin->images[i].archiver)
			mark_maker(kin, &kin->images[i]);
}

static int compare_times(const void *a, const void *b)
{
	const struct exp_kin_image *left = *(struct exp_kin_image *const *)a,
				   *right = *(struct exp_kin_image *const *)b;
	int order = compare_numbers(left->began, right->began);

	return order != 0 ? order : compare_numbers(left->pid, right->pid);
}

int exp_kin_order(struct exp_kin *kin)
{
	kin->by_time = exp_zeroed(kin->count, sizeof(struct exp_kin_image *));
	if (!kin->by_time)
		return -ENOMEM;
	for (size_t i = 0; i < kin->count; i++)
		kin->by_time[i] = &kin->images[i];
	qsort(kin->by_time, kin->count, sizeof(struct exp_kin_image *), compare_times);
	return 0;
}

struct exp_kin_image *exp_kin_at(const struct exp_kin *kin, uint64_t pid, uint64_t time_ns)
{
	size_t low = 0, high = kin->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct exp_kin_image *image = &kin->images[middle];

		if (image->pid < pid || (image->pid == pid && image->began <= time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && kin->images[low - 1].pid == pid ? &kin->images[low - 1] : NULL;
}

struct exp_kin_image *exp_kin_before(const struct exp_kin *kin, const struct exp_kin_image *image)
{
	size_t at = (size_t)(image - kin->images);

	return at > 0 && exp_kin_is_same_process(&kin->images[at - 1], image) ? &kin->images[at - 1]
	                                                                      : NULL;
}
