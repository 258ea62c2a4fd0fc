/* experiment.h: open an experiment directory and answer questions about it.
 *
 * Layers, each usable without the next:
 *   experiment_open     log.xml, map.xml, notes: what was recorded, where, how it ended
 *   experiment_load     the data streams: call-stack nodes with metric totals, usage samples, heap
 *                       facts
 *   symbols_*           code address -> object -> function -> line, inlines included; all open
 *                       experiments share them, so that functions of equal name and object are one
 *
 * Everything read is distrusted. Strings are as recorded (any bytes): whoever prints them escapes
 * them. Return values: 0 or a count, else -errno. Pointers handed out are borrowed and live until
 * experiment_close or symbols_destroy. Not thread-safe. */
#ifndef XER_EXPERIMENT_EXPERIMENT_H
#define XER_EXPERIMENT_EXPERIMENT_H

#include "data.h" /* from the folder of this header, wherever it is installed */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- messages
 * ---------------------------------------------------------------------------------- */

/* Where faults in the input go: one clear line each, without newline, for example
 * "test.1.er: profile: offset 4096: not a record, skipped to 8192". */
struct exp_reporter {
	void (*warn)(void *context, const char *message);
	void *context;
};

/* Why an open failed, in words: "test.1.er: no such experiment". */
struct exp_cause {
	char text[512];
};

/* ---- what log.xml, map.xml and notes say --------------------------------------------------------
 */

struct experiment;

enum exp_status {
	EXP_RUNNING,  /* the writer holds its lock on log.xml */
	EXP_ENDED,    /* an exit event is there */
	EXP_EXECED,   /* it executed another program, which has its own experiment or none */
	EXP_DETACHED, /* the recording was ended; the process went on (xcollect -P) */
	EXP_DIED,     /* neither: killed, or the recorder could not write its end */
	EXP_SNAPSHOT  /* this is a copy, and when it was made, the process was being recorded */
};

struct exp_pair {
	const char *name;
	const char *value;
};

/* One <event> of log.xml in order of the file. */
struct exp_event {
	const char *kind;                  /* "run", "open", "warning", "loss", "exit", ... */
	double time_s;                     /* since the start; 0 if the event has no time */
	const struct exp_pair *attributes; /* attributes[attribute_count]: all but kind */
	size_t attribute_count;
};

struct exp_info {
	const char *path;    /* as given, without trailing slash */
	const char *name;    /* last component */
	const char *lineage; /* "" in a founder */
	uint64_t device,
		inode;       /* of the directory: show whether two paths name the same experiment */
	const char *version; /* of the format, "1.0" */
	const char *notes;   /* contents of `notes`, NULL if there is none */
	enum exp_status status;
	int exit_code;   /* of an ended process, -1 if unknown */
	uint64_t cpu_ns; /* CPU time by its exit event, 0 if there is none */
	int64_t mpi_rank,
		mpi_size; /* in MPI_COMM_WORLD; -1, 0: the process is in no MPI job that is known */
	const char *mpi_library; /* "": unknown */
	const char *outside; /* why nothing was recorded from inside of the program, of which there
	                        are samples alone; else NULL */
	int is_attached;     /* recording began in the middle of the process's life (xcollect -P) */
	uint64_t earlier_ns; /* CPU time that the process had used before the recording began */
	const char *executed;    /* the next image of an execed process, as it was named; else
	                          * NULL */
	const char *executed_as; /* the lineage of that image; NULL if it is not recorded */
	int damaged;             /* something was skipped, and said so */

	const char *const *argv; /* argv[argc] */
	size_t argc;
	const char *program; /* path of the executed file */
	const char *cwd;
	int64_t pid, ppid;

	const char *host, *os, *release, *arch, *cpu_model, *boot_id;
	uint64_t cpus, page_size, memory_kib;

	int clock_is_tsc;
	double clock_hz; /* fitted over the triples of the overview when loaded, else as recorded */
	uint64_t start_ticks;  /* event time of the start */
	int64_t start_real_ns; /* CLOCK_REALTIME of the start */
	double duration_s;     /* start to exit event or last recorded event */

	const struct exp_pair *settings; /* <setting name= value=> */
	size_t setting_count;
	const struct exp_pair
		*counters; /* <count name= value=>: losses and totals written at the end */
	size_t counter_count;
	const struct exp_event *events;
	size_t event_count;

	const char *const *jit_notes; /* [jit_note_count]: what was read about JIT code, in words */
	size_t jit_note_count;

	const char *const *descendants; /* lineages that have a directory, or samples alone;
	                                   ancestors first; founder only */
	size_t descendant_count;

	uint64_t start_mono_ns; /* CLOCK_MONOTONIC of the start, 0: unknown */
	const char *object;     /* path of the program's load object: `program` without links; of a
	                           script, its interpreter */
	unsigned untold;   /* helpers of --sampler and -h that ended before they wrote their counts:
	                      samples may be missing */
	unsigned left_out; /* images of descendants that have samples and no experiment: -F leaves
	                      them out, or their place is unknown; founder only */
	uint64_t tick_ns;  /* between two of the kernel's ticks, at which it looks at CPU timers, 0:
	                      unknown */
	int is_kept;       /* recorded with xcollect --keep: the newest data are there */
	double kept_from_s; /* since when they are all there, seconds since the start; 0: always */
	uint64_t kept_dropped;   /* bytes of older data that are not, of all processes */
	const char *snapshot_of; /* path of the experiment that this is a snapshot of; NULL: it is
	                            none */
	uint64_t snapshot_pid;   /* of the process that was named for it */
	double snapshot_s;       /* when it was made, seconds since the start */
};

/* Open the experiment directory at `path`.
 * Returns 0 and *out; or -ENOENT (nothing there), -ENOTDIR, -ENODATA (empty), -EBADMSG (foreign or
 * unusable), -EPROTO (another major version), -EACCES, -ENOMEM, with `cause` saying so for a
 * person. */
int experiment_open(const char *path, const struct exp_reporter *reporter, struct experiment **out,
                    struct exp_cause *cause);

/* The same for a descendant, by the lineage that info.descendants has. One that has no directory is
 * known by its founder only; experiment_open opens that each time. Afterwards, the founder may be
 * closed first. */
int experiment_open_descendant(const struct experiment *founder, const char *lineage,
                               const struct exp_reporter *reporter, struct experiment **out,
                               struct exp_cause *cause);
void experiment_close(struct experiment *experiment);
const struct exp_info *experiment_info(const struct experiment *experiment);

/* Value of a setting or counter, or `fallback`. */
const char *experiment_setting(const struct experiment *experiment, const char *name,
                               const char *fallback);
uint64_t experiment_counter(const struct experiment *experiment, const char *name,
                            uint64_t fallback);

/* ---- load objects -------------------------------------------------------------------------------
 */

/* One <object> of map.xml: a loaded file, for generations [from, to). */
struct exp_object {
	const char *path;     /* as the process saw it; "[vdso]" and the like have no file */
	const char *build_id; /* lower-case hex, "" if it has none */
	uint64_t bias;        /* ELF virtual address = run-time address - bias */
	uint64_t start, end;  /* run-time addresses [start, end) */
	uint32_t generation_from, generation_to;
	double time_s; /* when it was first seen */
};

size_t experiment_objects(const struct experiment *experiment, const struct exp_object **out);

/* The object at run-time address pc in `generation`, or NULL. */
const struct exp_object *experiment_object_at(const struct experiment *experiment, uint64_t pc,
                                              uint32_t generation);

/* What described a JIT function, the most trustworthy first. */
enum exp_origin {
	EXP_ORIGIN_ANNOUNCED, /* the program: one <function> of map.xml, for generations [from, to)
	                       */
	EXP_ORIGIN_JITDUMP,   /* a jitdump file */
	EXP_ORIGIN_IMAGE, /* an ELF file in memory that was registered for debuggers: one <image> of
	                     map.xml */
	EXP_ORIGIN_PERF_MAP, /* a perf map */
	EXP_ORIGIN_NOBODY    /* one <code> of map.xml: a page of code that was met in call stacks */
};

/* A line of the code of a function, from an offset on. */
struct exp_function_line {
	const char *file; /* NULL: the function's source */
	uint32_t offset, line;
};

/* A function that the program made while it ran: JIT code. */
struct exp_function {
	const char *name;   /* "" if it was announced without one */
	const char *alias;  /* another name, or NULL */
	const char *source; /* the file that it was made from, or NULL */
	uint64_t address, size;
	uint32_t generation_from, generation_to;
	double time_s; /* when it was announced */
	int has_text;
	uint64_t text_offset; /* of its code in dyntext */
	uint64_t line_count;  /* rows of its line table, which follows the code there, at the next
	                         multiple of 8 */
	enum exp_origin origin;
	uint64_t ticks_from, ticks_to; /* event time [from, to) when it was there, if its origin
	                                  tells times; else [0, UINT64_MAX) */
	const char *text_file;         /* that text_offset is in; NULL: dyntext */
	const struct exp_function_line
		*lines;  /* lines[line_count] by offset; NULL: they are in dyntext */
	unsigned line;   /* of its beginning, if that is all that is known; else 0 */
	uint32_t method; /* the Java method that it was compiled from, 0: none */
	int is_machine;  /* of the Java machine: a stub, the interpreter */
	uint64_t place_count,
		call_count; /* of the tables of inlined calls, which follow the code */
};

/* Those of the experiment, in order of the file. Returns their number. */
size_t experiment_functions(const struct experiment *experiment, const struct exp_function **out);

/* The function at run-time address pc in `generation`, or NULL. Of several at different times the
 * last, unless the generation is one that struct exp_nodes has: some of those mean a time. */
const struct exp_function *experiment_function_at(const struct experiment *experiment, uint64_t pc,
                                                  uint32_t generation);

/* The line of the code at `pc` in `function`, 0 if it is not known. */
unsigned experiment_function_line(const struct experiment *experiment,
                                  const struct exp_function *function, uint64_t pc);

/* The name of a class of Java by its number, of the form java/lang/String, NULL if it is not known.
 */
const char *experiment_java_class(const struct experiment *experiment, uint32_t number);

/* Number of classes of Java that were there. */
size_t experiment_java_classes(const struct experiment *experiment);

/* CPU time of the process that was spent while events were paused, of its first cpu_ns. */
uint64_t experiment_paused_ns(const struct experiment *experiment, uint64_t cpu_ns);

/* ---- data ---------------------------------------------------------------------------------------
 */

/* Read the data streams once; later calls return the same. Damaged parts are skipped, warned about,
 * and set info->damaged. Returns 0 or -ENOMEM. Memory: 16 bytes a live heap block, about 120 an
 * object of synchronization, about 200 a file and descriptor, else flat in events. */
int experiment_load(struct experiment *experiment, const struct exp_data_set **out);

/* ---- symbols ------------------------------------------------------------------------------------
 */

struct symbols;

/* A load object as the analyzer shows it: one for each path and build-id. */
struct sym_object {
	const char *path;
	const char *name; /* last component */
	const char *build_id;
	const char *file; /* the file it was read from (archive or disk), NULL if none matched */
	unsigned has_symbols : 1, has_lines : 1, archived : 1,
		mismatch : 1;    /* mismatch: found, other build-id */
	unsigned is_java : 1;    /* methods of Java */
	unsigned is_machine : 1; /* code that the Java machine made for itself: stubs, the
	                            interpreter */
	unsigned is_kernel : 1;  /* functions of the kernel, as they were called when it recorded */
	size_t index;            /* 0 .. symbols_object_count-1 */
};

struct sym_function {
	const char *name;    /* demangled; "libc.so.6+0x1234" when nothing is known,
	                        "<Truncated-stack>", ... */
	const char *mangled; /* linker name, same as name where there is none */
	const char *file;    /* source file, NULL if unknown */
	unsigned line;       /* of its definition, 0 if unknown */
	uint64_t address;    /* ELF virtual address in the object, 0 for inlined-only */
	uint64_t size;
	const struct sym_object *object;
	unsigned unresolved : 1; /* the name is made up from an offset */
	unsigned is_titled : 1;  /* a Java method: mangled has its signature */
	size_t index;            /* 0 .. symbols_function_count-1 */
};

/* One frame of an address; several where calls were inlined, innermost first. */
struct sym_frame {
	const struct sym_function *function;
	const char *file; /* source file of `line`, NULL if unknown */
	unsigned line;    /* 0 if unknown */
	uint64_t address; /* ELF virtual address of the instruction */
	unsigned inlined : 1;
};

struct symbols *symbols_create(void);
void symbols_destroy(struct symbols *symbols);

/* Frames of `pc` as of `generation` in `experiment`; pc is a return address unless is_leaf (then
 * the instruction before it is looked up). Marks and unknown addresses give one frame. Cached by
 * address. Returns the number of frames (>= 1) and *out, or -ENOMEM. */
int symbols_frames(struct symbols *symbols, const struct experiment *experiment, uint64_t pc,
                   uint32_t generation, int is_leaf, const struct sym_frame **out);

/* The same as the machine sees it: methods of Java have the frames of their compiled code, without
 * what was inlined in it, and none where they are interpreted (0 is returned). */
int symbols_machine_frames(struct symbols *symbols, const struct experiment *experiment,
                           uint64_t pc, uint32_t generation, int is_leaf,
                           const struct sym_frame **out);

/* The variable at `address` as of `generation` in `experiment`: its name, demangled, or NULL if
 * none is known. *object: the load object's short name, NULL if the address is in none (heap,
 * stack); *offset: from the start of the variable, else of the object. Returns 0 or -ENOMEM. */
int symbols_variable(struct symbols *symbols, const struct experiment *experiment, uint64_t address,
                     uint32_t generation, const char **name, const char **object, uint64_t *offset);

/* Where files are looked for that are not where they were recorded (experiment/symbols/paths.h). */
struct exp_paths;
struct exp_paths *symbols_paths(struct symbols *symbols);

/* The paths have changed: search again for objects without a file. Returns true if there are any:
 * then frames that were returned before are invalid. */
int symbols_retry(struct symbols *symbols);

size_t symbols_object_count(const struct symbols *symbols);
const struct sym_object *symbols_object(const struct symbols *symbols, size_t index);
size_t symbols_function_count(const struct symbols *symbols);
const struct sym_function *symbols_function(const struct symbols *symbols, size_t index);

/* The special functions <Total> and <Unknown>; always there, in an object named <Unknown>. */
const struct sym_function *symbols_total(const struct symbols *symbols);
const struct sym_function *symbols_unknown(const struct symbols *symbols);

#ifdef __cplusplus
}
#endif

#endif
