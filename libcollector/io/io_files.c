/* io_files.c: from descriptors to file numbers, and from names to numbers. See io_files.h. What the
 * kernel says of a descriptor is asked in io_names.c.
 *
 * There are two tables. `by_fd` has a word for each descriptor: 0 (not looked up), LOOKING and a
 * ticket, NAMELESS or a number. The ticket is of the thread that looks it up: if the number becomes
 * another file meanwhile, the word is 0 or has a ticket of another thread, and stays. `names` is a
 * hash table: an entry is taken by storing the hash of a name in it, and its index gives the
 * number. A thread that finds an entry taken but not yet written writes the name too; readers
 * accept either copy.
 *
 * When the table is full, its names are forgotten: it begins a new part, with numbers of its own. A
 * name that comes again is written again, under another number; readers join equal names. An entry
 * of an older part counts as free, so nothing is cleared, and each entry is taken once in a part.
 */
#include "libcollector/io/io_files.h"

#include "libcollector/io/io_epoll.h"
#include "libcollector/io/io_kinds.h"
#include "libcollector/io/io_names.h"

#include <errno.h>

enum {
	FDS = 65536,   /* descriptors above are not named */
	NAMES = 32768, /* a power of two */
	PROBES = 64,   /* then the table is full */
	FILE_STEP = 16,
	PART_BITS = 13, /* the numbers of all parts have 28 bits */
	PARTS = 1 << PART_BITS,
};

enum { LOOKING = 1, NAMELESS = 2 };

struct name_entry {
	atomic_uint_fast64_t hash; /* its lowest bits are the part that it is of; 0: free */
	atomic_uint written;       /* the last part in which the name has been written */
};

static atomic_uint part = 1; /* the present one */

static atomic_uint tickets;

static _Atomic(atomic_uint *) by_fd;
static _Atomic(struct name_entry *) names;

int io_files_open(void)
{
	atomic_uint *fds = atomic_load(&by_fd);

	io_kinds_open();
	if (fds) {
		sys_madvise(fds, FDS * sizeof(*fds), MADV_DONTNEED);
		return 0;
	}
	atomic_store(&names, sys_mmap_anonymous(NAMES * sizeof(struct name_entry)));
	atomic_store(&by_fd, sys_mmap_anonymous(FDS * sizeof(*fds)));
	return atomic_load(&names) && atomic_load(&by_fd) ? 0 : -ENOMEM;
}

void io_files_restart(void)
{
	atomic_uint *fds = atomic_load(&by_fd);
	struct name_entry *entries = atomic_load(&names);

	io_kinds_open();
	if (fds)
		sys_madvise(fds, FDS * sizeof(*fds), MADV_DONTNEED);
	if (entries)
		sys_madvise(entries, NAMES * sizeof(*entries), MADV_DONTNEED);
	atomic_store(&part, 1);
}

static atomic_uint *entry_of(int fd)
{
	atomic_uint *fds = atomic_load_explicit(&by_fd, memory_order_relaxed);

	return likely(fds && (unsigned)fd < FDS) ? &fds[fd] : NULL;
}

uint32_t io_file_known(int fd)
{
	atomic_uint *entry = entry_of(fd);
	uint32_t file = entry ? atomic_load_explicit(entry, memory_order_relaxed) : 0;

	return file % FILE_STEP == 0 ? file : 0;
}

void io_file_forget(int fd)
{
	atomic_uint *entry = entry_of(fd);

	io_kind_forget(fd);
	io_epoll_forget(fd);
	if (entry && atomic_load_explicit(entry, memory_order_relaxed))
		atomic_store_explicit(entry, 0, memory_order_relaxed);
}

void io_files_forget(unsigned first, unsigned last)
{
	unsigned end = io_fds_end();

	for (unsigned fd = first; fd <= last && fd < end; fd++)
		io_file_forget((int)fd);
}

/* ---- names ---- */

/* Names often differ in their last bytes only, which a multiplication leaves in the highest bits:
 * each word is mixed both ways. */
static uint64_t hash_of(const struct io_name *name)
{
	const uint64_t *word = (const uint64_t *)name->text;
	uint64_t hash = name->header.type | (uint64_t)name->header.file_system << 8 |
	                (uint64_t)name->header.end_size << 40;

	for (unsigned i = 0; i < name->header.name_size + name->header.end_size; i += 8) {
		hash = (hash ^ *word++) * 0x9e3779b97f4a7c15u;
		hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
		hash ^= hash >> 29;
	}
	return hash;
}

/* Returns 0, or -1 if it could not be written. */
static int write_name(struct col_thread *thread, const struct io_name *name, uint64_t ticks)
{
	uint32_t tid = atomic_load_explicit(&thread->tid, memory_order_relaxed);
	uint32_t size = ((uint32_t)sizeof(name->header) + name->header.name_size +
	                 name->header.end_size + 15) &
	                ~15u;

	return col_slot_write(&thread->slot[COL_NORMAL][FMT_STREAM_IOTRACE], FMT_STREAM_IOTRACE,
	                      tid, name, size, ticks);
}

/* The entry of a hash in part `now`, taken now if there was none. NULL: the part is full, or over.
 */
static struct name_entry *find_entry(struct name_entry *table, uint64_t hash, unsigned now)
{
	uint64_t wanted = (hash & ~(uint64_t)(PARTS - 1)) | now;

	for (unsigned i = 0; i < PROBES; i++) {
		struct name_entry *entry = &table[((hash >> 32) + i) & (NAMES - 1)];
		uint64_t found = atomic_load_explicit(&entry->hash, memory_order_relaxed);

		if (found % PARTS < now &&
		    atomic_compare_exchange_strong(&entry->hash, &found, wanted))
			return entry;
		if (found == wanted)
			return entry;
	}
	return NULL;
}

/* The number of a name, padded with zeros to a multiple of 16. 0 if there have been too many. */
static uint32_t number_of(struct col_thread *thread, struct io_name *name, uint64_t ticks)
{
	struct name_entry *table = atomic_load_explicit(&names, memory_order_relaxed),
			  *entry = NULL;
	unsigned now = atomic_load(&part);
	uint64_t hash = hash_of(name);

	if (table)
		entry = find_entry(table, hash, now);
	while (table && !entry && now < PARTS - 1) {
		if (atomic_compare_exchange_strong(&part, &now, now + 1))
			now++;
		entry = find_entry(table, hash, now);
	}
	if (!entry) {
		col_count(&col.count.lost_files, 1);
		return 0;
	}
	name->header.file = ((now - 1) * NAMES + (uint32_t)(entry - table) + 1) * FILE_STEP;
	if (unlikely(atomic_load_explicit(&entry->written, memory_order_relaxed) != now) &&
	    write_name(thread, name, ticks) == 0)
		atomic_store_explicit(&entry->written, now, memory_order_relaxed);
	return name->header.file;
}

uint32_t io_file_named(struct col_thread *thread, const char *path, uint64_t ticks)
{
	struct io_name name;

	io_name_path(&name, path);
	return number_of(thread, &name, ticks);
}

/* ---- descriptors ---- */

static __attribute__((noinline)) uint32_t look_up(struct col_thread *thread, atomic_uint *entry,
                                                  int fd, uint64_t ticks)
{
	unsigned looking = atomic_fetch_add(&tickets, FILE_STEP) | LOOKING;
	unsigned state = atomic_load(entry);
	struct io_name name;
	uint32_t file;
	int is_mine;

	io_fd_is_used(fd);
	/* Also in place of another look's ticket: a handler may have jumped out of it. */
	is_mine = (state == 0 || state & LOOKING) &&
	          atomic_compare_exchange_strong(entry, &state, looking);
	/* A child of vfork works in our memory, but has its own descriptors. */
	if (sys_getpid() != col.pid || io_name_describe(&name, fd) < 0) {
		if (is_mine)
			atomic_compare_exchange_strong(entry, &looking, 0);
		return 0;
	}
	file = number_of(thread, &name, ticks);
	/* If it is no longer that, the descriptor has changed during the look-up. */
	if (is_mine)
		atomic_compare_exchange_strong(entry, &looking, file ? file : NAMELESS);
	return file;
}

uint32_t io_file_of(struct col_thread *thread, int fd, uint64_t ticks)
{
	atomic_uint *entry = entry_of(fd);
	uint32_t file;

	if (unlikely(!entry))
		return 0;
	file = atomic_load_explicit(entry, memory_order_relaxed);
	if (likely(file && file % FILE_STEP == 0))
		return file;
	return file == NAMELESS ? 0 : look_up(thread, entry, fd, ticks);
}

/* Tell of the descriptor what its number is, unless somebody has meanwhile. */
static void know(struct col_thread *thread, int fd, struct io_name *name, uint64_t ticks)
{
	atomic_uint *entry = entry_of(fd);
	unsigned none = 0;
	uint32_t file = entry ? number_of(thread, name, ticks) : 0;

	if (!file)
		return;
	io_fd_is_used(fd);
	atomic_compare_exchange_strong(entry, &none, file);
}

void io_files_pair(struct col_thread *thread, const int fds[2], uint64_t ticks)
{
	struct io_name one, other;

	if (sys_getpid() != col.pid || io_name_describe_unnamed(&one, fds[0]) < 0 ||
	    io_name_describe_unnamed(&other, fds[1]) < 0)
		return;
	io_name_put_end(&one, &other);
	know(thread, fds[0], &one, ticks);
	io_name_put_end(&other, &one);
	know(thread, fds[1], &other, ticks);
}
