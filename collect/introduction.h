/* introduction.h: what xcollect without any words says: how to begin, and what can be recorded
 * here. */
#ifndef XER_COLLECT_INTRODUCTION_H
#define XER_COLLECT_INTRODUCTION_H

#include "collect/experiment/environment.h"

#include <stdio.h>

void introduction_print(const struct installation *installation, FILE *to);

#endif
