/* plugin: a library that a program loads: plugin_work allocates 30 blocks of 24 bytes, and frees 10
 * of them. */
#include <stdlib.h>

static void *volatile block;

void plugin_work(void);
void plugin_work(void)
{
	for (int i = 0; i < 30; i++) {
		block = malloc(24);
		if (i % 3 == 0)
			free(block);
	}
}
