/* jail: a program that uses all descriptors and goes where no earlier path leads.
 *
 * usage: jail      (as root)
 *
 * Facts: makes the directory "jail", puts it at every descriptor from 4 on, makes it its root,
 * calls malloc and free 2000 times and burns 0.1 s of CPU time. It writes nothing: the directory
 * stays empty. Exit status 0. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	struct timespec now;
	int directory;

	mkdir("jail", 0755);
	directory = open("jail", O_RDONLY | O_DIRECTORY);
	for (int fd = 4; fd < 1024; fd++)
		dup2(directory, fd);
	if (directory < 0 || chroot("jail") != 0)
		return 1;
	for (int i = 0; i < 2000; i++) {
		void *volatile block = malloc(100);

		free(block);
	}
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_sec == 0 && now.tv_nsec < 100000000);
	return 0;
}
