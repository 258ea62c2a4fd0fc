/* datafile.h: a data file, plain or compressed (NAME.zst). The plain one is deleted when the other
 * has its name, so one of them is there at every instant, and the plain one is taken if both are.
 */
#ifndef XER_EXPERIMENT_STREAMS_DATAFILE_H
#define XER_EXPERIMENT_STREAMS_DATAFILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct exp_packed;

struct exp_data_file {
	int fd;
	struct exp_packed *packed; /* NULL: it is plain */
	uint64_t size;             /* of the plain file, as found when it was opened */
};

enum { EXP_DATA_FILE_WHY = 160 };

/* Open a data file of an experiment's directory. Returns 0; -ENOENT: there is none; -EBADMSG: it
 * cannot be used, `why` says why not; -ENOMEM. */
int exp_data_file_open(int directory, const char *name, struct exp_data_file *out,
                       char why[EXP_DATA_FILE_WHY]);
void exp_data_file_close(struct exp_data_file *file);

/* As pread of the plain file; errno is EBADMSG where a compressed one is damaged. */
ssize_t exp_data_file_read(const struct exp_data_file *file, void *to, size_t size, uint64_t at);

/* As lseek with SEEK_DATA of the plain file: where something but zeros may be, at or behind `at`;
 * the size of the file if there is nothing. */
uint64_t exp_data_file_data(const struct exp_data_file *file, uint64_t at);

/* Is there one, plain or compressed? If so, *size is how large it is on the disk, about a quarter
 * if it is compressed. */
int exp_data_file_find(int directory, const char *name, uint64_t *size, int *is_packed);

#endif
