/* functrace_record.c: which writer the calling thread uses. See functrace.h. */
#include "libcollector/calls/functrace_record.h"

__thread struct functrace_writer *functrace_self;
