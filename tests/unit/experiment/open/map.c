/* Load objects over generations. */
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <string.h>

static void put_map(struct maker *maker, const char *text)
{
	maker_put(maker, "map.xml", text, strlen(text));
}

Test(map, finds_objects_by_address_and_generation)
{
	struct maker maker;
	struct exp_cause cause;
	struct experiment *experiment;
	const struct exp_object *objects;

	maker_create(&maker);
	put_map(&maker,
	        "<map>\n"
	        "<object id=\"1\" path=\"/a\" build_id=\"aa\" bias=\"0x1000\" start=\"0x1000\" end=\"0x9000\" generation=\"0\"/>\n"
	        "<object id=\"2\" path=\"/b\" bias=\"0x0\" start=\"0xa000\" end=\"0xb000\" generation=\"1\"/>\n"
	        "<unload id=\"2\" generation=\"3\"/>\n"
	        "<object id=\"3\" path=\"/c\" bias=\"0x0\" start=\"0xa800\" end=\"0xc000\" generation=\"3\"/>\n"
	        "<object id=\"4\" path=\"/never\" start=\"0x20\" end=\"0x10\"/>\n</map>\n");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_objects(experiment, &objects), 3);
	cr_assert_str_eq(experiment_object_at(experiment, 0x1000, 7)->path, "/a");
	cr_assert_eq(experiment_object_at(experiment, 0x1000, 7)->bias, 0x1000);
	cr_assert(!experiment_object_at(experiment, 0x9000, 0));
	cr_assert(!experiment_object_at(experiment, 0xa900, 0));
	cr_assert_str_eq(experiment_object_at(experiment, 0xa900, 2)->path, "/b");
	cr_assert_str_eq(experiment_object_at(experiment, 0xa900, 3)->path, "/c");
	cr_assert(!experiment_object_at(experiment, 0xa100, 3));
	cr_assert_eq(experiment_info(experiment)->damaged, 0);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(map, keeps_what_stands_before_damage)
{
	struct maker maker;
	struct exp_cause cause;
	struct experiment *experiment;
	const struct exp_object *objects;
	char deep[4096] = "<map><object id=\"1\" path=\"/a\" start=\"0x1\" end=\"0x2\"/>";

	maker_create(&maker);
	for (int i = 0; i < 100; i++)
		strcat(deep, "<deeper>");
	put_map(&maker, deep);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_objects(experiment, &objects), 1);
	cr_assert(strstr(maker.warning, "map.xml: offset ") != NULL, "%s", maker.warning);
	cr_assert(strstr(maker.warning, "nested too deeply") != NULL, "%s", maker.warning);
	experiment_close(experiment);
	maker_destroy(&maker);
}
