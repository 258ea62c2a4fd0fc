#include "libcollector/java/java_event.h"
#include <criterion/criterion.h>
Test(java_event, x)
{
	java_event_gc_start((void *)0);
	cr_assert(1);
}
