/* closing.c: see closing.h, and doc/decisions/87-closing-line.md. */
#include "archive/closing.h"

#include "archive/text.h"
#include "format/layout.h"

#include <fts.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 512 /* the unit of st_blocks */ };

struct sizes {
	uint64_t data, archives; /* bytes on the disk: files are longer than what is in them */
};

/* A file that several processes have loaded is in several archives by links. */
static uint64_t size_of(const struct stat *status)
{
	return (uint64_t)status->st_blocks * BLOCK / (status->st_nlink > 0 ? status->st_nlink : 1);
}

static struct sizes measure(char *path)
{
	char *const paths[] = {path, NULL};
	struct sizes sizes = {.data = 0};
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *at;

	while (walk && (at = fts_read(walk))) {
		int is_archived = at->fts_level > 0 &&
		                  (at->fts_parent->fts_number != 0 ||
		                   strcmp(at->fts_name, FMT_DIR_ARCHIVES) == 0);

		at->fts_number = is_archived;
		if (at->fts_info == FTS_F)
			*(is_archived ? &sizes.archives : &sizes.data) += size_of(at->fts_statp);
	}
	if (walk)
		fts_close(walk);
	return sizes;
}

static void put_size(FILE *out, uint64_t bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	double value = (double)bytes;
	unsigned unit = 0;

	for (; value >= 1000 && unit < 4; unit++)
		value /= 1000;
	fprintf(out, "%.*f %s", unit > 0 && value < 9.95, value, units[unit]);
}

void closing_put(FILE *out, char *path, const char *name)
{
	struct sizes sizes = measure(path);

	text_put(out, name);
	fputs(": ", out);
	put_size(out, sizes.data);
	fputs(" of data", out);
	if (sizes.archives > 0) {
		fputs(", ", out);
		put_size(out, sizes.archives);
		fputs(" of libraries and sources", out);
	}
	fputs(". Read it: xer_print -overview ", out);
	text_put(out, name);
	fputc('\n', out);
}
