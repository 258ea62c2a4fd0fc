/* printable.c: distinguishes what may be shown on a terminal from control codes. */
#include "experiment/base/printable.h"

size_t exp_printable(const char *bytes, size_t len)
{
	const unsigned char *text = (const unsigned char *)bytes;
	size_t size = 0;

	if (text[0] >= 0x20 && text[0] < 0x7f)
		return 1;
	if (text[0] >= 0xc2 && text[0] < 0xe0)
		size = 2;
	else if (text[0] >= 0xe0 && text[0] < 0xf0)
		size = 3;
	else if (text[0] >= 0xf0 && text[0] < 0xf5)
		size = 4;
	if (size == 0 || size > len)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if (text[0] == 0xc2 && text[1] < 0xa0)
		return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0))
		return 0;
	if ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90))
		return 0;
	return size;
}
