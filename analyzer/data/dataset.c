/* dataset.c: begins and ends a dataset, and says what kinds of data it has. */
#include "analyzer/data/dataset.h"

#include "experiment/program/program.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"
#include "analyzer/data/indexobj.h"
#include "analyzer/data/places.h"

#include <stdlib.h>

void dataset_init(struct dataset *dataset)
{
	*dataset = (struct dataset){.symbols = symbols_create(),
	                            .shown = shown_create(),
	                            .filters = filters_create(),
	                            .indexes = index_types_create(),
	                            .focus = DATASET_ALL,
	                            .places = places_create(),
	                            .tables = memory_take(1, sizeof(*dataset->tables))};
	for (size_t i = 0; i < FRAMES_KINDS; i++)
		dataset->tables->stand_in[i] = (struct sym_function){.name = frames_names[i],
		                                                     .mangled = frames_names[i]};
	if (!dataset->symbols)
		memory_fail();
}

void dataset_fini(struct dataset *dataset)
{
	dataset_forget_tables(dataset);
	free(dataset->tables);
	shown_destroy(dataset->shown);
	symbols_destroy(dataset->symbols);
	filters_destroy(dataset->filters, dataset);
	index_types_destroy(dataset->indexes);
	for (size_t i = dataset->count; i-- > 0;)
		experiment_close(dataset->experiments[i].experiment);
	free(dataset->experiments);
	places_destroy(dataset->places);
	for (size_t i = 0; i < dataset->group_count; i++)
		free(dataset->groups[i].path);
	free(dataset->groups);
}

void dataset_set_mode(struct dataset *dataset, enum frames_mode mode)
{
	if (dataset->mode == mode)
		return;
	dataset_forget_tables(dataset);
	filters_change(dataset->filters); /* STACK means other frames now */
	dataset->mode = mode;
}

int dataset_is_programs(const struct dataset *dataset)
{
	for (size_t i = 0; i < dataset->count; i++)
		if (!experiment_is_program(dataset->experiments[i].experiment))
			return 0;
	return dataset->count > 0;
}

void dataset_find_data(struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment *at = NULL;

	dataset_load(dataset, output);
	dataset->have = 0;
	while ((at = dataset_next(dataset, at)))
		dataset->have |= dataset_data_of(at);
}
