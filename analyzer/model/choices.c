/* choices.c: the choices before the user has chosen anything. */
#include "analyzer/model/choices.h"

#include "analyzer/model/comment.h"
#include "analyzer/model/defaults.h"

void choices_init(struct choices *choices)
{
	*choices = (struct choices){
		.listing = {.source_threshold = LISTING_THRESHOLD,
	                    .disasm_threshold = LISTING_THRESHOLD,
	                    .source_comments = COMMENT_BASIC,
	                    .disasm_comments = COMMENT_BASIC | COMMENT_SOURCE,
	                    .context = LISTING_AUTO},
		.defaults = defaults_create(),
	};
}

void choices_fini(struct choices *choices)
{
	defaults_destroy(choices->defaults);
}
