/* perturb.c: in every unit program, memory that is allocated or freed is filled with odd bytes: who
 * reads what nobody has written, what is freed, or the rest of a list behind its end, gets nonsense
 * and not the zeros that fresh pages have. (AddressSanitizer does that by itself.) */
#include <malloc.h>

enum { ODD = 0x5a };

__attribute__((constructor)) static void begin(void)
{
	mallopt(M_PERTURB, ODD);
}
