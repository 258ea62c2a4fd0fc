/* layout.h: the files of an experiment directory, and the version of the format. */
#ifndef XER_FORMAT_LAYOUT_H
#define XER_FORMAT_LAYOUT_H

#define FMT_VERSION_MAJOR 1 /* readers refuse any other */
#define FMT_VERSION_MINOR 1 /* grows when something is added: see VERSIONS in experiment(5) */
#define FMT_TEXT_OF(number) #number
#define FMT_VERSION_OF(major, minor) FMT_TEXT_OF(major) "." FMT_TEXT_OF(minor)
#define FMT_VERSION_TEXT FMT_VERSION_OF(FMT_VERSION_MAJOR, FMT_VERSION_MINOR)

#define FMT_FILE_LOG "log.xml"
#define FMT_FILE_MAP "map.xml"
#define FMT_FILE_DYNTEXT "dyntext"
#define FMT_FILE_NOTES "notes"
/* A founder's: bytes of all data files, of 64 bits, under -L; a struct fmt_keep under --keep. */
#define FMT_FILE_ACCOUNT ".account"
#define FMT_FILE_PERF_MAP "perf.map"  /* copy of /tmp/perf-PID.map */
#define FMT_FILE_JITDUMP "jit%u.dump" /* copies of the process's jit-PID.dump, from 1 */
#define FMT_DIR_ARCHIVES "archives"
#define FMT_DIR_SAMPLER "sampler" /* cpuN.fxt of xcollect --sampler */
#define FMT_DIR_COUNTER "counter" /* and a digit: the same of a counter of xcollect -h */
#define FMT_DIR_KERNEL "kernel"   /* the same of time in the kernel, for the clock samples of -k */
#define FMT_COUNTERS_MAX 8

/* Of the stack, a sample of the kernel's can have so many kilobytes. */
#define FMT_STACK_KB_MAX 56
/* When the heap is sampled, a block is recorded every so many bytes on average, at most. */
#define FMT_HEAP_MEAN_MAX ((uint64_t)1 << 40)
#define FMT_FILE_SAMPLER_MAP "map.fxt"   /* in it; its words for processes are in image.def */
#define FMT_FILE_SAMPLER_KERNEL "kernel" /* with xcollect -k: the functions of the kernel in it */
#define FMT_PACKED_SUFFIX ".zst"         /* of a data file that is compressed: seekable.h */
#define FMT_EXPERIMENT_SUFFIX ".er"
/* Experiments are private, whatever the umask: map.xml has addresses that others may not read in
 * /proc/PID/maps. Their owner may open them to others afterwards. */
enum { FMT_DIRECTORY_MODE = 0700, FMT_FILE_MODE = 0600 };
/* Experiment groups: text files of this first line, then an experiment a line. */
#define FMT_GROUP_SUFFIX ".erg"
#define FMT_GROUP_HEAD "#analyzer experiment group"

/* The event data files (streams): the rows of format/datakind.def, which names them. */
enum fmt_stream {
#define STREAM(id, name, role) FMT_STREAM_##id,
#include "format/datakind.def"
	FMT_STREAMS,
	FMT_STREAM_NONE = FMT_STREAMS
};

/* The system trace of user events, and the component traces. */
enum { FMT_STREAM_USERTRACE_LAST = FMT_STREAM_USERTRACE7 };
enum { FMT_USER_TRACES = FMT_STREAM_USERTRACE_LAST - FMT_STREAM_USERTRACE + 1 };

/* The kinds of data: the rows of format/datakind.def. */
enum fmt_datakind {
#define DATAKIND(id, number, ...) FMT_DATAKIND_##id = (number),
#include "format/datakind.def"
};
enum {
	FMT_DATAKINDS = 0
#define DATAKIND(...) +1
#include "format/datakind.def"
};

/* Roots of the XML files; the closing tag, with its newline, ends each of them while it can grow.
 */
#define FMT_LOG_ROOT "experiment"
#define FMT_LOG_CLOSE "</experiment>\n"
#define FMT_MAP_ROOT "map"
#define FMT_MAP_CLOSE "</map>\n"

#endif
