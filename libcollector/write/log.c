/* log.c: append elements to log.xml and map.xml. See log.h.
 * See doc/decisions/14-xml-appending.md. */
#include "libcollector/write/log.h"

#include "libcollector/write/account.h"

#include "libcollector/base/host.h"
#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/base/lock.h"
#include "libcollector/base/memory.h"

#include "format/compress.h"
#include "format/retry.h"

#include <errno.h>

enum { RING = 16, RING_TEXT = 512, TEXTS = 6 };

enum slot_state { FREE, FILLING, FULL };

struct ring_slot {
	atomic_uint state;
	uint32_t len;
	char text[RING_TEXT];
};

struct xml_file {
	const char *name;
	const char *close;
	struct col_file file;
	unsigned reopened; /* as often as it was at the last look */
	uint64_t end;      /* of the closing tag; under the lock */
	int stopped;
	struct col_lock lock;
	struct xml_append plan; /* under the lock */
	struct ring_slot ring[RING];
};

static struct xml_file files[COL_XMLS] = {
	[COL_LOG] = {.name = FMT_FILE_LOG, .close = FMT_LOG_CLOSE, .file = {.fd = -1}},
	[COL_MAP] = {.name = FMT_FILE_MAP, .close = FMT_MAP_CLOSE, .file = {.fd = -1}},
};

/* What is written of them stands together, so that few pages are touched. */
static char texts[TEXTS][COL_TEXT_SIZE];
static struct {
	atomic_uint used;
	sys_sigset mask; /* of the borrower */
} loans[TEXTS];

/* A handler of the program might jump away and never come back, or fork and continue in the child.
 * So no handler may run. */
char *col_text_borrow(void)
{
	sys_sigset mask;

	sys_block_signals(&mask);
	for (int i = 0; i < TEXTS; i++) {
		unsigned free = 0;

		if (!atomic_compare_exchange_strong(&loans[i].used, &free, 1))
			continue;
		loans[i].mask = mask;
		return texts[i];
	}
	sys_sigmask(SIG_SETMASK, &mask, NULL);
	return NULL;
}

void col_text_return(char *text)
{
	for (int i = 0; i < TEXTS; i++) {
		sys_sigset mask = loans[i].mask;

		if (texts[i] != text)
			continue;
		atomic_store(&loans[i].used, 0);
		sys_sigmask(SIG_SETMASK, &mask, NULL);
	}
}

/* The closing tag is in the last page or the one before. */
static int find_end(struct xml_file *xml)
{
	char *tail; /* not on the stack: the program's may be small */
	struct stat status;
	uint64_t start;
	long len, at;

	_Static_assert((int)COL_TEXT_SIZE == 2 * (int)XML_PAGE, "it is in the text");
	if (sys_fstat(xml->file.fd, &status) < 0)
		return -EIO;
	tail = col_text_borrow();
	if (!tail)
		return -EBUSY;
	start = status.st_size > COL_TEXT_SIZE ? (uint64_t)status.st_size - COL_TEXT_SIZE : 0;
	len = sys_pread(xml->file.fd, tail, COL_TEXT_SIZE, start);
	at = len < 0 ? len : xml_end_find(tail, (size_t)len, xml->close);
	col_text_return(tail);
	if (at < 0)
		return (int)at;
	xml->end = start + (uint64_t)at;
	return 0;
}

/* Where the log is closed after each use, a page of it stays mapped: the lock ends when nothing
 * refers to the open file any more, and a mapping does. So it does where data files are compressed
 * when their process has ended: one that closes all descriptors and sleeps has not. A forked child
 * does not have the page. */
static struct {
	void *page;
	int pid;
	int is_let_go;
} keeper;

static void keep_mapped(int fd)
{
	keeper.page = sys_mmap(SYS_PAGE, PROT_READ, MAP_SHARED, fd, 0);
	keeper.pid = col.pid;
	if (keeper.page)
		memory_keep_apart(keeper.page, SYS_PAGE);
}

static void unmap_kept(void)
{
	if (keeper.page && keeper.pid == col.pid)
		sys_munmap(keeper.page, SYS_PAGE);
	keeper.page = NULL;
}

/* Readers find this lock as long as the process lives. */
static void lock_alive(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (keeper.is_let_go)
		return;
	SYS3(SYS_fcntl, fd, F_OFD_SETLK, &lock);
	if ((files[COL_LOG].file.is_brief || col.descriptor.compress == COMPRESS_ON) &&
	    (!keeper.page || keeper.pid != col.pid))
		keep_mapped(fd);
}

void col_log_let_go(void)
{
	struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	keeper.is_let_go = 1;
	unmap_kept();
	SYS3(SYS_fcntl, files[COL_LOG].file.fd, F_OFD_SETLK, &lock);
}

static int open_now(void *argument)
{
	struct xml_file *xml = argument;
	int directory = col_directory_get();
	long fd = directory < 0 ? directory
	                        : col_file_open(directory, xml->name, O_RDWR | O_NOFOLLOW, 0);
	int error = fd < 0 ? (int)fd : col_file_take(&xml->file, xml->name, (int)fd);

	col_place_done(directory);
	xml->reopened = 0;
	if (error == 0)
		error = find_end(xml);
	if (error == 0 && xml == &files[COL_LOG]) {
		keeper.is_let_go = 0;
		lock_alive(xml->file.fd);
	}
	if (xml->file.is_brief)
		col_file_close(&xml->file);
	return error;
}

int col_xml_open(enum col_xml which)
{
	return col_file_with_free(open_now, &files[which]);
}

static atomic_int has_moved; /* out of reach of other threads */

void col_log_forget(void)
{
	atomic_store(&has_moved, 0);
	for (int i = 0; i < COL_XMLS; i++) {
		struct xml_file *xml = &files[i];

		col_file_close(&xml->file);
		xml->file.is_brief = 0;
		xml->stopped = 0;
		col_lock_give(&xml->lock);
		for (int k = 0; k < RING; k++)
			if (atomic_load(&xml->ring[k].state) != FREE)
				atomic_store(&xml->ring[k].state, FREE);
	}
	for (int i = 0; i < TEXTS; i++)
		atomic_store(&loans[i].used, 0);
}

/* The descriptor of the file. If it was opened again, it needs the lock again. */
static int current_fd(struct xml_file *xml)
{
	int fd = col_file_get(&xml->file, xml->name);

	if (fd >= 0 && xml->file.reopened != xml->reopened && xml == &files[COL_LOG])
		lock_alive(fd);
	xml->reopened = xml->file.reopened;
	return fd;
}

/* The descriptor is looked at before each write, as another thread may replace it. */
static int write_all(struct xml_file *xml)
{
	for (size_t i = 0; i < xml->plan.count; i++) {
		const struct xml_write *write = &xml->plan.write[i];
		unsigned tries = 0;
		long done;

		do {
			int fd = current_fd(xml);

			done = fd < 0 ? fd : sys_pwrite(fd, write->bytes, write->len, write->at);
		} while (retry(done == -EINTR, &tries));
		if (done != (long)write->len)
			return done < 0 ? (int)done : -ENOSPC;
	}
	return 0;
}

struct appending {
	struct xml_file *xml;
	const char *text;
	size_t len;
};

static int append_now(void *argument)
{
	const struct appending *it = argument;
	struct xml_file *xml = it->xml;
	int fd = xml->stopped ? -EIO : current_fd(xml);
	int error = fd < 0 ? fd
	                   : xml_append_plan(&xml->plan, xml->end, it->text, it->len, xml->close);

	/* Writing past RLIMIT_FSIZE would raise SIGXFSZ. */
	if (error == 0)
		error = col_file_may_grow(xml->end + 2 * XML_PAGE);
	if (error == 0)
		error = write_all(xml);
	if (error < 0) {
		xml->stopped |= error != -E2BIG && !retry_later(error);
		col_count(&col.count.lost_log, 1);
		return error;
	}
	xml->end = xml->plan.end;
	return 0;
}

/* Append under the lock. The first failure that lasts ends the file: it stays as it is. */
static int append(struct xml_file *xml, const char *text, size_t len)
{
	struct appending it = {xml, text, len};

	return col_file_use(&xml->file, xml->name, append_now, &it);
}

static void drain(struct xml_file *xml)
{
	for (int i = 0; i < RING; i++) {
		struct ring_slot *slot = &xml->ring[i];

		if (atomic_load_explicit(&slot->state, memory_order_acquire) != FULL)
			continue;
		append(xml, slot->text, slot->len);
		atomic_store_explicit(&slot->state, FREE, memory_order_release);
	}
}

static int has_queued(struct xml_file *xml)
{
	for (int i = 0; i < RING; i++)
		if (atomic_load(&xml->ring[i].state) == FULL)
			return 1;
	return 0;
}

/* An element that is queued while the lock is being released is written by the thread that queued
 * it, or by us. */
static void drain_and_unlock(struct xml_file *xml)
{
	do {
		drain(xml);
		col_lock_give(&xml->lock);
	} while (has_queued(xml) && col_lock_try(&xml->lock));
}

void col_log_expect_threads(void)
{
	sys_sigset old;

	if (likely(atomic_load_explicit(&has_moved, memory_order_relaxed)) ||
	    atomic_exchange(&has_moved, 1))
		return;
	sys_block_signals(&old);
	for (int i = 0; i < COL_XMLS; i++)
		if (col_lock_try(&files[i].lock)) {
			col_file_move_away(&files[i].file);
			drain_and_unlock(&files[i]);
		}
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

static int is_deleted(void *unused)
{
	struct stat status;
	int fd = col_file_get(&files[COL_LOG].file, files[COL_LOG].name);

	(void)unused;
	return fd < 0 ? !retry_later(fd) : sys_fstat(fd, &status) == 0 && status.st_nlink == 0;
}

int col_log_is_deleted(void)
{
	struct xml_file *xml = &files[COL_LOG];
	sys_sigset old;
	int answer;

	sys_block_signals(&old);
	answer = col_lock_take(&xml->lock);
	if (answer == 0) {
		answer = col_file_use(&xml->file, xml->name, is_deleted, NULL);
		drain_and_unlock(xml);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return answer > 0;
}

/* Leave a short element to the holder of the lock. Returns 0, or -EBUSY: it is too long, or the
 * queue is full. */
static int queue(struct xml_file *xml, const char *text, size_t len)
{
	for (int i = 0; len <= RING_TEXT && i < RING; i++) {
		struct ring_slot *slot = &xml->ring[i];
		unsigned free = FREE;

		if (!atomic_compare_exchange_strong(&slot->state, &free, FILLING))
			continue;
		memcpy(slot->text, text, len);
		slot->len = (uint32_t)len;
		atomic_store_explicit(&slot->state, FULL, memory_order_seq_cst);
		if (col_lock_try(&xml->lock))
			drain_and_unlock(xml);
		return 0;
	}
	return -EBUSY;
}

void col_log_keep_alive(void)
{
	struct xml_file *xml = &files[COL_LOG];
	sys_sigset old;

	if (atomic_load(&col.is_unsettled))
		return;
	sys_block_signals(&old);
	if (col_lock_try(&xml->lock)) {
		if (!xml->file.is_brief)
			current_fd(xml);
		drain_and_unlock(xml);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

static int append_or_queue(struct xml_file *xml, const char *text, size_t len)
{
	unsigned turns = 0;
	int error;

	while (!col_lock_try(&xml->lock)) {
		if (queue(xml, text, len) == 0)
			return 0;
		if (col_lock_wait(&xml->lock, &turns) < 0) {
			col_count(&col.count.lost_log, 1);
			return -EBUSY;
		}
	}
	error = append(xml, text, len);
	drain_and_unlock(xml);
	return error;
}

int col_xml_append(enum col_xml which, const struct xml_text *element)
{
	sys_sigset old;
	int error;

	if (element->overflow)
		return -E2BIG;
	if (unlikely(atomic_load_explicit(&col.is_unsettled, memory_order_relaxed)))
		col_settle();
	/* When no more events come, objects are not needed either. */
	if (!account_add(element->len) && which == COL_MAP && atomic_load(&col.events_stopped))
		return -EDQUOT;
	sys_block_signals(&old);
	error = append_or_queue(&files[which], element->at, element->len);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

void col_event_begin(struct xml_text *text, const char *kind)
{
	xml_put(text, " <event");
	xml_put_string(text, "kind", kind);
	xml_put_number(text, "time", col_ticks());
}

void col_event_end(struct xml_text *text)
{
	xml_put(text, "/>\n");
	col_xml_append(COL_LOG, text);
}

void col_log_loss(const char *stream, int error)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "loss");
	xml_put_string(&text, "stream", stream);
	xml_put_number(&text, "errno", (uint64_t)-error);
	col_event_end(&text);
}

void col_log_loss_reason(const char *stream, const char *reason)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "loss");
	xml_put_string(&text, "stream", stream);
	xml_put_string(&text, "reason", reason);
	col_event_end(&text);
}

void col_log_warning(const char *message)
{
	char buffer[400];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "warning");
	xml_put_string(&text, "text", message);
	col_event_end(&text);
}
