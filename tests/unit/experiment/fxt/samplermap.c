/* Code that samplers saw: which image of the process it belongs to, and how it is combined with
 * map.xml. */
#include "tests/unit/experiment/make_samples.h"

#include "format/fxt.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct maker maker;
static uint64_t words[512];
static size_t count;
static struct experiment *experiment;

static void program(const char *name)
{
	size_t size = strlen(name),
	       size_words = 2 + fxt_put_bytes(words + count + 2, name, strlen(name));

	words[count] = FXT_HEAD(kernel_object, size_words) |
	               FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) |
	               FXT_BITS(kernel_object, name, FXT_STRING_INLINE | size);
	words[count + 1] = PID;
	count += size_words;
}

static void code(uint64_t time_ns, uint64_t pid, const char *path, uint64_t start)
{
	const struct fxt_module module = {.id = 3,
	                                  .name = path,
	                                  .name_size = strlen(path),
	                                  .build_id = (const uint8_t *)"\x12\xab",
	                                  .build_id_size = 2};
	const struct fxt_mapping mapping = {
		.module = 3, .flags = 5, .start = start, .size = 0x1000, .address = 0x2000};

	count += fxt_put_module(words + count, time_ns, pid, pid, &module);
	count += fxt_put_mapping(words + count, time_ns, pid, pid, &mapping);
}

#define MAP \
	"<map>\n <object id=\"1\" path=\"/lib/known\" build_id=\"\" bias=\"0x10000\" start=\"0x10000\" end=\"0x20000\" generation=\"0\" time=\"0\"/>\n</map>\n"

Test(samplermap, code_that_only_the_sampler_saw_is_in_the_map)
{
	const struct exp_object *object;

	count = maker_sampler(&maker, SETTING CLOCK EXEC, "map", words);
	program("before"); /* another image of the same process */
	code(MONO - 500, PID, "/bin/before", 0x40000);
	program("this");
	code(MONO - 1, PID, "/bin/this", 0x30000); /* in the loader, before the collector */
	code(MONO + 10, PID, "/lib/late", 0x50000);
	code(MONO + 10, PID, "/lib/other", 0x1f000); /* map.xml has another object there */
	code(MONO + 10, PID + 1, "/bin/elsewhere", 0x60000);
	program("after");
	code(MONO + 200, PID, "/bin/after", 0x40000);
	maker_put(&maker, "sampler/map.fxt", words, count * 8);
	maker_put(&maker, "map.xml", MAP, strlen(MAP));
	maker_load(&maker, &experiment);
	object = experiment_object_at(experiment, 0x30010, 0);
	cr_assert(object != NULL);
	cr_assert_str_eq(object->path, "/bin/this");
	cr_assert_str_eq(object->build_id, "12ab");
	cr_assert_eq(object->bias, 0x30000 - 0x2000);
	cr_assert_str_eq(experiment_object_at(experiment, 0x50fff, UINT32_MAX - 1)->path,
	                 "/lib/late");
	cr_assert_str_eq(experiment_object_at(experiment, 0x1f800, 0)->path, "/lib/known");
	cr_assert_null(experiment_object_at(experiment, 0x20000, 0));
	cr_assert_null(experiment_object_at(experiment, 0x40010, 0), "of other programs");
	cr_assert_null(experiment_object_at(experiment, 0x60010, 0), "of other processes");
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(samplermap, a_damaged_map_is_survived)
{
	static const uint64_t pc = 0x30010;

	count = maker_sampler(&maker, SETTING CLOCK EXIT, "cpu0", words);
	count += fxt_put_sample(words + count, MONO + 1, PID, 42, &pc, 1);
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	count = fxt_put_magic(words);
	program("this");
	code(MONO + 1, PID, "/bin/this", 0x30000);
	code(MONO + 10, PID, "/lib/late", 0x50000);
	srand(5);
	for (int i = 0; i < 500; i++) {
		uint64_t kept[512];

		memcpy(kept, words, sizeof(kept));
		for (int k = rand() % 4; k >= 0; k--)
			((uint8_t *)kept)[8 + (size_t)rand() % (count * 8 -
			                                        8)] = (uint8_t)(rand() % 3 ? rand()
			                                                                   : 0xff);
		maker_put(&maker, "sampler/map.fxt", kept, count * 8);
		cr_assert_eq(maker_load(&maker, &experiment)->quality.samples, 1);
		experiment_object_at(experiment, pc, 0);
		experiment_close(experiment);
	}
	maker_destroy(&maker);
}
