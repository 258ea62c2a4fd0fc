/* xraylog.h: logs that LLVM's XRay runtime wrote: flight data recorder versions 1 to 5 and naive
 * mode, in either byte order.
 *
 * Sources: LLVM, "XRay Flight Data Recorder Trace Format" (version 1, with its order of bits on
 * big-endian machines), and what llvm-xray of LLVM 14 to 22 takes. A log is read through a chunk:
 * twice in part, first to find its buffers and what is damaged, then for each walk along its
 * records. Memory depends on the number of buffers, not on that of records. */
#ifndef XER_EXPERIMENT_XRAY_XRAYLOG_H
#define XER_EXPERIMENT_XRAY_XRAYLOG_H

#include <stddef.h>
#include <stdint.h>

enum xraylog_kind {
	XRAYLOG_ENTER,
	XRAYLOG_EXIT,
	XRAYLOG_TAIL_EXIT,
	XRAYLOG_ENTER_ARGUMENT,
	XRAYLOG_CUSTOM,
	XRAYLOG_TYPED
};

/* One record, as llvm-xray convert would show it. */
struct xraylog_record {
	enum xraylog_kind kind;
	uint16_t cpu, event_type; /* event_type: of a typed event */
	uint32_t function;        /* 0: none */
	uint32_t tid, pid;
	uint64_t tsc;
	const uint64_t *
		arguments; /* arguments[argument_count], borrowed until the callee returns; so is */
	const uint8_t *data; /* data[data_size] of an event */
	uint32_t argument_count, data_size;
};

/* A buffer of a thread: its records lie at [at, end) of the file. */
struct xraylog_span {
	uint32_t tid, pid;
	uint64_t tsc, at, end;
};

struct xraylog {
	unsigned version, type; /* type: 0 naive, 1 flight data recorder */
	unsigned constant_tsc : 1, nonstop_tsc : 1, is_big_endian : 1;
	uint64_t cycle_frequency, buffer_size;
	int fd;
	uint64_t size;
	struct xraylog_span
		*spans; /* spans[span_count], in order of threads and times; naive: one */
	size_t span_count, span_capacity;
	uint64_t record_count, first_tsc, last_tsc; /* of all records */
	uint32_t pid;                               /* of the first record */
	uint64_t fault_offset;                      /* where the first fault is */
	const char *fault;                          /* what it is, NULL: none */
	unsigned faults;
};

/* Open the log in fd (a regular file). Damaged parts are left out, and reported in `fault`. Returns
 * 0, and the log owns the descriptor; -EBADMSG (no such log) or another -errno, and it still
 * belongs to the caller. Free with xraylog_close. */
int xraylog_open(int fd, struct xraylog *out);
void xraylog_close(struct xraylog *log);

/* Call `record` for each record, buffer by buffer, those of a thread in order of time, until it
 * returns something else than 0. Returns 0, -ENOMEM, -ESTALE (the file has been cut), another
 * -errno of reading, or what it returned. */
int xraylog_each(const struct xraylog *log,
                 int (*record)(void *context, const struct xraylog_record *record), void *context);

struct experiment;

/* The log that was opened as an experiment; NULL if it is an experiment of Xer. Borrowed. */
const struct xraylog *experiment_foreign(const struct experiment *experiment);

/* Name the functions of a foreign log by the program that wrote it, or the part of it that has the
 * section xray_instr_map; before experiment_load. Returns 0 (also if the experiment is no such
 * log), -EBADMSG (the file has no such section) or another -errno. */
int experiment_instr_map(struct experiment *experiment, const char *path);

/* The address of a function of a foreign log, as the experiment shows it; *is_mapped: the map has
 * it. */
uint64_t experiment_foreign_address(const struct experiment *experiment, uint32_t id,
                                    int *is_mapped);

#endif
