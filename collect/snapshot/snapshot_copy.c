/* snapshot_copy.c: see snapshot_copy.h.
 *
 * Files that others refer to are copied after these: events name stacks, stacks lie in objects, and
 * objects that a program made have their code in another file. Whatever an event of the copy names
 * is there. See doc/decisions/105-snapshots.md. */
#include "collect/snapshot/snapshot_copy.h"

#include "collect/snapshot/filecopy.h"
#include "collect/snapshot/recorded.h"

#include "format/layout.h"
#include "format/lineage.h"
#include "format/xml.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENT_SIZE = 8192, DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

volatile sig_atomic_t snapshot_is_interrupted;

/* In this order, after all others. */
static const char *const last[] = {"frameinfo", FMT_FILE_MAP, FMT_FILE_DYNTEXT};

/* ---- the log */

static void put_event(struct xml_text *text, const struct snapshot_event *event, int is_live)
{
	xml_put(text, " <event kind=\"snapshot\"");
	xml_put_number(text, "time", event->ticks);
	xml_put_number(text, "real_ns", event->real_ns);
	xml_put_number(text, "pid", (uint64_t)event->pid);
	xml_put_number(text, "running", (uint64_t)is_live);
	xml_put_string(text, "of", event->of);
	xml_put(text, "/>\n" FMT_LOG_CLOSE);
}

int snapshot_log(int from, const struct snapshot_event *event, char **text, uint64_t *len)
{
	/* Asked before the log is read: what an unlocked log lacks will not come any more. */
	int is_live = recorded_is_live(from), status;
	char buffer[EVENT_SIZE];
	struct xml_text end = XML_TEXT(buffer);
	size_t size;
	char *log, *longer;
	long at;

	status = filecopy_read(from, FMT_FILE_LOG, &log, &size);
	if (status < 0)
		return status;
	put_event(&end, event, is_live);
	at = xml_end_find(log, size, FMT_LOG_CLOSE);
	longer = at < 0 || end.overflow ? NULL : realloc(log, (size_t)at + end.len + 1);
	if (!longer) {
		free(log);
		return at < 0 ? -EBADMSG : end.overflow ? -ENAMETOOLONG : -ENOMEM;
	}
	memcpy(longer + at, buffer, end.len + 1);
	*text = longer;
	*len = (uint64_t)at + end.len;
	return 0;
}

/* ---- the other files */

static int put_text(int to, const char *name, const char *text, size_t len)
{
	int fd = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FMT_FILE_MODE);
	size_t at = 0;
	ssize_t put = 0;

	if (fd < 0)
		return -errno;
	while (at < len && (put = write(fd, text + at, len - at)) > 0)
		at += (size_t)put;
	put = put < 0 ? -errno : 0;
	close(fd);
	return (int)put;
}

/* It is written in place, in pages. */
static int copy_xml(int from, int to, const char *name, uint64_t *bytes)
{
	char *text;
	size_t len;
	int status = filecopy_read(from, name, &text, &len);

	if (status < 0)
		return status;
	*bytes += len;
	status = put_text(to, name, text, len);
	free(text);
	return status;
}

static int copy_file(int from, int to, const char *name, uint64_t *bytes)
{
	return strcmp(name, FMT_FILE_MAP) == 0 ? copy_xml(from, to, name, bytes)
	                                       : filecopy_one(from, to, name, bytes);
}

static int is_last(const char *name)
{
	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
		if (strcmp(name, last[i]) == 0)
			return 1;
	return 0;
}

/* Files under names with a dot are being made, or are not for readers. */
static int is_passed_over(const char *name)
{
	return name[0] == '.' || is_last(name) || strcmp(name, FMT_FILE_LOG) == 0 ||
	       strcmp(name, FMT_FILE_NOTES) == 0 || lineage_is_experiment(name);
}

static int copy_entries(int from, int to, uint64_t *bytes, int is_top);

/* What is no file may be a directory; of that, files alone. */
static int copy_directory(int from, int to, const char *name, uint64_t *bytes)
{
	int in = openat(from, name, DIRECTORY_FLAGS), out, status;

	if (in < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
	if (mkdirat(to, name, FMT_DIRECTORY_MODE) < 0 && errno != EEXIST) {
		close(in);
		return -errno;
	}
	out = openat(to, name, DIRECTORY_FLAGS);
	status = out < 0 ? -errno : copy_entries(in, out, bytes, 0);
	if (out >= 0)
		close(out);
	close(in);
	return status;
}

static int copy_entry(int from, int to, const char *name, uint64_t *bytes, int is_top)
{
	int status;

	if (snapshot_is_interrupted)
		return -EINTR;
	status = copy_file(from, to, name, bytes);
	if (status == -EBADMSG && is_top)
		return copy_directory(from, to, name, bytes);
	/* It has gone, or is none of ours. */
	return status == -ENOENT || status == -ELOOP || status == -EBADMSG ? 0 : status;
}

static int copy_entries(int from, int to, uint64_t *bytes, int is_top)
{
	int copy = openat(from, ".", DIRECTORY_FLAGS), status = 0;
	DIR *directory = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!directory) {
		status = -errno;
		if (copy >= 0)
			close(copy);
		return status;
	}
	while (status == 0 && (entry = readdir(directory)) != NULL)
		if (!is_passed_over(entry->d_name))
			status = copy_entry(from, to, entry->d_name, bytes, is_top);
	closedir(directory);
	return status;
}

int snapshot_copy(int from, int to, uint64_t *bytes)
{
	int status = copy_entries(from, to, bytes, 1);

	for (size_t i = 0; status == 0 && i < sizeof(last) / sizeof(last[0]); i++)
		status = copy_entry(from, to, last[i], bytes, 0);
	return status;
}
