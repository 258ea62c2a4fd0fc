/* grant.h: another user may create experiments beside the founder's.
 *
 * The directory of an experiment is its owner's alone. A program that gives up root (su, setpriv, a
 * daemon) and then executes another one, or forks, would have no way to record that. So, before it
 * does, the new user is let into the founder's directory, its archives and the process's own
 * directory by an entry of their access control lists: it can create files there, but not remove
 * those of others. What other users may do does not change. */
#ifndef XER_LIBCOLLECTOR_PROCESS_GRANT_H
#define XER_LIBCOLLECTOR_PROCESS_GRANT_H

#include <stdint.h>
#include <sys/types.h>

/* The process is about to become `user`; -1 and its present user: nothing is done. Where the file
 * system has no such lists, the log says so once. Signal-safe. */
void grant_user(uid_t user);

/* An access control list, as the kernel reads and writes it (linux/posix_acl_xattr.h), with one
 * more user, and what that one may do (bits of a mode: 4 read, 2 write, 1 search), for a file or
 * directory with this mode. list[*size] is what there was, *size 0: nothing; it has room for
 * GRANT_LIST_MAX bytes. Returns 0; -EEXIST: the user was there; -EINVAL: it is no list of this
 * kind; -ENOSPC: there is no more room. */
enum { GRANT_LIST_MAX = 4 + 8 * 64 };
struct grant {
	uint32_t user;
	unsigned may;
};
int grant_add(unsigned char *list, size_t *size, struct grant grant, unsigned mode);

#endif
