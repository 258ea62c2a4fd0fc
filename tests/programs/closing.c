/* closing: closes all descriptors but the standard ones, as daemons do, and works.
 *
 * usage: closing SECONDS */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;

	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	while ((double)clock() < seconds * CLOCKS_PER_SEC)
		for (volatile int i = 0; i < 10000; i++)
			continue;
	return 0;
}
