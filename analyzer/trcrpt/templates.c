/* templates.c: the template files of a report: reading, checking, listing. */
#include "analyzer/trcrpt/trcrpt.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX_BYTES = 16 << 20 };

#define DEFAULT_FILE "../share/xer/trcfmt"

char *trcrpt_read_file(const char *path, ssize_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text = NULL;
	ssize_t got = 0;

	*len = 0;
	if (fd < 0 || fstat(fd, &st) != 0) {
		*len = -errno;
	} else if (!S_ISREG(st.st_mode)) {
		*len = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	} else if (st.st_size > FILE_MAX_BYTES) {
		*len = -EFBIG;
	} else {
		text = memory_take((size_t)st.st_size + 1, 1);
		while (*len < st.st_size &&
		       (got = read(fd, text + *len, (size_t)(st.st_size - *len))) > 0)
			*len += got;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* Returns 0, or -errno after a message. */
static int add_file(struct output *output, struct template_set *set, const char *path,
                    int must_exist)
{
	ssize_t len;
	char *text = trcrpt_read_file(path, &len);
	int status = 0;

	if (!text) {
		if (!must_exist && len == -ENOENT)
			return 0;
		output_fail(output, EXIT_TROUBLE, "%s: %s", path, strerror((int)-len));
		return (int)len;
	}
	status = template_set_add(set, path, text, (size_t)len);
	free(text);
	if (status != 0)
		memory_fail();
	return status;
}

char *trcrpt_default_file(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *base;

	if (len < 0)
		return NULL;
	path[len] = '\0';
	base = strrchr(path, '/');
	*base = '\0';
	return memory_format("%s/" DEFAULT_FILE, path);
}

static int add_default(struct output *output, struct template_set *set)
{
	char *path = trcrpt_default_file();
	int status = path ? add_file(output, set, path, 0) : 0;

	free(path);
	return status;
}

void trcrpt_tell(struct output *output, const struct trcrpt_options *options,
                 const struct template_set *set)
{
	const struct template_message *messages;
	size_t count = template_set_messages(set, &messages);

	fflush(output->out);
	for (size_t i = 0; i < count && !options->is_quiet; i++) {
		if (messages[i].is_warning && !options->is_check && !options->is_verbose)
			continue;
		text_put(stderr, messages[i].text);
		fputc('\n', stderr);
	}
}

struct template_set *trcrpt_templates(struct output *output, const struct trcrpt_options *options)
{
	struct template_set *set = template_set_create();
	int status = !set ? -ENOMEM : 0;
	int errors;

	for (size_t i = 0; i < options->files.count && status == 0; i++)
		status = add_file(output, set, options->files.words[i], 1);
	if (status == 0 && options->files.count == 0)
		status = add_default(output, set);
	errors = status == 0 ? template_set_finish(set) : status;
	if (errors == -ENOMEM)
		memory_fail();
	if (errors >= 0)
		trcrpt_tell(output, options, set);
	if (errors > 0)
		output_fail(output, EXIT_TROUBLE, "%d error%s in the templates", errors,
		            errors == 1 ? "" : "s");
	if (errors == 0)
		return set;
	template_set_destroy(set);
	return NULL;
}

void trcrpt_list(struct output *output, const struct template_set *set)
{
	for (size_t i = 0; i < template_set_count(set); i++) {
		const struct template_header *header = template_header(template_at(set, i));
		char id[5];

		template_hook_text(header->hook, id);
		for (char *at = id; *at != '\0'; at++)
			*at = (char)tolower((unsigned char)*at);
		fprintf(output->out, "%-4s  ", id);
		text_put_bytes(output->out, header->label, header->label_len);
		fputc('\n', output->out);
	}
}
