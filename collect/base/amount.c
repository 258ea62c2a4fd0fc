/* amount.c: numbers and switches in the values of options. */
#include "collect/base/amount.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int amount_read(const char **text, double unit, uint64_t *out)
{
	char *end;
	double value;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	value = strtod(*text, &end);
	if (errno || (*text)[strspn(*text, "0123456789.")] != *end)
		return -EINVAL;
	*text = end;
	if (value * unit > 1e15)
		return -ERANGE;
	*out = (uint64_t)(value * unit + 0.5);
	return 0;
}

int amount_switch(const char *value, int *out)
{
	if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
		return -EINVAL;
	*out = strcmp(value, "on") == 0;
	return 0;
}
