/* xraylog.h: logs that LLVM's XRay runtime wrote: flight data recorder versions 1 to 5 and naive mode, in either byte order.
 *
 * Sources: LLVM, "XRay Flight Data Recorder Trace Format" (version 1, with its order of bits on big-endian machines), and what
 * llvm-xray of LLVM 14 to 19 takes. The log is read whole. */
#ifndef XER_EXPERIMENT_XRAYLOG_H
#define XER_EXPERIMENT_XRAYLOG_H

#include <stddef.h>
#include <stdint.h>

enum xraylog_kind { XRAYLOG_ENTER, XRAYLOG_EXIT, XRAYLOG_TAIL_EXIT, XRAYLOG_ENTER_ARGUMENT, XRAYLOG_CUSTOM, XRAYLOG_TYPED };

/* One record, as llvm-xray convert would show it. */
struct xraylog_record {
	enum xraylog_kind kind;
	uint16_t cpu, event_type; /* event_type: of a typed event */
	uint32_t function;        /* 0: none */
	uint32_t tid, pid;
	uint64_t tsc;
	uint32_t argument_count;  /* of xraylog->arguments, from first_argument on */
	size_t first_argument;
	const uint8_t *data;      /* data[data_size] of an event, borrowed from the log */
	uint32_t data_size;
};

struct xraylog {
	unsigned version, type; /* type: 0 naive, 1 flight data recorder */
	unsigned constant_tsc : 1, nonstop_tsc : 1, is_big_endian : 1;
	uint64_t cycle_frequency, buffer_size;
	uint8_t *bytes; /* bytes[size]: the whole file */
	size_t size;
	struct xraylog_record *records; /* records[record_count]: buffer by buffer, those of a thread in order of time */
	size_t record_count, record_capacity;
	uint64_t *arguments;
	size_t argument_count, argument_capacity;
	uint64_t fault_offset; /* where the first fault is */
	const char *fault;     /* what it is, NULL: none */
	unsigned faults;
};

/* Is this the beginning of such a log? at[32]. */
int xraylog_is_header(const uint8_t *at);

/* Read the log in fd (a regular file). What is damaged is left out, and told in `fault`. Returns 0; -EBADMSG (no such
 * log), -EFBIG or another -errno. The caller frees with xraylog_fini after success. */
int xraylog_read(int fd, struct xraylog *out);
void xraylog_fini(struct xraylog *log);

struct experiment;

/* The log that was opened as an experiment; NULL if it is an experiment of Xer. Borrowed. */
const struct xraylog *experiment_foreign(const struct experiment *experiment);

/* Name the functions of a foreign log by the program that wrote it, or the part of it that has the section
 * xray_instr_map; before experiment_load. Returns 0 (also if the experiment is no such log), -EBADMSG (the file has no
 * such section) or another -errno. */
int experiment_instr_map(struct experiment *experiment, const char *path);

#endif
