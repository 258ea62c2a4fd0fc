/* signalname.h: signals as users name them. */
#ifndef XER_COLLECT_BASE_SIGNALNAME_H
#define XER_COLLECT_BASE_SIGNALNAME_H

/* Read the `len` characters at `text`: "USR1", "SIGUSR1", "10", "RTMIN+3", "SIGRTMAX-5".
 * Returns 0 and *out; or -EINVAL: not a signal, or one by which a recording cannot be controlled:
 * the kernel or the recorder itself sends it, or it cannot be handled. */
int signalname_parse(const char *text, unsigned len, int *out);

#endif
