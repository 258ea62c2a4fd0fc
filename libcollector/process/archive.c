/* archive.c: run xer_archive at the end, as a helper (helper.h).
 *
 * xer_archive archives the whole tree, so one run at the end of the founder serves all processes
 * that ended before. A process that outlives its recorded ancestors runs it for itself and those
 * that come after. A process releases the lock that shows that it lives before it archives, so that
 * a process which ends later knows that it has to archive for itself.
 * See doc/decisions/16-descendants.md. */
#include "libcollector/process/archive.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/process/helper.h"
#include "libcollector/write/log.h"

#include "format/compress.h"
#include "format/lineage.h"

#include <errno.h>

static char what[sizeof(col.descriptor.directory) + LINEAGE_MAX +
                 sizeof(FMT_EXPERIMENT_SUFFIX)]; /* is archived */

/* Does the process with this lineage live? If so, it holds a lock on its log. */
static int is_alive(const char *lineage)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	char path[LINEAGE_MAX + sizeof(FMT_EXPERIMENT_SUFFIX "/" FMT_FILE_LOG)];
	char *end = stpcpy(path, lineage);
	int directory = col_founder_get();
	long fd;
	int locked;

	strcpy(end, *lineage ? FMT_EXPERIMENT_SUFFIX "/" FMT_FILE_LOG : FMT_FILE_LOG);
	fd = col_file_open(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	col_place_done(directory);
	if (fd < 0)
		return 0;
	locked = SYS3(SYS_fcntl, fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	sys_close((int)fd);
	return locked;
}

/* Is there a recorded ancestor that will archive for us? */
static int has_ancestor(void)
{
	char lineage[LINEAGE_MAX];

	strcpy(lineage, col.descriptor.step.lineage);
	while (*lineage) {
		*strrchr(lineage, '_') = '\0';
		if (is_alive(lineage))
			return 1;
	}
	return 0;
}

/* Was the program's file deleted or replaced? It can be read until this process has ended. */
static int is_file_gone(void)
{
	static const char mark[] = " (deleted)";
	const long mark_len = sizeof(mark) - 1;
	char *path = col_text_borrow();
	long len = path ? SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, COL_TEXT_SIZE) : 0;
	int is_gone = len > mark_len && memcmp(path + len - mark_len, mark, (size_t)mark_len) == 0;

	if (path)
		col_text_return(path);
	return is_gone;
}

/* The whole tree, or this process alone, which has an ancestor that archives the tree. */
static void choose(int is_whole)
{
	char *end = stpcpy(what, col.descriptor.directory);

	if (!is_whole)
		strcpy(stpcpy(stpcpy(end, "/"), col.descriptor.step.lineage),
		       FMT_EXPERIMENT_SUFFIX);
}

/* Whoever archives the whole tree compresses its data files, if that is asked for. */
static char compress[sizeof("archives")];
#define COMPRESS "-z", compress

void archive_run(int is_last)
{
	static char *const quiet[] = {col.descriptor.archive,
	                              "-q",
	                              "-a",
	                              col.descriptor.archive_mode,
	                              COMPRESS,
	                              what,
	                              NULL};
	static char *closing[] = {col.descriptor.archive,      "-s",     NULL, "-a",
	                          col.descriptor.archive_mode, COMPRESS, what, NULL};
	const struct helper helper = {.argv = quiet, .told = closing, .is_last = is_last};
	int is_whole, packs;

	if (!col.descriptor.archive[0])
		return;
	is_whole = !has_ancestor();
	if (!is_whole && !is_file_gone())
		return;
	if (!helper_is_allowed()) {
		col_log_warning(
			"nothing is archived: a filter of system calls of the program might kill it for that; xer_archive does it later");
		return;
	}
	choose(is_whole);
	packs = col.descriptor.compress < COMPRESS_COUNT ? (int)col.descriptor.compress : 0;
	if (!is_whole && packs == COMPRESS_ON)
		packs = COMPRESS_ARCHIVES;
	strcpy(compress, compress_words[packs]);
	closing[2] = col.descriptor.directory + col.descriptor.name_at;
	col_log_let_go();
	if (helper_run(&helper) == -EAGAIN)
		col_log_warning(
			"nothing is archived: no process could be made for it; xer_archive does it later");
}
