/* make_experiment.c: builds experiments byte by byte. Failures of the system end the test
 * program. */
#include "tests/unit/experiment/make_experiment.h"

#include "format/fdr.h"
#include "format/layout.h"
#include "format/record.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_HEAD \
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<experiment version=\"1.0\">\n" \
	"<host name=\"box\" os=\"Linux\" release=\"6\" arch=\"x86_64\" cpus=\"2\" page_size=\"4096\" memory_kib=\"99\"/>\n" \
	"<process pid=\"42\" ppid=\"1\" cwd=\"/tmp\" program=\"/bin/prog\" lineage=\"\"><arg>prog</arg><arg>a</arg></process>\n" \
	"<setting name=\"heap\" value=\"1\"/>\n" \
	"<clock source=\"tsc\" hz=\"1000000000\" ticks=\"1000000000\" raw_ns=\"5000000000\" real_ns=\"1700000000000000000\"/>\n"

#define LOG_EXIT "<event kind=\"exit\" time=\"11000000000\" code=\"3\" cpu_ns=\"777\"/>\n"

void maker_put(struct maker *maker, const char *name, const void *bytes, size_t len)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", maker->path, name);
	file = fopen(path, "w");
	assert(file != NULL);
	assert(fwrite(bytes, 1, len, file) == len);
	assert(fclose(file) == 0);
}

void maker_log(struct maker *maker, const char *elements)
{
	char text[8192];
	int len = snprintf(text, sizeof(text), "%s%s%s", LOG_HEAD, !elements ? "" : elements,
	                   FMT_LOG_CLOSE);

	maker_put(maker, FMT_FILE_LOG, text, (size_t)len);
}

int maker_log_of_this_boot(struct maker *maker, const char *elements)
{
	FILE *random = fopen("/proc/sys/kernel/random/boot_id", "r");
	char boot[64] = "", text[4096];
	int len;

	if (!random || fscanf(random, "%63s", boot) != 1)
		boot[0] = '\0';
	if (random)
		fclose(random);
	len = snprintf(
		text, sizeof(text),
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<experiment version=\"1.0\">\n"
		"<host name=\"box\" boot_id=\"%s\"/>\n"
		"<process pid=\"42\" ppid=\"1\" cwd=\"/tmp\" program=\"/bin/prog\" lineage=\"\"/>\n"
		"<clock source=\"tsc\" hz=\"1000000000\" ticks=\"1000000000\" raw_ns=\"5000000000\" real_ns=\"1700000000000000000\"/>\n"
		"%s" FMT_LOG_CLOSE,
		boot, elements);
	assert(len < (int)sizeof(text));
	maker_put(maker, FMT_FILE_LOG, text, (size_t)len);
	return boot[0] != '\0' ? 0 : -1;
}

/* Open files. */
static int count_descriptors(void)
{
	DIR *open = opendir("/proc/self/fd");
	int count = 0;

	while (open && readdir(open))
		count++;
	if (open)
		closedir(open);
	return count;
}

void maker_create(struct maker *maker)
{
	*maker = (struct maker){.directory = "/tmp/xer-unit-XXXXXX"};
	assert(mkdtemp(maker->directory) != NULL);
	snprintf(maker->path, sizeof(maker->path), "%s/test.1.er", maker->directory);
	assert(mkdir(maker->path, 0755) == 0);
	maker_log(maker, LOG_EXIT);
	maker->descriptors = count_descriptors();
}

void maker_descendant(const struct maker *founder, const char *lineage, const char *elements,
                      struct maker *out)
{
	char text[8192];
	int len;

	*out = (struct maker){.directory = ""};
	len = snprintf(out->path, sizeof(out->path), "%s/%s.er", founder->path, lineage);
	assert(len < (int)sizeof(out->path) && mkdir(out->path, 0755) == 0);
	len = snprintf(
		text, sizeof(text),
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<experiment version=\"1.0\">\n"
		"<process pid=\"43\" ppid=\"42\" cwd=\"/tmp\" program=\"/bin/child\" lineage=\"%s\"><arg>child</arg></process>\n"
		"<clock source=\"tsc\" hz=\"1000000000\" ticks=\"1000000000\" raw_ns=\"5000000000\" real_ns=\"1700000000000000000\"/>\n"
		"%s<event kind=\"exit\" time=\"11000000000\" code=\"0\" cpu_ns=\"5000000000\"/>\n" FMT_LOG_CLOSE,
		lineage, !elements ? "" : elements);
	assert(len < (int)sizeof(text));
	maker_put(out, FMT_FILE_LOG, text, (size_t)len);
}

void maker_destroy(struct maker *maker)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf '%s'", maker->directory);
	assert(system(command) == 0);
	assert(count_descriptors() == maker->descriptors);
}

static void count_warning(void *context, const char *message)
{
	struct maker *maker = context;

	if (maker->warnings++ == 0)
		snprintf(maker->warning, sizeof(maker->warning), "%s", message);
}

int maker_open(struct maker *maker, struct experiment **out, struct exp_cause *cause)
{
	struct exp_reporter reporter = {count_warning, maker};

	return experiment_open(maker->path, &reporter, out, cause);
}

void maker_stream_init(struct maker_stream *stream)
{
	struct fdr_header header = {
		.version = FDR_VERSION, .type = FDR_TYPE, .cycle_frequency = MAKER_HZ};

	*stream = (struct maker_stream){.len = FDR_HEADER_SIZE};
	stream->bytes = calloc(1, FDR_HEADER_SIZE);
	assert(stream->bytes != NULL);
	fdr_header_put(stream->bytes, &header);
}

static void put_prologue(struct maker_stream *stream, uint32_t tid, uint64_t tsc)
{
	struct fdr_prologue prologue = {
		.tid = tid,
		.ordinal = ++stream->ordinal,
		.extent_left = (uint32_t)(stream->len - stream->at),
		.cpu = 1,
		.tsc = tsc,
	};

	fdr_prologue_put(stream->bytes + stream->at, &prologue);
	stream->at += FDR_PROLOGUE_SIZE;
}

void maker_extent(struct maker_stream *stream, uint32_t tid, uint64_t tsc, size_t size)
{
	size_t start = stream->len;
	size_t end = start / FDR_EXTENT_UNIT * FDR_EXTENT_UNIT + size;

	stream->bytes = realloc(stream->bytes, end);
	assert(stream->bytes != NULL);
	memset(stream->bytes + start, 0, end - start);
	stream->len = end;
	stream->at = start;
	put_prologue(stream, tid, tsc);
}

void maker_successor(struct maker_stream *stream, uint32_t tid, uint64_t tsc)
{
	stream->at += FDR_METADATA_SIZE;
	put_prologue(stream, tid, tsc);
}

size_t maker_event(struct maker_stream *stream, uint64_t tsc, const void *payload, size_t size)
{
	size_t at = stream->at;

	assert(at + 2 * FDR_METADATA_SIZE + size <= stream->len);
	memcpy(stream->bytes + at + FDR_METADATA_SIZE, payload, size);
	fdr_event_put(stream->bytes + at, (uint32_t)size, tsc, 1);
	stream->at += FDR_METADATA_SIZE + size;
	return at + FDR_METADATA_SIZE;
}

void maker_words(struct maker_stream *stream, const uint64_t *words, size_t count)
{
	assert(stream->at + count * sizeof(*words) + FDR_METADATA_SIZE <= stream->len);
	memcpy(stream->bytes + stream->at, words, count * sizeof(*words));
	stream->at += count * sizeof(*words);
	fdr_end_put(stream->bytes + stream->at);
}

size_t maker_function(struct maker_stream *stream, uint64_t tsc, uint32_t id, uint64_t address)
{
	struct fmt_function record = {
		.kind = FMT_KIND_function,
		.source = FMT_function_source_HOOKS,
		.id = id,
		.addr = address,
	};

	return maker_event(stream, tsc, &record, sizeof(record));
}

size_t maker_alloc(struct maker_stream *stream, uint64_t tsc, uint64_t address, uint32_t size,
                   uint32_t stack)
{
	struct fmt_heap_alloc record = {
		.kind = FMT_KIND_heap_alloc,
		.func = FMT_heap_func_MALLOC,
		.stack = stack,
		.size = size,
	};

	fmt_u48_put(&record.addr, address);
	return maker_event(stream, tsc, &record, sizeof(record));
}

size_t maker_free(struct maker_stream *stream, uint64_t tsc, uint64_t address)
{
	struct fmt_heap_free record = {
		.kind = FMT_KIND_heap_free, .func = FMT_heap_func_FREE, .addr = address};

	return maker_event(stream, tsc, &record, sizeof(record));
}

size_t maker_clock(struct maker_stream *stream, uint64_t tsc, unsigned state, uint64_t cpu_ns,
                   uint32_t stack)
{
	struct fmt_clock record = {
		.kind = FMT_KIND_clock, .state = (uint8_t)state, .stack = stack, .cpu_ns = cpu_ns};

	return maker_event(stream, tsc, &record, sizeof(record));
}

size_t maker_sync(struct maker_stream *stream, uint64_t tsc, unsigned func, uint64_t object,
                  uint64_t wait, unsigned error, uint32_t stack)
{
	struct fmt_sync record = {
		.kind = FMT_KIND_sync, .func = (uint8_t)func, .error = error, .stack = stack};

	fmt_u48_put(&record.object, object);
	fmt_ticks_put(&record.wait_high, &record.wait, wait);
	return maker_event(stream, tsc, &record, sizeof(record));
}

size_t maker_io(struct maker_stream *stream, uint64_t tsc, const struct maker_call *call)
{
	struct fmt_io record = {.kind = FMT_KIND_io,
	                        .func = (uint8_t)call->func,
	                        .error = (uint16_t)call->error,
	                        .stack = call->stack,
	                        .file = call->file,
	                        .fd = call->fd};

	fmt_u48_put(&record.bytes, call->bytes);
	fmt_ticks_put(&record.wait_high, &record.wait, call->wait);
	return maker_event(stream, tsc, &record, sizeof(record));
}

size_t maker_io_file(struct maker_stream *stream, uint64_t tsc, uint32_t file, unsigned type,
                     const char *name)
{
	struct fmt_io_file record = {
		.kind = FMT_KIND_io_file,
		.type = (uint8_t)type,
		.name_size = (uint16_t)strlen(name),
		.file = file,
		.file_system = 0xef53,
	};
	char payload[sizeof(record) + 256] = "";

	assert(record.name_size < 256);
	memcpy(payload, &record, sizeof(record));
	memcpy(payload + sizeof(record), name, record.name_size);
	return maker_event(stream, tsc, payload,
	                   (sizeof(record) + record.name_size + 15) / 16 * 16);
}

void maker_stream_put(struct maker *maker, struct maker_stream *stream, const char *name)
{
	maker_put(maker, name, stream->bytes, stream->len);
	free(stream->bytes);
}

void maker_nodes(struct maker *maker, size_t count, const uint64_t *pcs, const int *parents,
                 uint32_t *ids)
{
	size_t size = sizeof(struct fmt_nodes) + count * sizeof(struct fmt_node);
	uint8_t *payload = calloc(1, size);
	struct maker_stream stream;

	assert(payload != NULL);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS,
	             (size / FDR_EXTENT_UNIT + 2) * FDR_EXTENT_UNIT);
	uint32_t first = (uint32_t)(stream.at + FDR_METADATA_SIZE + sizeof(struct fmt_nodes));
	struct fmt_nodes header = {
		.kind = FMT_KIND_nodes, .node_size = sizeof(struct fmt_node), .first = first};

	memcpy(payload, &header, sizeof(header));
	for (size_t i = 0; i < count; i++) {
		struct fmt_node node = {.pc = pcs[i]};

		if (parents[i] >= 0)
			node.parent = first + (uint32_t)parents[i] * (uint32_t)sizeof(node);
		memcpy(payload + sizeof(header) + i * sizeof(node), &node, sizeof(node));
		ids[i] = first + (uint32_t)(i * sizeof(node));
	}
	maker_event(&stream, MAKER_START_TICKS, payload, size);
	free(payload);
	maker_stream_put(maker, &stream, "frameinfo");
}
