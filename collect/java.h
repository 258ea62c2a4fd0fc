/* java.h: command lines of Java programs. */
#ifndef XER_COLLECT_JAVA_H
#define XER_COLLECT_JAVA_H

#include "collect/options.h"

/* The command line to be executed for the request's: what ends in .class or .jar is run by the Java
 * machine of -j, of JDK_HOME or JAVA_PATH, or else in PATH; -J puts its arguments, at blanks,
 * before the machine's own. Returns 0 with *argv, which lives until the end of the process (the
 * request's own if there is nothing to change), or an exit code with `cause`. */
int java_command(const struct request *request, char ***argv, struct cause *cause);

#endif
