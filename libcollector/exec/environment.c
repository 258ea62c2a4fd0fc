/* environment.c: remove our variables from an environment, and put them into one. See
 * environment.h.
 * See doc/decisions/16-descendants.md. */
#include "libcollector/exec/environment.h"

#include "libcollector/base/collector.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>

#define PRELOAD "LD_PRELOAD="
#define RECORD DESCRIPTOR_VARIABLE "="
#define LISTING "LD_TRACE_LOADED_OBJECTS=" /* ldd(1) */
#define VALGRIND "VALGRIND_LAUNCHER="      /* its own programs get it, those under it do not */

extern char **environ;

/* The descriptor's text, but for its step. */
static char record_text[DESCRIPTOR_TEXT_MAX];
static size_t record_len;

static int is_variable(const char *entry, const char *assignment)
{
	return strncmp(entry, assignment, strlen(assignment)) == 0;
}

static char **find(char **list, const char *assignment)
{
	for (char **at = list; at && *at; at++)
		if (is_variable(*at, assignment))
			return at;
	return NULL;
}

const char *environment_get(const char *name)
{
	size_t len = strlen(name);

	for (char **at = environ; at && *at; at++)
		if (strncmp(*at, name, len) == 0 && (*at)[len] == '=')
			return *at + len + 1;
	return NULL;
}

static void remove_entry(char **entry)
{
	do
		entry[0] = entry[1];
	while (*entry++);
}

/* The same; and clear it in /proc/self/environ, where the kernel shows the memory in which it put
 * the variable. */
static void erase_entry(char **entry)
{
	memset(*entry, 0, strlen(*entry));
	remove_entry(entry);
}

/* Take our library out of LD_PRELOAD. */
static void restore_preload(const char *library)
{
	size_t len = strlen(library), left;
	char **entry = find(environ, PRELOAD);
	char *value;

	if (!entry)
		return;
	value = *entry + sizeof(PRELOAD) - 1;
	if (strncmp(value, library, len) != 0)
		return;
	if (value[len] == ':') {
		left = strlen(value + len + 1);
		memmove(value, value + len + 1, left);
		memset(value + left, 0, len + 1);
	} else if (value[len] == '\0') {
		erase_entry(entry);
	}
}

/* The text for our descendants: the same, with an empty step, after which theirs is put. */
static void keep_text(const struct descriptor *descriptor)
{
	static struct descriptor common;
	int len;

	common = *descriptor;
	memset(&common.step, 0, sizeof(common.step));
	len = descriptor_put(&common, record_text, sizeof(record_text));
	record_len = len > 0 ? (size_t)len : 0;
}

void environment_set(const struct descriptor *descriptor)
{
	if (strcmp(descriptor->follow, "off") != 0)
		keep_text(descriptor);
}

int environment_take(struct descriptor *out)
{
	char **entry = find(environ, RECORD);
	int error;

	if (!entry)
		return -ENOENT;
	error = descriptor_get(*entry + sizeof(RECORD) - 1, out);
	if (error < 0)
		return error;
	erase_entry(entry);
	restore_preload(ARCH_BITS == 32 ? out->preload32 : out->preload);
	environment_set(out);
	return 0;
}

const char *environment_library(int bits)
{
	const char *library = bits == 32 ? col.descriptor.preload32 : col.descriptor.preload;

	return *library ? library : NULL;
}

int environment_has_library(int bits)
{
	const char *library = environment_library(bits);

	return library && SYS3(SYS_faccessat, AT_FDCWD, library, R_OK) == 0;
}

/* A lent environment: see "lending". */
static struct {
	atomic_uint locked;
	unsigned users;
	char **own;    /* that of the program, which the lent one replaces; setenv may have moved it
	                * since */
	char *preload; /* the program's entry of it, NULL if there is none */
	char **lent;
	char **copy; /* of the list that was lent, to see what the program has changed */
	char *text;
	struct environment_room room;
} loan;

/* The variable is ours if its text is in the lent memory. */
static int is_lent(const char *entry)
{
	return entry >= loan.text && entry < loan.text + loan.room.text;
}

/* ---- giving ---- */

/* The program's LD_PRELOAD, NULL if it has none. Its entry in `envp` may be lent at the moment, if
 * another thread is in system(). */
static const char *own_preload(char *const *entry)
{
	if (!entry)
		return NULL;
	return is_lent(*entry) ? loan.preload : *entry;
}

static size_t count_of(char *const *envp)
{
	size_t count = 0;

	while (envp && envp[count])
		count++;
	return count;
}

struct environment_room environment_room(char *const *envp)
{
	const char *old = own_preload(find((char **)envp, PRELOAD));
	size_t library = strlen(col.descriptor.preload),
	       library32 = strlen(col.descriptor.preload32);
	size_t preload = sizeof(PRELOAD) + (library > library32 ? library : library32) + 1 +
	                 (old ? strlen(old) : 0);

	return (struct environment_room){
		.entries = count_of(envp) + 3,
		.text = preload + sizeof(RECORD) + record_len + DESCRIPTOR_STEP_MAX,
	};
}

/* "LD_PRELOAD=library:old"; the colon distinguishes an empty value from none. Returns the end,
 * after the NUL. */
static char *put_preload(char *at, const char *library, const char *old)
{
	at = stpcpy(stpcpy(at, PRELOAD), library);
	if (old) {
		*at++ = ':';
		at = stpcpy(at, old);
	}
	return at + 1;
}

static void put_record(char *at, const struct descriptor_step *step)
{
	at = stpcpy(at, RECORD);
	memcpy(at, record_text, record_len);
	descriptor_put_step(step, at + record_len, DESCRIPTOR_STEP_MAX);
}

void environment_give(char **list, char *text, char *const *envp,
                      const struct descriptor_step *step, int bits)
{
	char **old = find((char **)envp, PRELOAD);
	const char *own = own_preload(old);
	char *preload = text;

	text = put_preload(text, environment_library(bits), own ? own + sizeof(PRELOAD) - 1 : NULL);
	put_record(text, step);
	for (char *const *at = envp; at && *at; at++)
		if (!is_variable(*at, RECORD))
			*list++ = at == old ? preload : *at;
	if (!old)
		*list++ = preload;
	*list++ = text;
	*list = NULL;
}

/* ---- lending
 *
 * Another thread may be reading the environment while it is replaced. So the lent list is never
 * unmapped, but reused; after its end there are only zeros. */

enum { MORE_ENTRIES = 64, MORE_TEXT = 1024 };

/* A handler of the program that calls system() itself would wait for its own thread. */
static void lock_loan(sys_sigset *old)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	sys_block_signals(old);
	while (atomic_exchange_explicit(&loan.locked, 1, memory_order_acquire))
		SYS4(SYS_futex, &loan.locked, FUTEX_WAIT_PRIVATE, 1, &moment);
}

static void unlock_loan(const sys_sigset *old)
{
	atomic_store_explicit(&loan.locked, 0, memory_order_release);
	SYS3(SYS_futex, &loan.locked, FUTEX_WAKE_PRIVATE, 1);
	sys_sigmask(SIG_SETMASK, old, NULL);
}

/* Memory for a loan of the size `need`. */
static int make_room(struct environment_room need)
{
	size_t list = (need.entries + MORE_ENTRIES) * sizeof(char *);
	char *memory;

	if (loan.room.entries >= need.entries && loan.room.text >= need.text)
		return 0;
	memory = sys_mmap_anonymous(2 * list + need.text + MORE_TEXT);
	if (!memory)
		return -ENOMEM;
	loan.lent = (char **)memory;
	loan.copy = (char **)(memory + list);
	loan.text = memory + 2 * list;
	loan.room = (struct environment_room){need.entries + MORE_ENTRIES, need.text + MORE_TEXT};
	return 0;
}

/* Another thread may be in setenv, and have put a longer list there. */
static int exchange(char **from, char **to)
{
	return __atomic_compare_exchange_n(&environ, &from, to, 0, __ATOMIC_SEQ_CST,
	                                   __ATOMIC_SEQ_CST);
}

static int begin_loan(const struct descriptor_step *step, int bits)
{
	char **own, **preload;

	do {
		own = environ;
		if (make_room(environment_room(own)) < 0)
			return -ENOMEM;
		memset(loan.copy, 0, loan.room.entries * sizeof(char *));
		environment_give(loan.copy, loan.text, own, step, bits);
		for (size_t i = 0; i < loan.room.entries; i++)
			loan.lent[i] = loan.copy[i];
		preload = find(own, PRELOAD);
		loan.preload = preload ? *preload : NULL;
		loan.own = own;
	} while (!exchange(own, loan.lent));
	return 0;
}

int environment_lend(const struct descriptor_step *step, int bits)
{
	sys_sigset old;
	int error = 0;

	lock_loan(&old);
	if (loan.users == 0)
		error = begin_loan(step, bits);
	loan.users += error == 0;
	unlock_loan(&old);
	return error;
}

static int is_changed(void)
{
	size_t i = 0;

	while (loan.lent[i] && loan.lent[i] == loan.copy[i])
		i++;
	return loan.lent[i] != loan.copy[i];
}

/* Remove our variables from `from`, and put the user's LD_PRELOAD back, while copying to `to`,
 * which may be the same. */
static void copy_own(char **to, char **from)
{
	for (; *from; from++) {
		if (!is_lent(*from))
			*to++ = *from;
		else if (is_variable(*from, PRELOAD) && loan.preload)
			*to++ = loan.preload;
	}
	*to = NULL;
}

/* The program may have changed entries of the list in place, or may have moved to a longer list. */
static void end_loan(void)
{
	if (!environ) /* clearenv */
		return;
	if (environ == loan.lent && (loan.own || !is_changed())) {
		if (is_changed())
			copy_own(loan.own, loan.lent);
		if (exchange(loan.lent, loan.own))
			return;
	}
	copy_own(environ, environ);
	if (environ == loan.lent) /* it had none before: this one is the program's now */
		loan.room = (struct environment_room){0, 0};
}

void environment_take_back(void)
{
	sys_sigset old;

	lock_loan(&old);
	if (--loan.users == 0)
		end_loan();
	unlock_loan(&old);
}

void environment_forget(void)
{
	atomic_store(&loan.locked, 0);
	if (loan.users > 0 ||
	    environ == loan.lent) /* another thread may just have been beginning or ending it */
		end_loan();
	loan.users = 0;
}

char *environment_own(char *value)
{
	const char *preload = loan.preload;

	if (likely(!value || !is_lent(value)))
		return value;
	if (!preload || !is_variable(value - (sizeof(PRELOAD) - 1), PRELOAD))
		return NULL;
	return (char *)preload + sizeof(PRELOAD) - 1;
}

/* `known`: the page that was checked last. */
static int is_readable_at(const char *at, uintptr_t *known)
{
	uintptr_t page = (uintptr_t)at & ~(uintptr_t)(SYS_PAGE - 1);

	if (page == *known)
		return 1;
	*known = page;
	return sys_page_is_readable(page);
}

static int is_readable_text(const char *text, uintptr_t *known)
{
	const char *at = text;

	do {
		if (!is_readable_at(at, known))
			return 0;
		at = memchr(at, '\0', SYS_PAGE - ((uintptr_t)at & (SYS_PAGE - 1)))
		             ? NULL
		             : (const char *)(*known + SYS_PAGE);
	} while (at);
	return 1;
}

int environment_is_readable(char *const *envp)
{
	uintptr_t list = 1, text = 1; /* no pages */

	if (!envp)
		return 1;
	for (;; envp++) {
		const char *last = (const char *)(envp + 1) -
		                   1; /* of an entry that may lie on two pages */

		if (!is_readable_at((const char *)envp, &list) || !is_readable_at(last, &list))
			return 0;
		if (!*envp)
			return 1;
		if (!is_readable_text(*envp, &text))
			return 0;
	}
}

int environment_refuses(char *const *envp)
{
	char **entry = find((char **)envp, RECORD);

	return (entry && !is_lent(*entry)) || find((char **)envp, LISTING) ||
	       find((char **)envp, VALGRIND);
}
