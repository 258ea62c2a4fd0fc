/* certificates.c: Criterion initializes libgit2 at the start of each test's process, and that reads
 * all certificates of the machine, which takes longer than most tests. It is needed only to show
 * how two texts differ, so it is initialized then. These functions stand before the library's. */
#include <dlfcn.h>
#include <stddef.h>

int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(const void *old, size_t old_len, const char *old_path, const void *new,
                     size_t new_len, const char *new_path, const void *options, void *file,
                     void *binary, void *hunk, void *line, void *payload);

static int is_initialized;

int git_libgit2_init(void)
{
	return 1;
}

int git_libgit2_shutdown(void)
{
	int (*function)(void) = (int (*)(void))dlsym(RTLD_NEXT, __func__);

	return is_initialized && function ? function() : 0;
}

int git_diff_buffers(const void *old, size_t old_len, const char *old_path, const void *new,
                     size_t new_len, const char *new_path, const void *options, void *file,
                     void *binary, void *hunk, void *line, void *payload)
{
	int (*initialize)(void) = (int (*)(void))dlsym(RTLD_NEXT, "git_libgit2_init");
	__typeof__(git_diff_buffers) *function = (__typeof__(git_diff_buffers) *)dlsym(RTLD_NEXT,
	                                                                               __func__);

	if (!initialize || !function)
		return -1;
	if (!is_initialized)
		is_initialized = initialize() >= 0;
	return function(old, old_len, old_path, new, new_len, new_path, options, file, binary, hunk,
	                line, payload);
}
