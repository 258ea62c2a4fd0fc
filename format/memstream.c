/* memstream.c: see memstream.h. */
#include "format/memstream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct memstream {
	char **text;
	size_t *size; /* told, never read: what has been written is `used` */
	size_t used, capacity;
};

static int grow(struct memstream *stream, size_t more)
{
	size_t wanted = stream->used + more + 1, capacity = stream->capacity;
	char *text;

	if (wanted <= stream->used)
		return -ENOMEM;
	if (wanted <= capacity)
		return 0;
	capacity = wanted > capacity + capacity / 2 ? wanted : capacity + capacity / 2;
	text = realloc(*stream->text, capacity);
	if (!text)
		return -ENOMEM;
	*stream->text = text;
	stream->capacity = capacity;
	return 0;
}

/* 0 bytes written is an error for stdio, which then sets the stream's. */
static ssize_t put(void *cookie, const char *bytes, size_t size)
{
	struct memstream *stream = cookie;

	if (grow(stream, size) != 0) {
		errno = ENOMEM;
		return 0;
	}
	memcpy(*stream->text + stream->used, bytes, size);
	stream->used += size;
	(*stream->text)[stream->used] = '\0';
	*stream->size = stream->used;
	return (ssize_t)size;
}

static int tell(void *cookie, off_t *offset, int whence)
{
	const struct memstream *stream = cookie;

	if (whence != SEEK_CUR || *offset != 0)
		return -1;
	*offset = (off_t)stream->used;
	return 0;
}

static int end(void *cookie)
{
	struct memstream *stream = cookie;
	int rc = grow(stream, 0) == 0 ? 0 : -1; /* an empty text is one, too */

	if (rc == 0)
		(*stream->text)[stream->used] = '\0';
	free(stream);
	return rc;
}

FILE *memstream_open(char **text, size_t *size)
{
	struct memstream *stream = malloc(sizeof(*stream));
	FILE *out;

	*text = NULL;
	*size = 0;
	if (!stream)
		return NULL;
	*stream = (struct memstream){.text = text, .size = size};
	out = fopencookie(stream, "w",
	                  (cookie_io_functions_t){.write = put, .seek = tell, .close = end});
	if (!out)
		free(stream);
	return out;
}
