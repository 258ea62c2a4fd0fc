// control_cxx: the same header used from C++, and the names that Fortran calls.
//
// Facts: `seen` makes 20 objects, `unseen` 30 while events are paused, `seen_again` 40. Samples
// "C++" and, by the Fortran name, which has blanks at its end, "Fortran".
#define COLLECTOR_FORTRAN
#include "include/collectorAPI.h"

static void *volatile last;

#define MAKE(function, count) \
	__attribute__((noinline)) static void function() \
	{ \
		for (int i = 0; i < (count); i++) { \
			int *object = new int(i); \
			last = object; \
			delete object; \
		} \
	}

MAKE(seen, 20)
MAKE(unseen, 30)
MAKE(seen_again, 40)

int main()
{
	seen();
	collector_sample("C++");
	collector_pause_();
	unseen();
	collector_resume_();
	collector_sample_("Fortran   ", 10);
	seen_again();
	return 0;
}
