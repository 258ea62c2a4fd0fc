/* update.h: changes of template files by update files.
 *
 * In an update file, a stanza after + adds a template, or replaces one whose version is not higher,
 * and "-hook" deletes one. They are applied in order, all or none. */
#ifndef XER_TEMPLATE_UPDATE_H
#define XER_TEMPLATE_UPDATE_H

#include "template/template.h"

struct template_update {
	char *text; /* text[text_len]: the changed file */
	size_t text_len;
	char *undo; /* undo[undo_len]: an update file that takes the changes back */
	size_t undo_len;
	size_t added, replaced, deleted, left; /* left: what is there has a higher version */
	struct template_set *messages;         /* what is wrong with the files */
};

/* Apply the update file update[update_len] to target[target_len]. Returns 0; the number of errors,
 * of which messages tell; or -ENOMEM. template_update_fini is called in all cases. */
int template_update_make(struct template_update *out, const char *target_name, const char *target,
                         size_t target_len, const char *update_name, const char *update,
                         size_t update_len);
void template_update_fini(struct template_update *update);

#endif
