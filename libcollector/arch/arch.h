/* arch.h: the processor that this library is built for. */
#ifndef XER_COLLECTOR_ARCH_H
#define XER_COLLECTOR_ARCH_H

#if defined(__x86_64__)
#include "libcollector/arch/x86_64.h"
#elif defined(__i386__)
#include "libcollector/arch/i386.h"
#else
#error "libcollector knows x86-64 and, for user events, i386"
#endif

#endif
