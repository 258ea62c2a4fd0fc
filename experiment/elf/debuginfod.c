/* debuginfod.c: the debuginfod client, loaded when it is first needed, as libdwfl does. One client
 * at a time; not thread-safe. */
#include "experiment/elf/debuginfod.h"

#include "experiment/elf/object.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"
enum { TIMEOUT_S = 15, TIMEOUT_MAX_S = 600 };

/* The library's own type; libdw declares it from version 0.188 on. */
struct debuginfod_client;

typedef int find_by_id(struct debuginfod_client *client, const unsigned char *build_id, int len,
                       char **path);

/* Its functions, as <elfutils/debuginfod.h> declares them; build-ids of length 0 are hex text. */
static struct {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *client);
	int (*find_source)(struct debuginfod_client *client, const unsigned char *build_id, int len,
	                   const char *name, char **path);
	find_by_id *find_executable, *find_debuginfo;
	void (*set_progressfn)(struct debuginfod_client *client,
	                       int (*progress)(struct debuginfod_client *client, long done,
	                                       long all));
	int is_tried, is_there;
	int is_silent; /* a server sent nothing for too long */
} library;

static struct {
	time_t since_s; /* of the last byte */
	long done;
	long timeout_s;
} wait;

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void begin_wait(void)
{
	const char *text = getenv("DEBUGINFOD_TIMEOUT");
	long seconds = !text ? 0 : strtol(text, NULL, 10);

	wait.timeout_s = seconds > 0 && seconds <= TIMEOUT_MAX_S ? seconds : TIMEOUT_S;
	wait.since_s = now_s();
	wait.done = 0;
}

/* Called by the client about once a second. Returns true to end the transfer. */
static int watch(struct debuginfod_client *client, long done, long all)
{
	(void)client;
	(void)all;
	if (done > wait.done) {
		wait.done = done;
		wait.since_s = now_s();
	}
	if (now_s() - wait.since_s >= wait.timeout_s)
		library.is_silent = 1;
	return library.is_silent;
}

static int load(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *handle;

	if (!urls || urls[strspn(urls, " ")] == '\0')
		return 0;
	if (library.is_tried)
		return library.is_there;
	library.is_tried = 1;
	handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	if (!handle)
		return 0;
	*(void **)&library.begin = dlsym(handle, "debuginfod_begin");
	*(void **)&library.end = dlsym(handle, "debuginfod_end");
	*(void **)&library.find_source = dlsym(handle, "debuginfod_find_source");
	*(void **)&library.find_executable = dlsym(handle, "debuginfod_find_executable");
	*(void **)&library.find_debuginfo = dlsym(handle, "debuginfod_find_debuginfo");
	*(void **)&library.set_progressfn = dlsym(handle, "debuginfod_set_progressfn");
	library.is_there = library.begin && library.end && library.find_source &&
	                   library.find_executable && library.find_debuginfo &&
	                   library.set_progressfn != NULL;
	return library.is_there;
}

/* The client uses it in file names and URLs, and experiments may contain any text. */
static int is_build_id(const char *text)
{
	size_t len = strspn(text, "0123456789abcdef");

	return text[len] == '\0' && len > 0 && len % 2 == 0 && len <= 2 * EXP_BUILD_ID_MAX;
}

static struct debuginfod_client *begin(const char *build_id)
{
	struct debuginfod_client *client = is_build_id(build_id) && load() && !library.is_silent
	                                           ? library.begin()
	                                           : NULL;

	if (client) {
		begin_wait();
		library.set_progressfn(client, watch);
	}
	return client;
}

/* The client made the file and keeps it; its descriptor is not needed. */
static void finish(struct debuginfod_client *client, int fd)
{
	library.end(client);
	if (fd >= 0)
		close(fd);
}

char *exp_debuginfod_source(const char *build_id, const char *path)
{
	struct debuginfod_client *client = begin(build_id);
	char *place = NULL;

	if (!client)
		return NULL;
	finish(client,
	       library.find_source(client, (const unsigned char *)build_id, 0, path, &place));
	return place;
}

/* `find` is known when the library is loaded. */
static char *find_by(find_by_id *const *find, const char *build_id)
{
	struct debuginfod_client *client = begin(build_id);
	char *place = NULL;

	if (!client)
		return NULL;
	finish(client, (*find)(client, (const unsigned char *)build_id, 0, &place));
	return place;
}

char *exp_debuginfod_object(const char *build_id)
{
	return find_by(&library.find_executable, build_id);
}

char *exp_debuginfod_debug(const char *build_id)
{
	return find_by(&library.find_debuginfo, build_id);
}
