/* fxt_fault.c: says what is wrong with a record, and where it is. */
#include "experiment/fxt/fxt_internal.h"

#include <errno.h>
#include <stdio.h>

int fxt_fault(struct exp_fxt *fxt, const char *what)
{
	const struct fxt_record *type = fxt->at < fxt->filled ? fxt_record_find(fxt->chunk[fxt->at])
	                                                      : NULL;

	snprintf(fxt->fault, sizeof(fxt->fault), "offset %llu: %s%s%s",
	         (unsigned long long)fxt->offset, type ? type->title : "", type ? ": " : "", what);
	return -EBADMSG;
}
