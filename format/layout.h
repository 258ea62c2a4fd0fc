/* layout.h: what an experiment directory is made of, and the version of the format. */
#ifndef XER_FORMAT_LAYOUT_H
#define XER_FORMAT_LAYOUT_H

#define FMT_VERSION_MAJOR 1 /* readers refuse any other */
#define FMT_VERSION_MINOR 0 /* grows when fields, kinds or elements are added */
#define FMT_VERSION_TEXT "1.0"

#define FMT_FILE_LOG "log.xml"
#define FMT_FILE_MAP "map.xml"
#define FMT_FILE_DYNTEXT "dyntext"
#define FMT_FILE_NOTES "notes"
#define FMT_FILE_PERF_MAP "perf.map"  /* copy of /tmp/perf-PID.map */
#define FMT_FILE_JITDUMP "jit%u.dump" /* copies of the process's jit-PID.dump, from 1 */
#define FMT_DIR_ARCHIVES "archives"
#define FMT_DIR_SAMPLER "sampler" /* cpuN.fxt of xcollect --sampler */
#define FMT_DIR_COUNTER "counter" /* and a digit: the same of a counter of xcollect -h */
#define FMT_COUNTERS_MAX 8

/* Of the stack, a sample of the kernel's can have so many kilobytes. */
#define FMT_STACK_KB_MAX 56
#define FMT_FILE_SAMPLER_MAP "map.fxt" /* in it; its words for processes are in image.def */
#define FMT_EXPERIMENT_SUFFIX ".er"
/* Experiment groups: text files of this first line, then an experiment a line. */
#define FMT_GROUP_SUFFIX ".erg"
#define FMT_GROUP_HEAD "#analyzer experiment group"

/* The event data files (streams). The order is internal; the names are the format. */
enum fmt_stream {
	FMT_STREAM_FRAMEINFO,
	FMT_STREAM_OVERVIEW,
	FMT_STREAM_PROFILE,
	FMT_STREAM_HEAPTRACE,
	FMT_STREAM_SYNCTRACE,
	FMT_STREAM_IOTRACE,
	FMT_STREAM_USERTRACE,
	FMT_STREAM_USERTRACE_LAST = FMT_STREAM_USERTRACE + 7,
	FMT_STREAM_FUNCTRACE,
	FMT_STREAM_FUNCTABLE,
	FMT_STREAM_OMPTRACE,
	FMT_STREAM_MPITRACE,
	FMT_STREAMS
};
#define FMT_STREAM_NAMES \
	{ \
		"frameinfo", "overview", "profile", "heaptrace", "synctrace", "iotrace", \
			FMT_USERTRACE_NAMES, "functrace", "functable", "omptrace", "mpitrace" \
	}

/* The system trace of user events, and the component traces. */
enum { FMT_USER_TRACES = FMT_STREAM_USERTRACE_LAST - FMT_STREAM_USERTRACE + 1 };
#define FMT_USERTRACE_NAMES \
	"usertrace", "usertrace1", "usertrace2", "usertrace3", "usertrace4", "usertrace5", \
		"usertrace6", "usertrace7"

/* Roots of the XML files; the closing tag, with its newline, ends each of them while it can grow.
 */
#define FMT_LOG_ROOT "experiment"
#define FMT_LOG_CLOSE "</experiment>\n"
#define FMT_MAP_ROOT "map"
#define FMT_MAP_CLOSE "</map>\n"

#endif
