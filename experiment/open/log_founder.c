/* log_founder.c: what a descendant knows from its founder: host and settings, which its own log
 * does not repeat. */
#include "experiment/open/log.h"
#include "experiment/open/log_reader.h"

#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define HOST_TEXTS(FIELD) \
	FIELD(host) \
	FIELD(os) \
	FIELD(release) \
	FIELD(arch) \
	FIELD(cpu_model) \
	FIELD(boot_id)
#define HOST_NUMBERS(FIELD) \
	FIELD(cpus) \
	FIELD(page_size) \
	FIELD(memory_kib) \
	FIELD(tick_ns)

/* A descendant without a directory has the founder's path only. */
static int open_founder_log(const struct experiment *experiment)
{
	int directory = experiment->directory >= 0
	                        ? openat(experiment->directory, "..",
	                                 O_RDONLY | O_DIRECTORY | O_CLOEXEC)
	                        : open(experiment->founder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = directory < 0 ? -errno : exp_file_open(directory, FMT_FILE_LOG);

	if (directory >= 0)
		close(directory);
	return fd;
}

/* What the founder's log has said is lent to the whole tree. Returns 1, or 0: nobody lends it. */
static int borrow(struct log_reader *reader)
{
	struct exp_info *info = &reader->experiment->info;
	const struct exp_info *lent = exp_place_lent(reader->experiment->place);

	if (!lent)
		return 0;
#define TAKE(field) info->field = lent->field;
	HOST_TEXTS(TAKE)
	HOST_NUMBERS(TAKE)
#undef TAKE
	reader->lent = lent;
	return 1;
}

/* Returns 0 or -ENOMEM: without its founder, a descendant can be read, but lacks some
 * information. */
int log_reader_inherit(struct log_reader *reader)
{
	struct experiment *experiment = reader->experiment;
	struct exp_xml_walk walk = {.root = FMT_LOG_ROOT,
	                            .text_element = "arg",
	                            .element = log_reader_founder_element,
	                            .context = reader,
	                            .arena = &experiment->arena};
	int fd, rc;

	if (experiment->info.lineage[0] == '\0' || reader->setting_count > 0)
		return 0;
	if (borrow(reader))
		return 0;
	fd = open_founder_log(experiment);
	rc = fd < 0 ? fd : exp_xml_read(fd, &walk);
	if (fd >= 0)
		close(fd);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0 && reader->setting_count == 0)
		exp_warn(experiment, "the founder's " FMT_FILE_LOG
		                     " cannot be read: host and settings are unknown");
	return 0;
}

void exp_log_lend(const struct experiment *founder)
{
	const struct exp_info *info = &founder->info;
	struct exp_arena *arena = exp_place_arena(founder->place);
	struct exp_info *lent = info->descendant_count == 0 ? NULL
	                                                    : exp_arena_alloc(arena, sizeof(*lent));
	struct exp_pair *settings = !lent ? NULL
	                                  : exp_arena_alloc(arena, (info->setting_count + 1) *
	                                                                   sizeof(*settings));
	int is_whole = settings != NULL;

	if (!is_whole)
		return;
	*lent = *info;
	lent->settings = settings;
	for (size_t i = 0; i < info->setting_count; i++) {
		settings[i].name = exp_arena_string(arena, info->settings[i].name);
		settings[i].value = exp_arena_string(arena, info->settings[i].value);
		is_whole &= settings[i].name && settings[i].value;
	}
#define KEEP(field) \
	lent->field = exp_arena_string(arena, info->field); \
	is_whole &= lent->field != NULL;
	HOST_TEXTS(KEEP)
#undef KEEP
	if (is_whole)
		exp_place_lend(founder->place, lent);
}
