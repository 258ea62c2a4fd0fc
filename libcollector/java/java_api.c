/* java_api.c: the native methods of collector.CollectorAPI. See java_api.h. They do what
 * collectorAPI.h says of the functions of C.
 * See doc/decisions/40-java-entry.md. */
#include "libcollector/java/java_api.h"

#include "libcollector/base/host.h"

#include "include/collectorAPI.h"

#include <stddef.h>

static void sample(struct java_env *java, void *class, void *name)
{
	const char *text = name ? java_get_string(java, name) : NULL;

	(void)class;
	col_host->api->sample(text);
	if (text)
		java_release_string(java, name, text);
}

static void pause_events(struct java_env *java, void *class)
{
	(void)java;
	(void)class;
	col_host->api->pause();
}

static void resume_events(struct java_env *java, void *class)
{
	(void)java;
	(void)class;
	col_host->api->resume();
}

static void terminate(struct java_env *java, void *class)
{
	(void)java;
	(void)class;
	col_host->api->terminate();
}

void java_api_bind(struct java_env *java, void *class)
{
	static const struct java_native methods[] = {
		{"sample0", "(Ljava/lang/String;)V", (java_function)sample},
		{"pause0", "()V", (java_function)pause_events},
		{"resume0", "()V", (java_function)resume_events},
		{"terminate0", "()V", (java_function)terminate},
	};

	/* Another class of that name throws NoSuchMethodError here, which must not be visible. */
	if (java_register_natives(java, class, methods, sizeof(methods) / sizeof(methods[0])) != 0)
		java_clear_exception(java);
}
