/* shells.h: a file with the completions of a program, for each shell. */
#ifndef XER_COMPLETIONS_SHELLS_H
#define XER_COMPLETIONS_SHELLS_H

#include "completions/table.h"

#include <stdio.h>

void bash_put(const struct program *program, FILE *out);
void zsh_put(const struct program *program, FILE *out);
void fish_put(const struct program *program, FILE *out);

#endif
