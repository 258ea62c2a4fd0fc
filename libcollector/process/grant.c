/* grant.c: entries of access control lists for users that the process becomes. See grant.h and
 * doc/decisions/16-descendants.md. */
#include "libcollector/process/grant.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/profile/tick_possible.h"
#include "libcollector/write/log.h"

#include "format/layout.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define LIST "system.posix_acl_access"

enum { VERSION = 2, HEAD = 4, ENTRY = 8, READ = 4, ALL = 7, NOBODY_ELSE = -1 };

/* The tags, which an ordered list has in this order; USER can be there several times, by user. */
enum tag {
	OWNER = 0x01,
	USER = 0x02,
	OWNING_GROUP = 0x04,
	GROUP = 0x08,
	MASK = 0x10,
	OTHER = 0x20
};

/* Numbers of 2 and of 4 bytes are stored with the lowest byte first. */
static uint32_t number_at(const unsigned char *at, size_t bytes)
{
	uint32_t number = 0;

	for (size_t i = bytes; i-- > 0;)
		number = number << 8 | at[i];
	return number;
}

static void put_number(unsigned char *at, size_t bytes, uint32_t number)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(number >> 8 * i);
}

static enum tag tag_at(const unsigned char *entry)
{
	return (enum tag)number_at(entry, 2);
}

static uint32_t id_at(const unsigned char *entry)
{
	return number_at(entry + 4, 4);
}

static void put_entry(unsigned char *entry, enum tag tag, unsigned may, uint32_t id)
{
	put_number(entry, 2, tag);
	put_number(entry + 2, 2, may);
	put_number(entry + 4, 4, id);
}

/* The list that is equal to a mode. */
static size_t list_of_mode(unsigned char *list, unsigned mode)
{
	put_number(list, HEAD, VERSION);
	put_entry(list + HEAD, OWNER, mode >> 6 & ALL, (uint32_t)NOBODY_ELSE);
	put_entry(list + HEAD + ENTRY, OWNING_GROUP, mode >> 3 & ALL, (uint32_t)NOBODY_ELSE);
	put_entry(list + HEAD + 2 * ENTRY, OTHER, mode & ALL, (uint32_t)NOBODY_ELSE);
	return HEAD + 3 * ENTRY;
}

static void insert(unsigned char *list, size_t *size, size_t at, enum tag tag, struct grant grant)
{
	memmove(list + at + ENTRY, list + at, *size - at);
	put_entry(list + at, tag, grant.may, grant.user);
	*size += ENTRY;
}

/* Where the first entry stands that comes behind (tag, id). */
static size_t place_of(const unsigned char *list, size_t size, enum tag tag, uint32_t id)
{
	size_t at = HEAD;

	while (at < size && (tag_at(list + at) < tag ||
	                     (tag_at(list + at) == tag && tag == USER && id_at(list + at) < id)))
		at += ENTRY;
	return at;
}

/* The mask limits what all named users may do. */
static void widen_mask(unsigned char *list, size_t *size, unsigned may)
{
	size_t at = place_of(list, *size, MASK, 0);

	if (at < *size && tag_at(list + at) == MASK)
		put_number(list + at + 2, 2, number_at(list + at + 2, 2) | may);
	else
		insert(list, size, at, MASK, (struct grant){(uint32_t)NOBODY_ELSE, may});
}

int grant_add(unsigned char *list, size_t *size, struct grant grant, unsigned mode)
{
	size_t at;

	if (*size == 0)
		*size = list_of_mode(list, mode);
	if (*size < HEAD + ENTRY || (*size - HEAD) % ENTRY != 0 || number_at(list, HEAD) != VERSION)
		return -EINVAL;
	if (*size + 2 * ENTRY > GRANT_LIST_MAX)
		return -ENOSPC;
	at = place_of(list, *size, USER, grant.user);
	if (at < *size && tag_at(list + at) == USER && id_at(list + at) == grant.user)
		return -EEXIST;
	insert(list, size, at, USER, grant);
	widen_mask(list, size, grant.may);
	return 0;
}

/* `fd` is open for reading. In a directory, nobody removes what belongs to others (sticky). */
static int let_in(int fd, struct grant grant)
{
	unsigned char list[GRANT_LIST_MAX];
	struct stat status;
	long got = SYS4(SYS_fgetxattr, fd, LIST, list, sizeof(list));
	size_t size = got > 0 ? (size_t)got : 0;
	int error = (int)sys_fstat(fd, &status);

	if (error == 0)
		error = grant_add(list, &size, grant, status.st_mode & 0777);
	if (error == 0 && S_ISDIR(status.st_mode))
		error = (int)SYS2(SYS_fchmod, fd, (status.st_mode & 0777) | S_ISVTX);
	if (error == 0)
		error = (int)SYS5(SYS_fsetxattr, fd, LIST, list, size, 0);
	return error == -EEXIST ? 0 : error;
}

static int open_and_let_in(int directory, const char *name, struct grant grant)
{
	long fd = directory < 0 ? directory
	                        : sys_openat(directory, name,
	                                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	int error = fd < 0 ? (int)fd : let_in((int)fd, grant);

	if (fd >= 0)
		sys_close((int)fd);
	return error == -ENOENT ? 0 : error;
}

static int let_into_founder(uint32_t user)
{
	static const struct {
		const char *name;
		unsigned may;
	} rows[] = {{".", ALL}, {FMT_DIR_ARCHIVES, ALL}, {FMT_FILE_LOG, READ}};
	int founder = col_founder_get(), error = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && error == 0; i++)
		error = open_and_let_in(founder, rows[i].name, (struct grant){user, rows[i].may});
	col_place_done(founder);
	return error;
}

/* Files of kinds of data of which there is nothing yet. */
static int let_into_own(uint32_t user)
{
	int own = col_directory_get();
	int error = open_and_let_in(own, ".", (struct grant){user, ALL});

	col_place_done(own);
	return error;
}

void grant_user(uid_t user)
{
	static atomic_int is_told;
	int error;

	/* Only root can become anybody. */
	if (user == (uid_t)-1 || user == 0 || SYS0(SYS_geteuid) != 0 || !process_is_recorded() ||
	    tick_is_filtered())
		return;
	error = let_into_founder(user);
	if (error == 0)
		error = let_into_own(user);
	if (error < 0 && !atomic_exchange(&is_told, 1))
		col_log_warning(
			"the program becomes another user, who cannot be let into the directory of the experiment (that takes access control lists): what that user executes may not be recorded");
}
