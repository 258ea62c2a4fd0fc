/* io_kinds.c: see io_kinds.h. */
#include "libcollector/io/io_kinds.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

enum { FDS = 65536, TERMIOS_SIZE = 64 };

/* A word for each descriptor: 0, KNOWN and what is known, or the ticket of the thread that looks it
 * up (see io_files.c). */
enum { KNOWN = 0x80, BLOCKS = 0x40, STATE = 0x3f, TICKET = 0x100 };

static _Atomic(atomic_uint *) kinds;
static atomic_uint tickets;
static atomic_uint fds_end;

void io_kinds_open(void)
{
	atomic_uint *table = atomic_load(&kinds);

	if (table)
		sys_madvise(table, FDS * sizeof(*table), MADV_DONTNEED);
	else
		atomic_store(&kinds, sys_mmap_anonymous(FDS * sizeof(*table)));
}

static atomic_uint *entry_of(int fd)
{
	atomic_uint *table = atomic_load_explicit(&kinds, memory_order_relaxed);

	return likely(table && (unsigned)fd < FDS) ? &table[fd] : NULL;
}

void io_fd_is_used(int fd)
{
	unsigned end = atomic_load_explicit(&fds_end, memory_order_relaxed);

	while (end <= (unsigned)fd &&
	       !atomic_compare_exchange_weak(&fds_end, &end, (unsigned)fd + 1))
		continue;
}

unsigned io_fds_end(void)
{
	return atomic_load(&fds_end);
}

void io_kind_forget(int fd)
{
	atomic_uint *entry = entry_of(fd);

	if (entry && atomic_load_explicit(entry, memory_order_relaxed))
		atomic_store_explicit(entry, 0, memory_order_relaxed);
}

/* What the kernel makes without a file: "anon_inode:[eventfd]". */
static enum fmt_wall_state state_of_anonymous(int fd)
{
	static const struct {
		const char *name;
		enum fmt_wall_state state;
	} known[] = {
		{"anon_inode:[eventfd]", FMT_wall_state_PIPE},
		{"anon_inode:[timerfd]", FMT_wall_state_SLEEP},
		{"anon_inode:[signalfd]", FMT_wall_state_SIGNAL},
		{"anon_inode:[eventpoll]", FMT_wall_state_POLL},
		{"anon_inode:inotify", FMT_wall_state_POLL},
		{"anon_inode:[pidfd]", FMT_wall_state_CHILD},
	};
	char path[32] = "/proc/self/fd/", name[32] = "";
	char digits[12];
	int count = 0;

	do
		digits[count++] = (char)('0' + fd % 10);
	while ((fd /= 10) > 0);
	for (size_t at = strlen(path); count > 0;)
		path[at++] = digits[--count];
	SYS4(SYS_readlinkat, AT_FDCWD, path, name, sizeof(name) - 1);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].state;
	return FMT_wall_state_OTHER;
}

static int is_terminal(int fd)
{
	char settings[TERMIOS_SIZE];

	return SYS3(SYS_ioctl, fd, TCGETS, settings) == 0;
}

static enum fmt_wall_state look(int fd)
{
	struct stat status;

	if (fd < 0 || sys_fstat(fd, &status) < 0)
		return FMT_wall_state_OTHER;
	switch (status.st_mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		return FMT_wall_state_FILE;
	case S_IFIFO:
		return FMT_wall_state_PIPE;
	case S_IFSOCK:
		return FMT_wall_state_SOCKET;
	case S_IFCHR:
		return is_terminal(fd) ? FMT_wall_state_TERMINAL : FMT_wall_state_FILE;
	default:
		return state_of_anonymous(fd);
	}
}

static __attribute__((noinline)) unsigned look_up(atomic_uint *entry, int fd)
{
	unsigned looking = atomic_fetch_add(&tickets, TICKET) + TICKET, kind;
	unsigned seen = entry ? atomic_load(entry) : KNOWN;
	enum fmt_wall_state state;
	int is_mine = 0;

	/* A child of vfork works in our memory, but has its own descriptors. */
	if (!(seen & KNOWN) && sys_getpid() == col.pid) {
		io_fd_is_used(fd);
		/* Also in place of another look's ticket: a handler may have jumped out of it. */
		is_mine = atomic_compare_exchange_strong(entry, &seen, looking);
	}
	state = look(fd);
	kind = KNOWN | (unsigned)state;
	if (state != FMT_wall_state_FILE && !(SYS2(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK))
		kind |= BLOCKS;
	if (is_mine)
		atomic_compare_exchange_strong(entry, &looking, kind);
	return kind;
}

static unsigned kind_of(int fd)
{
	atomic_uint *entry = entry_of(fd);
	unsigned kind = entry ? atomic_load_explicit(entry, memory_order_relaxed) : 0;

	return likely(kind & KNOWN) || fd < 0 ? kind : look_up(entry, fd);
}

enum fmt_wall_state io_kind_state(int fd)
{
	return fd < 0 ? FMT_wall_state_OTHER : (enum fmt_wall_state)(kind_of(fd) & STATE);
}

int io_kind_blocks(int fd, enum fmt_wall_state *state)
{
	unsigned kind = kind_of(fd);

	*state = (enum fmt_wall_state)(kind & STATE);
	return (kind & BLOCKS) != 0;
}
