/* java.h: command lines of Java programs. */
#ifndef XER_COLLECT_TARGET_JAVA_H
#define XER_COLLECT_TARGET_JAVA_H

#include "collect/options/options.h"

/* The command line to execute for that of the request: a file that ends in .class or .jar is run by
 * the Java machine of -j, of JDK_HOME or JAVA_PATH, or else in PATH; the arguments of -J, split at
 * blanks, come before those of the machine. Returns 0 with *argv, which is valid until the end of
 * the process (that of the request if there is nothing to change), or an exit code with `cause`. */
int java_command(const struct request *request, char ***argv, struct cause *cause);

#endif
