/* getenv.c: wrappers of getenv: a thread does not find our variables while another one is in
 * system. Unit tests are linked without them: they ask for the environment as it is. See
 * doc/decisions/16-descendants.md. */
#include "libcollector/exec/environment.h"

#include "libcollector/hook/hook.h"

EXPORT char *getenv(const char *name)
{
	return environment_own(REAL(getenv)(name));
}

EXPORT char *secure_getenv(const char *name)
{
	return environment_own(REAL(secure_getenv)(name));
}
