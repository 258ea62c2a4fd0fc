/* update.c: template files changed by update files. The undo file is written first, then the
 * templates, as a whole. */
#include "analyzer/trcrpt/trcrpt.h"

#include "analyzer/base/memory.h"
#include "template/update.h"
#include "analyzer/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Replace a file, by rename. Returns 0 or -errno. */
static int put_file(const char *path, const char *text, size_t len)
{
	char *temporary = memory_format("%s.%d", path, (int)getpid());
	FILE *file;
	struct stat st;
	int status;

	/* Of an earlier process of this number; or a link that somebody put there, which "x" does
	 * not follow. */
	unlink(temporary);
	file = fopen(temporary, "wxe");
	status = !file ? -errno : 0;
	if (file) {
		if (stat(path, &st) == 0)
			fchmod(fileno(file), st.st_mode & 0777);
		if (fwrite(text, 1, len, file) != len)
			status = -EIO;
		if (fclose(file) != 0 && status == 0)
			status = -errno;
		if (status == 0 && rename(temporary, path) != 0)
			status = -errno;
		if (status != 0)
			unlink(temporary);
	}
	free(temporary);
	return status;
}

static void put_files(struct output *output, const struct trcrpt_options *options,
                      const char *target, const struct template_update *update)
{
	char *undo = memory_format("%s.undo", options->update);
	int status = put_file(undo, update->undo, update->undo_len);

	if (status != 0)
		output_fail(output, EXIT_TROUBLE, "%s: %s", undo, strerror(-status));
	if (status == 0) {
		status = put_file(target, update->text, update->text_len);
		if (status != 0)
			output_fail(output, EXIT_TROUBLE, "%s: %s", target, strerror(-status));
	}
	if (status == 0) {
		text_put(output->out, target);
		fprintf(output->out,
		        ": %zu added, %zu replaced, %zu deleted, %zu left as they are; ",
		        update->added, update->replaced, update->deleted, update->left);
		text_put(output->out, undo);
		fputs(" takes that back\n", output->out);
	}
	free(undo);
}

static char *read_or_fail(struct output *output, const char *path, ssize_t *len)
{
	char *text = trcrpt_read_file(path, len);

	if (!text)
		output_fail(output, EXIT_TROUBLE, "%s: %s", path, strerror((int)-*len));
	return text;
}

void trcrpt_update(struct output *output, const struct trcrpt_options *options)
{
	char *target = options->files.count ? memory_text(options->files.words[0],
	                                                  strlen(options->files.words[0]))
	                                    : trcrpt_default_file();
	struct template_update update = {.text = NULL};
	ssize_t old_len = 0, new_len = 0;
	char *new_text = read_or_fail(output, options->update, &new_len);
	char *old_text = target && new_text ? read_or_fail(output, target, &old_len) : NULL;
	int errors;

	if (old_text) {
		errors = template_update_make(&update, target, old_text, (size_t)old_len,
		                              options->update, new_text, (size_t)new_len);
		if (errors >= 0)
			trcrpt_tell(output, options, update.messages);
		if (errors == 0)
			put_files(output, options, target, &update);
		else
			output_fail(output, EXIT_TROUBLE,
			            errors < 0 ? "out of memory" : "nothing was changed");
		template_update_fini(&update);
	}
	free(target);
	free(old_text);
	free(new_text);
}
