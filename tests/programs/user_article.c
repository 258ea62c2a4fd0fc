/* user_article: the three events of the article on templates, again and again.
 *
 * usage: user_article [rounds]      default: 1000
 *
 * Facts: each round logs TRCHKL4 of hook 010 ("malloc", an address, 4, 10), TRCGEN of hook 010 with
 * sub-id 20 and the 17 bytes "successful malloc", TRCHKL3 of hook 010 with sub-id 1 (an address, 5,
 * 20). */
#include "include/sys/trchkid.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000;
	char name[sizeof(unsigned long)] = "malloc";
	unsigned long word;
	int array[10];

	memcpy(&word, name, sizeof(word));
	for (long i = 0; i < rounds; i++) {
		TRCHKL4(HKWD_USER1, word, array, sizeof(int), 10);
		TRCGEN(0, HKWD_USER1 | 0x20, 17, 17, "successful malloc");
		TRCHKL3(HKWD_USER1 + 1, array + 5, 5, 20);
	}
	return 0;
}
