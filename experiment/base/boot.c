/* boot.c: was an experiment recorded since this machine was started? */
#include "experiment/base/boot.h"

#include "experiment/base/internal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int exp_is_of_this_boot(const struct experiment *experiment)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char id[64];
	ssize_t len = fd < 0 ? 0 : read(fd, id, sizeof(id) - 1);

	if (fd >= 0)
		close(fd);
	id[len > 0 ? len : 0] = '\0';
	id[strcspn(id, "\n")] = '\0';
	return id[0] != '\0' && strcmp(id, experiment->info.boot_id) == 0;
}
