/* text.c: see text.h. */
#include "archive/text.h"

#include "experiment/base/printable.h"

#include <string.h>

void text_put(FILE *out, const char *text)
{
	while (*text != '\0') {
		size_t size = exp_printable(text, strlen(text));

		if (size == 0)
			fprintf(out, "\\x%02x", (unsigned char)*text);
		else
			fwrite(text, 1, size, out);
		text += size == 0 ? 1 : size;
	}
}
