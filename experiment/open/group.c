/* group.c: reads experiment groups. A line that cannot be used is named, and the others are read.
 */
#include "experiment/open/group.h"

#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GROUP_SIZE_MAX = 16 << 20 };

int experiment_group_is(const char *path)
{
	size_t len = strlen(path), suffix = strlen(FMT_GROUP_SUFFIX);
	struct stat st;

	if (len <= suffix || strcmp(path + len - suffix, FMT_GROUP_SUFFIX) != 0)
		return 0;
	return stat(path, &st) != 0 || !S_ISDIR(st.st_mode);
}

static int fail(struct exp_cause *cause, const char *path, int rc, const char *reason)
{
	snprintf(cause->text, sizeof(cause->text), "%.300s: %.200s", path, reason);
	return rc;
}

static void warn(const struct exp_group_reader *reader, const char *path, unsigned line,
                 const char *reason)
{
	char text[512];

	if (!reader->reporter.warn)
		return;
	snprintf(text, sizeof(text), "%.300s: line %u: %s", path, line, reason);
	reader->reporter.warn(reader->reporter.context, text);
}

/* The whole file with a NUL behind it. Returns its size or -errno. */
static ssize_t read_whole(const char *path, char **out)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t len = 0, got = 1;
	struct stat st;
	char *text;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > GROUP_SIZE_MAX) {
		close(fd);
		return -EBADMSG;
	}
	text = malloc((size_t)st.st_size + 1);
	while (text && len < st.st_size && got > 0) {
		got = read(fd, text + len, (size_t)(st.st_size - len));
		len += got > 0 ? got : 0;
	}
	close(fd);
	if (!text)
		return -ENOMEM;
	text[len] = '\0';
	*out = text;
	return len;
}

/* Hand one line on. Returns the number of bad lines, 0 or 1. */
static int take_line(const char *group, const struct exp_group_reader *reader, const char *text,
                     size_t len, unsigned line)
{
	const char *slash = strrchr(group, '/');
	int directory_len = !slash || text[0] == '/' ? 0 : (int)(slash - group) + 1;
	char path[PATH_MAX];

	while (len > 0 && (text[len - 1] == '\r' || text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	if (len == 0 || text[0] == '#')
		return 0;
	if (memchr(text, '\0', len)) {
		warn(reader, group, line, "not a path");
		return 1;
	}
	if (snprintf(path, sizeof(path), "%.*s%.*s", directory_len, group, (int)len, text) >=
	    (int)sizeof(path)) {
		warn(reader, group, line, "the path is too long");
		return 1;
	}
	return reader->member(reader->context, path, line) != 0;
}

int experiment_group_read(const char *path, const struct exp_group_reader *reader,
                          struct exp_cause *cause)
{
	const size_t head_len = strlen(FMT_GROUP_HEAD);
	char *text = NULL;
	ssize_t len = read_whole(path, &text);
	unsigned line = 1;
	int bad = 0;

	if (len == -ENOENT)
		return fail(cause, path, -ENOENT, "no such experiment group");
	if (len < 0 && len != -EBADMSG)
		return fail(cause, path, (int)len, strerror((int)-len));
	if (len == -EBADMSG || strncmp(text, FMT_GROUP_HEAD, head_len) != 0) {
		free(text);
		return fail(cause, path, -EBADMSG,
		            "not an experiment group: its first line is not '" FMT_GROUP_HEAD "'");
	}
	for (const char *at = text; at < text + len; line++) {
		const char *end = memchr(at, '\n', (size_t)(text + len - at));
		size_t line_len = (size_t)((end ? end : text + len) - at);

		bad += take_line(path, reader, at, line_len, line);
		at += line_len + 1;
	}
	free(text);
	return bad;
}
