/* remove.h: delete an experiment, and nothing else. */
#ifndef XER_COLLECT_EXPERIMENT_REMOVE_H
#define XER_COLLECT_EXPERIMENT_REMOVE_H

/* Delete the directory `path` if it is an experiment (it has a log.xml and is not being recorded)
 * or empty. Symbolic links are not followed. Returns 0 or -errno: -ENOENT, -ENOTDIR, -EINVAL (not
 * an experiment), -EBUSY (being recorded), ... */
int remove_experiment(const char *path);

/* Delete all that is in the open directory `fd`. Returns 0 or -errno. */
int remove_contents(int fd);

#endif
