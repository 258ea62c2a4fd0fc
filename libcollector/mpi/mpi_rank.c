/* mpi_rank.c: the process as a rank. See mpi_rank.h.
 * See doc/decisions/10-mpi.md. */
#include "libcollector/mpi/mpi_rank.h"

#include "libcollector/base/file.h"
#include "libcollector/write/keep.h"
#include "libcollector/write/log.h"
#include "libcollector/mpi/mpi.h"
#include "libcollector/thread/scope.h"

#include "format/lineage.h"

#include <errno.h>
#include <string.h>

enum { VERSION_MAX = 8192, VERSION_KEPT = 60, NAME_SIZE = 32 };

static atomic_uint has_begun;

extern char **environ;

/* The rank that a launcher gave the process, -1: none. */
static int rank_told(void)
{
	static const char *const variables[] = {"OMPI_COMM_WORLD_RANK=", "PMIX_RANK=", "PMI_RANK="};
	int rank;

	for (char **at = environ; at && *at; at++)
		for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
			const char *digit = *at + strlen(variables[i]);

			if (strncmp(*at, variables[i], strlen(variables[i])) != 0 || *digit < '0' ||
			    *digit > '9')
				continue;
			for (rank = 0; *digit >= '0' && *digit <= '9' && rank < INT32_MAX / 10 - 1;
			     digit++)
				rank = rank * 10 + (*digit - '0');
			return rank;
		}
	return -1;
}

/* The first words of the library's description of itself: up to a comma, the end of a line, or two
 * blanks. */
static void put_version(struct xml_text *text)
{
	char *version = sys_mmap_anonymous(VERSION_MAX);
	int length = 0;

	if (!version)
		return;
	if (ASK(Get_library_version, version, &length) == 0) {
		version[VERSION_MAX - 1] = '\0';
		version[VERSION_KEPT] = '\0';
		for (char *at = version; *at; at++) {
			if (*at == '\n' || *at == ',') {
				*at = '\0';
				break;
			}
			if (*at == '\t')
				*at = ' ';
		}
		xml_put_string(text, "version", version);
	}
	sys_munmap(version, VERSION_MAX);
}

static void rename_directory(int rank)
{
	char name[NAME_SIZE];

	if (rank < 0 || lineage_rank_name(name, sizeof(name), (uint32_t)rank) != 0)
		return;
	keep_begin_rename();
	keep_rename(col_directory_rename(name) == 0 ? name : NULL);
}

int mpi_rank_is_known(void)
{
	return (int)atomic_load_explicit(&has_begun, memory_order_relaxed);
}

void mpi_rank_forget(void)
{
	atomic_store(&has_begun, 0);
}

void mpi_rank_begin(void)
{
	struct mpi_group spare;
	const struct mpi_group *world = mpi_group_find(mpi_library.world, 0, mpi_group_frees(),
	                                               &spare);
	char buffer[512];
	struct xml_text text = XML_TEXT(buffer);

	if (!world || atomic_exchange(&has_begun, 1)) {
		mpi_group_leave(world);
		return;
	}
	col_event_begin(&text, "mpi");
	xml_put_number(&text, "rank", (uint64_t)world->rank);
	xml_put_number(&text, "size", (uint64_t)world->size);
	xml_put_string(&text, "library", mpi_library.name);
	put_version(&text);
	col_event_end(&text);
	if (col.descriptor.mpi & MPI_RANKS)
		rename_directory(world->rank);
	mpi_group_leave(world);
}

void mpi_rank_abort(int code)
{
	char buffer[128];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "mpi_abort");
	xml_put_number(&text, "code", (uint64_t)(uint32_t)code);
	col_event_end(&text);
}

void mpi_open(void)
{
	char buffer[128];
	struct xml_text text = XML_TEXT(buffer);
	int rank = col.descriptor.mpi ? rank_told() : -1;

	if (rank < 0)
		return;
	col_event_begin(&text, "mpi_launched");
	xml_put_number(&text, "rank", (uint64_t)rank);
	col_event_end(&text);
}
