/* sampled_image.c: the description of an image, from a record of map.fxt. */
#include "experiment/fxt/sampled_image.h"

#include "experiment/table/index.h"

#include <string.h>

static void take_argument(struct exp_sampled_image *image, const struct exp_fxt_argument *argument)
{
#define IS(field, wanted) \
	(argument->type == FXT_ARGUMENT_##wanted && argument->name_size == strlen(#field) && \
	 memcmp(argument->name, #field, strlen(#field)) == 0)
#define IMAGE_NUMBER(field, meaning) \
	if (IS(field, UINT64)) \
		image->field = argument->value;
#define IMAGE_TEXT(field, meaning) \
	if (IS(field, STRING)) \
		image->field = (struct exp_sampled_text){argument->text, argument->value};
#include "format/image.def"
#undef IS
}

int exp_sampled_take(const struct exp_fxt *fxt, const struct exp_fxt_record *record,
                     struct exp_sampled_image *out)
{
	struct exp_fxt_value arguments;
	struct exp_fxt_argument argument;
	const struct exp_fxt_value *name;

	if (record->kind != FXT_kernel_object ||
	    EXP_FXT_FIELD(record, kernel_object, object) != FXT_OBJECT_PROCESS)
		return 0;
	name = &record->values[FXT_AT(kernel_object, name)];
	*out = (struct exp_sampled_image){.pid = record->values[FXT_AT(kernel_object, koid)].number,
	                                  .name = {name->text, name->number},
	                                  .until = UINT64_MAX,
	                                  .log = EXP_INDEX_NONE};
	arguments = record->values[FXT_AT(kernel_object, arguments)];
	while (exp_fxt_argument(fxt, &arguments, &argument))
		take_argument(out, &argument);
	return 1;
}
